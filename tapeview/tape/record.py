"""A stored entry, its bytes exactly where they stand."""

from typing import Final, Literal

import msgspec

from tapeview.tape.block import Block

__all__ = ["UNFINISHED", "Record", "RecordKind", "Role"]

RecordKind = Literal["message", "note", "unreadable"]
Role = Literal["user", "assistant", "system", ""]

UNFINISHED: Final = "unfinished"
"""The label of a reply that is not whole: it is arriving, or was cut."""


class Record(msgspec.Struct, frozen=True, gc=False, eq=False):
    """One stored entry of a session: a message, a note of the harness, or something unreadable.

    ``start`` and ``length`` are bytes in the session's source, without the line's end.
    """

    start: int
    length: int
    line: int
    """The line of the file on which it begins, from 1."""
    kind: RecordKind
    role: Role = ""
    spelled_role: str = ""
    """The role as written: ``tool``, ``developer``, or one that no API knows."""
    blocks: tuple[Block, ...] = ()
    message_id: str = ""
    """The API's id of the reply it belongs to; records that share it are one message."""
    time: str = ""
    """When it was written, ISO 8601 as stored."""
    label: str = ""
    """A note's type, what is wrong with an unreadable one, ``summary`` for a compaction's,
    ``unfinished`` for a reply that is not whole."""
    is_failure: bool = False
    """The harness's note, in the place of a reply, that the call failed."""
    shares_line: bool = False
    """Another record stands on the same line."""
    facts: msgspec.Struct | None = None
    """What only its format understands."""
    member: int = 0
    """Which file of the session it stands in: 0 the session's own, else a sub-agent's."""
    text: bytes | None = None
    """The text as it is now, where that is not what ``start`` and ``length`` say of the file: the
    record was changed, or stands in no file (``start`` is then -1)."""

    @property
    def size(self) -> int:
        """Bytes of its text."""
        return self.length if self.text is None else len(self.text)
