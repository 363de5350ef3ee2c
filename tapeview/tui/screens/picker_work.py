"""Finding out about sessions beside the screen: one thing at a time, each in a thread."""

from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Final

from tapeview.picker.cache import Checked, SessionFacts, unexamined
from tapeview.picker.sessions import NO_GLANCE, Glance, Listed, glance
from tapeview.tui.background import in_background
from tapeview.tui.screens.picker_lines import Known

__all__ = ["BROKE_OFF", "HUGE", "find_out"]

AT_ONCE: Final = 25
"""Sessions whose heads are read in one go."""
HUGE: Final = 50_000_000
"""Bytes above which a session is checked after all others."""
BROKE_OFF: Final = unexamined("its check broke off; opening it may tell why.")


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
