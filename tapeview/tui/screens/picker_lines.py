"""What the picker knows, and which lines its list has for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, NamedTuple

from tapeview.picker.cache import SessionFacts
from tapeview.picker.sessions import HARNESSES, Listed, project_of
from tapeview.picker.words import Query, grouped
from tapeview.tape.sizes import count

__all__ = ["BROKEN", "Known", "Line", "Mark"]

Mark = Literal["error", "warning", "unreadable", "checking", "unknown", ""]

SAMPLES: Final = "samples, shipped with tapeview"
BROKEN: Final = ("error", "warning", "unreadable")
"""Marks of the sessions that ``tab`` leaves."""
NOTHING: Final = SessionFacts()


class Line(NamedTuple):
    """One row of the list: a session, the title of a group, words, or nothing."""

    session: Listed | None = None
    title: str = ""
    words: str = ""
    style: str = "fg"


@dataclass(slots=True)
class Known:
    """All that was found so far. The screen changes it; list and bars look."""

    sessions: list[Listed]
    """Newest first."""
    samples: list[Listed]
    now: datetime
    home: str = ""
    """The user's home, to be shown as ``~``."""
    facts: dict[str, SessionFacts] = field(default_factory=dict)
    """By path."""
    checking: str = ""
    """The path of the session that is being checked."""

    def facts_of(self, session: Listed) -> SessionFacts:
        """What is known of a session; nothing, at first."""
        return self.facts.get(session.path, NOTHING)

    def mark_of(self, session: Listed) -> Mark:
        """How a session is, or how far one is with it; "" for a fine one."""
        checked = self.facts_of(session).checked
        if checked is not None:
            return checked.mark
        return "checking" if session.path == self.checking else "unknown"

    def project_of(self, session: Listed) -> str:
        """The name in the column of projects, clean."""
        return project_of(session, self.facts_of(session).cwd)

    def words_of(self, session: Listed) -> str:
        """The first prompt; of a sample, what it is."""
        if session.sample is not None:
            return session.sample
        return self.facts_of(session).first_prompt

    def is_shown(self, session: Listed, query: Query, only_broken: bool) -> bool:
        """Whether a session is among those that are asked for."""
        if only_broken and self.mark_of(session) not in BROKEN:
            return False
        return query.fits(session.harness, self.project_of(session), self.words_of(session))

    def lines(self, query: Query, only_broken: bool, airy: bool) -> list[Line]:
        """The rows of the list; ``airy`` puts a blank one before each group."""
        sessions = [s for s in self.sessions if self.is_shown(s, query, only_broken)]
        samples = [s for s in self.samples if self.is_shown(s, query, only_broken)]
        lines = [] if self.sessions else list(_no_sessions())
        groups: list[tuple[str, Sequence[Listed]]] = grouped(sessions, self.now)
        for title, members in [*groups, (SAMPLES, samples)]:
            if members:
                lines += [Line()] if lines and airy else []
                lines += [Line(title=title), *map(Line, members)]
        if not sessions and not samples:
            lines += self._no_match(only_broken)
        return lines

    def _no_match(self, only_broken: bool) -> Iterator[Line]:
        yield Line()
        if not only_broken:
            yield Line(words="No session has these words.")
            yield Line(words="esc clears the search", style="muted")
            return
        left = self.unchecked
        so_far = f" so far; {count(left, 'session')} not checked yet" if left else ""
        yield Line(words=f"No broken session{so_far}.")
        yield Line(words="tab shows all sessions", style="muted")

    @property
    def unchecked(self) -> int:
        """How many sessions of harnesses are still to be checked."""
        return sum(self.facts_of(session).checked is None for session in self.sessions)


def _no_sessions() -> Iterator[Line]:
    harnesses = count(len(HARNESSES), "harness", "harnesses")
    yield Line()
    yield Line(words=f"No sessions in the folders of {harnesses}.")
    yield Line(words="Open a sample below, or start: tapeview FILE", style="muted")
