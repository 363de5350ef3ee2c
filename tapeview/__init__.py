"""A terminal debugger for LLM-agent conversations.

The public face; each function is loaded when it is asked for::

    with tapeview.play("run.json") as url:
        agent.run(base_url=url)
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tapeview.calls.background import play

__all__ = ["play"]


def __getattr__(name: str) -> object:
    if name == "play":
        from tapeview.calls.background import play

        return play
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
