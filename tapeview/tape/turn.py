"""Turns: one model call and its tool round-trip."""

from collections.abc import Sequence

import msgspec

from tapeview.tape.message import Message

__all__ = ["Turn", "turns_of"]


class Turn(msgspec.Struct, frozen=True, gc=False):
    """One reply of the model, with the results that answer it.

    ``start`` to ``stop`` are indices of messages: the assistant messages of the reply. What follows
    up to the next turn's ``start`` are its results and the next prompt.
    """

    number: int
    """From 1, through the session's main line."""
    start: int
    stop: int
    end: int
    """The next turn's start, or the tape's length."""


def turns_of(messages: Sequence[Message], first: int = 1) -> tuple[Turn, ...]:
    """The turns of a tape. Without ids, neighbouring assistant messages are one turn.

    A message in which the harness noted that a call failed is no reply, so it starts no turn.
    """
    spans: list[tuple[int, int]] = []
    identity: str | None = None
    for number, message in enumerate(messages):
        if message.role != "assistant" or message.is_failure:
            if message.role == "user":
                identity = None
            continue
        if identity is not None and message.id == identity:
            spans[-1] = (spans[-1][0], number + 1)
        else:
            spans.append((number, number + 1))
        identity = message.id
    ends = [*(start for start, _ in spans[1:]), len(messages)]
    return tuple(
        Turn(k + first, start, stop, end)
        for k, ((start, stop), end) in enumerate(zip(spans, ends, strict=False))
    )
