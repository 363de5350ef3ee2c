"""Watches files that others write. It reads no more of them than tells what became of them."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

from tapeview.formats._source import FileSource, Stamp, stamp_of

__all__ = ["Beside", "Happening", "Watch"]

Happening = Literal["", "grew", "replaced", "shrank", "rewritten", "gone", "back"]
"""What became of a file between two looks; "" for nothing. ``grew``: what it held is still there,
and more behind it."""

ENDS: Final = 64
"""Bytes at both ends by which a file that became longer is known again."""


class Watch:
    """One file. A look costs a system call, and a few bytes where the file became longer."""

    def __init__(self, source: FileSource) -> None:
        """Watch from the moment on at which ``source`` was opened."""
        self._path = Path(source.name)
        self._seen: Stamp | None = source.stamp
        self._ends = _ends(source, source.size)
        self._touched = False
        """It was written to, but is no longer; whoever appends may have just begun."""

    @property
    def seen(self) -> Stamp | None:
        """What the file system said at the last look; None where there was no file."""
        return self._seen

    def look(self) -> Happening:
        """What became of the file since the last look."""
        before, now = self._seen, stamp_of(self._path)
        self._seen = now
        touched, self._touched = self._touched, False
        if now == before:
            return "rewritten" if touched else ""
        if now is None:
            return "gone"
        if before is not None and now.inode == before.inode and now.size == before.size:
            self._touched = True
            return ""
        return self._happened(before, now)

    def _happened(self, before: Stamp | None, now: Stamp) -> Happening:
        known, self._ends = self._ends, (b"", b"")
        happened: Happening = "grew"
        if before is None:
            happened = "back"
        elif now.inode != before.inode:
            happened = "replaced"
        elif now.size < before.size:
            happened = "shrank"
        with suppress(OSError):
            source = FileSource(str(self._path))
            if happened == "grew" and before is not None:
                same = _ends(source, before.size) == known
                happened = "grew" if same else "rewritten"
            self._ends = _ends(source, now.size)
        return happened


def _ends(source: FileSource, size: int) -> tuple[bytes, bytes]:
    """The first and the last bytes of the first ``size`` of them."""
    last = max(0, size - ENDS)
    return source.read(0, min(size, ENDS)), source.read(last, size - last)


class Beside:
    """Files and folders that belong to a session, some of which need not be there."""

    def __init__(self, paths: Iterable[str], known: Mapping[str, Stamp | None]) -> None:
        """Watch from the moment on at which a path was as ``known``; for others None was there."""
        self._seen = {path: known.get(path) for path in paths}

    def look(self) -> bool:
        """Whether one of them came, went or changed since the last look."""
        now = {path: stamp_of(path) for path in self._seen}
        changed = now != self._seen
        self._seen = now
        return changed
