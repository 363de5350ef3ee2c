"""Saving what was edited, comparing it with the file, leaving with edits, coming back to them."""

from abc import abstractmethod
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from uuid import uuid4

from textual.message import Message

from tapeview.errors import TapeviewError
from tapeview.keep.keeper import ChangedUnderneath, Keeper
from tapeview.looks.block_text import copy_path
from tapeview.looks.changes import unsaved_words
from tapeview.looks.diff import DiffLine, all_changes, block_diff, change_count
from tapeview.looks.saving import copy_name, left_words, request_body, resume_command
from tapeview.tape.clean import printable
from tapeview.tape.sizes import count
from tapeview.tui.screens.main_editing import EditingScreen
from tapeview.tui.widgets.diff_pane import DiffPane
from tapeview.tui.widgets.question import Answer

__all__ = ["SavingScreen"]

CHANGED = "the file was written by another program"


class SavingScreen(EditingScreen):
    """Keys that save, and the questions at the beginning and the end."""

    _asks_left = False
    """Edits were left behind, and nobody has said yet what becomes of them."""

    class Reopen(Message):
        """The file is to be opened anew."""

    # -- the beginning -------------------------------------------------------------------------

    def begin_keeping(self) -> None:
        """From now on the session can be edited; ask for edits that were left behind."""
        if self.keeper is None:
            self.keeper = Keeper(self.opened, self.environ)
            self._asks_left = self.keeper.left() is not None
            self._ask_left()

    def _ask_left(self) -> None:
        left = self.keeper.left() if self.keeper is not None and self._asks_left else None
        if left is None:
            self._asks_left = False
            return
        words = left_words(left, datetime.now().astimezone())
        verb = "take them up" if left.fits else "try them"
        self.ask(
            words,
            [Answer("enter", verb, self._take_up), Answer("d", "drop them", self._drop)],
            escape="later",
        )

    def may_edit(self) -> bool:
        """Before the first edit it is asked once more what becomes of those that were left."""
        if not super().may_edit():
            return False
        if self._asks_left:
            # A new journal would take the place of the old one.
            self._ask_left()
        return not self._asks_left

    def _take_up(self) -> None:
        keeper = self.keeper
        if keeper is None:
            return
        self._asks_left = False
        words, style = "", "fg"
        try:
            words = f"{count(keeper.take_up(), 'edit')} taken up"
        except TapeviewError as error:
            words, style = f"not all fit: {error}", "warn"
        self.follow([entry.edit for entry in self.opened.log.done])
        self.say(printable(words), style)

    def _drop(self) -> None:
        if self.keeper is not None:
            self.keeper.drop()
            self._asks_left = False
            self.say("dropped")

    # -- saving --------------------------------------------------------------------------------

    def do_save(self) -> None:
        """Write the file, whatever of it is looked at."""
        self._save()

    def _save(self, force: bool = False) -> bool:
        keeper = self.keeper
        if keeper is None:
            return False
        try:
            written = keeper.save(force)
        except ChangedUnderneath:
            self.ask(
                CHANGED,
                [
                    Answer("o", "overwrite", self._overwrite),
                    Answer("r", "reopen", self._reopen),
                    Answer("S", "save as", self.do_save_as),
                ],
            )
            return False
        except TapeviewError as error:
            self.say(printable(str(error)), "warn")
            return False
        if written:
            self.saved()
        kept = f"saved {self.glyphs.separator} backup of the original kept"
        self.say(kept if written else "nothing to save")
        self.refresh_bars()
        return True

    @abstractmethod
    def saved(self) -> None:
        """The file was written by ourselves."""

    def _overwrite(self) -> None:
        self._save(force=True)

    def _reopen(self) -> None:
        self.post_message(self.Reopen())

    def do_save_as(self) -> None:
        """Ask where to, and as what."""
        if not self.may_edit():
            return
        self.ask(
            "save as",
            [
                Answer("p", "another path", self._ask_path),
                Answer("n", "a new session", self._save_new),
                Answer("b", "the request's body", self._ask_body_path),
            ],
        )

    def _ask_path(self) -> None:
        name = copy_name(self.opened.session.path, "copy")
        self.ask_word("save as", name, self._save_copy)

    def _ask_body_path(self) -> None:
        name = copy_name(self.opened.session.path, "request")
        self.ask_word("save the request's body as", name, self._save_body)

    def _save_copy(self, path: str) -> bool:
        keeper = self.keeper
        return keeper is not None and self.write(path, keeper.save_as)

    def _save_body(self, path: str) -> bool:
        keeper = self.keeper
        if keeper is None:
            return False
        body = request_body(self.snapshot)
        return self.write(path, lambda to, force: keeper.save_request(to, body, force))

    def write(self, typed: str, write: Callable[[Path, bool], None]) -> bool:
        """Write a file of that name; where there is one it is asked first."""
        if not typed.strip():
            self.say("this needs a path", "warn")
            return False
        path = Path(typed.strip()).expanduser()
        if path.exists():
            force = partial(self._write_over, path, write)
            self.ask(f"there is a file {path.name}", [Answer("o", "overwrite", force)])
            return True
        return self._written(path, write, force=False)

    def _write_over(self, path: Path, write: Callable[[Path, bool], None]) -> None:
        self._written(path, write, force=True)

    def _written(self, path: Path, write: Callable[[Path, bool], None], force: bool) -> bool:
        try:
            write(path, force)
        except TapeviewError as error:
            self.say(printable(str(error)), "warn")
            return False
        self.say(printable(f"saved as {path}"))
        return True

    def _save_new(self) -> None:
        if self.keeper is None:
            return
        identity = str(uuid4())
        try:
            self.keeper.save_as_new(identity)
        except TapeviewError as error:
            self.say(printable(str(error)), "warn")
            return
        command = resume_command(self.opened.session.folder, identity)
        self.app.copy_to_clipboard(command)
        self.say(printable(f"copied: {command}"))

    # -- comparing -----------------------------------------------------------------------------

    @property
    def diff_pane(self) -> DiffPane:
        """What differs from the file."""
        return self.query_one("#diff", DiffPane)

    def do_diff(self) -> None:
        """Compare the row with the file; again, all records; again, give the pane back."""
        pane = self.diff_pane
        if pane.is_open and pane.is_whole:
            self.close_side()
            return
        pane.is_whole = pane.is_open
        self.show_diff()
        self.open_side(pane)

    def show_diff(self) -> None:
        """Show the diff of the row under the cursor, or of all records."""
        pane, row, session = self.diff_pane, self.row, self.snapshot.session
        changes = change_count(session)
        if pane.is_whole:
            same = DiffLine("", ((False, "everything is as the file was opened"),))
            lines = all_changes(session) if changes else iter([same])
            pane.show(count(changes, "change"), lines, "= back")
            return
        if row is None:
            return
        found = block_diff(self.snapshot.of(row), row)
        if not found:
            found = (DiffLine("", ((False, "the same as in the file"),)),)
        place = copy_path(self.snapshot, row)
        pane.show(f"diff {place}", found, f"= all {changes}" if changes else "")

    # -- the end -------------------------------------------------------------------------------

    def do_quit(self) -> None:
        """End the program; with unsaved edits that is asked first."""
        unsaved = self.opened.log.unsaved
        if not unsaved:
            self.app.exit()
            return
        self.ask(
            unsaved_words(unsaved),
            [
                Answer("s", "save", self._save_and_quit),
                Answer("q", "leave them in the journal", self.app.exit),
            ],
            escape="stay",
        )

    def _save_and_quit(self) -> None:
        if self._save():
            self.app.exit()
