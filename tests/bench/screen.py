"""One figure of the screen, measured inside the app: run by ``bench.py``, in a terminal.

    python tests/bench/screen.py bare|first|settle|at-once SESSION

``bare`` and ``first`` print the CPU seconds from the start of the process to the first painted
screen: of an app with one line, of tapeview with the session's first rows. ``settle`` and
``at-once`` print the seconds by which the UI loop was at most late until the session was settled,
read piece by piece or as a whole.
"""

import asyncio
import sys
import time
from collections.abc import Callable

from textual.app import App, ComposeResult
from textual.widgets import Static

BEAT = 0.005


class Bare(App[float]):
    """What every Textual app costs."""

    def compose(self) -> ComposeResult:
        yield Static("one line")

    def on_ready(self) -> None:
        self.call_after_refresh(lambda: self.exit(time.process_time()))


def first(session: str) -> App[object]:
    """tapeview, which leaves once it has painted rows."""
    from tapeview.loading import begin
    from tapeview.tui.app import TapeviewApp

    class First(TapeviewApp):
        def on_ready(self) -> None:
            self.call_after_refresh(self.leave)

        def leave(self) -> None:
            assert self.screen.query_one("#timeline").size.height
            self.figure = time.process_time()
            self.exit()

    return First(begin(session))


def settling(session: str, at_once: int) -> App[object]:
    """tapeview with a clock that looks how late the UI loop is."""
    from tapeview.loading import begin
    from tapeview.tui.app import TapeviewApp

    class Watched(TapeviewApp):
        figure = 0.0

        async def show_session(self, opened: object) -> None:
            self.run_worker(self.beat(), name="beat")
            await asyncio.sleep(BEAT * 4)
            await super().show_session(begin(session, at_once=at_once))

        async def beat(self) -> None:
            late = []
            rounds = 20
            while rounds:
                before = time.perf_counter()
                await asyncio.sleep(BEAT)
                late.append(time.perf_counter() - before - BEAT)
                shown = self.opened is not None and self.opened.is_settled
                rounds -= bool(shown)
            self.figure = max(late)
            if len(sys.argv) > 3:
                late.sort()
                print(
                    len(late),
                    [round(x * 1000) for x in late[-12:]],
                    "p95",
                    late[len(late) * 95 // 100],
                )
            self.exit()

    app = Watched()
    app.opened = object.__new__(object)  # type: ignore[assignment]
    return app


MODES: dict[str, Callable[[str], App[object]]] = {}
