"""TU004, TR004 and ST004: a block in a message of the wrong role."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tapeview.rules._examples import answers, call, result, said, says, text
from tapeview.rules._rule import Bad, Fault, Good, Rule
from tapeview.rules._words import short
from tapeview.tape.index import Index
from tapeview.tape.link import End

__all__ = ["CallInUser", "ResultInAssistant", "ServerBlockInUser"]

SEARCH = {"type": "server_tool_use", "id": "srvtoolu_a", "name": "web_search", "input": {}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_a", "content": []}


class CallInUser(Rule):
    """A call of a tool stands in a user message.

    Only the model calls tools, so the API takes `tool_use` from the assistant alone. It comes from
    code that rebuilds a history and flips the roles, or that writes calls down as what the user
    did. The call is not looked for a result as well: there is no side that could answer it.

    Mend it by moving the block into an assistant message of its own (R7).
    """

    code: ClassVar[str] = "TU004"
    name: ClassVar[str] = "call-in-user"
    rank: ClassVar[int] = 30
    repairs: ClassVar[tuple[str, ...]] = ("R7",)
    good = (
        Good(
            "a call in the first message, if that is the assistant's",
            [says(call("toolu_a")), answers("toolu_a")],
        ),
    )
    bad = (
        Bad(
            "roles flipped while the history was rebuilt",
            [said(text("Here is what I did:"), call("toolu_a"))],
            ("messages.0.content.1",),
        ),
    )

    def find(self, index: Index) -> Iterator[Fault]:
        """Client calls in user messages."""
        yield from _in_role(index, index.calls, "user")

    def api_path(self, fault: Fault, index: Index) -> str:
        """The message."""
        return f"messages.{fault.place.message}"

    def api_message(self, fault: Fault, index: Index) -> str:
        """It names the type only."""
        return _message(fault, index, "assistant")


class ResultInAssistant(Rule):
    """A result of a tool stands in an assistant message.

    Results are told to the model, so the API takes `tool_result` from the user alone. The call
    that was meant dangles too (TU001). It comes from logs that keep tool output under the role of
    the agent that ran the tool.

    Mend it by moving the block into a user message after the call (R7).
    """

    code: ClassVar[str] = "TR004"
    name: ClassVar[str] = "result-in-assistant"
    rank: ClassVar[int] = 31
    repairs: ClassVar[tuple[str, ...]] = ("R7",)
    good = (
        Good(
            "the result of a tool that the API ran belongs to the assistant",
            [said("Tide?"), says(SEARCH, FOUND), said("Thanks.")],
        ),
    )
    bad = (
        Bad(
            "tool output stored under the assistant",
            [said("Mix it."), says(call("toolu_a", "mix")), says(result("toolu_a")), said("Good.")],
            ("messages.2.content.0",),
        ),
    )

    def find(self, index: Index) -> Iterator[Fault]:
        """Client results in assistant messages."""
        yield from _in_role(index, index.results, "assistant")

    def api_path(self, fault: Fault, index: Index) -> str:
        """The message."""
        return f"messages.{fault.place.message}"

    def api_message(self, fault: Fault, index: Index) -> str:
        """It names the type only."""
        return _message(fault, index, "user")


class ServerBlockInUser(Rule):
    """A block of a tool that the API runs itself stands in a user message.

    The API wrote both the call and the result into its own reply, and takes them back from the
    assistant alone. It comes from converters that move every result into a user message, as is
    right for the tools of a client.

    Mend it by moving the block back into the assistant message it came with (R7).
    """

    code: ClassVar[str] = "ST004"
    name: ClassVar[str] = "server-block-in-user"
    rank: ClassVar[int] = 32
    repairs: ClassVar[tuple[str, ...]] = ("R7",)
    good = (
        Good("call and result in one reply", [said("Tide?"), says(SEARCH, FOUND), said("Thanks.")]),
    )
    bad = (
        Bad(
            "the search result was treated as a client's",
            [said("Tide?"), says(SEARCH), said(FOUND)],
            ("messages.2.content.0",),
        ),
        Bad(
            "both halves under the user",
            [said(SEARCH, FOUND)],
            ("messages.0.content.0", "messages.0.content.1"),
        ),
    )

    def find(self, index: Index) -> Iterator[Fault]:
        """Server calls and server results in user messages."""
        ends = [*index.server_calls, *index.server_results]
        yield from _in_role(index, sorted(ends, key=lambda end: end.place), "user")

    def api_path(self, fault: Fault, index: Index) -> str:
        """The message."""
        return f"messages.{fault.place.message}"

    def api_message(self, fault: Fault, index: Index) -> str:
        """It names the type only."""
        return _message(fault, index, "assistant")


def _in_role(index: Index, ends: Sequence[End], role: str) -> Iterator[Fault]:
    for end in ends:
        if index.role_of(end) == role:
            kind, name = end.block.kind, short(end.block.name)
            what = f"{kind} of {name}" if name else f"{kind} {short(end.block.id)}".rstrip()
            message = "a user message" if role == "user" else "an assistant message"
            yield Fault(end.place, f"{what} stands in {message}", (end.block.id,))


def _message(fault: Fault, index: Index, right: str) -> str:
    block = index.block_at(fault.place)
    kind = block.kind if block is not None else ""
    return f"messages.{fault.place.message}: `{kind}` blocks can only be in `{right}` messages"
