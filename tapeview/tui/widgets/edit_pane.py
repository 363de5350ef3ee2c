"""The editor in the block pane's place."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widget import Widget
from textual.widgets import TextArea

from tapeview.looks.editing import shown_json, shown_text
from tapeview.tape.clean import cut, printable
from tapeview.tui.glyphs import UNICODE, Glyphs
from tapeview.tui.widgets.bars import Parts
from tapeview.tui.widgets.side_pane import TITLE_FROM, SidePane

__all__ = ["EditPane"]

TABS: Final = 30
"""Cells of the other tabs, where the title stands among them."""

Check = Callable[[str], str]
"""What is typed to what is wrong with it; "" where nothing is."""


class _Typing(TextArea):
    """A text area that no control character gets into."""

    BINDINGS: ClassVar = [
        Binding("ctrl+home", "ends(False)", show=False),
        Binding("ctrl+end", "ends(True)", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(tab_behavior="indent", compact=True, highlight_cursor_line=False)
        self.cursor_blink = False
        self.is_json = False
        self.is_escaped = False

    def action_ends(self, last: bool) -> None:
        """Go to the text's beginning, or to its end."""
        self.move_cursor(self.document.end if last else (0, 0))

    async def _on_paste(self, event: events.Paste) -> None:
        text = event.text.replace("\r\n", "\n")
        text = shown_json(text) if self.is_json else shown_text(text, self.is_escaped)
        event.prevent_default()
        event.stop()
        if result := self._replace_via_keyboard(text, *self.selection):
            self.move_cursor(result.end_location)


class EditPane(SidePane):
    """What is edited, and in the title what is wrong with it."""

    DEFAULT_CSS = """
    EditPane TextArea {
        height: 1fr; border: none; padding: 0 1 0 2; background: $background; color: $fg;
        scrollbar-size-vertical: 1;
    }
    EditPane TextArea .text-area--cursor { background: $accent; color: $background; }
    EditPane TextArea .text-area--selection { background: $select; }
    """

    def __init__(self, *, glyphs: Glyphs = UNICODE, id: str | None = None) -> None:
        super().__init__(glyphs=glyphs, id=id)
        self.area = _Typing()
        self.fault = ""
        self.start = ""
        self._words = ""
        self._note = ""
        self._check: Check = lambda _: ""

    def parts(self) -> ComposeResult:
        """The text."""
        yield self.area

    def begin(
        self,
        words: str,
        text: str,
        check: Check,
        *,
        is_json: bool = False,
        is_escaped: bool = False,
        typed: str | None = None,
        is_offered: bool = False,
    ) -> None:
        """Edit a text; ``typed`` is what was typed of it before. What is only offered is selected:
        whatever is typed takes its place.
        """  # noqa: D205
        self._words, self._check, self.start = printable(words), check, text
        self._note = "JSON" if is_json else "with escapes" if is_escaped else ""
        self.area.is_json, self.area.is_escaped = is_json, is_escaped
        now = text if typed is None else typed
        self.area.load_text(now)
        if is_offered and typed is None:
            self.area.select_all()
        self.fault = check(now)
        self.title.refresh()

    @property
    def typed(self) -> str:
        """What stands there now."""
        return self.area.text

    @property
    def is_changed(self) -> bool:
        """Whether it is not what one began with."""
        return self.area.text != self.start

    @property
    def words(self) -> str:
        """``edit text of messages.4``."""
        # What is wrong takes the title: what is edited is known to whoever types.
        room = self.size.width - len(self._note) - 5
        return "edit" if self.fault else cut(self._words, room, self.glyphs.cut)

    @property
    def figures(self) -> Parts:
        """What is wrong, or how the text is spelled."""
        if self.fault:
            tabs = TABS if self.app.size.width < TITLE_FROM else 0
            return [(f" {cut(self.fault, self.size.width - tabs - 8, self.glyphs.cut)} ", "warn")]
        return [(f" {self._note} ", "muted")] if self._note else []

    @property
    def keys(self) -> Sequence[tuple[str, str]]:
        """What leaves it."""
        return (("ctrl+s", "apply"), ("esc", "leave"))

    @property
    def target(self) -> Widget:
        """The text."""
        return self.area

    @on(TextArea.Changed)
    def _typed(self) -> None:
        fault = printable(self._check(self.area.text))
        if fault != self.fault:
            self.fault = fault
            self.title.refresh()
            self.screen.query_one("#tabs").refresh()
