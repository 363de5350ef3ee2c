"""The tapes of a session as a list, and the ways between them: from call to sub-agent and back."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from tapeview.errors import PlaceError
from tapeview.looks.block_partner import HeadLine
from tapeview.looks.goto import resolve
from tapeview.looks.heading import Tally, tally_of
from tapeview.looks.report import left_at_turn, turn_span
from tapeview.open_session import OpenSession
from tapeview.snapshot import Snapshot
from tapeview.tape.block import Block
from tapeview.tape.describe import tool_of
from tapeview.tape.outline import row_path
from tapeview.tape.rows import Row
from tapeview.tape.sizes import count
from tapeview.tape.tape import Tape, TapeKind
from tapeview.tape.turn import turns_of

__all__ = [
    "ANYWHERE",
    "Origin",
    "Start",
    "TapeCounts",
    "TapeEntry",
    "Wanted",
    "counts_of",
    "first_row",
    "origin_of",
    "start_of",
    "tapes_of",
]


class TapeEntry(NamedTuple):
    """One tape of a session: what can be said without looking at what is in it."""

    id: str
    """As the format made it, not yet clean."""
    kind: TapeKind
    span: str
    """``9 turns``, ``turns 1-3``, ``from turn 5``; empty for a sub-agent whose call is unknown."""


class TapeCounts(NamedTuple):
    """What takes work to say of a tape: ``size`` is what the next call would be sent, in bytes."""

    size: int
    turns: int
    tally: tuple[Tally, ...]


def tapes_of(whole: Snapshot) -> tuple[TapeEntry, ...]:
    """The tapes of the session whose main tape this is.

    Main, its segments, the branches, then sub-agents in the order in which they were called; those
    whose call is unknown last.
    """
    lines = [TapeEntry(line.tape.id, line.tape.kind, _span(whole, line)) for line in whole.lines]
    return (*lines, *_agents(whole))


def _agents(whole: Snapshot) -> Iterator[TapeEntry]:
    found = []
    for tape in whole.session.tapes:
        if tape.kind == "agent":
            origin = origin_of(whole, tape)
            found.append((origin.row if origin is not None else len(whole.rows), origin, tape))
    for _, origin, tape in sorted(found, key=lambda entry: entry[0]):
        yield TapeEntry(tape.id, tape.kind, f"from turn {origin.turn}" if origin else "")


def _span(whole: Snapshot, line: Snapshot) -> str:
    if line.tape.kind == "segment":
        return turn_span(line)
    if line.tape.kind == "branch":
        turn = left_at_turn(whole, line)
        return f"from turn {turn}" if turn else "from the start"
    return count(len(whole.turn_numbers), "turn")


def counts_of(line: Snapshot) -> TapeCounts:
    """Size, turns and findings of one tape, those with its own records alone."""
    return TapeCounts(line.sent_now, len(turns_of(line.tape.messages)), tally_of(line, own=True))


# -- the call that started a sub-agent -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Origin:
    """The call that started a sub-agent: its row in the timeline it stands in, and its words."""

    caller: Block
    row: int
    turn: int
    path: str
    tool: str

    @property
    def short(self) -> str:
        """``from turn 5``."""
        return f"from turn {self.turn}"

    @property
    def sentence(self) -> str:
        """What the header says of a sub-agent's tape."""
        return f"started by {self.tool} of turn {self.turn}, {self.path}; one result went back"

    @property
    def line(self) -> HeadLine:
        """What stands above the sub-agent's first block, with the key that leads back."""
        words = f"started by {self.path}, {self.tool} of turn {self.turn}"
        return HeadLine("call", "call", (("fg", words), ("keycap", "  t")))


def origin_of(parent: Snapshot, tape: Tape) -> Origin | None:
    """The call that started a sub-agent; None where it is unknown, or not in this timeline."""
    caller = tape.caller
    row = parent.row_of.get(caller) if caller is not None else None
    if row is None or caller is None:
        return None
    called = parent.rows[row]
    index = parent.of(called).index
    path, tool = row_path(parent.session, index, called), tool_of(caller, index) or "a call"
    return Origin(caller, row, called.turn or called.after, path, tool)


# -- where to begin --------------------------------------------------------------------------------


class Wanted(NamedTuple):
    """Where somebody wants to begin: a tape, and on it a turn or a path."""

    tape: str = "main"
    turn: int | None = None
    at: str | None = None


ANYWHERE: Final = Wanted()
"""Nobody asked for a place."""


class Start(NamedTuple):
    """Where the screen begins: a row of main's timeline; over it a sub-agent's, if one is named."""

    row: int = 0
    agent: str = ""
    agent_row: int = 0


def start_of(
    opened: OpenSession, tape: str = "main", turn: int | None = None, at: str | None = None
) -> Start:
    """The place that ``--tape``, ``--turn`` and ``--at`` name.

    Raises ``PlaceError`` for a tape, turn or path that is not there.
    """
    words = at if at is not None else str(turn) if turn is not None else ""
    whole = opened.snapshot()
    number = next((k for k, line in enumerate(whole.lines) if line.tape.id == tape), -1)
    if number == 0:
        return Start(_row_of(whole, words) if words else 0)
    line = whole.lines[number] if number > 0 else opened.snapshot(tape)
    row = _row_of(line, words) if words else -1
    if number < 0:
        origin = origin_of(whole, line.tape)
        return Start(origin.row if origin is not None else 0, tape, max(0, row))
    if row < 0:
        return Start(first_row(whole, tape))
    return Start(_row_in(whole, number, line.rows[row]))


def _row_of(snapshot: Snapshot, words: str) -> int:
    target = resolve(snapshot, words)
    if target.row < 0:
        raise PlaceError(f"{snapshot.session.path}: {target.answer}.")
    return target.row


def _row_in(whole: Snapshot, number: int, wanted: Row) -> int:
    """The row of main's timeline that shows a row of another line; its own before shared ones."""
    what = (wanted.kind, wanted.block, wanted.record)
    same = [k for k, row in enumerate(whole.rows) if (row.kind, row.block, row.record) == what]
    own = (k for k in same if whole.rows[k].tape == number)
    return next(own, same[0] if same else 0)


def first_row(whole: Snapshot, tape: str) -> int:
    """The row at which a line of main's timeline begins; its fold where it has none of its own."""
    number = next(k for k, line in enumerate(whole.lines) if line.tape.id == tape)
    if number == 0 and all(line.tape.kind != "segment" for line in whole.lines):
        return 0
    rows = whole.rows
    own = [k for k, row in enumerate(rows) if row.tape == number]
    return next((k for k in own if rows[k].message >= 0), own[0] if own else 0)
