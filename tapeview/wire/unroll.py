"""A recorded reply as the stream of events in which the Messages API would have sent it.

Source: the API's documentation of streaming, and the accumulator of the anthropic SDK 2.14, which
reads ``input_json_delta`` for the calls of clients, of servers and of MCP alone. Whatever has no
deltas of its own stands whole in its ``content_block_start``.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from tapeview.shapes.fields import fields_of, is_text, text_of
from tapeview.tape.block import CALLS
from tapeview.tape.json_text import JsonFault, array_spans, decode_text, loads
from tapeview.wire.sse import Event

__all__ = ["object_json", "sound", "unroll"]

SHORTEST: Final = 24
"""Characters of a delta, up to the end of the word: some four words."""
MOST_TEXTS: Final = 2000
"""Deltas of one text; in longer texts they are longer."""
MOST_INPUTS: Final = 64
"""Deltas of one input: the SDK reads all of an input again at each."""

COUNTS: Final = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
    "output_tokens_details",
    "server_tool_use",
)
"""What ``message_delta`` says of the usage: totals up to the end."""

LAST_TOLD: Final = ("stop_reason", "stop_sequence", "stop_details", "container")
"""Members of a message that are known at its end alone."""

NOTHING: Final = b"null"


def unroll(message: bytes) -> Iterator[Event]:
    """The events of a reply, an assistant message as the API answers it when nothing is streamed.

    A member of ``message`` that the API always has (usage, stop_reason, ...) may be missing; its
    content may be a string. Raises ``JsonFault`` where it is no JSON.
    """
    fields = fields_of(message)
    usage = fields_of(fields.get("usage", NOTHING))
    yield _start(fields, usage)
    blocks = _content(fields.get("content", b"[]"))
    if not blocks:
        yield _event("ping")
    for number, block in enumerate(blocks):
        begun, *deltas = _block(block)
        index = b"%d" % number
        yield _event("content_block_start", index=index, content_block=begun)
        if number == 0:
            yield _event("ping")
        for delta in deltas:
            yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    told = {name: fields[name] for name in LAST_TOLD if name in fields}
    last = {"stop_reason": NOTHING, "stop_sequence": NOTHING} | told
    counts = {name: usage[name] for name in COUNTS if usage.get(name, NOTHING) != NOTHING}
    counts = {"output_tokens": b"0"} | counts
    yield _event("message_delta", delta=object_json(last), usage=object_json(counts))
    yield _event("message_stop")


def object_json(members: Mapping[str, bytes]) -> bytes:
    """An object out of members that are JSON."""
    pairs = (json.dumps(name).encode() + b":" + raw for name, raw in members.items())
    return b"{" + b",".join(pairs) + b"}"


def sound(raw: bytes) -> bytes:
    """The same JSON on one line and in valid UTF-8, with bytes that are none as U+FFFD."""
    if not raw.isascii():
        raw = decode_text(raw).encode("utf-8", "backslashreplace")
    return raw.translate(_ONE_LINE) if b"\n" in raw or b"\r" in raw else raw


_ONE_LINE = bytes.maketrans(b"\r\n", b"  ")


def _event(name: str, **members: bytes) -> Event:
    return Event(name, sound(object_json({"type": json.dumps(name).encode(), **members})))


def _start(fields: Mapping[str, bytes], usage: Mapping[str, bytes]) -> Event:
    """``message_start``: all that is known before the first word."""
    counts = {"input_tokens": b"0", **usage, "output_tokens": b"1"}
    begun = dict(fields) | {"content": b"[]", "usage": object_json(counts)}
    begun |= {name: NOTHING for name in LAST_TOLD if name in fields}
    begun |= {"stop_reason": NOTHING, "stop_sequence": NOTHING}
    return _event("message_start", message=object_json(begun))


def _content(raw: bytes) -> list[bytes]:
    """The blocks; string content is one text block, an empty string none."""
    if is_text(raw):
        return [object_json({"type": b'"text"', "text": raw})] if raw != b'""' else []
    if raw[:1] != b"[":
        return []
    return [raw[a:b] for a, b in array_spans(raw, 0)[0]]


def _block(raw: bytes) -> Iterator[bytes]:
    """The block as it starts, then its deltas."""
    members = fields_of(raw)
    kind = text_of(members.get("type"))
    if kind == "text" and is_text(members.get("text", b"")):
        yield from _text(members)
    elif kind == "thinking" and is_text(members.get("thinking", b"")):
        yield from _thinking(members)
    elif kind in CALLS and "input" in members:
        yield object_json(members | {"input": b"{}"})
        yield _delta("input_json_delta", "partial_json", "")
        spelled = decode_text(members["input"])
        for piece in _pieces(spelled, MOST_INPUTS) if spelled != "{}" else ():
            yield _delta("input_json_delta", "partial_json", piece)
    else:
        yield raw


def _text(members: dict[str, bytes]) -> Iterator[bytes]:
    cited = members.get("citations", NOTHING)
    empty = {"text": b'""'} | ({"citations": b"[]"} if cited[:1] == b"[" else {})
    yield object_json(members | empty)
    for a, b in array_spans(cited, 0)[0] if cited[:1] == b"[" else ():
        yield object_json({"type": b'"citations_delta"', "citation": cited[a:b]})
    for piece in _pieces(str(_value(members["text"])), MOST_TEXTS):
        yield _delta("text_delta", "text", piece)


def _thinking(members: dict[str, bytes]) -> Iterator[bytes]:
    signature = members.get("signature", b"")
    empty = {"thinking": b'""'} | ({"signature": b'""'} if is_text(signature) else {})
    yield object_json(members | empty)
    for piece in _pieces(str(_value(members["thinking"])), MOST_TEXTS):
        yield _delta("thinking_delta", "thinking", piece)
    if is_text(signature) and signature != b'""':
        yield object_json({"type": b'"signature_delta"', "signature": signature})


def _value(raw: bytes) -> object:
    try:
        return loads(raw)
    except JsonFault:  # an escape that JSON lacks, told as it is written
        return decode_text(raw[1:-1])


def _delta(kind: str, member: str, text: str) -> bytes:
    return object_json({"type": json.dumps(kind).encode(), member: json.dumps(text).encode()})


def _pieces(text: str, most: int) -> Iterator[str]:
    """The text in pieces of some words; at most about ``most`` of them."""
    length = max(SHORTEST, -(-len(text) // most))
    yield from re.findall(rf"(?s).{{1,{length}}}(?:\S{{0,16}}\s)?", text)
