"""What stands above a block in the block pane: what it is, where, its partner, what is wrong."""

from dataclasses import dataclass
from typing import Final

from tapeview.looks.block_partner import HeadLine, partner_line, state_of
from tapeview.looks.block_record import FAULTS, clock_of
from tapeview.looks.report import row_words, turn_words
from tapeview.rules._engine import Finding
from tapeview.rules._rule import Severity
from tapeview.shapes.fields import fields_of, text_of
from tapeview.snapshot import Snapshot
from tapeview.tape.block import Block
from tapeview.tape.clean import clean_line, printable
from tapeview.tape.describe import RowText, SignName, describe, tool_of
from tapeview.tape.outline import row_path
from tapeview.tape.record import Record
from tapeview.tape.rows import FOLDS, Row
from tapeview.tape.shape import Part
from tapeview.tape.sizes import count, size_long

__all__ = ["BlockHead", "block_head"]

NAME: Final = 60
"""Characters of a tool's name, of an id or of a type that are shown."""
MOST_FINDINGS: Final = 4
MOST_WORDS: Final = 1_000_000
"""Characters of prose up to which its words are counted."""

PROSE: Final = frozenset({"text", "thinking"})
BROKEN: Final = frozenset({"dangling", "orphan", "doubled"})

SIGN_STYLES: Final = {
    "prompt": "accent",
    "text": "fg",
    "thinking": "think plain",
    "call": "call",
    "result": "result",
    "error_result": "error",
    "image": "result",
    "document": "result",
    "folded": "accent",
    "unknown": "warn",
    "error": "error bold",
    "end": "pending",
}

SEVERITY_SIGNS: Final[dict[Severity, tuple[str, str]]] = {
    "error": ("error", "error"),
    "warning": ("warning", "warn"),
    "suspicion": ("suspicion", "suspicion"),
    "pending": ("pending_end", "pending"),
    "info": ("note", "muted"),
}


@dataclass(frozen=True, slots=True)
class BlockHead:
    """The head of the block pane as plain, clean words.

    ``sign`` is named as in ``RowText``. ``figures`` and ``place`` are words to be joined by dots;
    of the place the first matter most. ``lines``: the other end of the link, why the row is not
    sent, and the findings that stand here.
    """

    sign: SignName
    sign_style: str
    title: str
    name: str = ""
    figures: tuple[str, ...] = ()
    place: tuple[str, ...] = ()
    lines: tuple[HeadLine, ...] = ()


def block_head(snapshot: Snapshot, row: Row) -> BlockHead:
    """What the block pane says of a row before it shows the row's text. Never raises."""
    if row.kind in FOLDS:
        return BlockHead("", "fg", row_words(snapshot, row))
    snapshot = snapshot.of(row)
    try:
        text = describe(snapshot.session, snapshot.index, row)
    except OSError as fault:
        words = clean_line(f"cannot be read any more: {fault}", 200)
        text = RowText("error", "", words, row.block.size if row.block is not None else -1)
    title, name, figures = _title(snapshot, row, text)
    state = state_of(snapshot, row)
    style = "error" if state in BROKEN else SIGN_STYLES.get(text.sign, "muted")
    lines = [partner_line(snapshot, row), _unsent(row), _damage(row)]
    return BlockHead(
        "" if row.kind == "turn" else text.sign,
        style,
        title,
        name,
        figures,
        _place(snapshot, row),
        (*(line for line in lines if line is not None), *_findings(snapshot, row)),
    )


def _title(snapshot: Snapshot, row: Row, text: RowText) -> tuple[str, str, tuple[str, ...]]:
    """Title, name and figures."""
    size = (size_long(text.size),) if text.size >= 0 else ()
    if row.kind == "turn":
        title, *figures = turn_words(snapshot, row.turn).split(" · ")
        return title, "", tuple(figures)
    if row.kind == "block":
        if row.block is None:
            return "no content", "", ()
        named = text.sign in ("call", "result", "error_result")
        kind = clean_line(row.block.kind, NAME) or "no type"
        name = tool_of(row.block, snapshot.index) if named else ""
        return kind, name, (*size, *_extent(snapshot, row, row.block))
    titles = {
        "system": "system",
        "tools": text.name,
        "notes": text.gist,
        "note": text.gist,
        "unreadable": "unreadable",
        "end": "the tape ends here",
    }
    return titles[row.kind], "", size


def _extent(snapshot: Snapshot, row: Row, block: Block) -> tuple[str, ...]:
    """Words of prose; lines of anything else, as written, from two on."""
    if row.record is None:
        return ()
    try:
        session = snapshot.session
        parts = session.shape.parts(*session.piece_of(row.record, block))
    except FAULTS:
        return ()
    if block.kind in PROSE:
        text = parts[0].text if parts else ""
        return (count(len(text.split()), "word"),) if 0 < len(text) <= MOST_WORDS else ()
    lines = sum(_lines_of(part) for part in parts)
    return (count(lines, "line"),) if lines > 1 else ()


def _lines_of(part: Part) -> int:
    if part.kind == "json":
        return part.raw.count(b"\n") + 1
    if part.kind != "text" or not part.text:
        return 0
    return part.text.count("\n") + (not part.text.endswith("\n"))


def _place(snapshot: Snapshot, row: Row) -> tuple[str, ...]:
    """Path, line, time, turn and why the reply stopped, as far as the file has them."""
    session, record = snapshot.session, row.record
    words = [row_path(session, snapshot.index, row)]
    if record is not None:
        if record.line > 1 or (record.line and not session.frame.whole):
            words.append(f"line {record.line}")
        words.append(clock_of(record))
        if row.kind == "block":
            words.append(f"turn {row.turn}" if row.turn else "")
        words.append(_stop_reason(snapshot, _last_record(snapshot, row, record)))
    return tuple(word for word in words if word)


def _last_record(snapshot: Snapshot, row: Row, record: Record) -> Record:
    """For a turn's rule the last record of its reply, which alone knows how it ended."""
    if row.kind != "turn":
        return record
    turn = snapshot.own_turn(row.turn)
    return snapshot.tape.messages[turn.stop - 1].records[-1]


def _stop_reason(snapshot: Snapshot, record: Record) -> str:
    if record.kind != "message" or record.role != "assistant":
        return ""
    try:
        fields = fields_of(snapshot.session.message_of(record))
    except FAULTS:
        return ""
    return clean_line(text_of(fields.get("stop_reason")), NAME)


def _unsent(row: Row) -> HeadLine | None:
    if not row.unsent:
        return None
    return HeadLine("unsent", "unsent", (("unsent", f"not sent: {row.unsent}"),))


def _damage(row: Row) -> HeadLine | None:
    if row.kind != "unreadable" or row.record is None:
        return None
    return HeadLine("error", "error bold", (("fg", clean_line(row.record.label, 200)),))


def _findings(snapshot: Snapshot, row: Row) -> tuple[HeadLine, ...]:
    found = snapshot.findings_at(row)
    lines = [_finding(finding) for finding in found[:MOST_FINDINGS]]
    hidden = len(found) - len(lines)
    if hidden:
        words = f"and {count(hidden, 'more finding')}"
        lines.append(HeadLine("", "muted", (("muted", words),)))
    return tuple(lines)


def _finding(finding: Finding) -> HeadLine:
    sign, style = SEVERITY_SIGNS[finding.severity]
    code = (f"{style} bold", finding.rule.code)
    return HeadLine(sign, style, (code, ("fg", f" {printable(finding.sentence)}")))
