"""What takes the block pane's place for a while: a title above whatever takes the keys."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from textual.app import ComposeResult
from textual.widget import Widget

from tapeview.tui.glyphs import UNICODE, Glyphs
from tapeview.tui.widgets.bars import LineBar, Parts, spread

__all__ = ["TITLE_FROM", "SidePane"]

TITLE_FROM: Final = 100
"""Screen columns from which on a pane has a title of its own; below it stands among the tabs."""


class SidePane(Widget):
    """One pane in the block pane's place. Its id is what the screen calls it."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    SidePane {
        display: none; layout: vertical; width: 1fr; height: 1fr; background: $background;
    }
    """

    def __init__(self, *, glyphs: Glyphs = UNICODE, id: str | None = None) -> None:
        super().__init__(id=id)
        self.glyphs = glyphs
        self.is_open = False
        self.acts: Mapping[str, Callable[[], object]] = {}
        """What commands do while the pane has the focus, where that is not what they do else."""
        self.title = LineBar(lambda _, width: self._title(width))

    def compose(self) -> ComposeResult:
        """The title above the parts."""
        yield self.title
        yield from self.parts()

    @abstractmethod
    def parts(self) -> ComposeResult:
        """What stands below the title."""

    @property
    @abstractmethod
    def words(self) -> str:
        """The title, which among the tabs is all that is said; clean."""

    @property
    def keys(self) -> Sequence[tuple[str, str]]:
        """Its own keys for the footer, each with a word; none where those of the screen hold."""
        return ()

    @property
    def figures(self) -> Parts:
        """What stands at the right end of the title."""
        return []

    @property
    @abstractmethod
    def target(self) -> Widget:
        """The part that takes the focus."""

    def close(self) -> None:
        """Give the block pane its place back."""
        self.is_open = False

    def on_descendant_focus(self) -> None:
        """The title shows who has the focus."""
        self.title.refresh()

    def on_descendant_blur(self) -> None:
        """The title shows who has the focus."""
        self.title.refresh()

    def _title(self, width: int) -> Parts:
        focused = self.target.has_focus
        mark = (self.glyphs.cursor if focused else " ", "accent")
        words = (f" {self.words}", "title-focus" if focused else "title")
        return spread([mark, words], self.figures, width)
