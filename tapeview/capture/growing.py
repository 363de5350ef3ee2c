"""A session whose files grow: what is new is read, and what the session becomes is worked out.

Whoever shows it calls ``look`` again and again and, when ``is_due``, ``work`` (in a thread: it may
take long) and then ``take``. Nothing here knows of a screen.
"""

from collections.abc import Callable, Iterable, Sequence
from time import perf_counter, time
from typing import Final, NamedTuple

from tapeview.capture.follow import Beside, Happening, Watch
from tapeview.edit.log import EditLog
from tapeview.errors import OpenError
from tapeview.formats._format import Store
from tapeview.formats._growing import is_torn, kept, read_on
from tapeview.formats._source import FileSource, Stamp, stamp_of
from tapeview.open_session import OpenSession, open_store
from tapeview.snapshot import Snapshot, no_collection
from tapeview.tape.json_text import JsonFault
from tapeview.tape.record import Record
from tapeview.tape.session import Session
from tapeview.unsettled import Growing, Rows, derive

__all__ = ["BIG", "Grown", "Growth"]

BIG: Final = 8_000_000
"""Bytes from which on new rows are shown before it is known what they make."""
MUCH: Final = 2_000_000
"""Bytes that are never read on the spot, but where the rest is worked out."""
QUIET: Final = 0.04
"""Seconds for which a file must not change before it is read anew: its writer may be at it."""
PATIENCE: Final = 0.5
"""Seconds after which a half written last line is shown as what it is."""
REST: Final = 3.0
"""How many times as long as the last work took nothing is worked out after it: a quarter of the
time goes into it at most."""
SHORT: Final = 0.05
"""Seconds of work that need no rest."""

_FAULTS = (JsonFault, LookupError, OSError, OpenError)
_AGAIN: Final[frozenset[Happening]] = frozenset({"replaced", "shrank", "rewritten", "back"})


class Grown(NamedTuple):
    """What the session has become; ``shown`` is None where that cannot be said, for ``fault``."""

    shown: Snapshot | None
    store: Store
    records: Sequence[Record]
    """As read, without a last line that is left out."""
    anew: bool
    torn: bool = False
    """A half written last line is left out."""
    beside: Beside | None = None
    took: float = 0.0
    fault: str = ""


