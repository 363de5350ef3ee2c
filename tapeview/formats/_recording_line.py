"""One line of a recording, read into a record."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec import UNSET, Raw, UnsetType

from tapeview.shapes.anthropic import AnthropicShape
from tapeview.shapes.fields import fields_of, text_of
from tapeview.tape.json_text import JsonFault, Span, array_spans, loads, locate, skip_value
from tapeview.tape.record import UNFINISHED, Record

__all__ = [
    "CallFacts",
    "ChunkFacts",
    "EndFacts",
    "HeaderFacts",
    "MadeFacts",
    "made_text",
    "message_in",
    "read_line",
    "read_text",
    "runs_together",
]

SHAPE = AnthropicShape()
BILLING = b"x-anthropic-billing-header:"
"""What a block of Claude Code's system prompt begins with that changes with every call."""
MADE = b'{"on":'
"""How a record begins that stands in no line: a message that was put in, or is arriving."""


class HeaderFacts(msgspec.Struct, frozen=True, gc=False):
    """The first line."""

    by: str
    upstream: str


class CallFacts(msgspec.Struct, frozen=True):
    """What the forest of calls asks of a call's line."""

    id: str
    kind: str
    parent: str
    keep: int
    adds: tuple[Span, ...]
    """The messages that it adds, as places in the line."""
    like: str
    of: str | int | None
    agent: str
    """The sub-agent's id, where the client names it."""
    reframed: bool
    """Whether it has another system prompt or other tools than the call that it goes on from."""
    headers: Mapping[str, str]
    """Headers of the request that are kept; none where they are those of the call before."""


class EndFacts(msgspec.Struct, frozen=True):
    """How a call ended."""

    call: str
    seconds: float
    first: float | None
    why: str
    """Why it failed; "" for a whole reply."""
    has_message: bool


class ChunkFacts(msgspec.Struct, frozen=True):
    """Neighbouring lines with pieces of answers."""

    calls: frozenset[str]


class MadeFacts(msgspec.Struct, frozen=True, gc=False):
    """A message that stands in no line."""

    on: str
    """The tape that it is on."""


class _Line(msgspec.Struct, gc=False):
    tape: int | UnsetType = UNSET
    call: str | UnsetType = UNSET
    head: str | UnsetType = UNSET
    chunk: str | UnsetType = UNSET
    reply: str | UnsetType = UNSET
    failed: str | UnsetType = UNSET
    at: str = ""
    by: str = ""
    upstream: str = ""
    kind: str = ""
    parent: str | None = None
    keep: int = 0
    add: list[Raw] = []
    like: str = ""
    of: str | int | None = None
    system: Raw | UnsetType = UNSET
    tools: Raw | UnsetType = UNSET
    headers: dict[str, str] = {}
    t: float = 0
    first: float | None = None
    message: Raw | UnsetType = UNSET
    why: str = ""


_decode = msgspec.json.Decoder(_Line).decode
_REFUSED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def read_line(start: int, raw: bytes, line: int, shares: bool) -> Record:
    """The record of the line ``raw``, which begins at byte ``start``."""
    base = Record(start, len(raw), line, "note", shares_line=shares)
    replace = msgspec.structs.replace
    try:
        row = _decode(raw)
    except _REFUSED:
        try:
            row = _read_slowly(raw)
        except JsonFault as fault:
            return replace(base, kind="unreadable", label=fault.reason)
    if isinstance(row.call, str):
        return replace(base, label=f"call {row.call}", time=row.at, facts=_call(row.call, row, raw))
    if isinstance(row.chunk, str):
        return replace(base, label="pieces", facts=ChunkFacts(frozenset([row.chunk])))
    if isinstance(row.reply, str):
        return _end(base, row, row.reply)
    if isinstance(row.failed, str):
        return _end(base, row, row.failed)
    if isinstance(row.head, str):
        return replace(base, label="head", facts=ChunkFacts(frozenset()))
    if isinstance(row.tape, int):
        return replace(
            base, label="recording", time=row.at, facts=HeaderFacts(row.by, row.upstream)
        )
    return replace(base, label="unknown line")


