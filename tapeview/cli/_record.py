"""``tapeview record``: a recording proxy, around a command or until it is stopped."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from tapeview.capture.held_signals import signals_held, waking
from tapeview.cli._talk import Talk
from tapeview.tape.sizes import count

if TYPE_CHECKING:
    from tapeview.capture.seen import Seen

__all__ = ["record"]


def record(arguments: argparse.Namespace) -> int:
    """Record the calls of a command, and return its exit code; without one, serve until ctrl+c."""
    from tapeview.capture.command import BASE_URLS, environment, find_command, run_command
    from tapeview.capture.recorder import new_path
    from tapeview.capture.running import (
        DEFAULT_UPSTREAM,
        LOOPBACK,
        listen_of,
        recording_proxy,
        upstream_of,
    )

    command: list[str] = arguments.command
    listen = listen_of(arguments.listen) if arguments.listen else LOOPBACK
    given = arguments.upstream or os.environ.get(BASE_URLS[0]) or DEFAULT_UPSTREAM
    upstream = upstream_of(given)
    if command:
        command[0] = find_command(command[0])
    name = Path(command[0]).stem if command else "recording"
    path = Path(arguments.out) if arguments.out else new_path(name, Path())
    told = _Told()
    with ExitStack() as ending:
        with recording_proxy(path, upstream, told, listen) as running:
            told.say(f"tapeview: recording to {path}")
            # A command takes signals itself; whoever presses ctrl+c again wants the end that is
            # under way, and the command's own code.
            if command:
                ending.enter_context(signals_held(let_go=False))
                code = run_command(command, environment(running.url, os.environ))
            elif sys.stdin and sys.stdout and sys.stdin.isatty() and sys.stdout.isatty():
                code = _show(running.url, path, told)
                ending.enter_context(signals_held(let_go=False))
            else:
                held = ending.enter_context(signals_held(let_go=False))
                code = _serve(running.url, upstream, told, held)
        told.say(f"tapeview: {_recorded(told.calls, path)}")
        if command and not told.calls:
            told.say(
                f"tapeview: no call arrived; does {name} take its address from {BASE_URLS[0]}?"
            )
        told.end()
    return code


def _recorded(calls: int, path: Path) -> str:
    if path.exists():
        return f"{count(calls, 'call')} recorded in {path}"
    return f"{count(calls, 'call')} recorded; {path} was moved or removed meanwhile"


def _show(url: str, path: Path, told: "_Told") -> int:
    """Show on the screen what arrives, until it is left."""
    from tapeview.loading import begin
    from tapeview.tui.app import TapeviewApp

    hint = (
        "Nothing has arrived yet. In the other terminal:",
        f"export ANTHROPIC_BASE_URL={url}",
        f"{url}/v1 where a client wants /v1",
        f"{url}/t/NAME to keep one agent apart",
    )
    app = TapeviewApp(begin(str(path)), follow=True, hint=hint)
    told.trouble = app.tell
    try:
        return app.until_left()
    finally:
        told.trouble = told.say


class _Told(Talk):
    """What the proxy tells: trouble is said at once, the rest where nothing else is shown.

    A terminal that is held must not hold the proxy.
    """

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.trouble: Callable[[str], None] = self.say
        self.says_all = False

    def __call__(self, seen: "Seen") -> None:
        if seen.what == "call":
            self.calls += 1
        elif seen.what == "trouble":
            self.trouble(f"tapeview: {seen.words}")
        elif self.says_all:
            self.say(f"tapeview: {seen.words}")


def _serve(url: str, upstream: str, told: _Told, held: Sequence[int]) -> int:
    """Say what to export and what arrives, until a signal is ``held``."""
    told.say(f"tapeview: passing on to {upstream}; ctrl+c ends. In the other terminal:")
    told.say(f"  export ANTHROPIC_BASE_URL={url}")
    told.say(
        f"A client that wants /v1 in its address gets {url}/v1; {url}/t/NAME keeps one agent apart."
    )
    told.says_all = True
    with waking() as until:
        while not held:
            until.wait()
    return 0
