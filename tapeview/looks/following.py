"""What a session says that is followed: ages, why it waits, where its rows went."""

from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime

from tapeview.capture.follow import Happening
from tapeview.looks.changes import Moved
from tapeview.snapshot import Snapshot
from tapeview.tape.describe import RowText
from tapeview.tape.record import Record
from tapeview.tape.rows import Row, RowKind, fold_span
from tapeview.tape.sizes import count

__all__ = ["HAPPENED", "age_words", "end_text", "grown_rows", "last_row", "waiting_since"]

HAPPENED: dict[Happening, str] = {
    "replaced": "another file took its place: it is shown now",
    "rewritten": "the file was written over: it is shown as it is now",
    "shrank": "the file became shorter: it is shown as it is now",
    "gone": "the file was deleted: this is what it held; it may come back",
    "back": "the file is back",
}
"""What became of a file that is followed; that it grew is seen."""


def age_words(seconds: float) -> str:
    """``12 s``, ``3 min``, ``2 h``, ``4 days``: whole ones that have passed."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min"
    return f"{whole // 3600} h" if whole < 172_800 else count(whole // 86_400, "day")


def waiting_since(record: Record, came: Callable[[Record], float | None]) -> float | None:
    """Since when a call waits, in seconds; None where nobody knows. ``came`` knows of those that
    were seen to come.
    """  # noqa: D205
    try:
        time = datetime.fromisoformat(record.time)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError, OSError):
        return came(record)


def end_text(text: RowText) -> RowText:
    """The last row, where the tape may go on: ``following: 1 call waits for its result``."""
    return text._replace(gist=text.gist.replace("the tape ends here", "following", 1))


def grown_rows(
    before: Snapshot,
    after: Snapshot,
    at: int,
    folded: Iterable[int],
    folds_at_first: Collection[RowKind],
) -> Moved:
    """Cursor and folds after a session has grown; what is new and of a kind that is folded at
    first is folded. Where nothing is left of what was above, the cursor keeps its number.
    """  # noqa: D205
    rows, now = before.rows, after.rows
    places = (_place_now(row, after) for row in reversed(rows[: at + 1]))
    here = next((place for place in places if place >= 0), min(at, len(now) - 1))
    kept = {
        place
        for fold in folded
        if (place := _place_now(rows[fold], after)) >= 0 and now[place].kind == rows[fold].kind
    }
    known = {row.record for row in rows if row.kind in folds_at_first}
    new = {
        place
        for place, row in enumerate(now)
        if row.kind in folds_at_first and row.record not in known
    }
    return Moved(here, frozenset(kept | new))


def _place_now(row: Row, after: Snapshot) -> int:
    """Where a row is now: the same, else the first of its record; -1 where that is gone."""
    rows = after.rows
    if row.kind in ("system", "tools"):
        return next((k for k, other in enumerate(rows[:2]) if other.kind == row.kind), -1)
    key = row.record if row.block is None else row.block
    found = after.row_of.get(key, -1) if key is not None else -1
    if found < 0 or row.kind in ("block", "note", "unreadable"):
        return found
    # Rules of turns and rows that fold stand right above their first record.
    kinds = ("turn", "reply") if row.kind in ("turn", "reply") else (row.kind,)
    for place in range(found - 1, max(-1, found - 4), -1):
        if rows[place].kind in kinds and rows[place].record is row.record:
            return place
    return found


def last_row(snapshot: Snapshot, folded: Iterable[int] = ()) -> int:
    """The newest row, or the one that hides it; not the one that says that the tape ends."""
    rows = snapshot.rows
    last = len(rows) - 1
    if last > 0 and rows[last].kind == "end":
        last -= 1
    return min((fold for fold in folded if last in fold_span(rows, fold)), default=last)
