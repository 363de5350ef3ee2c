"""The lines of a recording (``*.tape.jsonl``): values, and the one line that each is written as.

A recording is append-only JSONL: a header, then for each call of a model its request (only what it
adds to an earlier one), the head and the bytes of the answer as they arrived, and how it ended.
Each line is whole, compact JSON with its line break, to be written by one ``write``.
"""

import base64
import binascii
from datetime import UTC, datetime
from typing import Final, Literal

import msgspec
from msgspec import UNSET, Raw, UnsetType

__all__ = [
    "KEPT_HEADERS",
    "KEPT_REPLY_HEADERS",
    "Base64",
    "Call",
    "CallKind",
    "Chunk",
    "Failed",
    "Head",
    "Header",
    "Line",
    "Reply",
    "bytes_of",
    "line_of",
    "one_line",
    "stamp",
    "text_of_bytes",
]

CallKind = Literal[
    "new",
    "continue",
    "retry",
    "resample",
    "fork",
    "mutated",
    "compacted",
    "subagent",
    "side",
    "edit",
]

KEPT_HEADERS: Final = (
    "anthropic-version",
    "anthropic-beta",
    "user-agent",
    "x-claude-code-session-id",
    "x-claude-code-agent-id",
)
"""Headers of a request that are recorded; no other is, so that no key, token or cookie can be."""

KEPT_REPLY_HEADERS: Final = ("content-type", "retry-after", "anthropic-ratelimit-")
"""Headers of an answer that are recorded; the last stands for all names that begin so."""


class Base64(msgspec.Struct, frozen=True):
    """Bytes that are no UTF-8, in the place of a string."""

    b64: str


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """The first line: who records, since when, in front of which server ("" for the SDK hook)."""

    tape: int = 1
    at: str
    by: str = ""
    upstream: str = ""
    pid: int = 0


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One request, written before it is forwarded.

    Its array is that of ``parent`` (without its reply), cut to ``keep`` messages, then ``add``.
    ``system``, ``tools``, ``params``, ``order``, ``sep`` and ``headers`` are those of the call
    ``like`` (the parent where it names none) unless they are written. Of ``params`` only the
    members that differ are; one that went away is null, and absent from ``order``.
    """

    call: str
    at: str
    kind: CallKind
    parent: str | None = None
    keep: int = 0
    add: list[Raw] = []
    like: str | UnsetType = UNSET
    of: str | int | UnsetType = UNSET
    """subagent: the id of the call that started it; retry, resample, compacted: an earlier call;
    mutated: the number of the changed message."""
    system: Raw | UnsetType = UNSET
    tools: Raw | UnsetType = UNSET
    params: dict[str, Raw] | UnsetType = UNSET
    order: list[str] | UnsetType = UNSET
    """The names of the body's members in their order, ``messages`` among them."""
    sep: tuple[str, str] | UnsetType = UNSET
    """What stands after a value and after a name of the body: ``[",", ":"]`` unless written."""
    body: str | Base64 | UnsetType = UNSET
    """The whole body, only where it cannot be put together again byte for byte."""
    headers: dict[str, str] | UnsetType = UNSET
    path: str | UnsetType = UNSET
    thread: str | UnsetType = UNSET


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """The head of an answer. Times ``t`` are milliseconds since the call."""

    head: str
    t: float
    status: int
    request_id: str = ""
    headers: dict[str, str] = {}


class Chunk(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes of the answer as they arrived, decompressed; they may end anywhere."""

    chunk: str
    t: float
    data: str | Base64


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The end of an answer that came whole, and the message that it makes."""

    reply: str
    at: str
    t: float
    first: float | UnsetType = UNSET
    """When its first byte came."""
    message: Raw
    stop: str | None = None


class Failed(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a call that got no whole answer: ``client gone``, ``status 529``, ``cut``, ..."""

    failed: str
    at: str
    t: float
    why: str
    first: float | UnsetType = UNSET
    status: int | UnsetType = UNSET
    error: Raw | UnsetType = UNSET
    """The error's body, where it is JSON."""
    message: Raw | UnsetType = UNSET
    """What had arrived."""


Line = Header | Call | Head | Chunk | Reply | Failed

_encode = msgspec.json.Encoder().encode


def line_of(line: Line) -> bytes:
    """The line as it is written, with its line break."""
    return one_line(_encode(line)) + b"\n"


def one_line(raw: bytes) -> bytes:
    """JSON without line breaks: they stand between values only, never inside a string."""
    if b"\n" not in raw and b"\r" not in raw:
        return raw
    return raw.replace(b"\n", b" ").replace(b"\r", b" ")


def text_of_bytes(data: bytes) -> str | Base64:
    """Bytes as a member of a line: text, or base64 where they are no UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return Base64(base64.b64encode(data).decode())


def bytes_of(text: str | Base64) -> bytes:
    """The way back; empty where the base64 is damaged."""
    if isinstance(text, str):
        return text.encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(text.b64)
    except (binascii.Error, ValueError):
        return b""


def stamp(seconds: float) -> str:
    """A moment, seconds since the epoch, as recordings spell it: ISO 8601, UTC, milliseconds."""
    when = datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
    return when.isoformat(timespec="milliseconds") + "Z"