def _read_slowly(raw: bytes) -> _Line:
    """The same members out of a line that msgspec refuses: odd types, lone surrogates."""
    fields = fields_of(raw)
    end = skip_value(raw, 0)
    if not fields or end < len(raw):
        raise JsonFault(
            end, "it is no JSON object" if not fields else "more text follows the value"
        )
    row = _Line()
    for name, value in fields.items():
        if name in ("add", "system", "tools", "message"):
            continue
        known = loads(value) if name in row.__struct_fields__ else None
        wanted = {"tape": int, "keep": int, "t": float | int, "first": float | int, "headers": dict}
        if isinstance(known, wanted.get(name, str)) and not isinstance(known, bool):
            setattr(row, name, known)
    for name in ("system", "tools", "message"):
        if name in fields:
            setattr(row, name, Raw(fields[name]))
    if fields.get("add", b"")[:1] == b"[":
        add = fields["add"]
        row.add = [Raw(add[a:b]) for a, b in array_spans(add, 0)[0]]
    row.headers = {k: v for k, v in row.headers.items() if isinstance(v, str)}
    return row


def _call(name: str, row: _Line, raw: bytes) -> CallFacts:
    reframed = row.tools is not UNSET or (row.system is not UNSET and _differs(bytes(row.system)))
    agent = row.headers.get("x-claude-code-agent-id", "")
    parent = row.parent or ""
    adds = tuple(_places(raw, row.add))
    return CallFacts(
        name,
        row.kind,
        parent,
        max(0, row.keep),
        adds,
        row.like,
        row.of,
        agent,
        reframed,
        row.headers,
    )


def _differs(system: bytes) -> bool:
    """Whether more than the billing line of a system prompt differs from the call before."""
    if system[:1] != b"[":
        return True
    blocks = [system[a:b] for a, b in array_spans(system, 0)[0]]
    return any(not block.isdigit() and BILLING not in block for block in blocks)


def _places(raw: bytes, values: Sequence[Raw]) -> Iterable[Span]:
    """Where the elements of ``add`` stand; as our own writer has them, or wherever else."""
    found: list[Span] = []
    at = raw.find(b'"add":[') + 7
    for value in map(bytes, values):
        if not raw.startswith(value, at):
            return array_spans(raw, locate(raw, ("add",)).start)[0]
        found.append(Span(at, at + len(value)))
        at += len(value) + 1
    return found


def _end(base: Record, row: _Line, call: str) -> Record:
    why = (row.why or "failed") if isinstance(row.failed, str) else ""
    message = b"" if row.message is UNSET else bytes(row.message)
    first = None if row.first is None else row.first / 1000
    facts = EndFacts(call, row.t / 1000, first, why, message[:1] == b"{")
    label = f"call {call}: {why}" if why else f"reply {call}"
    base = msgspec.structs.replace(base, label=label, time=row.at, facts=facts)
    if not facts.has_message:
        return base
    record = as_message(base, message)
    return msgspec.structs.replace(record, label=UNFINISHED) if why else record


def as_message(record: Record, message: bytes) -> Record:
    """The record as that of a message. Raises ``JsonFault``."""
    reading = SHAPE.read(message)
    return msgspec.structs.replace(
        record,
        kind="message",
        role=reading.role,
        spelled_role=reading.spelled_role,
        blocks=reading.blocks,
        message_id=reading.message_id,
        label="",
    )


def made_text(on: str, message: bytes) -> bytes:
    """The text of a record for a message that stands in no line."""
    return MADE + msgspec.json.encode(on) + b',"message":' + message + b"}"


def read_text(text: bytes) -> Record:
    """The record that a text makes: of a message of a call, of a reply, or of one put in."""
    base = Record(-1, len(text), 0, "message", text=text)
    try:
        if text.startswith(MADE):
            fields = fields_of(text)
            base = msgspec.structs.replace(base, facts=MadeFacts(text_of(fields["on"])))
            return as_message(base, fields.get("message", b""))
        if text.startswith((b'{"reply":', b'{"failed":')):
            return msgspec.structs.replace(read_line(-1, text, 0, False), text=text)
        return as_message(base, text)
    except JsonFault as fault:
        return msgspec.structs.replace(base, kind="unreadable", label=fault.reason)


def message_in(record: Record, raw: bytes) -> bytes:
    """The message in a record's text."""
    if isinstance(record.facts, EndFacts | MadeFacts):
        return fields_of(raw).get("message", b"{}")
    return raw


def runs_together(records: Iterable[Record]) -> Iterator[Record]:
    """The same, neighbouring lines with pieces of answers as one record."""
    held: Record | None = None
    for record in records:
        if not isinstance(record.facts, ChunkFacts) or record.shares_line:
            if held is not None:
                yield held
            held = None
            yield record
        elif held is None or not isinstance(held.facts, ChunkFacts):
            held = record
        else:
            calls = held.facts.calls | record.facts.calls
            held = msgspec.structs.replace(
                held,
                length=record.start + record.length - held.start,
                facts=held.facts if calls == held.facts.calls else ChunkFacts(calls),
            )
    if held is not None:
        yield held
