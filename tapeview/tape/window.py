"""A window: the stretch of a tape that an edit replaces, between two places that part it cleanly.

A place parts a tape cleanly where a reply follows a user message: there a side, a turn and all
links of calls that are answered at once have ended. So what is derived of the messages outside
stays as it is, and only its numbers move.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tapeview.tape.block import CALLS, CLIENT_CALL, CLIENT_RESULT, RESULTS, BlockFacts, Place
from tapeview.tape.index import Index
from tapeview.tape.link import Link, ends_of, first_place, links_of
from tapeview.tape.message import Message, sides_of, signed_in, size_of
from tapeview.tape.moved import (
    LinkOf,
    Places,
    RecordOf,
    SideNumbers,
    moved_link,
    moved_side,
    moved_turn,
    moving_numbers,
    moving_places,
)
from tapeview.tape.spliced import Shift, Step, Tally, as_spliced
from tapeview.tape.stored import Stored
from tapeview.tape.turn import turns_of

__all__ = [
    "Stretch",
    "Window",
    "begins_cleanly",
    "ids_in",
    "index_within",
    "is_clean",
    "windowed_index",
]

CLIENT = (CLIENT_CALL, CLIENT_RESULT)


class Stretch(NamedTuple):
    """Messages ``start`` to ``stop`` of what was are ``start`` to ``end`` of what is."""

    start: int
    stop: int
    end: int


class Window(NamedTuple):
    """What an edit replaces of the stored chain, and of what is sent."""

    stored: Stretch
    sent: Stretch


def is_clean(messages: Sequence[Message], number: int) -> bool:
    """Whether a tape is parted cleanly before a message."""
    if not 0 < number < len(messages):
        return False
    return begins_cleanly(messages[number]) and messages[number - 1].role == "user"


def _is_parted(messages: Sequence[Message], number: int) -> bool:
    return number in (0, len(messages)) or is_clean(messages, number)


def begins_cleanly(message: Message) -> bool:
    """Whether a message is a reply with which a turn begins."""
    return message.role == "assistant" and not message.is_failure


def ids_in(messages: Iterable[Message]) -> dict[str, int]:
    """How often each id of a call or a result stands in messages."""
    found: dict[str, int] = {}
    for message in messages:
        for block in message.blocks:
            if block.kind in CALLS or block.kind in RESULTS:
                found[block.id] = found.get(block.id, 0) + 1
    return found


def windowed_index(
    old: Index, messages: Sequence[Message], stretch: Stretch, stored: Stored | None = None
) -> Index | None:
    """The index after an edit of a stretch; None where more than that may change.

    The stretch is derived anew. Where no links of ``old`` are known there is nothing to keep.
    """
    start, stop, end = stretch
    parted = ((old.messages, start), (messages, start), (old.messages, stop), (messages, end))
    if not all(_is_parted(some, number) for some, number in parted):
        return None
    if (stop == len(old.messages)) != (end == len(messages)):
        return None
    index = Index(messages, old.frame, old.dialect, old.first_turn, stored)
    if "links" not in old.__dict__:
        return index
    was, now = old.messages[start:stop], messages[start:end]
    if not (_is_plain(was) and _is_plain(now)):
        return None
    ids = _ids_after(old, was, now)
    if ids is None or any(a < stop and b >= start for a, b in old.far if a < start or b >= stop):
        return None
    known = index.__dict__
    known["ids"] = ids
    more = _put_sides(index, old, stretch), _put_turns(index, old, stretch)
    _put_links(index, old, stretch, Shift(end - stop, *more))
    _put_places(index, old, stretch)
    for name, count in (("sizes", size_of), ("signed", signed_in)):
        if name in old.__dict__:
            kept = old.__dict__[name]
            known[name] = [*kept[:start], *map(count, now), *kept[stop:]]
    return index


def index_within(index: Index, start: int, end: int) -> Index:
    """The same index, in which only calls and results of some messages are looked for."""
    part = Index(index.messages, index.frame, index.dialect, index.first_turn)
    names = ("sides", "side_numbers", "turns", "turn_starts", "links", "link_of", "places")
    for name in (*names, "record_of"):
        part.__dict__[name] = getattr(index, name)
    ends = ends_of(index.messages, index.side_numbers, range(start, end))
    part.__dict__["_all_ends"] = ends
    return part


def _is_plain(messages: Iterable[Message]) -> bool:
    """Whether all calls and results are a client's, which pair with their neighbours."""
    return all(
        not block.facts & BlockFacts.LEGACY
        and (block.kind in CLIENT or (block.kind not in CALLS and block.kind not in RESULTS))
        for message in messages
        for block in message.blocks
    )


