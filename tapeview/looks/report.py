"""What ``check`` and ``show`` say, as values, lines and JSON."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import msgspec

from tapeview.open_session import OpenSession
from tapeview.rules._engine import Finding
from tapeview.rules._rule import SEVERITIES, Severity
from tapeview.snapshot import Snapshot, by_rank
from tapeview.tape.clean import printable
from tapeview.tape.describe import describe
from tapeview.tape.outline import row_path
from tapeview.tape.rows import FOLDS, Row
from tapeview.tape.sizes import count, duration, size_long

__all__ = [
    "FindingReport",
    "Report",
    "SessionReport",
    "TapeReport",
    "flags_of",
    "left_at_turn",
    "report_of",
    "row_values",
    "row_words",
    "safe_json",
    "text_lines",
    "turn_span",
    "turn_words",
    "unreadable",
]

SIGNS: dict[Severity, str] = {
    "error": "!",
    "warning": "▲",
    "suspicion": "?",
    "pending": "…",
    "info": "·",
}


class FindingReport(msgspec.Struct):
    """One finding. ``line`` is the record's line in the file, 0 where it has none."""

    rule: str
    name: str
    severity: Severity
    sent: bool
    at: str
    api_path: str
    ids: tuple[str, ...]
    line: int
    message: str
    api_message: str
    repairs: tuple[str, ...]


class TapeReport(msgspec.Struct):
    """One tape of a session; ``resume`` is null where nothing is resumed."""

    id: str
    kind: str
    messages: int
    turns: int
    resume: str | None
    links: dict[str, int]
    findings: list[FindingReport]


class SessionReport(msgspec.Struct):
    """One given or found path. With ``error`` set there are no tapes."""

    path: str
    format: str | None
    dialect: str | None
    error: str | None
    tapes: list[TapeReport]


class Report(msgspec.Struct):
    """All that one ``check`` looked at."""

    sessions: list[SessionReport]
    version: int = 1

    def to_json(self) -> bytes:
        """The report as indented JSON."""
        ordered = {"version": self.version, "sessions": self.sessions}
        return safe_json(msgspec.json.format(msgspec.json.encode(ordered), indent=2))


def unreadable(path: str, sentence: str) -> SessionReport:
    """The report of a path that cannot be read."""
    return SessionReport(_writable(path), None, None, _writable(sentence), [])


def report_of(opened: OpenSession, codes: Sequence[str] | None = None) -> SessionReport:
    """An open session, tape by tape; each finding on the first tape that has its record."""
    session = opened.session
    tapes = [_tape(opened.snapshot(tape.id, codes)) for tape in session.tapes]
    return SessionReport(_writable(session.path), session.format, session.dialect, None, tapes)


def _tape(snapshot: Snapshot) -> TapeReport:
    tape = snapshot.tape
    return TapeReport(
        tape.id,
        tape.kind,
        len(tape.messages),
        len(snapshot.index.turns),
        tape.resume,
        {str(state): n for state, n in snapshot.index.link_counts.items()},
        [_finding(finding) for finding in by_rank(snapshot.own_findings)],
    )


def _finding(finding: Finding) -> FindingReport:
    return FindingReport(
        finding.rule.code,
        finding.rule.name,
        finding.severity,
        finding.sent,
        finding.at,
        finding.api_path,
        tuple(_writable(identity) for identity in finding.fault.ids),
        finding.record.line if finding.record is not None else 0,
        _writable(finding.sentence),
        _writable(finding.api_message),
        finding.repairs,
    )


def safe_json(encoded: bytes) -> bytes:
    """The same JSON, but what could act on a terminal or turn a line around is escaped."""
    return _odd(lambda found: _escaped(found[0]), encoded.decode("utf-8", "replace")).encode()


_odd = re.compile(r"[^\t\r\n -~]").sub


@lru_cache(1024)
def _escaped(sign: str) -> str:
    if printable(sign) == sign:
        return sign
    units = sign.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[k : k + 4]}" for k in range(0, len(units), 4))


def _writable(text: str) -> str:
    """The text with lone surrogates replaced, which no JSON writer takes."""
    return text.encode("utf-8", "replace").decode()


def text_lines(report: SessionReport) -> Iterator[str]:
    """``PATH:LINE severity CODE at sentence`` for each finding, then the session's counts.

    A place on another tape than main stands behind that tape's name.
    """
    path = printable(report.path)
    if report.error is not None:
        yield f"{path}: unreadable"
        return
    findings = [finding for tape in report.tapes for finding in tape.findings]
    for tape in report.tapes:
        on = "" if tape.kind == "main" else f"{printable(tape.id)} "
        for finding in tape.findings:
            where = f"{path}:{finding.line}" if finding.line else path
            sentence = printable(finding.message)
            yield f"{where} {finding.severity} {finding.rule} {on}{finding.at} {sentence}"
    line = [tape for tape in report.tapes if tape.kind in ("main", "segment")]
    counts = f"{report.format}, {count(sum(tape.turns for tape in line), 'turn')}"
    counts += f", {count(sum(tape.messages for tape in line), 'message')}"
    if len(report.tapes) > 1:
        counts += f", {len(report.tapes)} tapes"
    yield f"{path}: {counts}: {_tally(findings)}"


