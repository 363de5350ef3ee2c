"""What changed, line by line and word by word: of a block, of an edit, of all records."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Final, Literal

from tapeview.edit.edit import Edit
from tapeview.looks.block_record import FAULTS
from tapeview.looks.changes import changed_members, changed_records, is_stored, original_of
from tapeview.shapes.fields import fields_of, text_of
from tapeview.snapshot import Snapshot
from tapeview.tape.block import Block
from tapeview.tape.json_text import decode_text
from tapeview.tape.pretty import pretty
from tapeview.tape.record import Record
from tapeview.tape.rows import Row
from tapeview.tape.session import Session
from tapeview.tape.sizes import count

__all__ = ["DiffLine", "all_changes", "block_diff", "change_count", "diff_lines", "edit_diff"]

Sign = Literal["", "+", "-", "·", "#"]

CONTEXT: Final = 3
"""Lines that stay around a change."""
LONGEST: Final = 4_000
"""Characters of a line up to which its words are compared."""
ENDS: Final = 32
"""Characters at each end of a long text that stays between two changes."""
MOST: Final = 400
"""Lines of a preview."""
ALIKE: Final = 0.4
"""How much two lines must share for their words to be compared."""
_words = re.compile(r"\w+|\s+|.", re.DOTALL).findall


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line: ``+`` new, ``-`` gone, ``·`` a fold of equal ones, ``#`` a heading, else as it was.

    Parts are (whether it is what changed, text); the text is as raw as the tape.
    """

    sign: Sign
    parts: tuple[tuple[bool, str], ...]
    gone: bool = False
    """A whole record is gone: it is struck through."""

    @property
    def text(self) -> str:
        """The words alone."""
        return "".join(text for _, text in self.parts)


def diff_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffLine]:
    """Lines of two texts: what goes above what comes, equal runs folded."""
    matcher = SequenceMatcher(None, old, new, autojunk=len(old) + len(new) > LONGEST)
    codes = matcher.get_opcodes()
    for number, (tag, a, b, c, d) in enumerate(codes):
        if tag == "equal":
            yield from _folded(old[a:b], number == 0, number == len(codes) - 1)
            continue
        pairs = [_compared(o, n) for o, n in zip_longest(old[a:b], new[c:d])]
        yield from (DiffLine("-", gone) for gone, _ in pairs if gone is not None)
        yield from (DiffLine("+", come) for _, come in pairs if come is not None)


Parts = tuple[tuple[bool, str], ...]


def _compared(old: str | None, new: str | None) -> tuple[Parts | None, Parts | None]:
    """Two lines with the words that differ; a line without a partner is all plain."""
    if old is None or new is None:
        return old if old is None else ((False, old),), new if new is None else ((False, new),)
    if max(len(old), len(new)) > LONGEST:
        return ((False, old),), ((False, new),)
    olds, news = _words(old), _words(new)
    matcher = SequenceMatcher(None, olds, news, autojunk=False)
    if matcher.ratio() < ALIKE:
        return ((False, old),), ((False, new),)
    left: list[tuple[bool, str]] = []
    right: list[tuple[bool, str]] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        left.append((tag != "equal", "".join(olds[a:b])))
        right.append((tag != "equal", "".join(news[c:d])))
    return tuple(p for p in left if p[1]), tuple(p for p in right if p[1])


def _folded(lines: Sequence[str], first: bool, last: bool) -> Iterator[DiffLine]:
    before = 0 if first else CONTEXT
    after = 0 if last else CONTEXT
    hidden = len(lines) - before - after
    if hidden < 2:
        yield from (DiffLine("", ((False, line),)) for line in lines)
        return
    yield from (DiffLine("", ((False, line),)) for line in lines[:before])
    yield DiffLine("·", ((False, f"{count(hidden, 'line')} the same"),))
    yield from (DiffLine("", ((False, line),)) for line in lines[len(lines) - after :])


# -- what is compared ------------------------------------------------------------------------------


def block_diff(snapshot: Snapshot, row: Row) -> tuple[DiffLine, ...]:
    """A row against the file as it was opened; nothing where it is the same."""
    session, record = snapshot.session, row.record
    original = session.original
    if original is None:
        return ()
    if row.kind in ("system", "tools"):
        return tuple(_member_lines(changed_members(session, row.kind)))
    if record is None or record.text is None or not is_stored(session, record):
        return ()
    before = original_of(original, record)
    blocks = [row.block] if row.block is not None else list(record.blocks)
    old: list[str] = []
    if before is not None:
        held = (_same_block(before, record, block) for block in blocks)
        old = [line for block in held if block for line in _block_lines(original, before, block)]
    new = [line for block in blocks for line in _block_lines(session, record, block)]
    return _differing(old, new)


def _differing(old: Sequence[str], new: Sequence[str]) -> tuple[DiffLine, ...]:
    return () if old == new else tuple(diff_lines(old, new))


