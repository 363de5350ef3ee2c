"""An edit of a few plain lines of a session: the rules of resume are run over those few alone."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from tapeview.edit.edit import Edit
from tapeview.formats._claude_sent import Cleaned, clean, sentence_of
from tapeview.formats._claude_stretch import Place, Read, places_around, touched_by
from tapeview.formats._claude_thread import POINTS_TO_LEAF, Counts, End, Thread
from tapeview.tape.block import BlockFacts
from tapeview.tape.message import Message
from tapeview.tape.moved import moving_numbers
from tapeview.tape.record import Record
from tapeview.tape.session import Session
from tapeview.tape.spliced import Step
from tapeview.tape.tape import Tape
from tapeview.tape.window import Stretch, Window, begins_cleanly, is_clean

__all__ = ["windowed"]


class Windowed(NamedTuple):
    """The main tape after an edit, what is known of its lines, and which of it is new."""

    records: tuple[Record, ...]
    positions: Mapping[Record, int]
    main: Tape
    thread: Thread
    window: Window


def windowed(session: Session, edit: Edit) -> Windowed | None:
    """The session after an edit; None where more than plain lines change."""
    thread = session.facts
    if not isinstance(thread, Thread) or edit.frames is not None or not thread.is_plain:
        return None
    places = places_around(session, touched_by(session, edit))
    found = (_Change(session, thread, edit, place).outcome() for place in places)
    return next((each for each in found if each is not None), None)


class _Change:
    """An edit within one stretch."""

    def __init__(self, session: Session, thread: Thread, edit: Edit, place: Place) -> None:
        self.session = session
        self.thread = thread
        self.edit = edit
        self.place = place

    def outcome(self) -> Windowed | None:
        """The session after it; None where the stretch does not stand by itself."""
        place, thread = self.place, self.thread
        rows = place.after(self.edit)
        if rows is None or self._beside(rows) != self._beside(place.rows):
            return None
        was = place.read(thread, thread.counts, place.rows)
        messages = self.session.main.messages[place.start : place.stop]
        if was is None or _records(was.messages) != _records(messages):
            return None
        counts = thread.counts.changed(thread.counts_of(place.rows), thread.counts_of(rows))
        now = place.read(thread, counts, rows)
        if now is None:
            return None
        ends = thread.ends_after(was.ends, now.ends, place.below is None)
        if ends is None:
            return None
        return self._spliced(was, now, counts, ends)

    def _beside(self, rows: Sequence[Record]) -> list[Record]:
        """What resume does not walk through, save for what only points to a line."""
        return [
            record
            for record in rows
            if not self.thread.is_line(record) and record.label not in POINTS_TO_LEAF
        ]

    def _spliced(
        self, was: Read, now: Read, counts: Counts, ends: Sequence[End]
    ) -> Windowed | None:
        session, edit, thread = self.session, self.edit, self.thread
        main, start, stop = session.main, self.place.start, self.place.stop
        old, found = main.messages[start:stop], now.messages
        resumed = self.place.below is None
        before, after = clean(old, resumed, was.attached), clean(found, resumed, now.attached)
        whole = list(main.messages)
        whole[start:stop] = found
        messages = tuple(whole)
        stretch = Stretch(start, stop, start + len(found))
        cleaned = _sent(main, messages, before, after, stretch, found)
        if cleaned is None:
            return None
        sent, sent_stretch = cleaned
        gone = {r for message in old for r in message.records}
        unsent = {r: why for r, why in main.unsent.items() if r not in gone} | after.dropped
        kept = _kept(found, after) - _kept(old, before)
        known = thread.changed(counts, ends, kept, after.unanswered - before.unanswered)
        stored = len(messages) + known.beside
        sends = len(messages) if sent is messages else known.kept
        tape = msgspec.structs.replace(
            main,
            messages=messages,
            sent=sent,
            unsent=unsent,
            resume=sentence_of(sends, stored, known.unanswered),
        )
        window = Window(stretch, sent_stretch)
        records = edit.applied(session.records)
        return Windowed(records, _positions(session, edit), tape, known, window)


def _positions(session: Session, edit: Edit) -> Mapping[Record, int]:
    """The records' places in the file after an edit."""
    positions, moved = moving_numbers(session.positions), 0
    for splice in edit.splices:
        at, by = splice.at + moved, len(splice.new) - len(splice.old)
        step = Step(at, at + len(splice.old), by)
        positions = positions.stepped(step, {r: k for k, r in enumerate(splice.new, at)})
        moved += by
    return positions


def _sent(
    main: Tape,
    messages: tuple[Message, ...],
    before: Cleaned,
    after: Cleaned,
    stretch: Stretch,
    found: tuple[Message, ...],
) -> tuple[tuple[Message, ...], Stretch] | None:
    """What is sent, and which of it is new; None where the cleaning reaches further."""
    at_end = stretch.end == len(messages)
    if not all(_is_whole(cleaned, stretch.start == 0, at_end) for cleaned in (before, after)):
        return None
    start = stretch.start
    if main.sent is not main.messages:
        start = _place_of(main.sent, before.messages, start)
        if start < 0:
            return None
    stop, end = start + len(before.messages), start + len(after.messages)
    place = Stretch(start, stop, end)
    if main.sent is main.messages and after.messages is found:
        return messages, place
    sent = (*main.sent[:start], *after.messages, *main.sent[stop:])
    if (start and not is_clean(sent, start)) or bool(start) != bool(stretch.start):
        return None
    if at_end and end != len(sent):
        return None
    # Where the reply behind is not sent, the tape may end here.
    if not at_end and not (
        is_clean(sent, end) and sent[end].blocks[0] in messages[stretch.end].blocks
    ):
        return None
    same = len(sent) == len(messages) and all(
        ours is theirs or ours.blocks == theirs.blocks
        for ours, theirs in zip(sent, messages, strict=True)
    )
    return (messages if same else sent), place


def _is_whole(cleaned: Cleaned, at_start: bool, at_end: bool) -> bool:
    messages = cleaned.messages
    if not messages or not (at_start or begins_cleanly(messages[0])):
        return False
    return at_end or messages[-1].role == "user"


def _place_of(sent: Sequence[Message], part: Sequence[Message], near: int) -> int:
    """Where messages stand among those that are sent; -1 where they do not."""
    first, count = part[0].blocks[0], len(sent)
    for steps in range(max(near, count - near) + 1):
        for number in (near - steps, near + steps):
            if 0 <= number < count and sent[number].blocks[:1] == (first,):
                there = sent[number : number + len(part)]
                return number if _alike(there, part) else -1
    return -1


def _alike(ours: Sequence[Message], theirs: Sequence[Message]) -> bool:
    def stored(messages: Sequence[Message]) -> list[object]:
        return [
            (m.role, [b.id if b.facts & BlockFacts.ADDED else id(b) for b in m.blocks])
            for m in messages
        ]

    return stored(ours) == stored(theirs)


def _kept(messages: Sequence[Message], cleaned: Cleaned) -> int:
    """Messages of which something is sent."""
    sent = {id(block) for message in cleaned.messages for block in message.blocks}
    return sum(any(id(block) in sent for block in message.blocks) for message in messages)


def _records(messages: Sequence[Message]) -> list[tuple[Record, ...]]:
    return [message.records for message in messages]
