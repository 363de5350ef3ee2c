"""What stands below a block in the block pane: its ids, its record, and what is never sent."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from tapeview.shapes.fields import fields_of, is_text, text_of
from tapeview.snapshot import Snapshot
from tapeview.tape.block import Block
from tapeview.tape.clean import cells, pad, printable
from tapeview.tape.describe import GONE
from tapeview.tape.json_text import decode_text, locate
from tapeview.tape.record import Record
from tapeview.tape.rows import Row
from tapeview.tape.session import Session
from tapeview.tape.sizes import duration, size_long

__all__ = [
    "BLANK",
    "FAULTS",
    "BodyLine",
    "beside_lines",
    "clock_of",
    "line_of",
    "seconds_between",
    "shown_value",
    "table",
]

FAULTS: Final = GONE
"""What reading a record raises once its file was changed, cut or taken away."""

SHORT: Final = 60
"""Bytes up to which a member is shown itself, not its size."""
MOST: Final = 40
"""Lines of one table."""
KEY_WIDTH: Final = 40
PAUSE: Final = 300.0
"""Seconds without any record that are worth a line."""

PAYLOADS: Final = frozenset(
    {"type", "name", "text", "thinking", "data", "input", "content", "source", "title"}
    | {"function", "custom", "arguments", "image_url", "file", "role"}
)
"""Members of a block that its title or its body shows."""

IDS: Final = frozenset({"tool_use_id", "tool_call_id"})
ENVELOPE: Final = (("uuid", "uuid"), ("parentUuid", "parent"))
"""Members of a harness's record that place it, and their short names."""

UUID_SHOWN: Final = 13

_uuid = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE).fullmatch
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d{1,3})?")


@dataclass(frozen=True, slots=True)
class BodyLine:
    """One logical line of the block pane's body: (style name, text) parts.

    The text is as raw as the tape; whoever paints it makes controls visible. ``indent`` are blanks
    before it, ``bar`` a thin line after them. ``beside`` marks what is not the block itself.
    """

    parts: tuple[tuple[str, str], ...] = ()
    indent: int = 0
    bar: bool = False
    beside: bool = False

    @property
    def text(self) -> str:
        """The words alone."""
        return "".join(text for _, text in self.parts)


BLANK: Final = BodyLine()


def line_of(style: str, text: str) -> BodyLine:
    """A line in one style."""
    return BodyLine(((style, text),))


def piece_bytes(session: Session, record: Record, block: Block) -> bytes:
    """The JSON of a block alone. Raises what is in ``FAULTS``."""
    raw, inside = session.piece_of(record, block)
    start, end = locate(raw, inside.path)
    return raw[start:end]


def table(
    heading: str, pairs: Sequence[tuple[str, str]], beside: bool = False
) -> Iterator[BodyLine]:
    """A muted heading, and under it keys with their values in a column."""
    listed = [(printable(key)[:KEY_WIDTH], printable(value)) for key, value in pairs[:MOST]]
    width = max((cells(key) for key, _ in listed), default=0) + 2
    yield BodyLine((("muted", heading),), beside=beside)
    for key, value in listed:
        yield BodyLine((("muted", pad(key, width)), ("fg", value)), indent=2, beside=beside)
    if len(pairs) > MOST:
        yield BodyLine((("muted", f"and {len(pairs) - MOST} more"),), indent=2, beside=beside)


def shown_value(raw: bytes) -> str:
    """A short value as it is, a long one as its size; of a UUID the first two groups."""
    if len(raw) > SHORT:
        return size_long(len(raw))
    if not is_text(raw):
        return " ".join(decode_text(raw).split())
    text = text_of(raw)
    return text[:UUID_SHOWN] if _uuid(text) else text


def beside_lines(snapshot: Snapshot, row: Row) -> Iterator[BodyLine]:
    """Below the body of a block: ids and times, and what is stored with it but never sent."""
    record = row.record
    if row.kind != "block" or record is None:
        return
    try:
        raw, message, own = _reading(snapshot.session, record, row.block)
        fields = fields_of(raw)
    except FAULTS:
        return  # the body has said so
    facts = [*own, *_envelope(fields), *_times(snapshot.session, record)]
    listed = row.block is not None and row.block.path == ()
    stored = [] if listed else _stored_beside(fields, record, raw == message)
    heading = "beside role and content" if raw == message else "stored beside, never sent"
    for words, pairs in (("record", facts), (heading, stored)):
        if pairs:
            yield BodyLine(beside=True)
            yield from table(words, pairs, beside=True)


def _reading(
    session: Session, record: Record, block: Block | None
) -> tuple[bytes, bytes, list[tuple[str, str]]]:
    """The record, the message in it, and the block's members that the body does not show."""
    raw = session.bytes_of(record)
    message = session.message_json(record, raw)
    if block is None or block.path == ("content",):
        return raw, message, []
    members = fields_of(piece_bytes(session, record, block)).items()
    own = [("id" if key in IDS else key, value) for key, value in members if key not in PAYLOADS]
    return raw, message, [(key, shown_value(value)) for key, value in own]


def _envelope(fields: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    for member, key in ENVELOPE:
        if member in fields:
            yield key, shown_value(fields[member])


def _stored_beside(
    fields: Mapping[str, bytes], record: Record, is_message: bool
) -> list[tuple[str, str]]:
    """Members of the record beside the message; or of the message beside role and content."""
    hidden = {member for member, _ in ENVELOPE} | {"timestamp"}
    if is_message:
        hidden |= {
            "role",
            "content",
            *(str(block.path[0]) for block in record.blocks if block.path),
        }
    else:
        hidden.add("message")
    return [(key, shown_value(raw)) for key, raw in fields.items() if key not in hidden]


def _times(session: Session, record: Record) -> Iterator[tuple[str, str]]:
    written = _TIME.match(record.time)
    if written is None:
        return
    yield "time", f"{written[1]} {written[2]}{written[3] or ''}"
    following = _next_timed(session, record)
    gap = seconds_between(record, following) if following is not None else None
    if following is not None and gap is not None and gap >= PAUSE:
        yield "then", f"nothing until {clock_of(following)}, {duration(gap)} on"


def _next_timed(session: Session, record: Record) -> Record | None:
    """The next record in stored order that has a time."""
    at = session.position_of(record)
    later: Iterable[Record] = session.records[at + 1 :] if at >= 0 else ()
    return next((other for other in later if _TIME.match(other.time)), None)


def clock_of(record: Record) -> str:
    """``14:06:04``, as stored; empty where the record has no time."""
    written = _TIME.match(record.time)
    return written[2] if written else ""


def seconds_between(earlier: Record, later: Record) -> float | None:
    """The seconds from one record to another; None where the file does not tell."""
    try:
        passed = datetime.fromisoformat(later.time) - datetime.fromisoformat(earlier.time)
    except (ValueError, TypeError):
        return None
    return passed.total_seconds() if passed.total_seconds() >= 0 else None
