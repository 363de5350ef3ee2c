"""When garbage is collected: while nobody waits, not between a key and the painted screen.

One edit of a big session leaves lists of hundreds of thousands of places. The collector walks
through each of them, three times until it is old, and by itself it does so in the midst of a key.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final

__all__ = ["Collecting", "seldom_collected"]

AT_MOST: Final = 200_000
"""New objects at which the collector may come by itself: some 20 MB."""
WORTH_IT: Final = 5_000
"""New objects from which on a collection is worth it."""
QUIET: Final = 0.4
"""Seconds since the last key after which nobody waits."""
FEW: Final = 10
"""Collections of what is young to one of all."""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Inside of it the collector hardly comes by itself; ``Collecting`` is there for that."""
    before = gc.get_threshold()
    gc.set_threshold(AT_MOST, FEW, FEW)
    try:
        yield
    finally:
        gc.set_threshold(*before)


class Collecting:
    """Collects when it is asked and nobody has pressed a key for a while."""

    def __init__(self) -> None:
        self._last_key = 0.0

    def key_pressed(self) -> None:
        """Somebody waits from now on."""
        self._last_key = monotonic()

    def collect(self) -> None:
        """Collect what is young, and now and then all, where nobody waits."""
        new, _, collected = gc.get_count()
        if new < WORTH_IT or monotonic() - self._last_key < QUIET:
            return
        gc.collect(2 if collected >= FEW else 1)
