"""The application: themes, settings, and which screen is shown."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import ClassVar

from textual import events
from textual.app import App
from textual.theme import Theme

from tapeview.errors import OpenError
from tapeview.loading import begin
from tapeview.looks.tapes import ANYWHERE, Start, Wanted, start_of
from tapeview.open_session import OpenSession
from tapeview.settings import Settings, load_settings, save_settings
from tapeview.tape.clean import printable
from tapeview.tui.collecting import Collecting, seldom_collected
from tapeview.tui.glyphs import choose_glyphs
from tapeview.tui.palette import CommandProvider
from tapeview.tui.screens.help import HelpScreen
from tapeview.tui.screens.main import MainScreen
from tapeview.tui.screens.picker import PickerScreen
from tapeview.tui.theme import DEFAULT_THEME, themes, variable_defaults

__all__ = ["TapeviewApp", "has_few_colours"]

PLAIN_THEME = "ansi-dark"
"""The terminal's own colours: signs, words, bold and reverse video say the rest."""
SIGNALLED = 128
"""What shells add to a signal's number for the exit code."""

LOOK = 1.0
"""Seconds between two looks at whether there is garbage to collect."""


class TapeviewApp(App[None]):
    """tapeview on the screen: a session, or without one the picker."""

    TITLE = "tapeview"
    COMMANDS: ClassVar = {CommandProvider}
    COMMAND_PALETTE_BINDING = "ctrl+p"
    ENABLE_COMMAND_PALETTE = True
    INLINE_PADDING = 0
    animation_level = "none"
    CSS = """
    CommandPalette SearchIcon { display: none; }
    CommandPalette > Vertical { margin-top: 0; }
    CommandPalette #--input { border: none; }
    """

    def __init__(
        self,
        opened: OpenSession | None = None,
        turn: int | None = None,
        at: str | None = None,
        environ: Mapping[str, str] = os.environ,
        tape: str = "main",
        follow: bool = False,
        hint: tuple[str, ...] = (),
    ) -> None:
        super().__init__()
        self._follow = follow
        self._hint = hint
        self.failure: Exception | None = None
        self._collecting = Collecting()
        self.opened = opened
        self._environ = environ
        self.user_settings = load_settings(environ)
        encoding = getattr(sys.__stdout__, "encoding", None) or "utf-8"
        wish = None if self.user_settings.glyphs == "auto" else self.user_settings.glyphs
        self.glyphs = choose_glyphs(environ, encoding, wish)
        self._wanted = Wanted(tape, turn, at)
        settled = opened is not None and opened.is_settled
        self._start = start_of(opened, *self._wanted) if opened and settled else Start()
        for theme in themes():
            self.register_theme(theme)
        if has_few_colours(environ):
            self.theme = PLAIN_THEME
        elif not environ.get("TEXTUAL_THEME"):
            wanted = self.user_settings.theme
            self.theme = wanted if wanted in self.available_themes else DEFAULT_THEME

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our palette's names, for every theme."""
        theme: Theme = self.current_theme
        return variable_defaults(theme)

    async def on_mount(self) -> None:
        """Show the session, or all that there are; keys wait until it stands."""
        self._messages_loop = asyncio.get_running_loop()
        if threading.current_thread() is threading.main_thread() and sys.platform != "win32":
            for number in (signal.SIGTERM, signal.SIGHUP):
                self._messages_loop.add_signal_handler(number, self._end_by_signal, number)
        self.theme_changed_signal.subscribe(self, self._remember_theme)
        self.set_interval(LOOK, self._collecting.collect)
        if self.opened is None:
            await self.push_screen(self.picker())
        else:
            await self.show_session(self.opened)

    def _end_by_signal(self, number: int) -> None:
        """Leave the terminal as it was; edits stay in the journal."""
        self.exit(return_code=SIGNALLED + number)

    def picker(self) -> PickerScreen:
        """The list of the sessions on this machine."""
        return PickerScreen(self._environ, self.glyphs, self.show_session)

    async def show_session(self, opened: OpenSession) -> None:
        """Show a session; it stands on the screen when this is done."""
        self.opened = opened
        row, agent, agent_row = self._start
        main = MainScreen(
            opened,
            self.glyphs,
            row,
            wanted=self._wanted,
            environ=self._environ,
            follow=self._follow,
            hint=self._hint,
        )
        await self.push_screen(main)
        if agent:
            await self.push_screen(main.deeper(agent, agent_row))

    def tell(self, words: str) -> None:
        """Say something in the footer; from whatever thread, which does not wait for it."""
        with suppress(RuntimeError):  # nobody looks any more
            self._messages_loop.call_soon_threadsafe(self._tell, words)

    def _tell(self, words: str) -> None:
        if isinstance(self.screen, MainScreen):
            self.screen.say(printable(words), "warn")

    async def on_saving_screen_reopen(self) -> None:
        """Open the file anew; edits that were not saved stay in the journal."""
        if self.opened is None:
            return
        try:
            opened = begin(self.opened.session.path)
        except OpenError as error:
            if isinstance(self.screen, MainScreen):
                self.screen.say(printable(str(error)), "warn")
            return
        self._follow = isinstance(self.screen, MainScreen) and self.screen.is_following
        while isinstance(self.screen, MainScreen):
            await self.pop_screen()
        self._start, self._wanted = Start(), ANYWHERE
        await self.show_session(opened)

    def until_left(self) -> int:
        """Run until the user leaves; the exit code. Raises what nobody foresaw."""
        with seldom_collected():
            self.run()
        if self.failure is not None:
            raise self.failure
        return self.return_code or 0

    async def on_event(self, event: events.Event) -> None:
        """The picker takes keys here, in the order they came, and before the next is looked at."""
        if isinstance(event, events.InputEvent):
            self._collecting.key_pressed()
        screen = self.screen if self._screen_stack else None
        if isinstance(screen, PickerScreen) and not event.is_forwarded:
            if isinstance(event, events.Key) and await screen.take_key(event):
                return
            if isinstance(event, events.Paste):
                screen.take_paste(event.text)
                return
        await super().on_event(event)

    def _remember_theme(self, theme: Theme) -> None:
        if theme.name not in (self.user_settings.theme, PLAIN_THEME):
            self.user_settings = Settings(theme.name, self.user_settings.glyphs)
            save_settings(self._environ, self.user_settings)

    def action_command(self, identity: str) -> None:
        """Do what the command table calls ``identity``; the app's own, else the screen's."""
        own = {
            "help": self._show_help,
            "palette": self.action_command_palette,
            "dark_light": self._dark_light,
        }
        if identity in own:
            own[identity]()
            return
        screen = self.screen
        if isinstance(screen, MainScreen):
            screen.command(identity)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While somebody types, keys are letters; only escape is a command, and what applies.

        The palette offers commands for a session, so the list of sessions has none.
        """
        screen = self.screen if self._screen_stack else None
        if action == "command_palette" and isinstance(screen, PickerScreen):
            return False
        if action == "command" and isinstance(screen, MainScreen):
            if screen.asking:
                return parameters == ("back",)
            if screen.is_typing:
                return parameters in (("back",), ("apply",))
        return super().check_action(action, parameters)

    def _handle_exception(self, error: Exception) -> None:
        """Keep an unforeseen error for whoever started the app, and end it.

        Textual would print a traceback with the values of all locals, and so pieces of the tape.
        """
        self.failure = self.failure or error
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        self._close_messages_no_wait()

    def _show_help(self) -> None:
        self.push_screen(HelpScreen(self.glyphs))

    def _dark_light(self) -> None:
        self.theme = "tapeview-light" if self.current_theme.dark else DEFAULT_THEME


def has_few_colours(environ: Mapping[str, str]) -> bool:
    """Whether the user wants no colours, or the terminal has 16 of them or fewer."""
    if environ.get("NO_COLOR"):
        return True
    if environ.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return False
    term = environ.get("TERM", "")
    return bool(term) and not any(word in term for word in ("256color", "direct", "kitty"))
