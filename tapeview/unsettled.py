"""What is shown of records before it is known what they make: rows in stored order.

Of a session that is still read they are all there is; of one that grows they stand below those
that are known.
"""

from collections import ChainMap
from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import TypeVar

import msgspec

from tapeview.rules._engine import Finding, Purpose
from tapeview.snapshot import Snapshot
from tapeview.tape.block import CALLS, RESULTS, Block, Place
from tapeview.tape.index import Index
from tapeview.tape.lanes import FREE, Gutter
from tapeview.tape.link import End, Link
from tapeview.tape.record import Record
from tapeview.tape.rows import Row
from tapeview.tape.session import Session
from tapeview.tape.source import Source

K = TypeVar("K")
V = TypeVar("V")

__all__ = ["Growing", "Rows", "Unsettled", "derive"]


class Unsettled(Snapshot):
    """A session as far as it is read: rows in stored order. No turns, links or findings yet."""

    settled = False

    def __init__(
        self, session: Session, purpose: Purpose, revision: int, rows: "Rows", done: int
    ) -> None:
        super().__init__(session, session.main, purpose, revision)
        self.done = done
        """Bytes read so far."""
        self._links = rows.links
        self._width = rows.most_open
        self._read = tuple(rows.rows)
        self._replies = len(rows.replies)
        self._reply_rows = rows.replies

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """What was read."""
        return self._read

    @cached_property
    def index(self) -> Index:
        """Knows the calls that results name, and nothing else."""
        return _NamedCalls(self.session, self._links)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """None are known."""
        return ()

    @cached_property
    def turn_row_of(self) -> Mapping[int, int]:
        """The rules of the turns, counted through for now."""
        return dict(enumerate(self._reply_rows[: self._replies], 1))

    @property
    def verdict(self) -> str:
        """None is known."""
        return ""

    def gutters(self, most: int) -> tuple[tuple[Gutter, ...], int]:
        """Empty, but as wide as the calls that were open at once will need."""
        width = max(1, min(most, self._width))
        return (Gutter((FREE,) * width),) * len(self.rows), width

    def rule_words(self, row: Row) -> str:
        """Turns have no numbers yet."""
        del row
        return "turn …"


class Growing(Snapshot):
    """A settled look at a session, and below it the rows of records that came since.

    What is known of the tape is known of its settled rows: the new ones have no place on it yet.
    ``base`` has been through ``derive``.
    """

    def __init__(self, base: Snapshot, source: Source, fresh: "Rows") -> None:
        positions = fresh.session.positions
        session = msgspec.structs.replace(
            fresh.session, source=source, records=tuple(positions), positions=positions
        )
        super().__init__(session, base.tape, base.purpose, base.revision, base.codes)
        ends = base.rows[-1:] if base.rows and base.rows[-1].kind == "end" else ()
        self.first_new = len(base.rows) - len(ends)
        """The first row that is not settled; behind the last of them stands the tape's end."""
        rows = (*base.rows[: self.first_new], *fresh.rows, *ends)
        found: dict[Block | Record, int] = {}
        for at, row in enumerate(fresh.rows, self.first_new):
            for key in (row.block, row.record) if row.kind not in ("reply", "notes") else ():
                if key is not None:
                    found.setdefault(key, at)
        index = copy(base.index)
        index.__dict__["link_of"] = _over(fresh.links, base.index.link_of)
        known = {name: value for name, value in base.__dict__.items() if name not in self.__dict__}
        self.__dict__ |= known | {
            "rows": rows,
            "index": index,
            "row_of": _over(found, base.row_of),
        }
        self._base = base

    @property
    def lines(self) -> tuple[Snapshot, ...]:
        """The new rows stand on the tape itself."""
        return (self, *self._base.lines[1:])

    def gutters(self, most: int) -> tuple[tuple[Gutter, ...], int]:
        """The gutter of the settled rows; what is pending runs on below them."""
        known, width = self._base.gutters(most)
        ends = known[self.first_new :]
        passing = Gutter(ends[0].closing if ends else (FREE,) * width)
        more = len(self.rows) - len(known)
        return (*known[: self.first_new], *(passing,) * more, *ends), width

    def rule_words(self, row: Row) -> str:
        """The turns of new rows have no numbers yet."""
        return "turn …" if row.kind == "reply" else super().rule_words(row)


