"""ST001 and ST002: pairs of calls and results of tools that the API runs itself."""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from tapeview.rules._examples import answers, call, result, said, says, text
from tapeview.rules._rule import Bad, Fault, Good, Rule
from tapeview.rules._words import named, the_id
from tapeview.tape.block import Block
from tapeview.tape.index import Index
from tapeview.tape.link import End, has_id

__all__ = ["OrphanServerResult", "UnresolvedServerCall"]

ASK = said("When is high tide?")
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_a", "name": "web_search", "input": {}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_a", "content": []}
LOOK = {
    "type": "mcp_tool_use",
    "id": "mcptoolu_a",
    "name": "lookup",
    "server_name": "wiki",
    "input": {},
}


class UnresolvedServerCall(Rule):
    """A call of a tool that the API runs itself has no result in its assistant side.

    The API wrote both blocks into one reply and wants both back, the result after the call. A call
    may stay open in two cases only. At the end of the array it is resumed by sending it as it is
    (`pause_turn`). And beside a client's call it may wait for the client's results: the user side
    then holds these results and nothing else, and the next assistant side, if there is one, carries
    the missing result. A word of the user's beside those results breaks the pair. Calls of an MCP
    connector (`mcp_tool_use`) behave alike.

    Mend it by dropping what the user said after a paused reply (R16), by moving it behind the
    reply that brings the result (R13b), or by removing the call with all that depends on it (R17).
    """

    code: ClassVar[str] = "ST001"
    name: ClassVar[str] = "unresolved-server-call"
    rank: ClassVar[int] = 48
    repairs: ClassVar[tuple[str, ...]] = ("R16", "R17", "R13b")
    good = (
        Good("a paused reply at the end, to be resumed", [ASK, says(text("Searching."), SEARCH)]),
        Good(
            "a call that waits for a client's result",
            [ASK, says(SEARCH, call("toolu_a")), answers("toolu_a")],
        ),
        Good(
            "the next reply brings the result",
            [ASK, says(SEARCH, call("toolu_a")), answers("toolu_a"), says(FOUND, text("At six."))],
        ),
        Good(
            "call and result in two messages of one side, a system message between",
            {
                "model": "claude-opus-5-5",
                "messages": [
                    ASK,
                    says(SEARCH),
                    says(FOUND),
                    {"role": "system", "content": "Be brief."},
                    says("At six."),
                    said("Thanks."),
                ],
            },
        ),
    )
    bad = (
        Bad(
            "the result was dropped when the reply was saved",
            [ASK, says(SEARCH, text("At six.")), said("And tomorrow?")],
            ("messages.1.content.0",),
        ),
        Bad(
            "the user spoke beside the results that the call waits for",
            [ASK, says(SEARCH, call("toolu_a")), said(result("toolu_a"), text("Be brief."))],
            ("messages.1.content.0",),
        ),
        Bad(
            "the next reply does not bring the result",
            [ASK, says(SEARCH, call("toolu_a")), answers("toolu_a"), says("At six.")],
            ("messages.1.content.0",),
        ),
        Bad(
            "a connector's call",
            [ASK, says(LOOK, text("At six.")), said("Sure?")],
            ("messages.1.content.0",),
        ),
        Bad(
            "a client's result does not count; it is TR001 as well",
            [ASK, says(SEARCH), answers("srvtoolu_a")],
            ("messages.1.content.0",),
        ),
    )

    def find(self, index: Index) -> Iterator[Fault]:
        """Open calls of assistant sides, but for the two legal cases."""
        results = _by_side(index.server_results)
        for side, calls in _by_side(index.server_calls).items():
            if side < 0 or index.sides[side].role != "assistant" or side + 1 >= len(index.sides):
                continue
            rest = _still_open(calls, results.get(side, ()))
            if rest and _may_wait(index, side):
                if side + 2 >= len(index.sides):
                    continue
                brought = {end.block.id for end in results.get(side + 2, ())}
                rest = [end for end in rest if end.block.id not in brought]
            for end in rest:
                sentence = f"{named(end.block)} has no result in its own reply"
                yield Fault(end.place, sentence, (end.block.id,))

    def api_path(self, fault: Fault, index: Index) -> str:
        """The message of the call."""
        return f"messages.{fault.place.message}"

    def api_message(self, fault: Fault, index: Index) -> str:
        """It names tool, id and the type of the result."""
        block = index.block_at(fault.place)
        name = block.name if block is not None else ""
        kind = _result_kind(block) if block is not None else ""
        return (
            f"messages.{fault.place.message}: `{name}` tool use with id `{fault.ids[0]}` was found "
            f"without a corresponding `{kind}` block"
        )


