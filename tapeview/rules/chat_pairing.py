"""OC001, OC002 and OC009: calls and ``tool`` messages of Chat Completions."""

from collections.abc import Iterator
from typing import ClassVar

from tapeview.rules._examples import chat_call, chat_calls, chat_result, said, says
from tapeview.rules._rule import CHAT, Bad, Fault, Good, Rule
from tapeview.rules._words import listed, named, short, the_id
from tapeview.tape.block import Place
from tapeview.tape.index import Index
from tapeview.tape.link import Link, has_id
from tapeview.tape.tool_run import ToolRun

__all__ = ["DanglingToolCall", "MissingToolCallId", "OrphanToolMessage"]

ASK = said("Which orders are open?")
LEGACY = (
    {
        "role": "assistant",
        "content": None,
        "function_call": {"name": "orders", "arguments": "{}"},
    },
    {"role": "function", "name": "orders", "content": "none"},
)


class DanglingToolCall(Rule):
    """A call is not answered by the `tool` messages directly after it.

    Every id in `tool_calls` needs a `tool` message of its own, in any order, before anything else
    follows. A word of the user's in between is enough for the API to refuse the request. It comes
    from a process killed during a call, from parallel calls of which one was lost, and from
    histories trimmed between call and answer. The old `function_call` has no ids and is not looked
    at.

    Mend it by answering the call as interrupted (R1) or by taking it out (R2). Where the answer
    stands further down, move it up (R4).
    """

    code: ClassVar[str] = "OC001"
    name: ClassVar[str] = "dangling-tool-call"
    rank: ClassVar[int] = 60
    dialects: ClassVar[frozenset[str]] = CHAT
    repairs: ClassVar[tuple[str, ...]] = ("R1", "R2", "R4")
    good = (
        Good(
            "the order of answers is free",
            [
                ASK,
                chat_calls(chat_call("call_1"), chat_call("call_2")),
                chat_result("call_2"),
                chat_result("call_1"),
            ],
        ),
        Good("the old spelling without ids", [ASK, *LEGACY, says("None.")]),
    )
    bad = (
        Bad(
            "the user spoke before the tool did",
            [ASK, chat_calls(chat_call("call_1")), said("Well?")],
            ("messages.1.tool_calls.0",),
        ),
        Bad(
            "one of two answers is missing",
            [
                ASK,
                chat_calls(chat_call("call_1"), chat_call("call_2", "stock")),
                chat_result("call_1"),
                says("Only one came."),
            ],
            ("messages.1.tool_calls.1",),
        ),
        Bad(
            "the array ends on the call",
            [ASK, chat_calls(chat_call("call_1"))],
            ("messages.1.tool_calls.0",),
        ),
        Bad(
            "a user message stands between call and answer",
            [ASK, chat_calls(chat_call("call_1")), said("Quick!"), chat_result("call_1")],
            ("messages.1.tool_calls.0",),
        ),
    )

    def find(self, index: Index) -> Iterator[Fault]:
        """Calls without a ``tool`` message in the run after them."""
        for run in index.tool_runs:
            for place in run.unanswered:
                block = index.messages[place.message].blocks[place.block]
                link = index.link_of[block]
                sentence = _call_sentence(named(block), place, link, index)
                yield Fault(place, sentence, (block.id,), link.state == "pending")

    def api_path(self, fault: Fault, index: Index) -> str:
        """The role of the message right after the calls, where that is no ``tool`` message.

        ``messages`` where the array ends, or where some of the calls are answered.
        """
        after = fault.place.message + 1
        run = index.run_of[fault.place.message]
        return f"messages.[{after}].role" if run.end == after < len(index.messages) else "messages"

    def api_message(self, fault: Fault, index: Index) -> str:
        """One message names all unanswered ids of the assistant message."""
        run = index.run_of[fault.place.message]
        blocks = index.messages[fault.place.message].blocks
        ids = listed((blocks[place.block].id for place in run.unanswered), len(run.unanswered))
        return (
            "An assistant message with 'tool_calls' must be followed by tool messages responding "
            "to each 'tool_call_id'. The following tool_call_ids did not have response messages: "
            f"{ids}"
        )

    def repairs_for(self, fault: Fault, index: Index) -> tuple[str, ...]:
        """Moving an answer is offered only where there is one to move."""
        block = index.block_at(fault.place)
        link = index.link_of.get(block) if block is not None else None
        return self.repairs if link is not None and link.results else self.repairs[:2]


