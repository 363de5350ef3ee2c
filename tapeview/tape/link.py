"""Links: a tool_use and the tool_results that carry its id.

Client calls pair across sides: a result answers a call of the assistant side just before its own.
Server calls pair inside their assistant side, or with the next one for a deferred tool
(``rules.md`` 2.5). What is left over is looked for further away: late or early.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from tapeview.tape.block import (
    CALLS,
    CLIENT_CALL,
    CLIENT_RESULT,
    RESULTS,
    Block,
    BlockFacts,
    Place,
)
from tapeview.tape.message import Message, Side

__all__ = [
    "LINK_STATES",
    "End",
    "Ends",
    "Link",
    "LinkState",
    "ends_of",
    "first_place",
    "has_id",
    "links_of",
]

LinkState = Literal[
    "answered", "pending", "dangling", "orphan", "late", "early", "doubled", "swapped"
]
LINK_STATES: tuple[LinkState, ...] = (
    "answered",
    "pending",
    "dangling",
    "orphan",
    "late",
    "early",
    "doubled",
    "swapped",
)


_Key = str | tuple[str, str] | None
"""What a call and its results share: a client's id; ``("server", id)``; ``("by name", name)``."""


class End(msgspec.Struct, frozen=True, gc=False, eq=False):
    """One end of a link: a block and where it stands."""

    block: Block
    place: Place
    side: int
    """The side's number; -1 for a message that belongs to none."""


class Link(msgspec.Struct, frozen=True, gc=False, eq=False):
    """A call (None for an orphan) and its results (none for a dangling or pending call)."""

    state: LinkState
    call: End | None
    results: tuple[End, ...]

    @property
    def ends(self) -> tuple[End, ...]:
        """All ends, the call first."""
        return self.results if self.call is None else (self.call, *self.results)

    @property
    def is_far(self) -> bool:
        """Whether a result stands anywhere but in the side behind its call."""
        call = self.call
        return call is not None and any(end.side != call.side + 1 for end in self.results)

    @property
    def reach(self) -> tuple[int, int]:
        """The first and the last message that it touches."""
        messages = [end.place.message for end in self.ends]
        return min(messages), max(messages)

    def state_of(self, block: Block) -> LinkState:
        """The state as it shows at one end: only the second result of a doubled link is doubled."""
        if self.state == "doubled" and (
            (self.call is not None and block is self.call.block) or block is self.results[0].block
        ):
            return "answered"
        if self.state == "swapped" and self.call is not None and block is self.call.block:
            return "answered"
        return self.state


class _Candidates:
    """The calls of one id, walked once, while results are looked at in their order."""

    def __init__(self, calls: Sequence[End]) -> None:
        self.calls = sorted(calls, key=lambda end: end.place)
        self.passed = 0
        self._open: list[End] = []
        self._next = 0

    def earlier(self, result: End, answers: Mapping[Block, object]) -> End | None:
        """The last open call before the result; it is taken, and not given again."""
        while self.passed < len(self.calls) and self.calls[self.passed].place < result.place:
            if self.calls[self.passed].block not in answers:
                self._open.append(self.calls[self.passed])
            self.passed += 1
        return self._open.pop() if self._open else None

    def later(self, answers: Mapping[Block, object]) -> End | None:
        """The first open call behind the last result that was looked at."""
        self._next = max(self._next, self.passed)
        while self._next < len(self.calls) and self.calls[self._next].block in answers:
            self._next += 1
        return self.calls[self._next] if self._next < len(self.calls) else None


class _Pairing:
    """Calls and results of one tape on their way to becoming links."""

    def __init__(self, sides: Sequence[Side], ends: "Ends") -> None:
        self.sides = sides
        self.calls: dict[int, list[End]] = {}
        self.results: dict[int, list[End]] = {}
        self.by_key: dict[int, dict[_Key, list[End]]] = {}
        for end in ends.calls:
            self.calls.setdefault(end.side, []).append(end)
            self.by_key.setdefault(end.side, {}).setdefault(_key(end.block), []).append(end)
        for end in ends.results:
            self.results.setdefault(end.side, []).append(end)
        self.answers: dict[Block, list[End]] = {}
        self.far: dict[Block, LinkState] = {}
        self.orphans: list[End] = []

    def pair(self) -> None:
        left: list[End] = []
        for side, results in self.results.items():
            taken: dict[tuple[int, _Key], int] = {}
            for result in results:
                call = self._near_call(side, result, taken)
                if call is None:
                    left.append(result)
                else:
                    self.answers.setdefault(call.block, []).append(result)
        if left:
            self._pair_far(left)

    def _near_call(self, side: int, result: End, taken: dict[tuple[int, _Key], int]) -> End | None:
        """The call that the result answers where it should; the nth result of an id to the nth."""
        if side < 0 or (key := _key(result.block)) is None:
            return None
        client = result.block.kind == CLIENT_RESULT
        if client and self.sides[side].role != "user":
            return None
        for near in (side - 1,) if client else (side, side - 2):
            calls = self.by_key.get(near, {}).get(key) if near >= 0 else None
            if not calls or (near == side and calls[0].place > result.place):
                continue
            if len(calls) == 1:
                return calls[0]
            turn = taken.get((near, key), 0)
            taken[near, key] = turn + 1
            return calls[min(turn, len(calls) - 1)]
        return None

    def _pair_far(self, left: list[End]) -> None:
        by_key: dict[_Key, list[End]] = defaultdict(list)
        for calls in self.calls.values():
            for call in calls:
                by_key[_key(call.block)].append(call)
        rows: dict[_Key, _Candidates] = {
            key: _Candidates(calls) for key, calls in by_key.items() if key is not None
        }
        nobody = _Candidates(())
        for result in sorted(left, key=lambda end: end.place):
            row = rows.get(_key(result.block), nobody)
            earlier, later = row.earlier(result, self.answers), row.later(self.answers)
            if earlier is not None:
                self._answer_far(earlier, result, "late")
            elif later is not None:
                self._answer_far(later, result, "early")
            elif row.passed:
                self.answers[row.calls[row.passed - 1].block].append(result)
            else:
                self.orphans.append(result)

    def _answer_far(self, call: End, result: End, state: LinkState) -> None:
        self.answers[call.block] = [result]
        self.far[call.block] = state


