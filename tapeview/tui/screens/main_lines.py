"""Lines that take the footer's place: search, go-to."""

from collections.abc import Callable, Sequence

from textual import on
from textual.widgets import Input

from tapeview.looks.goto import resolve
from tapeview.tape.clean import printable
from tapeview.tui.screens.main_loading import LoadingScreen
from tapeview.tui.widgets.bars import Parts
from tapeview.tui.widgets.question import Answer, Question, WordLine

__all__ = ["LinesScreen"]


class LinesScreen(LoadingScreen):
    """What one types into, and the footer that gives way to it."""

    _pane_before = "timeline"
    _answer: tuple[str, str] = ("", "muted")

    def show_footer(self, height: int) -> None:
        """The footer, where there is room for it or it has something to say."""
        self.query_one("#footer").display = not self.asking and (
            height >= 12 or bool(self.message[0])
        )

    @property
    def asking(self) -> bool:
        """Whether a line in the footer's place takes the keys."""
        lines = (self.search_line, self.question, self.word_line)
        return bool(self.query_one("#goto").display) or any(line.is_open for line in lines)

    @property
    def question(self) -> Question:
        """The line that asks for a key."""
        return self.query_one("#question", Question)

    @property
    def word_line(self) -> WordLine:
        """The line that asks for a word."""
        return self.query_one("#word", WordLine)

    def ask(
        self,
        words: str,
        answers: Sequence[Answer],
        escape: str = "",
        leave: Callable[[], None] | None = None,
    ) -> None:
        """Ask for a key, in the footer's place; ``leave`` is what escape does."""
        self.question.ask(words, answers, escape, leave)
        self.query_one("#footer").display = False

    def ask_word(self, words: str, start: str, take: Callable[[str], bool]) -> None:
        """Ask for a word, in the footer's place; ``take`` says whether it will do.

        What it says of a word that will not do stands beside the line: there is no footer now.
        """

        def taken(typed: str) -> bool:
            self.say("")
            if take(typed):
                return True
            self.word_line.refuse(self.message[0])
            self.say("")
            return False

        self.word_line.ask(words, start, taken)
        self.query_one("#footer").display = False

    def line_ended(self) -> None:
        """A line that asked is gone: the footer and the focus are back, unless another asks."""
        self.show_footer(self.app.size.height)
        if self.app.screen is self and not self.asking:
            self.show_pane(self.pane)

    def do_search(self) -> None:
        """Open the search line in place of the footer."""
        self._pane_before = self.pane
        if not self.side_by_side:
            self.show_pane("timeline")
        self.search_line.open()
        self.query_one("#footer").display = False
        self.set_focus(self.search_line)

    def search_ended(self, stay: bool) -> None:
        """Give the focus back that the search line had."""
        if self.focused is self.search_line:
            self.show_pane("timeline" if stay else self._pane_before)
        else:
            self.show_footer(self.app.size.height)

    def do_go_to(self) -> None:
        """Open the go-to line in place of the footer."""
        self._answer = ("a turn, a path, an id, or a pasted API error", "muted")
        self.query_one("#goto").display = True
        self.query_one("#footer").display = False
        line = self.query_one("#goto-input", Input)
        line.value = ""
        self.set_focus(line)

    def answer_parts(self) -> Parts:
        """What the place comes to that is typed so far."""
        return [(f"{self._answer[0]}", self._answer[1])]

    @on(Input.Changed, "#goto-input")
    def _typed(self, event: Input.Changed) -> None:
        if not event.value.strip():
            self._answer = ("a turn, a path, an id, or a pasted API error", "muted")
        else:
            target = resolve(self.snapshot, event.value)
            self._answer = (printable(target.answer), "muted" if target.row >= 0 else "warn")
        self.query_one("#goto-answer").refresh()

    @on(Input.Submitted, "#goto-input")
    def _entered(self, event: Input.Submitted) -> None:
        target = resolve(self.snapshot, event.value)
        if target.row < 0:
            return
        self.end_asking()
        line = 3 if self.snapshot.rows[target.row].kind == "turn" else None
        if line is None and not self.timeline.is_in_view(target.row):
            line = self.timeline.size.height // 3
        self.timeline.go(target.row, line=line)

    def end_asking(self) -> None:
        """Leave the line that one types a place into."""
        self.query_one("#goto").display = False
        self.show_pane("timeline")
