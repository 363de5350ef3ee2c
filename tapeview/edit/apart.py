"""Whether calls keep their results when messages and blocks stand in another order."""

from collections.abc import Collection, Sequence

from tapeview.edit.operations import Pairs
from tapeview.edit.work import Work
from tapeview.errors import PairSplit
from tapeview.tape.block import CLIENT_CALL, CLIENT_RESULT, Block

__all__ = ["Rows", "keep_together", "rows_of"]

Rows = list[tuple[str, list[Block]]]
"""The messages of a tape in order: role and blocks."""


def rows_of(work: Work) -> Rows:
    """The tape as it is."""
    return [(message.role, list(message.blocks)) for message in work.messages]


def keep_together(work: Work, rows: Rows, pairs: Pairs, moved: Collection[Block] = ()) -> None:
    """Raise ``PairSplit`` where the order ``rows`` parts a call from its result unasked.

    ``moved`` are the blocks that change their place: the other ends are named.
    """
    if pairs != "ask":
        return
    before, after = _Order(work, rows_of(work)), _Order(work, rows)
    places: list[str] = []
    for link in work.index.links:
        if link.call is None or link.call.block.kind != CLIENT_CALL:
            continue
        for result in link.results[:1]:
            call = link.call
            held = before.is_whole(call.block, result.block)
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
