"""The block pane: what the row under the cursor is, and all of its text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from textual import on
from textual.app import ComposeResult
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tapeview.looks.block_text import BlockHead, BodyLine, HeadLine, block_body, block_head
from tapeview.search.find import Query, line_spans
from tapeview.snapshot import Snapshot
from tapeview.tape.clean import cells, cut
from tapeview.tape.rows import Row
from tapeview.tui.glyphs import UNICODE, Glyphs
from tapeview.tui.paint import Piece, cut_spans, styles_of, wrap_spans
from tapeview.tui.widgets.line_view import LineView, ViewLine
from tapeview.tui.widgets.side_pane import TITLE_FROM
from tapeview.tui.widgets.still import StillVertical
from tapeview.tui.widgets.view_line import Marks

__all__ = ["BlockPane"]

MARGIN: Final = 2
"""Cells before the text."""
MOST_ROWS: Final = 3
"""Screen lines that one line of the head may take."""

HANG: Final = 4
PROSE: Final = ("text", "thinking")
ITEM: Final = re.compile(r" *((?:[-*+•]|\d{1,3}[.)]) +)").match

Parts = list[tuple[str, str]]


class _Head(Widget):
    """The title, the lines under it and the rule, drawn; as high as they need."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    _Head { height: auto; width: 1fr; }
    """

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self.glyphs = glyphs
        self.head: BlockHead | None = None
        self.figures: tuple[str, ...] = ()
        self.focused_body = False

    @property
    def has_title(self) -> bool:
        """Whether the pane has its title line."""
        return self.app.size.width >= TITLE_FROM

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The lines that the head takes."""
        del container, viewport
        return len(self._lines(width))

    def set_head(self, head: BlockHead) -> None:
        """Say something else; the screen is laid out anew only where that takes other room."""
        width = self.size.width
        before = len(self._lines(width))
        self.head, self.figures = head, head.figures
        self.refresh(layout=len(self._lines(width)) != before)

    def render_line(self, y: int) -> Strip:
        """One line."""
        ink, width = styles_of(self.app), self.size.width
        lines = self._lines(width)
        parts, ground = lines[y] if y < len(lines) else ([], "background")
        return ink.strip(parts, width, ground)

    def _lines(self, width: int) -> list[tuple[Parts, str]]:
        if self.head is None:
            return [([], "surface")] if self.has_title else []
        lines: list[tuple[Parts, str]] = []
        if self.has_title:
            lines.append((self._title(width), "raised" if self.focused_body else "surface"))
        if self.head.place:
            lines.append(([(" " * MARGIN, "fg"), (self._place(width), "muted")], "background"))
        for line in self.head.lines:
            lines += [(parts, "background") for parts in self._wrapped(line, width)]
        rule = self.glyphs.rule * max(0, width - 2)
        return [*lines, ([(" ", "fg"), (rule, "line")], "background")]

    def _title(self, width: int) -> Parts:
        mark = self.glyphs.cursor if self.focused_body else " "
        figures = self.figure_words()
        room = width - MARGIN - cells(figures) - 3
        words = self.title_words("title-focus" if self.focused_body else "title")
        left, used = _fitted(words, room, self.glyphs.cut)
        gap = " " * max(1, width - MARGIN - used - cells(figures) - 1)
        return [(f"{mark} ", "accent"), *left, (gap, "fg"), (figures, "muted")]

    def title_words(self, style: str) -> Parts:
        """Sign, type and tool."""
        head = self.head
        if head is None:
            return []
        parts: Parts = []
        if head.sign:
            # The sign of the last row is named after the end of a pending lane.
            sign = self.glyphs.pending_end if head.sign == "end" else self._glyph(head.sign)
            parts.append((f"{sign} ", head.sign_style))
        parts.append((head.title.replace("…", self.glyphs.cut), style))
        if head.name:
            broken = head.sign_style == "error" and head.sign != "error_result"
            parts.append((f" {head.name}", "error bold" if broken else style))
        return parts

    def figure_words(self) -> str:
        """Size and lines, or the place while the body is scrolled."""
        return self._dotted(self.figures)

    def _place(self, width: int) -> str:
        """As many words as one line holds, the path whatever it takes."""
        place = self.head.place if self.head is not None else ()
        room = width - MARGIN - 1
        shown = len(place)
        while shown > 1 and cells(self._dotted(place[:shown])) > room:
            shown -= 1
        return cut(self._dotted(place[:shown]), room, self.glyphs.cut)

    def _dotted(self, words: tuple[str, ...]) -> str:
        dot = f" {self.glyphs.separator} "
        return dot.join(word.replace("·", self.glyphs.separator) for word in words)

    def _glyph(self, name: str) -> str:
        glyph: str = getattr(self.glyphs, name, " ")
        return glyph

    def _wrapped(self, line: HeadLine, width: int) -> Iterator[Parts]:
        sign = self._glyph(line.sign) if line.sign else " "
        lead = MARGIN + cells(sign) + 1
        pieces = [Piece(style, text) for style, text in line.parts]
        room = max(1, width - lead - 1)
        rows = cut_spans(pieces, wrap_spans(pieces, room, room))
        if len(rows) > MOST_ROWS:
            rows = [*rows[: MOST_ROWS - 1], [*rows[MOST_ROWS - 1], Piece("muted", self.glyphs.cut)]]
        for number, row in enumerate(rows):
            before: Parts = [(" " * lead, "fg")]
            if number == 0:
                before = [(" " * MARGIN, "fg"), (f"{sign} ", line.style)]
            yield [*before, *((piece.text, piece.style) for piece in row)]