class Growth:
    """Follows the files of an open session. ``clock`` is the time of day, in seconds."""

    def __init__(self, opened: OpenSession, clock: Callable[[], float] = time) -> None:
        """Follow from what is known on. Raises ``OpenError`` for what is no file."""
        session, store = opened.session.as_read, opened.store
        if store is None or not isinstance(session.source, FileSource):
            raise OpenError("it was read to its end: nothing more comes.")
        self._opened = opened
        self._clock = clock
        self._store = store
        self._source = session.source
        self._records: Sequence[Record] = (
            session.records if store.shows_stored else tuple(store.records())
        )
        self._watch = Watch(session.source)
        # Folders may have come since the session was opened: the first look tells.
        self._beside = Beside(store.beside(), _stamps(session))
        self._fresh: tuple[Snapshot, Rows] | None = None
        self._more = self._anew = self._torn = False
        self._other = False
        """What the path leads to is not what was read: its next change is read anew."""
        self._changed = self._rest_until = 0.0
        self._arrived: dict[Record, float] = {}

    @property
    def stamp(self) -> Stamp | None:
        """What the file system said of the file at the last look."""
        return self._watch.seen

    @property
    def store_grows(self) -> bool:
        """Whether further records are written behind the others; else it is written anew."""
        return self._store.grows

    @property
    def is_behind(self) -> bool:
        """Whether the files hold something that is not shown yet."""
        return self._more or self._anew

    def since(self, record: Record) -> float | None:
        """When a record without a time came, in seconds; None where nobody saw it."""
        return self._arrived.get(record)

    def look(self, now: float) -> Happening:
        """What became of the session's own file; ``now`` is a time of ``perf_counter``."""
        happened = self._watch.look()
        self._other |= happened in _AGAIN or happened == "gone"
        if happened == "gone":
            self._anew = False
        elif happened and (self._other or not self._store.grows):
            self._anew = True
        elif happened:
            self._more = True
        if self._beside.look():
            self._more = True
        elif not happened:
            return happened
        self._changed = now
        return happened

    def is_due(self, now: float) -> bool:
        """Whether it is time to work out what the session has become."""
        if now < self._rest_until:
            return False
        if self._anew:
            return now - self._changed >= QUIET
        return self._more or (self._torn and now - self._changed >= PATIENCE)

    def saved(self) -> None:
        """The file was written by ourselves: it holds what is shown. Its next change is read anew.

        Raises ``OSError`` where it is gone already.
        """
        self._watch = Watch(FileSource(self._source.name))
        self._other, self._anew = True, False

    # -- before it is known what new records make ----------------------------------------------

    def glimpse(self, base: Snapshot) -> Growing | None:
        """Of a big session: ``base``, what is settled of main, and below it what is new."""
        source = self._source.grown()
        more = source.size - self._source.size
        if self._anew or self._other or source.size < BIG or not 0 < more <= MUCH:
            return None
        try:
            records = read_on(self._records, source, self._store.grown(source, True).records)
        except _FAULTS:
            return None
        if is_torn(records, source):
            records = records[:-1]
        new = records[_same(self._records, records) :]
        if self._fresh is None or self._fresh[0] is not base:
            self._fresh = (base, Rows.below(base))
        self._records, self._source = records, source
        rows = self._fresh[1]
        rows.add(new)
        rows.put_notes()
        self._note_arrival(new)
        return Growing(base, source, rows)

    # -- what they make ------------------------------------------------------------------------

    def begin(self, now: float) -> Callable[[int], Grown]:
        """What ``work`` is: a function that may run in a thread, of the number of lanes."""
        anew, opened = self._anew, self._opened
        patient = now - self._changed < PATIENCE
        self._more = self._anew = False
        store, source, records = self._store, self._source, self._records
        base, purpose, revision = opened.snapshot(), opened.purpose, opened.revision + 1

        def work(lanes: int) -> Grown:
            began = perf_counter()
            before = {path: stamp_of(path) for path in store.beside()}
            try:
                with no_collection():
                    if anew:
                        found = _read_anew(base.session.path, store, source, records)
                    else:
                        found = _read_further(store, source.grown(), records, patient)
                    session = found.store.session(found.records)
                    shown = Snapshot(session, session.main, purpose, revision)
                    if not anew:
                        _take_oddities(base, shown)
                    derive(shown, lanes)
            except _FAULTS as fault:
                return Grown(None, store, records, anew, fault=str(fault))
            beside = Beside(found.store.beside(), before | _stamps(session))
            return found._replace(shown=shown, beside=beside, took=perf_counter() - began)

        return work

    def take(self, grown: Grown, now: float) -> bool:
        """Let the session be what was found; False where that cannot be: it was edited meanwhile,
        or nothing was found.
        """  # noqa: D205
        opened, shown = self._opened, grown.shown
        self._rest_until = now + (REST * grown.took if grown.took > SHORT else 0.0)
        if shown is None:
            return False
        if shown.revision != opened.revision + 1 or opened.log.unsaved:
            self.put_back(grown)
            return False
        source = shown.session.source
        if not isinstance(source, FileSource):
            return False
        known = opened.session
        stays = not opened.log.state and _holds_all(known, shown.session)
        # It holds itself: nothing but a collection, which may be far off, would let it go.
        opened.snapshot().__dict__.pop("lines", None)
        opened.grow(grown.store, shown, opened.log if stays else EditLog())
        self._note_arrival(shown.session.records[_same(known.records, shown.session.records) :])
        self._store, self._records, self._source = grown.store, grown.records, source
        self._torn, self._fresh = grown.torn, None
        if grown.anew:
            self._watch, self._other = Watch(source), False
        if grown.beside is not None:
            self._beside = grown.beside
        return True

    def put_back(self, grown: Grown) -> None:
        """It is not taken now: find it again later."""
        self._anew, self._more = self._anew or grown.anew, True

    def _note_arrival(self, records: Iterable[Record]) -> None:
        for record in records:
            if not record.time:
                self._arrived.setdefault(record, self._clock())


def _read_anew(path: str, before: Store, old: FileSource, known: Sequence[Record]) -> Grown:
    store = open_store(path)
    source, text = store.source, before.text_as_read
    records = tuple(store.records())
    if not isinstance(source, FileSource):
        raise OpenError(f"{path}: this is no file any more.")
    if not text and source.stamp.inode == old.stamp.inode:  # nobody knows what stood there
        return Grown(None, store, records, True)

    def has_its_text(record: Record) -> bool:
        start, length = record.start, record.length
        then = text[start : start + length] if text else old.read(start, length)
        return then == source.read(start, length)

    return Grown(None, store, kept(known, records, has_its_text), True)


def _read_further(
    store: Store, source: FileSource, known: Sequence[Record], patient: bool
) -> Grown:
    store = store.grown(source, patient)
    records = read_on(known, source, store.records)
    torn = patient and is_torn(records, source)
    return Grown(None, store, records[:-1] if torn else records, False, torn)


def _take_oddities(base: Snapshot, shown: Snapshot) -> None:
    """What is known of the texts of records that were read before; the file is not read again."""
    before, after = base.index.stored, shown.index.stored
    if before is not None and after is not None:
        after.take_oddities(before, after.records[_same(before.records, after.records) :])


def _same(before: Sequence[Record], after: Sequence[Record]) -> int:
    """How many records of the beginning are the same; of those before only the last may differ."""
    count = min(len(before), len(after))
    while count and before[count - 1] is not after[count - 1]:
        count -= 1
    return count


def _holds_all(before: Session, after: Session) -> bool:
    """Whether all records are where they were, others behind them."""
    if len(before.members) > len(after.members):
        return False
    return all(
        _same(before.rows(member), after.rows(member)) == len(before.rows(member))
        for member in range(len(before.members) + 1)
    )


def _stamps(session: Session) -> dict[str, Stamp | None]:
    """What the file system said of the files of sub-agents when they were opened."""
    return {m.name: m.stamp for m in session.members if isinstance(m, FileSource)}
