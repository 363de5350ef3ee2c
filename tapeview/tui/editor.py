"""The user's own editor, at the record's line."""

import os
import shlex
import subprocess
from typing import Any

from textual.app import App, SuspendNotSupported

from tapeview.looks.block_text import editor_place
from tapeview.snapshot import Snapshot
from tapeview.tape.rows import Row

__all__ = ["editor_command", "open_in_editor"]

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
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        command = editor_command(editor, os.path.abspath(path), line)  # noqa: PTH100 - no symlinks
        with app.suspend():
            subprocess.run(command, check=False)
    except (OSError, ValueError) as error:
        return f"{editor} did not start: {error}"
    except SuspendNotSupported:
        return "this terminal cannot be handed to an editor"
    return ""
