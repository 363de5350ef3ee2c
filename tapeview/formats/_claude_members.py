"""The files of sub-agents beside a session file (``formats.md`` b.1)."""

from collections.abc import Iterator
from contextlib import suppress
from os import DirEntry, scandir
from pathlib import Path
from typing import NamedTuple

import msgspec

from tapeview.errors import OpenError
from tapeview.formats._claude_line import facts_of
from tapeview.formats._source import open_source
from tapeview.shapes.fields import fields_of, text_of
from tapeview.tape.graft import spelled, with_member
from tapeview.tape.json_text import JsonFault
from tapeview.tape.record import Record
from tapeview.tape.session import Session
from tapeview.tape.source import Source

__all__ = [
    "PREFIX",
    "Member",
    "files_beside",
    "folders_beside",
    "members_of",
    "with_session_id",
]

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


def with_session_id(session: Session, identity: str, member: int) -> Iterator[bytes]:
    """The lines of one file of a session under another session id, in pieces."""
    fresh = spelled(identity)
    changed = [_renamed(session.bytes_of(record), record, fresh) for record in session.rows(member)]
    rows = tuple(changed)
    if member == 0:
        other = msgspec.structs.replace(session, records=rows, positions={})
    else:
        members = list(session.member_records)
        members[member - 1] = rows
        other = msgspec.structs.replace(session, member_records=tuple(members), positions={})
    yield from session.written(
        msgspec.structs.replace(other, original=session.as_read, positions={}), member
    )


def _renamed(text: bytes, record: Record, identity: bytes) -> Record:
    if not facts_of(record).session_id:
        return record
    text = with_member(text, (), "sessionId", identity)
    return msgspec.structs.replace(record, text=text)


def files_beside(folder: str) -> Iterator[DirEntry[str]]:
    """Sub-agents' files and their side files in the folder that is named after a session.

    Regular files only: whoever opens a pipe or a device may wait for ever.
    """
    for entry in _entries(f"{folder}/subagents"):
        with suppress(OSError):  # a link to itself
            if entry.name.startswith(PREFIX) and entry.is_file():
                yield entry


def folders_beside(path: str) -> Iterator[str]:
    """Folders in which files of sub-agents of the session in ``path`` may appear.

    Not its own: there only older versions put some, and name each in the session when it is done.
    """
    own = Path(path)
    if path == "-" or own.name.startswith(PREFIX):
        return
    folder = str(own.with_suffix(""))
    yield folder
    yield f"{folder}/subagents"
    for entry in _entries(f"{folder}/subagents"):
        if entry.is_dir(follow_symlinks=False):
            yield entry.path


def _entries(folder: str) -> Iterator[DirEntry[str]]:
    """All that stands in a folder and in those in it."""
    waiting = [folder]
    while waiting:
        with suppress(OSError), scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
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
