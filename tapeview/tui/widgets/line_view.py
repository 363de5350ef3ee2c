"""A virtual, read-only view of long text: the body of the block pane.

Lines wrap; how many rows each takes is counted with the very code that paints it, and only what is
on the screen is painted. Text arrives raw and is made harmless (`tapeview.tape.clean`) here.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Final

from textual import events
from textual.cache import LRUCache
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer

from tapeview.tape.clean import visible
from tapeview.tape.sizes import size_long
from tapeview.tui.glyphs import UNICODE, Glyphs
from tapeview.tui.paint import (
    Piece,
    Styles,
    cells_of,
    cut_spans,
    ruler_thumb,
    wrap_spans,
)
from tapeview.tui.widgets.ruled_view import RuledView

__all__ = ["LINE_LIMIT", "LineView", "ViewLine", "natural_width", "paint_line", "rows_of"]

LINE_LIMIT: Final = 4_000
"""Characters of one logical line that are shown."""

_BAR: Final = 2
_SLICE: Final = 0.008
_PAUSE: Final = 0.002
_CACHED_LINES: Final = 500


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


def _pieces_of(line: ViewLine, cut: str) -> list[Piece]:
    """What of the line is shown: controls as tokens, and how much is left out."""
    pieces: list[Piece] = []
    room, column, hidden = LINE_LIMIT, 0, 0
    for style, text in line.parts:
        for is_control, run in visible(text[:room], column):
            pieces.append(Piece("control" if is_control else style, run, is_control))
            column += cells_of(run)
        hidden += _bytes_from(text, room)
        room = max(0, room - len(text))
    if hidden:
        pieces.append(Piece("muted", f" {cut} {size_long(hidden)} more in this line"))
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


def paint_line(line: ViewLine, width: int, ink: Styles, glyphs: Glyphs) -> list[Strip]:
    """The rows of a line; the last of the `width` cells stays blank."""
    pieces = _pieces_of(line, glyphs.cut)
    room = max(1, width - 1)
    lead, hang = _leads(line, pieces, room)
    rows = cut_spans(pieces, wrap_spans(pieces, room - lead, room - hang))
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


class LineView(RuledView):
    """Shows `ViewLine`s. A long source is taken in slices: the screen never waits for it."""

    class Scrolled(Message):
        """Another line stands on top, or the last lines came in."""

        def __init__(self, line_view: LineView, first_line: int, line_count: int) -> None:
            super().__init__()
            self.line_view = line_view
            self.first_line = first_line
            self.line_count = line_count

        @property
        def control(self) -> LineView:
            """The view, so that handlers can be told apart by selector."""
            return self.line_view

    def __init__(
        self,
        *,
        glyphs: Glyphs = UNICODE,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(glyphs=glyphs, name=name, id=id, classes=classes)
        self._strips: LRUCache[tuple[int, int], list[Strip]] = LRUCache(_CACHED_LINES)
        self._source: Iterator[ViewLine] = iter(())
        self._promised = 0
        self._lines: list[ViewLine] = []
        # Of each line: the cells it needs to stand on one row, and the rows up to its end.
        self._naturals: array[int] = array("L")
        self._ends: array[int] = array("L")
        self._room = 0
        self._exhausted = True
        self._to_end = False
        self._timer: Timer | None = None

    def set_lines(self, lines: Sequence[ViewLine] | Iterator[ViewLine]) -> None:
        """Show other lines, from the top; an iterator is taken in as time allows."""
        self._source = iter(lines)
        self._promised = len(lines) if isinstance(lines, Sequence) else 0
        self._lines = []
        self._naturals, self._ends = array("L"), array("L")
        self._exhausted = False
        self._to_end = False
        self.forget_strips()
        if not self.size:
            self.set_scroll(None, 0)
        self._measure_anew(0)

    @property
    def line_count(self) -> int:
        """How many logical lines there are, as far as is known."""
        return max(self._promised, len(self._lines))

    @property
    def first_line(self) -> int:
        """The number of the logical line on top, from 1; 0 when there are none."""
        return self._find(self.top)[0] + 1 if self._ends else 0

    @property
    def complete(self) -> bool:
        """Whether all lines are there and measured."""
        return self._exhausted and len(self._ends) == len(self._lines)

    def row_count(self) -> int:
        """The rows of all lines measured so far."""
        return self._ends[-1] if self._ends else 0

    def row_strip(self, row: int, width: int) -> Strip:
        """One row of a line; all rows of a line are painted together."""
        index, within = self._find(row)
        strips = self._strips.get((index, width))
        if strips is None:
            strips = paint_line(self._lines[index], width, self.ink, self.glyphs)
            self._strips[index, width] = strips
        # A paint may come between a new width and the measuring for it: then `within` is stale.
        return strips[min(within, len(strips) - 1)]

    def scroll_to_row(self, row: int) -> None:
        """Put `row` on the first line; what the screen then shows is measured first."""
        before = self.row_count()
        self._measure_rows(row + self.size.height)
        if self.row_count() != before:
            self.count_rows()
        super().scroll_to_row(row)

    def forget_strips(self) -> None:
        """Drop every cached strip."""
        self._strips.clear()

    def action_step(self, rows: int) -> None:
        """Scroll by so many rows."""
        self._to_end = False
        self.scroll_to_row(self.top + rows)

    def action_first(self) -> None:
        """Scroll to the first row."""
        self._to_end = False
        self.scroll_to_row(0)

    def action_last(self) -> None:
        """Scroll to the last row, and stay there while more come in."""
        self._to_end = not self.complete
        self.scroll_to_row(self.row_count())

    def go_to_ruler(self, line: int) -> None:
        """Scroll as far as `line` of the ruler says: the last line is the end."""
        height = self.size.height
        self._to_end = False
        self.scroll_to_row(line * (self.row_count() - height) // max(1, height - 1))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Say so when another row is on top."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self._tell()

    def on_resize(self) -> None:
        """Wrap anew for another width; the line on top stays there."""
        if not self.size.width:
            return
        room = max(1, self.size.width - 2)
        if room != self._room or (self._timer is None and not self.complete):
            self._room = room
            self._measure_anew(self.top)
        else:
            self._measure_rows(self.top + self.size.height)
            self._grown(0)

    def _wheel(self, event: events.MouseEvent, rows: int) -> None:
        self._to_end = False
        super()._wheel(event, rows)

    def _find(self, row: int) -> tuple[int, int]:
        """The line that `row` belongs to, and which of its rows that is; both from 0."""
        index = min(bisect_right(self._ends, row), len(self._ends) - 1)
        before = self._ends[index - 1] if index else 0
        return index, min(row, self._ends[index] - 1) - before

    def _measure_anew(self, top: int) -> None:
        """Measure what the screen shows at once, the rest later; keep the line of row `top`."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        index, within = self._find(top) if self._ends and self._naturals else (0, 0)
        self._ends = array("L")
        if not self.size.width:
            return
        self._measure_again(index + 1)
        if index < len(self._ends):
            start = self._ends[index - 1] if index else 0
            top = min(start + within, self._ends[index] - 1)
        self._measure_rows(top + self.size.height)
        self.count_rows()
        self.scroll_to_row(top)
        self.refresh()
        self._continue()

    def _measure_again(self, count: int) -> None:
        """Measure the first `count` lines, which were measured before, for another width."""
        rows = 0
        for index, natural in enumerate(self._naturals[:count]):
            fits = natural <= self._room
            rows += 1 if fits else rows_of(self._lines[index], self._room, self.glyphs.cut)
            self._ends.append(rows)

    def _measure_rows(self, rows: int) -> None:
        while self.row_count() <= rows and self._measure_next():
            pass

    def _measure_next(self) -> bool:
        """Measure one line more; False when there is none."""
        index = len(self._ends)
        if index == len(self._lines):
            line = next(self._source, None)
            if line is None:
                self._exhausted = True
                return False
            self._lines.append(line)
        if index == len(self._naturals):
            self._naturals.append(natural_width(self._lines[index], self.glyphs.cut))
        rows = 1
        if self._naturals[index] > self._room:
            rows = rows_of(self._lines[index], self._room, self.glyphs.cut)
        self._ends.append(self.row_count() + rows)
        return True

    def _slice(self) -> None:
        """Take in as many lines as fit into a slice of the UI loop's time."""
        before = self.row_count()
        deadline = perf_counter() + _SLICE
        while self._measure_next() and perf_counter() < deadline:
            pass
        self._grown(before)
        self._continue()

    def _grown(self, before: int) -> None:
        """More rows than `before` are known: show it, if it shows."""
        height = self.size.height
        thumb = ruler_thumb(self.top, before, height)
        self.count_rows()
        if self._to_end:
            self.scroll_to_row(self.row_count())
        if before < self.top + height or thumb != ruler_thumb(self.top, self.row_count(), height):
            self.refresh()

    def _continue(self) -> None:
        if self.complete:
            self._timer = None
            self._to_end = False
            self._tell()
        else:
            self._timer = self.set_timer(_PAUSE, self._slice)

    def _tell(self) -> None:
        self.post_message(self.Scrolled(self, self.first_line, self.line_count))
