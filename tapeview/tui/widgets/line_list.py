"""A virtual list of one-line rows: the base of the timeline and of the problems pane.

A row is one screen line, always, so nothing here grows with the number of rows.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from textual.cache import LRUCache
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from tapeview.tui.glyphs import UNICODE, Glyphs
from tapeview.tui.paint import ruler_row
from tapeview.tui.widgets.ruled_view import CONTEXT, RuledView

__all__ = ["LineList"]

_STRIPS: Final = 2_000


class LineList(RuledView):
    """A list of rows with a cursor. Subclasses give `row_count` and `paint_row`; rows are numbers.

    Strips are kept as long as row, width, colours and focus stay the same. Whoever changes the rows
    calls `rows_changed`, or rebuilds them inside ``with keep_place():``.
    """

    cursor: reactive[int] = reactive(0, repaint=False, init=False)
    """The row of the cursor; 0 in an empty list."""

    class CursorMoved(Message):
        """The cursor stands on another row."""

        def __init__(self, line_list: LineList, row: int) -> None:
            super().__init__()
            self.line_list = line_list
            self.row = row

        @property
        def control(self) -> LineList:
            """The list, so that handlers can be told apart by selector."""
            return self.line_list

    class Clicked(Message):
        """A row was clicked at column `x`; the cursor is there. `times` is 2 for a double click."""

        def __init__(self, line_list: LineList, row: int, x: int, times: int) -> None:
            super().__init__()
            self.line_list = line_list
            self.row = row
            self.x = x
            self.times = times

        @property
        def control(self) -> LineList:
            """The list, so that handlers can be told apart by selector."""
            return self.line_list

    def __init__(
        self,
        *,
        glyphs: Glyphs = UNICODE,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(glyphs=glyphs, name=name, id=id, classes=classes)
        self._strips: LRUCache[tuple[int, bool, int, int], Strip] = LRUCache(_STRIPS)
        self._generation = 0
        self._holding = False
        self._wanted_line: int | None = None

    @abstractmethod
    def paint_row(self, index: int, width: int, selected: bool) -> Strip:
        """Row `index` as one strip of `width` cells; `selected` where the cursor stands."""

    def row_strip(self, row: int, width: int) -> Strip:
        """The row from the cache, or painted."""
        selected = row == self.cursor
        key = (row, selected, width, self._generation)
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips[key] = self.paint_row(row, width, selected)
        return strip

    def forget_strips(self) -> None:
        """Drop every cached strip."""
        self._generation += 1
        self._strips.clear()

    def refresh_rows(self, rows: Iterable[int]) -> None:
        """Paint these rows anew: they look different, though no row moved."""
        width = self.size.width - 1
        for row in rows:
            for selected in (False, True):
                self._strips.discard((row, selected, width, self._generation))
            self._refresh_row(row)

    def rows_changed(self) -> None:
        """Rows came, went or changed: count and paint anew. The view does not move by itself."""
        self.forget_strips()
        self.count_rows()
        self.cursor = self.cursor
        self.scroll_to_row(self.top)
        self.refresh()

    @contextmanager
    def keep_place(self) -> Iterator[None]:
        """Rebuild the rows inside this, and set `cursor` to where its record went.

        The cursor stays on its screen line, as far as the ends of the list allow.
        """
        line = self.cursor - self.top
        self._holding = True
        try:
            yield
        finally:
            self._holding = False
        self.rows_changed()
        self.scroll_to_row(self.cursor - line)

    def move_to(self, row: int, at: int | None = None) -> None:
        """Put the cursor on `row`, and that on line `at` of the view, or where it is in view."""
        self.cursor = row
        self._show_cursor(at)

    def lose(self, lines: int) -> None:
        """So many lines of the view are about to go: scroll before that, not once more after it."""
        height = self.size.height - lines
        if lines > 0 and height > 0:
            context = min(CONTEXT, (height - 1) // 2)
            self.scroll_to_row(max(self.top, self.cursor - height + 1 + context))

    def in_view(self, row: int) -> bool:
        """Whether `row` stands on the screen now."""
        return 0 <= row - self.top < self.size.height

    def validate_cursor(self, row: int) -> int:
        """`row`, kept within the list."""
        return max(0, min(row, self.row_count() - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        """Paint the two rows, follow the cursor, and say so."""
        self._refresh_row(old)
        self._refresh_row(new)
        if not self._holding:
            self._show_cursor()
        self.post_message(self.CursorMoved(self, new))

    def action_step(self, rows: int) -> None:
        """Move the cursor by so many rows."""
        self.move_to(self.cursor + rows)

    def action_page(self, pages: int) -> None:
        """Move the cursor and the view by a page: the cursor keeps its line."""
        line = self.cursor - self.top
        rows = pages * max(1, self.size.height - CONTEXT)
        self.move_to(self.cursor + rows, at=line if self.in_view(self.cursor) else None)

    def action_first(self) -> None:
        """Move the cursor to the first row."""
        self.move_to(0)

    def action_last(self) -> None:
        """Move the cursor to the last row."""
        self.move_to(self.row_count() - 1)

    def go_to_ruler(self, line: int) -> None:
        """Put the cursor on the marked row there, or on the first of the rows there."""
        height, count = self.size.height, self.row_count()
        marked = self._marked_lines(count, height).get(line)
        self.move_to(marked[1] if marked else ruler_row(line, count, height), at=height // 3)

    def clicked(self, x: int, y: int, times: int) -> None:
        """Select the row."""
        row = self.top + y
        if row < self.row_count():
            self.cursor = row
            self.post_message(self.Clicked(self, row, x, times))

    def on_resize(self) -> None:
        """Keep the cursor in view; a place asked for before the first layout is taken now."""
        self._show_cursor(self._wanted_line)

    def on_focus(self) -> None:
        """Rows may look different with the focus."""
        self.forget_strips()
        self.refresh()

    def on_blur(self) -> None:
        """Rows may look different without the focus."""
        self.forget_strips()
        self.refresh()

    def _show_cursor(self, at: int | None = None) -> None:
        height = self.size.height
        if height == 0:
            self._wanted_line = at
            return
        self._wanted_line = None
        context = min(CONTEXT, (height - 1) // 2)
        highest, lowest = self.cursor - height + 1 + context, self.cursor - context
        self.scroll_to_row(
            self.cursor - at if at is not None else max(highest, min(self.top, lowest))
        )

    def _refresh_row(self, row: int) -> None:
        if self.in_view(row):
            self.refresh_line(row)
