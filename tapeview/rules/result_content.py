"""TR006 and TR007: what stands inside a result."""

from collections.abc import Iterator
from typing import ClassVar

from tapeview.rules._examples import call, result, said, says, text
from tapeview.rules._rule import Bad, Fault, Good, Rule
from tapeview.rules._words import short
from tapeview.tape.block import Block, Place
from tapeview.tape.index import Index
from tapeview.tape.link import End

__all__ = ["BadNestedBlock", "ErrorWithNonText"]

NESTED = ("browser_state", "document", "image", "search_result", "text", "tool_reference")
"""What a result may hold (``rules.md`` 3)."""

SHOT = (said("Take a picture."), says(call("toolu_a", "shot")))
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw"}}
LINK = {"type": "image_url", "image_url": {"url": "https://example.test/x.png"}}


class ErrorWithNonText(Rule):
    """A result that is marked as an error holds something that is not text.

    With `is_error: true` the API takes text only. Screenshots taken when a tool failed, and tool
    references, are the usual reason. There is one finding for each such block.

    Mend it by moving images into the user message after all results, or by unsetting `is_error`
    (R14).
    """

    code: ClassVar[str] = "TR006"
    name: ClassVar[str] = "error-with-non-text"
    rank: ClassVar[int] = 15
    repairs: ClassVar[tuple[str, ...]] = ("R14",)
    good = (
        Good("an image in a result that is no error", [*SHOT, said(result("toolu_a", [IMAGE]))]),
        Good(
            "an error of text, as a block and as a string",
            [
                *SHOT,
                said(result("toolu_a", [text("timeout")], is_error=True)),
                says(call("toolu_b", "shot")),
                said(result("toolu_b", "timeout", is_error=True)),
            ],
        ),
    )
    bad = (
        Bad(
            "a screenshot beside the error's text",
            [*SHOT, said(result("toolu_a", [text("timeout"), IMAGE], is_error=True))],
            ("messages.2.content.0.content.1",),
        ),
        Bad(
            "two images are two findings",
            [*SHOT, said(result("toolu_a", [IMAGE, IMAGE], is_error=True))],
            ("messages.2.content.0.content.0", "messages.2.content.0.content.1"),
        ),
    )

    def find(self, index: Index) -> Iterator[Fault]:
        """Nested blocks of error results that are not text; those without a type are MS012."""
        for end in index.results:
            if end.side >= 0 and end.block.is_error:
                for k, kind in enumerate(end.block.nested):
                    if kind not in ("text", ""):
                        yield _fault(
                            end, k, f"a block of type {short(kind)} stands in an error result"
                        )

    def api_path(self, fault: Fault, index: Index) -> str:
        """The result."""
        return index.path(fault.place._replace(nested=-1))

    def api_message(self, fault: Fault, index: Index) -> str:
        """It does not say which block."""
        where = self.api_path(fault, index)
        return f"{where}: all content must be type `text` if `is_error` is true"


class BadNestedBlock(Rule):
    """A result holds a block of a type that the API does not take there.

    A result may hold text, images, documents, search results, tool references and the state of a
    browser. Parts of other dialects, such as `image_url`, are left in by converters that look at
    the outer blocks only.

    Mend it by converting the block to its counterpart, or to text that says what was there (R15).
    """

    code: ClassVar[str] = "TR007"
    name: ClassVar[str] = "bad-nested-block"
    rank: ClassVar[int] = 16
    repairs: ClassVar[tuple[str, ...]] = ("R15",)
    good = (
        Good(
            "all types that a result may hold",
            [*SHOT, said(result("toolu_a", [{"type": kind} for kind in NESTED]))],
        ),
        Good(
            "content that is absent",
            [*SHOT, said({"type": "tool_result", "tool_use_id": "toolu_a"})],
        ),
    )
    bad = (
        Bad(
            "an image in the words of Chat Completions",
            [*SHOT, said(result("toolu_a", [text("see"), LINK]))],
            ("messages.2.content.0.content.1",),
        ),
    )

    def find(self, index: Index) -> Iterator[Fault]:
        """Nested blocks of a type that is not in the list; those without a type are MS012."""
        for end in index.results:
            if end.side >= 0:
                for k, kind in enumerate(end.block.nested):
                    if kind and kind not in NESTED:
                        yield _fault(end, k, f"a result cannot hold a block of type {short(kind)}")

    def api_path(self, fault: Fault, index: Index) -> str:
        """The nested block, with the type of the outer one in between."""
        outer = index.path(fault.place._replace(nested=-1))
        return f"{outer}.tool_result.content.{fault.place.nested}"

    def api_message(self, fault: Fault, index: Index) -> str:
        """It lists the types that the API knows."""
        kind = _nested(index.block_at(fault.place), fault.place)
        tags = ", ".join(f"'{tag}'" for tag in NESTED)
        return (
            f"{self.api_path(fault, index)}: Input tag '{kind}' found using 'type' does not match "
            f"any of the expected tags: {tags}"
        )


def _fault(end: End, nested: int, sentence: str) -> Fault:
    return Fault(end.place._replace(nested=nested), sentence, (end.block.id,))


def _nested(block: Block | None, place: Place) -> str:
    return block.nested[place.nested] if block is not None else ""
