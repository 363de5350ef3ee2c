"""A terminal debugger for LLM-agent conversations.

The public face; each function is loaded when it is asked for::

    with tapeview.play("run.json") as url:
        agent.run(base_url=url)

    with tapeview.record(client) as recording:
        client.messages.create(...)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tapeview.calls.background import play
    from tapeview.calls.library import replay, replay_async
    from tapeview.capture.sdk_hook import record, recorder

__all__ = ["play", "record", "recorder", "replay", "replay_async"]

PUBLIC: Final = {
    "play": "tapeview.calls.background",
    "record": "tapeview.capture.sdk_hook",
    "recorder": "tapeview.capture.sdk_hook",
    "replay": "tapeview.calls.library",
    "replay_async": "tapeview.calls.library",
}
"""Each public name and the module that has it, loaded when the name is first asked for."""


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a name can be anything
    if name not in PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(PUBLIC[name]), name)
