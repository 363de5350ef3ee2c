"""The index: everything that is asked of a tape again and again, worked out once.

A question that two rules ask belongs here; rules never import rules.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

from tapeview.tape.block import (
    CALLS,
    CLIENT_CALL,
    CLIENT_RESULT,
    RESULTS,
    Block,
    BlockFacts,
    Place,
)
from tapeview.tape.link import (
    LINK_STATES,
    End,
    Ends,
    Link,
    LinkState,
    ends_of,
    has_id,
    links_of,
)
from tapeview.tape.message import Message, Side, sides_of, signed_in, size_of
from tapeview.tape.moved import LinkOf, Places, RecordOf, moved_link, moving_numbers, moving_places
from tapeview.tape.record import Record, Role
from tapeview.tape.spliced import Tally, as_spliced
from tapeview.tape.stored import Stored
from tapeview.tape.swap import Swap
from tapeview.tape.tape import Frame
from tapeview.tape.tool_run import ToolRun, tool_runs
from tapeview.tape.turn import Turn, turns_of

__all__ = ["Index"]


class Index:
    """Sides, turns, links and places of one ``messages`` array. Derived values only, all lazy."""

    def __init__(
        self,
        messages: Sequence[Message],
        frame: Frame,
        dialect: str,
        first_turn: int = 1,
        stored: Stored | None = None,
    ) -> None:
        self.messages = messages
        self.frame = frame
        self.dialect = dialect
        self.first_turn = first_turn
        self.stored = stored
        """The file, where it is looked at itself."""

    def swapped(
        self, messages: Sequence[Message], swap: Swap, stored: Stored | None = None
    ) -> "Index":
        """The index after an edit that changes texts alone; what is known of this one is kept."""
        index = Index(messages, self.frame, self.dialect, self.first_turn, stored)
        known = self.__dict__
        fresh = index.__dict__
        for name in ("sides", "side_numbers", "turns", "turn_starts", "ids", "far"):
            if name in known:
                fresh[name] = known[name]
        if "links" in known:
            numbers = moving_numbers(self.link_numbers)
            links = as_spliced(self.links, moved_link)
            for number in {numbers[block] for block in swap.blocks if block in numbers}:
                links = links.spliced(number, number + 1, [_swapped_link(links[number], swap)])
            fresh["links"] = links
            fresh["link_numbers"] = numbers.rekeyed(swap.blocks)
            fresh["link_of"] = LinkOf(links, fresh["link_numbers"])
        if "places" in known:
            places = moving_places(self.places).rekeyed(swap.blocks)
            fresh["places"] = Places(places, messages)
            fresh["record_of"] = RecordOf(fresh["places"], messages)
        if {"sizes", "signed", "places"}.issubset(known):
            fresh["signed"], sizes = known["signed"], list(known["sizes"])
            stood = [self.places[block] for block in swap.blocks if block in self.places]
            for number in {place.message for place in stood}:
                sizes[number] = size_of(messages[number])
            fresh["sizes"] = sizes
        return index

    @cached_property
    def sides(self) -> Sequence[Side]:
        """Sides in order."""
        return sides_of(self.messages)

    @cached_property
    def side_numbers(self) -> Mapping[int, int]:
        """Message index to side number; transparent messages are absent."""
        return {number: side.number for side in self.sides for number in side.messages}

    @cached_property
    def turns(self) -> Sequence[Turn]:
        """Turns in order."""
        return turns_of(self.messages, self.first_turn)

    @cached_property
    def links(self) -> Sequence[Link]:
        """Links in order of their first end."""
        return links_of(self.messages, self.sides, self._all_ends)

    @cached_property
    def link_of(self) -> Mapping[Block, Link]:
        """Each call and result to its link."""
        return {end.block: link for link in self.links for end in link.ends}

    @cached_property
    def link_numbers(self) -> Mapping[Block, int]:
        """The number of the link of each call and result."""
        return {end.block: number for number, link in enumerate(self.links) for end in link.ends}

    @cached_property
    def far(self) -> Sequence[tuple[int, int]]:
        """The first and last message of each link whose result is not right behind its call."""
        return [link.reach for link in self.links if link.is_far]

    @cached_property
    def ids(self) -> Tally:
        """How often each id of a call or a result is used."""
        return Tally(dict(Counter([end.block.id for ends in self._all_ends for end in ends])))

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
        for some in self._all_ends:
            for end in some:
                ends[end.block.kind].append(end)
        return ends

    @cached_property
    def _all_ends(self) -> Ends:
        return ends_of(self.messages, self.side_numbers)

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

    @cached_property
    def calls_by_id(self) -> Mapping[int, Mapping[str, Sequence[End]]]:
        """Client calls of each assistant side by id, in order."""
        return self._by_id(self.calls_by_side, "assistant")

    @cached_property
    def results_by_id(self) -> Mapping[int, Mapping[str, Sequence[End]]]:
        """Client results of each user side by the id they carry, in order."""
        return self._by_id(self.results_by_side, "user")

    def _by_id(
        self, groups: Mapping[int, Sequence[End]], role: Role
    ) -> Mapping[int, Mapping[str, Sequence[End]]]:
        """Ends whose id is absent or no text are left out: they can match nothing."""
        found: dict[int, dict[str, list[End]]] = {}
        for number, ends in groups.items():
            if number < 0 or self.sides[number].role != role:
                continue
            by_id = found.setdefault(number, {})
            for end in ends:
                if has_id(end.block):
                    by_id.setdefault(end.block.id, []).append(end)
        return found

    @cached_property
    def unanswered(self) -> Mapping[int, Sequence[End]]:
        """Client calls that the next side does not answer, by side; the first of an id only."""
        return {
            number: [calls[0] for call, calls in by_id.items() if call not in self._answers(number)]
            for number, by_id in self.calls_by_id.items()
        }

    def _answers(self, number: int) -> Mapping[str, Sequence[End]]:
        return self.results_by_id.get(number + 1, {})

    @cached_property
    def answers_behind(self) -> Mapping[int, Sequence[End]]:
        """Results that answer the side before from behind another block, by user side.

        Only the first result of an id counts.
        """
        found: dict[int, Sequence[End]] = {}
        for number, by_id in self.results_by_id.items():
            asked = self.calls_by_id.get(number - 1)
            other = self.first_other(self.sides[number]) if asked else None
            if asked and other is not None:
                found[number] = [
                    results[0]
                    for call, results in by_id.items()
                    if call in asked and results[0].place > other
                ]
        return found

    def first_other(self, side: Side) -> Place | None:
        """The first block of a user side that is no client result; None where there is none.

        The string ``""`` is an empty message, not a block (``rules.md`` 11.1).
        """
        for number in side.messages:
            for k, block in enumerate(self.messages[number].blocks):
                empty = block.path == ("content",) and block.facts & BlockFacts.EMPTY
                if block.kind != CLIENT_RESULT and not empty:
                    return Place(number, k)
        return None

    @cached_property
    def tool_runs(self) -> Sequence[ToolRun]:
        """Chat: the runs of ``tool`` messages, in order."""
        return tool_runs(self.messages)

    @cached_property
    def run_of(self) -> Mapping[int, ToolRun]:
        """Chat: the run of each assistant message with calls and of each ``tool`` message."""
        return {number: run for run in self.tool_runs for number in range(run.start, run.end)}

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
    def record_of(self) -> Mapping[Block, Record]:
        """The record that holds each block."""
        return {
            block: record
            for message in self.messages
            for record in message.records
            for block in record.blocks
        }

    @cached_property
    def turn_starts(self) -> Sequence[int]:
        """The message with which each turn begins."""
        return [turn.start for turn in self.turns]

    def turn_of(self, message: int) -> Turn | None:
        """The last turn that starts at or before a message; None before the first."""
        found = bisect_right(self.turn_starts, message)
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
    def signed(self) -> Sequence[int]:
        """How many signed thinking blocks each message has."""
        return [signed_in(message) for message in self.messages]

    @cached_property
    def sizes(self) -> Sequence[int]:
        """Bytes that the blocks of each message carry."""
        return [size_of(message) for message in self.messages]


def _swapped_link(link: Link, swap: Swap) -> Link:
    def swapped(end: End) -> End:
        return End(swap.blocks.get(end.block, end.block), end.place, end.side)

    call = swapped(link.call) if link.call is not None else None
    return Link(link.state, call, tuple(swapped(end) for end in link.results))


def _grouped(ends: Sequence[End]) -> Mapping[int, Sequence[End]]:
    groups: dict[int, list[End]] = defaultdict(list)
    for end in ends:
        groups[end.side].append(end)
    return groups
