"""Changing messages that are spelled as Chat Completions has them."""

from collections.abc import Mapping, Sequence

from tapeview.errors import EditError
from tapeview.shapes.fields import fields_of, is_text, text_of
from tapeview.tape.block import Block, BlockFacts, JsonPath
from tapeview.tape.graft import (
    COMPACT,
    Style,
    respelled,
    spelled,
    style_of,
    with_element,
    with_member,
    without,
)
from tapeview.tape.json_text import JsonFault, decode_text, loads, locate, skip_value

__all__ = ["OpenAIChatEditing"]

HELD = frozenset({"tool_calls", "function_call", "refusal", "reasoning_content", "reasoning"})
"""Members that make a message without content worth keeping."""
THOUGHTS = ("thinking", "redacted_thinking")


class OpenAIChatEditing:
    """How a message is changed; every byte outside of the change stays."""

    def neutral(self, message: bytes, block: Block) -> bytes:
        """The block in the spelling of the Messages API, as far as that has it."""
        start, end = locate(message, block.path)
        raw = message[start:end] if block.path else message
        if block.kind == "tool_use":
            body = fields_of(raw).get("function", raw)
            given = _parsed(fields_of(body).get("arguments", b"{}"))
            parts = {b"id": spelled(block.id), b"name": spelled(block.name), b"input": given}
            return _object(b'"type":"tool_use"', parts)
        if block.kind == "tool_result":
            content = fields_of(raw).get("content", b'""')
            parts = {b"tool_use_id": spelled(block.id), b"content": content}
            return _object(b'"type":"tool_result"', parts)
        if is_text(raw):
            return _object(b'"type":"text"', {b"text": raw})
        return raw

    def own(self, message: bytes, block: Block) -> bytes:
        """A call with all its members; other blocks as ``neutral`` has them."""
        if block.kind != "tool_use" or len(block.path) != 2:
            return self.neutral(message, block)
        start, end = locate(message, block.path)
        return message[start:end]

    def set_member(self, message: bytes, block: Block, name: str, value: bytes | None) -> bytes:
        """``message`` with one member of a block set, or taken out where ``value`` is None."""
        path = _path(message, block, name)
        if path is None:
            raise EditError(f"Chat Completions has no {name or 'such block'} here.")
        if name == "text" and value is not None and not is_text(value):
            raise EditError("a text is a JSON string, in quotes.")
        start, _ = locate(message, path[:-1])
        held = message[start : skip_value(message, start)]
        if value is None:
            return without(message, path) if path[-1] in fields_of(held) else message
        as_text = block.facts & (BlockFacts.JSON_IN_TEXT | BlockFacts.INPUT_ABSENT)
        if name == "input" and as_text and path[-1] == "arguments":
            value = spelled(decode_text(respelled(value, COMPACT)))
        else:
            value = respelled(value, style_of(held).deeper())
        return with_member(message, path[:-1], str(path[-1]), value)

    def without_blocks(self, message: bytes, blocks: Sequence[Block]) -> bytes | None:
        """``message`` without these blocks; None where nothing is left of it."""
        if any(block.path == () for block in blocks):
            return None
        for block in sorted(blocks, key=lambda b: [str(b.path[0]), *b.path[1:]], reverse=True):
            if block.path == ("content",):
                message = with_member(message, (), "content", b"null")
            else:
                message = without(message, block.path)
        fields = fields_of(message)
        if not fields.get("content", b"[").strip(b"[] \t\r\n"):
            message = with_member(message, (), "content", b"null")
        if not fields.get("tool_calls", b"[x]").strip(b"[] \t\r\n"):
            message = without(message, ("tool_calls",))
        left = fields_of(message)
        empty = left.get("content") in (None, b"null", b'""')
        return None if empty and HELD.isdisjoint(left) else message

    def with_block(self, message: bytes, before: Block | None, block: bytes) -> bytes:
        """``message`` with a block more, above another one, or at the end."""
        fields = fields_of(block)
        kind = text_of(fields.get("type"))
        if kind == "tool_result" or text_of(fields_of(message).get("role")) == "tool":
            raise EditError("in Chat a result is a message of its own; insert a message.")
        is_call = _is_call(fields)
        beside = "tool_calls" if is_call else "content"
        if before is None or (beside == "content" and before.path[0] == "tool_calls"):
            at = 1 << 30
        else:
            at = int(before.path[1]) if before.path[0] == beside and len(before.path) == 2 else 0
        if is_call:
            if "tool_calls" not in fields_of(message):
                message = with_member(message, (), "tool_calls", b"[]")
            return _with(message, "tool_calls", at, _call(fields, block))
        content = fields_of(message).get("content", b"null")
        if content[:1] != b"[":
            held = b'[{"type":"text","text":' + content + b"}]" if len(content) > 2 else b"[]"
            held = held if is_text(content) else b"[]"
            message = with_member(message, (), "content", respelled(held, style_of(message)))
        return _with(message, "content", at, _part(kind, fields, block))

    def kept(self, blocks: Sequence[bytes]) -> list[bytes]:
        """All but thinking: there is no place for it, nor for what it was signed with."""
        kept = [b for b in blocks if text_of(fields_of(b).get("type")) not in THOUGHTS]
        if not kept:
            raise EditError("nothing of this reply can be stored here: it is thinking alone.")
        return kept

    def spell(self, role: str, blocks: Sequence[bytes], style: Style) -> list[bytes]:
        """The message, or messages, that these blocks make: each result is one of its own."""
        kinds = [(fields_of(block), block) for block in blocks]
        results = [f for f, _ in kinds if text_of(f.get("type")) == "tool_result"]
        calls = [_call(fields, block) for fields, block in kinds if _is_call(fields)]
        parts = [
            _part(text_of(f.get("type")), f, block)
            for f, block in kinds
            if text_of(f.get("type")) != "tool_result" and not _is_call(f)
        ]
        messages = [
            _object(
                b'"role":"tool"',
                {
                    b"tool_call_id": f.get("tool_use_id", b'""'),
                    b"content": f.get("content", b'""'),
                },
            )
            for f in results
        ]
        if calls or parts or not results:
            content = b"null" if calls and not parts else b"[" + b",".join(parts) + b"]"
            if len(parts) == 1 and "text" in (lone := fields_of(parts[0])):
                content = lone["text"]
            extra = {b"content": content}
            if calls:
                extra[b"tool_calls"] = b"[" + b",".join(calls) + b"]"
            messages.append(_object(b'"role":' + spelled(role), extra))
        return [respelled(message, style) for message in messages]


