"""The recorded reply of a turn: what stands beside a new one, and what answers without a model."""

import json
from collections.abc import AsyncIterator

from tapeview.calls.draft import Plan
from tapeview.errors import CallError
from tapeview.snapshot import Snapshot
from tapeview.tape.block import CLIENT_CALL
from tapeview.tape.clean import printable
from tapeview.tape.json_text import JsonFault, Span, array_spans, members
from tapeview.tape.turn import Turn
from tapeview.wire.sse import Event, event_bytes

__all__ = ["own_reply", "own_stream"]


def own_reply(snapshot: Snapshot, turn: int | None) -> bytes | None:
    """The reply of a turn as the Messages API would answer it, JSON; None without a turn.

    Raises ``PlaceError`` for a turn that is not there, ``CallError`` where the file has changed.
    """
    if turn is None:
        return None
    line = snapshot.line_of_turn(turn)
    try:
        return _reply(line, line.own_turn(turn))
    except (JsonFault, LookupError):
        raise CallError(
            f"{printable(snapshot.session.path)}: the file has changed since it was opened."
        ) from None


def _reply(line: Snapshot, turn: Turn) -> bytes:
    session, messages = line.session, line.tape.messages[turn.start : turn.stop]
    blocks: list[bytes] = []
    for message in messages:
        for block in message.blocks:
            piece = session.piece_of(message.record_of(block), block)
            blocks.append(session.shape.neutral(*piece))
    calls = any(block.kind == CLIENT_CALL for message in messages for block in message.blocks)
    told: dict[str, bytes] = {
        "type": b'"message"',
        "role": b'"assistant"',
        "model": json.dumps(session.frame.model).encode(),
        "stop_reason": b'"tool_use"' if calls else b'"end_turn"',
    }
    raw = session.message_of(messages[-1].records[-1])
    spans: dict[str, Span] = dict(members(raw, 0))
    for name in ("id", "model", "stop_reason", "stop_sequence", "usage"):
        if name in spans and raw[slice(*spans[name])] != b"null":
            told[name] = raw[slice(*spans[name])]
    told["content"] = b"[" + b",".join(blocks) + b"]"
    return _object(**told)


async def own_stream(plan: Plan) -> AsyncIterator[bytes]:
    """The recorded reply as a stream of events, each block at once.

    Raises ``CallError`` for the call after the tape's end, which nothing has answered yet.
    """
    reply = own_reply(plan.snapshot, plan.turn)
    if reply is None:
        raise CallError(
            f"{printable(plan.snapshot.session.path)}: the next call has no recorded reply; name a "
            "turn, or an endpoint that answers."
        )
    fields = {name: reply[start:end] for name, (start, end) in members(reply, 0)}
    content = fields.pop("content")
    reason = {"stop_reason": fields.pop("stop_reason")}
    yield _event("message_start", message=_object(**fields, content=b"[]", stop_reason=b"null"))
    for index, (start, end) in enumerate(array_spans(content, 0)[0]):
        number = b"%d" % index
        yield _event("content_block_start", index=number, content_block=content[start:end])
        yield _event("content_block_stop", index=number)
    yield _event("message_delta", delta=_object(**reason), usage=fields.get("usage", b"{}"))
    yield _event("message_stop")


def _event(name: str, **members_: bytes) -> bytes:
    data = _object(type=json.dumps(name).encode(), **members_)
    return event_bytes(Event(name, data.replace(b"\r", b" ").replace(b"\n", b" ")))


def _object(**members_: bytes) -> bytes:
    pairs = (json.dumps(name).encode() + b":" + raw for name, raw in members_.items())
    return b"{" + b",".join(pairs) + b"}"
