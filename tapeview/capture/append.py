"""A file that lines are added to: each by one write, and on the disk within a tenth of a second."""

import contextlib
import os
import sys
import threading
from pathlib import Path

from tapeview.errors import SaveError

__all__ = ["SYNC_WITHIN", "AppendedFile"]

SYNC_WITHIN = 0.05
"""Seconds from a write to the sync that covers it; the disk takes some more."""


class AppendedFile:
    """A new file of mode 0600. Lines are added by one thread at a time; another one syncs them.

    Raises ``SaveError`` where the file is there already, or cannot be made.
    """

    def __init__(self, path: Path) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        try:
            self._file = os.open(path, flags | getattr(os, "O_BINARY", 0), 0o600)
        except FileExistsError:
            raise SaveError(f"{path}: there is such a file already; nothing is recorded.") from None
        except OSError as error:
            raise SaveError(f"{path}: {error.strerror or error}; nothing is recorded.") from None
        _hold(self._file)
        self.path = path
        self.size = 0
        """Bytes of whole lines."""
        self._wanted = threading.Event()
        self._closing = threading.Event()
        self._syncer = threading.Thread(
            target=self._keep_syncing, name="tapeview-sync", daemon=True
        )
        self._syncer.start()

    def add(self, line: bytes) -> None:
        """Add a whole line. Raises ``OSError``; then no part of the line is left in the file."""
        left = memoryview(line)
        try:
            # One write as a rule. What a full disk cuts short says why when the rest is written.
            while left:
                left = left[os.write(self._file, left) :]
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self.size)
            raise
        self.size += len(line)
        if not self._wanted.is_set():
            self._wanted.set()

    def close(self) -> None:
        """Sync what is left, and close."""
        self._closing.set()
        self._wanted.set()
        self._syncer.join()
        self._sync()
        _hold(self._file, False)
        os.close(self._file)

    def _sync(self) -> None:
        # A pipe or a device has nothing to sync; a full disk is told by the next write.
        with contextlib.suppress(OSError):
            getattr(os, "fdatasync", os.fsync)(self._file)

    def _keep_syncing(self) -> None:
        """Woken once in a while, not by each line: that would cost more than writing it."""
        while not self._closing.is_set():
            self._wanted.wait()
            self._closing.wait(SYNC_WITHIN)
            self._wanted.clear()
            self._sync()


def _hold(descriptor: int, holds: bool = True) -> None:
    """Let whoever saves over the file see that it is being written, or no more.

    The lock ends with us; but a forked child has it too.
    """
    if sys.platform == "win32":
        return
    import fcntl

    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, (fcntl.LOCK_SH | fcntl.LOCK_NB) if holds else fcntl.LOCK_UN)
