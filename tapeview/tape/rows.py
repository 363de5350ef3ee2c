"""The timeline as rows: one for each block, turn, note and damaged line, in stored order."""

from bisect import bisect_left
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from tapeview.tape.block import Block
from tapeview.tape.index import Index
from tapeview.tape.link import Link
from tapeview.tape.message import Message
from tapeview.tape.record import Record
from tapeview.tape.session import Session
from tapeview.tape.spliced import Shift
from tapeview.tape.tape import Tape

__all__ = ["FOLDS", "Row", "RowKind", "fold_span", "moved_row", "rows_of", "rows_within"]

RowKind = Literal[
    "system",
    "tools",
    "turn",
    "block",
    "notes",
    "note",
    "unreadable",
    "segment",
    "branch",
    "boundary",
    "new",
    "answered",
    "reply",
    "end",
]


FOLDS: frozenset[RowKind] = frozenset({"segment", "branch", "boundary", "new", "answered", "reply"})
"""Rows that stand for a line of the session rather than for anything stored. ``reply`` is the rule
of a turn that has no number yet."""


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
    """For what folds: how many rows it hides. For the end: how many calls wait."""
    tape: int = 0
    """Which line it belongs to: 0 the tape that is shown, else one shown with it."""


def rows_of(
    session: Session, tape: Tape, index: Index, others: Sequence[tuple[Tape, Index]] = ()
) -> tuple[Row, ...]:
    """All rows of a tape, folded ones included.

    ``others`` are the lines that are shown with it: segments above, the newest of them first, and
    branches where they leave. ``Row.tape`` is 0 for the tape itself, else a place in ``others``
    counted from 1.
    """
    builder = _Builder(tape, index, others, session)
    builder.beside = builder.stand_beside(session)
    rows = builder.rows
    if session.frame.system:
        rows.append(Row("system"))
    if session.frame.tools:
        rows.append(Row("tools"))
    builder.build()
    builder.put_end(index.links)
    return tuple(rows)


def moved_row(row: Row, shift: Shift) -> Row:
    """A row whose message and turn have other numbers."""
    return Row(
        row.kind,
        row.turn + shift.turns if row.turn else 0,
        row.after + shift.turns if row.after else 0,
        row.message + shift.messages if row.message >= 0 else row.message,
        row.number,
        row.block,
        row.record,
        row.unsent,
        row.holds,
        row.tape,
    )


def rows_within(
    session: Session,
    tape: Tape,
    index: Index,
    numbers: range,
    known: Container[Record],
) -> list[Row]:
    """The rows of some messages, which begin with a turn, and of what stands beside them.

    They may be the first, or the last. ``known`` are the records of the chain.
    """
    builder = _Builder(tape, index, (), session)
    start, end = numbers.start, numbers.stop
    positions, last = session.positions, len(tape.messages)
    first = positions[tape.messages[start].records[0]] if start else 0
    stop = positions[tape.messages[end].records[0]] if end < last else len(session.records)
    held = {r for message in tape.messages[start:end] for r in message.records}
    between = session.records[first:stop]
    agents = [t.own or frozenset() for t in session.tapes if t.kind == "agent" and t.caller]
    builder.beside = [
        record
        for record in between
        if record not in held and record not in known and not any(record in own for own in agents)
    ]
    a, b = (bisect_left(index.turn_starts, at) for at in (start, end))
    turns = [index.turns[k] for k in range(a, b)]
    builder.build_within(start, end, {turn.start: turn.number for turn in turns})
    if end == last:
        links = index.links
        begin = bisect_left(links, start, key=lambda link: link.reach[0])
        builder.put_end([links[number] for number in range(begin, len(links))])
    return builder.rows


