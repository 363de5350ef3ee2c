"""The index: everything that is asked of a tape again and again, worked out once.

A question that two rules ask belongs here; rules never import rules.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

from tapeview.tape.block import CALLS, CLIENT_CALL, CLIENT_RESULT, RESULTS, Block, Place
from tapeview.tape.link import LINK_STATES, End, Link, LinkState, links_of
from tapeview.tape.message import Message, Side, sides_of
from tapeview.tape.tape import Frame
from tapeview.tape.turn import Turn, turns_of

__all__ = ["Index"]


class Index:
    """Sides, turns, links and places of one ``messages`` array. Derived values only, all lazy."""

    def __init__(self, messages: Sequence[Message], frame: Frame, dialect: str) -> None:
        self.messages = messages
        self.frame = frame
        self.dialect = dialect

    @cached_property
    def sides(self) -> tuple[Side, ...]:
        """Sides in order."""
        return sides_of(self.messages)

    @cached_property
    def side_numbers(self) -> Mapping[int, int]:
        """Message index to side number; transparent messages are absent."""
        return {number: side.number for side in self.sides for number in side.messages}

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """Turns in order."""
        return turns_of(self.messages)

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """Links in order of their first end."""
        return links_of(self.messages, self.sides)

    @cached_property
    def link_of(self) -> Mapping[Block, Link]:
        """Each call and result to its link."""
        return {end.block: link for link in self.links for end in link.ends}

    @cached_property
    def link_counts(self) -> dict[LinkState, int]:
        """How many links are in each state, all states named."""
        counts = dict.fromkeys(LINK_STATES, 0)
        for link in self.links:
            counts[link.state] += 1
        return counts

    @cached_property
    def _ends(self) -> Mapping[str, Sequence[End]]:
        """Calls and results by block type, in order."""
        ends: dict[str, list[End]] = defaultdict(list)
        sides = self.side_numbers
        for number, message in enumerate(self.messages):
            for k, block in enumerate(message.blocks):
                if block.kind in CALLS or block.kind in RESULTS:
                    ends[block.kind].append(End(block, Place(number, k), sides.get(number, -1)))
        return ends

    @property
    def calls(self) -> Sequence[End]:
        """Client calls (``tool_use``), in order."""
        return self._ends.get(CLIENT_CALL, ())

    @property
    def results(self) -> Sequence[End]:
        """Client results (``tool_result``), in order."""
        return self._ends.get(CLIENT_RESULT, ())

    @cached_property
    def server_calls(self) -> Sequence[End]:
        """Calls of tools that the API runs itself, in order."""
        return self._merged(CALLS - {CLIENT_CALL})

    @cached_property
    def server_results(self) -> Sequence[End]:
        """Results of tools that the API ran itself, in order."""
        return self._merged(RESULTS - {CLIENT_RESULT})

    def _merged(self, kinds: frozenset[str]) -> Sequence[End]:
        ends = [end for kind in kinds for end in self._ends.get(kind, ())]
        return sorted(ends, key=lambda end: end.place)

    @cached_property
    def calls_by_side(self) -> Mapping[int, Sequence[End]]:
        """Client calls of each side."""
        return _grouped(self.calls)

    @cached_property
    def results_by_side(self) -> Mapping[int, Sequence[End]]:
        """Client results of each side."""
        return _grouped(self.results)

    def role_of(self, end: End) -> str:
        """The role of the message an end stands in."""
        return self.messages[end.place.message].role

    def side(self, number: int) -> Side | None:
        """The side of that number; None before the first and after the last."""
        return self.sides[number] if 0 <= number < len(self.sides) else None

    def blocks_of(self, side: Side) -> list[tuple[Place, Block]]:
        """All blocks of a side, as the API combines them."""
        return [
            (Place(number, k), block)
            for number in side.messages
            for k, block in enumerate(self.messages[number].blocks)
        ]

    def block_at(self, place: Place) -> Block | None:
        """The block at a place; None for a whole message."""
        return self.messages[place.message].blocks[place.block] if place.block >= 0 else None

    @cached_property
    def places(self) -> Mapping[Block, Place]:
        """Where each block stands."""
        return {
            block: Place(number, k)
            for number, message in enumerate(self.messages)
            for k, block in enumerate(message.blocks)
        }

    @cached_property
    def _turn_starts(self) -> Sequence[int]:
        return [turn.start for turn in self.turns]

    def turn_of(self, message: int) -> Turn | None:
        """The last turn that starts at or before a message; None before the first."""
        found = bisect_right(self._turn_starts, message)
        return self.turns[found - 1] if found else None

    def path(self, place: Place) -> str:
        """The place as the API spells it."""
        number, block, nested = place
        if number < 0:
            return "messages"
        steps = [f"messages.{number}"]
        if block >= 0 and (inner := self.messages[number].path_of(block)):
            steps.append(inner)
        if nested >= 0:
            steps.append(f"content.{nested}")
        return ".".join(steps)

    @cached_property
    def sizes(self) -> Sequence[int]:
        """Bytes that the blocks of each message carry."""
        return [sum(block.size for block in message.blocks) for message in self.messages]


def _grouped(ends: Sequence[End]) -> Mapping[int, Sequence[End]]:
    groups: dict[int, list[End]] = defaultdict(list)
    for end in ends:
        groups[end.side].append(end)
    return groups
