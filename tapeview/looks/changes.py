"""What of a session differs from the file as it was opened, and where its rows went."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from tapeview.edit.edit import Edit
from tapeview.edit.log import EditLog
from tapeview.looks.block_record import FAULTS
from tapeview.snapshot import Snapshot
from tapeview.tape.json_text import locate
from tapeview.tape.record import UNFINISHED, Record
from tapeview.tape.rows import Row
from tapeview.tape.session import Session
from tapeview.tape.sizes import count

__all__ = [
    "Change",
    "Changes",
    "Moved",
    "changed_members",
    "changed_records",
    "is_stored",
    "moved_rows",
    "original_of",
    "steps_between",
    "unsaved_words",
]

Change = Literal["", "changed", "added"]


class Changes:
    """What is changed and what is new, asked row by row."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.original = session.original
        self._known: dict[Record, Collection[int]] = {}

    def of(self, row: Row) -> Change:
        """Whether a row's block differs from the file."""
        session, original, record = self.session, self.original, row.record
        if original is None:
            return ""
        if row.kind in ("system", "tools"):
            return "changed" if any(changed_members(session, row.kind)) else ""
        if record is None or record.text is None or row.kind != "block":
            return ""
        if record.label == UNFINISHED and record.start < 0:
            return ""  # a reply that is arriving: it was put together out of the file's own pieces
        if record.start < 0:
            return "added" if is_stored(session, record) else ""
        if record not in self._known:
            self._known[record] = _changed_blocks(session, original, record)
        number = record.blocks.index(row.block) if row.block in record.blocks else -1
        return "changed" if number in self._known[record] else ""


def is_stored(session: Session, record: Record) -> bool:
    """Whether a record is one of the session's files, not what a harness would add."""
    return record.member > 0 or session.position_of(record) >= 0


def original_of(original: Session, record: Record) -> Record | None:
    """The record that stood in the file where this one stands."""
    if record.start < 0 or record.member > len(original.members):
        return None
    rows = original.rows(record.member)
    at = bisect_left(rows, record.start, key=lambda each: each.start)
    return rows[at] if at < len(rows) and rows[at].start == record.start else None


def _changed_blocks(session: Session, original: Session, record: Record) -> Collection[int]:
    """Numbers of blocks that no block of the record in the file equals; -1 for an empty message."""
    everything = range(-1, len(record.blocks))
    before = original_of(original, record)
    if before is None:
        return everything
    try:
        old, new = original.message_of(before), session.message_of(record)
        if old == new:
            return ()
        if before.spelled_role != record.spelled_role or before.role != record.role:
            return everything
        left = Counter(_texts(old, before))
        changed = [-1]
        for number, text in enumerate(_texts(new, record)):
            left[text] -= 1
            if left[text] < 0:
                changed.append(number)
    except FAULTS:
        return everything
    return changed


def _texts(message: bytes, record: Record) -> Iterator[bytes]:
    for block in record.blocks:
        start, end = locate(message, block.path)
        yield message[start:end]


def changed_members(session: Session, kind: str = "") -> Iterator[tuple[str, bytes, bytes]]:
    """What stands beside the messages and was changed: name, JSON as it was, JSON as it is.

    With a kind of row what that row shows: model and parameters stand with the system prompt, else
    with the tools.
    """
    original = session.original
    if original is None:
        return
    then, now = original.frame, session.frame
    others = "system" if then.system or now.system else "tools"
    for change in then.changed(now):
        where = change[0] if change[0] in ("system", "tools") else others
        if kind in ("", where):
            yield change


def changed_records(session: Session) -> Iterator[tuple[Record | None, Record | None]]:
    """Records as they were and as they are, in stored order, where that differs.

    None stands for one that is new, or is gone.
    """
    original = session.original
    if original is None:
        return
    for member in range(len(session.members) + 1):
        before = original.rows(member) if member <= len(original.members) else ()
        kept = {record.start for record in session.rows(member)}
        at = 0
        for record in session.rows(member):
            while record.start >= 0 and at < len(before) and before[at].start < record.start:
                if before[at].start not in kept:
                    yield before[at], None
                at += 1
            if record.start < 0:
                # A reply that is arriving is put together out of the file's own pieces.
                if record.label != UNFINISHED:
                    yield None, record
            elif record.text is not None:
                yield original_of(original, record), record
        yield from ((record, None) for record in before[at:] if record.start not in kept)


# -- where rows went -------------------------------------------------------------------------------


class Moved(NamedTuple):
    """Where the rows of an earlier snapshot are now."""

    at: int
    """The row of the cursor: the same record's, else the nearest one above it that is left."""
    folded: frozenset[int]


def moved_rows(
    before: Snapshot,
    after: Snapshot,
    edits: Sequence[Edit],
    at: int,
    folded: Iterable[int],
    seek: bool = False,
) -> Moved:
    """Cursor and folds after edits.

    With ``seek`` the cursor goes to what the last edit put in or changed. It does so too where its
    own row is gone, and something was put in.
    """
    if after.has_rows_of(before):
        found = _first_changed(after, edits[-1:]) if seek else -1
        return Moved(at if found < 0 else found, frozenset(folded))
    became: dict[Record, Record] = {}
    for edit in edits:
        step = dict(edit.became)
        became = {old: step.get(new, new) for old, new in became.items()} | {
            old: new for old, new in step.items() if old not in became
        }
    start, stop, end, by = 0, len(before.rows), len(after.rows), 0
    if after.moved is not None and after.moved[0] is before.layout:
        start, stop, by = after.moved[1:]
        end = stop + by
    now = list(enumerate(_keys(after.rows[start:end], {}), start))
    places = {key: number for number, key in reversed(now)}
    keys = list(_keys(before.rows[start:stop], became))

    def place_of(row: int) -> int:
        if not start <= row < stop:
            return row if row < start else row + by
        return places.get(keys[row - start], -1)

    above = (found for row in range(at, start - 1, -1) if (found := place_of(row)) >= 0)
    here = place_of(at)
    if seek or here < 0:
        found = _first_changed(after, edits[-1:])
        here = found if found >= 0 else here
    if here < 0:
        here = next(above, max(0, start - 1))
    kept = frozenset(found for fold in folded if (found := place_of(fold)) >= 0)
    return Moved(here, kept)


def _first_changed(after: Snapshot, edits: Iterable[Edit]) -> int:
    """The first row of a message that edits put in or changed; -1 where there is none."""
    rows = [
        after.row_of.get(record.blocks[0] if record.blocks else record, -1)
        for edit in edits
        for splice in edit.splices
        for record in splice.new
        if record.kind == "message"
    ]
    return min((row for row in rows if row >= 0), default=-1)


def _keys(rows: Sequence[Row], became: Mapping[Record, Record]) -> Iterator[Hashable]:
    """What tells the rows of one tape apart, whatever stands above them."""
    for row in rows:
        record = row.record
        number = -1
        if record is not None and row.block is not None and row.block in record.blocks:
            number = record.blocks.index(row.block)
        own = record if record is not None else row.turn
        yield row.kind, row.tape, became.get(own, own) if isinstance(own, Record) else own, number


def steps_between(log: EditLog, state: int) -> Sequence[Edit]:
    """The edits that lead from what is shown to a state."""
    entries = log.entries
    if state < log.state:
        return [entry.edit.inverse for entry in reversed(entries[state : log.state])]
    return [entry.edit for entry in entries[log.state : state]]


def unsaved_words(number: int) -> str:
    """``3 unsaved edits``."""
    return count(number, "unsaved edit")
