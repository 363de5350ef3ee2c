"""A snapshot after an edit that changes texts alone: what is known of the one before is kept."""

from collections.abc import Iterable

import msgspec

from tapeview.snapshot import Snapshot
from tapeview.tape.block import Block
from tapeview.tape.moved import moving_numbers
from tapeview.tape.oddity import oddities
from tapeview.tape.record import Record
from tapeview.tape.rows import moved_row
from tapeview.tape.session import Session
from tapeview.tape.spliced import as_spliced
from tapeview.tape.swap import Swap
from tapeview.tape.tape import Tape

__all__ = ["swapped_snapshot"]


def swapped_snapshot(old: Snapshot, session: Session, swap: Swap, revision: int) -> Snapshot:
    """The tape of ``old`` in ``session``, which is what its own became by ``swap``."""
    tapes = dict(zip(old.session.tapes, session.tapes, strict=True))
    made = _line(old, tapes[old.tape], session, swap, revision)
    known, fresh = old.__dict__, made.__dict__
    if "lines" in known:
        others = (_line(line, tapes[line.tape], session, swap, revision) for line in old.lines[1:])
        fresh["lines"] = (made, *others)
    if "rows" in known and "row_of" in known:
        _take_rows(old, made, swap)
        made.layout = old.layout
        if "turn_row_of" in known:
            fresh["turn_row_of"] = old.turn_row_of
    return made


def _line(old: Snapshot, tape: Tape, session: Session, swap: Swap, revision: int) -> Snapshot:
    """One line, by itself."""
    made = Snapshot(session, tape, old.purpose, revision, old.codes)
    known, fresh = old.__dict__, made.__dict__
    stored = made.stored
    if "index" in known:
        fresh["index"] = old.index.swapped(tape.messages, swap, stored)
    if "sent_index" in known:
        same = old.sent_index is old.index
        fresh["sent_index"] = made.index if same else old.sent_index.swapped(tape.sent, swap)
    if "own_findings" in known and not _is_odd(old, swap):
        if stored is not None and old.index.stored is not None:
            stored.take_oddities(old.index.stored, swap.records.values())
        fresh["own_findings"] = tuple(
            finding.moved(made.index, made.sent_index, swap.records) for finding in old.own_findings
        )
    if "sent_sizes" in known:
        sizes = list(old.sent_sizes)
        for number, (before, after) in enumerate(
            zip(old.tape.messages, tape.messages, strict=True)
        ):
            if before is not after:
                sizes[number] = made.sent_size(after)
        fresh["sent_sizes"] = sizes
    return made


def _is_odd(old: Snapshot, swap: Swap) -> bool:
    """Whether the texts are such that the file itself has to be looked at again."""
    stored = old.index.stored
    odd = stored.oddities.keys() if stored is not None else ()
    return any(record in odd or oddities(new.text or b"") for record, new in swap.records.items())


def _take_rows(old: Snapshot, made: Snapshot, swap: Swap) -> None:
    rows = as_spliced(old.rows, moved_row)
    for at in _touched(old, swap):
        row = rows[at]
        record = swap.records.get(row.record, row.record) if row.record is not None else None
        block = swap.blocks.get(row.block, row.block) if row.block is not None else None
        now = msgspec.structs.replace(row, record=record, block=block)
        rows = rows.spliced(at, at + 1, [now])
    pairs: list[tuple[Record | Block, Record | Block]] = [
        *swap.records.items(),
        *swap.blocks.items(),
    ]
    made.__dict__["rows"] = rows
    # What was replaced is still found: it stood there.
    made.__dict__["row_of"] = moving_numbers(old.row_of).rekeyed(dict(pairs), keep=True)
    made.known_gutters.update(old.known_gutters)


def _touched(old: Snapshot, swap: Swap) -> Iterable[int]:
    """Rows that show something replaced. The rule of a turn shows its first record too."""
    rows, records = old.rows, swap.records
    if len(old.lines) > 1:
        return [at for at, row in enumerate(rows) if row.record in records]
    keys: list[Record | Block] = [*records, *swap.blocks]
    found = {at for key in keys if (at := old.row_of.get(key, -1)) >= 0}
    near = {at - k for at in found for k in (0, 1, 2) if at >= k}
    return [at for at in near if rows[at].record in records]