class _Builder:
    """Rows in the order of the file, the chain's own order kept."""

    def __init__(
        self,
        tape: Tape,
        index: Index,
        others: Sequence[tuple[Tape, Index]],
        session: Session,
    ) -> None:
        self.rows: list[Row] = []
        self.tape = tape
        self.index = index
        self.others = others
        self.unsent = tape.unsent
        self.position = session.positions
        self.count = len(session.records)
        self.branches: dict[Record, int] = {}
        self.beside: Sequence[Record] = ()
        self.next_beside = 0
        self.line = 0
        self.turn = 0
        self.rule = 0
        """The number on the last turn rule, which on a branch is its own."""
        self.inside = False
        self.alone = False
        """On a branch, which shows its own records and nothing that stands between them."""

    def stand_beside(self, session: Session) -> list[Record]:
        """Records of the file that no line holds, and the first of each branch."""
        if self.tape.kind != "main":
            return []
        held = {record for message in self.tape.messages for record in message.records}
        for number, (other, _) in enumerate(self.others, 1):
            own = sorted(other.own or (), key=self.position.__getitem__)
            held.update(own)
            if other.kind == "branch" and own:
                held.discard(own[0])
                self.branches[own[0]] = number
        for agent in session.tapes:
            if agent.kind == "agent" and (agent.caller is not None or agent.frame is not None):
                held.update(agent.own or ())
        return [record for record in session.records if record not in held]

    def build(self) -> None:
        """All lines: segments oldest first, then the tape itself."""
        for number in range(len(self.others), 0, -1):
            other, index = self.others[number - 1]
            if other.kind == "segment":
                self._put_line(number, other, index)
                self.rows.append(Row("boundary", after=self.turn, tape=number))
        self.line = 0
        self._put_messages(self.tape, self.index)
        self._put_beside(self.count)

    def put_end(self, links: Iterable[Link]) -> None:
        """The row that closes the links which wait."""
        waiting = sum(1 for link in links if link.state == "pending" and link.call is not None)
        if waiting:
            self.rows.append(Row("end", after=self.turn, holds=waiting))

    def build_within(self, start: int, end: int, starts: Mapping[int, int]) -> None:
        """Messages of the tape itself, and what stands beside them; ``starts`` of their turns."""
        before = self.index.turn_of(start - 1)
        self.turn = before.number if before is not None else 0
        for number in range(start, end):
            self._put_whole(number, self.tape.messages[number], starts)
        messages = self.tape.messages
        ends = end == len(messages)
        self._put_beside(self.count if ends else self._first_position(messages[end]))

    def _put_line(self, number: int, other: Tape, index: Index) -> None:
        """Another line, below a row that folds it."""
        at = len(self.rows)
        kind: RowKind = "segment" if other.kind == "segment" else "branch"
        self.line, self.inside, self.alone = number, False, kind == "branch"
        self._put_messages(other, index)
        first = next((row.record for row in self.rows[at:] if row.record is not None), None)
        holds = len(self.rows) - at
        self.rows.insert(at, Row(kind, 0, self.turn, record=first, holds=holds, tape=number))
        self.line, self.inside, self.alone = 0, False, False

    def _put_messages(self, tape: Tape, index: Index) -> None:
        starts = {turn.start: turn.number for turn in index.turns}
        for number, message in enumerate(tape.messages):
            if self.alone and message.records[0] not in (tape.own or ()):
                continue
            self._put_whole(number, message, starts)

    def _put_whole(self, number: int, message: Message, starts: Mapping[int, int]) -> None:
        """A message, what stands beside it above, and the rule of the turn that it begins."""
        self._put_beside(self._first_position(message))
        if number in starts:
            self.inside, self.rule = True, starts[number]
            self.turn = self.turn if self.alone else self.rule
            first = message.records[0] if message.records else None
            self.rows.append(
                Row("turn", self.rule, self.turn, number, record=first, tape=self.line)
            )
        self._put_message(number, message)

    def _first_position(self, message: Message) -> int:
        return min((self.position.get(record, 0) for record in message.records), default=0)

    def _put_message(self, number: int, message: Message) -> None:
        k = 0
        for record in message.records:
            self._put_beside(self.position.get(record, 0))
            reason = self.unsent.get(record, "")
            for block in record.blocks or (None,):
                self._leave_turn(message, block)
                self._put(number, k if block is not None else -1, block, record, reason)
                k += block is not None

    def _leave_turn(self, message: Message, block: Block | None) -> None:
        """A prompt, or any text beside the results, ends the run of rows that fold together."""
        if message.role == "assistant" or (block is not None and block.kind == "tool_result"):
            return
        self.inside = False

    def _put(self, number: int, k: int, block: Block | None, record: Record, reason: str) -> None:
        turn = self._own_turn()
        self.rows.append(
            Row("block", turn, self.turn, number, k, block, record, reason, tape=self.line)
        )

    def _own_turn(self) -> int:
        """The turn that a row here folds with."""
        return self.rule if self.inside else 0

    def _put_beside(self, before: int) -> None:
        """What stands in the file above position ``before`` and is not on the chain."""
        while self.next_beside < len(self.beside) and not self.alone:
            run = self._run_of_notes(before)
            if run:
                self._put_notes(run)
                continue
            record = self.beside[self.next_beside]
            if self.position[record] >= before:
                return
            self.next_beside += 1
            number = self.branches.get(record)
            if number is not None:
                self._put_line(number, *self.others[number - 1])
            else:
                self._put_off_chain(record)

    def _run_of_notes(self, before: int) -> Sequence[Record]:
        stop = self.next_beside
        while (
            stop < len(self.beside)
            and self.beside[stop].kind == "note"
            and self.beside[stop] not in self.branches
            and self.position[self.beside[stop]] < before
        ):
            stop += 1
        return self.beside[self.next_beside : stop]

    def _put_notes(self, run: Sequence[Record]) -> None:
        self.next_beside += len(run)
        turn = self._own_turn()
        if len(run) > 1:
            self.rows.append(Row("notes", turn, self.turn, record=run[0], holds=len(run)))
        self.rows += [Row("note", turn, self.turn, record=record) for record in run]

    def _put_off_chain(self, record: Record) -> None:
        turn = self._own_turn()
        if record.kind == "unreadable":
            self.rows.append(Row("unreadable", turn, self.turn, record=record))
            return
        reason = self.unsent.get(record, "off the chain")
        for block in record.blocks or (None,):
            self.rows.append(Row("block", turn, self.turn, -1, -1, block, record, reason))


def fold_span(rows: Sequence[Row], at: int) -> range:
    """The rows that the foldable row ``at`` hides when it is folded; empty for any other row."""
    row = rows[at]
    if row.kind in ("notes", "segment", "branch"):
        return range(at + 1, at + 1 + row.holds)
    if row.kind != "turn":
        return range(at + 1, at + 1)
    stop = at + 1
    while stop < len(rows) and rows[stop].turn == row.turn and rows[stop].kind != "turn":
        stop += 1
    return range(at + 1, stop)
