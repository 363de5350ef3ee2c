"""One undoable change: splices on the rows of records. Its inverse swaps two fields."""

from collections.abc import Sequence

import msgspec

from tapeview.tape.record import Record
from tapeview.tape.tape import Frame

__all__ = ["Edit", "Splice"]


class Splice(msgspec.Struct, frozen=True):
    """Neighbouring records of one file in place of others."""

    at: int
    """The number of the first record concerned, in stored order."""
    old: tuple[Record, ...]
    new: tuple[Record, ...]
    member: int = 0
    """Which file: 0 the session's own, else a sub-agent's."""


class Edit(msgspec.Struct, frozen=True):
    """One change, as a list names it, and what it does to records and frame."""

    label: str
    splices: tuple[Splice, ...] = ()
    """By file and place; places count the rows as they are before the edit."""
    frames: tuple[Frame, Frame] | None = None
    """What stands beside the messages before and after; None where it stays."""
    became: tuple[tuple[Record, Record], ...] = ()
    """Records that were changed in their places, each with what it became."""

    @property
    def inverse(self) -> "Edit":
        """The edit that takes this one back."""
        back: list[Splice] = []
        shift: dict[int, int] = {}
        for splice in self.splices:
            moved = shift.get(splice.member, 0)
            back.append(Splice(splice.at + moved, splice.new, splice.old, splice.member))
            shift[splice.member] = moved + len(splice.new) - len(splice.old)
        frames = self.frames and (self.frames[1], self.frames[0])
        became = tuple((new, old) for old, new in self.became)
        return Edit(self.label, tuple(back), frames, became)

    def applied(self, rows: Sequence[Record], member: int = 0) -> tuple[Record, ...]:
        """The rows of one file after the edit."""
        now = list(rows)
        for splice in reversed(self.splices):
            if splice.member == member:
                now[splice.at : splice.at + len(splice.old)] = splice.new
        return tuple(now)

    @property
    def members(self) -> frozenset[int]:
        """Files whose records it changes."""
        return frozenset(splice.member for splice in self.splices)
