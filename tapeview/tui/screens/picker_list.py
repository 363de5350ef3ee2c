"""The list of the picker: one row a session, in groups by day, and the samples below."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Final

from textual.strip import Strip

from tapeview.picker.sessions import PROMPT, Listed
from tapeview.picker.words import Query, age_words
from tapeview.tape.clean import BREAK, CONTROL, cells, clean_line, cut, pad
from tapeview.tape.sizes import size_long, thousands
from tapeview.tui.glyphs import Glyphs
from tapeview.tui.screens.picker_lines import Known, Line, Mark
from tapeview.tui.widgets.bars import Parts
from tapeview.tui.widgets.line_list import LineList

__all__ = ["SessionList", "column_heads", "mark_parts", "shown_parts"]

WITH_HARNESS: Final = 99
"""Columns from which on a row names its harness."""
WITH_FIGURES: Final = 59
"""Columns from which on a row has turns and size, and a wide column for the project."""
BEFORE_PROJECT: Final = 12
"""Columns of cursor, mark and age."""


class SessionList(LineList, can_focus=False):
    """Sessions, as many as there are; the cursor stands on sessions only.

    The search line has the keys, so the list never has the focus.
    """

    def __init__(self, known: Known, glyphs: Glyphs) -> None:
        super().__init__(glyphs=glyphs)
        self.known = known
        self.query_words = Query()
        self._lines: Sequence[Line] = ()
        self._places: Sequence[int] = ()
        self._row_of: Mapping[str, int] = {}

    # -- rows ----------------------------------------------------------------------------------

    def show(self, lines: Sequence[Line], query: Query) -> None:
        """Take other rows and put the cursor on the first session."""
        self.query_words = query
        self._take(lines)
        self.rows_changed()
        self.move_to(0)

    def renew(self, lines: Sequence[Line]) -> None:
        """Take other rows; the cursor stays on its session, if that is still there."""
        session = self.session
        with self.keep_place():
            self._take(lines)
            self.cursor = self._row_of.get(session.path, self.cursor) if session else 0

    def _take(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._places = [row for row, line in enumerate(lines) if line.session is not None]
        self._row_of = {
            line.session.path: row for row, line in enumerate(lines) if line.session is not None
        }

    @property
    def session(self) -> Listed | None:
        """The session under the cursor."""
        return self._lines[self.cursor].session if self._places else None

    def refresh_session(self, path: str) -> None:
        """Something else is known of a session: paint its row anew."""
        row = self._row_of.get(path)
        if row is not None:
            self.forget_marks()
            self.refresh_rows([row])

    def row_count(self) -> int:
        """Sessions, titles and the blank lines between them."""
        return len(self._lines)

    def ruler_marks(self) -> Mapping[int, str]:
        """Sessions that are broken."""
        marks = {
            row: self.known.mark_of(line.session)
            for row, line in enumerate(self._lines)
            if line.session is not None
        }
        return {row: mark for row, mark in marks.items() if mark in ("error", "warning")}

    # -- the cursor ----------------------------------------------------------------------------

    def validate_cursor(self, row: int) -> int:
        """The session at ``row``, else the next one below, else the last."""
        if not self._places:
            return 0
        return self._places[min(bisect_left(self._places, row), len(self._places) - 1)]

    def action_step(self, rows: int) -> None:
        """Move by so many sessions."""
        if self._places:
            at = bisect_left(self._places, self.cursor) + rows
            self.move_to(self._places[max(0, min(at, len(self._places) - 1))])

    def clicked(self, x: int, y: int, times: int) -> None:
        """Select a session; titles are not for clicking."""
        row = self.top + y
        if row < len(self._lines) and self._lines[row].session is not None:
            super().clicked(x, y, times)

    # -- painting ------------------------------------------------------------------------------

    def paint_row(self, index: int, width: int, selected: bool) -> Strip:
        """A session, or what stands between sessions."""
        line = self._lines[index]
        if line.session is not None:
            return self._paint_session(line.session, width, selected)
        if line.title:
            rule = self.glyphs.rule
            after = rule * (width - 6 - cells(line.title))
            title: Parts = [(f"  {rule * 2} ", "line"), (line.title, "muted bold")]
            return self.ink.strip([*title, (f" {after}", "line")], width)
        return self.ink.strip([(f"  {line.words}", line.style)], width)

    def _paint_session(self, session: Listed, width: int, selected: bool) -> Strip:
        glyphs, ground = self.glyphs, "select" if selected else "background"
        age = "" if session.sample is not None else age_words(session.seconds, self.known.now)
        parts: Parts = [(glyphs.cursor if selected else " ", "accent"), (" ", "fg")]
        parts += mark_parts(self.known.mark_of(session), glyphs)
        parts.append((f" {age:>6}  ", "muted"))
        parts += self._project(session, 13 if width >= WITH_FIGURES else 8)
        figures = self._figures(session, width)
        room = width - sum(cells(text) for text, _ in [*parts, *figures])
        words = cut(clean_line(self.known.words_of(session), PROMPT), max(0, room), glyphs.cut)
        if words:
            parts += self._matched(pad(words, room), "fg")
        else:
            checked = self.known.facts_of(session).checked
            said = "no prompt" if checked is not None and not checked.error else ""
            parts.append((pad(said, room)[: max(0, room)], "muted italic"))
        return self.ink.strip([*parts, *figures], width, ground)

    def _project(self, session: Listed, column: int) -> Parts:
        project = self.known.project_of(session)
        if session.sample is None and not self.known.facts_of(session).cwd:
            # A folder's name is a path with its slashes gone: the end of it tells most.
            project = _tail(project, column, self.glyphs.cut)
        return self._matched(pad(cut(project, column, self.glyphs.cut), column) + " ", "result")

    def _figures(self, session: Listed, width: int) -> Parts:
        """Turns, size and harness, as far as there is room."""
        if width < WITH_FIGURES:
            return []
        checked = self.known.facts_of(session).checked
        turns = thousands(checked.turns) if checked is not None and not checked.error else ""
        parts: Parts = [(f"{turns:>8}", "fg"), (f"{size_long(session.size):>9}", "muted")]
        if width < WITH_HARNESS:
            return [*parts, (" ", "fg")]
        harness = pad(cut(clean_line(session.harness), 11, self.glyphs.cut), 11)
        return [*parts, (f"  {harness}", "muted")]

    def _matched(self, text: str, style: str) -> Parts:
        """``text`` with the words that are searched for on a bright ground."""
        words = self.query_words.words
        if not words:
            return shown_parts(text, style, self.glyphs)
        pieces = re.split(f"({'|'.join(map(re.escape, words))})", text, flags=re.IGNORECASE)
        parts: Parts = []
        for at, piece in enumerate(pieces):
            parts += shown_parts(piece, "match" if at % 2 else style, self.glyphs)
        return parts


def _tail(text: str, width: int, ellipsis: str) -> str:
    """The end of ``text`` in at most ``width`` cells."""
    if cells(text) <= width:
        return text
    while text and cells(text) > width - 1:
        text = text[1:]
    return ellipsis + text


def shown_parts(text: str, style: str, glyphs: Glyphs) -> Parts:
    """Cleaned ``text`` with its stand-ins for line breaks and controls in their own colours."""
    if BREAK not in text and CONTROL not in text:
        return [(text, style)]
    own = {BREAK: (glyphs.line_break, "muted plain"), CONTROL: (glyphs.control, "warn")}
    pieces = re.split(f"([{BREAK}{CONTROL}])", text)
    return [own.get(piece, (piece, style)) for piece in pieces if piece]


def mark_parts(mark: Mark, glyphs: Glyphs) -> Parts:
    """The sign of a session's state, one cell."""
    signs: Mapping[str, tuple[str, str]] = {
        "error": (glyphs.error, "error bold"),
        "warning": (glyphs.warning, "warn"),
        "unreadable": (glyphs.unknown, "warn"),
        "checking": (glyphs.pending_end, "muted"),
        "unknown": (glyphs.note, "muted"),
    }
    return [signs.get(mark, (" ", "fg"))]


def column_heads(width: int) -> str:
    """The heads of the columns at the right, above a list of ``width`` cells with its ruler."""
    heads = f"{'turns':>8}{'size':>9}"
    if width - 1 >= WITH_HARNESS:
        return f"{heads}  {'harness':<11} "
    return f"{heads}  " if width - 1 >= WITH_FIGURES else ""
