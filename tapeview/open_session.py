"""The one mutable object: an open session, its derived values, and the snapshots it gives out."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final
from weakref import WeakValueDictionary

from tapeview.edit.edit import Edit
from tapeview.edit.log import EditLog, Entry
from tapeview.edit.operations import Operation
from tapeview.edit.plan import plan
from tapeview.errors import EditError, PlaceError
from tapeview.formats._format import Store
from tapeview.formats._registry import detect
from tapeview.formats._source import Change, change_of, open_source
from tapeview.rules._engine import Purpose
from tapeview.snapshot import Snapshot, no_collection
from tapeview.swapping import swapped_snapshot
from tapeview.tape.session import Session
from tapeview.tape.swap import Swap, swap_of, swapped_session
from tapeview.tape.window import Window
from tapeview.windowing import windowed_snapshot

__all__ = ["OpenSession", "load", "open_store", "session_in"]

NAMED: Final = 10
"""Tapes that are named where a wanted one is not there."""


class OpenSession:
    """A session that is open. It alone changes; whoever looks gets a ``Snapshot``."""

    def __init__(
        self, session: Session, purpose: Purpose | None = None, store: Store | None = None
    ) -> None:
        self.session = session
        self.purpose: Purpose = purpose or ("session" if session.harness else "request")
        self.revision = 0
        self.log = EditLog()
        self._store = store
        self._latest: tuple[Snapshot, ...] = ()
        """What was shown before the last edit, as it is now, until somebody asks for it."""
        self._ahead: tuple[Edit, Snapshot, Swap | Window | None] | None = None
        """What was looked at last before it was done."""
        self._given: WeakValueDictionary[str, Snapshot] = WeakValueDictionary()

    def plan(self, operation: Operation) -> Edit:
        """The edit that an operation comes to now. Raises ``EditError``, ``PairSplit``."""
        if self._store is None:
            raise EditError(f"{self.session.path}: this is only looked at, not edited.")
        snapshot = self.snapshot(operation.tape)
        speller = self._store.speller(snapshot.tape)
        tape, index = snapshot.tape, snapshot.index
        with no_collection():
            return plan(operation, self.session, tape, index, speller, self._store.read)

    def _after(self, edit: Edit) -> tuple[Session, Swap | Window | None]:
        """The session after an edit, and how little of it that changes, where it is little."""
        session, store = self.session, self._store
        if store is None:
            return session, None
        swap = self._swap(edit)
        if swap is not None:
            return swapped_session(session, swap), swap
        with no_collection():
            windowed = store.windowed(session, edit)
            if windowed is not None:
                return windowed
            frame = edit.frames[1] if edit.frames is not None else session.frame
            members = [edit.applied(rows, k) for k, rows in enumerate(session.member_records, 1)]
            rows = edit.applied(session.records)
            return store.session(rows, members, frame, session.as_read), None

    def _swap(self, edit: Edit) -> Swap | None:
        """The edit as a swap of records, where it is no more than that."""
        if self._store is not None and not self._store.swaps:
            return None
        if edit.frames is not None or any(len(s.old) != len(s.new) for s in edit.splices):
            return None
        if sum(len(splice.old) for splice in edit.splices) != len(edit.became):
            return None
        if any(tape.id.startswith("agent:line-") for tape in self.session.tapes):
            return None  # their calls are known by the prompts' texts
        return swap_of(edit.became)

    def _kept(
        self, shown: Snapshot, session: Session, little: Swap | Window | None
    ) -> Snapshot | None:
        """What is known of a snapshot, as the next one; None where all is to be derived anew."""
        then = self.revision + 1
        if isinstance(little, Swap):
            return swapped_snapshot(shown, session, little, then)
        with no_collection():
            return windowed_snapshot(shown, session, little, then) if little is not None else None

    def look_after(self, edit: Edit, tape: str = "main") -> Snapshot:
        """One tape as it would be after an edit; main, where it would not be there."""
        session, little = self._after(edit)
        before = self.snapshot(tape)
        looked = self._kept(before, session, little)
        if looked is None:
            found = next((t for t in session.tapes if t.id == tape), session.main)
            looked = Snapshot(session, found, self.purpose, self.revision + 1)
            was, now = before.index.stored, looked.index.stored
            if was is not None and now is not None:
                now.take_oddities(was, (r for splice in edit.splices for r in splice.new))
        self._ahead = (edit, looked, little)
        return looked

    def apply(self, operation: Operation) -> Edit:
        """Do an edit. Raises ``EditError`` and ``PairSplit``; the session is then as it was."""
        edit = self.plan(operation)
        self.do(operation, edit)
        return edit

    def do(self, operation: Operation, edit: Edit) -> None:
        """Do an edit that was planned just now."""
        self._become(edit)
        self.log.push(Entry(operation, edit))

    def begin_again(self, other: "OpenSession") -> None:
        """Be what another session is, as it was opened; no edit is done."""
        self.session, self._store, self.log = other.session, other._store, EditLog()
        self.revision += 1

    @property
    def store(self) -> Store | None:
        """The file as its format reads it; None where it is only looked at."""
        return self._store

    def grow(self, store: Store, shown: Snapshot, log: EditLog) -> None:
        """Be what the files hold by now, which ``shown`` was worked out of; no edit is unsaved."""
        self._store, self.session, self.log = store, shown.session, log
        self.revision = shown.revision
        self._latest, self._ahead = (shown,), None
        self._given.clear()
        self._given[shown.tape.id] = shown

    def copies(self, identity: str) -> Iterator[tuple[str, Iterator[bytes]]]:
        """The session under a new id: names of files beside its own, and their pieces."""
        if self._store is not None:
            yield from self._store.copies(self.session, identity)

    def undo(self) -> Edit | None:
        """Take the last edit back; what was done, None where there is none."""
        return self._step(self.log.undo())

    def redo(self) -> Edit | None:
        """Do the edit again that was undone last."""
        return self._step(self.log.redo())

    def go_to(self, state: int) -> None:
        """Undo or redo up to a state of the log."""
        for edit in self.log.towards(max(0, min(state, len(self.log.entries)))):
            self._become(edit)

    def _step(self, edit: Edit | None) -> Edit | None:
        if edit is not None:
            self._become(edit)
        return edit

    def _become(self, edit: Edit) -> None:
        with no_collection():
            self._take(edit)

    def _take(self, edit: Edit) -> None:
        planned, ahead, little = self._ahead or (None, None, None)
        if ahead is None or planned is not edit or ahead.revision != self.revision + 1:
            ahead = None
        self._ahead = None
        if ahead is not None:
            session = ahead.session
        else:
            session, little = self._after(edit)
        latest = [ahead] if ahead is not None else []
        for shown in tuple(self._given.values()) if little is not None else ():
            known = ahead is not None and ahead.tape.id == shown.tape.id
            if not known and shown.given is self.session:
                kept = self._kept(shown, session, little)
                latest += [kept] if kept is not None else []
        self._latest = tuple(latest)
        for shown in latest:
            self._given[shown.tape.id] = shown
        self.session = session
        self.revision += 1

    @property
    def is_settled(self) -> bool:
        """Whether the whole file was read."""
        return True

    @property
    def is_stuck(self) -> bool:
        """Whether it can never be read whole."""
        return False

    def change(self) -> Change:
        """What became of the session's file since it was opened."""
        return change_of(self.session.source)

    def snapshot(self, tape: str = "main", codes: Sequence[str] | None = None) -> Snapshot:
        """One tape as it is now: the same snapshot, with all it derived, while somebody holds it.

        Raises ``PlaceError`` for a tape that is not there.
        """
        given = self._given.get(tape) if codes is None else None
        if given is not None and (given.given, given.revision) == (self.session, self.revision):
            return given
        for candidate in self.session.tapes:
            if candidate.id == tape:
                made = Snapshot(self.session, candidate, self.purpose, self.revision, codes)
                if codes is None:
                    self._given[tape] = made
                return made
        tapes = self.session.tapes
        known = ", ".join(candidate.id for candidate in tapes[:NAMED])
        more = f" and {len(tapes) - NAMED} more" if len(tapes) > NAMED else ""
        raise PlaceError(f"{self.session.path}: no tape {tape}: it has {known}{more}.")


def load(
    path: str,
    purpose: Purpose | None = None,
    named: str = "",
    waits: Callable[[], None] | None = None,
) -> OpenSession:
    """Open the session in ``path``; ``-`` reads standard input.

    ``named`` is the path that the session goes by, where its bytes are kept somewhere else;
    ``waits`` is called, in a thread of its own, when a pipe keeps one waiting.

    Raises ``OpenError`` with one sentence for whatever cannot be read as a session.
    """
    return session_in(open_store(path, named, waits), purpose)


def open_store(path: str, named: str = "", waits: Callable[[], None] | None = None) -> Store:
    """The file in ``path`` as its format reads it. Raises ``OpenError`` where none does."""
    source = open_source(path, waits)
    format_, head = detect(source, path)
    return format_.open(head, named or path)


def session_in(store: Store, purpose: Purpose | None = None) -> OpenSession:
    """All of a store, at once. Raises ``OpenError`` where it is too damaged to hold records."""
    with no_collection():
        return OpenSession(store.session(list(store.records())), purpose, store)
