"""What the block pane shows of the row under the cursor, and what can be copied of it.

Everything is read from the file when it is asked for. A file that was changed, cut or taken away
meanwhile gives one sentence in the body, never an exception.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from tapeview.looks.block_head import BlockHead, block_head
from tapeview.looks.block_media import media_lines
from tapeview.looks.block_partner import HeadLine
from tapeview.looks.block_record import (
    BLANK,
    FAULTS,
    BodyLine,
    beside_lines,
    line_of,
    piece_bytes,
    shown_value,
    table,
)
from tapeview.looks.block_turn import turn_lines
from tapeview.shapes.anthropic import block_parts
from tapeview.shapes.fields import fields_of, is_text, text_of
from tapeview.snapshot import Snapshot
from tapeview.tape.block import Block
from tapeview.tape.clean import printable
from tapeview.tape.describe import describe
from tapeview.tape.json_text import decode_text, elements
from tapeview.tape.outline import row_path
from tapeview.tape.pretty import pretty
from tapeview.tape.record import Record
from tapeview.tape.rows import FOLDS, Row
from tapeview.tape.session import Session
from tapeview.tape.shape import Part
from tapeview.tape.sizes import size_long
from tapeview.tape.tape import Frame

__all__ = [
    "BlockHead",
    "BodyLine",
    "HeadLine",
    "block_body",
    "block_head",
    "copy_json",
    "copy_path",
    "copy_text",
    "editor_place",
    "json_lines",
    "text_lines",
]

JSON_STYLES: Final = {
    "key": "key",
    "string": "string",
    "number": "number",
    "literal": "number",
    "punct": "punct",
    "block": "string",
}
MOST_LINES: Final = 200_000
"""Lines of a body that are shown."""

_heading = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)").match
_fence = re.compile(r"[ \t]*(`{3,}|~{3,})").match


def block_body(snapshot: Snapshot, row: Row) -> Iterator[BodyLine]:
    """The lines of a row's text, and below them what is stored beside it, one after the other."""
    if row.kind in FOLDS:
        return
    snapshot = snapshot.of(row)
    try:
        yield from _no_more(_body(snapshot, row))
    except FAULTS as fault:
        yield line_of("error", f"cannot be read any more: {fault}")
    yield from beside_lines(snapshot, row)


def _no_more(lines: Iterator[BodyLine]) -> Iterator[BodyLine]:
    """As many lines as a screen can hold in memory; a block of 50 MB may have millions."""
    yield from islice(lines, MOST_LINES)
    if next(lines, None) is not None:
        words = f"the first {MOST_LINES} lines; y copies all of it, o opens the file in the editor"
        yield line_of("muted", words)


def _body(snapshot: Snapshot, row: Row) -> Iterator[BodyLine]:
    session, record = snapshot.session, row.record
    if row.kind == "turn":
        yield from turn_lines(snapshot, row.turn)
    elif row.kind == "system":
        yield from _joined(_system_parts(session.frame.system), markdown=False)
        yield from _request_lines(session.frame)
    elif row.kind == "tools":
        yield from _tools_lines(session.frame.tools)
        yield from _request_lines(session.frame)
    elif row.kind == "end":
        yield line_of("fg", f"{describe(session, snapshot.index, row).gist.capitalize()}.")
    elif row.kind == "notes":
        yield from _notes_lines(_run_of_notes(snapshot, row))
    elif record is None:
        return
    elif row.kind == "note":
        yield from json_lines(session.bytes_of(record))
    elif row.kind == "unreadable":
        yield from text_lines(decode_text(session.bytes_of(record)))
    elif row.block is None:
        yield line_of("muted", "(no content)")
    else:
        markdown = row.block.kind == "text" and record.role == "assistant"
        yield from _joined(_parts(session, record, row.block), markdown)


def _parts(session: Session, record: Record, block: Block) -> tuple[Part, ...]:
    """What the block carries. Raises what is in ``FAULTS``."""
    return session.shape.parts(*session.piece_of(record, block))


def _joined(parts: Iterable[Part], markdown: bool) -> Iterator[BodyLine]:
    """The parts, a blank line between each two."""
    empty = True
    for part in parts:
        if part.kind == "text" and not part.text:
            continue
        if not empty:
            yield BLANK
        empty = False
        yield from _part_lines(part, markdown)
    if empty:
        yield line_of("muted", "(empty)")


def _part_lines(part: Part, markdown: bool) -> Iterator[BodyLine]:
    if part.kind == "json":
        return json_lines(part.raw)
    if part.kind in ("image", "document"):
        return media_lines(part)
    if part.kind == "note":
        return text_lines(part.text, "muted")
    return _markdown_lines(part.text) if markdown else text_lines(part.text)


