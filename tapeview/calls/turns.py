"""A player that several clients ask at once: one request after the other, in the order they came.

A client may leave at any time. What is thought about for it is thought to its end, since a player
is one and its thread cannot be stopped; the turn that nobody got is given back.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from tapeview.calls.asked import Refusal
from tapeview.calls.player import Answer, Player

__all__ = ["Turns"]

T = TypeVar("T")


class Turns:
    """Asks a player in another thread, for the requests of one event loop."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._one = asyncio.Lock()
        """Held as long as a thread is in the player."""
        self._unsent: list[Callable[[], Answer | Refusal]] = []
        """Answers that nobody got. The player forgets them once it is free, before it is asked
        again."""

    async def answer(self, body: bytes) -> Answer | Refusal:
        """``Player.answer``; where this is cancelled, the next who asks gets the same."""
        thinking = await self._begun(self._player.answer, body)
        try:
            return await asyncio.shield(thinking)
        except asyncio.CancelledError:
            self._unsent.append(thinking.result)
            raise

    async def count(self, body: bytes) -> int | Refusal:
        """``Player.count``."""
        return await asyncio.shield(await self._begun(self._player.count, body))

    def give_back(self, answer: Answer) -> None:
        """Nothing of this answer was sent: the next who asks gets it."""
        self._unsent.append(lambda: answer)

    async def _begun(self, think: Callable[[bytes], T], body: bytes) -> asyncio.Future[T]:
        """The thought, which holds the player until its thread is done, whoever waits for it."""
        await self._one.acquire()
        self._forget_unsent()
        thinking = asyncio.get_running_loop().run_in_executor(None, think, body)
        thinking.add_done_callback(lambda _: self._one.release())
        return thinking

    def _forget_unsent(self) -> None:
        for answer in self._unsent:
            with suppress(Exception):  # a thought that failed took no turn
                self._player.give_back(answer())
        self._unsent.clear()
