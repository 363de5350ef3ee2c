"""The Messages API's way to spell a message: a role and content blocks.

Source of the facts: the request types of the Anthropic Python SDK 2.14.0. Unknown block types and
members are normal (every month brings some) and are kept as they are.
"""

from collections.abc import Mapping

import msgspec
from msgspec import UNSET, Raw, UnsetType

from tapeview.shapes.anthropic_edit import AnthropicEditing
from tapeview.shapes.fields import fields_of, is_text, text_facts, text_of, value_at
from tapeview.tape.block import Block, BlockFacts, JsonPath
from tapeview.tape.json_text import Buffer, elements, loads
from tapeview.tape.record import Role
from tapeview.tape.shape import Part, Reading

__all__ = [
    "AnthropicShape",
    "Light",
    "block_parts",
    "blocks_of",
    "content_parts",
    "read_content",
]

ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}

PAYLOADS: Mapping[str, str] = {
    "text": "text",
    "thinking": "thinking",
    "redacted_thinking": "data",
    "tool_use": "input",
    "server_tool_use": "input",
    "mcp_tool_use": "input",
    "image": "source",
    "document": "source",
    "tool_result": "content",
}
"""The member that carries a block; every ``..._result`` block carries ``content``."""

EMPTY_PAYLOADS = (b"", b'""', b"[]", b"null")
PATHS = tuple(("content", k) for k in range(64))
"""Paths of the first blocks, so that most blocks share theirs."""


class _Typed(msgspec.Struct):
    type: str = ""


class Light(msgspec.Struct, gc=False):
    """The members that a row of the timeline or a rule needs, the heavy ones undecoded."""

    type: str = ""
    id: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    tool_use_id: str | UnsetType = UNSET
    toolset_name: str | UnsetType | None = UNSET
    input: Raw | UnsetType = UNSET
    content: Raw | UnsetType = UNSET
    text: Raw | UnsetType = UNSET
    thinking: Raw | UnsetType = UNSET
    signature: Raw | UnsetType = UNSET
    data: Raw | UnsetType = UNSET
    source: Raw | UnsetType = UNSET
    is_error: bool | UnsetType | None = UNSET


class _Message(msgspec.Struct):
    role: str = ""
    content: Raw | UnsetType = UNSET
    id: str | UnsetType | None = UNSET


_lights = msgspec.json.Decoder(list[Light])
_types = msgspec.json.Decoder(list[_Typed])
_message = msgspec.json.Decoder(_Message)


class AnthropicShape(AnthropicEditing):
    """Messages of the Anthropic Messages API."""

    dialect = "anthropic"

    def read(self, message: bytes) -> Reading:
        """Role and blocks of one message object."""
        try:
            light = _message.decode(message)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return self._read_slowly(message)
        content = b"" if light.content is UNSET else bytes(light.content)
        identity = light.id if isinstance(light.id, str) else ""
        return Reading(ROLES.get(light.role, ""), light.role, read_content(content), identity)

    def _read_slowly(self, message: bytes) -> Reading:
        fields = fields_of(message)
        role = text_of(fields.get("role"))
        content = read_content(fields.get("content", b""))
        return Reading(ROLES.get(role, ""), role, content, text_of(fields.get("id")))

    def parts(self, message: bytes, block: Block) -> tuple[Part, ...]:
        """What the block carries, to look at."""
        raw = value_at(message, block.path)
        if block.path == ("content",):
            return (Part("text", text=str(loads(raw))),)
        return block_parts(raw)

    def input_of(self, message: bytes, block: Block) -> object:
        """A call's input as a value."""
        if block.facts & BlockFacts.INPUT_ABSENT:
            return None
        return loads(value_at(message, (*block.path, "input")))


def read_content(content: Buffer) -> tuple[Block, ...]:
    """Blocks of a message's ``content``: one for a string, one for each element of a list."""
    if not content:
        return ()
    if content[0] == 0x22:
        return (Block("text", ("content",), len(content) - 2, facts=text_facts(content)),)
    if content[0] != 0x5B:
        return ()
    try:
        lights = _lights.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _read_list_slowly(bytes(content))
    blocks = blocks_of(lights)
    return _read_list_slowly(bytes(content)) if blocks is None else blocks


def blocks_of(lights: list[Light]) -> tuple[Block, ...] | None:
    """The blocks of decoded content; None where a kind is unknown: its size is all its text."""
    if len(lights) == 1 and (member := PAYLOADS.get(lights[0].type)):
        return (_from_light(lights[0], member, PATHS[0]),)
    blocks = []
    for k, light in enumerate(lights):
        member = PAYLOADS.get(light.type) or _payload_member(light.type)
        if not member:
            return None
        blocks.append(_from_light(light, member, _path(k)))
    return tuple(blocks)


def _path(k: int) -> JsonPath:
    return PATHS[k] if k < len(PATHS) else ("content", k)


def _payload_member(kind: str) -> str:
    return "content" if kind.endswith("_tool_result") else PAYLOADS.get(kind, "")


