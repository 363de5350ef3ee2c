"""The edits of a session in the order they were made: undo, redo, and which state is on disk."""

from collections.abc import Iterator, Sequence

import msgspec

from tapeview.edit.edit import Edit
from tapeview.edit.operations import Operation

__all__ = ["EditLog", "Entry"]


class Entry(msgspec.Struct, frozen=True):
    """One edit, and what was asked for."""

    operation: Operation
    edit: Edit


class EditLog:
    """Edits that are done, and those that were undone and may be done again.

    State ``n`` is the session after its first ``n`` edits.
    """

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self.state = 0
        """How many edits are done."""
        self.saved: int | None = 0
        """The state that the file holds; None where no state of the list is the file's."""

    @property
    def entries(self) -> Sequence[Entry]:
        """All edits, undone ones at the end."""
        return tuple(self._entries)

    @property
    def done(self) -> Sequence[Entry]:
        """The edits that hold now."""
        return tuple(self._entries[: self.state])

    @property
    def unsaved(self) -> int:
        """How many steps lie between what is shown and what the file holds."""
        return len(self._entries) if self.saved is None else abs(self.state - self.saved)

    def push(self, entry: Entry) -> None:
        """A new edit; what was undone is dropped."""
        if self.saved is not None and self.saved > self.state:
            self.saved = None
        del self._entries[self.state :]
        self._entries.append(entry)
        self.state += 1

    def undo(self) -> Edit | None:
        """The edit that takes the last one back; None where nothing is done."""
        if not self.state:
            return None
        self.state -= 1
        return self._entries[self.state].edit.inverse

    def redo(self) -> Edit | None:
        """The edit that was undone last; None where nothing was."""
        if self.state == len(self._entries):
            return None
        self.state += 1
        return self._entries[self.state - 1].edit

    def towards(self, state: int) -> Iterator[Edit]:
        """The edits that lead to a state, to be applied one after the other."""
        while self.state != state:
            edit = self.undo() if self.state > state else self.redo()
            if edit is None:
                return
            yield edit
