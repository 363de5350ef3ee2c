"""How one goes from tape to tape: the list of them, a sub-agent's screen, and back to its call."""

from __future__ import annotations

from abc import abstractmethod

from textual import on

from tapeview.looks.tapes import first_row, origin_of
from tapeview.tui.screens.main_moves import MovingScreen
from tapeview.tui.widgets.line_list import LineList

__all__ = ["TapesScreen"]


class TapesScreen(MovingScreen):
    """The screen of one tape; those of the tapes that led to it lie below."""

    @abstractmethod
    def deeper(self, tape: str, row: int = 0) -> TapesScreen:
        """A screen for a sub-agent that is called on this one."""

    # -- the list ------------------------------------------------------------------------------

    def do_tapes(self) -> None:
        """List the tapes in the block pane's place; again, give it back."""
        if self.tapes.is_open:
            self.close_side()
            return
        row = self.row
        line = self.snapshot.of(row) if row is not None else self.snapshot
        self.tapes.open(self.opened, line.tape.id)
        self.open_side(self.tapes)

    @on(LineList.Clicked, "TapeList")
    def _tape_clicked(self, event: LineList.Clicked) -> None:
        if event.times == 2:
            self.open_listed()

    def open_listed(self) -> None:
        """Go to the tape that the list's cursor is on."""
        entry = self.tapes.list.entry
        self.close_side("timeline")
        if entry is None:
            return
        if entry.kind == "agent":
            self._go_to_agent(entry.id)
            return
        main = self._back_to("main")
        main.leave_knew()
        main.timeline.go(first_row(main.snapshot, entry.id), line=3)

    def _go_to_agent(self, tape: str) -> None:
        """To its screen, if that lies below this one; else from main, at its call."""
        if tape in self.trail:
            self._back_to(tape)
            return
        main = self._back_to("main")
        main.leave_knew()
        origin = origin_of(main.snapshot, self.opened.snapshot(tape).tape)
        if origin is not None:
            main.timeline.go(origin.row, line=main.app.size.height // 3)
        main.app.push_screen(main.deeper(tape))

    def _back_to(self, tape: str) -> TapesScreen:
        """Leave all screens above that of a tape of the trail."""
        screen = self.app.screen
        while isinstance(screen, TapesScreen) and screen.trail[-1] != tape:
            self.app.pop_screen()
            screen = self.app.screen
        return screen if isinstance(screen, TapesScreen) else self

    # -- back to the call ----------------------------------------------------------------------

    def do_follow_link(self) -> None:
        """Go to the other end of the link; from a sub-agent's first message back to its call."""
        started = self.started
        if started is None:
            super().do_follow_link()
            return
        screen = self._back_to(self.trail[-2])
        if started.caller not in screen.snapshot.row_of:
            screen.leave_knew()
        at = screen.snapshot.row_of[started.caller]
        shown = screen.timeline.is_in_view(at)
        screen.timeline.go(at, line=None if shown else screen.app.size.height // 3)