def _split(text: str) -> Iterator[str]:
    """The lines of a text one by one, without the empty one after a last line break."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start : end - text.startswith("\r", end - 1, end)]
        start = end + 1
    if start < len(text):
        yield text[start:]


def text_lines(text: str, style: str = "fg") -> Iterator[BodyLine]:
    """A text, a line for each of its lines."""
    return (line_of(style, line) for line in _split(text))


def _markdown_lines(text: str) -> Iterator[BodyLine]:
    """Markdown as its source: headings stand out, what is fenced in steps back."""
    fence = ""
    for line in _split(text):
        found = _fence(line)
        if fence:
            yield line_of("fence", line)
            if found and found[1].startswith(fence) and not line[found.end() :].strip():
                fence = ""
        elif found:
            fence = found[1]
            yield line_of("fence", line)
        else:
            yield line_of("heading" if _heading(line) else "fg", line)


def json_lines(raw: bytes) -> Iterator[BodyLine]:
    """JSON, indented. Raises ``JsonFault``."""
    for line in pretty(raw):
        parts = tuple((JSON_STYLES[kind], text) for kind, text in line.parts)
        yield BodyLine(parts, line.indent, line.is_block)


# -- what is not a block ---------------------------------------------------------------------------


def _system_parts(system: bytes) -> Iterator[Part]:
    if is_text(system):
        yield Part("text", text=text_of(system))
        return
    if system[:1] != b"[":
        yield Part("json", raw=system)
        return
    for start, end in elements(system, 0):
        yield from block_parts(system[start:end])


def _tools_lines(tools: bytes) -> Iterator[BodyLine]:
    """Each tool's name, the first line of its description, and its schema."""
    if tools[:1] != b"[":
        yield from json_lines(tools)
        return
    for number, (start, end) in enumerate(elements(tools, 0)):
        if number:
            yield BLANK
        yield from _tool_lines(tools[start:end])


def _tool_lines(raw: bytes) -> Iterator[BodyLine]:
    fields = fields_of(raw)
    fields = fields_of(fields.get("function", b"")) or fields
    name = text_of(fields.get("name"))
    schema = fields.get("input_schema", fields.get("parameters"))
    yield line_of("heading", printable(name or text_of(fields.get("type")) or "no name"))
    description = text_of(fields.get("description")).lstrip()
    if description:
        yield line_of("fg", next(_split(description)))
    yield from json_lines(raw if schema is None else schema)


def _request_lines(frame: Frame) -> Iterator[BodyLine]:
    """What else the request carries, which has no row of its own."""
    pairs = [("model", frame.model)] if frame.model else []
    pairs += [(key, shown_value(raw)) for key, raw in frame.others]
    if pairs:
        yield BodyLine(beside=True)
        yield from table("request", pairs, beside=True)


def _run_of_notes(snapshot: Snapshot, row: Row) -> list[Record]:
    """The notes that a folded row stands for."""
    first = snapshot.row_of[row.record] if row.record is not None else 0
    rows = snapshot.rows[first : first + row.holds]
    return [note.record for note in rows if note.record is not None]


def _notes_lines(notes: list[Record]) -> Iterator[BodyLine]:
    for note in notes:
        label = printable(note.label) or "note"
        figures = f"  line {note.line} · {size_long(note.size)}"
        yield BodyLine((("fg", label), ("muted", figures)))


# -- what can be taken along -----------------------------------------------------------------------


def copy_text(snapshot: Snapshot, row: Row) -> str:
    """The whole text of a block as it is stored, controls and all; empty where it is lost.

    Parts of a result are joined by a line break. Rows without a text of their own give what the
    body shows.
    """
    snapshot = snapshot.of(row)
    session, record = snapshot.session, row.record
    if row.kind != "block" or record is None or row.block is None:
        if row.kind in ("tools", "note", "unreadable"):
            return copy_json(snapshot, row)
        lines = block_body(snapshot, row)
        return "\n".join(" " * line.indent + line.text for line in lines if not line.beside)
    try:
        parts = _parts(session, record, row.block)
    except FAULTS:
        return ""
    return "\n".join(_part_text(part) for part in parts)


def _part_text(part: Part) -> str:
    if part.kind == "json":
        return decode_text(part.raw)
    return part.data if part.kind in ("image", "document") else part.text


def copy_json(snapshot: Snapshot, row: Row) -> str:
    """The JSON of a block exactly as it is written; empty where it is lost.

    A turn gives the messages of its reply and a run of notes its records, one after the other.
    """
    snapshot = snapshot.of(row)
    session, record = snapshot.session, row.record
    if row.kind == "system":
        return decode_text(session.frame.system)
    if row.kind == "tools":
        return decode_text(session.frame.tools)
    if record is None:
        return ""
    try:
        if row.kind == "turn":
            records = _records_of_turn(snapshot, row.turn)
            return "\n".join(decode_text(session.message_of(each)) for each in records)
        if row.kind == "notes":
            notes = _run_of_notes(snapshot, row)
            return "\n".join(decode_text(session.bytes_of(note)) for note in notes)
        if row.kind != "block":
            return decode_text(session.bytes_of(record))
        if row.block is None:
            return decode_text(session.message_of(record))
        return decode_text(piece_bytes(session, record, row.block))
    except FAULTS:
        return ""


def _records_of_turn(snapshot: Snapshot, number: int) -> Iterator[Record]:
    turn = snapshot.own_turn(number)
    for message in snapshot.tape.messages[turn.start : turn.stop]:
        yield from message.records


def copy_path(snapshot: Snapshot, row: Row) -> str:
    """The row's path: as the API spells it, or ``records.N`` off the chain; empty at the end."""
    snapshot = snapshot.of(row)
    return row_path(snapshot.session, snapshot.index, row)


def editor_place(snapshot: Snapshot, row: Row) -> tuple[str, int] | None:
    """The file and the line, from 1, at which the row's record begins; None for standard input."""
    path = snapshot.session.path
    if path == "-":
        return None
    records = snapshot.session.records
    last = records[-1].line if row.kind == "end" and records else 1
    return path, max(1, row.record.line if row.record is not None else last)
