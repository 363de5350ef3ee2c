"""Opening files and standard input."""

import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Timer
from typing import Final, Literal

from tapeview.errors import OpenError
from tapeview.tape.source import MemorySource, Source

__all__ = ["Change", "FileSource", "change_of", "open_source"]

Change = Literal["", "grown", "replaced", "gone", "shorter", "rewritten"]
"""What became of a file since it was opened; "" where it is as it was."""

PATIENCE: Final = 1.0
"""Seconds after which one is told that a pipe is being waited for."""


class FileSource:
    """A file read by position through one descriptor, so that it may be renamed meanwhile."""

    def __init__(self, path: str) -> None:
        self._name = path
        self._descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self._opened = os.fstat(self._descriptor)
        self._size = self._opened.st_size

    @property
    def name(self) -> str:
        """The path as the user gave it."""
        return self._name

    @property
    def size(self) -> int:
        """Bytes when it was opened."""
        return self._size

    def read(self, start: int, length: int) -> bytes:
        """Up to ``length`` bytes from ``start``."""
        chunks = []
        while length > 0:
            chunk = os.pread(self._descriptor, length, start)
            if not chunk:
                break
            chunks.append(chunk)
            start += len(chunk)
            length -= len(chunk)
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def change(self) -> Change:
        """What its path leads to now, beside what was opened. It does not tell whether it reads."""
        then = self._opened
        try:
            now = Path(self._name).stat()
        except OSError:
            return "gone"
        if (now.st_dev, now.st_ino) != (then.st_dev, then.st_ino):
            return "replaced"
        if now.st_size != then.st_size:
            return "grown" if now.st_size > then.st_size else "shorter"
        return "rewritten" if now.st_mtime_ns != then.st_mtime_ns else ""

    def __del__(self) -> None:
        descriptor, self._descriptor = getattr(self, "_descriptor", -1), -1
        if descriptor >= 0:
            os.close(descriptor)


def change_of(source: Source) -> Change:
    """What became of the source's file; what is in memory never changes."""
    return source.change() if isinstance(source, FileSource) else ""


def open_source(path: str, waits: Callable[[], None] | None = None) -> Source:
    """The bytes of ``path``; ``-`` is standard input.

    A pipe is read to its end, however long its writer takes, or takes to come. After ``PATIENCE``
    seconds ``waits`` is called, in a thread of its own.

    Raises ``OpenError`` with one sentence for a path that cannot be read.
    """
    if path == "-" and sys.stdin is None:
        raise OpenError("-: standard input is closed.")
    if path == "-":
        return MemorySource(sys.stdin.buffer.read(), "-")
    try:
        mode = Path(path).stat().st_mode
        if stat.S_ISDIR(mode):
            raise OpenError(f"{path}: this is a folder; name a session file in it.")
        if not stat.S_ISREG(mode):
            return MemorySource(_read_to_end(path, waits), path)
        return FileSource(path)
    except FileNotFoundError:
        raise OpenError(f"{path}: there is no such file.") from None
    except PermissionError:
        raise OpenError(f"{path}: no permission to read it; check its mode and owner.") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise OpenError(f"{path}: cannot be read: {reason}.") from None


def _read_to_end(path: str, waits: Callable[[], None] | None) -> bytes:
    if waits is None:
        return Path(path).read_bytes()
    timer = Timer(PATIENCE, waits)
    timer.daemon = True
    timer.start()
    try:
        return Path(path).read_bytes()
    finally:
        timer.cancel()