def _same_block(before: Record, record: Record, block: Block) -> Block | None:
    """The block that this one was: of its id, else in its place."""
    for other in before.blocks:
        if block.id and (other.kind, other.id) == (block.kind, block.id):
            return other
    number = record.blocks.index(block)
    if len(before.blocks) == len(record.blocks):
        return before.blocks[number]
    return None


def _block_lines(session: Session, record: Record, block: Block) -> list[str]:
    """A text as its lines, any other block as JSON."""
    try:
        raw = session.shape.neutral(session.message_of(record), block)
        fields = fields_of(raw)
    except FAULTS as fault:
        return [f"cannot be read any more: {fault}"]
    if fields.keys() == {"type", "text"}:
        return text_of(fields["text"]).split("\n")
    return _json_lines(raw)


def _json_lines(raw: bytes) -> list[str]:
    if not raw:
        return []
    return [" " * line.indent + "".join(text for _, text in line.parts) for line in pretty(raw)]


def edit_diff(session: Session, edit: Edit) -> Iterator[DiffLine]:
    """What an edit does to the blocks of a session that it was planned for."""
    for number, line in enumerate(_edit_lines(session, edit)):
        if number == MOST:
            yield DiffLine("·", ((False, "and more"),))
            return
        yield line


def _edit_lines(session: Session, edit: Edit) -> Iterator[DiffLine]:
    became = dict(edit.became)
    kept = set(became.values())
    if edit.frames is not None:
        then, now = edit.frames
        yield from _member_lines(then.changed(now))
    for splice in edit.splices:
        for record in splice.old:
            if record in became:
                yield from _record_diff(session, record, became[record])
            else:
                yield from (DiffLine("-", ((False, line),)) for line in _lines(session, record))
        for record in splice.new:
            if record not in kept:
                yield from (DiffLine("+", ((False, line),)) for line in _lines(session, record))


def _record_diff(session: Session, old: Record, new: Record) -> tuple[DiffLine, ...]:
    """Blocks of a record before and after; what a record says beside its message is not shown."""
    return _differing(_lines(session, old), _lines(session, new))


def _lines(session: Session, record: Record) -> list[str]:
    return [line for block in record.blocks for line in _block_lines(session, record, block)]


def _member_lines(changes: Iterable[tuple[str, bytes, bytes]]) -> Iterator[DiffLine]:
    for name, before, after in changes:
        yield from _differing(_named_lines(name, before), _named_lines(name, after))


def _named_lines(name: str, raw: bytes) -> list[str]:
    """Its JSON; behind its name, but for the two that have rows of their own."""
    lines = _json_lines(raw)
    if lines and name not in ("system", "tools"):
        lines[0] = f"{name}: {lines[0]}"
    return lines


def all_changes(session: Session) -> Iterator[DiffLine]:
    """What was changed beside the messages, then all records that are changed, new or gone.

    Those in stored order, each as its JSON.
    """
    for change in changed_members(session):
        yield DiffLine("#", ((False, f"changed · {change[0]}"),))
        yield from _member_lines([change])
    for old, new in changed_records(session):
        line = (old or new or Record(0, 0, 0, "note")).line
        where = f"line {line}" if line else "not in the file as it was opened"
        what = "added" if old is None else "removed" if new is None else "changed"
        yield DiffLine("#", ((False, f"{what} · {where}"),))
        yield from _raw_lines(session, old, new)


def change_count(session: Session) -> int:
    """How many records and members of the request differ from the file as it was opened."""
    return sum(1 for _ in changed_members(session)) + sum(1 for _ in changed_records(session))


def _raw_lines(session: Session, old: Record | None, new: Record | None) -> Iterator[DiffLine]:
    texts = [_raw(session, record) for record in (old, new)]
    before, after = _compared(*texts)
    if any(changed for changed, _ in (*(before or ()), *(after or ()))):
        before, after = _shortened(before or ()), _shortened(after or ())
    if before is not None:
        yield from _split("-", before, gone=new is None)
    if after is not None:
        yield from _split("+", after)


def _shortened(parts: Parts) -> Parts:
    """What stays between two changes of a long line is told by its ends."""
    return tuple(
        (changed, text)
        if changed or len(text) <= 3 * ENDS or "\n" in text
        else (False, f"{text[:ENDS]} … {text[-ENDS:]}")
        for changed, text in parts
    )


def _split(sign: Sign, parts: Parts, gone: bool = False) -> Iterator[DiffLine]:
    """Parts cut at line breaks: a document is spread over lines."""
    held: list[tuple[bool, str]] = []
    for changed, text in parts:
        first, *rest = text.split("\n")
        held.append((changed, first))
        for line in rest:
            yield DiffLine(sign, tuple(held), gone)
            held = [(changed, line)]
    yield DiffLine(sign, tuple(held), gone)


def _raw(session: Session, record: Record | None) -> str | None:
    if record is None:
        return None
    try:
        return decode_text(session.bytes_of(record))
    except FAULTS as fault:
        return f"cannot be read any more: {fault}"
