"""TU001."""

from collections.abc import Iterator
from typing import ClassVar

from tapeview.rules._examples import answers, call, result, said, says, text
from tapeview.rules._rule import Bad, Fault, Good, Rule
from tapeview.rules._words import listed, named, times_late
from tapeview.tape.index import Index
from tapeview.tape.link import End, Link

__all__ = ["DanglingToolUse"]

ASK = said("Which orders are open?")


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
            [ASK, says(call("toolu_a")), answers("toolu_a"), said("Go on.")],
        ),
        Good(
            "text and call in two assistant messages are one side",
            [ASK, says("Looking."), says(call("toolu_a")), answers("toolu_a")],
        ),
        Good(
            "a result that is there but does not lead is TR003 alone",
            [ASK, says(call("toolu_a")), said(text("Here:"), result("toolu_a"))],
        ),
        Good(
            "a system message between call and result parts nothing",
            {
                "model": "claude-opus-5-5",
                "messages": [
                    ASK,
                    says(call("toolu_a")),
                    {"role": "system", "content": "Be brief."},
                    answers("toolu_a"),
                ],
            },
        ),
    )
    bad = (
        Bad(
            "the process was killed before the tool ran",
            [ASK, says(call("toolu_a"))],
            ("messages.1.content.0",),
        ),
        Bad(
            "one of two parallel results was lost",
            [ASK, says(call("toolu_a"), call("toolu_b")), answers("toolu_a")],
            ("messages.1.content.1",),
        ),
        Bad(
            "the result came a turn too late",
            [ASK, says(call("toolu_a")), said("Well?"), says("Wait."), answers("toolu_a")],
            ("messages.1.content.0",),
        ),
        Bad(
            "of a repeated id only the first call counts; the second is TU002",
            [ASK, says(call("toolu_a"), call("toolu_a"))],
            ("messages.1.content.0",),
        ),
    )

    def find(self, index: Index) -> Iterator[Fault]:
        """Calls of assistant sides without a result in the next side."""
        for calls in index.unanswered.values():
            for end in calls:
                link = index.link_of[end.block]
                waits = link.state == "pending"
                yield Fault(end.place, _sentence(end, link, index), (end.block.id,), waits)

    def api_path(self, fault: Fault, index: Index) -> str:
        """The message of the call, as most reports have it."""
        return f"messages.{fault.place.message}"

    def api_message(self, fault: Fault, index: Index) -> str:
        """One message names all unanswered ids of the side."""
        calls = index.unanswered[index.side_numbers[fault.place.message]]
        ids = listed((end.block.id for end in calls), len(calls))
        return (
            f"messages.{fault.place.message}: `tool_use` ids were found without `tool_result` "
            f"blocks immediately after: {ids}. Each `tool_use` block must have a "
            "corresponding `tool_result` block in the next message."
        )

    def mended_on(self, fault: Fault, stored: Index, sent: Index) -> str:
        """A call that something answers elsewhere stays, with an answer made up for it."""
        kept = stored.block_at(fault.place) in sent.places
        return "resume answers it as missing" if kept else self.mended

    def repairs_for(self, fault: Fault, index: Index) -> tuple[str, ...]:
        """Moving a result is offered only where there is one to move."""
        block = index.block_at(fault.place)
        link = index.link_of.get(block) if block is not None else None
        return self.repairs if link is not None and link.results else self.repairs[:3]

    def points_on(self, fault: Fault, index: Index) -> bool:
        """It says where else the call is answered."""
        block = index.block_at(fault.place)
        return block is not None and bool(index.link_of[block].results)


def _sentence(end: End, link: Link, index: Index) -> str:
    name = named(end.block)
    if not link.results:
        if link.state == "pending":
            return f"{name} is not answered yet: the tape ends here"
        return f"{name} was never answered"
    answer = link.results[0]
    where = index.path(answer.place)
    if answer.place < end.place:
        return f"{name} is answered before it is called, by {where}"
    called, answered = index.turn_of(end.place.message), index.turn_of(answer.place.message)
    turns = answered.number - called.number if called and answered else 0
    if index.role_of(answer) != "user" or turns < 1:
        return f"{name} is answered in the wrong place, by {where}"
    return f"{name} is answered {times_late(turns)}, by {where}"
