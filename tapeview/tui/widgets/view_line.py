"""One logical line of a view: how many rows it takes, and how they are painted.

Text arrives raw and is made harmless (`tapeview.tape.clean`) here. How many rows a line takes is
counted with the very code that paints it.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from textual.strip import Strip

from tapeview.tape.clean import visible
from tapeview.tape.sizes import size_long
from tapeview.tui.glyphs import Glyphs
from tapeview.tui.paint import Piece, Styles, cells_of, cut_spans, wrap_spans

__all__ = [
    "LINE_LIMIT",
    "Marks",
    "ViewLine",
    "natural_width",
    "paint_line",
    "row_of_place",
    "rows_of",
]

LINE_LIMIT: Final = 4_000
"""Characters of one logical line that are shown."""

_BAR: Final = 2
_MATCH: Final = "match"


@dataclass(frozen=True, slots=True)
class ViewLine:
    """One logical line: (style name, text) parts, the text raw and without line breaks.

    `indent` are blanks that the view puts before it, `bar` a thin line after them, `ground` the
    colour of the palette that it stands on, over the full width.
    """

    parts: tuple[tuple[str, str], ...]
    indent: int = 0
    bar: bool = False
    ground: str = "background"
    hang: int = 4
    """Cells by which wrapped rows stand further in than the first."""


Marks: TypeAlias = Callable[[ViewLine, int], Sequence[tuple[int, int]]]
"""Places to mark, as (start, stop) in the characters of a line's parts; after the first one at or
behind the given character there need be no more."""


def _marked(line: ViewLine, places: Sequence[tuple[int, int]]) -> ViewLine:
    """The same text, with what stands at these places in parts of their own."""
    parts: list[tuple[str, str]] = []
    at, left = 0, [*places, (sys.maxsize, sys.maxsize)]
    for style, text in line.parts:
        end, done = at + len(text), at
        while done < end:
            start, stop = left[0]
            cut = min(end, start if done < start else stop)
            parts.append((style if done < start else _MATCH, text[done - at : cut - at]))
            done = cut
            if done >= stop:
                left.pop(0)
        at = end
    return replace(line, parts=tuple(part for part in parts if part[1]))


def _pieces_of(line: ViewLine, cut: str) -> list[Piece]:
    """What of the line is shown: controls as tokens, and how much is left out."""
    pieces: list[Piece] = []
    room, column, hidden, tail = LINE_LIMIT, 0, 0, "muted"
    for style, text in line.parts:
        for is_control, run in visible(text[:room], column):
            shown = "control" if is_control and style != _MATCH else style
            pieces.append(Piece(shown, run, is_control))
            column += cells_of(run)
        hidden += _bytes_from(text, room)
        if style == _MATCH and len(text) > room:
            tail = _MATCH
        room = max(0, room - len(text))
    if hidden:
        pieces.append(Piece(tail, f" {cut} {size_long(hidden)} more in this line"))
    return pieces


def _bytes_from(text: str, start: int) -> int:
    if len(text) <= start:
        return 0
    return len(text) - start if text.isascii() else len(text[start:].encode("utf-8", "replace"))


def natural_width(line: ViewLine, cut: str) -> int:
    """The cells that the line needs to stand on one row."""
    length = 0
    for _, text in line.parts:
        if not (text.isascii() and text.isprintable()):
            break
        length += len(text)
    else:
        if length <= LINE_LIMIT:
            return line.indent + _BAR * line.bar + length
    shown = sum(cells_of(piece.text) for piece in _pieces_of(line, cut))
    return line.indent + _BAR * line.bar + shown


def _leads(line: ViewLine, pieces: Sequence[Piece], width: int) -> tuple[int, int]:
    """The cells before the text: on the first row, and on the others; half the width at most."""
    lead = line.indent + _BAR * line.bar
    own = 0
    if pieces and not pieces[0].solid:
        own = len(pieces[0].text) - len(pieces[0].text.lstrip(" "))
    return min(lead, width // 2), min(lead + own + line.hang, width // 2)


def rows_of(line: ViewLine, width: int, cut: str) -> int:
    """The rows that a line too long for one row takes."""
    pieces = _pieces_of(line, cut)
    lead, hang = _leads(line, pieces, width)
    return len(wrap_spans(pieces, width - lead, width - hang))


def row_of_place(line: ViewLine, place: tuple[int, int], width: int, cut: str) -> int:
    """Which of the rows of a line shows the beginning of a place in its text; from 0."""
    pieces = _pieces_of(line, cut)
    lead, hang = _leads(line, pieces, width)
    before = 0
    for piece in _pieces_of(_marked(line, [place]), cut):
        if piece.style == _MATCH:
            break
        before += len(piece.text)
    stops = [stop for _, stop in wrap_spans(pieces, width - lead, width - hang)]
    return min(bisect_right(stops, before), len(stops) - 1)


def paint_line(
    line: ViewLine,
    width: int,
    ink: Styles,
    glyphs: Glyphs,
    places: Sequence[tuple[int, int]] = (),
) -> list[Strip]:
    """The rows of a line; the last of the `width` cells stays blank. Marks move nothing."""
    pieces = _pieces_of(line, glyphs.cut)
    room = max(1, width - 1)
    lead, hang = _leads(line, pieces, room)
    breaks = wrap_spans(pieces, room - lead, room - hang)
    if places:
        pieces = _pieces_of(_marked(line, places), glyphs.cut)
    rows = cut_spans(pieces, breaks)
    strips = []
    for number, row in enumerate(rows):
        margin = hang if number else lead
        parts = [(" " * margin, "fg")]
        if line.bar and lead >= _BAR:
            before = " " * (lead - _BAR)
            after = " " * (margin - lead + 1)
            parts = [(before, "fg"), (glyphs.lane_passes, "line"), (after, "fg")]
        parts += [(piece.text, piece.style) for piece in row]
        strips.append(ink.strip(parts, width, line.ground))
    return strips
