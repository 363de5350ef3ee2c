"""A session's screen while the session grows: what is new is shown, the cursor stays."""

import asyncio
import gc
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from time import perf_counter, time
from typing import Final

from tapeview.capture.growing import BIG, Grown, Growth
from tapeview.errors import OpenError, PlaceError
from tapeview.looks.changes import Changes, unsaved_words
from tapeview.looks.following import (
    HAPPENED,
    age_words,
    grown_rows,
    last_row,
    waiting_since,
)
from tapeview.looks.knew import Knew
from tapeview.tape.clean import printable
from tapeview.tape.record import Record
from tapeview.tui.background import in_background
from tapeview.tui.screens.main_outcome import OutcomeScreen
from tapeview.tui.widgets.line_list import LineList
from tapeview.tui.widgets.tape_rows import FOLDED_AT_FIRST

__all__ = ["FollowingScreen"]

POLL: Final = 0.11
"""Seconds between two looks at the files: some system calls."""


class FollowingScreen(OutcomeScreen):
    """The screens of a session that is followed. The one of main, below all others, looks."""

    _wants = False
    """On the screen of main: somebody wants the session to be followed."""
    _goes_to_end = False
    """The cursor has still to go to the end, which is not known until the session is settled."""
    _growth: Growth | None = None
    _works = False
    """What the session has become is being worked out."""
    _second = 0
    _fault = ""
    """Why what the path leads to could not be shown, as it was told."""

    @property
    def followers(self) -> list["FollowingScreen"]:
        """All screens of the session, that of main first."""
        return [each for each in self.app.screen_stack if isinstance(each, FollowingScreen)]

    @property
    def root(self) -> "FollowingScreen":
        """The screen of main."""
        return next(iter(self.followers), self)

    @property
    def is_following(self) -> bool:
        """Whether the session is followed."""
        return self.root._wants

    @property
    def follow_words(self) -> str:
        """``following``, or why what is new is not shown now."""
        root = self.root
        if not root._wants:
            return ""
        pause = root._pause()
        behind = root._growth is not None and root._growth.is_behind
        return f"paused: {pause}{', file changed' if behind else ''}" if pause else "following"

    # -- on and off ----------------------------------------------------------------------------

    def do_follow(self) -> None:
        """Follow the session, from its end; again, stop."""
        if self.is_following:
            self.stop_following()
            return
        if self.root.follow_session():
            self.timeline.go(last_row(self.snapshot, self.timeline.folded))
            self.say("what is new is shown; esc stops")

    def follow_session(self, from_end: bool = False) -> bool:
        """From now on show what comes. Not of a session that cannot grow; the footer says so."""
        if self.opened.is_settled and not self._can_grow():
            return False
        self._wants = True
        self._goes_to_end = from_end
        self.run_worker(self._follow(), name="follow", group="follow")
        self.refresh_follow()
        if self.opened.is_settled:
            self._go_to_end()
        return True

    def _go_to_end(self) -> None:
        """Go there once, as whoever opened the session wanted."""
        if self._goes_to_end and not self.timeline.empty:
            self.timeline.go(last_row(self.snapshot, self.timeline.folded))
        self._goes_to_end = False

    def stop_following(self) -> None:
        """Leave the session as it is shown."""
        root = self.root
        if not root._wants:
            return
        root._wants, root._growth, root._works = False, None, False
        root.workers.cancel_group(root, "follow")
        for screen in self.followers:
            screen.refresh_follow()
        self.say("no longer following")

    def _can_grow(self) -> bool:
        if self._growth is None:
            try:
                self._growth = Growth(self.opened)
            except OpenError as error:
                self.followers[-1].say(str(error), "warn")
                return False
            self.saved()
        return True

    def refresh_follow(self) -> None:
        """Paint anew what tells of it."""
        self.timeline.age_of = self.age_of if self.is_following else None
        self.timeline.forget_strips()
        self.timeline.refresh()
        self.refresh_bars()

    def age_of(self, record: Record) -> str:
        """How long a call waits; "" where nobody knows."""
        growth = self.root._growth
        since = waiting_since(record, growth.since if growth is not None else lambda _: None)
        return "" if since is None else age_words(time() - since)

    # -- looking -------------------------------------------------------------------------------

    async def _follow(self) -> None:
        while self._wants:
            await asyncio.sleep(POLL)
            if not self._is_there():
                return
            if not self.opened.is_settled:
                continue
            self._goes_to_end &= self.timeline.at <= 0  # else somebody moved while it was read
            self._go_to_end()
            if not self._can_grow():
                self.stop_following()
            elif self._growth is not None:
                self._tick()
                self._look(self._growth, perf_counter())

    def _is_there(self) -> bool:
        """Whether the screen is there still: it goes with the program, or for another session's."""
        return self.app.is_running and self in self.app.screen_stack

    def _look(self, growth: Growth, now: float) -> None:
        happened = growth.look(now)
        top = self.followers[-1]
        if happened in HAPPENED and (growth.store_grows or happened == "gone"):
            top.say(HAPPENED[happened], "warn")
        due = growth.is_due(now) and not self._works
        if not growth.is_behind and not due:
            return
        if top.follow_words != top.shown_words:
            top.refresh_bars()
        if self._pause():
            return
        if growth.is_behind:
            self._glimpse(growth)
        if due:
            self._works = True
            work = partial(growth.begin(now), self.timeline.most_lanes)
            self.run_worker(self._grow(growth, work), name="grow", group="follow")

    async def _grow(self, growth: Growth, work: Callable[[], Grown]) -> None:
        grown = await in_background(work)
        self._works = False
        if grown is None or not self._is_there():
            return
        if self._pause():
            growth.put_back(grown)
        elif growth.take(grown, perf_counter()):
            if self.keeper is not None:
                self.keeper.hold_anew()
            top = self.followers[-1]
            if self._fault and top.message[0] == self._fault:
                top.say(HAPPENED["back"])
            self._fault = ""
            self.on_all_screens(lambda screen: screen.show_grown())
            if self.opened.session.source.size >= BIG:
                gc.freeze()  # as when it was read
        elif grown.fault:
            self._fault = printable(grown.fault)
            self.followers[-1].say(self._fault, "warn")

    def _pause(self) -> str:
        """Why what is new must wait: it would take away what somebody is at."""
        if unsaved := self.opened.log.unsaved:
            return unsaved_words(unsaved)
        for screen in self.followers:
            if screen.side is not None and screen.side in (screen.edit_pane, screen.choices):
                return "an edit is open"
            if screen.side is screen.replay_pane:
                return "a call is open"
            if screen.question.is_open or screen.word_line.is_open:
                return "a question is open"
            if screen.marked is not None:
                return "a row is marked"
            if isinstance(screen.snapshot, Knew):
                return "one turn is shown"
        return ""

    def _tick(self) -> None:
        """Once a second: ages, and the reason of a pause."""
        second = int(perf_counter())
        if second == self._second:
            return
        self._second = second
        top = self.followers[-1]
        if self.app.screen is top:
            top.timeline.refresh_ages()
            if top.follow_words != top.shown_words:
                top.refresh_bars()

    @property
    def _is_at_end(self) -> bool:
        """Whether the cursor goes along with the end: it is there, and nobody reads the block."""
        timeline = self.timeline
        if timeline.empty:
            return True
        return self.pane != "block" and timeline.at >= last_row(self.snapshot, timeline.folded)

    # -- showing -------------------------------------------------------------------------------

    def _glimpse(self, growth: Growth) -> None:
        """New rows at once, before it is known what they make."""
        if self.timeline.only_words:
            return
        shown = growth.glimpse(self.opened.snapshot())
        if shown is None:
            return
        at_end = self._is_at_end
        self.snapshot = shown
        with self.timeline.prevent(LineList.CursorMoved):
            self.timeline.grow(shown, shown.first_new)
            if at_end:
                self.timeline.go(last_row(shown, self.timeline.folded))
        self.call_after_refresh(self.show_block)

    def show_grown(self) -> bool:
        """Show what the session has become; False where its tape is gone."""
        before, timeline = self.snapshot, self.timeline
        try:
            after = self.opened.snapshot(self.trail[-1])
        except PlaceError:
            return False
        at_end = self._is_at_end
        moved = grown_rows(before, after, timeline.at, timeline.folded, FOLDED_AT_FIRST)
        at = last_row(after, moved.folded) if at_end else moved.at
        self.snapshot = after
        self.__dict__.pop("origin", None)
        timeline.changes = Changes(after.session)
        with timeline.prevent(LineList.CursorMoved):
            timeline.show(after, at=at, folded=moved.folded)
            if at_end:
                timeline.scroll_to_row(timeline.row_count())
        self.problems.show(after)
        self.search_line.again()
        self.lay_out()
        self.call_after_refresh(self.show_block)
        return True

    # -- what the other screens do -------------------------------------------------------------

    def tell_change(self) -> None:
        """Say it when the file changed, unless that is looked at all the time."""
        ours = self.keeper is not None and self.keeper.wrote_last()
        if not self.is_following and not ours:
            super().tell_change()

    def saved(self) -> None:
        """The file was written by ourselves: that is no news."""
        growth, keeper = self.root._growth, self.keeper
        if growth is not None and keeper is not None and keeper.wrote_last():
            with suppress(OSError):
                growth.saved()
