"""TU001."""

from collections.abc import Iterator
from typing import ClassVar

from tapeview.rules._rule import Bad, Fault, Good, Rule
from tapeview.tape.block import BlockFacts
from tapeview.tape.index import Index
from tapeview.tape.link import End, Link

__all__ = ["DanglingToolUse"]

ASK = {"role": "user", "content": "Which orders are open?"}
CALL_A = {"type": "tool_use", "id": "toolu_a", "name": "orders", "input": {}}
CALL_B = {"type": "tool_use", "id": "toolu_b", "name": "stock", "input": {}}
RESULT_A = {"type": "tool_result", "tool_use_id": "toolu_a", "content": "none"}


class DanglingToolUse(Rule):
    """A call of a tool has no result in the user side that follows it.

    The API refuses the whole request: every `tool_use` of an assistant side must be answered by a
    `tool_result` with its id in the next user side, however many messages that side is made of. One
    bad call keeps a session from ever going on, since the same array is sent again at each try. It
    comes from a process killed during a call, a snapshot taken while tools ran, and histories
    trimmed between call and result.

    Mend it by answering the call as interrupted (R1), by taking the call out (R2), or by cutting
    the tape before the turn (R3). Where the result does exist further down, move it up (R4): an
    invented answer would contradict it.
    """

    code: ClassVar[str] = "TU001"
    name: ClassVar[str] = "dangling-tool-use"
    rank: ClassVar[int] = 44
    repairs: ClassVar[tuple[str, ...]] = ("R1", "R2", "R3", "R4")
    mended: ClassVar[str] = "resume drops it"
    good = (
        Good(
            "results split over two user messages are one side",
            [
                ASK,
                {"role": "assistant", "content": [CALL_A]},
                {"role": "user", "content": [RESULT_A]},
                {"role": "user", "content": "Go on."},
            ],
        ),
    )
    bad = (
        Bad(
            "the process was killed before the tool ran",
            [ASK, {"role": "assistant", "content": [CALL_A]}],
            ("messages.1.content.0",),
        ),
        Bad(
            "one of two parallel results was lost",
            [
                ASK,
                {"role": "assistant", "content": [CALL_A, CALL_B]},
                {"role": "user", "content": [RESULT_A]},
            ],
            ("messages.1.content.1",),
        ),
    )

    def find(self, index: Index) -> Iterator[Fault]:
        """Calls of assistant sides without a result in the next side."""
        for side in index.calls_by_side:
            for call in _unanswered(index, side):
                link = index.link_of[call.block]
                waits = link.state == "pending"
                yield Fault(call.place, _sentence(call, link, index), (call.block.id,), waits)

    def api_path(self, fault: Fault, index: Index) -> str:
        """The message of the call, as most reports have it."""
        return f"messages.{fault.place.message}"

    def api_message(self, fault: Fault, index: Index) -> str:
        """One message names all unanswered ids of the side."""
        side = index.side_numbers[fault.place.message]
        ids = [call.block.id for call in _unanswered(index, side)]
        return (
            f"messages.{fault.place.message}: `tool_use` ids were found without `tool_result` "
            f"blocks immediately after: {', '.join(ids)}. Each `tool_use` block must have a "
            "corresponding `tool_result` block in the next message."
        )

    def repairs_for(self, fault: Fault, index: Index) -> tuple[str, ...]:
        """Moving a result is offered only where there is one to move."""
        block = index.block_at(fault.place)
        link = index.link_of.get(block) if block is not None else None
        return self.repairs if link is not None and link.results else self.repairs[:3]


def _unanswered(index: Index, side: int) -> Iterator[End]:
    """The side's calls without a result where one must be; a repeated id counts once (TU002)."""
    if side < 0 or index.sides[side].role != "assistant":
        return
    settled = {end.block.id for end in index.results_by_side.get(side + 1, ())}
    for call in index.calls_by_side.get(side, ()):
        if call.block.facts & BlockFacts.ID_ABSENT or call.block.id in settled:
            continue
        settled.add(call.block.id)
        yield call


def _sentence(call: End, link: Link, index: Index) -> str:
    name = call.block.name or "the call"
    if link.results:
        return f"{name} is answered in the wrong place, by {index.path(link.results[0].place)}"
    if link.state == "pending":
        return f"{name} is not answered yet: the tape ends here"
    return f"{name} was never answered"