def _ids_after(old: Index, was: Iterable[Message], now: Iterable[Message]) -> Tally | None:
    """How often each id is used; None where one of the stretch is used outside of it too."""
    gone, come = ids_in(was), ids_in(now)
    known = old.ids
    if any(known.count(name) != gone.get(name, 0) for name in {*gone, *come}):
        return None
    return known.changed(gone, come)


def _put_sides(index: Index, old: Index, stretch: Stretch) -> int:
    """Sides; by how much the numbers of those behind move."""
    start, stop, end = stretch
    first = old.side_numbers[start] if start else 0
    last = old.side_numbers[stop] if stop < len(old.messages) else len(old.sides)
    fresh = [moved_side(side, Shift(start, first)) for side in sides_of(index.messages[start:end])]
    more = len(fresh) - (last - first)
    sides = as_spliced(old.sides, moved_side)
    index.__dict__["sides"] = sides.spliced(first, last, fresh, Shift(end - stop, more))
    index.__dict__["side_numbers"] = SideNumbers(index.sides)
    return more


def _put_turns(index: Index, old: Index, stretch: Stretch) -> int:
    """Turns; by how much the numbers of those behind move."""
    start, stop, end = stretch
    first, last = bisect_left(old.turn_starts, start), bisect_left(old.turn_starts, stop)
    fresh = [
        moved_turn(turn, Shift(start))
        for turn in turns_of(index.messages[start:end], old.first_turn + first)
    ]
    more, by = len(fresh) - (last - first), end - stop
    turns = as_spliced(old.turns, moved_turn)
    index.__dict__["turns"] = turns.spliced(first, last, fresh, Shift(by, 0, more))
    starts = old.turn_starts
    behind = [at + by for at in starts[last:]] if by else starts[last:]
    index.__dict__["turn_starts"] = [*starts[:first], *(turn.start for turn in fresh), *behind]
    return more


def _put_links(index: Index, old: Index, stretch: Stretch, shift: Shift) -> None:
    start, stop, end = stretch
    begins = [bisect_left(old.links, at, key=_first_message) for at in (start, stop)]
    ends = ends_of(index.messages, index.side_numbers, range(start, end))
    fresh = links_of(index.messages, index.sides, ends)
    first, last = begins
    index.__dict__["links"] = as_spliced(old.links, moved_link).spliced(first, last, fresh, shift)
    new = {end.block: first + k for k, link in enumerate(fresh) for end in link.ends}
    step = Step(first, last, len(fresh) - (last - first))
    index.__dict__["link_numbers"] = moving_numbers(old.link_numbers).stepped(step, new)
    index.__dict__["link_of"] = LinkOf(index.links, index.link_numbers)
    index.__dict__["far"] = (
        *(far for far in old.far if far[1] < start),
        *(link.reach for link in fresh if link.is_far),
        *((a + shift.messages, b + shift.messages) for a, b in old.far if a >= stop),
    )


def _put_places(index: Index, old: Index, stretch: Stretch) -> None:
    start, stop, end = stretch
    fresh = {
        block: Place(number, k)
        for number, message in enumerate(index.messages[start:end], start)
        for k, block in enumerate(message.blocks)
    }
    moving = moving_places(old.places).stepped(Step(start, stop, end - stop), fresh)
    index.__dict__["places"] = Places(moving, index.messages)
    index.__dict__["record_of"] = RecordOf(index.places, index.messages)


def _first_message(link: Link) -> int:
    return first_place(link).message
