"""A big session is opened piece by piece: rows in stored order first, then all that follows.

Whoever shows it calls ``go_on`` again and again, ``settle`` once at the end (in a thread: it takes
longer than reading), and ``take`` with what that gave. Nothing here knows of a screen.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import islice
from time import perf_counter
from typing import NamedTuple

import msgspec

from tapeview.errors import OpenError
from tapeview.formats._format import Store
from tapeview.open_session import OpenSession, open_store, session_in
from tapeview.rules._engine import Finding, Purpose
from tapeview.snapshot import Snapshot, no_collection
from tapeview.tape.block import CALLS, RESULTS, Block, Place
from tapeview.tape.index import Index
from tapeview.tape.json_text import JsonFault
from tapeview.tape.lanes import FREE, Gutter
from tapeview.tape.link import End, Link
from tapeview.tape.record import Record
from tapeview.tape.rows import Row
from tapeview.tape.session import Session
from tapeview.tape.sizes import size_long
from tapeview.tape.tape import Tape

__all__ = ["AT_ONCE", "Loading", "Settled", "Unsettled", "begin", "place_in"]

AT_ONCE = 8_000_000
"""Bytes up to which a file is read whole before it is shown: less than a fifth of a second."""
GLIMPSE = 40
"""Records by which format, model and folder are told before the rest is read."""
FIRST = 0.008
"""Seconds of reading before the first rows are shown: some two megabytes."""

_FAULTS = (JsonFault, LookupError, OSError, OpenError)
"""What working out a session raises once its file was changed, cut or taken away."""


class Unsettled(Snapshot):
    """A session as far as it is read: rows in stored order. No turns, links or findings yet."""

    settled = False

    def __init__(
        self, session: Session, purpose: Purpose, revision: int, rows: "_Rows", done: int
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


class _NamedCalls(Index):
    def __init__(self, session: Session, links: Mapping[Block, Link]) -> None:
        super().__init__((), session.frame, session.dialect)
        self._named = links

    @property
    def link_of(self) -> Mapping[Block, Link]:
        return self._named


class _Rows:
    """Rows of records as they come. Notes are held back until it is known how many stand there."""

    def __init__(self, session: Session, positions: dict[Record, int]) -> None:
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


class Settled(NamedTuple):
    """What ``settle`` found: the whole session, or why there is none."""

    snapshot: Snapshot | None
    fault: str = ""


class Loading(OpenSession):
    """A session that is being read. Until ``take`` its snapshots are ``Unsettled``."""

    def __init__(self, store: Store, purpose: Purpose | None = None) -> None:
        """Read the first few records. Raises ``OpenError`` where there can be none."""
        self._left = store.records()
        self._records = list(islice(self._left, GLIMPSE))
        seen = store.glimpse(self._records)
        blank = Tape("main", "main", (), (), {})
        positions: dict[Record, int] = {}
        super().__init__(
            msgspec.structs.replace(seen, records=(), tapes=(blank,), positions=positions),
            purpose,
            store,
        )
        self._file = store
        self._rows = _Rows(self.session, positions)
        self._rows.add(self._records)
        self._settled: Snapshot | None = None
        self.is_read = False
        """Whether there is nothing more to read."""
        self.fault = ""
        """Why reading or settling stopped too early, as one sentence."""

    @property
    def is_settled(self) -> bool:
        """Whether tapes, turns, links and findings are known."""
        return self._settled is not None

    @property
    def is_stuck(self) -> bool:
        """Whether it cannot be settled."""
        return not self.is_settled and bool(self.fault)

    @property
    def total(self) -> int:
        """Bytes of the file."""
        return self._file.source.size

    @property
    def done(self) -> int:
        """Bytes that were read."""
        last = self._records[-1] if self._records else None
        if self.is_read and not self.fault:
            return self.total
        return min(self.total, last.start + last.length) if last is not None else 0

    def go_on(self, until: float) -> None:
        """Read up to that time of ``perf_counter``, one record at least."""
        new: list[Record] = []
        try:
            with no_collection():
                for record in self._left:
                    new.append(record)
                    if perf_counter() >= until:
                        break
                else:
                    self._end()
        except OSError as fault:
            self._end(fault.strerror or str(fault))
        self._take_records(new)

    def _take_records(self, new: Sequence[Record]) -> None:
        self._records += new
        self._rows.add(new)
        if self.is_read:
            self._rows.put_notes()

    def _end(self, reason: str = "") -> None:
        self.is_read = True
        change = self.change()
        if reason:
            self.fault = f"reading stopped at {size_long(self.done)}: {reason}"
        elif change == "shorter":
            self.fault = "the file became shorter while it was read: its end is missing"

    def settle(self, lanes: int) -> Settled:
        """Work out the session and all that the screen shows of it, with so many lanes at most.

        It changes nothing, so that it may run in a thread.
        """
        try:
            with no_collection():
                session = self._file.session(self._records)
                snapshot = Snapshot(session, session.main, self.purpose, self.revision + 1)
                _derive(snapshot, lanes)
        except _FAULTS:
            return Settled(None, "the file changed while it was read: open it again")
        return Settled(snapshot)

    def take(self, settled: Settled) -> None:
        """From now on this is the session that ``settle`` found."""
        self.fault = settled.fault or self.fault
        if settled.snapshot is None:
            return
        self._settled = settled.snapshot
        self.session = settled.snapshot.session
        self.revision = settled.snapshot.revision
        self._rows = _Rows(self.session, {})

    def snapshot(self, tape: str = "main", codes: Sequence[str] | None = None) -> Snapshot:
        """One tape as it is now; before it is settled there is only what was read."""
        if self._settled is None:
            return Unsettled(self.session, self.purpose, self.revision, self._rows, self.done)
        if (tape, codes) == ("main", None) and self._settled.revision == self.revision:
            return self._settled
        return super().snapshot(tape, codes)


def _derive(snapshot: Snapshot, lanes: int) -> None:
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


def begin(
    path: str,
    purpose: Purpose | None = None,
    at_once: int = AT_ONCE,
    waits: Callable[[], None] | None = None,
) -> OpenSession:
    """Open the session in ``path``: whole up to so many bytes, else a ``Loading`` with first rows.

    Raises ``OpenError`` with one sentence for whatever cannot be read as a session.
    """
    store = open_store(path, waits=waits)
    if store.source.size <= at_once:
        return session_in(store, purpose)
    loading = Loading(store, purpose)
    loading.go_on(perf_counter() + FIRST)
    return loading


def place_in(settled: Snapshot, rows: Sequence[Row], at: int) -> int:
    """The row of a settled session that row ``at`` of the unsettled ``rows`` has become.

    Where it is shown elsewhere (in the tape of a sub-agent) it is the nearest one above.
    """
    for row in reversed(rows[: at + 1]):
        if row.kind in ("system", "tools"):
            return next((k for k, other in enumerate(settled.rows) if other.kind == row.kind), 0)
        key = row.block or row.record
        found = settled.row_of.get(key) if key is not None else None
        if found is None:
            continue
        # The rule of a turn, and the row that folds notes, stand right above their first record.
        above = settled.rows[found - 1] if found else None
        rule = {"reply": "turn", "notes": "notes"}.get(row.kind)
        return found - 1 if above is not None and rule == above.kind else found
    return 0