def _tally(findings: Sequence[FindingReport]) -> str:
    words = []
    for severity in SEVERITIES:
        number = sum(finding.severity == severity for finding in findings)
        if number:
            plain = severity in ("pending", "info")
            words.append(f"{number} {severity}" if plain else count(number, severity))
    return ", ".join(words) or "no problems"


def turn_words(snapshot: Snapshot, number: int) -> str:
    """``turn 8 · 3 tools · 76 kB sent · 41.0 s``."""
    facts = snapshot.turn_facts[number]
    words = [f"turn {number}"]
    plain = facts.tools - facts.agents
    if plain:
        words.append(count(plain, "tool"))
    if facts.agents:
        words.append(count(facts.agents, "agent"))
    words.append(f"{size_long(facts.sent)} sent")
    if facts.seconds is not None:
        words.append(duration(facts.seconds))
    return " · ".join(words)


def row_words(snapshot: Snapshot, row: Row) -> str:
    """The words of a turn's rule, of a row that folds a line, of the rule where one ends."""
    line = snapshot.of(row)
    if row.kind == "turn":
        return turn_words(line, row.turn)
    if row.kind in ("new", "answered", "reply"):
        return snapshot.rule_words(row)
    if row.kind == "boundary":
        return _boundary_words(snapshot, line)
    facts = [count(len(line.index.messages), "message"), size_long(line.sent_now)]
    if row.kind == "branch":
        turn = left_at_turn(snapshot, line)
        left = f"rewound at turn {turn}" if turn else "rewound at the start"
        return " · ".join((f"{line.tape.id}  {left}", *facts[:1]))
    return " · ".join((f"{line.tape.id}  {turn_span(line)}", *facts))


def turn_span(line: Snapshot) -> str:
    """``turns 1-3``, ``turn 1``: the turns of a segment."""
    first = line.tape.first_turn
    last = first + len(line.index.turns) - 1
    return f"turns {first}-{last}" if last > first else f"turn {first}"


def _boundary_words(snapshot: Snapshot, line: Snapshot) -> str:
    """``compacted 14:02:51 · auto · 161 kB became 48 kB``."""
    after = snapshot.line_after(line)
    turns = after.index.turns
    became = after.turn_facts[turns[0].number].sent if turns else after.sent_now
    sizes = f"{size_long(line.sent_now)} became {size_long(became)}"
    return f"{after.tape.begins or 'compacted'} · {sizes}"


def left_at_turn(snapshot: Snapshot, line: Snapshot) -> int:
    """The turn where a branch leaves, that of the last record that it shares; 0 before turn 1."""
    after = line.tape.after
    at = snapshot.row_of.get(after) if after is not None else None
    return snapshot.rows[at].after if at is not None else 0


def flags_of(snapshot: Snapshot, row: Row) -> tuple[str, ...]:
    """What is wrong at a row: findings with their codes, then a link's state that is no fault."""
    flags = [
        f"{SIGNS[finding.severity]} {finding.rule.code} {finding.rule.name}"
        for finding in snapshot.findings_at(row)
    ]
    link = snapshot.of(row).index.link_of.get(row.block) if row.block is not None else None
    if link is not None and row.block is not None and row.message >= 0:
        state = link.state_of(row.block)
        if state != "answered":
            flags.append(f"[{state}]")
    return tuple(flags)


def row_values(snapshot: Snapshot, rows: Iterable[Row]) -> Iterator[dict[str, object]]:
    """The rows as plain values for ``show --json``: texts are gists, safe but whole in meaning."""
    for row in rows:
        if row.kind == "notes":
            continue
        values: dict[str, object] = {"kind": row.kind}
        line = snapshot.of(row)
        if line.tape.id != "main":
            values["tape"] = line.tape.id
        if row.kind in FOLDS:
            yield values | {"words": row_words(snapshot, row)}
            continue
        if row.kind == "turn":
            facts = line.turn_facts[row.turn]
            values |= {
                "turn": row.turn,
                "tools": facts.tools,
                "bytes_sent": facts.sent,
                "seconds": facts.seconds,
            }
            yield values
            continue
        text = describe(snapshot.session, line.index, row)
        values["at"] = row_path(snapshot.session, line.index, row)
        values["turn"] = row.turn or None
        if row.record is not None:
            values |= {"role": _writable(row.record.role), "line": row.record.line}
        if row.block is not None:
            block = row.block
            link = line.index.link_of.get(block) if row.message >= 0 else None
            values |= {
                "type": _writable(block.kind),
                "id": _writable(block.id) or None,
                "name": text.name or None,
                "bytes": block.size,
                "link": link.state_of(block) if link is not None else None,
            }
        values["gist"] = text.gist
        if row.unsent:
            values["not_sent"] = row.unsent
        values["findings"] = [finding.rule.code for finding in snapshot.findings_at(row)]
        yield values