class OrphanToolMessage(Rule):
    """A `tool` message answers no call that still waits.

    The call must be in the assistant message just before, with nothing but other `tool` messages
    between, and may be answered once. At the head of an array this is the sign of trimming between
    call and answer; further down, of an assistant message that lost its `tool_calls`, or of a
    message of the user's that got in between. A second answer to one call is refused in other
    words: "Duplicate value for 'tool_call_id'".

    Mend it by removing the message (R10), or by moving it next to its call where that still waits
    (R4).
    """

    code: ClassVar[str] = "OC002"
    name: ClassVar[str] = "orphan-tool-message"
    rank: ClassVar[int] = 62
    dialects: ClassVar[frozenset[str]] = CHAT
    repairs: ClassVar[tuple[str, ...]] = ("R10", "R4")
    good = (
        Good(
            "the order of answers is free",
            [
                ASK,
                chat_calls(chat_call("call_1"), chat_call("call_2")),
                chat_result("call_2"),
                chat_result("call_1"),
            ],
        ),
        Good("the old spelling without ids", [ASK, *LEGACY, says("None.")]),
    )
    bad = (
        Bad(
            "the assistant message lost its calls",
            [ASK, says("Sure."), chat_result("call_9")],
            ("messages.2",),
        ),
        Bad(
            "the head was trimmed",
            [chat_result("call_1"), says("None.")],
            ("messages.0",),
        ),
        Bad(
            "a user message stands between call and answer",
            [ASK, chat_calls(chat_call("call_1")), said("Quick!"), chat_result("call_1")],
            ("messages.3",),
        ),
        Bad(
            "the same call answered twice",
            [ASK, chat_calls(chat_call("call_1")), chat_result("call_1"), chat_result("call_1")],
            ("messages.3",),
        ),
    )

    def find(self, index: Index) -> Iterator[Fault]:
        """``tool`` messages whose id nobody waits for."""
        for run in index.tool_runs:
            for place in run.strays:
                identity = index.messages[place.message].blocks[place.block].id
                yield Fault(place, _stray_sentence(place, identity, run, index), (identity,))

    def api_path(self, fault: Fault, index: Index) -> str:
        """The message's role; its id for a second answer."""
        member = "role" if self._first_answer(fault, index) is None else "tool_call_id"
        return f"messages.[{fault.place.message}].{member}"

    def api_message(self, fault: Fault, index: Index) -> str:
        """The spelling is the API's own; a second answer is told apart (agno-agi/agno#5116)."""
        first = self._first_answer(fault, index)
        if first is not None:
            return (
                f"Invalid parameter: Duplicate value for 'tool_call_id' of '{fault.ids[0]}', in "
                f"messages[{first.message}] and messages[{fault.place.message}]."
            )
        return (
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding "
            "message with 'tool_calls'."
        )

    def repairs_for(self, fault: Fault, index: Index) -> tuple[str, ...]:
        """Moving is offered only where the call waits for this very message."""
        block = index.block_at(fault.place)
        link = index.link_of.get(block) if block is not None else None
        waits = link is not None and link.call is not None and link.results[0].block is block
        return self.repairs if waits else self.repairs[:1]

    def _first_answer(self, fault: Fault, index: Index) -> Place | None:
        return index.run_of[fault.place.message].answers.get(fault.ids[0])


class MissingToolCallId(Rule):
    """A `tool` message has no `tool_call_id`.

    Without it the API cannot tell which call is answered; the call dangles as well (OC001). It
    comes from code written for the old `function` messages, which paired by name, and from models
    whose calls have no ids.

    Mend it by pairing from position, where there are as many answers as calls (R11).
    """

    code: ClassVar[str] = "OC009"
    name: ClassVar[str] = "missing-tool-call-id"
    rank: ClassVar[int] = 18
    dialects: ClassVar[frozenset[str]] = CHAT
    repairs: ClassVar[tuple[str, ...]] = ("R11",)
    good = (Good("the old spelling pairs by name", [ASK, *LEGACY, says("None.")]),)
    bad = (
        Bad(
            "the id was left out",
            [ASK, chat_calls(chat_call("call_1")), {"role": "tool", "content": "none"}],
            ("messages.2",),
        ),
        Bad(
            "null",
            [
                ASK,
                chat_calls(chat_call("call_1")),
                {"role": "tool", "tool_call_id": None, "content": "none"},
            ],
            ("messages.2",),
        ),
    )

    def find(self, index: Index) -> Iterator[Fault]:
        """``tool`` messages whose id is absent, null or no string."""
        for number, message in enumerate(index.messages):
            if message.spelled_role != "tool":
                continue
            for k, block in enumerate(message.blocks):
                if not has_id(block):
                    yield Fault(Place(number, k), "this message names no call")

    def api_path(self, fault: Fault, index: Index) -> str:
        """The member, as reports have it (vercel/ai#2177)."""
        return f"messages.[{fault.place.message}].tool_call_id"

    def api_message(self, fault: Fault, index: Index) -> str:
        """It names nothing."""
        return (
            "Missing parameter 'tool_call_id': messages with role 'tool' must have a "
            "'tool_call_id'."
        )


def _call_sentence(name: str, place: Place, link: Link, index: Index) -> str:
    if not link.results:
        if link.state == "pending":
            return f"{name} is not answered yet: the tape ends here"
        return f"{name} was never answered"
    answer = link.results[0].place
    where = index.path(answer)
    if answer < place:
        return f"{name} is answered before it is called, by {where}"
    between = index.run_of[place.message].end
    return f"{name} is answered by {where}, but messages.{between} stands between"


def _stray_sentence(place: Place, identity: str, run: ToolRun, index: Index) -> str:
    if identity in run.answers:
        return f"{short(identity) or 'the empty id'} is answered twice"
    link = index.link_of[index.messages[place.message].blocks[place.block]]
    if link.call is None:
        trimmed = "; it was trimmed" if index.side_numbers.get(place.message) == 0 else ""
        return f"no call has {the_id(identity)}{trimmed}"
    turn = index.turn_of(link.call.place.message)
    called = named(link.call.block) + (f" of turn {turn.number}" if turn else "")
    return f"belongs to {called}, but does not follow it directly"
