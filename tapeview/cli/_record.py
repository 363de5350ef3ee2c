"""``tapeview record``: a recording proxy, around a command or until it is stopped."""

import argparse
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from types import FrameType
from typing import TYPE_CHECKING

from tapeview.cli._say import say
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
    with recording_proxy(path, upstream, told, listen) as running:
        say(f"tapeview: recording to {path}")
        code = 0
        if command:
            code = run_command(command, environment(running.url, os.environ))
        elif sys.stdin.isatty() and sys.stdout.isatty():
            code = _show(running.url, path, told)
        else:
            _serve(running.url, upstream, told.waiting)
    say(f"tapeview: {count(told.calls, 'call')} recorded in {path}")
    if command and not told.calls:
        say(f"tapeview: no call arrived; does {name} take its address from {BASE_URLS[0]}?")
    return code


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
        told.trouble = say


class _Told:
    """What the proxy tells: trouble is said at once, the rest waits.

    A terminal that is held must not hold the proxy.
    """

    def __init__(self) -> None:
        self.calls = 0
        self.trouble: Callable[[str], None] = say
        self.waiting: SimpleQueue[str] = SimpleQueue()

    def __call__(self, seen: "Seen") -> None:
        if seen.what == "call":
            self.calls += 1
        elif seen.what == "trouble":
            self.trouble(f"tapeview: {seen.words}")
        else:
            self.waiting.put(seen.words)


def _serve(url: str, upstream: str, told: SimpleQueue[str]) -> None:
    """Say what to export and what arrives, until ctrl+c or a polite signal."""
    say(f"tapeview: passing on to {upstream}; ctrl+c ends. In the other terminal:")
    say(f"  export ANTHROPIC_BASE_URL={url}")
    say(
        f"A client that wants /v1 in its address gets {url}/v1; {url}/t/NAME keeps one agent apart."
    )

    def end(number: int, frame: FrameType | None) -> None:
        del number, frame
        told.put("")

    before = [(number, signal.signal(number, end)) for number in (signal.SIGINT, signal.SIGTERM)]
    try:
        while words := told.get():
            say(f"tapeview: {words}")
    finally:
        for number, handler in before:
            signal.signal(number, handler)
