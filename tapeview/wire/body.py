"""A request body in its parts, and put together again byte for byte."""

from typing import Final, NamedTuple

import msgspec
from msgspec import Raw

from tapeview.tape.graft import spelled

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


_messages = msgspec.json.Decoder(_Messages).decode
_members = msgspec.json.Decoder(dict[str, Raw]).decode
_REFUSED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def body_of(body: bytes) -> Body:
    """The parts of a body; none for what is no object with an array of messages."""
    try:
        if not body.isascii():
            body.decode()
        messages = [bytes(raw) for raw in _messages(body).messages]
        fast = _around(body, messages)
        if fast is not None:
            return fast
        members = {name: bytes(raw) for name, raw in _members(body).items()}
    except _REFUSED:
        return Body([], {}, ())
    order = tuple(members)
    members.pop("messages", b"")
    return Body(messages, members, order)


def _around(body: bytes, messages: list[bytes]) -> Body | None:
    """The members around an array of messages, found without a second walk over the array."""
    for gaps in GAPS:
        key = b'"messages"' + gaps[1].encode() + b"["
        array = gaps[0].encode().join(messages)
        begin = 0
        while (found := body.find(key, begin)) >= 0:
            begin = found + len(key)
            if not body.startswith(array, begin):
                continue
            rest = _members(body[:begin] + body[begin + len(array) :])
            members = {name: bytes(raw) for name, raw in rest.items()}
            order = tuple(members)
            parts = Body(messages, members, order, gaps, True)
            if members.pop("messages", b"") == b"[]" and joined(parts) == body:
                return parts
    return None


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
