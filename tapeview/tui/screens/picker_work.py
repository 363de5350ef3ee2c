"""Finding out about sessions beside the screen: one thing at a time, each in a thread."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import Final, TypeVar

from tapeview.picker.cache import Checked, SessionFacts, unexamined
from tapeview.picker.sessions import NO_GLANCE, Glance, Listed, glance
from tapeview.tui.screens.picker_lines import Known

__all__ = ["BROKE_OFF", "HUGE", "find_out", "in_background"]

AT_ONCE: Final = 25
"""Sessions whose heads are read in one go."""
HUGE: Final = 50_000_000
"""Bytes above which a session is checked after all others."""
BROKE_OFF: Final = unexamined("its check broke off; opening it may tell why.")

Result = TypeVar("Result")


async def in_background(work: Callable[[], Result]) -> Result | None:
    """What ``work`` gives back; None where a fault nobody foresaw broke it off.

    The thread is a daemon: whoever leaves the program does not wait for it. (The threads of
    ``asyncio.to_thread`` are waited for.)
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result | None] = loop.create_future()

    def deliver(result: Result | None) -> None:
        if not done.done():
            done.set_result(result)

    def run() -> None:
        result: Result | None = None
        try:
            result = work()
        finally:
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(deliver, result)

    Thread(target=run, name="look at sessions", daemon=True).start()
    return await done


async def find_out(
    known: Known, check: Callable[[str], Checked], here: Callable[[], Listed | None]
) -> AsyncIterator[tuple[Listed, SessionFacts | None]]:
    """Read the heads of new sessions, then check each whole: sessions and what is known of them.

    Whoever asks puts the facts into ``known``. A session without facts is about to be checked.
    The one that ``here`` names comes next, unless it is huge.
    """
    new = [session for session in known.sessions if session.path not in known.facts]
    for at in range(0, len(new), AT_ONCE):
        some = new[at : at + AT_ONCE]
        glances = await in_background(partial(_glances, some)) or [NO_GLANCE] * len(some)
        for session, found in zip(some, glances, strict=True):
            yield session, SessionFacts(found.cwd, found.prompt)
    waiting = deque(sorted([*known.sessions, *known.samples], key=_is_huge))
    while waiting:
        session = waiting[0]
        wanted = here()
        if wanted is not None and known.facts_of(wanted).checked is None and not _is_huge(wanted):
            session = wanted
        else:
            waiting.popleft()
        facts = known.facts_of(session)
        if facts.checked is None:
            yield session, None
            checked = await in_background(partial(check, session.path)) or BROKE_OFF
            yield session, SessionFacts(facts.cwd or checked.folder, facts.prompt, checked)


def _is_huge(session: Listed) -> bool:
    return session.size > HUGE


def _glances(sessions: Sequence[Listed]) -> list[Glance]:
    return [glance(session) for session in sessions]
