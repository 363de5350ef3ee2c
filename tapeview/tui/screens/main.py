"""The screen of one session: header, timeline, block, problems, footer."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.widget import Widget

from tapeview.commands import COMMANDS
from tapeview.looks.block_text import copy_json, copy_path, copy_text
from tapeview.looks.changes import Changes
from tapeview.looks.knew import Knew
from tapeview.looks.tapes import ANYWHERE, Wanted
from tapeview.open_session import OpenSession
from tapeview.tape.sizes import size_long
from tapeview.tui.editor import open_in_editor
from tapeview.tui.glyphs import Glyphs
from tapeview.tui.screens import main_bars
from tapeview.tui.screens.main_following import FollowingScreen
from tapeview.tui.screens.search_line import SearchLine
from tapeview.tui.widgets.bars import LineBar
from tapeview.tui.widgets.block_pane import BlockPane
from tapeview.tui.widgets.choice_pane import BESIDE_A_CHOICE, ChoicePane
from tapeview.tui.widgets.diff_pane import DiffPane
from tapeview.tui.widgets.edit_pane import EditPane
from tapeview.tui.widgets.line_list import LineList
from tapeview.tui.widgets.place_input import PlaceInput
from tapeview.tui.widgets.problems import Problems
from tapeview.tui.widgets.question import Question, WordLine
from tapeview.tui.widgets.replay_pane import ReplayPane
from tapeview.tui.widgets.still import StillHorizontal, StillVertical
from tapeview.tui.widgets.tapes import TapesPane
from tapeview.tui.widgets.timeline import Timeline

__all__ = ["MainScreen"]

PANES: Final = ("timeline", "block", "problems")
BESIDE_A_CALL: Final = frozenset(
    {"quit", "next_pane", "previous_pane", "taller", "shorter", "follow", "save", "copy_path"}
)
"""Commands that do what they always do while a call has the focus."""


class MainScreen(FollowingScreen):
    """One open session. Keys come from the command table; what they do is one method each."""

    BINDINGS = [  # noqa: RUF012 - Textual's own class variable
        # With priority, keys typed ahead act one after the other, in the order they came.
        Binding(
            ",".join(entry.keys),
            f"app.command('{entry.id}')",
            entry.title,
            show=False,
            priority=True,
        )
        for entry in COMMANDS
    ]

    CSS = """
    MainScreen { layout: vertical; background: $background; }
    #header { height: 2; }
    #body { height: 1fr; }
    #left { width: 72; }
    #block { width: 1fr; }
    #lower { height: auto; }
    #problems { height: 5; }
    #goto { display: none; height: 1; background: $surface; }
    #goto-input { width: 1fr; height: 1; border: none; padding: 0; background: $surface; }
    #goto-sign { width: 3; }
    #goto-answer { width: 50%; }
    """

    _bars: Sequence[LineBar] = ()
    """All of them: they never come or go."""

    def __init__(
        self,
        opened: OpenSession,
        glyphs: Glyphs,
        start: int = 0,
        tape: str = "main",
        trail: tuple[str, ...] = (),
        sought: SearchLine | None = None,
        wanted: Wanted = ANYWHERE,
        environ: Mapping[str, str] = os.environ,
        follow: bool = False,
        hint: tuple[str, ...] = (),
    ) -> None:
        super().__init__()
        self.opened = opened
        self._follows_at_first = follow
        self._hint = hint
        self.trail = (*trail, tape)
        self.snapshot = opened.snapshot(tape)
        self.glyphs = glyphs
        self.message: tuple[str, str] = ("", "muted")
        self.pane = "timeline"
        self.problem_rows = 0
        self._start = start
        self.wanted = wanted
        self._sought = sought
        self.environ = environ

    def compose(self) -> ComposeResult:
        """Lines and panes, from the top."""
        yield LineBar(lambda y, w: main_bars.header(self, y, w), id="header")
        yield LineBar(lambda _, w: main_bars.tabs(self, w), id="tabs")
        with StillHorizontal(id="body"):
            with StillVertical(id="left"):
                yield LineBar(lambda _, w: main_bars.timeline_title(self, w), id="timeline-title")
                yield Timeline(self.snapshot, glyphs=self.glyphs, id="timeline")
            yield BlockPane(glyphs=self.glyphs, id="block")
            yield TapesPane(glyphs=self.glyphs, id="tapes")
            yield EditPane(glyphs=self.glyphs, id="edit")
            yield ChoicePane(glyphs=self.glyphs, id="choices")
            yield DiffPane(glyphs=self.glyphs, id="diff")
            yield ReplayPane(glyphs=self.glyphs, id="replay")
        with StillVertical(id="lower"):
            yield LineBar(lambda _, w: main_bars.problems_title(self, w), id="problems-title")
            yield Problems(self.snapshot, glyphs=self.glyphs, id="problems")
            yield LineBar(
                lambda _, w: main_bars.api_line(self, w), ground="background", id="api-line"
            )
        yield LineBar(lambda _, w: main_bars.status(self, w), ground="background", id="status")
        with Horizontal(id="goto"):
            yield LineBar(lambda *_: [(" : ", "keycap")], id="goto-sign")
            yield PlaceInput(id="goto-input", compact=True)
            yield LineBar(lambda *_: self.answer_parts(), id="goto-answer")
        yield SearchLine(
            lambda: self.timeline, self.beyond, self.search_ended, glyphs=self.glyphs, id="search"
        )
        yield Question(self.line_ended, glyphs=self.glyphs, id="question")
        yield WordLine(self.line_ended, glyphs=self.glyphs, id="word")
        yield LineBar(lambda _, w: main_bars.footer(self, w), id="footer")

    def on_mount(self) -> None:
        """Show the first row, or the one asked for."""
        self.lay_out()
        if self._hint:
            self.timeline.hint = self._hint
            self.timeline.show(self.snapshot)
        # At once: what was typed ahead may open an editor, which keeps the focus.
        self.set_focus(self.timeline)
        if self._start:
            self.timeline.go(self._start, line=self.app.size.height // 3)
        if self._sought is not None:
            self.search_line.take_over(self._sought)
        self.show_block()
        if self.opened.is_settled:
            self.timeline.changes = Changes(self.snapshot.session)
            self.begin_keeping()
        if self._follows_at_first:
            self.follow_session(from_end=self.wanted == ANYWHERE)
        elif self.is_following:
            self.refresh_follow()

    def on_resize(self) -> None:
        """Panes follow the size of the terminal."""
        self.lay_out()

    def lay_out(self) -> None:
        """Give the panes their places."""
        width, height = self.app.size
        wide, tall = self.side_by_side, height >= 20
        self.query_one("#header").styles.height = 2 if wide and tall else 1
        self.query_one("#tabs").display = not wide
        self.query_one("#timeline-title").display = wide
        self.query_one("#left").styles.width = (
            min(130, 72 + (width - 120) * 65 // 100) if wide else "1fr"
        )
        self.query_one("#left").display = wide or self.pane == "timeline"
        side = self.side
        self.block.display = (wide or self.pane == "block") and side is None
        for pane in self.sides:
            pane.display = pane is side and (wide or self.pane == pane.id)
            pane.title.display = wide
        self.query_one("#body").display = wide or self.pane != "problems"
        listed = self.room_for_problems
        self.query_one("#lower").display = wide or self.pane == "problems"
        self.query_one("#lower").styles.height = "auto" if wide else "1fr"
        self.query_one("#problems-title").display = wide
        self.problems.display = listed > 0
        most = self.problem_rows or (7 if height >= 50 else 5)
        self.problems.styles.height = min(listed, most) if wide else "1fr"
        self.query_one("#api-line").display = bool(self.problems.loud) or not self.snapshot.settled
        self.query_one("#status").display = not wide and tall
        self.show_footer(height)
        self.refresh_bars()

    def refresh_bars(self) -> None:
        """Paint every line anew that speaks of the cursor or the focus."""
        self._bars = self._bars or tuple(self.query(LineBar))
        for bar in self._bars:
            bar.refresh()

    # -- following the cursor ------------------------------------------------------------------

    @on(LineList.CursorMoved, "#timeline")
    def _timeline_moved(self) -> None:
        self.say("")
        self.look_at_file()
        self.refresh_bars()
        if self.diff_pane.is_open and not self.diff_pane.is_whole:
            self.call_after_refresh(self.show_diff)
        # After the timeline's own paint, never before it.
        self.call_after_refresh(self.show_block)

    @on(LineList.CursorMoved, "#problems")
    def _problem_moved(self) -> None:
        finding = self.problems.finding
        if finding is not None and self.focused is self.problems:
            self.go_to_finding(finding)
        self.refresh_bars()

    @on(LineList.Clicked, "#timeline")
    def _timeline_clicked(self, event: LineList.Clicked) -> None:
        if event.times == 2:
            self.do_open()
        elif self.timeline.is_lane(event.row, event.x):
            self.do_follow_link()

    @on(LineList.Clicked, "#problems")
    def _problem_clicked(self, event: LineList.Clicked) -> None:
        if self.problems.toggle():
            self.lay_out()
        elif event.times == 2:
            self.do_open()

    @on(BlockPane.TitleChanged)
    def _block_title_changed(self) -> None:
        self.query_one("#tabs").refresh()

    def on_descendant_focus(self) -> None:
        """Titles show which pane has the focus."""
        focused = self.focused
        if focused is self.timeline:
            self.pane = "timeline"
        elif focused is self.problems:
            self.pane = "problems"
        elif focused is not None and (side := self.side) is not None and side in focused.ancestors:
            self.pane = str(side.id)
        elif focused is not None and self.block in focused.ancestors:
            self.pane = "block"
        self.refresh_bars()

    def say(self, words: str, style: str = "fg") -> None:
        """Put a message at the right end of the footer, until the next key."""
        if (words, style) != self.message:
            self.message = (words, style)
            self.show_footer(self.app.size.height)
            self.query_one("#footer").refresh()

    # -- commands ------------------------------------------------------------------------------

    def command(self, identity: str) -> None:
        """Do what the command table calls ``identity``; an old message goes."""
        self.say("")
        if self.waits(identity):
            return
        before = self.timeline.at
        self._act_of(identity)()
        if self.timeline.at == before:  # a move looks at the file on its own
            self.look_at_file()

    def _act_of(self, identity: str) -> Callable[[], object]:
        """What a command does here: a pane that has the focus may know better."""
        side = self.side
        if side is not None and self.pane == side.id and not self.asking:
            if identity in side.acts:
                return side.acts[identity]
            if side is self.replay_pane and identity not in BESIDE_A_CALL:
                return lambda: self.say("esc leaves the call first", "warn")
            if side is self.choices and identity not in BESIDE_A_CHOICE:
                return lambda: self.say(self.choices.refusal, "warn")
        found: Callable[[], object] = getattr(self, f"do_{identity}")
        return found

    def do_open(self) -> None:
        """Open a foldable row; give any other row's block the focus."""
        if self.focused is self.problems:
            if self.problems.toggle():
                self.lay_out()
                return
            self.show_pane("timeline")
            return
        if self.focused is self.tapes.list:
            self.open_listed()
            return
        if self.focused is self.choices.target:
            self.choices.enter()
            return
        if self.timeline.show_notes():
            return
        if self.timeline.at >= 0 and self.timeline.toggle(self.timeline.at):
            return
        row = self.row
        agent = self.snapshot.agents.get(row.block) if row is not None and row.block else None
        if agent is not None and agent.id not in self.trail and self.focused is self.timeline:
            self.app.push_screen(self.deeper(agent.id))
            return
        if (side := self.side) is not None:
            side.close()
        self.show_pane("block")

    def deeper(self, tape: str, row: int = 0) -> "MainScreen":
        """A screen for a sub-agent that is called on this one."""
        screen = MainScreen(self.opened, self.glyphs, row, tape, self.trail, self.search_line)
        screen.keeper, screen.environ = self.keeper, self.environ
        return screen

    def do_back(self) -> None:
        """Leave the line one types into, or go back: to the timeline, to all rows unmarked."""
        if self.search_line.is_open:
            self.search_line.close(stay=False)
        elif self.question.is_open:
            self.question.close()
        elif self.word_line.is_open:
            self.word_line.close()
        elif self.asking:
            self.end_asking()
        elif self.side is self.edit_pane:
            self.leave_editor()
        elif self.side is not None:
            self.close_side()
        elif self.focused is not self.timeline:
            self.show_pane("timeline")
        elif self.search_line.is_marking:
            self.search_line.clear()
        elif isinstance(self.snapshot, Knew):
            self.leave_knew()
        elif len(self.trail) > 1:
            self.app.pop_screen()
        else:
            self.stop_following()

    def do_next_pane(self) -> None:
        """Give the next pane the focus."""
        self._turn_panes(1)

    def do_previous_pane(self) -> None:
        """Give the pane before the focus."""
        self._turn_panes(-1)

    def _turn_panes(self, step: int) -> None:
        panes = [pane for pane in PANES if pane != "problems" or self.problems.row_count()]
        if (side := self.side) is not None:
            panes[1] = str(side.id)
        here = panes.index(self.pane) if self.pane in panes else 0
        self.show_pane(panes[(here + step) % len(panes)])

    def show_pane(self, pane: str) -> None:
        """Show a pane, where only one fits, and give it the focus."""
        self.pane = pane
        self.lay_out()
        targets: dict[str, Widget] = {"timeline": self.timeline, "problems": self.problems}
        targets |= {str(side.id): side.target for side in self.sides}
        self.set_focus(targets.get(pane, self.block.body))
        self.refresh_bars()

    def do_taller(self) -> None:
        """Give the problems one line more."""
        self._resize_problems(1)

    def do_shorter(self) -> None:
        """Take a line from the problems."""
        self._resize_problems(-1)

    def _resize_problems(self, step: int) -> None:
        now = self.problems.size.height
        most = min(self.problems.row_count(), self.app.size.height // 2)
        self.problem_rows = max(1, min(now + step, most))
        self.lay_out()

    def do_copy_text(self) -> None:
        """Copy the block's text."""
        self._copy(copy_text)

    def do_copy_json(self) -> None:
        """Copy the block's JSON as written."""
        self._copy(copy_json)

    def do_copy_path(self) -> None:
        """Copy the block's path."""
        self._copy(copy_path)

    def _copy(self, take: Callable[..., str]) -> None:
        if self.row is None:
            return
        text = take(self.snapshot, self.row)
        self.app.copy_to_clipboard(text)
        self.say(f"copied {size_long(len(text.encode('utf-8', 'replace')))}")

    def do_open_editor(self) -> None:
        """Open the file in the user's editor, at the record's line."""
        if self.row is not None:
            self.say(open_in_editor(self.app, self.snapshot, self.row), "warn")
