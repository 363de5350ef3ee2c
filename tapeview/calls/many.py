"""The same call several times: how often each decision comes."""

import asyncio
import os
from collections.abc import Callable, Mapping
from contextlib import aclosing
from typing import Final

import msgspec

from tapeview.calls.decision import Decision, decision_of
from tapeview.calls.draft import Plan
from tapeview.calls.local import running
from tapeview.calls.own_reply import own_reply, own_stream
from tapeview.calls.reply import Arrived, Reply
from tapeview.calls.run import STALL, Call, Stream
from tapeview.calls.trouble import Trouble

__all__ = ["AT_ONCE", "Choice", "Event", "Tally", "many", "tally_of"]

AT_ONCE: Final = 4
"""Calls that are under way at the same time, unless told."""

Event = Callable[[int, Arrived | Reply | Trouble], None]
"""Told of what happens: the number of the call, from 0, and what it yields."""


class Choice(msgspec.Struct, frozen=True):
    """One decision, and how often it came."""

    decision: Decision
    count: int
    is_recorded: bool
    """Whether the recorded reply decides the same."""
    example: Reply
    """The first reply that decided so."""


class Tally(msgspec.Struct, frozen=True):
    """How a call that was made several times came out."""

    choices: tuple[Choice, ...]
    """Most frequent first; of equals the one that came first."""
    recorded: Decision | None
    """What the tape's own reply decides; None where it has none, or where none was asked for."""
    replies: tuple[Reply, ...]
    """Whole replies, in the order of the calls."""
    failures: tuple[Trouble, ...]

    @property
    def times(self) -> int:
        """How many calls were made."""
        return len(self.replies) + len(self.failures)


async def many(
    plan: Plan,
    times: int,
    environ: Mapping[str, str] = os.environ,
    at_once: int = AT_ONCE,
    told: Event = lambda number, event: None,
    recording: Stream = own_stream,
    stall: float = STALL,
) -> Tally:
    """Make a call ``times`` times, at most ``at_once`` at the same time.

    A call that fails is counted and stops no other. Cancelling the task ends all of them.

    Raises ``CallError`` where no call can be made at all.
    """
    gate = asyncio.Semaphore(at_once)
    ends: list[Reply | Trouble | None] = [None] * times

    async def one(plan: Plan, number: int) -> None:
        async with gate, aclosing(Call(plan, environ, recording, stall).run()) as events:
            async for event in events:
                told(number, event)
                if not isinstance(event, Arrived):
                    ends[number] = event

    async with running(plan.endpoint) as endpoint:
        there = msgspec.structs.replace(plan, endpoint=endpoint)
        tasks = [asyncio.create_task(one(there, number)) for number in range(times)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    return tally_of(plan, [end for end in ends if end is not None])


def tally_of(plan: Plan, ends: list[Reply | Trouble]) -> Tally:
    """Replies and failures of a plan's calls, counted."""
    own = own_reply(plan.snapshot, plan.turn)
    recorded = None if own is None else decision_of(own)
    replies = tuple(end for end in ends if isinstance(end, Reply))
    by_decision: dict[Decision, list[Reply]] = {}
    for reply in replies:
        by_decision.setdefault(decision_of(reply.message), []).append(reply)
    choices = [
        Choice(decision, len(found), decision == recorded, found[0])
        for decision, found in by_decision.items()
    ]
    return Tally(
        tuple(sorted(choices, key=lambda choice: -choice.count)),
        recorded,
        replies,
        tuple(end for end in ends if isinstance(end, Trouble)),
    )
