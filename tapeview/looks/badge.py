"""The word at the right of a row: its link's state, what is wrong with it, why it is unsent."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from tapeview.looks.changes import is_stored
from tapeview.rules._engine import Finding
from tapeview.rules._rule import Severity
from tapeview.snapshot import Snapshot
from tapeview.tape.describe import RowText
from tapeview.tape.link import Link, LinkState
from tapeview.tape.record import UNFINISHED
from tapeview.tape.rows import Row
from tapeview.tape.sizes import count
from tapeview.tape.turn import turns_of

__all__ = ["Badge", "Loudness", "badge_of", "mark_of"]

Loudness = Literal["chip", "error", "warn", "pending", "muted"]
"""A fault of a link or an error is a filled chip; the rest are words in a colour."""


class Badge(NamedTuple):
    """One word or two, and how loud they are."""

    word: str
    loudness: Loudness


CHIPS: frozenset[LinkState] = frozenset({"dangling", "orphan", "doubled"})


def mark_of(snapshot: Snapshot, row: Row) -> Severity | Literal["unsent", ""]:
    """The sign in the margin: the worst finding, else that the row is not sent.

    Pending and info stay out of the margin: nothing is wrong there.
    """
    worst = snapshot.severity_at(row)
    if worst in ("error", "warning", "suspicion"):
        return worst
    return "unsent" if row.unsent and worst is None else ""


def badge_of(snapshot: Snapshot, row: Row, text: RowText, first_unsent: bool) -> Badge | None:
    """The badge of a row; ``first_unsent`` says that the row above has not the same reason."""
    worst = snapshot.severity_at(row)
    findings, agents = snapshot.findings_at(row), snapshot.agents
    snapshot, session = snapshot.of(row), snapshot.session
    link = snapshot.index.link_of.get(row.block) if row.block and row.message >= 0 else None
    state = link.state_of(row.block) if link is not None and row.block is not None else "answered"
    word = _state_word(snapshot, row, link, state)
    if state in CHIPS:
        return Badge(state, "chip")
    if worst == "error":
        name = "dangling" if state == "pending" else _name_of(findings, worst)
        return Badge(word if state in ("late", "early") else name, "chip")
    if state in ("late", "early"):
        return Badge(word, "warn")
    if state == "pending":
        return Badge("pending", "pending")
    if worst in ("warning", "suspicion"):
        return Badge(_name_of(findings, worst), "warn")
    if row.record is not None and row.record.label == UNFINISHED:
        return Badge("cut" if row.record.start >= 0 else "unfinished", "pending")
    if row.record is not None and row.record.start < 0 and is_stored(session, row.record):
        return Badge("added", "muted")
    if row.unsent:
        return Badge(f"not sent: {row.unsent}", "muted") if first_unsent else None
    if row.block is not None and row.block.is_error:
        return Badge("error", "error")
    if state == "swapped":
        return Badge("swapped", "muted")
    if row.block is not None and (agent := agents.get(row.block)) is not None:
        turns = count(len(turns_of(agent.messages)), "turn")
        return Badge(f"+ {agent.id} · {turns}", "muted")
    return Badge(text.word, "muted") if text.word else None


def _name_of(findings: Sequence[Finding], severity: Severity) -> str:
    return next(finding.rule.name for finding in findings if finding.severity == severity)


def _state_word(snapshot: Snapshot, row: Row, link: Link | None, state: LinkState) -> str:
    """``late: turn 7`` at the call, ``late: from turn 6`` at its result."""
    if link is None or link.call is None or not link.results or state not in ("late", "early"):
        return state
    at_call = row.block is link.call.block
    other = link.results[0] if at_call else link.call
    turn = snapshot.index.turn_of(other.place.message)
    number = turn.number if turn else 0
    return f"{state}: turn {number}" if at_call else f"{state}: from turn {number}"
