"""The help screen: every key from the command table, every sign from the table of signs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.strip import Strip

from tapeview.tape.clean import clean_line
from tapeview.tape.sizes import count
from tapeview.tui.glyphs import UNICODE, Glyphs
from tapeview.tui.screens.help_columns import (
    column_rows,
    commands_with,
    halves,
    key_sections,
    padded,
    sign_sections,
    width_of,
)
from tapeview.tui.widgets.bars import LineBar, Parts, spread
from tapeview.tui.widgets.ruled_view import RuledView

__all__ = ["HelpScreen"]

TWO_COLUMNS: Final = 81
"""Screen columns from which on the signs stand beside the keys."""
THREE_COLUMNS: Final = 100
"""Screen columns from which on the keys take two columns."""
LONGEST: Final = 40
"""Characters of what one looks for."""


class _HelpView(RuledView):
    """Rows of one, two or three columns, laid out for the width there is."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs=glyphs)
        self.sought = ""
        self._rows: list[Parts] = []
        self._line_at = -1

    def row_count(self) -> int:
        """Rows of the longest column."""
        return len(self._rows)

    def row_strip(self, row: int, width: int) -> Strip:
        """One row of all columns."""
        return self.ink.strip(self._rows[row], width)

    def paint_below(self, line: int, width: int) -> Strip:
        """The line between keys and signs goes down to the end."""
        del line
        return self.ink.strip(self._divided([]), width)

    def forget_strips(self) -> None:
        """Nothing is kept."""

    def action_step(self, rows: int) -> None:
        """Scroll by so many rows."""
        self.scroll_to_row(self.top + rows)

    def action_first(self) -> None:
        """Scroll to the first row."""
        self.scroll_to_row(0)

    def action_last(self) -> None:
        """Scroll to the last row."""
        self.scroll_to_row(self.row_count())

    def go_to_ruler(self, line: int) -> None:
        """Scroll as far as the line of the ruler says."""
        height = self.size.height
        self.scroll_to_row(line * (self.row_count() - height) // max(1, height - 1))

    def on_resize(self) -> None:
        """Columns follow the width."""
        self.lay_out()

    def seek(self, words: str) -> None:
        """Show only the commands that have these words."""
        self.sought = words
        self.lay_out()
        self.scroll_to_row(0)

    def lay_out(self) -> None:
        """Put the columns together for this width."""
        width = self.size.width - 1
        keys = key_sections(commands_with(self.sought), self.glyphs, moves=not self.sought)
        signs = sign_sections(self.glyphs)
        screen = self.app.size.width
        self._line_at = -1
        if screen < TWO_COLUMNS:
            self._rows = column_rows([*keys, *signs], width - 1)
        else:
            right = column_rows(signs, width)
            room = width - max(width_of(row) for row in right) - 2
            self._line_at = room
            if screen < THREE_COLUMNS or self.sought:
                self._rows = self._joined([column_rows(keys, room - 1)], room, right)
            else:
                columns = [column_rows(half, room // 2 - 1) for half in halves(keys)]
                self._rows = self._joined(columns, room, right)
        self._rows.insert(0, [])
        self.count_rows()
        self.refresh()

    def _joined(self, left: Sequence[list[Parts]], room: int, right: list[Parts]) -> list[Parts]:
        """Columns side by side, the signs behind the line."""
        each = room // len(left)
        rows: list[Parts] = []
        for number in range(max(len(right), *(len(column) for column in left))):
            row: Parts = []
            for column in left:
                row += padded(column[number] if number < len(column) else [], each)
            tail = right[number] if number < len(right) else []
            rows.append([*self._divided(row), *tail])
        return rows

    def _divided(self, row: Parts) -> Parts:
        if self._line_at < 0:
            return row
        return [*padded(row, self._line_at), (self.glyphs.lane_passes, "line")]


class HelpScreen(Screen[None]):
    """Keys in groups, signs beside them. ``/`` looks for a command while one types."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark", "leave", "back", show=False),
        Binding("slash", "find", "find a command", show=False),
    ]

    CSS = """
    HelpScreen { layout: vertical; background: $background; }
    """

    def __init__(self, glyphs: Glyphs = UNICODE) -> None:
        super().__init__()
        self.glyphs = glyphs
        self.typing = False
        self.view = _HelpView(glyphs)

    def compose(self) -> ComposeResult:
        """Title, columns, footer."""
        yield LineBar(lambda _, width: self._title(width))
        yield self.view
        yield LineBar(lambda _, width: self._footer(width), id="help-footer")

    def on_mount(self) -> None:
        """Keys scroll from the start."""
        self.view.focus()

    def action_leave(self) -> None:
        """Go back; first to all commands, where only some are shown."""
        if self.view.sought:
            self._seek("", typing=False)
        else:
            self.dismiss()

    def action_find(self) -> None:
        """Take what is typed as words to look for."""
        self._seek(self.view.sought, typing=True)

    def on_key(self, event: events.Key) -> None:
        """While one looks for a command, letters are letters."""
        if not self.typing:
            return
        sought = self.view.sought
        if event.key == "escape":
            self._seek("", typing=False)
        elif event.key == "enter":
            self._seek(sought, typing=False)
        elif event.key == "backspace":
            self._seek(sought[:-1], typing=True)
        elif event.character is not None and event.is_printable:
            self._seek((sought + event.character)[:LONGEST], typing=True)
        else:
            return
        event.stop()
        event.prevent_default()

    def _seek(self, words: str, typing: bool) -> None:
        self.typing = typing
        # Without the focus the view's own j and k are letters too.
        self.set_focus(None if typing else self.view)
        self.view.seek(words)
        self.query_one("#help-footer").refresh()

    def _title(self, width: int) -> Parts:
        words = ["esc back", "/ find a command", "ctrl+p palette"]
        left: Parts = [(" keys and signs", "title-focus")]
        while words and width_of(left) + len("   ".join(words)) + 3 > width:
            words.pop()
        return spread(left, [("   ".join(words) + " ", "muted")], width)

    def _footer(self, width: int) -> Parts:
        glyphs, found = self.glyphs, len(commands_with(self.view.sought))
        if not self.typing and not self.view.sought:
            keys = [(f"{glyphs.up} {glyphs.down}", "scroll"), ("/", "find a command")]
            parts: Parts = [(" ", "fg")]
            for key, word in [*keys, ("esc", "back")]:
                parts += [(key, "keycap"), (f" {word}  ", "muted")]
            return spread(parts, [], width)
        cursor = glyphs.input_cursor if self.typing else ""
        sought = clean_line(self.view.sought, LONGEST)
        blank = " " if self.view.sought.endswith(" ") else ""
        left: Parts = [(" / ", "keycap"), (sought + blank, "fg"), (cursor, "accent")]
        answer = f"   {count(found, 'command')}" if found else "   no command has these words"
        left.append((answer, "muted" if found else "warn"))
        return spread(left, [("esc", "keycap"), (" all commands ", "muted")], width)
