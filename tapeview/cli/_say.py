"""What the command line prints: data on standard output, talk on standard error."""

import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from time import monotonic

__all__ = ["Progress", "print_bytes", "print_exactly", "print_lines", "say"]


class Progress:
    """On a terminal, what is being done, once the work takes longer than a second."""

    def __init__(self) -> None:
        self.started = monotonic()
        self.shown = False

    def step(self, what: str) -> None:
        """What is being done now."""
        if sys.stderr.isatty() and monotonic() - self.started > 1.0:
            from tapeview.tape.clean import cut, printable

            sys.stderr.write(f"\r\x1b[K{cut(printable(what), 70)}")
            sys.stderr.flush()
            self.shown = True

    def done(self) -> None:
        """Nothing is left to be done."""
        if self.shown:
            sys.stderr.write("\r\x1b[K")


def print_lines(lines: Iterable[str]) -> None:
    """Lines on standard output, in UTF-8."""
    write: Callable[[bytes], int] = sys.stdout.buffer.write
    for line in lines:
        write(line.encode("utf-8", "replace") + b"\n")


def print_bytes(data: bytes) -> None:
    """JSON on standard output, with a line end."""
    sys.stdout.buffer.write(data if data.endswith(b"\n") else data + b"\n")


def print_exactly(pieces: Iterable[bytes]) -> None:
    """Bytes on standard output as they are; on a terminal nothing in them acts."""
    if sys.stdout.isatty():
        from tapeview.looks.report import safe_json

        pieces = [safe_json(b"".join(pieces))]
    for piece in pieces:
        sys.stdout.buffer.write(piece)


def say(sentence: str) -> None:
    """A sentence on standard error; nothing where it can be told to nobody."""
    from tapeview.tape.clean import printable

    if sys.stderr is None:  # closed before we were started
        return
    try:
        print(printable(sentence), file=sys.stderr)
    except OSError:
        # What is left in its buffer would be tried again at the exit, and change the exit code.
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
