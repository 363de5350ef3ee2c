"""Chat Completions' way to spell a message: content beside ``tool_calls``, results in ``tool``.

Source of the facts: the request types of the OpenAI Python SDK 3.57.0. ``arguments`` is JSON inside
a string and may be broken; ``content`` may be null, absent or empty, which are three things. The
legacy ``function_call`` and role ``function`` have no ids and pair by name.
"""

from collections.abc import Iterator, Mapping

from tapeview.shapes.anthropic import block_parts, content_parts
from tapeview.shapes.fields import fields_of, is_text, text_facts, text_of, value_at
from tapeview.shapes.openai_chat_edit import OpenAIChatEditing
from tapeview.tape.block import Block, BlockFacts, JsonPath
from tapeview.tape.json_text import JsonFault, elements, loads
from tapeview.tape.record import Role
from tapeview.tape.shape import Part, Reading

__all__ = ["OpenAIChatShape"]

ROLES: Mapping[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "user",
    "function": "user",
}

PART_KINDS: Mapping[str, str] = {
    "image_url": "image",
    "input_image": "image",
    "file": "document",
}
"""Content parts that have a counterpart in the tape's own words."""

REASONING = ("reasoning_content", "reasoning")
"""Members in which vendors put the model's thinking, best first."""


class OpenAIChatShape(OpenAIChatEditing):
    """Messages of OpenAI Chat Completions and the many APIs that copy it."""

    dialect = "openai-chat"

    def read(self, message: bytes) -> Reading:
        """Role and blocks of one message object."""
        fields = fields_of(message)
        spelled = text_of(fields.get("role"))
        role = ROLES.get(spelled, "")
        if spelled in ("tool", "function"):
            return Reading(role, spelled, (_result(fields, spelled),))
        blocks = (*_thinking(fields), *_content(fields), *_calls(fields))
        return Reading(role, spelled, blocks, text_of(fields.get("id")))

    def parts(self, message: bytes, block: Block) -> tuple[Part, ...]:
        """What the block carries, to look at."""
        raw = value_at(message, block.path)
        if block.kind == "tool_result":
            return content_parts(fields_of(raw).get("content", b""))
        if block.kind == "tool_use":
            return (_input_part(raw),)
        if is_text(raw):
            return (Part("text", text=text_of(raw)),)
        return _part_parts(raw)

    def input_of(self, message: bytes, block: Block) -> object:
        """A call's arguments as a value; as text where they are not JSON."""
        raw = _arguments(fields_of(value_at(message, block.path)))
        if not is_text(raw):
            return loads(raw) if raw else None
        text = text_of(raw)
        try:
            return loads(text.encode("utf-8", "surrogatepass"))
        except JsonFault:
            return text


def _thinking(fields: Mapping[str, bytes]) -> Iterator[Block]:
    for member in REASONING:
        raw = fields.get(member, b"")
        if is_text(raw) and len(raw) > 2:
            yield Block("thinking", (member,), len(raw) - 2)
            return


def _content(fields: Mapping[str, bytes]) -> Iterator[Block]:
    raw = fields.get("content", b"")
    if is_text(raw):
        if len(raw) > 2 or not _has_calls(fields):
            yield Block("text", ("content",), len(raw) - 2, facts=text_facts(raw))
    elif raw[:1] == b"[":
        for k, (start, end) in enumerate(elements(raw, 0)):
            yield _part(raw[start:end], ("content", k))
    refusal = fields.get("refusal", b"")
    if is_text(refusal) and len(refusal) > 2:
        yield Block("text", ("refusal",), len(refusal) - 2)


def _part(raw: bytes, path: JsonPath) -> Block:
    part = fields_of(raw)
    kind = text_of(part.get("type"))
    payload = part.get("text", b"") if kind == "text" else raw
    size = len(payload) - 2 if is_text(payload) else len(payload)
    identity = text_of(part.get("id")) or text_of(part.get("tool_use_id"))
    return Block(PART_KINDS.get(kind, kind), path, size, identity, text_of(part.get("name")))


def _has_calls(fields: Mapping[str, bytes]) -> bool:
    return fields.get("tool_calls", b"null") not in (b"null", b"[]") or "function_call" in fields


def _calls(fields: Mapping[str, bytes]) -> Iterator[Block]:
    raw = fields.get("tool_calls", b"")
    if raw[:1] == b"[":
        for k, (start, end) in enumerate(elements(raw, 0)):
            call = fields_of(raw[start:end])
            identity = call.get("id")
            facts = BlockFacts.NONE
            if identity is None:
                facts |= BlockFacts.ID_ABSENT
            elif not is_text(identity):
                facts |= BlockFacts.ID_NOT_TEXT
            yield _call(call, ("tool_calls", k), text_of(identity), facts)
    legacy = fields.get("function_call", b"")
    if legacy[:1] == b"{":
        yield _call({"function": legacy}, ("function_call",), "", BlockFacts.LEGACY)


def _call(call: Mapping[str, bytes], path: JsonPath, identity: str, facts: int) -> Block:
    body = fields_of(call.get("function", call.get("custom", b"")))
    if "name" not in body:
        facts |= BlockFacts.NAME_ABSENT
    arguments = body.get("arguments", body.get("input", b""))
    if not arguments:
        facts |= BlockFacts.INPUT_ABSENT
    elif is_text(arguments):
        facts |= BlockFacts.JSON_IN_TEXT
    size = len(arguments) - 2 if is_text(arguments) else len(arguments)
    return Block("tool_use", path, size, identity, text_of(body.get("name")), facts)


def _arguments(call: Mapping[str, bytes]) -> bytes:
    body = fields_of(call.get("function", call.get("custom", b""))) or call
    return body.get("arguments", body.get("input", b""))


def _input_part(raw: bytes) -> Part:
    arguments = _arguments(fields_of(raw))
    if not is_text(arguments):
        return Part("json", raw=arguments or b"null")
    text = text_of(arguments)
    written = text.encode("utf-8", "surrogatepass")
    try:
        loads(written)
    except JsonFault:
        return Part("text", text=text)
    return Part("json", raw=written)


def _result(fields: Mapping[str, bytes], spelled: str) -> Block:
    content = fields.get("content", b"")
    facts = BlockFacts.NONE
    if spelled == "function":
        facts |= BlockFacts.LEGACY
    elif "tool_call_id" not in fields:
        facts |= BlockFacts.ID_ABSENT
    elif not is_text(fields["tool_call_id"]):
        facts |= BlockFacts.ID_NOT_TEXT
    if content in (b"", b'""', b"[]", b"null"):
        facts |= BlockFacts.EMPTY
    size = len(content) - 2 if is_text(content) else len(content)
    nested: tuple[str, ...] = ()
    if content[:1] == b"[":
        nested = tuple(
            text_of(fields_of(content[a:b]).get("type")) for a, b in elements(content, 0)
        )
    name = text_of(fields.get("name"))
    return Block("tool_result", (), size, text_of(fields.get("tool_call_id")), name, facts, nested)


def _part_parts(raw: bytes) -> tuple[Part, ...]:
    part = fields_of(raw)
    if text_of(part.get("type")) in ("image_url", "input_image"):
        image = fields_of(part.get("image_url", b""))
        url = text_of(image.get("url")) or text_of(part.get("image_url"))
        if url.startswith("data:"):
            head, _, data = url.partition(",")
            return (Part("image", media_type=head[5:].partition(";")[0], data=data),)
        return (Part("note", text=f"image at {url}"),)
    return block_parts(raw)
