"""TR002."""

from collections.abc import Iterator
from typing import ClassVar

from tapeview.rules._examples import answers, call, result, said, says
from tapeview.rules._rule import Bad, Fault, Good, Rule
from tapeview.rules._words import short
from tapeview.tape.index import Index

__all__ = ["DuplicateResult"]

ASK = said("Which orders are open?")


class DuplicateResult(Rule):
    """A call is answered twice in one user side.

    The API takes a single result for a call, also where the two stand in two user messages, which
    it combines. It comes from retries that append, from converters that split one result into
    several, and from a placeholder for an interrupted call that the real result joined later.

    Mend it by keeping one (R12): the one that is no error, else the later.
    """

    code: ClassVar[str] = "TR002"
    name: ClassVar[str] = "duplicate-result"
    rank: ClassVar[int] = 40
    repairs: ClassVar[tuple[str, ...]] = ("R12",)
    mended: ClassVar[str] = "resume removes it"
    good = (
        Good(
            "one error among parallel results",
            [
                ASK,
                says(call("toolu_a"), call("toolu_b")),
                said(result("toolu_a"), result("toolu_b", "timeout", is_error=True)),
            ],
        ),
        Good(
            "one result of several blocks",
            [
                ASK,
                says(call("toolu_a")),
                said(
                    result(
                        "toolu_a", [{"type": "text", "text": "A1"}, {"type": "text", "text": "A2"}]
                    )
                ),
            ],
        ),
    )
    bad = (
        Bad(
            "the same answer twice in one message",
            [ASK, says(call("toolu_a")), answers("toolu_a", "toolu_a")],
            ("messages.2.content.1",),
        ),
        Bad(
            "twice in two user messages",
            [ASK, says(call("toolu_a")), answers("toolu_a"), answers("toolu_a")],
            ("messages.3.content.0",),
        ),
        Bad(
            "three times",
            [ASK, says(call("toolu_a")), answers("toolu_a", "toolu_a", "toolu_a")],
            ("messages.2.content.1", "messages.2.content.2"),
        ),
    )

    def find(self, index: Index) -> Iterator[Fault]:
        """The second and later results of an id in a user side."""
        for by_id in index.results_by_id.values():
            again = [end for results in by_id.values() for end in results[1:]]
            for end in sorted(again, key=lambda end: end.place):
                identity = short(end.block.id) or "the empty id"
                yield Fault(end.place, f"{identity} is answered twice", (end.block.id,))

    def api_path(self, fault: Fault, index: Index) -> str:
        """The later block."""
        return index.path(fault.place)

    def api_message(self, fault: Fault, index: Index) -> str:
        """It names the id."""
        return (
            f"{index.path(fault.place)}: each tool_use must have a single result. Found multiple "
            f"`tool_result` blocks with id: {fault.ids[0]}"
        )
