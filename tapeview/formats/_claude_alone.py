"""Hanging lines anew within a stretch that stands by itself, without a look at all the others."""

from collections.abc import Sequence

import msgspec

from tapeview.edit.draft import Draft
from tapeview.formats._claude_chain import Tree
from tapeview.formats._claude_hand import Trees, hand_on
from tapeview.formats._claude_hang import Hanging, Line
from tapeview.formats._claude_line import facts_of
from tapeview.formats._claude_stretch import Place, numbers_at, places_around
from tapeview.formats._claude_thread import Thread
from tapeview.tape.record import Record
from tapeview.tape.tape import Tape

__all__ = ["hang_alone"]


def hang_alone(
    draft: Draft, tape: Tape, put: Sequence[Line], moved: frozenset[str] = frozenset()
) -> bool:
    """Put the lines in, and hand on what hangs on those that go, as ``hang`` would.

    False where that has to be looked at in full; then nothing was done.
    """
    session = draft.session
    thread = session.facts
    if tape is not session.main or not isinstance(thread, Thread) or not thread.is_plain:
        return False
    if draft.frame is not session.frame:
        return False
    touched = {*draft.removed, *draft.changed}
    for line in put:
        touched.update((*line.gap.before, *line.gap.after))
    numbers = [number for record in touched for number in numbers_at(session, record)]
    for place in places_around(session, numbers):
        trial = draft.copy()
        lines = [msgspec.structs.replace(line) for line in put]
        if _hangs(trial, thread, place, tape, lines, moved):
            draft.take(trial)
            return True
    return False


def _hangs(
    draft: Draft,
    thread: Thread,
    place: Place,
    tape: Tape,
    put: Sequence[Line],
    moved: frozenset[str],
) -> bool:
    was = place.read(thread, thread.counts, place.rows)
    if was is None:
        return False
    trees = _PartTrees(draft, place)
    hand_on(draft, trees, 0, moved)
    if place.after(draft.edit("")) is None:
        return False  # the line below hangs elsewhere
    whole = Hanging(draft, trees, tape, 0, put).settles_nearby()
    rows = place.after(draft.edit(""))
    if rows is None or not whole:
        return False
    counts = thread.counts.changed(thread.counts_of(place.rows), thread.counts_of(rows))
    gone = {facts_of(r).uuid for r in place.rows} - {facts_of(r).uuid for r in rows}
    if any(counts.named.count(uuid) for uuid in gone if uuid):
        return False  # lines elsewhere point to what goes
    now = place.read(thread, counts, rows)
    ends = now and thread.ends_after(was.ends, now.ends, place.below is None)
    return ends is not None


class _PartTrees(Trees):
    """The trees of the stretch, and of the lines at its ends."""

    def __init__(self, draft: Draft, place: Place) -> None:
        super().__init__(draft)
        self._place = place

    def rows(self, member: int) -> Sequence[Record]:
        return self._place.with_ends(self._place.rows)

    def rows_now(self, member: int) -> Sequence[Record]:
        rows = self._place.after(self.draft.edit(""))
        return self._place.with_ends(rows if rows is not None else ())

    def tree(self, rows: Sequence[Record]) -> Tree:
        return self._place.part(rows)
