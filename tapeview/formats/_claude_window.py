"""An edit of a few plain lines of a session: the rules of resume are run over those few alone."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from tapeview.edit.edit import Edit
from tapeview.formats._claude_group import group
from tapeview.formats._claude_sent import Cleaned, clean, sentence_of
from tapeview.formats._claude_thread import Counts, Thread, counts_of
from tapeview.tape.block import BlockFacts
from tapeview.tape.message import Message, message_at
from tapeview.tape.moved import moving_numbers
from tapeview.tape.record import Record
from tapeview.tape.session import Session
from tapeview.tape.spliced import Step
from tapeview.tape.tape import Tape
from tapeview.tape.window import Stretch, Window, begins_cleanly, is_clean

__all__ = ["Place", "around", "number_of", "windowed"]


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
    if not isinstance(thread, Thread) or edit.frames is not None:
        return None
    if any(splice.member for splice in edit.splices) or not thread.is_plain:
        return None
    place = around(session, thread, list(_touched(session, edit)))
    if place is None or not place.stands_alone(thread, thread.counts, place.lines):
        return None
    now = _lines_after(session, edit, place)
    found = place.messages_of(now) if now is not None else None
    if now is None or found is None:
        return None
    gone, come = counts_of(place.lines), counts_of(now)
    if not place.stands_alone(thread, thread.counts.changed(gone, come), now):
        return None
    return _spliced(session, edit, thread, found, place, (gone, come))


class Place(NamedTuple):
    """Messages between two places that part the tape cleanly, or its ends."""

    start: int
    stop: int
    before: Message | None
    lines: Sequence[Record]
    behind: Message | None

    def stands_alone(self, thread: Thread, counts: Counts, lines: Sequence[Record]) -> bool:
        """Whether such lines, there, would hang together by themselves."""
        above = self.before.records[-1] if self.before is not None else None
        below = self.behind.records[0] if self.behind is not None else None
        return thread.stand_alone(counts, above, lines, below)

    def messages_of(self, lines: Sequence[Record]) -> tuple[Message, ...] | None:
        """The messages that lines make there; None where they do not keep to themselves or to
        their order.
        """  # noqa: D205
        before = self.before.records if self.before is not None else ()
        behind = self.behind.records if self.behind is not None else ()
        found = group([*before, *lines, *behind])
        if (before and found[0].records != before) or (behind and found[-1].records != behind):
            return None
        messages = found[bool(before) : len(found) - bool(behind)]
        if [record for message in messages for record in message.records] != list(lines):
            return None
        if not messages or (before and not begins_cleanly(messages[0])):
            return None
        return None if behind and messages[-1].role != "user" else messages


def around(session: Session, thread: Thread, numbers: Sequence[int]) -> Place | None:
    """The messages around some; None where there is no such place.

    One message before them and one behind them are among these, which do not change.
    """
    messages = session.main.messages
    if not numbers or -1 in numbers:
        return None
    start, stop = max(0, min(numbers) - 1), min(max(numbers) + 2, len(messages))
    while start > 0 and not is_clean(messages, start):
        start -= 1
    while stop < len(messages) and not is_clean(messages, stop):
        stop += 1
    before = messages[start - 1] if start else None
    behind = messages[stop] if stop < len(messages) else None
    if (behind is None and not thread.has_one_end) or before is behind:
        return None
    lines = [record for message in messages[start:stop] for record in message.records]
    places = [session.position_of(record) for record in lines]
    if behind is not None:
        places.append(session.position_of(behind.records[0]))
    return Place(start, stop, before, lines, behind) if places == sorted(places) else None


def _touched(session: Session, edit: Edit) -> Iterator[int]:
    """Numbers of the messages that an edit touches, and that it puts something between; -1 for
    what is none.
    """  # noqa: D205
    for splice in edit.splices:
        for record in splice.old:
            yield number_of(session, record)
        if not splice.old:
            yield from _beside(session, splice.at)


def _beside(session: Session, at: int) -> Iterator[int]:
    """The messages that end before, and begin behind, a place in the file."""
    for way in (range(at - 1, -1, -1), range(at, len(session.records))):
        numbers = (number_of(session, session.records[k]) for k in way)
        yield from islice((number for number in numbers if number >= 0), 1)


def number_of(session: Session, record: Record) -> int:
    """The number of the message that holds a line; -1 where none does, or none that is there."""
    return message_at(session.main.messages, record, session.positions)


def _lines_after(session: Session, edit: Edit, place: Place) -> list[Record] | None:
    """The lines that stand there after an edit; None where other records change too."""
    first = session.position_of(place.lines[0]) if place.before is not None else 0
    last = len(session.records)
    if place.behind is not None:
        last = session.position_of(place.behind.records[0])
    held = set(place.lines)
    others = [record for record in session.records[first:last] if record not in held]
    unsent = session.main.unsent
    if any(record.kind == "message" and record not in unsent for record in others):
        return None
    now: list[Record] = []
    at = first
    for splice in edit.splices:
        if splice.at < first or splice.at + len(splice.old) > last:
            return None
        now += (*session.records[at : splice.at], *splice.new)
        at = splice.at + len(splice.old)
    now += session.records[at:last]
    left = set(others)
    lines = [record for record in now if record not in left]
    return lines if len(lines) + len(left) == len(now) else None


def _spliced(
    session: Session,
    edit: Edit,
    thread: Thread,
    found: tuple[Message, ...],
    place: Place,
    counts: tuple[Counts, Counts],
) -> Windowed | None:
    main, start, stop = session.main, place.start, place.stop
    ends = place.behind is None
    before, after = clean(main.messages[start:stop], ends), clean(found, ends)
    messages = (*main.messages[:start], *found, *main.messages[stop:])
    stretch = Stretch(start, stop, start + len(found))
    cleaned = _sent(main, messages, before, after, stretch, found)
    if cleaned is None:
        return None
    sent, sent_stretch = cleaned
    gone = {r for message in main.messages[start:stop] for r in message.records}
    unsent = {r: why for r, why in main.unsent.items() if r not in gone} | after.dropped
    kept = _kept(found, after) - _kept(main.messages[start:stop], before)
    known = thread.changed(*counts, kept, after.unanswered - before.unanswered)
    stored = len(messages) + known.beside
    sends = len(messages) if sent is messages else known.kept
    tape = msgspec.structs.replace(
        main,
        messages=messages,
        sent=sent,
        unsent=unsent,
        resume=sentence_of(sends, stored, known.unanswered),
    )
    records = edit.applied(session.records)
    return Windowed(records, _positions(session, edit), tape, known, Window(stretch, sent_stretch))


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
