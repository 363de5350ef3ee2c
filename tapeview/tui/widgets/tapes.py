"""The tapes pane: a line for each tape of the session, with what is wrong with it."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from textual.app import ComposeResult
from textual.strip import Strip
from textual.widget import Widget

from tapeview.looks.tapes import TapeCounts, TapeEntry, counts_of, tapes_of
from tapeview.open_session import OpenSession
from tapeview.snapshot import no_collection
from tapeview.tape.clean import cells, cut, pad, printable
from tapeview.tape.session import Session
from tapeview.tape.sizes import count, size_long
from tapeview.tui.background import in_background
from tapeview.tui.glyphs import UNICODE, Glyphs
from tapeview.tui.widgets.bars import Parts, spread
from tapeview.tui.widgets.line_list import LineList
from tapeview.tui.widgets.side_pane import SidePane

__all__ = ["TapeList", "TapesPane"]

FIGURES: Final = 18
"""Cells of size and turns."""
FINDINGS: Final = 11
"""Cells that are kept for ``! 12  ▲ 34``."""
WORDS_FROM: Final = 72
"""Cells from which on findings are counted in words: ``! 2 errors  ▲ 3 warnings``."""

STYLES: Final = {"error": "error bold", "warning": "warn bold", "suspicion": "suspicion bold"}


class TapeList(LineList):
    """One line a tape. Nothing moves when sizes and findings come in."""

    def __init__(self, *, glyphs: Glyphs = UNICODE, id: str | None = None) -> None:
        super().__init__(glyphs=glyphs, id=id)
        self.entries: tuple[TapeEntry, ...] = ()
        self.counts: dict[str, TapeCounts | None] = {}
        """What was counted so far; None where counting broke off."""
        self.here = ""
        """The tape that the timeline shows."""
        self._widths = 0, 0

    def take(self, entries: tuple[TapeEntry, ...], here: str) -> None:
        """List these, the cursor on the one that is ``here``."""
        self.entries, self.here = entries, here
        names = (cells(_name(entry)) for entry in entries)
        self._widths = max(names, default=0), max((cells(e.span) for e in entries), default=0)
        self.rows_changed()
        self.move_to(next((k for k, entry in enumerate(entries) if entry.id == here), 0))

    def row_count(self) -> int:
        """One for each tape."""
        return len(self.entries)

    @property
    def entry(self) -> TapeEntry | None:
        """The tape under the cursor."""
        return self.entries[self.cursor] if self.entries else None

    def next_uncounted(self) -> int:
        """The row to be counted next, those on the screen first; -1 when all are."""
        rows = range(len(self.entries))
        seen = range(self.top, min(len(rows), self.top + self.size.height))
        left = (row for part in (seen, rows) for row in part)
        return next((row for row in left if self.entries[row].id not in self.counts), -1)

    def paint_row(self, index: int, width: int, selected: bool) -> Strip:
        """Name, where it begins, what it is sent, turns, and at the right what is wrong."""
        ground = ("select" if self.has_focus else "raised") if selected else "background"
        mark = self.glyphs.cursor if selected else " "
        cursor: Parts = [(mark, "accent" if self.has_focus else "muted"), (" ", "fg")]
        entry = self.entries[index]
        right = [*self._findings(entry, width >= WORDS_FROM), (" ", "fg")]
        parts = spread([*cursor, *self._words(entry, width, right)], right, width)
        return self.ink.strip(parts, width, ground)

    def _words(self, entry: TapeEntry, width: int, right: Parts) -> Parts:
        """Name and span, in columns where all else has room beside them; then what else fits."""
        name_width, span_width = self._widths
        if 4 + name_width + span_width + FIGURES + FINDINGS > width:
            name_width = span_width = 0
        taken = sum(cells(text) for text, _ in right)
        span = f"  {pad(entry.span, span_width)}"
        room = width - 2 - max(FINDINGS, taken) - cells(span)
        name = pad(cut(_name(entry), room, self.glyphs.cut), name_width)
        parts: Parts = [(name, "title" if entry.id == self.here else "fg"), (span, "muted")]
        room = width - 2 - taken - cells(name) - cells(span)
        for figure in self._figures(entry, 6 if name_width else 0):
            room -= cells(figure) + 2
            if room >= 0:
                parts.append((f"  {figure}", "muted"))
        return parts

    def _figures(self, entry: TapeEntry, pad_to: int) -> Sequence[str]:
        counts = self.counts.get(entry.id)
        if counts is None:
            return ()
        size = size_long(counts.size).rjust(pad_to)
        return (size, count(counts.turns, "turn")) if entry.kind in ("agent", "branch") else (size,)

    def _findings(self, entry: TapeEntry, is_long: bool) -> Parts:
        glyphs = self.glyphs
        if entry.id not in self.counts:
            return [(glyphs.pending_end, "muted")]
        counts = self.counts[entry.id]
        if counts is None:
            return [("not counted", "warn")]
        signs = {"error": glyphs.error, "warning": glyphs.warning, "suspicion": glyphs.suspicion}
        parts: Parts = []
        for found in counts.tally:
            words = found.words if is_long else found.short
            parts += [("  ", "fg"), (f"{signs[found.severity]} {words}", STYLES[found.severity])]
        return parts


class TapesPane(SidePane):
    """The list of tapes. Sizes and findings are counted beside it."""

    def __init__(self, *, glyphs: Glyphs = UNICODE, id: str | None = None) -> None:
        super().__init__(glyphs=glyphs, id=id)
        self.list = TapeList(glyphs=glyphs)
        self._session: Session | None = None

    def parts(self) -> ComposeResult:
        """The list."""
        yield self.list

    @property
    def words(self) -> str:
        """``tapes 4``."""
        return f"tapes {len(self.list.entries)}"

    @property
    def target(self) -> Widget:
        """The list."""
        return self.list

    @property
    def is_counted(self) -> bool:
        """Whether every tape is."""
        return self.list.next_uncounted() < 0

    def open(self, opened: OpenSession, here: str) -> None:
        """List the tapes of a session, the cursor on the one that is ``here``."""
        whole, tapes = opened.snapshot(), self.list
        if self._session is not opened.session:
            self._session, tapes.counts = opened.session, {}
        # What is wrong with these the header counts anyway.
        tapes.counts |= {line.tape.id: counts_of(line) for line in whole.lines}
        tapes.take(tapes_of(whole), here)
        self.run_worker(self._count(opened), exclusive=True)

    def close(self) -> None:
        """Count no further."""
        super().close()
        self.workers.cancel_node(self)

    async def _count(self, opened: OpenSession) -> None:
        tapes = self.list
        while (row := tapes.next_uncounted()) >= 0:
            name = tapes.entries[row].id
            tapes.counts[name] = await in_background(partial(_counts, opened, name))
            tapes.refresh_rows([row])


def _name(entry: TapeEntry) -> str:
    """The name, indented below main."""
    return printable(entry.id) if entry.kind == "main" else f"  {printable(entry.id)}"


def _counts(opened: OpenSession, tape: str) -> TapeCounts:
    # A collection would walk the whole session, again and again, and keys would wait for it.
    with no_collection():
        return counts_of(opened.snapshot(tape))
