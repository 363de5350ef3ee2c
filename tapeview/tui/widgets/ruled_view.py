"""A scrolled view with a ruler at its right edge: what the lists and the line view share.

No scrollbar, no animation: keys and wheel move at once and by whole rows, never past the end.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tapeview.tui.glyphs import UNICODE, Glyphs
from tapeview.tui.paint import Styles, ruler_line, ruler_thumb, styles_of
from tapeview.tui.theme import contrast

__all__ = ["CONTEXT", "RuledView"]

CONTEXT: Final = 3
"""Rows that stay in view around the place one moves to; also the rows of a wheel step."""

_SEVERITIES: Final = ("error", "warning")

_SEEN: Final = 3.0
"""The least contrast that WCAG 2 asks of a sign (success criterion 1.4.11)."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """What all lines of one paint share, read once."""

    top: int
    width: int
    height: int
    count: int
    thumb: range
    marks: Mapping[int, tuple[str, int]]
    styles: Styles


class RuledView(ScrollView, can_focus=True, inherit_bindings=False):
    """A scrolled view of rows that are painted when they are seen, with a ruler at its right edge.

    A subclass says how many rows there are and paints one of them.
    """

    ALLOW_MAXIMIZE = False
    ALLOW_SELECT = False

    DEFAULT_CSS = """
    RuledView {
        width: 1fr;
        height: 1fr;
        overflow: hidden hidden;
        background: $background;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "step(-1)", "up", show=False, priority=True),
        Binding("down,j", "step(1)", "down", show=False, priority=True),
        Binding("pageup", "page(-1)", "page up", show=False, priority=True),
        Binding("pagedown", "page(1)", "page down", show=False, priority=True),
        Binding("home", "first", "first", show=False, priority=True),
        Binding("end", "last", "last", show=False, priority=True),
    ]

    BAND_TO_EDGE: ClassVar[bool] = False
    """Whether an idle ruler takes the ground of its row instead of the background."""

    def __init__(
        self,
        *,
        glyphs: Glyphs = UNICODE,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self.glyphs = glyphs
        self._frame: _Frame | None = None
        self._ink_variables: Mapping[str, str] | None = None
        self._ink: Styles | None = None
        self._marked: tuple[int, int, Mapping[int, tuple[str, int]]] | None = None

    @abstractmethod
    def row_count(self) -> int:
        """How many rows there are."""

    @abstractmethod
    def row_strip(self, row: int, width: int) -> Strip:
        """`row` as a strip of `width` cells, from a cache where there is one."""

    @abstractmethod
    def forget_strips(self) -> None:
        """Drop every cached strip: colours, size or focus changed."""

    @abstractmethod
    def action_step(self, rows: int) -> None:
        """Move by so many rows."""

    @abstractmethod
    def action_first(self) -> None:
        """Move to the first row."""

    @abstractmethod
    def action_last(self) -> None:
        """Move to the last row."""

    @abstractmethod
    def go_to_ruler(self, line: int) -> None:
        """Go to the place that `line` of the ruler stands for."""

    def paint_below(self, line: int, width: int) -> Strip:
        """A screen line below the last row; `line` counts from the top of the view."""
        return self.ink.strip((), width)

    def ruler_marks(self) -> Mapping[int, str]:
        """The rows to mark on the ruler, with the severity: "error" or "warning"."""
        return {}

    def match_in(self, first: int, stop: int) -> int:
        """The first row from `first` on and before `stop` that a search found; -1 for none."""
        del first, stop
        return -1

    @property
    def ink(self) -> Styles:
        """The styles of the theme as it is now."""
        variables = self.app.theme_variables
        if self._ink is None or variables is not self._ink_variables:
            self._ink_variables = variables
            self._ink = styles_of(self.app)
            self.forget_strips()
        return self._ink

    @property
    def top(self) -> int:
        """The row on the first line of the view."""
        return round(self.scroll_y)

    def scroll_to_row(self, row: int) -> None:
        """Put `row` on the first line, at once, or as near to it as the last row allows."""
        height = self.size.height
        if height:
            row = max(0, min(row, self.row_count() - height))
            self.scroll_to(y=row, animate=False, force=True)

    def count_rows(self) -> None:
        """Take in that there are more or fewer rows than before."""
        self.forget_marks()
        # Nothing else has its place by it, so that the screen need not be laid out anew.
        self.set_reactive(RuledView.virtual_size, Size(0, self.row_count()))

    def on_mount(self) -> None:
        """Count the rows for the first time."""
        self.count_rows()

    def forget_marks(self) -> None:
        """Ask for the ruler's marks again at the next paint."""
        self._marked = None

    def action_page(self, pages: int) -> None:
        """Move by a page, which keeps some rows of the old one in view."""
        self.action_step(pages * max(1, self.size.height - CONTEXT))

    def render_lines(self, crop: Region) -> list[Strip]:
        """All lines of a paint; what they share is read once."""
        self._frame = self._take_frame()
        try:
            return super().render_lines(crop)
        finally:
            self._frame = None

    def render_line(self, y: int) -> Strip:
        """Line `y` of the view: a row and its cell of the ruler."""
        frame = self._frame or self._take_frame()
        width = frame.width - 1
        if width < 1:
            return frame.styles.strip((), frame.width)
        row = frame.top + y
        below = row >= frame.count
        strip = self.paint_below(y, width) if below else self.row_strip(row, width)
        if strip.cell_length != width:
            strip = strip.adjust_cell_length(width, frame.styles.style("fg"))
        segments = list(strip)
        segments.append(self._ruler(y, frame, segments[-1]))
        return Strip(segments, frame.width)

    def _take_frame(self) -> _Frame:
        width, height = self.size
        count = self.row_count()
        return _Frame(
            top=self.top,
            width=width,
            height=height,
            count=count,
            thumb=ruler_thumb(self.top, count, height),
            marks=self._marked_lines(count, height),
            styles=self.ink,
        )

    def _marked_lines(self, count: int, height: int) -> Mapping[int, tuple[str, int]]:
        """Each marked line of the ruler: the worst that stands there, and its first row.

        Where all rows are in view only what a search found is marked, each at its own row.
        """
        if count <= 0 or height <= 0:
            return {}
        if self._marked is None or self._marked[:2] != (count, height):
            lines: dict[int, tuple[str, int]] = {}
            marks = sorted(self.ruler_marks().items()) if count > height else []
            for severity in _SEVERITIES:
                for row, row_severity in marks:
                    if row_severity == severity:
                        lines.setdefault(ruler_line(row, count, height), (severity, row))
            self._add_matches(lines, count, min(count, height))
            self._marked = count, height, lines
        return self._marked[2]

    def _add_matches(self, lines: dict[int, tuple[str, int]], count: int, height: int) -> None:
        for line in range(height):
            row = self.match_in(-(-line * count // height), -(-(line + 1) * count // height))
            if row >= 0:
                lines.setdefault(line, ("match", row))

    def _ruler(self, y: int, frame: _Frame, last: Segment) -> Segment:
        severity, _ = frame.marks.get(y, ("", 0))
        if severity == "error":
            return Segment(self.glyphs.ruler_error, frame.styles.style("error"))
        if severity == "warning":
            return Segment(self.glyphs.ruler_warning, frame.styles.style("warn"))
        if severity == "match":
            return Segment(self.glyphs.ruler_match, _match_style(frame.styles))
        if y in frame.thumb:
            return Segment(self.glyphs.ruler_thumb, frame.styles.style("line"))
        if self.BAND_TO_EDGE and not frame.thumb:
            return Segment(" ", last.style)
        return Segment(" ", frame.styles.style("line"))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Three rows down; what stands under the pointer does not matter."""
        self._wheel(event, CONTEXT)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Three rows up."""
        self._wheel(event, -CONTEXT)

    def _wheel(self, event: events.MouseEvent, rows: int) -> None:
        event.stop()
        event.prevent_default()
        self.scroll_to_row(self.top + rows)

    def on_click(self, event: events.Click) -> None:
        """A click on the ruler goes there; any other is the subclass's."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        event.stop()
        if offset.x == self.size.width - 1 and self.row_count() > self.size.height:
            self.go_to_ruler(offset.y)
        else:
            self.clicked(offset.x, offset.y, event.chain)

    def clicked(self, x: int, y: int, times: int) -> None:
        """A click on line `y` of the view, outside the ruler; `times` is 2 for a double click."""


def _match_style(styles: Styles) -> Style:
    """The colour of matches, or the whole cell on it where it is too pale for a sign."""
    palette = styles.palette
    if styles.no_color or contrast(palette.match, palette.background) < _SEEN:
        return styles.style("match")
    return Style(color=palette.match.rich_color, bgcolor=palette.background.rich_color)
