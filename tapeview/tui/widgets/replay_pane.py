"""A model call that is made again: the sheet before it leaves, then the reply as it comes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, Final, Literal, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.strip import Strip
from textual.widget import Widget

from tapeview.looks.block_record import BodyLine
from tapeview.looks.reply import ReplyLine
from tapeview.looks.sheet import SheetFact, SheetField
from tapeview.tape.clean import cells, cut, pad, printable
from tapeview.tui.glyphs import UNICODE, Glyphs
from tapeview.tui.widgets.bars import LineBar, Parts, spread
from tapeview.tui.widgets.line_list import LineList
from tapeview.tui.widgets.line_view import LineView, ViewLine
from tapeview.tui.widgets.side_pane import SidePane

__all__ = ["ReplayPane", "ReplayState", "SheetList"]

ReplayState = Literal["sheet", "request", "arriving", "done", "results", "many"]

SIGN_STYLES: Final = {"text": "fg", "thinking": "think plain", "call": "call", "unknown": "warn"}
NAME: Final = 12
"""Cells of a field's name."""
BESIDE_FROM: Final = 70
"""Cells of the pane from which on the recorded reply stands at the right of the new one."""


class Figures(NamedTuple):
    """The lines above a reply: what answers, and how it goes."""

    who: str = ""
    how: Sequence[tuple[str, str]] = ()


