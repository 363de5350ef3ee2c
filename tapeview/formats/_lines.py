"""Files of one record a line, read as they are: damaged lines stay, nothing is lost.

Lines end at the byte 10 alone; Python's own ``splitlines`` also splits at U+2028 and breaks
records (``formats.md`` 0.2).
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from tapeview.tape.json_text import JsonFault, Span, skip_blank, split_values
from tapeview.tape.record import Record
from tapeview.tape.source import Source

__all__ = ["Line", "ReadRecord", "lines_of", "records_of_line"]

CHUNK = 1 << 20

ReadRecord = Callable[[int, bytes, int, bool], Record]
"""(start, text, line, shares_line) to a record, unreadable where the text is not JSON."""


class Line(NamedTuple):
    """One line's bytes without its end, where it starts, and its number from 1."""

    start: int
    number: int
    text: bytes
    ended: bool


def lines_of(source: Source, start: int = 0, number: int = 1) -> Iterator[Line]:
    """Lines from byte ``start``, the last one also where no line end follows it."""
    position, held = start, [b""]
    offset = start
    while chunk := source.read(position, CHUNK):
        position += len(chunk)
        pieces = chunk.split(b"\n")
        for piece in pieces[:-1]:
            text = b"".join((*held, piece)) if len(held) > 1 or held[0] else piece
            yield Line(offset, number, text, True)
            offset += len(text) + 1
            number += 1
            held = [b""]
        held.append(pieces[-1])
    text = b"".join(held)
    if text:
        yield Line(offset, number, text, False)


def records_of_line(line: Line, read: ReadRecord) -> Iterator[Record]:
    """The records of one line: none for a blank one, two where two objects run together."""
    start, number, text, ended = line
    body = text.strip(b"\r \t")
    if number == 1 and start == 0:
        body = body.removeprefix(b"\xef\xbb\xbf")
    if not body:
        return
    if body is not text:
        start += text.find(body)
    if body.startswith(b"//"):
        yield Record(start, len(body), number, "note", label="comment")
        return
    record = read(start, body, number, False)
    if record.kind != "unreadable":
        yield record
        return
    spans, fault = _whole_values(body)
    if not spans:
        label = record.label if ended else "the last line is half written"
        yield Record(start, len(body), number, "unreadable", label=label)
        return
    for a, b in spans:
        yield read(start + a, body[a:b], number, True)
    if fault is not None:
        rest = skip_blank(body, spans[-1].end)
        label = fault.reason if ended else "the last line is half written"
        size = len(body) - rest
        yield Record(start + rest, size, number, "unreadable", label=label, shares_line=True)


def _whole_values(body: bytes) -> tuple[list[Span], JsonFault | None]:
    """Values that stand whole on the line, and the damage behind them; none for a lone value."""
    spans: list[Span] = []
    try:
        for span in split_values(body):
            spans.append(span)
    except JsonFault as fault:
        return spans, fault
    return (spans if len(spans) > 1 else []), None
