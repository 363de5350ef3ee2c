"""``tapeview.replay``: a recorded model call made again, out of a program."""

import asyncio
import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing

from tapeview.calls.draft import Plan, plan_call
from tapeview.calls.endpoints import endpoint_of
from tapeview.calls.remembered import remembered
from tapeview.calls.reply import Arrived, Reply
from tapeview.calls.run import Call
from tapeview.calls.trouble import CallFailed, Trouble
from tapeview.errors import CallError
from tapeview.formats._registry import detect
from tapeview.open_session import OpenSession, load, session_in
from tapeview.tape.source import MemorySource

__all__ = ["Tape", "replay", "replay_async"]

Tape = str | os.PathLike[str] | bytes | Mapping[str, object] | Sequence[object]
"""A path, the bytes of a file, a request body, or its ``messages`` alone."""


def replay(
    tape: Tape,
    *,
    turn: int | None = None,
    tape_id: str = "main",
    endpoint: str | None = None,
    model: str | None = None,
    max_tokens: int | None = None,
    members: Mapping[str, object] | None = None,
    on_event: Callable[[Arrived], None] | None = None,
) -> Reply:
    """Make the call again whose reply is turn ``turn``, or the next one; the reply.

    ``endpoint`` is a name of the settings, or ``environment``, ``local`` or ``recording``; the one
    that calls go to unless told. ``members`` are further members of the request (``system``,
    ``tools``, ``temperature``, ...); None leaves one out. ``on_event`` is told of what arrives; an
    exception that it raises ends the call and comes out here, as ``KeyboardInterrupt`` does.

    Raises ``CallFailed`` with the trouble and what had arrived, ``CallError`` where nothing could
    be sent, ``OpenError`` and ``PlaceError``. Inside a running loop use ``replay_async``.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        raise CallError("inside a running loop a call is made by replay_async.")
    return asyncio.run(
        replay_async(
            tape,
            turn=turn,
            tape_id=tape_id,
            endpoint=endpoint,
            model=model,
            max_tokens=max_tokens,
            members=members,
            on_event=on_event,
        )
    )


async def replay_async(
    tape: Tape,
    *,
    turn: int | None = None,
    tape_id: str = "main",
    endpoint: str | None = None,
    model: str | None = None,
    max_tokens: int | None = None,
    members: Mapping[str, object] | None = None,
    on_event: Callable[[Arrived], None] | None = None,
) -> Reply:
    """``replay`` in a running loop. Cancelling the task closes the connection at once."""
    asked = dict(members or {})
    asked |= {k: v for k, v in (("model", model), ("max_tokens", max_tokens)) if v is not None}
    plan = await asyncio.to_thread(_plan, tape, turn, tape_id, endpoint, asked)
    async with aclosing(Call(plan).run()) as events:
        async for event in events:
            if isinstance(event, Reply):
                return event
            if isinstance(event, Trouble):
                raise CallFailed(event)
            if on_event is not None:
                on_event(event)
    raise CallError("the call ended without a reply.")


def _plan(
    tape: Tape, turn: int | None, tape_id: str, endpoint: str | None, asked: Mapping[str, object]
) -> Plan:
    session, kept = _opened(tape)
    snapshot = session.snapshot(tape_id)
    raw = {name: None if v is None else json.dumps(v).encode() for name, v in asked.items()}
    return plan_call(snapshot, turn, endpoint_of(endpoint, os.environ), raw, kept)


def _opened(tape: Tape) -> tuple[OpenSession, dict[str, bytes]]:
    """The session, and what is remembered for its file."""
    if isinstance(tape, str | os.PathLike):
        path = os.fspath(tape)
        return load(path), remembered(os.environ, path)
    raw = tape if isinstance(tape, bytes) else json.dumps(tape).encode()
    format_, head = detect(MemorySource(raw, "messages"), "messages")
    return session_in(format_.open(head, "messages")), {}
