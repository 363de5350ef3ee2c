"""A session: what a harness stored, and the tapes that follow from it."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from tapeview.tape.block import Block
from tapeview.tape.call import RecordedCall
from tapeview.tape.json_text import JsonFault, Span, array_spans, locate, skip_value
from tapeview.tape.record import Record
from tapeview.tape.shape import Shape
from tapeview.tape.source import Source
from tapeview.tape.tape import Frame, Tape

__all__ = ["Session"]

MANY = 64
"""Blocks of one record from which on each is read from its own place, not from the start."""

KEPT = 4
"""Records whose blocks' places are kept: a page of the screen rarely shows more big ones."""


class Session(msgspec.Struct, frozen=True, eq=False):
    """Records in stored order, the tapes derived from them, and the way back to the bytes."""

    path: str
    """What the user called it."""
    format: str
    title: str
    """The format's name for people, with the harness's version where the file has it."""
    shape: Shape
    source: Source
    records: tuple[Record, ...]
    tapes: tuple[Tape, ...]
    frame: Frame
    message_json: Callable[[Record, bytes], bytes]
    """Cuts the message object out of a record's bytes."""
    written: Callable[["Session", int], Iterator[bytes]]
    """The bytes of a session's own file (0) or of one beside it, in pieces: what did not change is
    copied as it stands."""
    members: tuple[Source, ...] = ()
    """Files beside the session's own, those of sub-agents; ``Record.member`` counts them."""
    member_records: tuple[tuple[Record, ...], ...] = ()
    """The records of each of them, in stored order."""
    folder: str = ""
    """The folder that the agent worked in, where the file says so."""
    harness: bool = False
    """Written by a harness as it went, so that an unfinished end is normal."""
    original: "Session | None" = None
    """The session as it was read, where this one has been edited."""
    calls: Mapping[Record, RecordedCall] = msgspec.field(default_factory=dict)
    """Recorded calls by the first record of the reply as it stands on a tape."""
    positions: Mapping[Record, int] = msgspec.field(default_factory=dict)
    """Each record's number in stored order; worked out when the session is made without them."""

    facts: object = None
    """What only its format understands."""

    _pieces: dict[tuple[Record, str | int], list[Span]] = msgspec.field(default_factory=dict)
    """Where the blocks of the big records that were looked at last stand in the source."""

    def __post_init__(self) -> None:
        if isinstance(self.positions, dict) and not self.positions:
            self.positions.update(zip(self.records, range(len(self.records)), strict=True))

    @property
    def dialect(self) -> str:
        """Whose rules hold: ``anthropic`` or ``openai-chat``."""
        return self.shape.dialect

    def rows(self, member: int) -> tuple[Record, ...]:
        """The records of the session's own file (0), or of a sub-agent's, in stored order."""
        return self.member_records[member - 1] if member else self.records

    @property
    def as_read(self) -> "Session":
        """The session as it was read, whatever has been edited since."""
        return self.original or self

    def position_of(self, record: Record) -> int:
        """The record's number in stored order, from 0; -1 for one that is not stored."""
        return self.positions.get(record, -1)

    def seen_from(self, tape: Tape) -> "Session":
        """The session with what the calls of one tape carry beside their messages."""
        if tape.frame is None or tape.frame is self.frame:
            return self
        original = self.original.seen_from(tape) if self.original is not None else None
        return msgspec.structs.replace(self, frame=tape.frame, original=original)

    @property
    def main(self) -> Tape:
        """The line that the next call continues."""
        return self.tapes[0]

    def bytes_of(self, record: Record) -> bytes:
        """A record's own text. Raises ``LookupError`` where the file is too short for it now."""
        if record.text is not None:
            return record.text
        return self.text_of((record,))

    def text_of(self, run: Sequence[Record]) -> bytes:
        """The text from the first to the last of neighbouring records as one file holds them.

        Raises ``LookupError`` where the file is too short for it now.
        """
        first, last = run[0], run[-1]
        return self._read(first, first.start, last.start + last.length)

    def _read(self, record: Record, start: int, end: int) -> bytes:
        source = self.source if record.member == 0 else self.members[record.member - 1]
        raw = source.read(start, end - start)
        if len(raw) < end - start:
            raise LookupError("the file is shorter than when it was opened")
        return raw

    def message_of(self, record: Record) -> bytes:
        """The JSON of the message that the record holds. Raises ``JsonFault``, ``LookupError``."""
        return self.message_json(record, self.bytes_of(record))

    def piece_of(self, record: Record, block: Block) -> tuple[bytes, Block]:
        """JSON that holds ``block``, and the block with its path in that: what a shape reads.

        That is the whole message; of a message of very many blocks the block alone, since walking
        to each of thousands from the first one would take forever.

        Raises ``JsonFault`` or ``LookupError`` where the file has changed.
        """
        if len(record.blocks) < MANY or len(block.path) != 2 or record.text is not None:
            return self.message_of(record), block
        member, number = block.path
        spans = self._pieces.get((record, member))
        if spans is None:
            spans = self._places_in(record, member)
            while len(self._pieces) >= KEPT:
                del self._pieces[next(iter(self._pieces))]
            self._pieces[record, member] = spans
        start, end = spans[int(number)]
        raw = self._read(record, start, end)
        if skip_value(raw, 0) != len(raw):
            raise JsonFault(0, "the file has changed")
        return raw, msgspec.structs.replace(block, path=())

    def _places_in(self, record: Record, member: str | int) -> list[Span]:
        raw = self.bytes_of(record)
        message = self.message_json(record, raw)
        array = locate(message, (member,)).start
        shift = record.start + raw.find(message)
        return [Span(shift + a, shift + b) for a, b in array_spans(message, array)[0]]