def _from_light(light: Light, member: str, path: JsonPath) -> Block:
    payload: Raw | UnsetType = getattr(light, member)
    raw = b"" if payload is UNSET else memoryview(payload)
    facts = BlockFacts.NONE
    identity = name = ""
    if member == "input":
        if light.id is UNSET:
            facts |= BlockFacts.ID_ABSENT
        else:
            identity = light.id
        if light.name is UNSET:
            facts |= BlockFacts.NAME_ABSENT
        else:
            name = light.name
        facts |= _input_facts(raw)
    elif member == "content":
        if light.tool_use_id is UNSET:
            facts |= BlockFacts.ID_ABSENT
        else:
            identity = light.tool_use_id
        if light.is_error is True:
            facts |= BlockFacts.IS_ERROR
    elif light.signature is not UNSET and bytes(light.signature) not in (b'""', b"null"):
        facts |= BlockFacts.SIGNED
    return _finish(light.type, path, raw, identity, name, facts)


def _from_fields(fields: Mapping[str, bytes], raw_size: int, path: JsonPath) -> Block:
    """The same block as ``_from_light`` makes, out of members of any type."""
    kind = text_of(fields.get("type"))
    member = _payload_member(kind)
    if not member:
        return Block(kind, path, raw_size)
    raw = fields.get(member, b"")
    facts = BlockFacts.NONE
    identity = name = ""
    if member == "input":
        identity, facts = _id_facts(fields.get("id"))
        name = text_of(fields.get("name"))
        if "name" not in fields:
            facts |= BlockFacts.NAME_ABSENT
        elif not is_text(fields["name"]):
            facts |= BlockFacts.NAME_NOT_TEXT
        facts |= _input_facts(raw)
    elif member == "content":
        identity, facts = _id_facts(fields.get("tool_use_id"))
        if fields.get("is_error") == b"true":
            facts |= BlockFacts.IS_ERROR
    elif fields.get("signature", b"null") not in (b'""', b"null"):
        facts |= BlockFacts.SIGNED
    return _finish(kind, path, raw, identity, name, facts)


def _finish(kind: str, path: JsonPath, raw: Buffer, identity: str, name: str, facts: int) -> Block:
    size, first = len(raw), raw[0] if raw else 0
    nested: tuple[str, ...] = ()
    if size <= 4 and bytes(raw) in EMPTY_PAYLOADS:
        facts |= BlockFacts.EMPTY
    elif first == 0x22:
        if kind == "text":
            facts |= text_facts(raw)
    elif first == 0x5B and kind == "tool_result":
        nested = _nested_types(raw)
    return Block(kind, path, size - 2 if first == 0x22 else size, identity, name, facts, nested)


def _input_facts(raw: Buffer) -> int:
    if not raw:
        return BlockFacts.INPUT_ABSENT
    return BlockFacts.NONE if raw[0] == 0x7B else BlockFacts.INPUT_NOT_OBJECT


def _id_facts(raw: bytes | None) -> tuple[str, int]:
    if raw is None:
        return "", BlockFacts.ID_ABSENT
    return text_of(raw), BlockFacts.NONE if is_text(raw) else BlockFacts.ID_NOT_TEXT


def _nested_types(content: Buffer) -> tuple[str, ...]:
    try:
        return tuple([typed.type for typed in _types.decode(content)])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raw = bytes(content)
        return tuple(text_of(fields_of(raw[a:b]).get("type")) for a, b in elements(raw, 0))


def _read_list_slowly(content: bytes) -> tuple[Block, ...]:
    blocks = []
    for k, (start, end) in enumerate(elements(content, 0)):
        raw = content[start:end]
        blocks.append(_from_fields(fields_of(raw), len(raw), _path(k)))
    return tuple(blocks)


def block_parts(raw: bytes) -> tuple[Part, ...]:
    """What one content block, given as JSON, carries."""
    fields = fields_of(raw)
    kind = text_of(fields.get("type"))
    if kind in ("text", "thinking"):
        return (Part("text", text=text_of(fields.get(kind))),)
    if kind == "redacted_thinking":
        return (Part("note", text="redacted: the model's thinking, encrypted"),)
    if kind in ("image", "document"):
        return (_media_part(kind, fields),)
    member = _payload_member(kind)
    if member == "input":
        return (Part("json", raw=fields.get("input", b"null")),)
    if member == "content":
        return content_parts(fields.get("content", b""))
    return (Part("json", raw=raw),)


def content_parts(content: bytes) -> tuple[Part, ...]:
    """What the ``content`` of a result carries: a string, blocks, or an object of its own."""
    if not content or content == b"null":
        return ()
    if is_text(content):
        return (Part("text", text=text_of(content)),)
    if content[0] != 0x5B:
        return (Part("json", raw=content),)
    return tuple(part for a, b in elements(content, 0) for part in block_parts(content[a:b]))


def _media_part(kind: str, fields: Mapping[str, bytes]) -> Part:
    source = fields_of(fields.get("source", b""))
    origin = text_of(source.get("type"))
    media_type = text_of(source.get("media_type"))
    title = text_of(fields.get("title"))
    if origin == "base64":
        data = text_of(source.get("data"))
        return Part("image" if kind == "image" else "document", title, b"", media_type, data)
    if origin == "text" and kind == "document":
        return Part("text", text=text_of(source.get("data")))
    where = text_of(source.get("url")) or text_of(source.get("file_id"))
    if where:
        label = "image" if kind == "image" else "document"
        return Part("note", text=f"{label} at {where}" if not title else f"{title}, at {where}")
    return Part("json", raw=fields.get("source", b"null"))
