"""Writing a file back: records that did not change are copied, and so is all that stands between.

A record that was changed keeps its place in the file (``start`` and ``length``) and has a ``text``;
one that was put in has ``start`` -1. What a deleted record leaves is taken with it: the end of its
line, or its comma.
"""

from collections.abc import Iterator, Sequence

from tapeview.tape.graft import respelled, style_of, with_member, without
from tapeview.tape.json_text import skip_blank
from tapeview.tape.record import Record
from tapeview.tape.source import Source
from tapeview.tape.tape import Frame

__all__ = ["written_document", "written_lines"]

BOM = b"\xef\xbb\xbf"
CHUNK = 1 << 22


def written_lines(
    source: Source, base: Sequence[Record], rows: Sequence[Record]
) -> Iterator[bytes]:
    """The pieces of a file of lines; ``base`` are its records as they were read."""
    return _Lines(source, base).pieces(rows)


class _Lines:
    """One file of lines, and what of it has been written so far."""

    def __init__(self, source: Source, base: Sequence[Record]) -> None:
        self.source = source
        self.base = base
        self.size = source.size
        self.place = {record.start: number for number, record in enumerate(base)}
        self.begin = base[0].start if base else source.size
        self.end_of_line = self._end_of_line()
        self.ended = True
        """Whether what was written last ends a line."""
        self.passed = 0
        """Records of the file that were written or left out."""

    def _end_of_line(self) -> bytes:
        for number in range(min(2, len(self.base))):
            gap = self._gap(number)
            if b"\n" in gap:
                return b"\r\n" if gap[: gap.find(b"\n")].endswith(b"\r") else b"\n"
        return b"\n"

    def pieces(self, rows: Sequence[Record]) -> Iterator[bytes]:
        yield from _copied(self.source, 0, self.begin)
        at = 0
        while at < len(rows):
            record = rows[at]
            here = self.place.get(record.start, -1) if record.start >= 0 else -1
            yield from self._before(here)
            if here < 0:
                yield (record.text or b"") + self.end_of_line
                at += 1
                continue
            run = self._run(rows, at, here)
            if run:
                yield from _copied(self.source, record.start, _end(self.base[here + run - 1]))
            else:
                yield record.text or b""
            self.passed = here + max(run, 1)
            at += max(run, 1)
            gap = self._gap(self.passed - 1)
            yield gap
            self.ended = b"\n" in gap
        yield from self._left_behind(len(self.base))
        if not self.ended and self.size and self.source.read(self.size - 1, 1) == b"\n":
            yield self.end_of_line

    def _run(self, rows: Sequence[Record], at: int, here: int) -> int:
        """How many records from here on stand in the file one after the other, unchanged."""
        most = min(len(rows) - at, len(self.base) - here)
        return next((k for k in range(most) if rows[at + k] is not self.base[here + k]), most)

    def _before(self, here: int) -> Iterator[bytes]:
        """What is left of records that are gone, and the end of the line before."""
        gone = here > self.passed
        if here >= 0:
            yield from self._left_behind(here)
        follows = here > 0 and not gone and self.base[here - 1].line == self.base[here].line
        if not self.ended and not follows:
            yield self.end_of_line
        self.ended = True

    def _left_behind(self, stop: int) -> Iterator[bytes]:
        """Blank lines behind records that are gone: only a record's own line goes with it."""
        for number in range(self.passed, stop):
            _, line_end, rest = self._gap(number).partition(b"\n")
            if line_end and rest:
                yield rest
        self.passed = max(self.passed, stop)

    def _gap(self, number: int) -> bytes:
        """What stands between a record of the file and the next."""
        start = _end(self.base[number])
        after = number + 1
        stop = self.base[after].start if after < len(self.base) else self.size
        return self.source.read(start, stop - start)


def _end(record: Record) -> int:
    return record.start + record.length


def _copied(source: Source, start: int, stop: int) -> Iterator[bytes]:
    while start < stop:
        piece = source.read(start, min(CHUNK, stop - start))
        if not piece:
            raise OSError("the file is shorter than when it was opened")
        yield piece
        start += len(piece)


def written_document(
    text: bytes,
    opening: int,
    base: Sequence[Record],
    rows: Sequence[Record],
    frames: tuple[Frame, Frame],
) -> Iterator[bytes]:
    """The pieces of a file that is one JSON document; its array opens at byte ``opening``.

    ``frames``: what stands beside the messages as it was read, and as it is to be.
    """
    before, after = (frame.members for frame in frames)
    pieces = _array_pieces(text, opening, base, rows)
    if before == after:
        yield from pieces
        return
    whole = b"".join(pieces)
    body = whole.removeprefix(BOM)
    for name in before.keys() - after.keys():
        body = without(body, (name,))
    for name, raw in after.items():
        if before.get(name) != raw:
            body = with_member(body, (), name, respelled(raw, style_of(body).deeper()))
    yield whole[: len(whole) - len(whole.removeprefix(BOM))] + body


def _array_pieces(
    text: bytes, opening: int, base: Sequence[Record], rows: Sequence[Record]
) -> Iterator[bytes]:
    place = {record.start: number for number, record in enumerate(base)}
    head = base[0].start if base else skip_blank(text, opening + 1)
    tail = _end(base[-1]) if base else head
    yield text[:head]
    last = -1
    for number, record in enumerate(rows):
        here = place.get(record.start, -1) if record.start >= 0 else -1
        if record.kind == "unreadable" and here > 0:
            # What is damaged may begin behind the array: the gap before it is no mere comma.
            gap = text[_end(base[here - 1]) : record.start]
            yield gap if number else gap[max(0, gap.find(b"]")) :].lstrip(b", \t\r\n")
        elif number:
            known = here > 0 and here == last + 1
            yield text[_end(base[last]) : record.start] if known else _comma(text, opening, base)
        yield text[record.start : _end(record)] if record.text is None else record.text
        last = here if here >= 0 else -2
    yield text[tail:]


def _comma(text: bytes, opening: int, base: Sequence[Record]) -> bytes:
    """What stands between two elements of the array."""
    if len(base) > 1 and base[1].kind == "message":
        return text[_end(base[0]) : base[1].start]
    blanks = text[opening + 1 : skip_blank(text, opening + 1)]
    return b"," + (blanks if b"\n" in blanks else b" " if b'": ' in text[:4096] else b"")
