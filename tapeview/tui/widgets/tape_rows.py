"""A timeline's rows as a list: what is folded away, what a search found, what alone is shown."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from tapeview.looks.heading import empty_words
from tapeview.search.find import Found, Query, searched_rows, spans
from tapeview.snapshot import Snapshot
from tapeview.tape.describe import RowText
from tapeview.tape.rows import Row, RowKind, fold_span
from tapeview.tui.glyphs import UNICODE, Glyphs
from tapeview.tui.widgets.line_list import LineList

__all__ = ["FOLDED_AT_FIRST", "TapeRows", "mark_parts"]

FOLDED_AT_FIRST: Final[frozenset[RowKind]] = frozenset({"notes", "segment", "branch"})
NOTES: Final[frozenset[RowKind]] = frozenset({"note", "notes"})
MATCH: Final = "match"

Parts = list[tuple[str, str]]


class TapeRows(LineList):
    """A list of the rows of one snapshot, some of them folded away, some of them found."""

    def __init__(
        self, snapshot: Snapshot, *, glyphs: Glyphs = UNICODE, id: str | None = None
    ) -> None:
        super().__init__(glyphs=glyphs, id=id)
        self.snapshot = snapshot
        self.folded = self._folded_at_first()
        self.shown: array[int] = array("I")
        self._numbers: array[int] = array("I")
        """All numbers of rows: copying them costs less than counting."""
        self.sought: Query | None = None
        """What is marked."""
        self.found = Found()
        self.driven = False
        """Somebody who types elsewhere moves the cursor: it looks as with the focus."""
        self.hint: tuple[str, ...] = ()
        """What stands there instead while there is no message, where somebody knows why."""
        self.empty: tuple[str, ...] | None = empty_words(snapshot)
        """What is said in place of rows, where there is no message; notes are hidden then."""
        self._spans: dict[int, range] = {}
        self._spans_in = snapshot
        """What ``_span`` has found, and in which snapshot."""
        self._only: array[int] | None = None
        self._searched = 0
        self._folded_before: set[int] = set()
        self._measure_shown()

    def _folded_at_first(self) -> set[int]:
        rows = self.snapshot.rows
        return {at for at, row in enumerate(rows) if row.kind in FOLDED_AT_FIRST}

    def row_count(self) -> int:
        """Rows that are not folded away."""
        return len(self.shown)

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self.snapshot.rows[self.shown[self.cursor]] if self.shown else None

    @property
    def at(self) -> int:
        """The number of that row among all rows; -1 without rows."""
        return self.shown[self.cursor] if self.shown else -1

    def _measure_shown(self) -> None:
        rows = self.snapshot.rows
        spans = [self._span(at) for at in self.folded]
        if self.empty is not None:
            spans += [range(at, at + 1) for at, row in enumerate(rows) if row.kind in NOTES]
        listed = self._listed()
        self.shown = array("I")
        at = 0
        for span in sorted(spans, key=lambda span: span.start):
            self.shown += listed[at : bisect_left(listed, span.start)]
            at = max(at, bisect_left(listed, span.stop))
        self.shown += listed[at:]

    def toggle(self, at: int) -> bool:
        """Fold or unfold row ``at`` of all rows; whether there is anything to fold."""
        if not fold_span(self.snapshot.rows, at):
            return False
        with self.keep_place():
            self.folded ^= {at}
            self._measure_shown()
            self.cursor = self._visible_place(at)
        return True

    def show_notes(self) -> bool:
        """Show the notes of a session without messages; False where they are no secret."""
        if self.empty is None or not self.empty[1]:
            return False
        self.empty, self.folded = None, set()
        self._measure_shown()
        self.rows_changed()
        return True

    def fold_turns(self, fold: bool) -> None:
        """Fold or unfold every turn."""
        turns = {
            at for at in self.snapshot.turn_row_of.values() if fold_span(self.snapshot.rows, at)
        }
        here = self.at
        with self.keep_place():
            self.folded = self.folded | turns if fold else self.folded - turns
            self._measure_shown()
            self.cursor = self._visible_place(here)

    def _visible_place(self, at: int) -> int:
        """Where row ``at`` stands among the visible ones, or the row that hides it."""
        low, high = 0, len(self.shown)
        while low < high:
            middle = (low + high) // 2
            if self.shown[middle] <= at:
                low = middle + 1
            else:
                high = middle
        return max(0, low - 1)

    def go(self, at: int, line: int | None = None) -> None:
        """Put the cursor on row ``at``; what is folded or left out and hides it is shown."""
        self.show_notes()
        if not self.is_listed(at):
            self.show_all()
        opened = self._folds_over(at)
        if opened:
            with self.keep_place():
                self.folded.difference_update(opened)
                self._measure_shown()
        self.move_to(self._visible_place(at), at=line)

    def bring(self, at: int) -> None:
        """Scroll so that row ``at`` is in view, the cursor too where both fit."""
        if opened := self._folds_over(at):
            with self.keep_place():
                here = self.at
                self.folded.difference_update(opened)
                self._measure_shown()
                self.cursor = self._visible_place(here)
        place = self._visible_place(at)
        if not self.in_view(place):
            height = self.size.height
            low, high = sorted((place, self.cursor))
            fits = high - low < height
            self.scroll_to_row((low + high - height) // 2 if fits else place - height // 3)

    def _folds_over(self, at: int) -> list[int]:
        """The folded rows that hide row ``at``."""
        return [fold for fold in self.folded if fold < at and at in self._span(fold)]

    def _span(self, fold: int) -> range:
        """The rows that a row hides when it is folded."""
        if self._spans_in is not self.snapshot:
            self._spans_in, self._spans = self.snapshot, {}
        span = self._spans.get(fold)
        if span is None:
            span = self._spans[fold] = fold_span(self.snapshot.rows, fold)
        return span

    def add_shown(self, first: int) -> None:
        """Show the rows from ``first`` on, which are new and the last; runs of notes folded."""
        rows, at = self.snapshot.rows, first
        while self.shown and self.shown[-1] >= first:
            self.shown.pop()
        self.folded = {fold for fold in self.folded if fold < first}
        while at < len(rows):
            self.shown.append(at)
            if rows[at].kind in FOLDED_AT_FIRST:
                self.folded.add(at)
                at += rows[at].holds
            at += 1

    def is_in_view(self, at: int) -> bool:
        """Whether row ``at`` is on the screen now."""
        place = self._visible_place(at)
        return bool(self.shown) and self.shown[place] == at and self.in_view(place)

    @property
    def is_lively(self) -> bool:
        """Whether the cursor looks as with the focus."""
        return self.has_focus or self.driven

    def query_at(self, at: int) -> Query | None:
        """What is marked in row ``at``; None in a row that was not found."""
        return self.sought if at in self.found else None

    def mark(self, query: Query | None, found: Found) -> None:
        """Mark the rows that were found; ``found`` may grow, then ``marks_changed`` is called."""
        self.sought, self.found = query, found
        if query is not None:
            self.show_notes()
        self.marks_changed()

    def marks_changed(self) -> None:
        """Paint rows and ruler anew."""
        self.forget_strips()
        self.forget_marks()
        self.refresh()

    # -- only some rows ------------------------------------------------------------------------

    @property
    def only_words(self) -> str:
        """``31 of 412 rows`` while only some rows are shown."""
        if self._only is None:
            return ""
        return f"{len(self.found)} of {self._searched} rows"

    def show_only_found(self) -> None:
        """Show the rows that were found, below the rules of their turns; nothing is folded."""
        with self._anew():
            if self._only is None:
                self._folded_before = self.folded
            self.folded = set()
            self._searched = searched_rows(self.snapshot)
            self._only = array("I", self._with_rules())

    def show_all(self) -> None:
        """Show all rows again, folded as before."""
        if self._only is not None:
            with self._anew():
                self._only = None
                self.folded = self._folded_before

    def forget_found(self) -> None:
        """Other rows are shown: nothing is marked or left out. The caller counts them anew."""
        self.sought, self.found, self._only = None, Found(), None

    def _listed(self) -> "array[int]":
        """Numbers of the rows that are shown, save for folds."""
        if self._only is not None:
            return self._only
        rows = len(self.snapshot.rows)
        if len(self._numbers) != rows:
            more = range(len(self._numbers), rows)
            self._numbers = self._numbers[:rows] + array("I", more)
        return self._numbers

    def is_listed(self, at: int) -> bool:
        """Whether row ``at`` is shown, save for folds."""
        if self._only is None:
            return True
        place = bisect_left(self._only, at)
        return place < len(self._only) and self._only[place] == at

    def _with_rules(self) -> Iterator[int]:
        rows, rule = self.snapshot.rows, -1
        for at, row in enumerate(rows):
            if row.kind == "turn":
                rule = at
            elif at in self.found:
                if rule >= 0 and row.turn and rows[rule].turn == row.turn:
                    yield rule
                    rule = -1
                yield at

    @contextmanager
    def _anew(self) -> Iterator[None]:
        here = self.at
        with self.keep_place():
            yield
            self._measure_shown()
            self.cursor = self._visible_place(here)

    # -- going there ---------------------------------------------------------------------------

    def visit(self, at: int, folded: Iterable[int]) -> None:
        """Put the cursor on row ``at``; of ``folded`` only what hides it is open."""
        if self._only is None:
            wanted = {fold for fold in folded if at not in self._span(fold)}
            if wanted != self.folded:
                with self._anew():
                    self.folded = wanted
        line = None if self.is_in_view(at) else self.size.height // 3
        self.move_to(self._visible_place(at), at=line)

    def go_back(self, at: int, line: int, folded: Iterable[int]) -> None:
        """Put cursor, view and folds to where they were."""
        if self.folded != set(folded):
            with self._anew():
                self.folded = set(folded)
        self.move_to(self._visible_place(at), at=line)

    # -- painting ------------------------------------------------------------------------------

    def match_in(self, first: int, stop: int) -> int:
        """The first visible row from ``first`` on and before ``stop`` that was found, or hides it.

        Where nothing else is shown the ruler need not say so.
        """
        count = len(self.shown)
        if not self.found or self._only is not None or first >= count:
            return -1
        end = self.shown[stop] if stop < count else len(self.snapshot.rows)
        at = self.found.first(self.shown[first], end)
        return self._visible_place(at) if at >= 0 else -1

    def marked(self, parts: Parts, text: RowText, at: int) -> Parts:
        """Name and gist of row ``at`` with what was found in them marked."""
        query = self.query_at(at)
        if query is None or not query.text:
            return parts
        lead = len(parts[0][0]) if text.name else 0
        places = spans(query, text.name) if text.name else []
        places += [(start + lead, stop + lead) for start, stop in spans(query, text.gist)]
        return mark_parts(parts, places)


def mark_parts(parts: Parts, places: Iterable[tuple[int, int]]) -> Parts:
    """The parts with what stands at these places, counted through their texts, marked."""
    marked: Parts = []
    at = 0
    for text, style in parts:
        done = 0
        for start, stop in places:
            first, last = max(start - at, done), min(stop - at, len(text))
            if first < last:
                marked += [(text[done:first], style), (text[first:last], MATCH)]
                done = last
        marked.append((text[done:], style))
        at += len(text)
    return [part for part in marked if part[0]]
