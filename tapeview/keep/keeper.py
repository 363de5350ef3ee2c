"""An open session whose edits are journaled, and saved to the file that it came from."""

import contextlib
import os
import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from tapeview.edit.edit import Edit
from tapeview.edit.operations import Operation
from tapeview.errors import EditError, SaveError
from tapeview.formats._source import FileSource, Stamp, stamp_of
from tapeview.keep.files import (
    Fingerprint,
    copy_whole,
    fingerprint_of,
    write_whole,
)
from tapeview.keep.journal import Journal, Journaled, journal_path, read_journal
from tapeview.open_session import OpenSession, load
from tapeview.settings import state_folder
from tapeview.tape.clean import printable
from tapeview.tape.record import Record

__all__ = ["ChangedUnderneath", "Keeper", "Left"]


class ChangedUnderneath(SaveError):  # noqa: N818 - what is asked about
    """Somebody else wrote the file since it was opened; nothing was written."""


class Left(NamedTuple):
    """Edits that were made and never saved: the journal has them, the file does not."""

    steps: int
    """How many steps away from what the file holds."""
    when: str
    """When the journal was begun, ISO 8601."""
    fits: bool
    """Whether the file is still one that the journal knows."""
    unread: int = 0
    """Lines of the journal that cannot be read."""


