"""The app with a picker in it, for tests: a home, a day and a check of its own."""

import threading
from datetime import UTC, datetime
from pathlib import Path

from tapeview.picker.cache import examine
from tapeview.tui.app import TapeviewApp
from tapeview.tui.screens.picker import PickerScreen
from tests.fake_home import FakeHome

__all__ = ["NARROW", "NOW", "WIDE", "Gate", "PickerApp", "checked", "four_sessions", "until"]

WIDE, NARROW = (120, 40), (80, 24)
NOW = datetime(2026, 3, 12, 14, 30, tzinfo=UTC)
MINUTE, HOUR, DAY = 60, 3600, 86_400


class PickerApp(TapeviewApp):
    """The app in a home of its own, on a day of its own."""

    def __init__(self, home, check=examine, glyphs=None):
        super().__init__(environ=home.environ)
        self.check = check
        self.glyphs = glyphs or self.glyphs

    def picker(self):
        return PickerScreen(
            self._environ, self.glyphs, self.show_session, clock=lambda: NOW, check=self.check
        )

    @property
    def here(self):
        screen = self.screen
        assert isinstance(screen, PickerScreen)
        return screen

    def lines(self):
        rows = self.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip).rstrip() for strip in rows]

    def text(self):
        return "\n".join(self.lines())

    def listed(self):
        """Projects of the sessions of harnesses that are in the list."""
        lines = self.here._lines(self.here.listing.query_words)
        return [
            self.here.known.project_of(line.session)
            for line in lines
            if line.session is not None and line.session.sample is None
        ]

    @property
    def session(self):
        """The name of the session under the cursor."""
        session = self.here.listing.session
        return None if session is None else Path(session.path).stem


def four_sessions(tmp_path):
    """Three healthy sessions and a broken one, from today to last year."""
    home = FakeHome(tmp_path)
    now = NOW.timestamp()
    home.broken(
        "-src-ledger", "a1", "why does it fail?", cwd="/src/ledger", written=now - 24 * MINUTE
    )
    home.talk("-src-site", "b2", "dark mode\nplease", cwd="/src/site", written=now - 2 * HOUR)
    home.talk("-src-site", "c3", "a pricing table", cwd="/src/site", written=now - 26 * HOUR)
    home.talk("-src-notes", "d4", "explain retries", cwd="/src/notes", written=now - 400 * DAY)
    return home


async def until(pilot, holds):
    """Give the background its turns until ``holds()``; the work takes milliseconds."""
    for _ in range(500):
        if holds():
            break
        await pilot.pause()
    await pilot.pause()
    assert holds()


async def checked(pilot):
    """Wait for the last check."""
    screen = pilot.app.screen
    await screen._looking.wait()
    assert all(screen.known.facts_of(s).checked for s in everything(screen))
    await pilot.pause()


def everything(screen):
    return [*screen.known.sessions, *screen.known.samples]


def running(app, size=WIDE):
    return app.run_test(size=size)


class Gate:
    """A check that waits to be let through, one session at a time."""

    def __init__(self):
        self.begun = []
        self.free = threading.Semaphore(0)

    def __call__(self, path):
        self.begun.append(Path(path).stem)
        self.free.acquire()
        return examine(path)

    def open(self):
        self.free.release(1_000)
