"""Talk of commands that go on for long: nobody may be listening, and nothing waits for that."""

import os
import sys
import threading
from contextlib import suppress
from queue import SimpleQueue
from typing import Final

__all__ = ["Talk"]

STDERR: Final = 2
LAST_WORDS: Final = 1.0
"""Seconds at the end for what is still to be said."""


class Talk:
    """Sentences on standard error, said by a thread: whoever has something to say never waits.

    Nobody may be reading what we say, and a pipe is full at some time.
    """

    def __init__(self) -> None:
        self._words: SimpleQueue[str | None] = SimpleQueue()
        self._over = threading.Event()
        threading.Thread(target=self._talk, name="tapeview-talk", daemon=True).start()

    def say(self, sentence: str) -> None:
        """Say it as soon as what came before is said."""
        self._words.put(sentence)

    def end(self) -> None:
        """Wait until all is said, but not for long."""
        self._words.put(None)
        self._over.wait(LAST_WORDS)

    def _talk(self) -> None:
        from tapeview.tape.clean import printable

        while (sentence := self._words.get()) is not None:
            left = memoryview(printable(sentence).encode("utf-8", "replace") + b"\n")
            if sys.stderr is None:  # another file may go by its number
                continue
            with suppress(OSError):
                # Not through ``sys.stderr``: its lock, held here, would keep Python from its exit.
                while left:
                    left = left[os.write(STDERR, left) :]
        self._over.set()
