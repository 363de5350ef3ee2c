"""What following costs, measured in a terminal of its own; ``bench.py`` runs it.

    python tests/bench/follow.py idle|shown SESSION

``idle`` prints the CPU seconds that the program uses in a second while it follows a session that
does not grow and one of whose calls is pending. ``shown`` prints the seconds from writing a line
until it is painted, the median of some. SESSION is copied first.
"""

import asyncio
import os
import re
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.screen import take_terminal

IDLE = 10.0
"""Seconds to be idle for."""
LINES = 15
CALL = (
    b'{"type":"assistant","uuid":"%b","parentUuid":"%b","sessionId":"s","timestamp":"%b","message":'
    b'{"id":"%b","role":"assistant","content":[{"type":"tool_use","id":"%b","name":"Bash",'
    b'"input":{"command":"%b"}}]}}\n'
)


def line(word: bytes, path: Path) -> bytes:
    """A call whose command is a word, below the last line of the session."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()).encode()
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 100_000))
        parent = re.findall(rb'"uuid": ?"([^"]+)"', file.read())[-1]
    return CALL % (word, parent, now, word, b"toolu_" + word, word)


def measure(mode: str, path: Path) -> float:
    """The figure that ``mode`` asks for."""
    from tapeview.loading import begin
    from tapeview.tui.app import TapeviewApp
    from tapeview.tui.screens.main import MainScreen

    class Watched(TapeviewApp):
        figure = 0.0

        def on_ready(self) -> None:
            self.run_worker(self.watch_it())

        async def watch_it(self) -> None:
            screen = self.screen
            assert isinstance(screen, MainScreen)
            while not screen.opened.is_settled:
                await asyncio.sleep(0.05)
            revision = screen.opened.revision
            await self.until_painted(screen, b"first", path)
            while screen.opened.revision == revision:  # it is still worked out
                await asyncio.sleep(0.05)
            await asyncio.sleep(1.0)
            self.figure = await self.idle() if mode == "idle" else await self.delays(screen)
            self.exit()

        async def idle(self) -> float:
            used, began = time.process_time(), time.perf_counter()
            await asyncio.sleep(IDLE)
            return (time.process_time() - used) / (time.perf_counter() - began)

        async def delays(self, screen: MainScreen) -> float:
            found = []
            for number in range(LINES):
                found.append(await self.until_painted(screen, b"word%d" % number, path))
                await asyncio.sleep(0.3 + number * 0.013)
            return statistics.median(found)

        async def until_painted(self, screen: MainScreen, word: bytes, path: Path) -> float:
            text = line(word, path)
            with path.open("ab") as out:
                out.write(text)
            began = time.perf_counter()
            while not any(word.decode() in text for text in self.painted(screen)):
                await asyncio.sleep(0.005)
            return time.perf_counter() - began

        def painted(self, screen: MainScreen) -> list[str]:
            """Strips that the timeline has painted."""
            strips = screen.timeline._strips
            return [strips[key].text for key in strips.keys()]  # noqa: SIM118 - not a dict

    app = Watched(begin(os.fspath(path)), follow=True)
    app.run()
    if app.failure is not None:
        raise app.failure
    return app.figure


def main() -> None:
    """Measure what the words ask for, and print it where the output really goes."""
    out, err = os.dup(1), os.dup(2)
    take_terminal()
    mode, session = sys.argv[1], sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        shutil.copyfile(session, path)
        try:
            figure = measure(mode, path)
        finally:
            os.dup2(err, 2)
    os.write(out, f"{figure}\n".encode())
    os._exit(0)


if __name__ == "__main__":
    main()
