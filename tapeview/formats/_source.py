"""Opening files and standard input."""

import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Timer
from typing import Final, Literal

import msgspec

from tapeview.errors import OpenError
from tapeview.tape.source import MemorySource, Source

__all__ = ["Change", "FileSource", "Stamp", "change_of", "open_source", "stamp_of"]

Change = Literal["", "grown", "replaced", "gone", "shorter", "rewritten"]
"""What became of a file since it was opened; "" where it is as it was."""

PATIENCE: Final = 1.0
"""Seconds after which one is told that a pipe is being waited for."""


class Stamp(msgspec.Struct, frozen=True):
    """What a file system says of a file: enough to see that nobody touched it."""

    size: int
    changed: int
    """Nanoseconds."""
    inode: int


def _stamp(found: os.stat_result) -> Stamp:
    return Stamp(found.st_size, found.st_mtime_ns, found.st_ino)


def stamp_of(path: str | Path) -> Stamp | None:
    """The file's stamp; None where there is none."""
    try:
        return _stamp(os.stat(path))  # noqa: PTH116 - a Path would cost more than the call
    except OSError:
        return None


class FileSource:
    """A file read by position through one descriptor, so that it may be renamed meanwhile.

    What is written behind its end after it was opened is not read: ``grown`` gives a source of it.
    """

    def __init__(self, path: str) -> None:
        self._take(path, os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0)))

    def _take(self, path: str, descriptor: int) -> None:
        self._name = path
        self._descriptor = descriptor
        self._opened = os.fstat(descriptor)
        self._size = self._opened.st_size

    def grown(self) -> "FileSource":
        """The same file, wherever its path leads now, as long as it is now."""
        other = FileSource.__new__(FileSource)
        other._take(self._name, os.dup(self._descriptor))
        return other

    @property
    def stamp(self) -> Stamp:
        """What the file system said of it when it was opened."""
        return _stamp(self._opened)

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
        length = min(length, self._size - start)
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
