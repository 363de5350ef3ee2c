"""Reading the session that a command names; whoever must wait for a pipe is told."""

from typing import TYPE_CHECKING

from tapeview.cli._say import say

if TYPE_CHECKING:
    from tapeview.open_session import OpenSession
    from tapeview.rules._engine import Purpose

__all__ = ["load_session", "say_waiting"]


def load_session(path: str, purpose: "Purpose | None" = None) -> "OpenSession":
    """Open a session. Raises ``OpenError``."""
    from tapeview.open_session import load

    return load(path, purpose, waits=lambda: say_waiting(path))


def say_waiting(path: str) -> None:
    """That a pipe keeps one waiting, and how to leave."""
    say(f"{path}: waiting for what writes to it; ctrl+c ends.")
