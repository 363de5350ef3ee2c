"""A tape served in a thread of its own, for programs and tests: ``with tapeview.play(path)``."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager
from os import PathLike, fspath

from tapeview.calls.player import Player
from tapeview.calls.recorded import in_api_words, recorded_calls
from tapeview.calls.serve import LOOPBACK, Address, serving
from tapeview.open_session import load

__all__ = ["play", "player_of"]


def player_of(
    path: str,
    log: Callable[[str], None],
    *,
    tape: str | None = None,
    strict: bool = False,
    waits: Callable[[], None] | None = None,
) -> Player:
    """The session in ``path``, or one tape of it, ready to answer; ``log`` is told what is lost.

    Raises ``OpenError``, ``PlaceError`` for a tape that is not there, and ``ServeError`` where
    there is no reply.
    """
    opened, lost = in_api_words(load(path, waits=waits))
    for sentence in lost:
        log(f"not as in the file: {sentence}")
    return Player(recorded_calls(opened, tape), path, strict)


@contextmanager
def play(
    path: str | PathLike[str],
    *,
    tape: str | None = None,
    strict: bool = False,
    recorded_speed: bool = False,
    host: str = LOOPBACK,
    port: int = 0,
    log: Callable[[str], None] | None = None,
) -> Iterator[str]:
    """Serve a recorded session as a model while the block runs; gives the base URL.

    A client of the Messages API that is pointed at it gets the recorded replies: the one whose
    request had the same messages, else the next turn, or with ``strict`` an error that names the
    first difference. A request that the API would refuse gets the API's own error. ``tape`` plays
    one tape of the session alone. ``log`` gets a line for each call, from another thread.

    Raises ``OpenError``, ``PlaceError`` and ``ServeError``, all of them ``TapeviewError``.
    """
    told = log or _nowhere
    player = player_of(fspath(path), told, tape=tape, strict=strict)
    started: Future[tuple[Address, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def serve() -> None:
        ended = asyncio.Event()
        async with serving(
            player, Address(host, port), told, recorded_speed=recorded_speed
        ) as address:
            started.set_result((address, asyncio.get_running_loop(), ended))
            await ended.wait()

    with ThreadPoolExecutor(1, "tapeview play") as threads:
        running = threads.submit(lambda: asyncio.run(serve()))
        running.add_done_callback(lambda _: started.cancel())
        try:
            address, loop, ended = started.result()
        except CancelledError:
            running.result()
            raise
        try:
            yield address.url
        finally:
            loop.call_soon_threadsafe(ended.set)
            running.result()


def _nowhere(line: str) -> None:
    del line
