"""Bytes by position: all that the tape needs to know of a file."""

from typing import Protocol

__all__ = ["LastRead", "MemorySource", "Source"]


class Source(Protocol):
    """Something that can be read at any place, again and again."""

    @property
    def name(self) -> str:
        """What people call it: a path, or ``-`` for standard input."""

    @property
    def size(self) -> int:
        """Bytes in all, as they were when it was opened."""

    def read(self, start: int, length: int) -> bytes:
        """Up to ``length`` bytes from ``start``; fewer only where the source ends."""


class MemorySource:
    """Bytes that are already in memory: standard input, tests."""

    def __init__(self, data: bytes, name: str = "-") -> None:
        self._data = data
        self._name = name

    @property
    def name(self) -> str:
        """What people call it."""
        return self._name

    @property
    def size(self) -> int:
        """Bytes in all."""
        return len(self._data)

    def read(self, start: int, length: int) -> bytes:
        """Up to ``length`` bytes from ``start``."""
        if start == 0 and length >= len(self._data):
            return self._data
        return self._data[start : start + length]


class LastRead:
    """A source that keeps what it read last: for going through the blocks of record after record.

    Not for whoever stays: what is kept is not read again when the file changes.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._place = (0, 0)
        self._data = b""

    @property
    def name(self) -> str:
        """What people call it."""
        return self._source.name

    @property
    def size(self) -> int:
        """Bytes in all."""
        return self._source.size

    def read(self, start: int, length: int) -> bytes:
        """Up to ``length`` bytes from ``start``; the same object when asked for them again."""
        if (start, length) != self._place:
            self._data = self._source.read(start, length)
            self._place = (start, length)
        return self._data