def has_id(block: Block) -> bool:
    """Whether the block has an id of text; without one it can match nothing."""
    return not block.facts & (BlockFacts.ID_ABSENT | BlockFacts.ID_NOT_TEXT)


class Ends(NamedTuple):
    """All calls and all results of a tape, in order."""

    calls: Sequence[End]
    results: Sequence[End]


def ends_of(
    messages: Sequence[Message], side_of: Mapping[int, int], numbers: range | None = None
) -> Ends:
    """Where the calls and results of a tape stand, or of some messages of it.

    ``side_of``: message number to side number.
    """
    calls: list[End] = []
    results: list[End] = []
    some = messages if numbers is None else messages[numbers.start : numbers.stop]
    for number, message in enumerate(some, numbers.start if numbers is not None else 0):
        for k, block in enumerate(message.blocks):
            if block.kind in CALLS:
                calls.append(End(block, Place(number, k), side_of.get(number, -1)))
            elif block.kind in RESULTS:
                results.append(End(block, Place(number, k), side_of.get(number, -1)))
    return Ends(calls, results)


def links_of(
    messages: Sequence[Message], sides: Sequence[Side], ends: Ends | None = None
) -> tuple[Link, ...]:
    """Every link of the tape, or those between some ends, ordered by its first end."""
    if ends is None:
        side_of = {number: side.number for side in sides for number in side.messages}
        ends = ends_of(messages, side_of)
    pairing = _Pairing(sides, ends)
    pairing.pair()
    waiting = _waiting_sides(messages, sides)
    swapped = _swapped(pairing)
    links: list[Link] = []
    for side, calls in pairing.calls.items():
        for call in calls:
            results = tuple(pairing.answers.get(call.block, ()))
            if not results:
                state: LinkState = "pending" if side in waiting else "dangling"
            elif len(results) > 1:
                state = "doubled"
            elif results[0].block in swapped:
                state = "swapped"
            else:
                state = pairing.far.get(call.block, "answered")
            links.append(Link(state, call, results))
    links += [Link("orphan", None, (end,)) for end in pairing.orphans]
    links.sort(key=first_place)
    return tuple(links)


def first_place(link: Link) -> Place:
    """Where a link begins on the tape."""
    if link.call is None:
        return link.results[0].place
    if not link.results:
        return link.call.place
    return min(link.call.place, link.results[0].place)


def _key(block: Block) -> _Key:
    """What a call and its results have in common; None where nothing can match."""
    if block.facts & (BlockFacts.LEGACY | BlockFacts.ID_ABSENT | BlockFacts.ID_NOT_TEXT):
        return ("by name", block.name) if block.facts & BlockFacts.LEGACY else None
    if block.kind in (CLIENT_CALL, CLIENT_RESULT):
        return block.id
    return ("server", block.id)


def _waiting_sides(messages: Sequence[Message], sides: Sequence[Side]) -> frozenset[int]:
    """The side whose open calls still wait: the last assistant side, if only results follow it."""
    if not sides:
        return frozenset()
    last = sides[-1]
    if last.role == "assistant":
        return frozenset({last.number})
    only_results = all(
        block.kind == CLIENT_RESULT for number in last.messages for block in messages[number].blocks
    )
    if only_results and len(sides) > 1:
        return frozenset({last.number - 1})
    return frozenset()


def _swapped(pairing: _Pairing) -> frozenset[Block]:
    """Results of one side that stand in another order than their calls."""
    found: set[Block] = set()
    for calls in pairing.calls.values():
        firsts = [
            pairing.answers[call.block][0]
            for call in calls
            if call.block in pairing.answers
            and call.block.kind == CLIENT_CALL
            and call.block not in pairing.far
        ]
        places = [end.place for end in firsts]
        ordered = sorted(places)
        if places != ordered:
            wrong = {have for have, should in zip(places, ordered, strict=True) if have != should}
            found.update(end.block for end in firsts if end.place in wrong)
    return frozenset(found)
