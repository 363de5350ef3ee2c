"""Hanging lines anew where those around stand alone, without another look at all the others.

It comes to what ``_claude_hang`` comes to: there the least is done first, and the rules of resume
are run over the whole outcome; here they are run over the lines that the edit can concern.
"""

from collections.abc import Sequence

from tapeview.edit.draft import Draft
from tapeview.formats._claude_hang import Line
from tapeview.formats._claude_line import facts_of
from tapeview.formats._claude_thread import Thread, counts_of
from tapeview.formats._claude_window import around, messages_of, number_of
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
    if draft.frame is not session.frame or not all(
        line.gap.before and line.gap.after for line in put
    ):
        return False
    touched = {*draft.removed, *draft.changed}
    for line in put:
        touched.update((*line.gap.before, *line.gap.after))
    stretch = around(session, [number_of(session, record) for record in touched])
    if stretch is None:
        return False
    start, stop = stretch
    messages = session.main.messages
    above, below = messages[start - 1].records[-1], messages[stop].records[0]
    was = [record for message in messages[start:stop] for record in message.records]
    places = [session.position_of(record) for record in (*was, below)]
    if places != sorted(places) or not thread.stand_alone(thread.counts, above, was, below):
        return False
    hung = _Hung(draft, was, put, above)
    if messages_of(messages[start - 1], hung.now, messages[stop]) is None:
        return False
    counts = thread.counts.changed(counts_of(was), counts_of(hung.now))
    if not thread.stand_alone(counts, above, hung.now, below):
        return False
    hung.carry_out()
    return True


class _Hung:
    """Lines one below the other, as they are to be."""

    def __init__(
        self, draft: Draft, was: Sequence[Record], put: Sequence[Line], above: Record
    ) -> None:
        self.draft = draft
        self.now: list[Record] = []
        """The lines, read from their texts."""
        self._texts: list[tuple[Line | Record, bytes, Record]] = []
        """Lines that are put in or changed, with their texts and what stands above in the file."""
        behind = above
        for item in _expected(draft, was, put):
            now = self._hung(item, facts_of(above).uuid, behind)
            self.now.append(now)
            above = now
            behind = item if isinstance(item, Record) else behind

    def _hung(self, item: Line | Record, above: str, behind: Record) -> Record:
        """A line, hung below ``above``."""
        if isinstance(item, Line):
            text = item.text
        elif item in self.draft.changed or facts_of(item).parent != above:
            text = self.draft.text_of(item)
        else:
            return item
        if isinstance(item, Line) or facts_of(item).parent != above:
            text = with_member(text, (), "parentUuid", spelled(above))
            self._texts.append((item, text, behind))
        return self.draft.read(text)

    def carry_out(self) -> None:
        """Put it into the draft."""
        for item, text, behind in self._texts:
            if isinstance(item, Record):
                self.draft.change(item, text)
            else:
                item.text = text
                self.draft.insert([text], behind, None)


def _expected(draft: Draft, was: Sequence[Record], put: Sequence[Line]) -> Sequence[Line | Record]:
    """The lines in the order in which they are to be."""
    at = {record: k for k, record in enumerate(was)}
    inserted: dict[int, list[Line]] = {}
    for line in put:
        place = max(at[record] + 1 for record in line.gap.before)
        inserted.setdefault(place, []).append(line)
    expected: list[Line | Record] = []
    for k, record in enumerate((*was, None)):
        expected += inserted.get(k, ())
        if record is not None and record not in draft.removed:
            expected.append(record)
    return expected
