"""One figure of the screen, measured in a terminal of its own; ``bench.py`` runs it.

    python tests/bench/screen.py bare|first|settle|at-once SESSION

``bare`` and ``first`` print the CPU seconds from the start of the process to the first painted
screen: of an app of one line, and of tapeview with the session's first rows. ``settle`` and
``at-once`` print by how many seconds the UI loop was late at most until the session was settled:
read piece by piece, and as a whole.
"""

import asyncio
import fcntl
import os
import pty
import struct
import sys
import termios
import threading
import time

ROWS, COLUMNS = 40, 120
BEAT = 0.005
"""Seconds between two looks at the clock."""
AFTER = 20
"""Looks after the session is settled: the first paints of it."""


def take_terminal() -> None:
    """A terminal that somebody reads becomes the standard streams."""
    reader, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

    def drain() -> None:
        while os.read(reader, 1 << 16):
            pass

    threading.Thread(target=drain, daemon=True).start()
    for stream in (0, 1, 2):
        os.dup2(terminal, stream)


def bare() -> float:
    """CPU seconds to the first paint of the least that Textual can show."""
    from textual.app import App, ComposeResult
    from textual.widgets import Static

    class Bare(App[float]):
        def compose(self) -> ComposeResult:
            yield Static("one line")

        def on_ready(self) -> None:
            self.call_after_refresh(lambda: self.exit(time.process_time()))

    return Bare().run() or 0.0


def first(session: str) -> float:
    """CPU seconds to the first paint of the session's rows."""
    from tapeview.loading import begin
    from tapeview.tui.app import TapeviewApp

    class First(TapeviewApp):
        figure = 0.0

        def on_ready(self) -> None:
            self.screen.call_after_refresh(self.leave)

        def leave(self) -> None:
            self.figure = time.process_time()
            self.exit()

    app = First(begin(session))
    app.run()
    return app.figure


def longest_stall(session: str, at_once: int) -> float:
    """Seconds by which the UI loop was late at most; files up to ``at_once`` bytes read whole."""
    from tapeview.loading import begin
    from tapeview.tui.app import TapeviewApp

    class Watched(TapeviewApp):
        figure = 0.0

        async def on_mount(self) -> None:
            beat = asyncio.create_task(self.beat())
            await asyncio.sleep(2 * BEAT)
            await self.show_session(begin(session, at_once=at_once))
            beat.add_done_callback(lambda _: self.exit())

        async def beat(self) -> None:
            left = AFTER
            while left:
                before = time.perf_counter()
                await asyncio.sleep(BEAT)
                self.figure = max(self.figure, time.perf_counter() - before - BEAT)
                left -= self.opened is not None and self.opened.is_settled

    app = Watched()
    app.run()
    return app.figure


def main() -> None:
    """Measure what the words ask for, and print it where the output really goes."""
    out = os.dup(1)
    take_terminal()
    mode, session = sys.argv[1], sys.argv[2]
    if mode == "bare":
        figure = bare()
    elif mode == "first":
        figure = first(session)
    else:
        figure = longest_stall(session, sys.maxsize if mode == "at-once" else 0)
    os.write(out, f"{figure}\n".encode())
    os._exit(0)


if __name__ == "__main__":
    main()
