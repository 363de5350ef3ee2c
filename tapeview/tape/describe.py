"""What a row of the timeline says: its sign, its tool, its gist. Read when somebody looks."""

from typing import Literal, NamedTuple

from tapeview.tape.block import CALLS, RESULTS, Block, BlockFacts
from tapeview.tape.clean import clean_line
from tapeview.tape.gist import LIMIT, gist_of_call, gist_of_parts, gist_of_tools
from tapeview.tape.index import Index
from tapeview.tape.json_text import JsonFault, loads
from tapeview.tape.record import Record
from tapeview.tape.rows import Row
from tapeview.tape.session import Session
from tapeview.tape.shape import Part
from tapeview.tape.sizes import count

__all__ = ["GONE", "RowText", "SignName", "describe", "parts_of", "tool_of"]

SignName = Literal[
    "prompt",
    "text",
    "thinking",
    "call",
    "result",
    "error_result",
    "image",
    "document",
    "system",
    "tools",
    "note",
    "folded",
    "unknown",
    "error",
    "end",
    "",
]

GONE = (JsonFault, LookupError, OSError)
"""What reading raises once the file was changed or taken away."""

REMINDER = "<system-reminder>"


class RowText(NamedTuple):
    """The words of one row, clean for any terminal."""

    sign: SignName
    name: str
    """The tool of a call or result; "" for prose, which starts where names start."""
    gist: str
    size: int = -1
    """Bytes; -1 where a row has no weight of its own."""
    word: str = ""
    """A muted word at the right: summary, reminder."""


def describe(session: Session, index: Index, row: Row) -> RowText:
    """The words of a row."""
    if row.kind == "system":
        return RowText("system", "", _gist_of_system(session.frame.system), _system_size(session))
    if row.kind == "tools":
        name, gist = gist_of_tools(session.frame.tools)
        return RowText("tools", name, gist, len(session.frame.tools))
    if row.kind == "notes":
        return RowText("folded", "", f"{row.holds} notes")
    if row.kind == "end":
        verb = "waits for its result" if row.holds == 1 else "wait for their results"
        return RowText("end", "", f"the tape ends here: {count(row.holds, 'call')} {verb}")
    record = row.record
    if record is None or row.kind == "turn":
        return RowText("", "", "")
    if row.kind == "note":
        return RowText("note", "", clean_line(record.label, 200), record.size)
    if row.kind == "unreadable":
        return RowText("error", "", _gist_of_damage(session, record), record.size)
    if row.block is None:
        return RowText("text", "", "(no content)", 0)
    return _describe_block(session, index, record, row.block)


def _describe_block(session: Session, index: Index, record: Record, block: Block) -> RowText:
    try:
        if block.kind in CALLS:
            gist = _gist_of_input(session, *session.piece_of(record, block))
            return RowText("call", tool_of(block, index) or "call", gist, block.size)
        parts = parts_of(session, record, block)
    except GONE as fault:
        return RowText("error", "", _lost(fault), block.size)
    if block.kind in RESULTS:
        sign: SignName = "error_result" if block.is_error else "result"
        return RowText(sign, tool_of(block, index) or "result", gist_of_parts(parts), block.size)
    if block.kind == "text":
        return _describe_text(record, block, parts)
    if block.kind in ("thinking", "redacted_thinking"):
        return RowText("thinking", "", _gist_of_thinking(block, parts), block.size)
    if block.kind in ("image", "document"):
        sign = "image" if block.kind == "image" else "document"
        return RowText(sign, "", gist_of_parts(parts), block.size)
    name = clean_line(block.kind, 60) or "no type"
    return RowText("unknown", name, gist_of_parts(parts), block.size)


def _lost(fault: Exception) -> str:
    # What was there when the file was indexed is not: a lookup's own words would mislead.
    why = fault.reason if isinstance(fault, JsonFault) else "the file has changed"
    if isinstance(fault, OSError):
        why = fault.strerror or "the disk failed"
    return clean_line(f"cannot be read any more: {why}", 200)


def _gist_of_input(session: Session, message: bytes, block: Block) -> str:
    """The gist of a call's input; its bare text where it is JSON that cannot be decoded."""
    try:
        return gist_of_call(session.shape.input_of(message, block), session.folder)
    except JsonFault:
        return gist_of_parts(session.shape.parts(message, block))


def _describe_text(record: Record, block: Block, parts: tuple[Part, ...]) -> RowText:
    gist = gist_of_parts(parts)
    if record.role == "assistant":
        return RowText("text", "", gist, block.size)
    if record.role == "system":
        return RowText("system", "", gist, block.size)
    reminder = "reminder" if parts and parts[0].text.lstrip().startswith(REMINDER) else ""
    return RowText("prompt", "", gist, block.size, record.label or reminder)


def _gist_of_thinking(block: Block, parts: tuple[Part, ...]) -> str:
    if block.kind == "redacted_thinking":
        return "(redacted)"
    if block.facts & BlockFacts.EMPTY:
        return "(signature only)" if block.facts & BlockFacts.SIGNED else "(empty)"
    return gist_of_parts(parts)


def parts_of(session: Session, record: Record, block: Block) -> tuple[Part, ...]:
    """What a block carries. Raises ``JsonFault`` or ``LookupError`` where the file has changed."""
    return session.shape.parts(*session.piece_of(record, block))


def tool_of(block: Block, index: Index) -> str:
    """The tool's name, for a result the name of the call that it answers; clean."""
    name = block.name
    if not name and (link := index.link_of.get(block)) is not None and link.call is not None:
        name = link.call.block.name
    return clean_line(name, 80)


def _gist_of_system(system: bytes) -> str:
    try:
        value = loads(system)
    except JsonFault:
        return ""
    if isinstance(value, str):
        return clean_line(value, LIMIT)
    texts = [
        text
        for block in (value if isinstance(value, list) else ())
        if isinstance(block, dict) and isinstance(text := block.get("text"), str)
    ]
    return clean_line("\n".join(text[:LIMIT] for text in texts[:4]), LIMIT)


def _system_size(session: Session) -> int:
    system = session.frame.system
    return len(system) - 2 if system[:1] == b'"' else len(system)


def _gist_of_damage(session: Session, record: Record) -> str:
    try:
        start = session.bytes_of(record)[: LIMIT * 2].decode("utf-8", "replace")
    except GONE as fault:
        return _lost(fault)
    return clean_line(f"line {record.line} is unreadable, {record.label}: {start}", LIMIT)