def _object(first: bytes, members: Mapping[bytes, bytes]) -> bytes:
    return b"{" + b",".join([first, *(b'"%s":%s' % pair for pair in members.items())]) + b"}"


def _parsed(arguments: bytes) -> bytes:
    """Arguments as the value that their text spells; as they stand where it spells none."""
    if not is_text(arguments):
        return arguments
    text = text_of(arguments).encode("utf-8", "surrogatepass")
    try:
        loads(text)
    except JsonFault:
        return arguments
    return text


def _is_call(fields: Mapping[str, bytes]) -> bool:
    """Whether it is a call, in the Messages API's spelling or in Chat's own."""
    return text_of(fields.get("type")) == "tool_use" or "function" in fields or "custom" in fields


def _call(fields: Mapping[str, bytes], block: bytes) -> bytes:
    """A call in Chat's spelling; one that has it stays as it stands."""
    if text_of(fields.get("type")) != "tool_use":
        return block
    given = respelled(fields.get("input", b"{}"), COMPACT)
    body = {b"arguments": spelled(decode_text(given))}
    function = _object(b'"name":' + fields.get("name", b'""'), body)
    parts = {b"type": b'"function"', b"function": function}
    return _object(b'"id":' + fields.get("id", b'""'), parts)


def _part(kind: str, fields: Mapping[str, bytes], block: bytes) -> bytes:
    if kind == "image":
        source = fields_of(fields.get("source", b""))
        url = text_of(source.get("url"))
        if text_of(source.get("type")) == "base64":
            url = f"data:{text_of(source.get('media_type'))};base64,{text_of(source.get('data'))}"
        return _object(b'"type":"image_url"', {b"image_url": _object(b'"url":' + spelled(url), {})})
    if kind in THOUGHTS:
        raise EditError("Chat Completions has no block for thinking.")
    return block


def _with(message: bytes, name: str, at: int, element: bytes) -> bytes:
    start, _ = locate(message, (name,))
    style = style_of(message[start : skip_value(message, start)])
    if message[start : start + 2] == b"[]":
        style = style_of(message)._replace(indent="")
    return with_element(message, (name,), at, respelled(element, style.deeper()))


def _path(message: bytes, block: Block, name: str) -> JsonPath | None:
    if not name:
        return None
    if block.kind == "tool_use":
        legacy = block.path[0] == "function_call"
        start, end = locate(message, block.path)
        custom = "custom" in fields_of(message[start:end])
        inside = block.path if legacy else (*block.path, "custom" if custom else "function")
        given = "input" if custom else "arguments"
        known = {"input": (*inside, given), "name": (*inside, "name")}
        if not legacy:
            known["id"] = (*block.path, "id")
        return known.get(name)
    if block.kind == "tool_result":
        return {"content": ("content",), "id": ("tool_call_id",), "name": ("name",)}.get(name)
    if name == "text":
        return (*block.path, "text") if len(block.path) == 2 else block.path
    return (*block.path, name) if len(block.path) == 2 else None
