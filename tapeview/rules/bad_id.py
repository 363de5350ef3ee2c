"""TU005, TR005 and ST003: ids that the API's schema refuses."""

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from tapeview.rules._examples import answers, call, result, said, says
from tapeview.rules._rule import Bad, Fault, Good, Rule
from tapeview.rules._words import CLIENT_ID, SERVER_ID, short
from tapeview.tape.block import Block, BlockFacts
from tapeview.tape.index import Index
from tapeview.tape.link import End

__all__ = ["BadId", "BadResultId", "BadServerId"]

ASK = said("Which orders are open?")
SEARCH = {"type": "server_tool_use", "name": "web_search", "input": {}}
FOUND = {"type": "web_search_tool_result", "content": []}


class BadId(Rule):
    """The id of a call is empty, no string, or has characters that the API refuses.

    The API takes letters, digits, `_` and `-`, with any prefix. Ids of other model families often
    hold more, such as `functions.read:0`, and stay in a history that is sent to another provider.
    Empty ids come from stream readers that lost the first event of a block.

    Mend it by renaming the id on both ends, the call and its own result (R5).
    """

    code: ClassVar[str] = "TU005"
    name: ClassVar[str] = "bad-id"
    rank: ClassVar[int] = 10
    repairs: ClassVar[tuple[str, ...]] = ("R5",)
    good = (
        Good(
            "any prefix is allowed, also another provider's",
            [ASK, says(call("call_9-A"), call("1")), answers("call_9-A", "1")],
        ),
    )
    bad = (
        Bad(
            "an id in the style of another model family",
            [ASK, says(call("functions.orders:0")), answers("functions.orders:0")],
            ("messages.1.content.0",),
        ),
        Bad("an empty id", [ASK, says(call("")), answers("")], ("messages.1.content.0",)),
        Bad(
            "a number",
            [ASK, says(call("", id=7)), said(result("", tool_use_id=7))],
            ("messages.1.content.0",),
        ),
    )

    def find(self, index: Index) -> Iterator[Fault]:
        """Client calls whose id is there, but not as it must be."""
        yield from _bad_ids(index.calls, CLIENT_ID)

    def api_path(self, fault: Fault, index: Index) -> str:
        """The member."""
        return f"{index.path(fault.place)}.tool_use.id"

    def api_message(self, fault: Fault, index: Index) -> str:
        """The schema's complaint."""
        return f"{self.api_path(fault, index)}: {_complaint(index.block_at(fault.place))}"


class BadResultId(Rule):
    """The `tool_use_id` of a result is absent, no string, or has characters that the API refuses.

    The pattern is that of the call's id: letters, digits, `_` and `-`. A result without an id
    answers nothing, so its call dangles as well.

    Mend it by renaming the id on both ends (R5), or by finding the call that the result belongs to
    from its position (R11).
    """

    code: ClassVar[str] = "TR005"
    name: ClassVar[str] = "bad-result-id"
    rank: ClassVar[int] = 14
    repairs: ClassVar[tuple[str, ...]] = ("R5", "R11")
    good = (
        Good("a foreign but valid id", [ASK, says(call("call_9-A")), answers("call_9-A")]),
        Good("content may be absent", [ASK, says(call("toolu_a")), answers("toolu_a")]),
    )
    bad = (
        Bad(
            "an id in the style of another model family",
            [ASK, says(call("functions.orders:0")), answers("functions.orders:0")],
            ("messages.2.content.0",),
        ),
        Bad(
            "no id at all",
            [ASK, says(call("toolu_a")), said({"type": "tool_result", "content": "none"})],
            ("messages.2.content.0",),
        ),
        Bad(
            "null",
            [ASK, says(call("toolu_a")), said(result("", tool_use_id=None))],
            ("messages.2.content.0",),
        ),
    )

    def find(self, index: Index) -> Iterator[Fault]:
        """Client results whose id is absent or not as it must be."""
        for end in index.results:
            if end.side >= 0 and end.block.facts & BlockFacts.ID_ABSENT:
                yield Fault(end.place, "this result names no call: `tool_use_id` is absent")
            else:
                yield from _bad_ids((end,), CLIENT_ID)

    def api_path(self, fault: Fault, index: Index) -> str:
        """The member."""
        return f"{index.path(fault.place)}.tool_result.tool_use_id"

    def api_message(self, fault: Fault, index: Index) -> str:
        """The schema's complaint."""
        return f"{self.api_path(fault, index)}: {_complaint(index.block_at(fault.place))}"


