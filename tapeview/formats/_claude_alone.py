"""Hanging lines anew where those around stand alone, without another look at all the others.

It comes to what ``_claude_hang`` comes to: there the least is done first, and the rules of resume
are run over the whole outcome; here they are run over the lines that the edit can concern.
"""

from collections.abc import Sequence

from tapeview.edit.draft import Draft
from tapeview.formats._claude_hang import Line
from tapeview.formats._claude_line import facts_of
from tapeview.formats._claude_thread import Thread, counts_of
from tapeview.formats._claude_window import Place, around, number_of
from tapeview.tape.graft import spelled, with_member
from tapeview.tape.record import Record
from tapeview.tape.tape import Tape

__all__ = ["hang_alone"]


def hang_alone(draft: Draft, tape: Tape, put: Sequence[Line]) -> bool:
    """Put the lines in, and hand on what hangs on those that go.

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
    place = around(session, thread, [number_of(session, record) for record in touched])
    if place is None or not place.stands_alone(thread, thread.counts, place.lines):
        return False
    hung = _Hung(draft, put, place)
    if place.messages_of(hung.now) is None:
        return False
    counts = thread.counts.changed(counts_of(place.lines), counts_of(hung.now))
    if not place.stands_alone(thread, counts, hung.now):
        return False
    hung.carry_out()
    return True


class _Hung:
    """Lines one below the other, as they are to be."""

    def __init__(self, draft: Draft, put: Sequence[Line], place: Place) -> None:
        self.draft = draft
        self.now: list[Record] = []
        """The lines, read from their texts."""
        self._texts: list[tuple[Line | Record, bytes, Record | None]] = []
        """Lines that are put in or changed, with their texts and what stands above in the file."""
        self._first = place.lines[0]
        above = behind = place.before.records[-1] if place.before is not None else None
        for item in _expected(draft, place.lines, put):
            uuid = facts_of(above).uuid if above is not None else ""
            now = self._hung(item, uuid, behind)
            self.now.append(now)
            above = now
            behind = item if isinstance(item, Record) else behind

    def _hung(self, item: Line | Record, above: str, behind: Record | None) -> Record:
        """A line, hung below ``above``."""
        if isinstance(item, Line):
            text = item.text
        elif item in self.draft.changed or facts_of(item).parent != above:
            text = self.draft.text_of(item)
        else:
            return item
        if isinstance(item, Line) or facts_of(item).parent != above:
            parent = spelled(above) if above else b"null"
            text = with_member(text, (), "parentUuid", parent)
            self._texts.append((item, text, behind))
        return self.draft.read(text)

    def carry_out(self) -> None:
        """Put it into the draft."""
        for item, text, behind in self._texts:
            if isinstance(item, Record):
                self.draft.change(item, text)
            else:
                item.text = text
                self.draft.insert([text], behind, next(iter((*item.gap.after, self._first))))


def _expected(draft: Draft, was: Sequence[Record], put: Sequence[Line]) -> Sequence[Line | Record]:
    """The lines in the order in which they are to be."""
    at = {record: k for k, record in enumerate(was)}
    inserted: dict[int, list[Line]] = {}
    for line in put:
        place = max((at[record] + 1 for record in line.gap.before if record in at), default=-1)
        if place < 0:
            place = min((at[r] for r in line.gap.after if r in at), default=len(was))
        inserted.setdefault(place, []).append(line)
    expected: list[Line | Record] = []
    for k, record in enumerate((*was, None)):
        expected += inserted.get(k, ())
        if record is not None and record not in draft.removed:
            expected.append(record)
    return expected
