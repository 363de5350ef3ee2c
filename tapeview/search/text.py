"""The texts of the timeline's rows as people read them, decoded when they are looked at.

Of a block that is what the block pane shows of it, its tool's name, its id, and the uuid of its
record. What else is stored beside it and never sent (``toolUseResult`` repeats results) is left
out, and so is the program's own wording.
"""

from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from tapeview.search.query import unspelled
from tapeview.shapes.anthropic import block_parts
from tapeview.shapes.fields import fields_of, is_text, text_of
from tapeview.snapshot import Snapshot
from tapeview.tape.block import Block
from tapeview.tape.json_text import Span, array_spans, decode_text, elements, locate
from tapeview.tape.pretty import PrettyLine, pretty
from tapeview.tape.record import Record
from tapeview.tape.rows import Row, RowKind
from tapeview.tape.shape import Part

__all__ = ["SEARCHED", "RowReader", "json_texts", "tool_name"]

SEARCHED: Final[frozenset[RowKind]] = frozenset({"system", "tools", "block", "note", "unreadable"})
"""Rows that have a text of their own; the others stand for what other rows hold."""

PIECE: Final = 500
"""Lines of JSON in one text."""

_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode

LEADS: Final = ("image at ", "document at ")
"""What a shape puts before the address of a picture."""


class RowReader:
    """Reads rows one after the other; the record that was read last is kept.

    ``may_hold`` tells of raw JSON whether it is worth decoding. Reading raises what
    ``block_record.FAULTS`` has once the file was changed.
    """

    def __init__(self, snapshot: Snapshot, may_hold: Callable[[bytes], bool]) -> None:
        self._snapshot = snapshot
        self._may_hold = may_hold
        self._record: Record | None = None
        self._raw = b""
        self._is_candidate = False
        self._message = b""
        self._lists: dict[str, tuple[bytes, list[Span]]] = {}

    def head(self, row: Row) -> str:
        """Its names: the tool, the ids of block and message, the kind of a note; a line each."""
        block, record = row.block, row.record
        if row.kind == "note" and record is not None:
            return record.label
        if row.kind != "block" or record is None:
            return ""
        names = [record.message_id] if record.message_id else []
        if block is not None:
            names += [name for name in (tool_name(self._snapshot, row), block.id) if name]
        return "\n".join(names)

    def texts(self, row: Row) -> Iterator[str]:
        """Its text in pieces of whole lines; nothing where ``may_hold`` says no."""
        frame = self._snapshot.session.frame
        if row.kind == "system":
            if self._may_hold(frame.system):
                yield from _system_texts(frame.system)
        elif row.kind == "tools":
            if self._may_hold(frame.tools):
                yield from json_texts(frame.tools)
        elif row.record is not None and row.kind in SEARCHED and self._read(row.record):
            yield from self._record_texts(row, row.record)

    def _record_texts(self, row: Row, record: Record) -> Iterator[str]:
        if row.kind == "note":
            yield from json_texts(self._raw)
        elif row.kind == "unreadable":
            yield decode_text(self._raw)
        else:
            if uuid := _uuid(self._raw):
                yield uuid
            for part in self._parts(record, row.block) if row.block is not None else ():
                yield from _part_texts(part)

    def _read(self, record: Record) -> bool:
        """Take in a record; whether it is worth decoding."""
        if record is not self._record:
            self._record = None  # until it is read: reading may fail
            self._raw = self._snapshot.session.bytes_of(record)
            self._is_candidate = self._may_hold(self._raw)
            self._message, self._lists = b"", {}
            self._record = record
        return self._is_candidate

    def _parts(self, record: Record, block: Block) -> tuple[Part, ...]:
        session = self._snapshot.session
        if not self._message:
            self._message = session.message_json(record, self._raw)
        if len(block.path) != 2:
            return session.shape.parts(self._message, block)
        # Walking to each of thousands of blocks from the message's start would take forever.
        raw = self._element(str(block.path[0]), int(block.path[1]))
        if len(record.blocks) > 1 and not self._may_hold(raw):
            return ()
        return session.shape.parts(raw, msgspec.structs.replace(block, path=()))

    def _element(self, member: str, number: int) -> bytes:
        if member not in self._lists:
            array = _member(self._message, member)
            self._lists[member] = array, array_spans(array, 0)[0]
        array, spans = self._lists[member]
        start, end = spans[number]
        return array[start:end]


class _Envelope(msgspec.Struct, gc=False):
    uuid: str = ""


_envelope = msgspec.json.Decoder(_Envelope).decode


def _uuid(raw: bytes) -> str:
    """What a harness calls the record."""
    try:
        return _envelope(raw).uuid
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return text_of(fields_of(raw).get("uuid", b""))


def _member(raw: bytes, name: str) -> bytes:
    try:
        return bytes(_members(raw)[name])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        start, end = locate(raw, (name,))
        return raw[start:end]


def tool_name(snapshot: Snapshot, row: Row) -> str:
    """The tool of a call, and of a result that of the call it answers; as written."""
    block = row.block
    if block is None or block.name:
        return block.name if block is not None else ""
    link = snapshot.of(row).index.link_of.get(block)
    return link.call.block.name if link is not None and link.call is not None else ""


def _system_texts(system: bytes) -> Iterator[str]:
    if is_text(system):
        yield text_of(system)
    elif system[:1] != b"[":
        yield from json_texts(system)
    else:
        for start, end in elements(system, 0):
            for part in block_parts(system[start:end]):
                yield from _part_texts(part)


def _part_texts(part: Part) -> Iterator[str]:
    if part.kind == "text":
        yield part.text
    elif part.kind == "json":
        yield from json_texts(part.raw)
    elif part.kind in ("image", "document"):
        yield f"{part.text}\n{part.media_type}"
    elif part.text.startswith(LEADS):
        yield part.text.partition(" at ")[2]
    else:
        title, at, address = part.text.rpartition(", at ")
        yield f"{title}\n{address}" if at else ""


def json_texts(raw: bytes) -> Iterator[str]:
    """JSON as the block pane shows it, without indents and with its strings decoded."""
    lines: list[str] = []
    for line in pretty(raw):
        lines.append(_read_line(line))
        if len(lines) == PIECE:
            yield "\n".join(lines)
            lines = []
    if lines:
        yield "\n".join(lines)


def _read_line(line: PrettyLine) -> str:
    return "".join(
        unspelled(text) if kind in ("key", "string") else text for kind, text in line.parts
    )
