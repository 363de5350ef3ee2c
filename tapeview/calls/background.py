"""A tape served in a thread of its own, for programs and tests: ``with tapeview.play(path)``."""

import asyncio
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
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
    one tape of the session alone. ``log`` gets a line for each call, from another thread. A block
    that is never left does not keep the program from ending.

    Raises ``OpenError``, ``PlaceError`` and ``ServeError``, all of them ``TapeviewError``.
    """
    told = log or _nowhere
    player = player_of(fspath(path), told, tape=tape, strict=strict)
    started: Future[str] = Future()
    left: Future[None] = Future()
    over: Future[None] = Future()

    async def serve() -> None:
        async with serving(
            player, Address(host, port), told, recorded_speed=recorded_speed
        ) as address:
            started.set_result(address.url)
            await asyncio.wrap_future(left)

    # An executor's thread would be waited for at the end of the program.
    thread = threading.Thread(
        target=_run, args=(serve, started, over), name="tapeview play", daemon=True
    )
    try:
        thread.start()
        yield started.result()
    finally:
        left.set_result(None)
        _join(thread)
    over.result()


def _run(
    serve: Callable[[], Coroutine[object, object, None]], started: Future[str], over: Future[None]
) -> None:
    try:
        over.set_result(asyncio.run(serve()))
    except BaseException as fault:  # noqa: BLE001 - it is raised where the block is
        (over if started.done() else started).set_exception(fault)


def _join(thread: threading.Thread) -> None:
    """Wait for its end, where it can come.

    A block that was never left may be left by the interpreter that ends, when no other thread runs
    any more, or by a collection of garbage in the thread itself.
    """
    if sys.is_finalizing() or thread is threading.current_thread():
        return
    if thread.is_alive():
        thread.join()


def _nowhere(line: str) -> None:
    del line
