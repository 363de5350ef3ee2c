"""The files of sub-agents beside a session file (``formats.md`` b.1)."""

from collections.abc import Iterator
from contextlib import suppress
from os import DirEntry, scandir
from pathlib import Path
from typing import NamedTuple

from tapeview.errors import OpenError
from tapeview.formats._source import open_source
from tapeview.shapes.fields import fields_of, text_of
from tapeview.tape.json_text import JsonFault
from tapeview.tape.source import Source

__all__ = ["PREFIX", "Member", "files_beside", "members_of"]

PREFIX = "agent-"
"""How the names of their files begin."""
HEAD = 4096
META = 1 << 16


class Member(NamedTuple):
    """One sub-agent's file."""

    id: str
    source: Source
    tool_use_id: str
    """The call that started it, where a side file says so."""


def members_of(path: str, session_id: str) -> Iterator[Member]:
    """Files of the sub-agents of the session in ``path``, all known places; none for ``-``."""
    own = Path(path)
    if path == "-" or own.name.startswith(PREFIX):
        return
    found_here = (Path(entry.path) for entry in files_beside(str(own.with_suffix(""))))
    for found in sorted(file for file in found_here if file.suffix == ".jsonl"):
        if member := _member(found):
            yield member
    mark = f'"sessionId":"{session_id}"'.encode("utf-8", "surrogatepass")
    for found in sorted(own.parent.glob(f"{PREFIX}*.jsonl")) if session_id else ():
        member = _member(found)
        if member is not None and mark in member.source.read(0, HEAD).replace(b'": "', b'":"'):
            yield member


def files_beside(folder: str) -> Iterator[DirEntry[str]]:
    """Sub-agents' files and their side files in the folder that is named after a session.

    Regular files only: whoever opens a pipe or a device may wait for ever.
    """
    waiting = [f"{folder}/subagents"]
    while waiting:
        with suppress(OSError), scandir(waiting.pop()) as entries:
            for entry in entries:
                with suppress(OSError):  # a link to itself
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    elif entry.name.startswith(PREFIX) and entry.is_file():
                        yield entry


def _member(path: Path) -> Member | None:
    if not path.is_file():
        return None
    try:
        source = open_source(str(path))
    except OpenError:
        return None
    return Member(path.stem.removeprefix(PREFIX), source, _started_by(path))


def _started_by(path: Path) -> str:
    """``toolUseId`` of the ``.meta.json`` beside a sub-agent's file."""
    side = path.with_suffix(".meta.json")
    if not side.is_file():
        return ""
    try:
        with side.open("rb") as file:
            return text_of(fields_of(file.read(META)).get("toolUseId"))
    except (OSError, JsonFault):
        return ""
