"""The timeline: one line for each row of a tape, the link gutter at its left."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from textual.strip import Strip

from tapeview.looks.badge import Badge, badge_of, mark_of
from tapeview.looks.block_record import clock_of
from tapeview.looks.changes import Changes
from tapeview.looks.following import end_text
from tapeview.looks.heading import empty_words
from tapeview.looks.report import row_words
from tapeview.snapshot import Snapshot
from tapeview.tape.clean import cells
from tapeview.tape.describe import RowText, describe
from tapeview.tape.lanes import FREE, Gutter
from tapeview.tape.link import LinkState
from tapeview.tape.record import Record
from tapeview.tape.rows import FOLDS, Row, fold_span
from tapeview.tape.sizes import size_short
from tapeview.tui.glyphs import UNICODE, Glyphs
from tapeview.tui.gutter import GutterStyle, gutter_parts, rule_parts
from tapeview.tui.widgets.row_words import gist_parts, sign_of
from tapeview.tui.widgets.tape_rows import TapeRows

__all__ = ["MARKS", "Timeline"]

MARKS = 3
"""Cells before the gutter: cursor, finding, difference."""
SIZE = 5
WIDE, NARROW = 190, 60
"""From WIDE screen columns on there are times and lines; below NARROW no badges and sizes."""
BIG = 100_000
"""Bytes from which on a size is bold."""

RULES = frozenset({"turn", "boundary", "new", "answered", "reply"})

Parts = list[tuple[str, str]]


class _Columns(NamedTuple):
    """Where things stand in a row, in cells."""

    glyph: int
    name: int
    gist: int
    end: int
    """One past the last cell of gist and badge."""
    time: bool
    badges: bool


class Timeline(TapeRows):
    """Rows of one snapshot. It decides nothing: what a row says comes from the snapshot."""

    def __init__(
        self, snapshot: Snapshot, *, glyphs: Glyphs = UNICODE, id: str | None = None
    ) -> None:
        super().__init__(snapshot, glyphs=glyphs, id=id)
        self.gutters: Sequence[Gutter] = ()
        self.lanes = 0
        self._most = 0
        self.changes: Changes | None = None
        self.mark_at = -1
        """The row that is one end of a range."""
        self.age_of: Callable[[Record], str] | None = None
        """How long a call waits, while the session is followed."""
        self._ages: dict[int, str] = {}
        """Ages as they were painted last, by row of all rows."""

    @property
    def link(self) -> int:
        """The number of the link that the cursor is on; ``FREE`` off links."""
        return self.gutters[self.at].link if self.shown and self.gutters else FREE

    def show(
        self,
        snapshot: Snapshot,
        otherwise: int = 0,
        at: int | None = None,
        folded: Collection[int] | None = None,
    ) -> None:
        """Another look at the session; the cursor stays on its block, and on its screen line.

        ``otherwise`` is the row for a block that this look does not show; ``at`` the cursor's row,
        where that is known: folds that hide it open. ``folded``: other folds than those at first.
        """
        row = self.row
        key = (row.block or row.record) if row is not None else None
        stays = snapshot.has_rows_of(self.snapshot) and self._only is None
        with self.keep_place():
            self.snapshot = snapshot
            self.empty = empty_words(snapshot) and (self.hint or empty_words(snapshot))
            self.forget_found()
            before = self.folded
            self.folded = self._folded_at_first() if folded is None else set(folded)
            self.mark_at, self._most = -1, 0
            self._ages.clear()
            self._measure_gutter()
            if at is not None:
                self.folded -= set(self._folds_over(at))
            if not stays or self.folded != before:
                self._measure_shown()
            found = snapshot.row_of.get(key, otherwise) if key is not None else otherwise
            self.cursor = self._visible_place(found if at is None else at)

    def grow(self, snapshot: Snapshot, first: int | None = None) -> None:
        """The same rows and further ones below them; nothing that is in view moves.

        ``first`` is the first row that is new, or another one than before.
        """
        before, lanes = len(self.snapshot.rows), self.lanes
        self.snapshot = snapshot
        self.gutters, self.lanes = snapshot.gutters(self._most)
        if lanes != self.lanes or first is not None:
            self.forget_strips()
        self.add_shown(before if first is None else first)
        self.count_rows()
        self.refresh()

    def refresh_ages(self) -> None:
        """Paint the rows in view anew whose calls have waited longer by now."""
        stop = min(len(self.shown), self.top + self.size.height)
        seen = range(self.top, stop)
        old = [
            place
            for place in seen
            if (known := self._ages.get(at := self.shown[place], ""))
            and self._age(self.snapshot.rows[at]) != known
        ]
        self.refresh_rows(old)

    def _age(self, row: Row) -> str:
        return self.age_of(row.record) if self.age_of is not None and row.record else ""

    @property
    def most_lanes(self) -> int:
        """How many lanes the screen has room for."""
        return 4 if self.app.size.width >= 100 else 3

    def _measure_gutter(self) -> None:
        most = self.most_lanes
        if most != self._most:
            self._most = most
            self.gutters, self.lanes = self.snapshot.gutters(most)
            self.forget_strips()

    def on_resize(self) -> None:
        """The number of lanes follows the width of the screen."""
        self._measure_gutter()
        super().on_resize()

    def watch_cursor(self, old: int, new: int) -> None:
        """The links of both rows look different now."""
        if self.gutters and old < len(self.shown):
            changed = {self.gutters[self.shown[row]].link for row in (old, new)} - {FREE}
            self._forget_links(changed)
        super().watch_cursor(old, new)

    def _forget_links(self, numbers: set[int]) -> None:
        """Paint the visible rows anew that these links run through."""
        if not numbers:
            return
        stop = min(len(self.shown), self.top + self.size.height)
        touched = [
            row
            for row in range(self.top, stop)
            if (gutter := self.gutters[self.shown[row]]).link in numbers
            or numbers & set(gutter.passing)
            or numbers & set(gutter.closing)
        ]
        self.refresh_rows(touched)

    def ruler_marks(self) -> Mapping[int, str]:
        """Visible rows with errors and warnings."""
        marks: dict[int, str] = {}
        for finding in self.snapshot.findings:
            if finding.severity in ("error", "warning"):
                place = self._visible_place(self.snapshot.row_of_finding(finding))
                if marks.get(place) != "error":
                    marks[place] = finding.severity
        return marks

    # -- painting ------------------------------------------------------------------------------

    def paint_row(self, index: int, width: int, selected: bool) -> Strip:
        """One row: marks, gutter, sign, name, gist, badge, size."""
        self._measure_gutter()
        at = self.shown[index]
        row = self.snapshot.rows[at]
        columns = self._columns(width)
        text = self._text(row)
        ground = self._ground(row, text, at, selected)
        if row.kind in RULES:
            return self._turn_rule(at, row, width, selected, ground, columns)
        faint = self._is_faint(row)
        parts = self._margin(row, selected, at)
        gutter = self.gutters[at]
        parts += gutter_parts(
            gutter,
            self.snapshot.links,
            self._state(row, gutter),
            self.link,
            GutterStyle(self.lanes, self.glyphs, self.app.size.width < NARROW),
            "unsent" if faint else "",
        )
        parts += self._words(row, text, faint, columns, at)
        return self.ink.strip(parts, width, ground)

    def paint_below(self, line: int, width: int) -> Strip:
        """In a session without messages, the sentences that say so, from the third line."""
        self._measure_gutter()
        sentence = self.empty[line - 2] if self.empty and 0 <= line - 2 < len(self.empty) else ""
        lead = " " * self._columns(width).glyph
        first = not self.empty and line == len(self.shown) - self.top
        if first and self.age_of is not None and self.snapshot.rows[-1:] and not self._ends:
            words = f"{self.glyphs.pending_end} following"
            return self.ink.strip([(lead, "fg"), (words, "pending")], width)
        return self.ink.strip([(lead, "fg"), (sentence, "muted" if line > 2 else "fg")], width)

    @property
    def _ends(self) -> bool:
        """Whether the last row says that the tape ends, or goes on."""
        return self.snapshot.rows[-1].kind == "end"

    def _text(self, row: Row) -> RowText:
        if row.kind in FOLDS:
            return RowText("folded", "", row_words(self.snapshot, row))
        text = describe(self.snapshot.session, self.snapshot.of(row).index, row)
        return end_text(text) if row.kind == "end" and self.age_of is not None else text

    def _columns(self, width: int) -> _Columns:
        screen = self.app.size.width
        narrow = screen < NARROW
        gutter = self.lanes if narrow else 2 * self.lanes
        glyph = MARKS + gutter
        name = glyph + 2
        time = screen >= WIDE
        end = width - (0 if narrow else SIZE + 2) - (9 + 7 if time else 0)
        return _Columns(glyph, name, name + (10 if time else 8), end, time, not narrow)

    def _ground(self, row: Row, text: RowText, at: int, selected: bool) -> str:
        if selected:
            return "select" if self.is_lively else "raised"
        if self.link != FREE and self.gutters[at].link == self.link:
            return "partner"
        on_chain = row.message >= 0 or not self.snapshot.settled
        return "raised" if text.sign == "prompt" and on_chain else "background"

    def _is_faint(self, row: Row) -> bool:
        return mark_of(self.snapshot, row) == "unsent"

    def _state(self, row: Row, gutter: Gutter) -> LinkState:
        if gutter.link == FREE or row.block is None:
            return "answered"
        return self.snapshot.links[gutter.link].state_of(row.block)

    def _margin(self, row: Row, selected: bool, at: int) -> Parts:
        glyphs = self.glyphs
        if selected:
            first = (glyphs.cursor, "accent" if self.is_lively else "muted")
        elif self.link != FREE and self.gutters[at].link == self.link:
            first = (glyphs.partner, "accent")
        else:
            first = (" ", "fg")
        mark = mark_of(self.snapshot, row)
        signs = {
            "error": (glyphs.error, "error bold"),
            "warning": (glyphs.warning, "warn"),
            "suspicion": (glyphs.suspicion, "suspicion"),
            "unsent": (glyphs.unsent, "unsent"),
            "": (" ", "fg"),
        }
        return [first, signs.get(mark, (" ", "fg")), self._difference(row, at)]

    def _difference(self, row: Row, at: int) -> tuple[str, str]:
        """Marked, new to the model, or not what the file has."""
        if at == self.mark_at:
            return self.glyphs.marked, "accent bold"
        if at in self.snapshot.new_rows:
            return self.glyphs.folded, "result"
        if self.changes is not None and self.changes.of(row):
            return self.glyphs.edited, "result"
        return " ", "fg"

    def _words(self, row: Row, text: RowText, faint: bool, columns: _Columns, at: int) -> Parts:
        """Sign, name, gist, badge and the figures at the right."""
        state = self._state(row, self.gutters[at])
        sign, sign_style = sign_of(text, state, at in self.folded, self.glyphs)
        doubled = state == "doubled"
        style = "unsent" if faint else sign_style
        parts: Parts = [
            (self.glyphs.doubled[0] if doubled else sign, "error" if doubled else style)
        ]
        parts.append((" ", "fg"))
        badge = badge_of(self.snapshot, row, text, self._first_unsent(at))
        if badge is not None and badge.word == "pending" and (age := self._age(row)):
            badge, self._ages[at] = badge._replace(word=f"pending {age}"), age
        if badge is not None and badge.word == "unfinished" and self.age_of is not None:
            badge = badge._replace(word="arriving")
        tail = self._badge(badge, columns)
        room = columns.end - columns.name - sum(cells(word) for word, _ in tail)
        gist = gist_parts(text, faint, room, columns.gist - columns.name, self.glyphs)
        parts += self.marked(gist, text, at)
        return parts + tail + self._figures(row, text, faint, columns)

    def _badge(self, badge: Badge | None, columns: _Columns) -> Parts:
        if badge is None:
            return []
        if not columns.badges:
            return []
        if badge.loudness == "chip":
            return [("  ", "fg"), (f" {badge.word} ", "chip")]
        return [("  ", "fg"), (badge.word, badge.loudness)]

    def _first_unsent(self, at: int) -> bool:
        rows = self.snapshot.rows
        return at == 0 or rows[at - 1].unsent != rows[at].unsent

    def _figures(self, row: Row, text: RowText, faint: bool, columns: _Columns) -> Parts:
        """Time, line and size, right-aligned, with a blank before and after."""
        quiet = "unsent" if faint else "muted"
        parts: Parts = []
        if columns.time:
            record = row.record
            clock = clock_of(record) if record is not None and row.kind != "notes" else ""
            line = str(record.line) if record is not None and record.line else ""
            parts += [(f" {clock:<8}", quiet), (f"{line:>7}", quiet)]
        if columns.badges:
            size = size_short(text.size) if text.size >= 0 else ""
            bold = " bold" if text.size >= BIG and not faint else ""
            parts.append((f" {size:>5} ", quiet + bold))
        return parts

    def _turn_rule(
        self, at: int, row: Row, width: int, selected: bool, ground: str, columns: _Columns
    ) -> Strip:
        double = row.kind not in ("turn", "reply")
        rule = self.glyphs.double_rule if double else self.glyphs.rule
        parts = self._margin(row, selected, at)[:2]
        parts += rule_parts(
            self.gutters[at],
            self.snapshot.links,
            self.link,
            GutterStyle(self.lanes, self.glyphs, self.app.size.width < NARROW),
            double,
        )
        words = row_words(self.snapshot, row).replace("·", self.glyphs.separator)
        words = words.replace("…", self.glyphs.cut)
        name, _, rest = words.partition(" " + self.glyphs.separator)
        parts.append((name, "title"))
        if rest:
            parts.append((f" {self.glyphs.separator}{rest}", "muted"))
        used = sum(cells(text) for text, _ in parts)
        hidden = len(fold_span(self.snapshot.rows, at)) if at in self.folded else 0
        tail = f" + {hidden} rows" if hidden else ""
        left = width - used - 2 - cells(tail)
        parts += [(" ", "fg"), (rule * max(0, left), "line"), (tail, "muted")]
        return self.ink.strip(parts, width, ground)

    def is_lane(self, row: int, x: int) -> bool:
        """Whether column ``x`` of a visible row is in the gutter, on a row that has a link."""
        width = GutterStyle(self.lanes, self.glyphs, self.app.size.width < NARROW).width
        return MARKS <= x < MARKS + width and self.gutters[self.shown[row]].link != FREE