class BadServerId(Rule):
    """The id of a call that the API runs itself does not begin with `srvtoolu_`.

    For these the API takes its own ids only: `srvtoolu_` and then letters, digits and `_`; no
    hyphen. It comes from proxies that give every call an id of their own making.

    Mend it by renaming the id on both ends, the call and its own result (R5).
    """

    code: ClassVar[str] = "ST003"
    name: ClassVar[str] = "bad-server-id"
    rank: ClassVar[int] = 17
    repairs: ClassVar[tuple[str, ...]] = ("R5",)
    good = (
        Good(
            "the API's own id",
            [
                ASK,
                says({**SEARCH, "id": "srvtoolu_01a"}, {**FOUND, "tool_use_id": "srvtoolu_01a"}),
                said("Thanks."),
            ],
        ),
        Good(
            "a connector's call has ids of its own kind",
            [
                ASK,
                says(
                    {
                        "type": "mcp_tool_use",
                        "id": "mcptoolu_1",
                        "name": "look",
                        "server_name": "wiki",
                        "input": {},
                    },
                    {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "content": []},
                ),
                said("Thanks."),
            ],
        ),
    )
    bad = (
        Bad(
            "renamed as if it were a client's call",
            [
                ASK,
                says({**SEARCH, "id": "toolu_01a"}, {**FOUND, "tool_use_id": "toolu_01a"}),
                said("Thanks."),
            ],
            ("messages.1.content.0",),
        ),
        Bad(
            "a hyphen",
            [
                ASK,
                says({**SEARCH, "id": "srvtoolu_0-1"}, {**FOUND, "tool_use_id": "srvtoolu_0-1"}),
                said("Thanks."),
            ],
            ("messages.1.content.0",),
        ),
    )

    def find(self, index: Index) -> Iterator[Fault]:
        """Server calls whose id is there, but not as it must be."""
        calls = [end for end in index.server_calls if end.block.kind == "server_tool_use"]
        yield from _bad_ids(calls, SERVER_ID)

    def api_path(self, fault: Fault, index: Index) -> str:
        """The member."""
        return f"{index.path(fault.place)}.server_tool_use.id"

    def api_message(self, fault: Fault, index: Index) -> str:
        """The schema's complaint."""
        complaint = _complaint(index.block_at(fault.place), SERVER_ID)
        return f"{self.api_path(fault, index)}: {complaint}"


def _bad_ids(ends: Sequence[End], pattern: str) -> Iterator[Fault]:
    fits = re.compile(pattern).fullmatch  # "match" would let a line end through
    for end in ends:
        block = end.block
        if end.side < 0 or block.facts & BlockFacts.ID_ABSENT:
            continue
        if block.facts & BlockFacts.ID_NOT_TEXT:
            sentence = "the id is no string"
        elif not block.id:
            sentence = "the id is empty"
        elif not fits(block.id):
            sentence = f"{short(block.id)} does not fit {pattern}"
        else:
            continue
        yield Fault(end.place, sentence, (block.id,))


def _complaint(block: Block | None, pattern: str = CLIENT_ID) -> str:
    if block is not None and block.facts & BlockFacts.ID_ABSENT:
        return "Field required"
    if block is not None and block.facts & BlockFacts.ID_NOT_TEXT:
        return "Input should be a valid string"
    return f"String should match pattern '{pattern}'"
