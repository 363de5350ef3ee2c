"""The real program in a pseudo-terminal, its screen read by pyte."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Mapping, Sequence
from types import TracebackType

import pyte
from wcwidth import wcwidth

__all__ = ["Terminal"]

NEWER = re.compile(rb"\x1b\[[<>=?][0-9;]*(?:[um]|\$p)")

PATIENCE = 30.0
"""Seconds to wait for a text before a test fails; never waited for in full when all is well."""


class Terminal:
    """A program and the terminal it runs in. ``raw`` is every byte that it wrote."""

    def __init__(
        self,
        words: Sequence[str],
        environ: Mapping[str, str],
        columns: int = 120,
        rows: int = 40,
        patience: float = PATIENCE,
    ) -> None:
        self.patience = patience
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.raw = bytearray()
        self.code: int | None = None
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            os.execvpe(words[0], list(words), dict(environ))
        self.resize(columns, rows)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._terminal)

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size, as a user does who drags its corner."""
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, size)
        self.screen.resize(rows, columns)

    def send(self, keys: str | bytes) -> None:
        """Type."""
        os.write(self._terminal, keys.encode() if isinstance(keys, str) else keys)

    @property
    def lines(self) -> list[str]:
        """The screen as text."""
        return [self._line(row).rstrip() for row in range(self.screen.lines)]

    def _line(self, row: int) -> str:
        """A line of the screen. While a wide character is written over, half of it is a blank."""
        cells, text, column = self.screen.buffer[row], "", 0
        while column < self.screen.columns:
            char = cells[column].data or " "
            text += char
            column += max(1, wcwidth(char[0]))
        return text

    @property
    def text(self) -> str:
        """The screen as one text."""
        return "\n".join(self.lines)

    def wait_for(self, *texts: str) -> str:
        """Read until all of ``texts`` stand on the screen; the screen then."""
        until = time.monotonic() + self.patience
        while not all(text in self.text for text in texts):
            if not self._read(until):
                missing = [text for text in texts if text not in self.text]
                raise AssertionError(f"never saw {missing} on:\n{self.text}")
        return self.text

    def wait_until_gone(self, text: str) -> None:
        """Read until ``text`` stands on the screen no more."""
        until = time.monotonic() + self.patience
        while text in self.text:
            if not self._read(until):
                raise AssertionError(f"still saw {text} on:\n{self.text}")

    def wait_for_exit(self) -> int:
        """Read until the program ends; its exit code."""
        until = time.monotonic() + self.patience
        while self._read(until):
            pass
        if time.monotonic() >= until:
            raise AssertionError(f"still running:\n{self.text}")
        _, status = os.waitpid(self.pid, 0)
        self.code = os.waitstatus_to_exitcode(status)
        return self.code

    def _read(self, until: float) -> bool:
        """Take in what comes next; False at the end of the program or of patience."""
        ready, _, _ = select.select([self._terminal], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            return False
        try:
            data = os.read(self._terminal, 1 << 16)
        except OSError:  # the other end is closed: Linux says EIO
            return False
        self.raw += data
        # pyte does not know the questions that newer terminals are asked.
        self._stream.feed(NEWER.sub(b"", data))
        return bool(data)
