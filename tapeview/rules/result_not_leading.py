"""TR003."""

from collections.abc import Iterator
from typing import ClassVar

from tapeview.rules._examples import answers, call, result, said, says, text
from tapeview.rules._rule import Bad, Fault, Good, Rule
from tapeview.rules._words import listed
from tapeview.tape.block import Block
from tapeview.tape.index import Index

__all__ = ["ResultNotLeading"]

ASK = said("Which orders are open?")
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw"}}


class ResultNotLeading(Rule):
    """Another block stands before a result in the user side that answers the calls.

    The API wants all results first, whatever else the user says comes after them. It combines
    neighbouring user messages before it looks, so a message queued between call and result counts
    too. The error is that of an unanswered call and names the assistant message, although the
    answer is there. It comes from prompts typed while tools ran, reminders glued in front, and
    screenshots placed beside their results.

    Mend it by moving the results to the front, in the order of the calls (R13).
    """

    code: ClassVar[str] = "TR003"
    name: ClassVar[str] = "result-not-leading"
    rank: ClassVar[int] = 46
    repairs: ClassVar[tuple[str, ...]] = ("R13",)
    mended: ClassVar[str] = "resume puts it first"
    good = (
        Good(
            "text after all results",
            [ASK, says(call("toolu_a")), said(result("toolu_a"), text("And yesterday?"))],
        ),
        Good(
            "an empty user message before the results holds no block",
            [ASK, says(call("toolu_a")), said(""), answers("toolu_a")],
        ),
        Good(
            "a result that answers nothing is TR001, not in the way",
            [ASK, says(call("toolu_a")), said(result("toolu_b"), result("toolu_a"))],
        ),
    )
    bad = (
        Bad(
            "a sentence before the result",
            [ASK, says(call("toolu_a")), said(text("Here they are:"), result("toolu_a"))],
            ("messages.2.content.1",),
        ),
        Bad(
            "a message typed while the tools ran",
            [
                ASK,
                says(call("toolu_a"), call("toolu_b")),
                said("Quick!"),
                answers("toolu_a", "toolu_b"),
            ],
            ("messages.3.content.0", "messages.3.content.1"),
        ),
        Bad(
            "a screenshot between two results",
            [
                ASK,
                says(call("toolu_a"), call("toolu_b")),
                said(result("toolu_a"), IMAGE, result("toolu_b")),
            ],
            ("messages.2.content.2",),
        ),
    )

    def find(self, index: Index) -> Iterator[Fault]:
        """Results that answer the side before from behind another block."""
        for side, results in index.answers_behind.items():
            other = index.first_other(index.sides[side])
            block = index.block_at(other) if other is not None and results else None
            for end in results:
                yield Fault(end.place, _sentence(block), (end.block.id,))

    def api_path(self, fault: Fault, index: Index) -> str:
        """The assistant message that holds the call."""
        return f"messages.{_asking(fault, index)}"

    def api_message(self, fault: Fault, index: Index) -> str:
        """The words of TU001, with all ids of the side that do not lead."""
        results = index.answers_behind[index.side_numbers[fault.place.message]]
        ids = listed((end.block.id for end in results), len(results))
        return (
            f"messages.{_asking(fault, index)}: `tool_use` ids were found without `tool_result` "
            f"blocks immediately after: {ids}. Each `tool_use` block must have a "
            "corresponding `tool_result` block in the next message."
        )


def _asking(fault: Fault, index: Index) -> int:
    side = index.side_numbers[fault.place.message]
    return index.calls_by_id[side - 1][fault.ids[0]][0].place.message


def _sentence(before: Block | None) -> str:
    kind = before.kind if before is not None else ""
    what = kind if kind in ("text", "image", "document") else "another block"
    return f"{what} stands before this result"
