"""What differs from the file, in the block pane's place."""

from collections.abc import Iterable, Iterator

from textual.app import ComposeResult
from textual.widget import Widget

from tapeview.looks.diff import DiffLine
from tapeview.tape.clean import cut, printable
from tapeview.tui.glyphs import UNICODE, Glyphs
from tapeview.tui.widgets.bars import Parts
from tapeview.tui.widgets.line_view import LineView, ViewLine
from tapeview.tui.widgets.side_pane import SidePane

__all__ = ["DiffPane", "view_lines"]


def view_lines(lines: Iterable[DiffLine], glyphs: Glyphs) -> Iterator[ViewLine]:
    """Lines of a diff on their grounds: what changed is bold, what is gone struck through."""
    for line in lines:
        if line.sign in ("·", "#"):
            style = "muted" if line.sign == "·" else "title"
            sign = f"   {glyphs.separator} " if line.sign == "·" else "   "
            yield ViewLine((("muted", sign), (style, line.text)))
            continue
        ground = {"+": "added", "-": "removed"}.get(line.sign, "background")
        plain, strike = ("fg" if line.sign else "muted"), (" strike" if line.gone else "")
        parts = [("result" if line.sign == "+" else "error", f" {line.sign or ' '} ")]
        parts += [(f"{plain}{' bold' if bold else ''}{strike}", text) for bold, text in line.parts]
        yield ViewLine(tuple(parts), ground=ground, hang=3)


class DiffPane(SidePane):
    """One row, or all records, against the file as it was opened."""

    DEFAULT_CSS = """
    DiffPane LineView { padding: 0; }
    """

    def __init__(self, *, glyphs: Glyphs = UNICODE, id: str | None = None) -> None:
        super().__init__(glyphs=glyphs, id=id)
        self.body = LineView(glyphs=glyphs)
        self.is_whole = False
        """All records are shown, not the row under the cursor."""
        self._words = "diff"
        self._right = ""

    def parts(self) -> ComposeResult:
        """The lines."""
        yield self.body

    def show(self, words: str, lines: Iterable[DiffLine], right: str = "") -> None:
        """Show these lines."""
        self._words, self._right = printable(words), right
        self.title.refresh()
        self.body.set_lines(view_lines(lines, self.glyphs))

    @property
    def words(self) -> str:
        """``diff messages.4``."""
        return cut(self._words, 40, self.glyphs.cut)

    @property
    def figures(self) -> Parts:
        """What ``=`` shows next."""
        return [(f" {self._right} ", "muted")] if self._right else []

    @property
    def target(self) -> Widget:
        """The lines."""
        return self.body