class SheetList(LineList):
    """The fields of the sheet."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs=glyphs)
        self.fields: Sequence[SheetField] = ()

    def row_count(self) -> int:
        """One for each field."""
        return len(self.fields)

    @property
    def field(self) -> SheetField | None:
        """The one under the cursor."""
        return self.fields[self.cursor] if self.fields else None

    def paint_row(self, index: int, width: int, selected: bool) -> Strip:
        """Name, value, and at the right where the value comes from."""
        field = self.fields[index]
        ground = ("select" if self.has_focus else "raised") if selected else "background"
        mark = (self.glyphs.cursor if selected else " ", "accent" if self.has_focus else "muted")
        name = (f" {pad(cut(field.name, NAME, self.glyphs.cut), NAME)} ", "muted")
        room = width - NAME - 4
        value = cut(field.words or "press e to set", room, self.glyphs.cut)
        words = (value, "title" if field.words else "muted")
        note = cut(field.note, max(0, room - cells(value) - 1), self.glyphs.cut)
        return self.ink.strip(
            spread([mark, name, words], [(f" {note} ", "muted")], width), width, ground
        )


class ReplayPane(SidePane):
    """The sheet, the request, the reply, and the recorded reply beside it."""

    BINDINGS: ClassVar = [Binding("c", "replace", show=False)]
    DEFAULT_CSS = """
    ReplayPane LineView { padding: 0; }
    ReplayPane #replay-head { height: 2; }
    ReplayPane #replay-list { height: auto; }
    ReplayPane #replay-rule { height: 1; }
    ReplayPane #replay-both { height: 1fr; width: 1fr; }
    ReplayPane #replay-new { width: 1fr; height: 1fr; }
    ReplayPane #replay-old { width: 1fr; height: 1fr; }
    ReplayPane #replay-old-title { height: 1; }
    """

    def __init__(self, *, glyphs: Glyphs = UNICODE, id: str | None = None) -> None:
        super().__init__(glyphs=glyphs, id=id)
        self.state: ReplayState = "sheet"
        self.list = SheetList(glyphs)
        self.list.id = "replay-list"
        self.body = LineView(glyphs=glyphs)
        self.beside = LineView(glyphs=glyphs)
        self.figures_now = Figures()
        self._words = "replay"
        self._right = ""
        self._endings: Sequence[tuple[str, str]] = ()

    def parts(self) -> ComposeResult:
        """Fields, or what answers; then the lines; then the recorded reply."""
        yield self.list
        yield LineBar(self._head, ground="background", id="replay-head")
        yield LineBar(self._rule, ground="background", id="replay-rule")
        with Horizontal(id="replay-both"):
            with Vertical(id="replay-new"):
                yield self.body
            with Vertical(id="replay-old"):
                yield LineBar(self._old_title, id="replay-old-title")
                yield self.beside

    # -- what is shown -------------------------------------------------------------------------

    def show_sheet(
        self, words: str, fields: Sequence[SheetField], facts: Iterable[SheetFact], right: str
    ) -> None:
        """Show what will be sent; the cursor stays on its field."""
        self._be("sheet", words, right)
        name = self.list.field.name if self.list.field is not None else ""
        self.list.fields = fields
        self.list.rows_changed()
        self.list.move_to(next((k for k, f in enumerate(fields) if f.name == name), 0))
        self.body.set_lines([_fact_line(fact) for fact in facts])
        self.lay_out()

    def show_request(self, lines: Iterator[BodyLine]) -> None:
        """Show the body that will be sent."""
        self._be("request", self._words, "the request")
        self.body.set_lines(_view_line(line) for line in lines)
        self.lay_out()

    def begin_reply(self, words: str, who: str) -> None:
        """A reply is about to come."""
        self._be("arriving", words, "")
        self.figures_now = Figures(printable(who))
        self.body.set_lines([])
        self.lay_out()

    def grow(
        self, keep: int, lines: Sequence[ReplyLine], how: Parts, right: str, goes_on: bool = False
    ) -> None:
        """More of the reply is there; ``goes_on``: its last line is not whole."""
        shown = [self._reply_line(line) for line in lines]
        if goes_on and shown and shown[-1].parts:
            cursor = ("accent", self.glyphs.input_cursor)
            shown[-1] = replace(shown[-1], parts=(*shown[-1].parts, cursor))
        self.figures_now = self.figures_now._replace(how=how)
        self._right = right
        self.body.regrow(keep, shown)
        self._refresh_bars()

    def end_reply(self, state: ReplayState, right: str, endings: Sequence[tuple[str, str]]) -> None:
        """The reply is over; the footer has what can be done with it."""
        self.state, self._right, self._endings = state, right, endings
        self._refresh_bars()

    def show_trouble(self, sentence: str) -> None:
        """What went wrong, below whatever came."""
        count = self.body.line_count
        gap = [ViewLine(())] if count else []
        self.body.regrow(count, [*gap, ViewLine((("warn", sentence),), 2, hang=2)])

    def show_beside(self, lines: Iterable[ReplyLine]) -> None:
        """The recorded reply, or how the two compare."""
        self.beside.set_lines([self._reply_line(line) for line in lines])

    def _be(self, state: ReplayState, words: str, right: str) -> None:
        self.state, self._words, self._right = state, printable(words), right
        self._endings = ()
        self._refresh_bars()

    def _refresh_bars(self) -> None:
        for bar in (*self.query(LineBar), self.screen.query_one("#tabs")):
            bar.refresh()

    def lay_out(self) -> None:
        """Give the parts their places."""
        is_sheet, is_reply = self.state == "sheet", self.state not in ("sheet", "request")
        self.list.display = is_sheet
        self.query_one("#replay-head").display = is_reply
        self.query_one("#replay-rule").display = self.state != "request"
        old = self.query_one("#replay-old")
        old.display = is_reply
        both, is_wide = self.query_one("#replay-both"), self.size.width >= BESIDE_FROM
        both.styles.layout = "horizontal" if is_wide else "vertical"
        old.styles.width = "1fr"
        old.styles.height = "1fr" if is_wide else max(4, self.size.height // 3)

    def on_resize(self, event: events.Resize) -> None:
        """The recorded reply goes where there is room."""
        del event
        self.lay_out()

    def action_replace(self) -> None:
        """A key that is no command anywhere else."""
        if (act := self.acts.get("replace")) is not None:
            act()

    # -- bars ----------------------------------------------------------------------------------

    def _head(self, y: int, width: int) -> Parts:
        if y == 0:
            return [("  ", "fg"), (cut(self.figures_now.who, width - 3, self.glyphs.cut), "muted")]
        return [("  ", "fg"), *self.figures_now.how]

    def _rule(self, _: int, width: int) -> Parts:
        return [(" ", "fg"), (self.glyphs.rule * max(0, width - 2), "line")]

    def _old_title(self, _: int, width: int) -> Parts:
        words = f"{self.glyphs.same} same  {self.glyphs.differs} differs "
        return spread([("  recorded", "title")], [(words, "muted")], width)

    def _reply_line(self, line: ReplyLine) -> ViewLine:
        body = line.line
        parts = list(body.parts)
        if line.sign is not None:
            style = SIGN_STYLES.get(line.sign, "fg")
            parts.insert(0, (style, f"{getattr(self.glyphs, line.sign)} "))
        if line.mark:
            same = line.mark == "same"
            sign = self.glyphs.same if same else self.glyphs.differs
            parts.insert(0, ("result" if same else "warn", f"{sign} "))
        is_prose = len(parts) == 1 and parts[0][0] in ("fg", "think")
        hang = 0 if is_prose else 2
        return ViewLine(tuple(parts), body.indent + 2, body.bar, hang=hang)

    # -- as a pane -----------------------------------------------------------------------------

    @property
    def words(self) -> str:
        """``replay turn 9``."""
        return self._words

    @property
    def figures(self) -> Parts:
        """``nothing sent yet``, ``arriving 4.2 s``, how it ended."""
        style = "accent" if self.state == "arriving" else "muted"
        return [(f"{self._right} ", style)] if self._right else []

    @property
    def keys(self) -> Sequence[tuple[str, str]]:
        """What one can do now."""
        if self.state == "sheet":
            return (
                ("enter", "send"),
                (f"{self.glyphs.up} {self.glyphs.down}", "field"),
                ("e", "change"),
                ("w", "see the request"),
                ("esc", "not now"),
            )
        if self.state == "request":
            return (("esc", "back to the sheet"),)
        if self.state == "arriving":
            return (("esc", "stop, keep what came"),)
        return self._endings

    @property
    def target(self) -> Widget:
        """The fields, or the lines."""
        return self.list if self.state == "sheet" else self.body


def _fact_line(fact: SheetFact) -> ViewLine:
    name = pad(fact.name, NAME)
    if fact.style.startswith("error"):
        return ViewLine(((fact.style, f"  ! {fact.words}"),), hang=4)
    if not fact.name:
        return ViewLine(((fact.style, f"  {fact.words}"),), hang=4)
    style = "error" if fact.name[:1].isupper() else "muted"
    return ViewLine(((style, f"  {name} "), (fact.style, fact.words)), hang=NAME + 3)


def _view_line(line: BodyLine) -> ViewLine:
    return ViewLine(line.parts, line.indent + 2, line.bar)
