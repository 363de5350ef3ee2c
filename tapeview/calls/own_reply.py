"""The recorded reply of a turn: what stands beside a new one, and what answers without a model."""

from collections.abc import AsyncIterator

from tapeview.calls.draft import Plan
from tapeview.calls.recorded import reply_of
from tapeview.errors import CallError
from tapeview.snapshot import Snapshot
from tapeview.tape.clean import printable
from tapeview.tape.json_text import JsonFault
from tapeview.wire.sse import event_bytes
from tapeview.wire.unroll import object_json, unroll

__all__ = ["own_reply", "own_stream"]


def own_reply(snapshot: Snapshot, turn: int | None) -> bytes | None:
    """The reply of a turn as the Messages API would answer it, JSON; None without a turn.

    Raises ``PlaceError`` for a turn that is not there, ``CallError`` where the file has changed.
    """
    if turn is None:
        return None
    line = snapshot.line_of_turn(turn)
    sent = snapshot.turn_facts[turn].sent
    try:
        return object_json(reply_of(line, line.own_turn(turn), sent))
    except (JsonFault, LookupError):
        raise CallError(
            f"{printable(snapshot.session.path)}: the file has changed since it was opened."
        ) from None


async def own_stream(plan: Plan) -> AsyncIterator[bytes]:
    """The recorded reply as the stream of events that the API would have sent.

    Raises ``CallError`` for the call after the tape's end, which nothing has answered yet.
    """
    reply = own_reply(plan.snapshot, plan.turn)
    if reply is None:
        raise CallError(
            f"{printable(plan.snapshot.session.path)}: the next call has no recorded reply; name a "
            "turn, or an endpoint that answers."
        )
    for event in unroll(reply):
        yield event_bytes(event)
