"""A terminal debugger for LLM-agent conversations.

The public face; each function is loaded when it is asked for::

    with tapeview.play("run.json") as url:
        agent.run(base_url=url)
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tapeview.calls.background import play
    from tapeview.calls.library import replay, replay_async

__all__ = ["play", "replay", "replay_async"]

_HOMES = {
    "play": "tapeview.calls.background",
    "replay": "tapeview.calls.library",
    "replay_async": "tapeview.calls.library",
}
"""Where the public functions stand: each is loaded when it is asked for."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
