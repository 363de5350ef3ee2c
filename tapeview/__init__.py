"""A terminal debugger for LLM-agent conversations."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tapeview.calls.library import replay, replay_async

__all__ = ["replay", "replay_async"]

_HOMES = {
    "replay": "tapeview.calls.library",
    "replay_async": "tapeview.calls.library",
}
"""Where the public functions stand: each is loaded when it is asked for."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
