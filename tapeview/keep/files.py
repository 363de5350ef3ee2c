"""Files written whole or not at all, and how one is known again."""

import contextlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

import msgspec

from tapeview.errors import SaveError
from tapeview.tape.clean import printable

__all__ = [
    "Fingerprint",
    "copy_whole",
    "fingerprint_of",
    "write_whole",
]

CHUNK = 1 << 20


class Fingerprint(msgspec.Struct, frozen=True):
    """What a file holds."""

    size: int
    sha256: str


def fingerprint_of(path: Path) -> Fingerprint | None:
    """What the file holds now; None where it cannot be read."""
    digest = sha256()
    size = 0
    try:
        with path.open("rb") as file:
            while piece := file.read(CHUNK):
                digest.update(piece)
                size += len(piece)
    except OSError:
        return None
    return Fingerprint(size, digest.hexdigest())


def write_whole(
    path: Path,
    pieces: Iterable[bytes],
    like: Path | None = None,
    may_replace: Callable[[], bool] = lambda: True,
) -> Fingerprint:
    """Write a file by a temporary one in the same folder, synced, then renamed.

    It gets mode and owner of the file ``like``, where that is there; else nobody but its owner
    reads it. Where ``path`` is a link, the file that it leads to is written. ``may_replace`` is
    asked once more just before the rename. Raises ``SaveError`` with a sentence; what stood there
    before is then whole.
    """
    written = Fingerprint(0, "")

    def fill(file: BinaryIO) -> None:
        nonlocal written
        written = _write(file.write, pieces)
        _take_after(file.fileno(), like)

    _whole(path, fill, may_replace)
    return written


def copy_whole(path: Path, copy: Path) -> None:
    """Copy a file, whole or not at all, for its owner alone. Raises ``SaveError``."""

    def fill(file: BinaryIO) -> None:
        shutil.copyfile(path, file.name)  # by the system itself, where it can

    _whole(copy, fill, lambda: True)


def _whole(path: Path, fill: Callable[[BinaryIO], None], may_replace: Callable[[], bool]) -> None:
    shown = printable(str(path))
    path = Path(os.path.realpath(path))
    name = ""
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", dir=path.parent)
        os.close(descriptor)
        with Path(name).open("wb") as file:
            fill(file)
            file.flush()
            os.fsync(file.fileno())
        if _is_held(path):
            raise SaveError(
                f"{shown}: a program is recording to it right now; save it once that has ended, or "
                "save as another file."
            )
        if not may_replace():
            raise SaveError(f"{shown}: it changed while it was being saved; nothing was written.")
        Path(name).replace(path)
        name = ""
        _sync_folder(path.parent)
    except OSError as error:
        reason = error.strerror or str(error)
        raise SaveError(f"{shown}: cannot be saved: {reason}; the file is as it was.") from None
    finally:
        if name:
            with contextlib.suppress(OSError):
                Path(name).unlink()


def _is_held(path: Path) -> bool:
    """Whether a recorder holds the file: what it adds would go to the one that is replaced."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _write(write: Callable[[bytes], int], pieces: Iterable[bytes]) -> Fingerprint:
    digest = sha256()
    size = 0
    for piece in pieces:
        write(piece)
        digest.update(piece)
        size += len(piece)
    return Fingerprint(size, digest.hexdigest())


def _take_after(descriptor: int, like: Path | None) -> None:
    """Mode and owner of another file, as far as we may."""
    if like is None:
        return
    try:
        found = like.stat()
    except OSError:
        return
    if hasattr(os, "fchown"):
        with contextlib.suppress(OSError):
            os.fchown(descriptor, found.st_uid, found.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(found.st_mode))


def _sync_folder(folder: Path) -> None:
    """The rename itself is on the disk; not every system can do that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
