"""TR001."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from tapeview.rules._examples import answers, call, result, said, says, text
from tapeview.rules._rule import Bad, Fault, Good, Rule
from tapeview.rules._words import named, the_id
from tapeview.tape.index import Index
from tapeview.tape.link import End

__all__ = ["OrphanResult"]

ASK = said("Which orders are open?")
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_a", "name": "web_search", "input": {}}


class OrphanResult(Rule):
    """A result answers no call of the assistant side before it.

    The API looks for the call in the assistant side just before the result, and nowhere else. At
    the very first message this is the sign of a head that was trimmed between call and result;
    further down, of a result left over from another branch, or of a call that was dropped while its
    result was kept. A client's result for a tool that the API runs itself (`srvtoolu_`) is the same
    fault.

    Where the call exists elsewhere, move the result next to it (R4). Else put the call back from
    an earlier version of the tape (R11), or take the result out (R10).
    """

    code: ClassVar[str] = "TR001"
    name: ClassVar[str] = "orphan-result"
    rank: ClassVar[int] = 42
    repairs: ClassVar[tuple[str, ...]] = ("R10", "R4", "R11")
    mended: ClassVar[str] = "resume removes it"
    good = (
        Good(
            "results split over two user messages are one side",
            [
                ASK,
                says(call("toolu_a"), call("toolu_b")),
                answers("toolu_a"),
                answers("toolu_b"),
            ],
        ),
        Good(
            "the order of results is free",
            [ASK, says(call("toolu_a"), call("toolu_b")), answers("toolu_b", "toolu_a")],
        ),
        Good(
            "an id that only prose mentions is no block",
            [said(text("What was toolu_a?")), says("An older call.")],
        ),
    )
    bad = (
        Bad("the head was trimmed", [answers("toolu_a"), says("None.")], ("messages.0.content.0",)),
        Bad(
            "a leftover beside the right result",
            [ASK, says(call("toolu_b")), said(result("toolu_b"), result("toolu_a"))],
            ("messages.2.content.1",),
        ),
        Bad(
            "the result came a turn too late",
            [ASK, says(call("toolu_a")), said("Well?"), says("Wait."), answers("toolu_a")],
            ("messages.4.content.0",),
        ),
        Bad(
            "a client's result for a call that the API runs itself",
            [ASK, says(SEARCH), answers("srvtoolu_a")],
            ("messages.2.content.0",),
        ),
    )

    def find(self, index: Index) -> Iterator[Fault]:
        """Results of user sides whose id no call of the side before has."""
        server = {end.block.id: end for end in index.server_calls}
        for side, by_id in index.results_by_id.items():
            asked = index.calls_by_id.get(side - 1, {})
            orphans = [end for call, ends in by_id.items() if call not in asked for end in ends]
            for end in sorted(orphans, key=lambda end: end.place):
                yield Fault(end.place, _sentence(end, index, server), (end.block.id,))

    def api_path(self, fault: Fault, index: Index) -> str:
        """The block."""
        return index.path(fault.place)

    def api_message(self, fault: Fault, index: Index) -> str:
        """It names the id."""
        return (
            f"{index.path(fault.place)}: unexpected `tool_use_id` found in `tool_result` blocks: "
            f"{fault.ids[0]}. Each `tool_result` block must have a corresponding `tool_use` block "
            "in the previous message."
        )

    def repairs_for(self, fault: Fault, index: Index) -> tuple[str, ...]:
        """Moving is offered only where the call waits for this very result."""
        block = index.block_at(fault.place)
        link = index.link_of.get(block) if block is not None else None
        waits = link is not None and link.call is not None and link.results[0].block is block
        return self.repairs if waits else ("R10", "R11")

    def points_on(self, fault: Fault, index: Index) -> bool:
        """It says which turn called."""
        block = index.block_at(fault.place)
        return block is not None and index.link_of[block].call is not None


def _sentence(end: End, index: Index, server: Mapping[str, End]) -> str:
    link = index.link_of[end.block]
    if link.call is None:
        if (searched := server.get(end.block.id)) is not None:
            return f"answers {named(searched.block)}, which the API runs and answers itself"
        trimmed = "; it was trimmed" if end.side == 0 else ""
        return f"no call has {the_id(end.block.id)}{trimmed}"
    called = named(link.call.block)
    if index.role_of(link.call) != "assistant":
        return f"belongs to {called} in a user message"
    turn = index.turn_of(link.call.place.message)
    where = f"{called} of turn {turn.number}" if turn else called
    if link.call.place > end.place:
        return f"stands before its call, {where}"
    if link.results[0].block is not end.block:
        return f"belongs to {where}, which is answered already"
    return f"belongs to {where}"
