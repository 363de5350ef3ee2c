"""The picker: the sessions on this machine, newest first, found and checked in the background."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path, PurePath
from typing import Final

from textual import events, on
from textual.app import ComposeResult
from textual.screen import Screen
from textual.worker import Worker

from tapeview.commands import PICKER_COMMANDS
from tapeview.errors import TapeviewError
from tapeview.open_session import OpenSession
from tapeview.picker.cache import (
    Checked,
    SessionCache,
    SessionFacts,
    cache_path,
    examine,
    open_listed,
)
from tapeview.picker.sessions import (
    Listed,
    find_samples,
    find_sessions,
    samples_folder,
)
from tapeview.picker.words import Query
from tapeview.tape.clean import clean_line, printable
from tapeview.tui.glyphs import Glyphs
from tapeview.tui.screens import picker_bars
from tapeview.tui.screens.cannot_open import CannotOpen
from tapeview.tui.screens.picker_lines import Known, Line
from tapeview.tui.screens.picker_list import SessionList
from tapeview.tui.screens.picker_work import BROKE_OFF, find_out
from tapeview.tui.widgets.bars import LineBar, Parts
from tapeview.tui.widgets.line_list import LineList

__all__ = ["PickerScreen"]

SAVE_EVERY: Final = 50
"""Finds after which they are saved."""
MINUTE: Final = 30.0
"""Seconds after which the column of ages is written anew."""
LONGEST: Final = 200
"""Characters of what one searches for."""
AIRY: Final = 30
"""Screen lines from which on groups have a blank line between them."""
HEIGHTS: Final = ((30, 8), (22, 5), (18, 3))
"""(screen lines from which on, lines of the lower part)."""

KEYS: Final[Mapping[str, str]] = {key: entry.id for entry in PICKER_COMMANDS for key in entry.keys}
MOVES: Final[Mapping[str, tuple[str, Sequence[int]]]] = {
    "up": ("step", (-1,)),
    "down": ("step", (1,)),
    "pageup": ("page", (-1,)),
    "pagedown": ("page", (1,)),
    "home": ("first", ()),
    "end": ("last", ()),
}


class PickerScreen(Screen[None]):
    """All sessions that were found. The search line has the keys from the start.

    Keys do not come by bindings: the app hands each to ``take_key`` and waits, so that keys typed
    ahead act one after the other, in the order they came, whatever is being opened meanwhile.
    """

    CSS = """
    PickerScreen { layout: vertical; background: $background; }
    #about { height: 7; }
    """

    def __init__(
        self,
        environ: Mapping[str, str],
        glyphs: Glyphs,
        show: Callable[[OpenSession], Awaitable[None]],
        clock: Callable[[], datetime] = datetime.now,
        check: Callable[[str], Checked] = examine,
    ) -> None:
        super().__init__()
        self.glyphs = glyphs
        self.sought = ""
        """What is typed."""
        self.armed = False
        """After ``/`` every letter is one to search for, ``q`` too."""
        self.only_broken = False
        self.message = ""
        self.shown_count = 0
        """Sessions of harnesses in the list."""
        self._show_session = show
        self._clock = clock
        self._check = check
        self._busy = False
        self._looking: Worker[None] | None = None
        self._unsaved = 0
        samples = find_samples(samples_folder())
        self.known = Known(find_sessions(environ), samples, clock(), environ.get("HOME", ""))
        self.cache = SessionCache(cache_path(environ))
        for session in [*self.known.sessions, *samples]:
            if (facts := self.cache.get(session)) is not None:
                self.known.facts[session.path] = facts
        self.listing = SessionList(self.known, glyphs)

    def compose(self) -> ComposeResult:
        """Lines, list, lower part, footer."""
        known, glyphs = self.known, self.glyphs
        yield LineBar(
            lambda _, width: picker_bars.header(known, self.shown_count, glyphs, width), id="header"
        )
        yield LineBar(
            lambda _, width: picker_bars.search_line(
                self.sought, self.armed, self.only_broken, glyphs, width
            ),
            ground="raised",
            id="search",
        )
        yield self.listing
        yield LineBar(lambda _, width: self._about(0, width), id="about-title")
        yield LineBar(lambda y, width: self._about(y + 1, width), ground="background", id="about")
        yield LineBar(
            lambda _, width: picker_bars.footer(
                bool(self.sought or self.armed), self._several, self.message, glyphs, width
            ),
            id="footer",
        )

    def _about(self, y: int, width: int) -> Parts:
        size = width, self._lower_height()
        lines = picker_bars.about(self.known, self.listing.session, self.glyphs, size)
        return lines[y] if y < len(lines) else []

    def on_mount(self) -> None:
        """Show what the folders tell; the rest is found out meanwhile."""
        self._lay_out()
        self._show_lines()
        self._looking = self.run_worker(self._look(), name="look")
        self.set_interval(MINUTE, self._grow_older)

    def on_unmount(self) -> None:
        """Keep what was found out."""
        self._save()

    def on_resize(self, event: events.Resize) -> None:
        """The lower part shrinks before the list does."""
        del event
        self._lay_out()
        self._renew()

    def _lay_out(self) -> None:
        height = self._lower_height()
        self.query_one("#about-title").display = height > 0
        self.query_one("#about").display = height > 1
        self.query_one("#about").styles.height = max(1, height - 1)

    def _lower_height(self) -> int:
        tall = self.app.size.height
        return next((height for least, height in HEIGHTS if tall >= least), 0)

    # -- keys ----------------------------------------------------------------------------------

    async def take_key(self, event: events.Key) -> bool:
        """Act on a key before anybody looks at the next one; whether it was one of ours."""
        if self._busy:
            return True
        self._say("")
        typing = bool(self.sought or self.armed)
        if event.character is not None and event.is_printable:
            if typing or event.key not in KEYS:
                self._type(event.character)
                return True
        elif event.key == "escape" and typing:
            self._search("")
            return True
        elif event.key in MOVES:
            move, values = MOVES[event.key]
            getattr(self.listing, f"action_{move}")(*values)
            return True
        elif event.key in ("backspace", "ctrl+h", "ctrl+u", "ctrl+w"):
            self._untype(event.key)
            return True
        if event.key not in KEYS:
            return False
        await self.command(KEYS[event.key])
        return True

    def take_paste(self, text: str) -> None:
        """Search for what was pasted, too."""
        if not self._busy:
            self._search((self.sought + clean_line(text, LONGEST))[:LONGEST], armed=True)

    def _type(self, letter: str) -> None:
        if letter in "/ " and not self.sought:
            self._search("", armed=letter == "/" or self.armed)
        else:
            letter = letter if letter == " " else clean_line(letter)
            self._search((self.sought + letter)[:LONGEST], armed=True)

    def _untype(self, key: str) -> None:
        if key == "ctrl+u":
            self._search("")
        elif key == "ctrl+w":
            self._search(" ".join([*self.sought.split()[:-1], ""]).lstrip(), armed=self.armed)
        else:
            self._search(self.sought[:-1], armed=bool(self.sought))

    def _search(self, text: str, armed: bool = False) -> None:
        self.sought, self.armed = text, armed
        self._show_lines()

    async def command(self, identity: str) -> None:
        """Do what the command table calls ``identity``."""
        if identity == "open":
            await self.open_session()
        elif identity == "only_broken":
            self.only_broken = not self.only_broken
            self._show_lines()
        elif identity == "leave":
            self._save()
            self.app.exit()
        else:
            await self.app.run_action(f"app.command('{identity}')")

    # -- the list ------------------------------------------------------------------------------

    @property
    def _several(self) -> bool:
        return len({session.harness for session in self.known.sessions}) > 1

    def _show_lines(self) -> None:
        query = Query.of(self.sought)
        self.listing.show(self._lines(query), query)
        self.refresh_bars()

    def _lines(self, query: Query) -> Sequence[Line]:
        airy = self.app.size.height >= AIRY
        lines = self.known.lines(query, self.only_broken, airy)
        sessions = [line.session for line in lines if line.session is not None]
        self.shown_count = sum(session.sample is None for session in sessions)
        return lines

    def refresh_bars(self) -> None:
        """Paint every line anew that is no row of the list."""
        for bar in self.query(LineBar):
            bar.refresh()

    def _renew(self) -> None:
        """Put the rows together anew; the cursor stays where it is."""
        self.listing.renew(self._lines(Query.of(self.sought)))
        self.refresh_bars()

    def _grow_older(self) -> None:
        self.known.now = self._clock()
        self._renew()

    @on(LineList.CursorMoved)
    def _moved(self) -> None:
        self.query_one("#about-title").refresh()
        self.query_one("#about").refresh()

    @on(LineList.Clicked)
    async def _clicked(self, event: LineList.Clicked) -> None:
        if event.times == 2:
            await self.open_session()

    def _say(self, words: str) -> None:
        if words != self.message:
            self.message = words
            self.query_one("#footer").refresh()

    # -- opening -------------------------------------------------------------------------------

    async def open_session(self) -> None:
        """Open the session under the cursor; say why, where that cannot be done."""
        session = self.listing.session
        if session is None or self._busy:
            return
        self._busy = True
        self._say(f"opening {printable(PurePath(session.path).name)}")
        try:
            opened = await asyncio.to_thread(open_listed, session.path)
        except (TapeviewError, OSError) as error:
            screen = CannotOpen(session.path, str(error), self.glyphs)
            await self.app.push_screen(screen, lambda _: self._come_back(session))
            return
        finally:
            self._busy = False
            self._say("")
        if self._looking is not None:
            self._looking.cancel()
        self._save()
        await self._show_session(opened)

    def _come_back(self, session: Listed) -> None:
        """What has vanished meanwhile is not offered again."""
        if not Path(session.path).exists():
            self.known.sessions = [s for s in self.known.sessions if s is not session]
            self._renew()

    # -- finding out ---------------------------------------------------------------------------

    async def _look(self) -> None:
        async for session, facts in find_out(self.known, self._check, self._here):
            if facts is None:
                self.known.checking = session.path
                self.listing.refresh_session(session.path)
            else:
                self._learn(session, facts)
        self._save()

    def _here(self) -> Listed | None:
        return self.listing.session

    def _learn(self, session: Listed, facts: SessionFacts) -> None:
        """Take in what was found out about a session, and show it."""
        query = Query.of(self.sought)
        was_shown = self.known.is_shown(session, query, self.only_broken)
        self.known.facts[session.path] = facts
        self.known.checking = ""
        if facts.checked is not BROKE_OFF:  # that one is tried again at the next start
            self.cache.put(session, facts)
        if self.known.is_shown(session, query, self.only_broken) != was_shown:
            self._renew()
        else:
            self.listing.refresh_session(session.path)
            self.refresh_bars()
        self._unsaved += 1
        if self._unsaved >= SAVE_EVERY:
            self._save()

    def _save(self) -> None:
        self._unsaved = 0
        self.cache.save(s.path for s in [*self.known.sessions, *self.known.samples])