def _prose_hang(line: BodyLine) -> int:
    """Prose wraps to its own left edge; an item of a list to the edge of its words."""
    text = line.parts[0][1][:40] if line.parts else ""
    item = ITEM(text)
    return len(item[1]) if item else 0


def _fitted(parts: Parts, room: int, ellipsis: str) -> tuple[Parts, int]:
    """The parts in at most ``room`` cells, and the cells they take."""
    fitted: Parts = []
    used = 0
    for text, style in parts:
        shown = cut(text, room - used, ellipsis)
        fitted.append((shown, style))
        used += cells(shown)
    return fitted, used


class BlockPane(StillVertical):
    """What one row is, where it stands, its partner, what is wrong, and its text.

    ``body`` is what takes the focus. On a narrow screen the title is left to whoever draws the
    tabs: ``title_parts`` says what it would be.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    BlockPane { background: $background; }
    BlockPane LineView { padding: 0 0 0 2; }
    """

    class TitleChanged(Message):
        """The title says something else: another row, or another place in it."""

        def __init__(self, pane: BlockPane) -> None:
            super().__init__()
            self.pane = pane

        @property
        def control(self) -> BlockPane:
            """The pane, so that handlers can be told apart by selector."""
            return self.pane

    def __init__(self, *, glyphs: Glyphs = UNICODE, id: str | None = None) -> None:
        super().__init__(id=id)
        self.glyphs = glyphs
        self.body = LineView(glyphs=glyphs)
        self._head = _Head(glyphs)
        self._shown: tuple[Snapshot, Row] | None = None
        self._query: Query | None = None
        self._lines = 0

    def compose(self) -> ComposeResult:
        """The head above the body."""
        yield self._head
        yield self.body

    @property
    def head(self) -> BlockHead | None:
        """What the head says; None before the first row."""
        return self._head.head

    def show(
        self,
        snapshot: Snapshot,
        row: Row,
        query: Query | None = None,
        above: HeadLine | None = None,
    ) -> None:
        """Show a row from its beginning; the row that stands there already keeps its place.

        What ``query`` asks for is marked, and the first of it is brought into view. ``above`` is
        one more line for the head.
        """
        shown, asked = self._shown, self._query
        self._query = query
        if shown is not None and shown[0] is snapshot and shown[1] is row:
            if query is not asked:
                self.body.set_marks(self._marks())
            return
        self._shown = snapshot, row
        head = block_head(snapshot, row)
        lines = head.lines if above is None else (above, *head.lines)
        self._head.set_head(replace(head, lines=lines))
        if shown is not None and row.block is not None and shown[1].block is row.block:
            self._scrolled_figures()
            return  # whoever reads it stays where he is
        self._lines = 0
        prose = row.block is not None and row.block.kind in PROSE
        self.body.set_lines(self._counted(block_body(snapshot, row), prose), self._marks())
        self.post_message(self.TitleChanged(self))

    def _marks(self) -> Marks | None:
        query = self._query
        if query is None or not query.text:
            return None
        return lambda line, limit: line_spans(query, line.parts, line.bar, limit)

    def title_parts(self) -> Parts:
        """Sign, type, tool and figures, for a line that this pane does not draw."""
        figures = self._head.figure_words()
        words = self._head.title_words("title")
        return [*words, (f"  {figures} " if figures else " ", "muted")] if words else []

    def _counted(self, lines: Iterator[BodyLine], prose: bool) -> Iterator[ViewLine]:
        for line in lines:
            self._lines += not line.beside
            hang = _prose_hang(line) if prose and not line.beside else HANG
            yield ViewLine(line.parts, line.indent, line.bar, hang=hang)

    @on(LineView.Scrolled)
    def _scrolled(self, event: LineView.Scrolled) -> None:
        event.stop()
        self._scrolled_figures()

    def _scrolled_figures(self) -> None:
        """The place while the body is scrolled, else size and lines."""
        if self._head.head is None:
            return
        figures = self._head.head.figures
        if self.body.top > 0:
            of = f" of {self._lines}" if self.body.complete else ""
            figures = (f"line {min(self.body.first_line, self._lines)}{of}",)
        if figures != self._head.figures:
            self._head.figures = figures
            self._head.refresh()
            self.post_message(self.TitleChanged(self))

    def on_descendant_focus(self) -> None:
        """The title shows who has the focus."""
        self._focus(True)

    def on_descendant_blur(self) -> None:
        """The title shows who has the focus."""
        self._focus(False)

    def _focus(self, has: bool) -> None:
        self._head.focused_body = has
        self._head.refresh()
