"""The journal: every edit on the disk as it is made, so that a crash loses none.

One file of lines for each session file, in the user's state folder, never beside the session:

    {"journal": 1, "path": "/home/ana/s.jsonl", "size": 812, "sha256": "...", "at": "..."}
    {"edit": {"op": "set", ...}}
    {"undo": 1}   {"redo": 1}
    {"saved": {"size": 790, "sha256": "..."}}

A line counts once its line end is on the disk.
"""

import contextlib
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec
from msgspec import UNSET, Raw, UnsetType

from tapeview.edit.operations import Operation, operation_json, operations_from
from tapeview.errors import EditError, SaveError
from tapeview.keep.files import Fingerprint
from tapeview.tape.clean import printable
from tapeview.tape.graft import spelled
from tapeview.tape.json_text import JsonFault, loads, members

__all__ = ["Journal", "Journaled", "journal_path", "read_journal"]

VERSION: Final = 1


class Journaled(msgspec.Struct, frozen=True):
    """What a journal says: all edits, how many of them hold, and which state was saved as what."""

    base: Fingerprint
    """The file before the first edit."""
    began: str
    edits: tuple[Operation, ...] = ()
    state: int = 0
    saved: tuple[tuple[int, Fingerprint], ...] = ()
    unread: int = 0
    """Lines behind one that cannot be read, that one included; a torn last line is none."""
    whole: int = 0
    """Bytes of the lines that could be read."""

    @property
    def done(self) -> Sequence[Operation]:
        """The edits that hold."""
        return self.edits[: self.state]

    def state_in(self, file: Fingerprint) -> int | None:
        """The state that a file holds; None where it is none of the journal's."""
        for state, fingerprint in reversed(self.saved):
            if fingerprint == file:
                return state
        return 0 if file == self.base else None


class _Line(msgspec.Struct):
    journal: int = 0
    size: int = 0
    sha256: str = ""
    at: str = ""
    edit: Raw | UnsetType = UNSET
    undo: int = 0
    redo: int = 0
    saved: Fingerprint | None = None


_decoder = msgspec.json.Decoder(_Line)
_REFUSED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def _decode(raw: bytes) -> _Line:
    """A line. Raises ``ValidationError`` and ``JsonFault``."""
    try:
        return _decoder.decode(raw)
    except msgspec.ValidationError:
        raise
    except _REFUSED:
        # Lone surrogates, in a path or in a text, which msgspec refuses.
        fields = {
            name: Raw(raw[a:b]) if name == "edit" else loads(raw[a:b])
            for name, (a, b) in members(raw, 0)
        }
        loads(raw)
        return msgspec.convert(fields, _Line)


def journal_path(folder: Path, session: Path) -> Path:
    """Where the journal of a session file lies in the state folder."""
    name = sha256(os.fsencode(session.resolve())).hexdigest()[:24]
    return folder / "journal" / f"{name}.jsonl"


def read_journal(path: Path) -> Journaled | None:
    """What a journal says; None where there is none, or it does not begin as one.

    A last line without its end was torn by a crash, and is passed over. Of a line that cannot be
    read further up nobody knows what it did, so what follows it is not done either, but counted.
    """
    try:
        raw = path.read_bytes()
    except OSError:
        return None
    lines = raw.split(b"\n")[:-1]
    try:
        head = _decode(lines[0]) if lines else _Line()
    except (msgspec.ValidationError, JsonFault):
        return None
    if head.journal != VERSION:
        return None
    edits: list[Operation] = []
    state = 0
    saved: list[tuple[int, Fingerprint]] = []
    whole = len(lines[0]) + 1
    unread = 0
    for number, text in enumerate(lines[1:], 1):
        try:
            line = _decode(text)
            if line.edit is not UNSET:
                edits[state:] = operations_from(b"[" + bytes(line.edit) + b"]")
                saved = [(at, held) for at, held in saved if at <= state]
                state += 1
        except (msgspec.ValidationError, JsonFault, EditError):
            unread = len(lines) - number
            break
        whole += len(text) + 1
        state = max(0, min(state - line.undo + line.redo, len(edits)))
        if line.saved is not None:
            saved.append((state, line.saved))
    base = Fingerprint(head.size, head.sha256)
    return Journaled(base, head.at, tuple(edits), state, tuple(saved), unread, whole)


class Journal:
    """The journal of one session file, being written."""

    def __init__(self, path: Path, session: Path) -> None:
        self.path = path
        self._session = session
        self._descriptor = -1

    def begin(self, base: Fingerprint) -> None:
        """Start anew: the file holds ``base``, and nothing is edited yet. Raises ``SaveError``."""
        self.close()
        at = datetime.now(UTC).isoformat(timespec="seconds")
        head = {
            "journal": VERSION,
            "path": str(self._session),
            "size": base.size,
            "sha256": base.sha256,
            "at": at,
        }
        self._open(os.O_TRUNC)
        self._append(spelled(head))

    def edit(self, operation: Operation) -> None:
        """An edit was made."""
        self._append(b'{"edit":' + operation_json(operation) + b"}")

    def undo(self, steps: int = 1) -> None:
        """Edits were undone."""
        self._append(b'{"undo":%d}' % steps)

    def redo(self, steps: int = 1) -> None:
        """Edits were done again."""
        self._append(b'{"redo":%d}' % steps)

    def saved(self, file: Fingerprint) -> None:
        """What is shown is what the file holds."""
        self._append(b'{"saved":' + msgspec.json.encode(file) + b"}")

    def go_on(self) -> None:
        """Write on behind the lines that can be read. Raises ``SaveError``.

        A torn last line is cut off; where more cannot be read, a copy of all is kept beside it.
        """
        self.close()
        found = read_journal(self.path)
        self._open(0)
        try:
            if found is not None and found.unread:
                self.path.with_suffix(".damaged").write_bytes(self.path.read_bytes())
            os.ftruncate(self._descriptor, found.whole if found is not None else 0)
            os.lseek(self._descriptor, 0, os.SEEK_END)
        except OSError as error:
            raise self._failed(error) from None

    def _open(self, flags: int) -> None:
        if self._descriptor >= 0:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | flags, 0o600)
        except OSError as error:
            raise self._failed(error) from None

    def _append(self, line: bytes) -> None:
        begin = -1
        try:
            begin = os.lseek(self._descriptor, 0, os.SEEK_END)
            left = memoryview(line + b"\n")
            while left:
                left = left[os.write(self._descriptor, left) :]
            os.fsync(self._descriptor)
        except OSError as error:
            if begin >= 0:  # what is written only by half must not come before what follows
                with contextlib.suppress(OSError):
                    os.ftruncate(self._descriptor, begin)
            raise self._failed(error) from None

    def _failed(self, error: OSError) -> SaveError:
        reason = error.strerror or str(error)
        shown = printable(str(self.path))
        return SaveError(f"{shown}: the journal of edits cannot be written: {reason}.")

    def close(self) -> None:
        """Let the file go."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
