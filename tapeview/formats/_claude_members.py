"""The files of sub-agents beside a session file (``formats.md`` b.1)."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tapeview.errors import OpenError
from tapeview.formats._source import open_source
from tapeview.shapes.fields import fields_of, text_of
from tapeview.tape.json_text import JsonFault
from tapeview.tape.source import Source

__all__ = ["Member", "members_of"]

PREFIX = "agent-"
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
    folder = own.with_suffix("") / "subagents"
    for found in sorted(folder.rglob(f"{PREFIX}*.jsonl")) if folder.is_dir() else ():
        if member := _member(found):
            yield member
    mark = f'"sessionId":"{session_id}"'.encode("utf-8", "surrogatepass")
    for found in sorted(own.parent.glob(f"{PREFIX}*.jsonl")) if session_id else ():
        member = _member(found)
        if member is not None and mark in member.source.read(0, HEAD).replace(b'": "', b'":"'):
            yield member


def _member(path: Path) -> Member | None:
    try:
        source = open_source(str(path))
    except OpenError:
        return None
    return Member(path.stem.removeprefix(PREFIX), source, _started_by(path))


def _started_by(path: Path) -> str:
    """``toolUseId`` of the ``.meta.json`` beside a sub-agent's file."""
    try:
        with path.with_suffix(".meta.json").open("rb") as file:
            return text_of(fields_of(file.read(META)).get("toolUseId"))
    except (OSError, JsonFault):
        return ""
