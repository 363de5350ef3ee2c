"""Whether calls keep their results when messages and blocks stand in another order."""

from collections.abc import Collection, Iterable, Sequence

from tapeview.edit.operations import Pairs
from tapeview.edit.work import Work
from tapeview.errors import PairSplit
from tapeview.tape.block import CLIENT_CALL, CLIENT_RESULT, Block

__all__ = ["Rows", "around", "keep_together", "rows_of"]

Rows = list[tuple[str, list[Block]]]
"""The messages of a tape in order: role and blocks."""


def rows_of(work: Work, numbers: Iterable[int] | None = None) -> Rows:
    """The tape as it is, or some of its messages."""
    some = work.messages if numbers is None else [work.messages[number] for number in numbers]
    return [(message.role, list(message.blocks)) for message in some]


def around(work: Work, numbers: Iterable[int]) -> Sequence[int]:
    """The messages in whose pairs a change of some can matter: all, or those around these.

    A pair that stands as it should is a run of replies and what users say behind it. So the way to
    the next beginning of such a run is enough, with one further run on both sides.
    """
    count = len(work.messages)
    if work.session.dialect != "anthropic":
        return range(count)
    roles = [message.role for message in work.messages]
    found: set[int] = set()
    for number in numbers:
        start, stop = number, number + 1
        for _ in range(2):
            start = next((k for k in range(start - 1, 0, -1) if _begins(roles, k)), 0)
            stop = next((k for k in range(stop + 1, count) if _begins(roles, k)), count)
        found.update(range(start, stop))
    return sorted(found)


def _begins(roles: Sequence[str], number: int) -> bool:
    return roles[number - 1] == "user" and roles[number] == "assistant"


def keep_together(
    work: Work,
    rows: Rows,
    pairs: Pairs,
    moved: Collection[Block] = (),
    before: Rows | None = None,
) -> None:
    """Raise ``PairSplit`` where the order ``rows`` parts a call from its result unasked.

    ``moved`` are the blocks that change their place: the other ends are named. ``before`` is the
    order of now, where ``rows`` are only some messages.
    """
    if pairs != "ask":
        return
    index = work.index
    was = _Order(work, rows_of(work) if before is None else before)
    after = _Order(work, rows)
    places: list[str] = []
    touched = {index.link_numbers[block] for block in was.place if block in index.link_numbers}
    for link in (index.links[number] for number in sorted(touched)):
        if link.call is None or link.call.block.kind != CLIENT_CALL:
            continue
        for result in link.results[:1]:
            call = link.call
            held = was.is_whole(call.block, result.block)
            if held and not after.is_whole(call.block, result.block):
                ends = [end for end in (call, result) if end.block not in moved]
                places += [work.index.path(end.place) for end in ends or (call, result)]
    if places:
        listed = ", ".join(places[:3]) + (f" and {len(places) - 3} more" if places[3:] else "")
        raise PairSplit(f"this parts calls from their results: {listed}; say keep.", tuple(places))


class _Order:
    """One order of a tape's messages, and which results stand where they are looked for."""

    def __init__(self, work: Work, rows: Rows) -> None:
        self.rows = rows
        self.is_chat = work.session.dialect != "anthropic"
        self.is_mended = work.session.harness
        """The harness puts results before what else the user side holds, but sends each reply
        alone: another reply between parts a pair."""
        self.place = {
            block: (number, k)
            for number, (_, blocks) in enumerate(rows)
            for k, block in enumerate(blocks)
        }

    def is_whole(self, call: Block, result: Block) -> bool:
        """Whether the result stands in the user side right behind its call, results first."""
        if call not in self.place or result not in self.place:
            return False
        begin, (end, k) = self.place[call][0], self.place[result]
        if begin >= end or self.rows[end][0] != "user":
            return False
        between = self.rows[begin + 1 : end]
        if self.is_chat:
            return all(role == "user" and _only_results(blocks) for role, blocks in between)
        if self.is_mended:
            return all(role != "assistant" for role, _ in between)
        roles = [role for role, _ in between if role in ("user", "assistant")]
        if roles != sorted(roles):
            return False
        first = [blocks for role, blocks in between if role == "user"] + [self.rows[end][1][:k]]
        return all(_only_results(blocks) for blocks in first)


def _only_results(blocks: Sequence[Block]) -> bool:
    return all(block.kind == CLIENT_RESULT for block in blocks)
