"""Files that grow: what is known of one is kept, and only what is new is read."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

import msgspec

from tapeview.tape.record import Record
from tapeview.tape.source import Source

__all__ = ["is_torn", "kept", "read_on"]


def read_on(
    known: Sequence[Record], source: Source, read: Callable[[int], Iterator[Record]]
) -> tuple[Record, ...]:
    """The records of a file of lines of which ``known`` were read before it grew.

    ``read`` gives those from a byte on, counting lines from 1. The last line that is known may not
    have been whole: it is read again. Where it has become another one all is read.
    """
    if not known:
        return tuple(read(0))
    line, first = known[-1].line, len(known) - 1
    while first and known[first - 1].line == line:
        first -= 1
    fresh = [
        msgspec.structs.replace(record, line=record.line + line - 1)
        for record in read(known[first].start)
    ]
    if known[first].kind != "unreadable" and not (fresh and _same(known[first], fresh[0])):
        return tuple(read(0))
    return (*islice(known, first), *kept(known[first:], fresh, lambda _: True))


def kept(
    known: Sequence[Record], fresh: Sequence[Record], has_its_text: Callable[[Record], bool]
) -> tuple[Record, ...]:
    """The records that were read anew; in place of those that nothing tells from the ones that
    were known before, from the first on, stand the very objects that were known.

    ``has_its_text`` says whether the text of a new record is what stood there before.
    """  # noqa: D205
    same = 0
    for old, new in zip(known, fresh, strict=False):
        if not _same(old, new) or not has_its_text(new):
            break
        same += 1
    return (*known[:same], *fresh[same:])


def _same(old: Record, new: Record) -> bool:
    mine, others = _values(old), _values(new)
    return mine == others and [*map(msgspec.structs.astuple, old.blocks)] == [
        *map(msgspec.structs.astuple, new.blocks)
    ]


def _values(record: Record) -> Iterable[object]:
    return msgspec.structs.astuple(msgspec.structs.replace(record, blocks=()))


def is_torn(records: Sequence[Record], source: Source) -> bool:
    """Whether the last record is the beginning of a line that is not written to its end."""
    if not records or records[-1].kind != "unreadable":
        return False
    return source.read(source.size - 1, 1) != b"\n"
