"""Streams of replies, as the API and servers like it send them."""

import json

from tapeview.wire.sse import Event, event_bytes

USAGE = {"input_tokens": 12, "cache_read_input_tokens": 3, "output_tokens": 1}


def stream(*events):
    """The bytes of these events; an event is its data, named by its type."""
    return b"".join(
        event_bytes(Event(str(e["type"]), json.dumps(e).encode())) if isinstance(e, dict) else e
        for e in events
    )


def begin(**members):
    message = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "m"}
    message |= {"stop_reason": None, "stop_sequence": None, "usage": USAGE} | members
    return {"type": "message_start", "message": message}


def start(index, **block):
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index, kind, **members):
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **members}}


def stop(index):
    return {"type": "content_block_stop", "index": index}


def text(index, *pieces):
    deltas = [delta(index, "text_delta", text=piece) for piece in pieces]
    return [start(index, type="text", text=""), *deltas, stop(index)]


def call(index, id, name, *pieces, **more):
    deltas = [delta(index, "input_json_delta", partial_json=piece) for piece in pieces]
    return [start(index, type="tool_use", id=id, name=name, **more), *deltas, stop(index)]


def end(reason="end_turn", **usage):
    change = {"stop_reason": reason, "stop_sequence": None}
    return [
        {"type": "message_delta", "delta": change, "usage": {"output_tokens": 9} | usage},
        {"type": "message_stop"},
    ]


SAYS = [begin(), *text(0, "Hel", "lo."), *end()]
CALLS = [
    begin(),
    start(0, type="thinking", thinking="", signature=""),
    delta(0, "thinking_delta", thinking="Hm"),
    delta(0, "thinking_delta", thinking="m."),
    delta(0, "signature_delta", signature="c2ln"),
    stop(0),
    {"type": "ping"},
    *text(1, "I look.", " ü→🎞"),
    *call(2, "toolu_1", "Read", "", '{"path": "a', '.py", "n": 1.0', "}", input={}),
    *call(3, "toolu_2", "Now", input={}),
    *end("tool_use"),
]
