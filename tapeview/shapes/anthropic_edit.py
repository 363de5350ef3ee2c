"""Changing messages that are spelled as the Messages API has them."""

from collections.abc import Sequence

from tapeview.errors import EditError
from tapeview.shapes.fields import fields_of, text_of
from tapeview.tape.block import CALLS, RESULTS, Block, JsonPath
from tapeview.tape.graft import (
    Style,
    replaced,
    respelled,
    spelled,
    style_of,
    with_element,
    with_member,
    without,
)
from tapeview.tape.json_text import locate, skip_value

__all__ = ["AnthropicEditing"]

WORDS = {"thinking": "thinking", "redacted_thinking": "data"}
"""The member that holds a block's words, where it is not ``text``."""


class AnthropicEditing:
    """How a message is changed; every byte outside of the change stays."""

    def neutral(self, message: bytes, block: Block) -> bytes:
        """The block as it stands; a string as a text block."""
        start, end = locate(message, block.path)
        raw = message[start:end]
        return b'{"type":"text","text":' + raw + b"}" if block.path == ("content",) else raw

    def own(self, message: bytes, block: Block) -> bytes:
        """The same."""
        return self.neutral(message, block)

    def set_member(self, message: bytes, block: Block, name: str, value: bytes | None) -> bytes:
        """``message`` with one member of a block set, or taken out."""
        path = block.path
        if name == "text" and value is not None and value[:1] != b'"':
            raise EditError("a text is a JSON string, in quotes.")
        if path == ("content",):
            if name == "text" and value is not None:
                return replaced(message, path, value)
            message, path = _as_list(message), ("content", 0)
        start, _ = locate(message, path)
        style = style_of(message[start : skip_value(message, start)])
        if not name:
            if value is None or value[:1] != b"{":
                raise EditError("a block that is to be replaced needs another one.")
            return replaced(message, path, respelled(value, style))
        member = _member(block, name)
        if value is None:
            return without(message, (*path, member)) if _has(message, path, member) else message
        return with_member(message, path, member, respelled(value, style.deeper()))

    def without_blocks(self, message: bytes, blocks: Sequence[Block]) -> bytes | None:
        """``message`` without these blocks; None where nothing is left of it."""
        numbers = sorted((int(b.path[1]) for b in blocks if len(b.path) == 2), reverse=True)
        if len(numbers) < len(blocks):
            return None  # its content is one string
        for number in numbers:
            message = without(message, ("content", number))
        start, end = locate(message, ("content",))
        return None if message[start:end].strip(b"[] \t\r\n") == b"" else message

    def with_block(self, message: bytes, before: Block | None, block: bytes) -> bytes:
        """``message`` with a block more, above another one, or at the end."""
        message = _as_list(message)
        at = 1 << 30 if before is None else int(before.path[1]) if len(before.path) == 2 else 0
        start, _ = locate(message, ("content",))
        style = style_of(message[start : skip_value(message, start)])
        return with_element(message, ("content",), at, respelled(block, style.deeper()))

    def kept(self, blocks: Sequence[bytes]) -> list[bytes]:
        """All of them."""
        return list(blocks)

    def spell(self, role: str, blocks: Sequence[bytes], style: Style) -> list[bytes]:
        """The message as it is sent: a lone text as a string."""
        raw = b'{"role":' + spelled(role) + b',"content":' + _content(blocks) + b"}"
        return [respelled(raw, style)]


def _content(blocks: Sequence[bytes]) -> bytes:
    if len(blocks) == 1:
        fields = fields_of(blocks[0])
        if text_of(fields.get("type")) == "text" and fields.keys() == {"type", "text"}:
            return fields["text"]
    return b"[" + b",".join(blocks) + b"]"


FITTING = {
    "text": frozenset({"text", *WORDS}),
    "input": CALLS,
    "content": RESULTS,
    "is_error": RESULTS,
}
"""Which blocks have a member; blocks of kinds that are not known may have any."""
KNOWN = frozenset().union(*FITTING.values()) | {"image", "document"}


def _member(block: Block, name: str) -> str:
    """The member's name. Raises ``EditError`` where such a block has none of that name."""
    if block.kind in KNOWN and block.kind not in FITTING.get(name, KNOWN):
        raise EditError(f"a {block.kind} block has no {name}.")
    if name == "id" and block.kind in RESULTS:
        return "tool_use_id"
    if name == "text":
        return WORDS.get(block.kind, "text")
    return name


def _has(message: bytes, path: JsonPath, member: str) -> bool:
    start, end = locate(message, path)
    return member in fields_of(message[start:end])


def _as_list(message: bytes) -> bytes:
    """The message with its content as a list of blocks."""
    fields = fields_of(message)
    content = fields.get("content", b"null")
    if content[:1] == b"[":
        return message
    style = style_of(message)
    text = b"[]"
    if content[:1] == b'"' and content != b'""':
        text = respelled(b'[{"type":"text","text":' + content + b"}]", style.deeper())
    elif content[:1] not in (b'"', b"n"):
        raise EditError("the message's content is neither text nor a list of blocks.")
    return with_member(message, (), "content", text)
