"""What Claude Code's chain asks of one line of a session file."""

from typing import NamedTuple

import msgspec

from tapeview.tape.record import Record

__all__ = ["Kept", "LineFacts", "facts_of"]


class Kept(NamedTuple):
    """Lines before a boundary that it keeps: ``head`` to ``tail``, hung below ``anchor``; uuids."""

    head: str
    anchor: str
    tail: str


class LineFacts(msgspec.Struct, frozen=True, gc=False):
    """What the chain asks of a line."""

    uuid: str
    parent: str
    logical_parent: str
    type: str
    subtype: str
    sidechain: bool = False
    shown_only: bool = False
    summary: bool = False
    meta: bool = False
    model: str = ""
    version: str = ""
    cwd: str = ""
    kept: Kept | None = None
    agent: str = ""
    """The sub-agent that a result came from."""
    session_id: str = ""
    branches_off: bool = False
    """It is of a reply that was kept beside the recorded one."""


_NO_FACTS = LineFacts("", "", "", "", "")


def facts_of(record: Record) -> LineFacts:
    """A line's facts; empty ones for an unreadable line."""
    # Only records of this format come here; a cast would cost as much as all the rest.
    return record.facts or _NO_FACTS  # type: ignore[return-value]
