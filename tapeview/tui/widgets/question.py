"""Lines in the footer's place that ask for a key, or for a word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from tapeview.tape.clean import cells, cut, printable
from tapeview.tui.glyphs import UNICODE, Glyphs
from tapeview.tui.paint import styles_of
from tapeview.tui.widgets.bars import LineBar, Parts

__all__ = ["Answer", "Question", "WordLine"]


class Answer(NamedTuple):
    """One key that answers, what it means, and what is done then."""

    key: str
    words: str
    act: Callable[[], None]


class Question(Widget, can_focus=True):
    """One question, answered by one key. Escape answers too, by ``leave``."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Question { display: none; height: 1; width: 1fr; }
    """

    def __init__(
        self, ended: Callable[[], None], *, glyphs: Glyphs = UNICODE, id: str | None = None
    ) -> None:
        super().__init__(id=id)
        self.glyphs = glyphs
        self.words = ""
        self.answers: Sequence[Answer] = ()
        self.is_open = False
        self._ended = ended
        self._leave: Callable[[], None] | None = None
        self._escape = ""

    def ask(
        self,
        words: str,
        answers: Sequence[Answer],
        escape: str = "",
        leave: Callable[[], None] | None = None,
    ) -> None:
        """Ask; ``escape`` is the word beside esc, ``leave`` what it does."""
        self.words, self.answers = words, answers
        self._escape, self._leave = escape, leave
        self.is_open = True
        self.display = True
        self.screen.set_focus(self)
        self.refresh()

    def close(self) -> None:
        """Leave without an answer."""
        self._end()
        if self._leave is not None:
            self._leave()

    def _end(self) -> None:
        self.is_open = False
        self.display = False
        self._ended()

    def on_key(self, event: events.Key) -> None:
        """A key that answers is taken; any other does nothing."""
        event.stop()
        event.prevent_default()
        for answer in self.answers:
            if event.key == answer.key:
                self._end()
                answer.act()
                return

    def on_blur(self) -> None:
        """A click elsewhere answers nothing: the question stays."""
        if self.is_open and self.app.app_focus and self.screen.focused is not self:
            self.call_later(self.focus)

    def render_line(self, y: int) -> Strip:
        """The question, its keys behind it."""
        del y
        width = self.size.width
        keys: Parts = []
        for key, words in [*((a.key, a.words) for a in self.answers), ("esc", self._escape)]:
            keys += [(f" {key}", "keycap"), (f" {words} " if words else " ", "fg")]
        room = max(0, width - sum(cells(text) for text, _ in keys) - 3)
        words = cut(printable(self.words), room, self.glyphs.cut)
        parts: Parts = [(f" {words}: ", "warn"), *keys]
        return styles_of(self.app).strip(parts, width, "surface")


class WordLine(Horizontal):
    """One asks for a word or a path, in the footer's place."""

    DEFAULT_CSS = """
    WordLine { display: none; height: 1; background: $surface; }
    WordLine Input {
        width: 1fr; height: 1; border: none; padding: 0; background: $surface;
    }
    """

    def __init__(
        self, ended: Callable[[], None], *, glyphs: Glyphs = UNICODE, id: str | None = None
    ) -> None:
        super().__init__(id=id)
        self.glyphs = glyphs
        self.fault = ""
        """Why what was typed last will not do."""
        self.is_open = False
        self.input = Input(compact=True)
        self._sign = LineBar(lambda *_: [(f" {self._words} ", "keycap")])
        self._why = LineBar(
            lambda _, width: [(f" {cut(self.fault, width - 2, glyphs.cut)} ", "warn")]
        )
        self._words = ""
        self._ended = ended
        self._take: Callable[[str], bool] | None = None

    def compose(self) -> ComposeResult:
        """What is asked for, and the line that one types into."""
        yield self._sign
        yield self.input
        yield self._why

    def ask(self, words: str, start: str, take: Callable[[str], bool]) -> None:
        """Ask for a word; ``take`` says whether what was typed will do."""
        self._words, self._take = printable(words), take
        self._sign.styles.width = cells(self._words) + 2
        self.input.value = start if printable(start) == start else ""
        self.refuse("")
        self.is_open = True
        self.display = True
        self.screen.set_focus(self.input)

    def refuse(self, why: str) -> None:
        """Say beside the line why what was typed will not do, until it is changed."""
        self.fault = why
        self._why.display = bool(why)
        self._why.styles.width = min(cells(why) + 2, self.size.width * 2 // 3)
        self._why.refresh()

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.refuse("")

    def close(self) -> None:
        """Leave the line."""
        self.is_open = False
        self.display = False
        self._ended()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        # What will not do stays, to be put right; the footer's place is this line's anyway.
        if self._take is None or self._take(event.value):
            self.close()
