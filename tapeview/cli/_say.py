"""What the command line prints: data on standard output, talk on standard error."""

import sys
from collections.abc import Callable, Iterable
from time import monotonic

__all__ = ["Progress", "print_bytes", "print_lines", "say"]


class Progress:
    """On a terminal, what is being read, once the work takes longer than a second."""

    def __init__(self) -> None:
        self.started = monotonic()
        self.shown = False

    def step(self, path: str) -> None:
        if sys.stderr.isatty() and monotonic() - self.started > 1.0:
            from tapeview.tape.clean import cut, printable

            sys.stderr.write(f"\r\x1b[K{cut(printable(path), 70)}")
            sys.stderr.flush()
            self.shown = True

    def done(self) -> None:
        if self.shown:
            sys.stderr.write("\r\x1b[K")


def print_lines(lines: Iterable[str]) -> None:
    write: Callable[[bytes], int] = sys.stdout.buffer.write
    for line in lines:
        write(line.encode("utf-8", "replace") + b"\n")


def print_bytes(data: bytes) -> None:
    sys.stdout.buffer.write(data if data.endswith(b"\n") else data + b"\n")


def say(sentence: str) -> None:
    from tapeview.tape.clean import printable

    print(printable(sentence), file=sys.stderr)
