"""The user's own editor, at the record's line."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported

from tapeview.looks.block_text import editor_place
from tapeview.snapshot import Snapshot
from tapeview.tape.rows import Row

__all__ = ["edit_outside", "editor_command", "open_in_editor"]

PLUS_LINE = frozenset({"vi", "vim", "nvim", "nano", "emacs", "emacsclient", "micro", "kak", "joe"})
"""Editors that take ``+LINE`` before the file."""
COLON_LINE = frozenset({"hx", "helix", "subl", "zed"})
"""Editors that take ``FILE:LINE``."""
GOTO_LINE = frozenset({"code", "codium", "cursor"})
"""Editors that take ``--goto FILE:LINE``."""


def editor_command(editor: str, path: str, line: int) -> list[str]:
    """The words that open ``path`` at ``line``. Raises ``ValueError`` for unbalanced quotes."""
    words = shlex.split(editor)
    name = os.path.basename(words[0]) if words else ""  # noqa: PTH119 - a name, not a place
    if name in PLUS_LINE:
        return [*words, f"+{line}", path]
    if name in COLON_LINE:
        return [*words, f"{path}:{line}"]
    if name in GOTO_LINE:
        return [*words, "--goto", f"{path}:{line}"]
    return [*words, path]


def open_in_editor(app: App[Any], snapshot: Snapshot, row: Row) -> str:
    """Hand the terminal to the editor; what went wrong, or nothing."""
    place = editor_place(snapshot, row)
    if place is None:
        return "standard input has no file to open"
    path, line = place
    return _run(app, lambda editor: editor_command(editor, os.path.abspath(path), line))  # noqa: PTH100 - no symlinks


def edit_outside(app: App[Any], text: str, suffix: str) -> tuple[str, str]:
    """Let the user's editor change a text, in a file that only its owner reads.

    What came back, and what went wrong, or nothing. A line break that the editor put behind the
    last line is taken off again.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="tapeview-") as folder:
            path = Path(folder) / f"edit{suffix}"
            path.write_bytes(text.encode("utf-8", "replace"))
            fault = _run(app, lambda editor: editor_command(editor, str(path), 1))
            typed = path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
    except OSError as error:
        return text, f"the text cannot be edited outside: {error.strerror or error}"
    if typed.endswith("\n") and not text.endswith("\n"):
        typed = typed[:-1]
    return typed, fault


def _run(app: App[Any], command: Callable[[str], list[str]]) -> str:
    """Hand the terminal to the editor; what went wrong, or nothing."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        words = command(editor)
        with app.suspend():
            subprocess.run(words, check=False)
    except (OSError, ValueError) as error:
        return f"{editor} did not start: {error}"
    except SuspendNotSupported:
        return "this terminal cannot be handed to an editor"
    return ""
