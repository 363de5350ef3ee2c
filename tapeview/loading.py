"""A big session is opened piece by piece: rows in stored order first, then all that follows.

Whoever shows it calls ``go_on`` again and again, ``settle`` once at the end (in a thread: it takes
longer than reading), and ``take`` with what that gave. Nothing here knows of a screen.
"""

from collections.abc import Callable, Sequence
from itertools import islice
from time import perf_counter
from typing import NamedTuple

import msgspec

from tapeview.errors import OpenError
from tapeview.formats._format import Store
from tapeview.open_session import OpenSession, open_store, session_in
from tapeview.rules._engine import Purpose
from tapeview.snapshot import Snapshot, no_collection
from tapeview.tape.json_text import JsonFault
from tapeview.tape.record import Record
from tapeview.tape.rows import Row
from tapeview.tape.sizes import size_long
from tapeview.tape.tape import Tape
from tapeview.unsettled import Rows, Unsettled, derive

__all__ = ["AT_ONCE", "Loading", "Settled", "begin", "place_in"]

AT_ONCE = 8_000_000
"""Bytes up to which a file is read whole before it is shown: less than a fifth of a second."""
GLIMPSE = 40
"""Records by which format, model and folder are told before the rest is read."""
FIRST = 0.008
"""Seconds of reading before the first rows are shown: some two megabytes."""

_FAULTS = (JsonFault, LookupError, OSError, OpenError)
"""What working out a session raises once its file was changed, cut or taken away."""


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
        self._rows = Rows(self.session, positions)
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
                derive(snapshot, lanes)
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
        self._rows = Rows(self.session, {})

    def snapshot(self, tape: str = "main", codes: Sequence[str] | None = None) -> Snapshot:
        """One tape as it is now; before it is settled there is only what was read."""
        if self._settled is None:
            return Unsettled(self.session, self.purpose, self.revision, self._rows, self.done)
        if (tape, codes) == ("main", None) and self._settled.revision == self.revision:
            return self._settled
        return super().snapshot(tape, codes)


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
