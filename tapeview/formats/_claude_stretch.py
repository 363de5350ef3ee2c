"""A stretch of a session's file that hangs together by itself, between two lines of the chain.

Where nothing outside of it hangs below its lines or names them, and they hang below one line
alone, the rules of resume (``formats.md`` b.3) read all other lines as before, whatever becomes of
it. They have only to be run over the few.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from tapeview.edit.edit import Edit
from tapeview.formats._claude_chain import Tree
from tapeview.formats._claude_group import group
from tapeview.formats._claude_line import facts_of
from tapeview.formats._claude_thread import Counts, Thread
from tapeview.tape.message import Message, message_at
from tapeview.tape.record import Record
from tapeview.tape.session import Session
from tapeview.tape.window import begins_cleanly, is_clean

__all__ = ["Place", "Read", "numbers_at", "places_around", "touched_by"]

TRIES: Final = 3
"""Places that are tried, each wider than the one before."""
FAR: Final = 1_000
"""Records among which a parent is looked for."""


class _Part(Tree):
    """The tree of a few lines: the one above counts as a root, the one below as the newest end."""

    def __init__(
        self, records: Sequence[Record], above: Record | None, below: Record | None
    ) -> None:
        super().__init__(records)
        self._above = above
        self._end = facts_of(below).uuid if below is not None else ""
        if above is not None:
            self.parents[above] = ""

    def leaf(self) -> Record | None:
        """The line from which the way up begins."""
        return self.by_uuid.get(self._end) if self._end else super().leaf()

    @property
    def without_parent(self) -> Sequence[Record]:
        """Lines that name a parent which is not there."""
        return [record for record in super().without_parent if record is not self._above]


class Read(NamedTuple):
    """What resume makes of the lines of a stretch."""

    messages: tuple[Message, ...]
    ends: tuple[Record, ...]
    """Those at which resume could begin, were they the newest."""
    attached: bool
    """Attachments follow the last line, which a user said."""


class Place(NamedTuple):
    """Messages ``start`` to ``stop``, and the rows ``first`` to ``last`` of the file with them.

    ``above`` is the line below which they hang, ``below`` the one that goes on; None at an end.
    """

    session: Session
    start: int
    stop: int
    first: int
    last: int
    above: Record | None
    below: Record | None

    @property
    def rows(self) -> Sequence[Record]:
        """The rows as they are."""
        return self.session.records[self.first : self.last]

    def after(self, edit: Edit) -> Sequence[Record] | None:
        """The rows as an edit leaves them; None where it changes others too."""
        rows: list[Record] = []
        at = self.first
        for splice in edit.splices:
            end = splice.at + len(splice.old)
            if splice.member or splice.at < self.first or end > self.last:
                return None
            rows += (*self.session.records[at : splice.at], *splice.new)
            at = end
        return [*rows, *self.session.records[at : self.last]]

    def part(self, rows: Sequence[Record]) -> _Part:
        """The tree of such rows, those at the ends among them."""
        return _Part(rows, self.above, self.below)

    def with_ends(self, rows: Sequence[Record]) -> Sequence[Record]:
        """Such rows, and the lines above and below them."""
        above = () if self.above is None else (self.above,)
        return (*above, *rows, *(() if self.below is None else (self.below,)))

    def read(self, thread: Thread, counts: Counts, rows: Sequence[Record]) -> Read | None:
        """What resume makes of such rows here; None where they do not keep to themselves.

        ``counts`` is what the lines of the whole session name, these among them.
        """
        lines = [record for record in rows if thread.is_line(record)]
        beside = (r for r in rows if r.kind == "message" and not thread.is_line(r))
        if not all(record in self.session.main.unsent for record in beside):
            return None
        if not thread.stand_alone(counts, self.above, lines, self.below):
            return None
        if any(record.kind == "message" and not record.blocks for record in lines):
            return None  # what is sent names it or not, as all others are
        part = self.part(self.with_ends(rows))
        messages = self._messages(part)
        if not messages:
            return None
        held = {record for message in messages for record in message.records}
        if held != {record for record in lines if record.kind == "message"}:
            return None
        ends = [record for record in part.spoken_leaves if record is not self.below]
        if self.above in ends:
            return None
        attached = self.below is None and part.is_attached(part.leaf())
        return Read(messages, tuple(ends), attached)

    def _messages(self, part: _Part) -> tuple[Message, ...]:
        leaf = part.leaf()
        line = part.line_to(leaf) if leaf is not None else []
        if not line or (self.above is not None and line[0] is not self.above):
            return ()
        if part.parents[line[0]]:
            return ()  # a circle
        if self.below is not None and line[-1] is not self.below:
            return ()
        messages = group(line[self.above is not None : len(line) - (self.below is not None)])
        if not messages or (self.above is not None and not begins_cleanly(messages[0])):
            return ()
        return messages if self.below is None or messages[-1].role == "user" else ()


def places_around(session: Session, touched: Iterable[int]) -> Iterator[Place]:
    """Places that hold some messages, the smallest first. ``touched`` are numbers, -1 for none.

    One message before them and one behind them are among these, which do not change.
    """
    messages = session.main.messages
    numbers = list(touched)
    if not numbers or -1 in numbers:
        return
    start, stop = max(0, min(numbers) - 1), min(max(numbers) + 2, len(messages))
    for _ in range(TRIES):
        while start > 0 and not is_clean(messages, start):
            start -= 1
        while stop < len(messages) and not is_clean(messages, stop):
            stop += 1
        place = _place(session, start, stop)
        if place is not None:
            yield place
        if (start, stop) == (0, len(messages)):
            return
        start, stop = max(0, start - 1), min(stop + 1, len(messages))


def _place(session: Session, start: int, stop: int) -> Place | None:
    messages, rows = session.main.messages, session.records
    first, last, above, below = 0, len(rows), None, None
    if start:
        within = (record for message in messages[start:stop] for record in message.records)
        first = min(session.position_of(record) for record in within)
        above = _above(rows, first, facts_of(messages[start].records[0]).parent)
        if above is None:
            return None
    if stop < len(messages):
        below = messages[stop].records[0]
        last = session.position_of(below)
    return Place(session, start, stop, first, last, above, below) if first <= last else None


def _above(rows: Sequence[Record], first: int, uuid: str) -> Record | None:
    """The line that others hang below; None where it is far away, or more than a line of the chain.

    What hangs below a reply may belong to it, and progress lines are none.
    """
    for at in range(first - 1, max(-1, first - FAR), -1):
        facts = facts_of(rows[at])
        if facts.uuid == uuid:
            return None if rows[at].message_id or facts.type == "progress" else rows[at]
    return None


def touched_by(session: Session, edit: Edit) -> Iterator[int]:
    """Numbers of the messages that an edit touches, and that it puts something between; -1 for
    what is none.
    """  # noqa: D205
    for splice in edit.splices:
        for record in splice.old:
            yield from numbers_at(session, record)
        if not splice.old:
            yield from _beside(session, splice.at)


def numbers_at(session: Session, record: Record) -> Iterator[int]:
    """The number of the message that holds a line; of a note those above and below it."""
    if record.kind == "message":
        yield message_at(session.main.messages, record, session.positions)
    else:
        yield from _beside(session, session.position_of(record))


def _beside(session: Session, at: int) -> Iterator[int]:
    """The messages that end before, and begin behind, a place in the file."""
    messages, positions = session.main.messages, session.positions
    for way in (range(at - 1, -1, -1), range(at, len(session.records))):
        numbers = (message_at(messages, session.records[k], positions) for k in way)
        yield from islice((number for number in numbers if number >= 0), 1)
