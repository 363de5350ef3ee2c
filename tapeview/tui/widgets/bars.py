"""The lines that are not lists: header, titles, status and footer."""

from collections.abc import Callable

from textual.strip import Strip
from textual.widget import Widget

from tapeview.tui.paint import Styles, cells_of, styles_of

__all__ = ["LineBar", "Parts", "spread"]

Parts = list[tuple[str, str]]

PaintBar = Callable[[int, int], Parts]
"""(line, width) to (text, style name) parts."""


class LineBar(Widget):
    """One or more screen lines that a function paints anew at every refresh."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    LineBar { height: 1; width: 1fr; }
    """

    def __init__(self, paint: PaintBar, *, ground: str = "surface", id: str | None = None) -> None:
        super().__init__(id=id)
        self._paint_bar = paint
        self.ground = ground

    def render_line(self, y: int) -> Strip:
        """Line ``y``, painted."""
        ink: Styles = styles_of(self.app)
        width = self.size.width
        return ink.strip(self._paint_bar(y, width), width, self.ground)


def spread(left: Parts, right: Parts, width: int) -> Parts:
    """``left`` and ``right`` at the two ends of a line; what is too long on the left is cut."""
    taken = sum(cells_of(text) for text, _ in right)
    room = max(0, width - taken)
    if right and not right[0][0].startswith(" ") and sum(cells_of(text) for text, _ in left) > room:
        right, room = [(" ", "fg"), *right], max(0, room - 1)
    parts: Parts = []
    for text, style in left:
        size = cells_of(text)
        if size > room:
            text = text[:room] if text.isascii() else _cropped(text, room)
            size = cells_of(text)
        parts.append((text, style))
        room -= size
    return [*parts, (" " * room, "fg"), *right]


def _cropped(text: str, room: int) -> str:
    while text and cells_of(text) > room:
        text = text[:-1]
    return text
