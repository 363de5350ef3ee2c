"""Signals that would end the program, held back or waited for."""

import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

__all__ = ["ENDING", "Waking", "handled", "signals_held", "waking"]

ENDING = ("SIGINT", "SIGTERM", "SIGHUP")


@contextmanager
def handled(names: Sequence[str], handler: Callable[[int], None]) -> Iterator[None]:
    """Until the block is left these signals go to ``handler``, as far as the system has them."""
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = [(each, signal.signal(each, lambda number, _: handler(number))) for each in numbers]
    try:
        yield
    finally:
        for number, was in before:
            # None is a handler that was not made in Python; there is no way to give it back.
            signal.signal(number, signal.SIG_DFL if was is None else was)


@contextmanager
def signals_held(let_go: bool = True) -> Iterator[Sequence[int]]:
    """Until the block is left no signal ends the program; with ``let_go`` it does so then.

    Gives those that came so far.

    Python hands signals to the main thread: in any other one there is nothing to hold.
    """
    held: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield held
        return
    with handled(ENDING, held.append):
        yield held
    for number in dict.fromkeys(held if let_go else ()):
        signal.raise_signal(number)


class Waking:
    """What the main thread waits for: a signal, or that another thread calls ``wake``."""

    def __init__(self, reading: socket.socket, writing: socket.socket) -> None:
        self._reading = reading
        self._writing = writing

    def wake(self) -> None:
        """Let whoever waits look again."""
        self._writing.send(b"\0")

    def wait(self) -> None:
        """Wait for either. The handler of a signal has run when this returns, or runs at once."""
        self._reading.recv(4096)


@contextmanager
def waking() -> Iterator[Waking]:
    """Waiting that no signal slips through; in the main thread alone.

    Python runs handlers between its own steps. A signal that comes just before a lock, a queue or a
    process is waited for would be seen when that wait is over, which may be never.
    """
    reading, writing = socket.socketpair()
    with reading, writing:
        writing.setblocking(False)
        before = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
        try:
            yield Waking(reading, writing)
        finally:
            signal.set_wakeup_fd(before)
