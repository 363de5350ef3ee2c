"""A request body in its parts, and put together again byte for byte."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec import Raw

from tapeview.shapes.fields import fields_of
from tapeview.tape.graft import spelled
from tapeview.tape.json_text import JsonFault, array_spans

__all__ = ["COMPACT", "Body", "body_of", "joined"]

COMPACT: Final = (",", ":")
GAPS: Final = (COMPACT, (", ", ": "), (",", ": "))
"""What may stand after a value and after a name: JavaScript's and Python's ways to spell JSON."""


class Body(NamedTuple):
    """The parts of a request body, undecoded."""

    messages: list[bytes]
    members: dict[str, bytes]
    """All others, in their order."""
    order: tuple[str, ...]
    """The names of all, ``messages`` at its place."""
    gaps: tuple[str, str] = COMPACT
    is_exact: bool = False
    """Whether the parts give the very bytes back; not where a body is spelled over many lines, has
    doubled names, or is no JSON object."""


class _Messages(msgspec.Struct):
    messages: list[Raw] = []


_decode = msgspec.json.Decoder(_Messages).decode
_REFUSED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_DAMAGED = (JsonFault, UnicodeDecodeError)


def body_of(body: bytes, known: Sequence[bytes] = ()) -> Body:
    """The parts of a body; none for what is no object with an array of messages.

    ``known`` are messages that it may begin with: those are compared, not read again, and come
    back as the very same objects.
    """
    for gaps in GAPS:
        key = b'"messages"' + gaps[1].encode() + b"["
        begin = 0
        while (found := body.find(key, begin)) >= 0:
            begin = found + len(key)
            try:
                parts = _parts_at(body, begin, gaps, known)
            except _DAMAGED:
                continue
            if parts is not None:
                return parts
    try:
        body.decode()
        members = fields_of(body)
        messages = _messages(body)
    except _DAMAGED:
        return Body([], {}, ())
    order = tuple(members)
    members.pop("messages", b"")
    return Body(messages, members, order)


def _parts_at(
    body: bytes, begin: int, gaps: tuple[str, str], known: Sequence[bytes]
) -> Body | None:
    """The parts of a body whose array opens just before ``begin``; None where it is not so."""
    comma = gaps[0].encode()
    kept, at = _repeated(body, begin, comma, known)
    short = body[:begin] + body[at:]
    if b"\n" in short or b"\r" in short:
        return None
    short.decode()
    added = _messages(short)
    array = comma.join(added)
    hangs = at > begin and not added and body.endswith(comma, begin, at)
    if hangs or not short.startswith(array, begin):
        return None
    around = short[:begin] + short[begin + len(array) :]
    members = fields_of(around)
    order = tuple(members)
    if members.pop("messages", b"") != b"[]":
        return None
    if joined(Body([], members, order, gaps)) != around:
        return None
    return Body([*kept, *added], members, order, gaps, True)


def _messages(body: bytes) -> list[bytes]:
    """The elements of ``messages``. Raises ``JsonFault`` where there is no such array."""
    try:
        return [bytes(raw) for raw in _decode(body).messages]
    except _REFUSED:
        pass  # lone surrogates or deep nesting, which only the scanner reads, or damage
    raw = fields_of(body).get("messages", b"")
    if raw[:1] != b"[":
        raise JsonFault(0, "messages should be an array")
    spans, fault = array_spans(raw, 0)
    if fault is not None:
        raise fault
    return [raw[a:b] for a, b in spans]


def _repeated(
    body: bytes, begin: int, comma: bytes, known: Sequence[bytes]
) -> tuple[Sequence[bytes], int]:
    """The known messages that stand at ``begin``, and where the next one begins."""
    at = begin
    for number, message in enumerate(known):
        end = at + len(message)
        if not body.startswith(message, at):
            return known[:number], at
        if not body.startswith(comma, end):
            ends = body.startswith(b"]", end)
            return (known[: number + 1], end) if ends else (known[:number], at)
        at = end + len(comma)
    return known, at


def joined(body: Body) -> bytes:
    """The body that the parts make."""
    comma, colon = (gap.encode() for gap in body.gaps)
    members = []
    for name in body.order:
        raw = body.members.get(name)
        if raw is None:
            raw = b"[" + comma.join(body.messages) + b"]"
        members.append(spelled(name) + colon + raw)
    return b"{" + comma.join(members) + b"}"
