"""A list of choices in the block pane's place, and below it what the chosen one would do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

from textual.app import ComposeResult
from textual.strip import Strip
from textual.widget import Widget

from tapeview.tape.clean import cells, cut, printable
from tapeview.tui.glyphs import UNICODE, Glyphs
from tapeview.tui.widgets.bars import Parts, spread
from tapeview.tui.widgets.line_list import LineList
from tapeview.tui.widgets.line_view import LineView, ViewLine
from tapeview.tui.widgets.side_pane import SidePane

__all__ = ["BESIDE_A_CHOICE", "Choice", "ChoiceList", "ChoicePane"]

BESIDE_A_CHOICE: Final = frozenset(
    {"open", "back", "quit", "next_pane", "previous_pane", "taller", "shorter", "copy_path"}
)
"""Commands that do what they always do while it has the focus: nothing changes behind it."""
KEY: Final = 9
"""Cells of the keys before what an edit does."""


class Choice(NamedTuple):
    """One line of the list, and what ``enter`` does on it."""

    words: str
    act: Callable[[], None]
    note: str = ""
    """At the right end."""
    style: str = "fg"


class ChoiceList(LineList):
    """The lines."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs=glyphs)
        self.choices: Sequence[Choice] = ()

    def row_count(self) -> int:
        """One for each choice."""
        return len(self.choices)

    def paint_row(self, index: int, width: int, selected: bool) -> Strip:
        """The words, and the note at the right."""
        choice = self.choices[index]
        ground = ("select" if self.has_focus else "raised") if selected else "background"
        mark = self.glyphs.cursor if selected else " "
        note = f" {choice.note} " if choice.note else ""
        room = width - 2 - cells(note) - 1
        left: Parts = [
            (mark, "accent" if self.has_focus else "muted"),
            (" ", "fg"),
            (cut(choice.words, room, self.glyphs.cut), choice.style),
        ]
        return self.ink.strip(spread(left, [(note, "muted")], width), width, ground)


class ChoicePane(SidePane):
    """Choices, or a preview: a sentence or two by key, and the lines of a diff."""

    DEFAULT_CSS = """
    ChoicePane LineView { padding: 0; }
    """

    def __init__(self, *, glyphs: Glyphs = UNICODE, id: str | None = None) -> None:
        super().__init__(glyphs=glyphs, id=id)
        self.list = ChoiceList(glyphs)
        self.body = LineView(glyphs=glyphs)
        self._words = ""
        self._right = ""
        self._act: Callable[[], None] | None = None

    def parts(self) -> ComposeResult:
        """The list, or what an edit does."""
        yield self.list
        yield self.body

    def offer(self, words: str, choices: Sequence[Choice], at: int = 0, right: str = "") -> None:
        """List choices, the cursor on one of them."""
        self._words, self._right, self._act = printable(words), right, None
        self.list.choices = choices
        self._show(True)
        self.list.rows_changed()
        self.list.move_to(at)

    def preview(
        self,
        words: str,
        facts: Sequence[tuple[str, str]],
        lines: Iterable[ViewLine],
        act: Callable[[], None],
    ) -> None:
        """Say what an edit would do; ``act`` does it."""
        self._words, self._right, self._act = printable(words), "preview", act
        self._show(False)
        self.body.set_lines(chain(_fact_lines(facts), lines))

    def _show(self, is_list: bool) -> None:
        self.list.display = is_list
        self.body.display = not is_list
        self.title.refresh()

    @property
    def is_preview(self) -> bool:
        """Whether one edit is shown, not a list."""
        return self._act is not None

    @property
    def words(self) -> str:
        """``edit actions``."""
        return self._words

    @property
    def figures(self) -> Parts:
        """What stands at the right of the title."""
        return [(f"{self._right} ", "muted")] if self._right else []

    @property
    def keys(self) -> Sequence[tuple[str, str]]:
        """What leaves it."""
        return (("enter", "do it" if self.is_preview else "choose"), ("esc", "leave"))

    @property
    def refusal(self) -> str:
        """What is said to any other command."""
        return "enter does it, esc leaves it" if self.is_preview else "esc leaves"

    @property
    def target(self) -> Widget:
        """The list, or the lines of the preview."""
        return self.body if self.is_preview else self.list

    def enter(self) -> None:
        """Do what the cursor is on, or what is shown."""
        if self._act is not None:
            self._act()
        elif self.list.choices:
            self.list.choices[self.list.cursor].act()


def _fact_lines(facts: Sequence[tuple[str, str]]) -> Iterator[ViewLine]:
    """A key and a sentence each, and a blank line below them."""
    held = ""
    for key, words in facts:
        held = key or held
        style = {"mends": "result", "breaks": "error", "signed": "warn"}.get(held, "fg")
        yield ViewLine((("muted", f"  {key:<{KEY}}"), (style, words)), hang=KEY)
    yield ViewLine(())
