"""The tape as plain lines: for pipes, for goldens, for eyes without the screen.

Every line is clean; nothing in a tape reaches the terminal as anything but text.
"""

from collections.abc import Callable, Iterator, Sequence

from tapeview.tape.block import CALLS, RESULTS, BlockFacts
from tapeview.tape.clean import clean_line, printable
from tapeview.tape.describe import GONE, describe, parts_of
from tapeview.tape.gist import gist_of_image
from tapeview.tape.index import Index
from tapeview.tape.message import block_path
from tapeview.tape.pretty import pretty
from tapeview.tape.rows import FOLDS, Row
from tapeview.tape.session import Session
from tapeview.tape.sizes import size_long

__all__ = ["Flags", "Words", "full_text", "outline", "row_path"]

GIST = 100
"""Characters of a gist on an outline line."""

Flags = Callable[[Row], Sequence[str]]
"""What is wrong at a row, as short words: ``! TU001 dangling``."""

Words = Callable[[Row], str]
"""The words of a rule or of a row that folds others."""


def outline(
    session: Session,
    index_of: Callable[[Row], Index],
    rows: Sequence[Row],
    flags: Flags,
    words: Words,
    full: bool = False,
) -> Iterator[str]:
    """One line a row; with ``full`` the whole text of each block, indented below its line."""
    for row in rows:
        if row.kind == "turn":
            yield f"── {words(row)} ──"
            continue
        if row.kind in FOLDS:
            yield f"══ {words(row)} ══"
            continue
        if row.kind == "notes":
            continue
        yield _line(session, index_of(row), row, flags(row))
        if full and row.block is not None and row.record is not None:
            yield from (f"    {line}".rstrip() for line in full_text(session, row))


def _line(session: Session, index: Index, row: Row, flags: Sequence[str]) -> str:
    words = [_place(session, index, row), _who(row), _what(session, index, row)]
    text = f"{words[0]:<24} {words[1]:<10} {words[2]}".rstrip()
    if row.unsent:
        text += f"  (not sent: {row.unsent})"
    return "  ".join((text, *flags))


def _place(session: Session, index: Index, row: Row) -> str:
    return row_path(session, index, row) or "…"


def row_path(session: Session, index: Index, row: Row) -> str:
    """The path of a row: on the chain as the API spells it, off it ``records.N``."""
    if row.kind in ("system", "tools"):
        return row.kind
    if row.record is None:
        return ""
    if row.message >= 0:
        message = index.messages[row.message]
        inner = message.path_of(row.number) if row.number >= 0 else ""
        return f"messages.{row.message}" + (f".{inner}" if inner else "")
    position = session.position_of(row.record)
    inner = block_path(row.block.path) if row.block is not None else ""
    return f"records.{position}" + (f".{inner}" if inner else "")


def _who(row: Row) -> str:
    if row.kind == "block" and row.record is not None:
        return printable(row.record.spelled_role or row.record.role or "no role")[:20]
    return "" if row.kind in ("system", "tools", "end") else row.kind


def _what(session: Session, index: Index, row: Row) -> str:
    text = describe(session, index, row)
    gist = _cut(text.gist)
    block = row.block
    if block is None:
        return f"{text.name}: {gist}" if text.name else gist
    identity = clean_line(block.id, 80) or (
        "by name" if block.facts & BlockFacts.LEGACY else "no id"
    )
    if block.kind in CALLS:
        kind = "tool_use" if block.kind == "tool_use" else block.kind
        return (
            f"{kind}({identity}, {text.name}, {gist})"
            if gist
            else f"{kind}({identity}, {text.name})"
        )
    if block.kind in RESULTS:
        error = " error" if block.is_error else ""
        return f"{block.kind}({identity}){error} -> {gist}"
    if block.kind == "text":
        return gist
    return f"{clean_line(block.kind, 60) or 'no type'}: {gist}"


def _cut(gist: str) -> str:
    return gist if len(gist) <= GIST else gist[: GIST - 1] + "…"


def full_text(session: Session, row: Row) -> Iterator[str]:
    """The lines of everything that a row's block carries, each one clean."""
    if row.block is None or row.record is None:
        return
    try:
        parts = parts_of(session, row.record, row.block)
    except GONE as fault:
        yield printable(f"cannot be read any more: {fault}")
        return
    for part in parts:
        if part.kind == "json":
            for line in pretty(part.raw):
                text = "".join(piece for _, piece in line.parts)
                yield " " * line.indent + printable(text)
        elif part.kind in ("image", "document"):
            yield f"{gist_of_image(part)}, {size_long(len(part.data))} of base64"
        else:
            yield from (printable(line) for line in part.text.split("\n"))
