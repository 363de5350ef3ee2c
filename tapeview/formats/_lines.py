"""Files of one record a line, read as they are: damaged lines stay, nothing is lost.

Lines end at the byte 10 alone; Python's own ``splitlines`` also splits at U+2028 and breaks
records (``formats.md`` 0.2).
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from tapeview.tape.json_text import JsonFault, Span, skip_blank, split_values
from tapeview.tape.record import Record
from tapeview.tape.source import Source

__all__ = ["Line", "ReadRecord", "lines_of", "records_in", "records_of_line"]

CHUNK = 1 << 18

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
    position = offset = start
    pieces: list[bytes] = []  # of a line that runs on into the next chunk
    while chunk := source.read(position, CHUNK):
        position += len(chunk)
        begin = 0
        while (end := chunk.find(b"\n", begin)) >= 0:
            text = chunk[begin:end]
            if pieces:
                text = b"".join((*pieces, text))
                pieces.clear()
            yield tuple.__new__(Line, (offset, number, text, True))  # half the time of Line(...)
            offset += len(text) + 1
            number += 1
            begin = end + 1
        if begin < len(chunk):
            pieces.append(chunk[begin:])
    if pieces:
        yield Line(offset, number, b"".join(pieces), False)


def records_in(source: Source, read: ReadRecord, start: int = 0) -> Iterator[Record]:
    """The records of all lines from byte ``start`` on, which is where a line begins."""
    for line in lines_of(source, start):
        text = line.text
        if not text:
            continue
        if text[:1] == b"{" and text[-1:] == b"}":
            record = read(line.start, text, line.number, False)
            if record.kind != "unreadable":
                yield record
                continue
        yield from records_of_line(line, read)


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
