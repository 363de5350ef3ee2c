"""A session that the picker offered and that cannot be opened: why, and what can be."""

from pathlib import PurePath
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from tapeview.formats._registry import all_formats
from tapeview.tape.clean import cut, printable
from tapeview.tui.glyphs import UNICODE, Glyphs
from tapeview.tui.paint import Piece, cut_spans, wrap_spans
from tapeview.tui.widgets.bars import LineBar, Parts, spread

__all__ = ["CannotOpen"]

MARGIN = 2


class CannotOpen(Screen[None]):
    """One sentence: which file, and what is wrong with it. Then what tapeview reads."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,escape", "leave", "back", show=False, priority=True),
    ]

    CSS = """
    CannotOpen { layout: vertical; background: $background; }
    #cannot-open { height: 1fr; }
    """

    def __init__(self, path: str, sentence: str, glyphs: Glyphs = UNICODE) -> None:
        super().__init__()
        self.path = path
        self.sentence = printable(sentence).removeprefix(f"{printable(path)}: ")
        self.glyphs = glyphs

    def compose(self) -> ComposeResult:
        """Title, sentence, footer."""
        yield LineBar(lambda _, width: self._title(width))
        yield LineBar(self._line, ground="background", id="cannot-open")
        yield LineBar(lambda _, width: self._footer(width))

    def action_leave(self) -> None:
        """Go back to the list."""
        self.dismiss()

    def _title(self, width: int) -> Parts:
        name = printable(PurePath(self.path).name)
        return [(cut(f" cannot open {name}", width, self.glyphs.cut), "title-focus")]

    def _footer(self, width: int) -> Parts:
        return spread([(" q esc", "keycap"), (" back to the list", "muted")], [], width)

    def _line(self, y: int, width: int) -> Parts:
        lines = [[], [], *self._paragraph(printable(self.path), "muted", width)]
        lines += [*self._paragraph(self.sentence, "fg", width), []]
        lines.append([("  tapeview reads:", "muted")])
        lines += [[(f"    {format_.title}", "muted")] for format_ in all_formats()]
        return lines[y] if y < len(lines) else []

    def _paragraph(self, text: str, style: str, width: int) -> list[Parts]:
        pieces = [Piece(style, text)]
        room = width - 2 * MARGIN
        rows = cut_spans(pieces, wrap_spans(pieces, room, room))
        return [[(" " * MARGIN, "fg"), *((p.text, p.style) for p in row)] for row in rows]
