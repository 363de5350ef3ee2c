"""What is derived of a tape with other numbers, and mappings whose values are moved when asked for.

An edit moves the numbers of all that stands behind it; few of them are ever looked at again.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from tapeview.tape.block import Block, Place
from tapeview.tape.link import End, Link
from tapeview.tape.message import Message, Side
from tapeview.tape.record import Record
from tapeview.tape.spliced import Moving, Shift
from tapeview.tape.turn import Turn

__all__ = [
    "LinkOf",
    "Places",
    "RecordOf",
    "SideNumbers",
    "moved_link",
    "moved_side",
    "moved_turn",
    "moving_numbers",
    "moving_places",
]

K = TypeVar("K")


def moved_side(side: Side, shift: Shift) -> Side:
    """A side whose messages have other numbers."""
    numbers = tuple([number + shift.messages for number in side.messages])
    return Side(side.number + shift.sides, side.role, numbers)


def moved_turn(turn: Turn, shift: Shift) -> Turn:
    """A turn whose messages have other numbers."""
    by = shift.messages
    return Turn(turn.number + shift.turns, turn.start + by, turn.stop + by, turn.end + by)


def moved_link(link: Link, shift: Shift) -> Link:
    """A link whose messages have other numbers."""

    def moved(end: End) -> End:
        message, block, nested = end.place
        side = end.side + shift.sides if end.side >= 0 else end.side
        return End(end.block, Place(message + shift.messages, block, nested), side)

    call = moved(link.call) if link.call is not None else None
    return Link(link.state, call, tuple([moved(end) for end in link.results]))


def moving_numbers(base: Mapping[K, int]) -> Moving[K, int]:
    """Numbers that edits move."""
    if isinstance(base, Moving):
        return base
    return Moving(base, _itself, _other)


def moving_places(base: Mapping[Block, Place]) -> Moving[Block, Place]:
    """Places whose messages edits move."""
    if isinstance(base, Places):
        return base.moving
    return Moving(base, _message_of, _in_message)


def _itself(number: int) -> int:
    return number


def _other(was: int, number: int) -> int:
    del was
    return number


def _message_of(place: Place) -> int:
    return place[0]


def _in_message(place: Place, number: int) -> Place:
    return Place(number, place[1], place[2])


class Places(Mapping[Block, Place]):
    """Where each block of a tape stands, in the order of the tape."""

    def __init__(self, moving: Moving[Block, Place], messages: Sequence[Message]) -> None:
        self.moving = moving
        self._messages = messages

    def __getitem__(self, block: Block) -> Place:
        return self.moving[block]

    def __iter__(self) -> Iterator[Block]:
        return (block for message in self._messages for block in message.blocks)

    def __len__(self) -> int:
        return sum([len(message.blocks) for message in self._messages])


class RecordOf(Mapping[Block, Record]):
    """The record that holds each block of a tape."""

    def __init__(self, places: Mapping[Block, Place], messages: Sequence[Message]) -> None:
        self._places = places
        self._messages = messages

    def __getitem__(self, block: Block) -> Record:
        return self._messages[self._places[block].message].record_of(block)

    def __iter__(self) -> Iterator[Block]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class LinkOf(Mapping[Block, Link]):
    """The link of each call and result."""

    def __init__(self, links: Sequence[Link], numbers: Mapping[Block, int]) -> None:
        self._links = links
        self._numbers = numbers

    def __getitem__(self, block: Block) -> Link:
        return self._links[self._numbers[block]]

    def __iter__(self) -> Iterator[Block]:
        return (end.block for link in self._links for end in link.ends)

    def __len__(self) -> int:
        return sum(len(link.ends) for link in self._links)


class SideNumbers(Mapping[int, int]):
    """The side of each message; messages that belong to none are absent."""

    def __init__(self, sides: Sequence[Side]) -> None:
        self._sides = sides

    def __getitem__(self, message: int) -> int:
        at = bisect_right(self._sides, message, key=_first_of) - 1
        if at < 0 or message not in self._sides[at].messages:
            raise KeyError(message)
        return at

    def __iter__(self) -> Iterator[int]:
        return (number for side in self._sides for number in side.messages)

    def __len__(self) -> int:
        return sum(len(side.messages) for side in self._sides)


def _first_of(side: Side) -> int:
    return side.messages[0]
