"""What stands at the head of the screen: the session in a line, its verdict, the sizes sent."""

import re
from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Literal, NamedTuple

from tapeview.formats._source import Change
from tapeview.rules._rule import Severity
from tapeview.snapshot import Snapshot
from tapeview.tape.clean import printable
from tapeview.tape.sizes import count, duration, size_long
from tapeview.unsettled import Unsettled

__all__ = [
    "CHANGES",
    "Bar",
    "Heading",
    "Progress",
    "Tally",
    "counter_words",
    "empty_words",
    "heading_of",
    "progress_of",
    "size_bars",
    "tally_of",
]

HOME = re.compile(r"^(/home/[^/]+|/Users/[^/]+|/root)(?=/|$)")
CHANGES: dict[Change, str] = {
    "grown": "the file has grown: ctrl+f shows the rest and follows it",
    "replaced": "another file took its place: this is the old one",
    "gone": "the file was deleted: this is what it held",
    "shorter": "the file became shorter: some rows are gone",
    "rewritten": "the file was written over: open it again",
}
"""What became of the file while it is open."""

BESIDE = frozenset({"system", "tools", "note", "notes"})
"""Rows that are no messages."""

MOST_BARS = 40
DOUBLE_UP_TO = 24
"""Up to so many turns each has two cells of the strip."""

Tone = Literal["plain", "error", "warning", "current"]


class Heading(NamedTuple):
    """The session in words. ``facts`` stand from the most to the least worth keeping."""

    name: str
    folder: str
    facts: tuple[str, ...]


class Tally(NamedTuple):
    """One count of findings: severity and words, long and short."""

    severity: str
    words: str
    short: str


class Progress(NamedTuple):
    """How far the file is read: ``62 of 102 MB``, and the share of it, 0 to 1."""

    words: str
    share: float


class Bar(NamedTuple):
    """One cell of the strip of sizes: height in eighths, 1 to 8, and what is to be seen there."""

    eighths: int
    tone: Tone


def heading_of(snapshot: Snapshot, wide: bool) -> Heading:
    """Name, folder and facts; ``wide`` adds version, messages and time span."""
    session, index = snapshot.session, snapshot.index
    path = PurePath(session.path)
    folder = session.folder or ("" if str(path.parent) == "." else str(path.parent))
    facts = [_harness(snapshot) if wide else session.format]
    if session.frame.model:
        facts.append(printable(session.frame.model))
    if snapshot.settled:
        facts.append(count(len(snapshot.turn_numbers), "turn"))
    if wide and snapshot.settled:
        facts.append(count(len(index.messages), "message"))
    facts.append(size_long(session.source.size))
    if wide and (span := _time_span(snapshot)):
        facts.append(span)
    name = "standard input" if session.path == "-" else printable(path.name)
    return Heading(name, printable(HOME.sub("~", folder)), tuple(facts))


def progress_of(snapshot: Snapshot) -> Progress | None:
    """How far the file is read; None once the session is settled."""
    if not isinstance(snapshot, Unsettled):
        return None
    total = snapshot.session.source.size
    done, of = size_long(snapshot.done), size_long(total)
    number, _, unit = done.partition(" ")
    words = f"{number if of.endswith(unit) else done} of {of}"
    return Progress(words, snapshot.done / max(total, 1))


def _harness(snapshot: Snapshot) -> str:
    """``claude-code 2.1.4`` where the title ends in a version."""
    version = snapshot.session.title.rpartition(" ")[2]
    known = version[:1].isdigit()
    return f"{snapshot.session.format} {printable(version)}" if known else snapshot.session.format


def _time_span(snapshot: Snapshot) -> str:
    if snapshot.times is None:
        return ""
    first, last = snapshot.times
    until = last[11:16] if first[:10] == last[:10] else f"{last[:10]} {last[11:16]}"
    return printable(f"{first[11:16]} to {until}")


def tally_of(snapshot: Snapshot, own: bool = False) -> tuple[Tally, ...]:
    """Errors, warnings and suspicions, those that there are; ``own``: of this very tape alone."""
    counts: Mapping[Severity, int] = snapshot.severity_counts
    if own:
        counts = Counter(finding.severity for finding in snapshot.own_findings)
    found = []
    severities: tuple[Severity, ...] = ("error", "warning", "suspicion")
    for severity in severities:
        number = counts[severity]
        if number:
            found.append(Tally(severity, count(number, severity), str(number)))
    return tuple(found)


def counter_words(snapshot: Snapshot, turn: int) -> tuple[str, str]:
    """``turn 8`` and `` of 9 · 76 kB sent · 41.0 s`` for the title line."""
    total = len(snapshot.turn_numbers)
    if not snapshot.settled:
        return "turn …", ""
    if not total:
        return "", "no turns"
    if turn == 0:
        return "", f"before turn 1 of {total}"
    facts = snapshot.turn_facts[turn]
    words = f" of {total} · {size_long(facts.sent)} sent"
    if facts.seconds is not None:
        words += f" · {duration(facts.seconds)}"
    return f"turn {turn}", words


def empty_words(snapshot: Snapshot) -> tuple[str, str] | None:
    """What stands in place of rows where there is no message: a sentence, and one on the notes."""
    rows = snapshot.rows
    if not snapshot.settled or any(row.kind not in BESIDE for row in rows):
        return None
    notes = sum(row.kind == "note" for row in rows)
    verb, them = ("is", "it") if notes == 1 else ("are", "them")
    stored = f"{count(notes, 'note')} {verb} stored; enter shows {them}." if notes else ""
    return "No messages in this session.", stored


def size_bars(snapshot: Snapshot, turn: int) -> tuple[tuple[Bar, ...], int]:
    """The strip of sizes sent, a cell or two a turn, and the largest size in bytes."""
    sizes = snapshot.turn_sizes
    if not sizes:
        return (), 0
    loud = _loud_turns(snapshot)
    cells = min(MOST_BARS, len(sizes) * (2 if len(sizes) <= DOUBLE_UP_TO else 1))
    largest = max(sizes)
    bars = []
    for k in range(cells):
        start = k * len(sizes) // cells
        stop = max(start + 1, (k + 1) * len(sizes) // cells)
        eighths = max(1, round(max(sizes[start:stop]) * 8 / max(largest, 1)))
        tone: Tone = "current" if start < turn <= stop else _loudest(loud, start, stop)
        bars.append(Bar(eighths, tone))
    return tuple(bars), largest


def _loud_turns(snapshot: Snapshot) -> Mapping[Tone, Sequence[int]]:
    """The turns that have errors and warnings, in order."""
    turns: dict[Tone, list[int]] = {"error": [], "warning": []}
    for finding in snapshot.findings:
        if finding.severity in ("error", "warning"):
            insort(turns[finding.severity], finding.turn)
    return turns


def _loudest(loud: Mapping[Tone, Sequence[int]], start: int, stop: int) -> Tone:
    """The worst of the turns behind number ``start`` up to ``stop``."""
    for tone, turns in loud.items():
        at = bisect_right(turns, start)
        if at < len(turns) and turns[at] <= stop:
            return tone
    return "plain"