class Keeper:
    """Edits go through it: each one is in the journal before it is done."""

    def __init__(self, opened: OpenSession, environ: Mapping[str, str] = os.environ) -> None:
        self.opened = opened
        self.trouble = ""
        """Why the journal cannot be written, in one sentence; "" where it can."""
        self._folder = state_folder(environ)
        self._path = None if opened.session.path == "-" else Path(opened.session.path).resolve()
        self._stamps: dict[Path, Stamp | None] = {}
        self._held: dict[int, tuple[Record, ...]] = {}
        self._journal: Journal | None = None
        self._base: Fingerprint | None = None
        """The file before the first edit of this run."""
        self._missed: list[Callable[[Journal], None]] = []
        """What the journal lacks so far, since it could not be written."""
        self.hold_anew()

    # -- files ---------------------------------------------------------------------------------

    def _file(self, member: int) -> Path:
        """The file of the session itself (0), or of a sub-agent."""
        if self._path is None:
            raise SaveError("standard input cannot be written back; save as another file.")
        return self._path if member == 0 else Path(self.opened.session.members[member - 1].name)

    def hold_anew(self) -> None:
        """What is shown was read from the files, as they were then; no edit of it is unsaved."""
        session = self.opened.session
        if self._path is not None:
            for member, source in enumerate((session.source, *session.members)):
                path = self._file(member)
                self._stamps[path] = (
                    source.stamp if isinstance(source, FileSource) else stamp_of(path)
                )
        if not self.opened.log.entries:
            self._journal, self._base, self.trouble = None, None, ""
            self._missed.clear()
        self._hold()

    def wrote_last(self) -> bool:
        """Whether the session's own file is what we wrote, no longer what was read."""
        known = self._stamps.get(self._path) if self._path is not None else None
        source = self.opened.session.as_read.source
        if known is None or not isinstance(source, FileSource) or known == source.stamp:
            return False
        return known == stamp_of(self._file(0))

    def _hold(self) -> None:
        """What is shown is what the files hold."""
        session = self.opened.session
        self._held = {k: session.rows(k) for k in range(len(session.members) + 1)}
        self._held_frame = session.frame

    @property
    def changed_files(self) -> tuple[int, ...]:
        """Files that differ from what is shown."""
        session = self.opened.session
        changed = {k for k, rows in self._held.items() if session.rows(k) != rows}
        if session.frame != self._held_frame:
            changed.add(0)
        return tuple(sorted(changed))

    def _backup(self, member: int) -> Path:
        """Where the first original of a file is kept."""
        path = self._file(member)
        name = sha256(os.fsencode(path)).hexdigest()[:24]
        return self._folder / "originals" / f"{name}-{path.name[-40:]}"

    # -- what was left behind ------------------------------------------------------------------

    def left(self) -> Left | None:
        """Edits of an earlier run that were never saved; None where there are none."""
        found = self._journaled()
        if found is None or self._path is None:
            return None
        journaled, here = found
        if here == journaled.state:
            return None
        if here is None:
            last = journaled.saved[-1][0] if journaled.saved else 0
            steps = abs(journaled.state - last)
            return Left(steps, journaled.began, False, journaled.unread) if steps else None
        return Left(abs(journaled.state - here), journaled.began, True, journaled.unread)

    def _journaled(self) -> tuple[Journaled, int | None] | None:
        """The journal, and which of its states the file holds."""
        if self._path is None:
            return None
        journaled = read_journal(journal_path(self._folder, self._path))
        file = fingerprint_of(self._path) if journaled is not None else None
        if journaled is None or file is None:
            return None
        return journaled, journaled.state_in(file)

    def take_up(self) -> int:
        """Do the edits again that were left behind; how many could be done.

        Raises ``EditError`` where one does not fit; those before it are done.
        """
        found = self._journaled()
        if found is None or self._path is None:
            return 0
        journaled, here = found
        if here is None:
            return self._try_all(journaled)
        first = 0
        if here and not self._read_original(journaled):
            first = here
        self._journal = Journal(journal_path(self._folder, self._path), self._path)
        self._journal.go_on()
        for number, operation in enumerate(journaled.edits[first:], first):
            try:
                self.opened.apply(operation)
            except EditError:
                if number < journaled.state:
                    self._note(lambda j, n=journaled.state - number: j.undo(n))  # type: ignore[misc]
                raise
        log = self.opened.log
        self.opened.go_to(here - first)
        self._hold()
        self.opened.go_to(max(0, journaled.state - first))
        log.saved = here - first
        return abs(journaled.state - here)

    def _try_all(self, journaled: Journaled) -> int:
        """The edits on a file that has changed since, as far as they fit."""
        last = journaled.saved[-1][0] if journaled.saved else 0
        done = 0
        for operation in journaled.edits[min(last, journaled.state) : journaled.state]:
            self.apply(operation)
            done += 1
        return done

    def _read_original(self, journaled: Journaled) -> bool:
        """Go on from the first original, where it is still kept: all its edits can be undone."""
        original = self._backup(0)
        others = [k for k in self._held if k and self._backup(k).exists()]
        if others or fingerprint_of(original) != journaled.base:
            return False
        session = load(str(original), self.opened.purpose, self.opened.session.path)
        self.opened.begin_again(session)
        return True

    def drop(self) -> None:
        """Forget what was left behind; the next edit begins a new journal."""
        if self._path is not None:
            path = journal_path(self._folder, self._path)
            with contextlib.suppress(OSError):
                path.replace(path.with_suffix(".dropped"))

    # -- edits ---------------------------------------------------------------------------------

    def apply(self, operation: Operation, planned: Edit | None = None) -> Edit:
        """Do an edit, which may have been planned just now.

        Raises ``EditError`` and ``PairSplit``; nothing has changed then.
        """
        edit = self.opened.plan(operation) if planned is None else planned
        self._note(lambda journal: journal.edit(operation))
        self.opened.do(operation, edit)
        return edit

    def note_done(self) -> None:
        """Put edits into the journal that a script has done on the session itself.

        None goes in where they come to nothing.
        """
        for entry in self.opened.log.done if self.changed_files else ():
            operation = entry.operation
            self._note(lambda journal, done=operation: journal.edit(done))  # type: ignore[misc]

    def undo(self) -> Edit | None:
        """Take the last edit back."""
        if self.opened.log.state:
            self._note(lambda journal: journal.undo())
        return self.opened.undo()

    def redo(self) -> Edit | None:
        """Do again what was undone last."""
        if self.opened.log.state < len(self.opened.log.entries):
            self._note(lambda journal: journal.redo())
        return self.opened.redo()

    def go_to(self, state: int) -> None:
        """Undo or redo up to a state."""
        steps = max(0, min(state, len(self.opened.log.entries))) - self.opened.log.state
        if steps:
            self._note(lambda j: j.redo(steps) if steps > 0 else j.undo(-steps))
        self.opened.go_to(state)

    def _note(self, write: Callable[[Journal], None]) -> None:
        """Put something into the journal; a journal that cannot be written stops no edit."""
        if self._path is None:
            return
        if self._base is None:
            self._base = fingerprint_of(self._path) or Fingerprint(0, "")
        self._missed.append(write)
        try:
            if self._journal is None:
                self._journal = self._begun(self._path, self._base)
            elif self.trouble:
                self._journal.go_on()
            while self._missed:
                self._missed[0](self._journal)
                del self._missed[0]
            self.trouble = ""
        except SaveError as error:
            self.trouble = str(error)

    def _begun(self, path: Path, base: Fingerprint) -> Journal:
        """The journal that is written on: the one of this file, or a new one."""
        journal = Journal(journal_path(self._folder, path), path)
        journaled = read_journal(journal.path)
        if journaled is not None and journaled.state_in(base) == journaled.state:
            journal.go_on()
            return journal
        self.drop()
        journal.begin(base)
        return journal

    # -- saving --------------------------------------------------------------------------------

    def save(self, force: bool = False) -> tuple[Path, ...]:
        """Write the files that changed; which they were.

        Raises ``ChangedUnderneath`` where somebody else wrote one since (``force`` writes over
        it), ``SaveError`` where a file cannot be written.
        """
        written: list[Path] = []
        own: Fingerprint | None = None
        for member in self.changed_files:
            path = self._file(member)
            if not force:
                self._look_for_change(path)
            self._keep_original(member)
            pieces = self.opened.session.written(self.opened.session, member)
            still = self._stamps.get(path)
            found = write_whole(
                path,
                pieces,
                path,
                lambda p=path, s=still: force or stamp_of(p) == s,  # type: ignore[misc]
            )
            own = found if member == 0 else own
            self._stamps[path] = stamp_of(path)
            written.append(path)
        self._hold()
        self.opened.log.saved = self.opened.log.state
        if written:
            file = own or fingerprint_of(self._file(0)) or Fingerprint(0, "")
            self._note(lambda journal: journal.saved(file))
        return tuple(written)

    def _look_for_change(self, path: Path) -> None:
        known, now = self._stamps.get(path), stamp_of(path)
        if known != now:
            what = "is gone" if now is None else "was written by another program"
            raise ChangedUnderneath(
                f"{printable(str(path))}: the file {what} since it was opened; nothing was saved."
            )

    def _keep_original(self, member: int) -> None:
        """A copy of the file as it was before anything of ours; the first one stays."""
        copy, path = self._backup(member), self._file(member)
        if copy.exists() or not path.exists():
            return
        try:
            copy.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            copy_whole(path, copy)
        except OSError as error:
            shown = printable(str(copy))
            raise SaveError(f"{shown}: the original cannot be kept: {error.strerror}.") from None

    def save_as(self, path: Path, force: bool = False) -> None:
        """Write the session's own file to another path. Raises ``SaveError``."""
        if path.exists() and not force:
            raise SaveError(f"{printable(str(path))}: there is such a file already.")
        if self._path is not None and path.resolve() == self._path:
            self.save(force)
            return
        like = self._path
        write_whole(path, self.opened.session.written(self.opened.session, 0), like)

    def save_request(self, path: Path, body: bytes, force: bool = False) -> None:
        """Write a request body. Raises ``SaveError``."""
        if path.exists() and not force:
            raise SaveError(f"{printable(str(path))}: there is such a file already.")
        write_whole(path, [body])

    def save_as_new(self, identity: str) -> Path:
        """Write the session under a new id, with its sub-agents; the new file.

        Raises ``EditError`` where the format has no ids, ``SaveError``.
        """
        if not re.fullmatch(r"[0-9A-Za-z_-]{1,100}", identity):
            raise EditError("a session id is made of letters, digits, - and _.")
        copies = list(self.opened.copies(identity))
        if not copies:
            raise EditError("this format has no session ids; save as another file.")
        folder = self._file(0).parent
        targets = [(folder / name, pieces) for name, pieces in copies]
        for target, _ in targets:
            if target.exists():
                raise SaveError(f"{printable(str(target))}: there is such a file already.")
        for target, pieces in targets:
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                shown = printable(str(target.parent))
                raise SaveError(f"{shown}: cannot be made: {error.strerror}.") from None
            write_whole(target, pieces, self._file(0))
        return targets[0][0]