class OrphanServerResult(Rule):
    """A result of a tool that the API runs itself has no call before it.

    The call must stand earlier in the same assistant side, or be the one that the assistant side
    before left open. A result that stands before its call counts as well. It comes from resumed
    sessions in which the call was dropped, most often that of the advisor, and the result kept.

    Mend it by removing the result with what depends on it (R17).
    """

    code: ClassVar[str] = "ST002"
    name: ClassVar[str] = "orphan-server-result"
    rank: ClassVar[int] = 50
    repairs: ClassVar[tuple[str, ...]] = ("R17",)
    good = (
        Good("call and result in one reply", [ASK, says(SEARCH, FOUND), said("Thanks.")]),
        Good(
            "the call was left open by the reply before",
            [ASK, says(SEARCH, call("toolu_a")), answers("toolu_a"), says(FOUND, text("At six."))],
        ),
        Good(
            "the error form of a result is an object",
            [
                ASK,
                says(
                    SEARCH,
                    {
                        **FOUND,
                        "content": {
                            "type": "web_search_tool_result_error",
                            "error_code": "max_uses_exceeded",
                        },
                    },
                ),
                said("Thanks."),
            ],
        ),
    )
    bad = (
        Bad(
            "the call was lost on resume",
            [ASK, says(FOUND, text("At six.")), said("Why?")],
            ("messages.1.content.0",),
        ),
        Bad(
            "the result stands before its call",
            [ASK, says(FOUND, SEARCH)],
            ("messages.1.content.0",),
        ),
    )

    def find(self, index: Index) -> Iterator[Fault]:
        """Results of assistant sides without a call before them."""
        calls, results = _by_side(index.server_calls), _by_side(index.server_results)
        for side, ends in results.items():
            if side < 0 or index.sides[side].role != "assistant":
                continue
            deferred = _still_open(calls.get(side - 2, ()), results.get(side - 2, ()))
            waiting = {end.block.id for end in deferred}
            firsts: dict[str, End] = {}
            for end in calls.get(side, ()):
                firsts.setdefault(end.block.id, end)
            for end in ends:
                first = firsts.get(end.block.id)
                known = end.block.id in waiting or (first is not None and first.place < end.place)
                if has_id(end.block) and not known:
                    sentence = _orphan_sentence(end.block, before=first is not None)
                    yield Fault(end.place, sentence, (end.block.id,))

    def api_path(self, fault: Fault, index: Index) -> str:
        """The block."""
        return index.path(fault.place)

    def api_message(self, fault: Fault, index: Index) -> str:
        """It names type and id."""
        block = index.block_at(fault.place)
        kind = block.kind if block is not None else ""
        use = "mcp_tool_use" if kind == "mcp_tool_result" else "server_tool_use"
        return (
            f"{index.path(fault.place)}: unexpected `tool_use_id` found in `{kind}` blocks: "
            f"{fault.ids[0]}. Each `{kind}` block must have a corresponding `{use}` block before "
            "it."
        )


def _by_side(ends: Sequence[End]) -> Mapping[int, Sequence[End]]:
    found: dict[int, list[End]] = {}
    for end in ends:
        found.setdefault(end.side, []).append(end)
    return found


def _still_open(calls: Sequence[End], results: Sequence[End]) -> list[End]:
    """Calls without a result of their id further down in the same side."""
    lasts = {end.block.id: end.place for end in results}
    return [
        end
        for end in calls
        if has_id(end.block) and not (end.block.id in lasts and lasts[end.block.id] > end.place)
    ]


def _may_wait(index: Index, side: int) -> bool:
    """Whether a client's call of the side is answered by a user side of results alone."""
    return bool(index.calls_by_side.get(side)) and not index.first_other(index.sides[side + 1])


def _result_kind(call: Block) -> str:
    if call.kind == "mcp_tool_use":
        return "mcp_tool_result"
    if call.name.startswith("tool_search_tool"):
        return "tool_search_tool_result"
    return f"{call.name}_tool_result"


def _orphan_sentence(block: Block, *, before: bool) -> str:
    if before:
        return f"{block.kind} stands before its call"
    return f"no call of this reply has {the_id(block.id)}"
