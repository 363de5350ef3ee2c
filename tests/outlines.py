"""A session as plain lines for goldens: no findings, so that a new rule changes none of them."""

from tapeview.tape.index import Index
from tapeview.tape.outline import outline
from tapeview.tape.rows import rows_of


def outline_of(session, full=False):
    """Each tape's outline under a line that says what it is and what resuming would do."""
    lines = []
    for tape in session.tapes:
        seen = session.seen_from(tape)
        index = Index(tape.messages, seen.frame, session.dialect, tape.first_turn)
        lines.append(f"{tape.id} · {session.format} · {session.title} · {seen.frame.model}")
        lines.append(tape.resume or "nothing is resumed")
        lines += outline(
            seen,
            lambda row, index=index: index,
            rows_of(seen, tape, index),
            lambda row, index=index: states(index, row),
            lambda row: f"turn {row.turn}",
            full,
        )
    return "\n".join(lines) + "\n"


def states(index, row):
    """The state of a row's link, where it is not simply answered."""
    link = index.link_of.get(row.block) if row.block is not None and row.message >= 0 else None
    state = link.state_of(row.block) if link is not None else "answered"
    return () if state == "answered" else (f"[{state}]",)
