"""A session's screen while its file is read, and when the file changes under it."""

import gc
from abc import abstractmethod
from functools import partial
from time import perf_counter
from typing import Final

from tapeview.errors import PlaceError
from tapeview.formats._source import Change
from tapeview.loading import Loading, Settled, place_in
from tapeview.looks.heading import CHANGES
from tapeview.looks.tapes import ANYWHERE, Wanted, start_of
from tapeview.tape.clean import printable
from tapeview.tui.background import in_background
from tapeview.tui.screens.main_tapes import TapesScreen
from tapeview.tui.widgets.line_list import LineList

__all__ = ["LoadingScreen"]

SLICE: Final = 0.008
PAUSE: Final = 0.002
"""Seconds of reading on the UI loop, and between two such slices."""
GROW: Final = 0.25
"""Seconds between two paints of what was read."""
LOOK: Final = 1.0
"""Seconds between two looks at the file itself."""
TYPES_ON: Final = 1.0
"""Seconds without a key after which nobody types on into a line that was refused."""

AT_ONCE: Final = frozenset(
    {"open", "back", "next_turn", "previous_turn", "next_pane", "previous_pane"}
    | {"taller", "shorter", "copy_text", "copy_json", "copy_path", "open_editor", "quit", "follow"}
)
"""Commands that need nothing but rows."""
TYPED_INTO: Final = frozenset({"search", "go_to"})
"""Commands that open a line to type into."""


class LoadingScreen(TapesScreen):
    """Reads on in slices of the UI loop's time; turns, links and findings come in a thread."""

    trail: tuple[str, ...]
    message: tuple[str, str]
    wanted: Wanted = ANYWHERE
    """Where to go once the session is settled, unless somebody moved before."""
    _grown = 0.0
    _looked = 0.0
    _told: Change = ""
    _typing = False
    _last_typed = 0.0
    """When the last key came of what is typed into a line that was refused."""

    @abstractmethod
    def lay_out(self) -> None:
        """Give the panes their places."""

    @property
    def rows_below(self) -> int:
        """Rows of the screen that the problems take from the panes beside one another."""
        if not self.side_by_side:
            return 0
        height = self.problems.styles.height
        listed = int(height.value) if self.problems.display and height is not None else 0
        return listed + bool(self.query_one("#api-line").display)

    def on_mount(self) -> None:
        """Begin to read, and look at the file whenever the terminal gets the focus."""
        self.watch(self.app, "app_focus", self._came_back, init=False)
        if not self.opened.is_settled:
            self.set_timer(PAUSE, self._read_on)

    @abstractmethod
    def begin_keeping(self) -> None:
        """From now on the session can be edited."""

    @property
    def room_for_problems(self) -> int:
        """Rows that the problems want. While nobody knows it is room for as many as are shown."""
        return self.problems.row_count() if self.snapshot.settled else self.app.size.height

    def waits(self, identity: str) -> bool:
        """Whether a command needs what is not known yet; then the footer says so."""
        if self._typing:
            # Whoever was refused a line types on into it: these are no commands, settled or not.
            now = perf_counter()
            self._typing = identity not in ("open", "back") and now - self._last_typed < TYPES_ON
            self._last_typed = now
            if self._typing or not self.snapshot.settled:
                return True
        if self.snapshot.settled:
            return False
        if identity in AT_ONCE:
            return False
        self._typing, self._last_typed = identity in TYPED_INTO, perf_counter()
        opened = self.opened
        fault = opened.fault if isinstance(opened, Loading) else ""
        self.say(printable(fault) if self.opened.is_stuck else "still reading", "warn")
        return True

    # -- reading -------------------------------------------------------------------------------

    def _read_on(self) -> None:
        loading = self.opened
        if not isinstance(loading, Loading):
            return
        loading.go_on(perf_counter() + SLICE)
        if loading.is_read or perf_counter() - self._grown >= GROW:
            self._grown = perf_counter()
            self.snapshot = loading.snapshot()
            self.timeline.grow(self.snapshot)
            self.query_one("#header").refresh()
        if loading.is_read:
            self.run_worker(self._settle(loading), name="settle")
        else:
            self.set_timer(PAUSE, self._read_on)

    async def _settle(self, loading: Loading) -> None:
        lanes = self.timeline.most_lanes
        settled = await in_background(partial(loading.settle, lanes))
        # A fault that nobody foresaw broke the thread off.
        loading.take(settled or Settled(None, "working out the session broke off"))
        if loading.is_settled:
            self._show_settled(loading)
        self.refresh_bars()
        if loading.fault:
            self.say(printable(loading.fault), "warn")

    def _show_settled(self, loading: Loading) -> None:
        gc.freeze()  # what was read stays: no collection has to walk through it again
        rows, here = self.snapshot.rows, self.timeline.at
        self.snapshot = loading.snapshot()
        at = place_in(self.snapshot, rows, here)
        # Nobody moved: a message that stands in the footer stays.
        with self.timeline.prevent(LineList.CursorMoved):
            self.timeline.show(self.snapshot, at=at)
        self.problems.show(self.snapshot)
        self.lay_out()
        self.begin_keeping()
        if self.wanted != ANYWHERE and here <= 0:
            self._go_where_wanted()
        self.call_after_refresh(self.show_block)

    def _go_where_wanted(self) -> None:
        try:
            start = start_of(self.opened, *self.wanted)
        except PlaceError as error:
            self.say(printable(str(error)), "warn")
            return
        self.timeline.go(start.row, line=self.app.size.height // 3)
        if start.agent:
            self.app.push_screen(self.deeper(start.agent, start.agent_row))

    # -- the file itself -----------------------------------------------------------------------

    def _came_back(self) -> None:
        if self.app.app_focus:
            self.tell_change()

    def look_at_file(self) -> None:
        """Look at the file now and then; what the footer says already is not taken away."""
        if not self.message[0] and perf_counter() - self._looked >= LOOK:
            self.tell_change()

    def tell_change(self) -> None:
        """Say it once when the file is no longer what it was; a look costs a system call."""
        self._looked = perf_counter()
        change = self.opened.change()
        if change and change != self._told:
            self.say(CHANGES[change], "warn")
        self._told = change
