"""The search line in the footer's place, and the search that runs behind it.

The search goes on in slices of the UI loop's time, and anew with every key. The cursor goes along
with the first row that is found, from where it stood when the line was opened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import ClassVar, Final

from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from tapeview.search.find import Found, Query, parse
from tapeview.search.run import Beyond, SearchRun
from tapeview.tape.clean import cells, printable
from tapeview.tape.sizes import count
from tapeview.tui.glyphs import UNICODE, Glyphs
from tapeview.tui.paint import styles_of
from tapeview.tui.widgets.bars import Parts, spread
from tapeview.tui.widgets.tape_rows import TapeRows

__all__ = ["SearchLine"]

SLICE: Final = 0.008
PAUSE: Final = 0.002
REPAINT: Final = 0.2
"""Seconds between two paints of the marks and figures while the search runs."""
LONGEST: Final = 1_000
"""Characters of what one looks for."""
ROOM: Final = 16
"""Cells that stay for what is typed, where the screen is narrow."""
HINT: Final = "text, or is:error is:problem is:prompt role:user tool:Bash"


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where one was when the line was opened."""

    at: int
    line: int
    folded: frozenset[int]


class SearchLine(Widget, can_focus=True):
    """One line to type into. It marks rows of the timeline and moves its cursor."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    SearchLine { display: none; height: 1; width: 1fr; }
    """

    class Changed(Message):
        """Other rows are marked or shown."""

    _EDITS: ClassVar[frozenset[str]] = frozenset(
        {"left", "right", "home", "end", "backspace", "delete", "ctrl+u", "ctrl+w"}
    )

    def __init__(
        self,
        rows: Callable[[], TapeRows],
        beyond: Callable[[], Sequence[Beyond]],
        ended: Callable[[bool], None],
        *,
        glyphs: Glyphs = UNICODE,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self.glyphs = glyphs
        self.words = ""
        self.regex = False
        self._rows = rows
        self._beyond = beyond
        self._ended = ended
        self._place = 0
        self._last = ""
        self._note = ""
        self._origin = _Origin(0, 0, frozenset())
        self._query = Query()
        self._others: Sequence[Beyond] = ()
        self._run: SearchRun | None = None
        self._timer: Timer | None = None
        self._painted = 0.0
        self._news = False
        # The row that the cursor leaves for the first one found; -1 once that is done.
        self._leaves = -1

    @property
    def is_open(self) -> bool:
        """Whether one types here."""
        return bool(self.display)

    @property
    def is_marking(self) -> bool:
        """Whether rows are marked."""
        return not self._query.is_empty

    @property
    def is_searching(self) -> bool:
        """Whether there is more to look at."""
        return self._run is not None and not self._run.is_done

    # -- opening and closing ---------------------------------------------------------------------

    def open(self) -> None:
        """Begin anew, where the cursor stands. The caller gives the focus."""
        self.clear()
        self._origin = self._here()
        self.display = True
        self._rows().driven = True
        self._edit("", 0)

    def close(self, stay: bool) -> None:
        """End typing: stay where the search led, what it finds marked; or go back."""
        self._last = self.words.strip() or self._last
        self.display = False
        self._rows().driven = False
        if not stay:
            self.clear()
            self._return()
        self._rows().marks_changed()
        self._ended(stay)

    def clear(self) -> None:
        """End the search; nothing is marked any more, and all rows are shown."""
        self._stop()
        self._query = Query()
        self._rows().show_all()
        self._rows().mark(None, Found())
        self.post_message(self.Changed())

    def again(self) -> None:
        """Other rows are shown: look for the same in them, the cursor staying where it is."""
        if self.is_marking and not self.is_open:
            self._origin = self._here()
            self._begin(follow=False)

    def take_over(self, other: SearchLine) -> None:
        """Look for what the line of another screen looked for, and go to the first of it."""
        if other.is_marking:
            self.words, self.regex, self._query = other.words, other.regex, other._query
            self._last = self.words.strip()
            self._origin = self._here()
            self._begin()

    def _here(self) -> _Origin:
        """Where the search begins; what it looks into beside the rows is found out anew."""
        rows, self._others = self._rows(), self._beyond()
        return _Origin(rows.at, rows.cursor - rows.top, frozenset(rows.folded))

    def on_blur(self) -> None:
        """Somebody clicked elsewhere: stay there. When the whole terminal is left nothing ends."""
        # The event may be late: the line may have been closed and opened again since.
        if self.is_open and self.app.app_focus and self.screen.focused is not self:
            self.close(stay=True)

    # -- keys ------------------------------------------------------------------------------------

    def _forward_event(self, event: events.Event) -> None:
        # Here keys act at once, in the order in which they were typed. From this widget's own
        # queue they would come after a command that was typed behind them.
        if isinstance(event, events.Key) and self._type(event):
            return
        super()._forward_event(event)

    def on_key(self, event: events.Key) -> None:
        """Keys that came another way."""
        if self._type(event):
            event.stop()
            event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """The first line of what is pasted."""
        event.stop()
        if self.is_open:
            self._insert(next((line for line in event.text.splitlines() if line.strip()), ""))

    def _type(self, event: events.Key) -> bool:
        """Do what the key means here; False when the line is closed."""
        if not self.is_open:
            return False
        key = event.key
        if key in ("enter", "escape"):
            self.close(stay=key == "enter")
        elif key in ("down", "up"):
            self._step(1 if key == "down" else -1)
        elif key == "ctrl+e":
            self.regex = not self.regex
            self._edit(self.words, self._place)
        elif key in self._EDITS:
            self._edit(*self._edited(key))
        elif event.is_printable and event.character is not None:
            self._insert(event.character)
        return True

    def _insert(self, text: str) -> None:
        words = self.words[: self._place] + text + self.words[self._place :]
        if len(words) <= LONGEST:
            self._edit(words, self._place + len(text))

    def _edited(self, key: str) -> tuple[str, int]:
        """The words and the place of the cursor after a key."""
        words, at = self.words, self._place
        before, after = words[:at], words[at:]
        match key:
            case "left" | "right":
                return words, max(0, min(len(words), at + (1 if key == "right" else -1)))
            case "home" | "end":
                return words, 0 if key == "home" else len(words)
            case "backspace":
                return before[:-1] + after, max(0, at - 1)
            case "delete":
                return before + after[1:], at
            case "ctrl+w":
                before = before.rstrip()[: len(before.rstrip().rpartition(" ")[0])]
                return before + after, len(before)
        return after, 0

    def _step(self, step: int) -> None:
        """To the next row that was found; on an empty line back to what was looked for before."""
        if not self.words:
            self._edit(self._last, len(self._last))
            return
        rows = self._rows()
        to = rows.found.next_to(rows.at, step)
        self._note = "" if to >= 0 or not rows.found else "no further match"
        if to >= 0:
            self._leaves = -1
            rows.visit(to, self._origin.folded)
        self.refresh()

    # -- the search ------------------------------------------------------------------------------

    def _edit(self, words: str, place: int) -> None:
        self.words, self._place, self._note = words, place, ""
        query = parse(words, self.regex)
        if query != self._query or query.is_empty:
            self._query = query
            self._begin()
        self.refresh()

    def _begin(self, follow: bool = True) -> None:
        """Look for the query from the beginning; the search before it is dropped."""
        self._stop()
        rows, query = self._rows(), self._query
        rows.show_all()
        if query.is_empty or query.fault:
            rows.mark(None, Found())
            self._return()
            self.post_message(self.Changed())
            return
        self._run = SearchRun(rows.snapshot, query, self._origin.at, self._others)
        rows.mark(query, self._run.found)
        self._leaves = rows.at if follow else -1
        self._slice()

    def _stop(self) -> None:
        self._run = None
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _slice(self) -> None:
        """Search for a slice of the UI loop's time, and again soon."""
        run, rows = self._run, self._rows()
        if run is None or run.snapshot is not rows.snapshot:
            return
        was_done_here = run.is_done_here
        news = run.go_on(perf_counter() + SLICE)
        if run.first >= 0 and self._leaves >= 0:
            if self._leaves == rows.at:
                rows.visit(run.first, self._origin.folded)
                self._painted = 0.0
            self._leaves = -1
        if run.is_done_here and not was_done_here and run.query.only_filters and run.found:
            rows.show_only_found()
        if run.is_done and not run.found and self.is_open:
            self._return()
        self._news = self._news or news
        if run.is_done or perf_counter() - self._painted > REPAINT:
            self._painted = perf_counter()
            if self._news:
                rows.marks_changed()
            self._news = False
            self.post_message(self.Changed())
            self.refresh()
        self._timer = None if run.is_done else self.set_timer(PAUSE, self._slice)

    def _return(self) -> None:
        """Put cursor and view back to where they were."""
        rows, origin = self._rows(), self._origin
        if origin.at >= 0:
            rows.go_back(origin.at, origin.line, origin.folded)

    # -- painting --------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """The line."""
        del y
        width = self.size.width
        right = self._right(width)
        room = width - sum(cells(text) for text, _ in right)
        return styles_of(self.app).strip(spread(self._typed(room), right, width), width, "surface")

    def _typed(self, room: int) -> Parts:
        """What is typed, as far as it fits, with the cursor in it."""
        sign = " regex / " if self.regex else " / "
        before, after = printable(self.words[: self._place]), printable(self.words[self._place :])
        left = room - len(sign) - 2
        while before and cells(before) > left:
            before = before[1:]
        parts: Parts = [(sign, "keycap"), (before, "fg")]
        if not after:
            return [*parts, (self.glyphs.input_cursor, "accent")]
        return [*parts, (after[0], "accent reverse"), (after[1:], "fg")]

    def _right(self, width: int) -> Parts:
        """The answer and as many keys as there is room for."""
        glyphs = self.glyphs
        answer = [("   ", "fg"), *self._answer(), ("   ", "fg")]
        keys = [("esc", "return"), (glyphs.down, "next"), (glyphs.up, "back")]
        keys += [("enter", "stay here"), ("ctrl+e", "plain" if self.regex else "regex")]
        room = width - max(ROOM, cells(self.words) + 12) - sum(cells(text) for text, _ in answer)
        shown = []
        for key, word in keys:
            room -= cells(key) + len(word) + 3
            if room < 0:
                break
            shown.append((key, word))
        order = [glyphs.down, glyphs.up, "enter", "ctrl+e", "esc"]
        for key, word in sorted(shown, key=lambda entry: order.index(entry[0])):
            answer += [(key, "keycap"), (f" {word}  ", "muted")]
        return answer

    def _answer(self) -> Parts:
        """``4 of 23 in 2 tapes, 61 % read``."""
        query, run = self._query, self._run
        if query.fault:
            return [(printable(query.fault), "warn")]
        if run is None:
            again = f"{self.glyphs.down} again {printable(self._last)[:30]}" if self._last else HINT
            return [(again, "muted")]
        if run.found:
            parts: Parts = [(self._number(run.found), "title")]
        else:
            parts = [("no match", "warn") if run.is_done else ("none yet", "fg")]
        lines = f" in {len(run.lines)} tapes" if len(run.lines) > 1 else ""
        quiet = ", ".join(words for words in (lines, run.more, run.progress) if words)
        joint = "" if not quiet or lines else ", "
        slow = f"{count(run.slow, 'block')} too slow" if run.slow else ""
        loud = "".join(f", {words}" for words in (self._note, slow) if words)
        return [*parts, (joint + quiet, "muted"), (loud, "warn")]

    def _number(self, found: Found) -> str:
        number = found.number(self._rows().at)
        return f"{number} of {len(found)}" if number else f"{len(found)} found"
