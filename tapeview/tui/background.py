"""Work beside the screen, in a thread that nobody waits for at the end."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import TypeVar

__all__ = ["in_background"]

Result = TypeVar("Result")


async def in_background(work: Callable[[], Result]) -> Result | None:
    """What ``work`` gives back; None where a fault nobody foresaw broke it off.

    The thread is a daemon: whoever leaves the program does not wait for it. (The threads of
    ``asyncio.to_thread`` are waited for.)
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result | None] = loop.create_future()

    def deliver(result: Result | None) -> None:
        if not done.done():
            done.set_result(result)

    def run() -> None:
        result: Result | None = None
        try:
            result = work()
        finally:
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(deliver, result)

    Thread(target=run, name="work beside the screen", daemon=True).start()
    return await done
