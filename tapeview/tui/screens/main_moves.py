"""How one moves on a session's screen: along turns, problems, links, and what the model knew."""

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from textual import on
from textual.screen import Screen

from tapeview.looks.knew import Knew
from tapeview.looks.tapes import Origin, origin_of
from tapeview.open_session import OpenSession
from tapeview.rules._engine import Finding
from tapeview.search.run import Beyond, tapes_beyond
from tapeview.snapshot import Snapshot
from tapeview.tape.clean import printable
from tapeview.tape.rows import Row
from tapeview.tui.glyphs import Glyphs
from tapeview.tui.screens.search_line import SearchLine
from tapeview.tui.widgets.block_pane import BlockPane
from tapeview.tui.widgets.problems import Problems
from tapeview.tui.widgets.side_pane import SidePane
from tapeview.tui.widgets.tapes import TapesPane
from tapeview.tui.widgets.timeline import Timeline

__all__ = ["SIDE_BY_SIDE", "MovingScreen"]

SIDE_BY_SIDE: Final = 100
"""Screen columns from which on timeline and block stand side by side."""


class MovingScreen(Screen[None]):
    """The parts of the screen of one session, and what moves the timeline's cursor."""

    opened: OpenSession
    snapshot: Snapshot
    glyphs: Glyphs
    trail: tuple[str, ...]
    """Tapes from main to the one that is shown."""
    pane: str
    """Which of the panes has the focus, or had it last."""
    shown_words = ""
    """What was said last of following."""
    message: tuple[str, str]
    """What stands at the right end of the footer, and its style."""
    _before_side = "timeline"
    _sides: Sequence[SidePane] = ()
    left_at: int = 0
    """The row that one looked at a single call from."""

    @abstractmethod
    def say(self, words: str, style: str = "fg") -> None:
        """Put a message at the right end of the footer, until the next key."""

    @property
    @abstractmethod
    def follow_words(self) -> str:
        """``following``, or why what is new is not shown; "" where nothing is followed."""

    @abstractmethod
    def show_pane(self, pane: str) -> None:
        """Show a pane, where only one fits, and give it the focus."""

    @abstractmethod
    def refresh_bars(self) -> None:
        """Paint every line anew that speaks of the cursor or the focus."""

    # -- parts ---------------------------------------------------------------------------------

    @property
    def timeline(self) -> Timeline:
        """The timeline."""
        return self.query_one("#timeline", Timeline)

    @property
    def block(self) -> BlockPane:
        """The block pane."""
        return self.query_one("#block", BlockPane)

    @property
    def problems(self) -> Problems:
        """The problems pane."""
        return self.query_one("#problems", Problems)

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self.timeline.row

    @property
    def tapes(self) -> TapesPane:
        """The list of tapes."""
        return self.query_one("#tapes", TapesPane)

    @property
    def side(self) -> SidePane | None:
        """What stands in the block pane's place."""
        return next((pane for pane in self.sides if pane.is_open), None)

    @property
    def sides(self) -> Sequence[SidePane]:
        """All that may stand there."""
        # Parts never come or go, and walking to them takes longer than most keys.
        if not self._sides:
            found = self.query("SidePane")
            self._sides = tuple(pane for pane in found if isinstance(pane, SidePane))
        return self._sides

    @property
    def keys_here(self) -> Sequence[tuple[str, str]]:
        """The footer's keys, where a pane has keys of its own: key and word."""
        side = self.side
        return side.keys if side is not None and self.pane == side.id else ()

    def open_side(self, pane: SidePane) -> None:
        """Put a pane in the block pane's place and give it the focus."""
        other = self.side
        if other is None:
            self._before_side = self.pane
        elif other is not pane:
            other.close()
        pane.is_open = True
        self.show_pane(str(pane.id))

    def close_side(self, pane: str = "") -> None:
        """Give the block pane its place back; the focus goes to where it was, or to ``pane``."""
        if (side := self.side) is not None:
            side.close()
        self.show_pane(pane or self._before_side)

    @cached_property
    def origin(self) -> Origin | None:
        """The call that started the sub-agent that is shown."""
        if len(self.trail) == 1:
            return None
        tape = self.opened.snapshot(self.trail[-1]).tape
        return origin_of(self.opened.snapshot(self.trail[-2]), tape)

    @property
    def started(self) -> Origin | None:
        """The same on a sub-agent's first message, from where one goes back to its call."""
        row = self.row
        is_first = row is not None and row.message == 0
        linked = row is not None and row.block in self.snapshot.index.link_of
        return self.origin if is_first and not linked else None

    @property
    def side_by_side(self) -> bool:
        """Whether the screen is wide enough for more than one pane."""
        return self.app.size.width >= SIDE_BY_SIDE

    @property
    def search_line(self) -> SearchLine:
        """The line that one types into to search."""
        return self.query_one("#search", SearchLine)

    def beyond(self) -> Sequence[Beyond]:
        """Tapes that a search looks into as well; what the model knew ends with this one."""
        return () if isinstance(self.snapshot, Knew) else tapes_beyond(self.opened, self.snapshot)

    def findings_here(self) -> tuple[Finding, ...]:
        """Findings at the cursor's row."""
        row = self.row
        return tuple(self.snapshot.findings_at(row)) if row is not None else ()

    # -- what the cursor is on -----------------------------------------------------------------

    @on(SearchLine.Changed)
    def _marks_changed(self) -> None:
        for title in ("#timeline-title", "#tabs"):
            self.query_one(title).refresh()
        self.call_after_refresh(self._mark_block)

    def _mark_block(self) -> None:
        if self.row is not None:
            above = self.started.line if self.started is not None else None
            query = self.timeline.query_at(self.timeline.at)
            self.block.show(self.snapshot, self.row, query, above)

    def show_block(self) -> None:
        """Show what the cursor is on, with what was found in it marked."""
        if self.row is not None:
            self._mark_block()
            if self.focused is not self.problems and (here := self.findings_here()):
                self.problems.point_at(here[0])
        self.refresh_bars()

    # -- moves ---------------------------------------------------------------------------------

    def do_next_turn(self) -> None:
        """Go to the next turn's rule."""
        self._step_turn(1)

    def do_previous_turn(self) -> None:
        """Go to the turn's rule above."""
        self._step_turn(-1)

    def _step_turn(self, step: int) -> None:
        if isinstance(self.snapshot, Knew):
            self._step_knew(self.snapshot, step)
            return
        here = self.timeline.at
        rows = self.snapshot.turn_row_of.values()
        places = sorted(at for at in rows if self.timeline.is_listed(at))
        ahead = [at for at in places if (at - here) * step > 0]
        if not ahead:
            self.say("no further turn", "warn")
            return
        self.timeline.go(ahead[0] if step > 0 else ahead[-1], line=3)

    def do_next_problem(self) -> None:
        """Go to the next finding."""
        self._step_problem(1)

    def do_previous_problem(self) -> None:
        """Go to the finding above."""
        self._step_problem(-1)

    def _step_problem(self, step: int) -> None:
        here = self.timeline.at
        faults = [f for f in self.snapshot.findings if f.severity not in ("pending", "info")]
        places = [(self.snapshot.row_of_finding(finding), finding) for finding in faults]
        ahead = [pair for pair in places if (pair[0] - here) * step > 0]
        if not ahead:
            self.say("no further problem" if places else "no problems", "warn")
            return
        self.go_to_finding(min(ahead, key=lambda pair: abs(pair[0] - here))[1])

    def go_to_finding(self, finding: Finding) -> None:
        """Go to the row that a finding points at."""
        at = self.snapshot.row_of_finding(finding)
        line = None if self.timeline.is_in_view(at) else self.timeline.size.height // 3
        self.timeline.go(at, line=line)
        if self.focused is not self.problems:
            self.problems.point_at(finding)

    def do_follow_link(self) -> None:
        """Go to the other end of the link; on a doubled one, to the next."""
        row = self.row
        link = self.snapshot.index.link_of.get(row.block) if row and row.block else None
        if row is None or row.block is None or link is None:
            self.say("no link here", "warn")
            return
        ends = [end.block for end in link.ends]
        if len(ends) == 1:
            verb = "no call carries" if link.call is None else "nothing answers"
            verb = "the tape ends before the result of" if link.state == "pending" else verb
            self.say(f"{verb} {printable(row.block.id)[:40]}", "warn")
            return
        here = next((k for k, block in enumerate(ends) if block is row.block), 0)
        at = self.snapshot.row_of[ends[(here + 1) % len(ends)]]
        line = None if self.timeline.is_in_view(at) else self.timeline.size.height // 3
        self.timeline.go(at, line=line)

    def do_fold_all(self) -> None:
        """Fold every turn, or unfold them if one is folded."""
        turns = set(self.snapshot.turn_row_of.values())
        self.timeline.fold_turns(not turns & self.timeline.folded)

    def do_knew(self) -> None:
        """Show only what the model knew at this turn; again, all of the tape."""
        if isinstance(self.snapshot, Knew):
            self.leave_knew()
            return
        numbers = self.snapshot.turn_numbers
        if not numbers:
            self.say("no turns", "warn")
            return
        row = self.row
        here = row.after if row is not None else 0
        knew = Knew(self.snapshot, here if here in numbers else numbers[0])
        self.left_at = max(0, self.timeline.at)
        self.look_at(knew, knew.turn_row_of[knew.number])

    def leave_knew(self) -> None:
        """Show all of the tape again, at the block that was looked at or where one came from."""
        if isinstance(self.snapshot, Knew):
            self.look_at(self.snapshot.whole, self.left_at)

    def look_at(self, snapshot: Snapshot, otherwise: int = 0) -> None:
        """Show another look at the tape; what is looked for is looked for there too."""
        self.snapshot = snapshot
        self.timeline.show(snapshot, otherwise)
        self.problems.show(snapshot)
        self.search_line.again()
        self.show_pane("timeline")
        self.show_block()

    def _step_knew(self, knew: Knew, step: int) -> None:
        number = knew.number + step
        if number not in knew.turn_numbers:
            self.say("no further turn", "warn")
            return
        knew = Knew(knew.whole, number)
        self.look_at(knew)
        self.timeline.go(knew.turn_row_of[number], line=3)
