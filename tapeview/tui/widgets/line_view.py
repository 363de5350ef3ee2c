"""A virtual, read-only view of long text: the body of the block pane.

Lines wrap (`view_line`), and only what is on the screen is painted.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Final

from textual import events
from textual.cache import LRUCache
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer

from tapeview.tui.glyphs import UNICODE, Glyphs
from tapeview.tui.paint import ruler_thumb
from tapeview.tui.widgets.ruled_view import CONTEXT, RuledView
from tapeview.tui.widgets.view_line import (
    LINE_LIMIT,
    Marks,
    ViewLine,
    natural_width,
    paint_line,
    row_of_place,
    rows_of,
)

__all__ = ["LINE_LIMIT", "LineView", "ViewLine", "natural_width", "paint_line", "rows_of"]

_SLICE: Final = 0.008
_PAUSE: Final = 0.002
_CACHED_LINES: Final = 500


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
        self._marks: Marks | None = None
        # The line in which the first mark is looked for next; -1 when it need not be.
        self._seek = -1
        self._timer: Timer | None = None

    def set_lines(
        self, lines: Sequence[ViewLine] | Iterator[ViewLine], marks: Marks | None = None
    ) -> None:
        """Show other lines, from the top or the first mark; an iterator as time allows."""
        self._marks = marks
        self._seek = -1 if marks is None else 0
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

    def regrow(self, keep: int, lines: Sequence[ViewLine]) -> None:
        """Keep the first lines, and put these in place of what follows them; few, they are measured
        at once. A view that shows the end goes on showing it.
        """  # noqa: D205
        at_end = self.top + self.size.height >= self.row_count()
        del self._lines[keep:], self._naturals[keep:], self._ends[keep:]
        for index, width in list(self._strips.keys()):
            if index >= keep:
                self._strips.discard((index, width))
        self._source, self._exhausted = iter(lines), False
        self._promised = 0
        if not self.size.width:
            return
        while self._measure_next():
            pass
        self.count_rows()
        if at_end:
            self.scroll_to_row(self.row_count())
        self.refresh()

    def set_marks(self, marks: Marks | None) -> None:
        """Mark other places, and show the first of them; without any the view stays."""
        self._marks = marks
        self._seek = -1 if marks is None else 0
        self.forget_strips()
        self.refresh()
        if self._seek == 0 and self._timer is None and self.size.width:
            self._slice()

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
            line = self._lines[index]
            places = self._marks(line, LINE_LIMIT) if self._marks is not None else ()
            strips = paint_line(line, width, self.ink, self.glyphs, places)
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
        self._steer()
        self.scroll_to_row(self.top + rows)

    def action_first(self) -> None:
        """Scroll to the first row."""
        self._steer()
        self.scroll_to_row(0)

    def action_last(self) -> None:
        """Scroll to the last row, and stay there while more come in."""
        self._steer()
        self._to_end = not self.complete
        self.scroll_to_row(self.row_count())

    def go_to_ruler(self, line: int) -> None:
        """Scroll as far as `line` of the ruler says: the last line is the end."""
        height = self.size.height
        self._steer()
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
            before = self.row_count()
            self._measure_rows(self.top + self.size.height)
            if self.row_count() != before or self._to_end:
                self._grown(0)
            self.scroll_to_row(self.top)
            if self._timer is None and self._seek >= 0:
                self._continue()

    def _wheel(self, event: events.MouseEvent, rows: int) -> None:
        self._steer()
        super()._wheel(event, rows)

    def _steer(self) -> None:
        """Somebody moves: the view goes nowhere by itself any more."""
        self._to_end = False
        self._seek = -1

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
        while (self._seek_next() or self._measure_next()) and perf_counter() < deadline:
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

    def _seek_next(self) -> bool:
        """Look into one line more for the first mark; False when there is none to look into."""
        if self._marks is None or not 0 <= self._seek < len(self._ends):
            return False
        index, line = self._seek, self._lines[self._seek]
        self._seek += 1
        if found := self._marks(line, 0):
            self._seek = -1
            row = self._ends[index - 1] if index else 0
            if self._naturals[index] > self._room:
                row += row_of_place(line, found[0], self._room, self.glyphs.cut)
            if not self.top <= row < self.top + self.size.height:
                self.count_rows()
                self.scroll_to_row(row - CONTEXT)
        return True

    def _continue(self) -> None:
        if self.complete and self._seek >= len(self._lines):
            self._seek = -1
        if self.complete and self._seek < 0:
            self._timer = None
            self._to_end = False
            self._tell()
        else:
            self._timer = self.set_timer(_PAUSE, self._slice)

    def _tell(self) -> None:
        self.post_message(self.Scrolled(self, self.first_line, self.line_count))
