"""One line of a Claude Code session file, read into a record."""

import msgspec
from msgspec import UNSET, Raw, UnsetType

from tapeview.formats._claude_line import Kept, LineFacts
from tapeview.shapes.anthropic import Light, blocks_of, read_content
from tapeview.shapes.fields import fields_of, text_of
from tapeview.tape.block import Block
from tapeview.tape.json_text import JsonFault, loads
from tapeview.tape.record import Record, RecordKind, Role

__all__ = ["read_line"]

NESTED = frozenset({"message", "attachment", "compactMetadata", "content", "toolUseResult"})


class _Message(msgspec.Struct, gc=False):
    role: str = ""
    content: list[Light] | str = ""
    id: str | None = None
    model: str | None = None


class _Kind(msgspec.Struct):
    type: str = ""


class _Segment(msgspec.Struct):
    headUuid: str = ""  # noqa: N815
    anchorUuid: str = ""  # noqa: N815
    tailUuid: str = ""  # noqa: N815


class _Compact(msgspec.Struct):
    preservedSegment: _Segment | None = None  # noqa: N815


class _Result(msgspec.Struct, gc=False):
    agentId: str | None = None  # noqa: N815


class _Line(msgspec.Struct, gc=False):
    """The members that the parent chain and the rows need."""

    type: str = ""
    uuid: str | None = None
    parentUuid: str | None = None  # noqa: N815
    logicalParentUuid: str | None = None  # noqa: N815
    timestamp: str | None = None
    sessionId: str | None = None  # noqa: N815
    version: str | None = None
    cwd: str | None = None
    subtype: str | None = None
    isSidechain: bool | None = None  # noqa: N815
    isMeta: bool | None = None  # noqa: N815
    isVisibleInTranscriptOnly: bool | None = None  # noqa: N815
    isCompactSummary: bool | None = None  # noqa: N815
    isApiErrorMessage: bool | None = None  # noqa: N815
    isBranch: bool | None = None  # noqa: N815
    message: _Message | None = None
    attachment: _Kind | None = None
    compactMetadata: _Compact | None = None  # noqa: N815
    content: Raw | UnsetType = UNSET
    toolUseResult: _Result | list[Raw] | str | None = None  # noqa: N815


class _RawMessage(msgspec.Struct, frozen=True):
    content: Raw = Raw(b"")


class _RawLine(msgspec.Struct, frozen=True):
    message: _RawMessage = _RawMessage()


_decode = msgspec.json.Decoder(_Line).decode
_decode_content = msgspec.json.Decoder(_RawLine).decode
_REFUSED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def read_line(start: int, raw: bytes, line: int, shares: bool, member: int = 0) -> Record:
    """The record of the line ``raw``, which begins at byte ``start`` of file ``member``."""
    try:
        row = _decode(raw)
    except _REFUSED:
        try:
            row = _read_slowly(raw)
        except JsonFault as fault:
            return Record(
                start,
                len(raw),
                line,
                "unreadable",
                label=fault.reason,
                shares_line=shares,
                member=member,
            )
    message = row.message
    kind: RecordKind = "message"
    role: Role = ""
    blocks: tuple[Block, ...] = ()
    label = "summary" if row.isCompactSummary else ""
    if message is not None and (row.type == "user" or row.type == "assistant"):
        role = "user" if row.type == "user" else "assistant"
        blocks = _blocks(message.content, raw)
    elif row.subtype == "local_command" and row.type == "system" and row.content is not UNSET:
        role = "user"
        blocks = read_content(bytes(row.content))
    else:
        kind, label = "note", _label(row)
    return Record(
        start,
        len(raw),
        line,
        kind,
        role,
        message.role if message is not None else "",
        blocks,
        message.id or "" if message is not None and role == "assistant" else "",
        row.timestamp or "",
        label,
        row.isApiErrorMessage or False,
        shares,
        _facts(row),
        member,
    )


def _blocks(content: list[Light] | str, raw: bytes) -> tuple[Block, ...]:
    """The blocks; read once more for a string, whose size as written is asked for."""
    if not isinstance(content, str) and (blocks := blocks_of(content)) is not None:
        return blocks
    try:
        found = bytes(_decode_content(raw).message.content)
    except _REFUSED:
        found = fields_of(fields_of(raw).get("message", b"")).get("content", b"")
    return read_content(found)


def _facts(row: _Line) -> LineFacts:
    message, result, compact = row.message, row.toolUseResult, row.compactMetadata
    return LineFacts(
        row.uuid or "",
        row.parentUuid or "",
        row.logicalParentUuid or "",
        row.type,
        row.subtype or "",
        row.isSidechain or False,
        (row.isVisibleInTranscriptOnly and not row.isCompactSummary) or False,
        row.isCompactSummary or False,
        row.isMeta or False,
        message.model or "" if message is not None else "",
        row.version or "",
        row.cwd or "",
        _kept(compact.preservedSegment) if compact is not None else None,
        result.agentId or "" if isinstance(result, _Result) else "",
        row.sessionId or "",
        row.isBranch or False,
    )


def _kept(segment: _Segment | None) -> Kept | None:
    if segment is None or not (segment.headUuid and segment.anchorUuid and segment.tailUuid):
        return None
    return Kept(segment.headUuid, segment.anchorUuid, segment.tailUuid)


def _label(row: _Line) -> str:
    if row.type == "attachment" and row.attachment is not None:
        return f"attachment {row.attachment.type}".strip()
    if row.subtype:
        return f"{row.type} {row.subtype}".strip()
    return row.type or "note"


def _read_slowly(raw: bytes) -> _Line:
    """The same members out of a line that msgspec refuses: odd types, lone surrogates, NaN."""
    if not isinstance(value := loads(raw), dict):
        raise JsonFault(0, "it is no JSON object")
    row = _Line()
    for name in row.__struct_fields__:
        member = value.get(name)
        if name not in NESTED and isinstance(member, bool if name.startswith("is") else str):
            setattr(row, name, member)
    fields = fields_of(raw)
    if isinstance(value.get("message"), dict):
        message = fields_of(fields["message"])
        names = (text_of(message.get(name)) for name in ("role", "id", "model"))
        role, identity, model = names
        row.message = _Message(role, "", identity, model)
    if isinstance(value.get("attachment"), dict):
        row.attachment = _Kind(text_of(fields_of(fields["attachment"]).get("type")))
    if "content" in fields:
        row.content = Raw(fields["content"])
    if isinstance(value.get("toolUseResult"), dict):
        row.toolUseResult = _Result(text_of(fields_of(fields["toolUseResult"]).get("agentId")))
    return row
