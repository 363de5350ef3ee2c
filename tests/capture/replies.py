"""Answers of the Messages API as bytes."""

import json

__all__ = ["BODY", "JSON_REPLY", "KEY", "event", "json_head", "sse_head", "stream_of"]

KEY = "sk-ant-dummy-0123456789abcdef"
"""A key that is none, long enough to be looked for."""

BODY = json.dumps(
    {
        "model": "claude-opus-4-5",
        "max_tokens": 64,
        "messages": [{"role": "user", "content": "¿qué?"}],
        "stream": True,
    },
    ensure_ascii=False,
).encode()

JSON_REPLY = json.dumps(
    {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-4-5",
        "content": [{"type": "text", "text": "Nothing."}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 3, "output_tokens": 2},
    }
).encode()


def event(data):
    """One event."""
    raw = json.dumps(data, ensure_ascii=False)
    return f"event: {data['type']}\ndata: {raw}\n\n".encode()


def stream_of(*pieces, stop="end_turn"):
    """The events of an answer of one text, a delta for each piece."""
    usage = {"input_tokens": 3, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-4-5"}
    message |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    events = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
    ]
    for text in pieces:
        delta = {"type": "text_delta", "text": text}
        events.append({"type": "content_block_delta", "index": 0, "delta": delta})
    end = {"stop_reason": stop, "stop_sequence": None}
    events += [
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]
    return [event(data) for data in events]


def sse_head(*more):
    """The head of a stream in chunks."""
    lines = ["HTTP/1.1 200 OK", "Content-Type: text/event-stream; charset=utf-8"]
    lines += [
        "request-id: req_1",
        "Cache-Control: no-cache",
        "Transfer-Encoding: chunked",
        *more,
        "Connection: close",
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def json_head(status, body, *more):
    """The head of an answer whose length is known."""
    lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", *more, "Connection: close"]
    lines += ["request-id: req_1", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"