def _over(fresh: dict[K, V], known: Mapping[K, V]) -> Mapping[K, V]:
    maps = known.maps if isinstance(known, ChainMap) else [known]
    return ChainMap(fresh, *maps)


class _NamedCalls(Index):
    def __init__(self, session: Session, links: Mapping[Block, Link]) -> None:
        super().__init__((), session.frame, session.dialect)
        self._named = links

    @property
    def link_of(self) -> Mapping[Block, Link]:
        return self._named


class Rows:
    """Rows of records as they come. Notes are held back until it is known how many stand there."""

    def __init__(self, session: Session, positions: dict[Record, int]) -> None:
        self.session = session
        self.rows: list[Row] = []
        if session.frame.system:
            self.rows.append(Row("system"))
        if session.frame.tools:
            self.rows.append(Row("tools"))
        self.replies: list[int] = []
        self.links: dict[Block, Link] = {}
        """The call of each result, under the result."""
        self.most_open = 0
        """The most calls that were open at once and then answered: lanes of the gutter."""
        self._positions = positions
        self._notes: list[Record] = []
        self._identity: str | None = None
        self._open: dict[str, End] = {}

    @classmethod
    def below(cls, base: Snapshot) -> "Rows":
        """None yet: those of records that stand behind all that a settled look knows."""
        positions = dict(base.session.positions)
        made = cls(msgspec.structs.replace(base.session, positions=positions), positions)
        made.rows.clear()
        last = base.session.records[-1] if base.session.records else None
        if last is not None and last.role == "assistant":
            made._identity = last.message_id
        for link in base.links:
            if link.state == "pending" and link.call is not None:
                made._open[link.call.block.id] = link.call
        return made

    def add(self, records: Sequence[Record]) -> None:
        """Rows of more records."""
        for record in records:
            self._positions[record] = len(self._positions)
            if record.kind == "note":
                self._notes.append(record)
                continue
            self.put_notes()
            if record.kind == "unreadable":
                self.rows.append(Row("unreadable", record=record))
            else:
                self._put_message(record)

    def put_notes(self) -> None:
        """Rows of the notes that were held back."""
        notes = self._notes
        if len(notes) > 1:
            self.rows.append(Row("notes", record=notes[0], holds=len(notes)))
        self.rows += [Row("note", record=note) for note in notes]
        notes.clear()

    def _put_message(self, record: Record) -> None:
        if record.role == "assistant" and not record.is_failure:
            if self._identity is None or record.message_id != self._identity:
                self.replies.append(len(self.rows))
                self.rows.append(Row("reply", record=record))
            self._identity = record.message_id
        elif record.role == "user" and not self._identity:
            self._identity = None
        for number, block in enumerate(record.blocks):
            self.rows.append(Row("block", 0, 0, -1, number, block, record))
            if block.kind in CALLS:
                self._open[block.id] = End(block, _NOWHERE, -1)
            elif block.kind in RESULTS and (call := self._open.get(block.id)) is not None:
                self.most_open = max(self.most_open, len(self._open))
                del self._open[block.id]
                self.links[block] = Link("answered", call, ())
            elif record.role == "user":
                self._open.clear()
        if not record.blocks:
            self.rows.append(Row("block", record=record))


_NOWHERE = Place(-1, -1)


def derive(snapshot: Snapshot, lanes: int) -> None:
    """Ask for everything that painting a screen asks for; it is kept."""
    snapshot.gutters(lanes)
    for line in snapshot.lines:
        for derived in (line.index.link_of, line.index.places, line.turn_sizes):
            del derived
    for known in (
        snapshot.findings_by_rank,
        snapshot.findings_of,
        snapshot.row_of,
        snapshot.turn_row_of,
        snapshot.agents,
        snapshot.verdict,
    ):
        del known
