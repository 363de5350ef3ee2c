"""Signals that would end the program, held back while something is brought to its end."""

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

__all__ = ["ENDING", "signals_held"]

ENDING = ("SIGINT", "SIGTERM", "SIGHUP")


@contextmanager
def signals_held(let_go: bool = True) -> Iterator[Sequence[int]]:
    """Until the block is left no signal ends the program; with ``let_go`` it does so then.

    Gives those that came so far.

    Python hands signals to the main thread: in any other one there is nothing to hold.
    """
    held: list[int] = []

    def hold(number: int, frame: FrameType | None) -> None:
        del frame
        held.append(number)

    if threading.current_thread() is not threading.main_thread():
        yield held
        return
    numbers = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    before = [(number, signal.signal(number, hold)) for number in numbers]
    try:
        yield held
    finally:
        for number, handler in before:
            # None is a handler that was not made in Python; there is no way to give it back.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
    for number in dict.fromkeys(held if let_go else ()):
        signal.raise_signal(number)
