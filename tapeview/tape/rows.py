"""The timeline as rows: one for each block, turn, note and damaged line, in stored order."""

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from tapeview.tape.block import Block
from tapeview.tape.index import Index
from tapeview.tape.message import Message
from tapeview.tape.record import Record
from tapeview.tape.session import Session
from tapeview.tape.tape import Tape

__all__ = ["Row", "RowKind", "fold_span", "rows_of", "turn_rows"]

RowKind = Literal["system", "tools", "turn", "block", "notes", "note", "unreadable", "end"]


class Row(msgspec.Struct, frozen=True, gc=False, eq=False):
    """One line of the timeline.

    ``turn`` is the turn that the row belongs to and folds with; 0 for what stands between turns.
    ``after`` is the last turn that begins at or above the row; 0 before the first.
    """

    kind: RowKind
    turn: int = 0
    after: int = 0
    message: int = -1
    """Index on the stored chain; -1 for what is off it."""
    number: int = -1
    """The block's number in its message; -1 for a message without blocks."""
    block: Block | None = None
    record: Record | None = None
    unsent: str = ""
    """Why it is not sent, where it is not."""
    holds: int = 0
    """For a run of notes: how many rows it folds. For the end: how many calls wait."""


def rows_of(session: Session, tape: Tape, index: Index) -> tuple[Row, ...]:
    """All rows of a tape, folded ones included."""
    rows: list[Row] = []
    if session.frame.system:
        rows.append(Row("system"))
    if session.frame.tools:
        rows.append(Row("tools"))
    builder = _Builder(session, tape, index, rows)
    builder.build()
    waiting = sum(1 for link in index.links if link.state == "pending" and link.call is not None)
    if waiting:
        rows.append(Row("end", after=len(index.turns), holds=waiting))
    return tuple(rows)


class _Builder:
    def __init__(self, session: Session, tape: Tape, index: Index, rows: list[Row]) -> None:
        self.rows = rows
        self.messages = tape.messages
        self.unsent = tape.unsent
        self.turns = index.turns
        held = {record for message in tape.messages for record in message.records}
        self.position = session.positions
        self.beside = [record for record in session.records if record not in held]
        self.next_beside = 0
        self.turn = 0
        self.inside = False

    def build(self) -> None:
        starts = {turn.start: turn.number for turn in self.turns}
        for number, message in enumerate(self.messages):
            self._put_beside(self._first_position(message))
            if number in starts:
                self.turn, self.inside = starts[number], True
                first = message.records[0] if message.records else None
                self.rows.append(Row("turn", self.turn, self.turn, number, record=first))
            self._put_message(number, message)
        self._put_beside(len(self.position))

    def _first_position(self, message: Message) -> int:
        return min((self.position.get(record, 0) for record in message.records), default=0)

    def _put_message(self, number: int, message: Message) -> None:
        k = 0
        for record in message.records:
            self._put_beside(self.position.get(record, 0))
            reason = self.unsent.get(record, "")
            if not record.blocks:
                self._leave_turn(message, None)
                self._put(number, -1, None, record, reason)
            for block in record.blocks:
                self._leave_turn(message, block)
                self._put(number, k, block, record, reason)
                k += 1

    def _leave_turn(self, message: Message, block: Block | None) -> None:
        """A prompt, or any text beside the results, ends the run of rows that fold together."""
        if message.role == "assistant" or (block is not None and block.kind == "tool_result"):
            return
        self.inside = False

    def _put(self, number: int, k: int, block: Block | None, record: Record, reason: str) -> None:
        turn = self.turn if self.inside else 0
        self.rows.append(Row("block", turn, self.turn, number, k, block, record, reason))

    def _put_beside(self, before: int) -> None:
        """What stands in the file above position ``before`` and is not on the chain."""
        while self.next_beside < len(self.beside):
            run = self._run_of_notes(before)
            if run:
                self._put_notes(run)
                continue
            record = self.beside[self.next_beside]
            if self.position[record] >= before:
                return
            self.next_beside += 1
            self._put_off_chain(record)

    def _run_of_notes(self, before: int) -> Sequence[Record]:
        stop = self.next_beside
        while (
            stop < len(self.beside)
            and self.beside[stop].kind == "note"
            and self.position[self.beside[stop]] < before
        ):
            stop += 1
        return self.beside[self.next_beside : stop]

    def _put_notes(self, run: Sequence[Record]) -> None:
        self.next_beside += len(run)
        turn = self.turn if self.inside else 0
        if len(run) > 1:
            self.rows.append(Row("notes", turn, self.turn, record=run[0], holds=len(run)))
        self.rows += [Row("note", turn, self.turn, record=record) for record in run]

    def _put_off_chain(self, record: Record) -> None:
        turn = self.turn if self.inside else 0
        if record.kind == "unreadable":
            self.rows.append(Row("unreadable", turn, self.turn, record=record))
            return
        reason = self.unsent.get(record, "off the chain")
        for block in record.blocks or (None,):
            self.rows.append(Row("block", turn, self.turn, -1, -1, block, record, reason))


def fold_span(rows: Sequence[Row], at: int) -> range:
    """The rows that the foldable row ``at`` hides when it is folded; empty for any other row."""
    row = rows[at]
    if row.kind == "notes":
        return range(at + 1, at + 1 + row.holds)
    if row.kind != "turn":
        return range(at + 1, at + 1)
    stop = at + 1
    while stop < len(rows) and rows[stop].turn == row.turn and rows[stop].kind != "turn":
        stop += 1
    return range(at + 1, stop)


def turn_rows(rows: Sequence[Row]) -> Iterator[int]:
    """Places of the turn rules."""
    return (k for k, row in enumerate(rows) if row.kind == "turn")
