"""What an edit asks of a format: how records of its own are spelled, and how they hang together."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from tapeview.edit.draft import Draft
from tapeview.tape.block import JsonPath
from tapeview.tape.record import Record

__all__ = ["Gap", "Reply", "Speller"]


class Gap(NamedTuple):
    """Where a message is put in: between two that follow one another on a tape."""

    before: tuple[Record, ...]
    """The records of the message that it follows; none at the tape's beginning."""
    after: tuple[Record, ...]
    """The records of the message that follows it; none at the tape's end."""


class Reply(NamedTuple):
    """A reply of the model, as the Messages API returns it."""

    blocks: tuple[bytes, ...]
    fields: Mapping[str, bytes]
    """The members of the message, undecoded: id, model, stop_reason, usage, ..."""


class Speller(Protocol):
    """One format's way to spell a change."""

    def inside(self, record: Record) -> JsonPath:
        """The way from the record to the message in it."""

    def insert(self, draft: Draft, gap: Gap, role: str, blocks: Sequence[bytes]) -> None:
        """Put a new message in: its blocks in the Messages API's spelling, as JSON."""

    def insert_reply(self, draft: Draft, gap: Gap, reply: Reply, instead: Sequence[Record]) -> None:
        """Put a reply in; ``instead`` are the records of the one that it takes the place of."""

    def branch(self, draft: Draft, gap: Gap, reply: Reply) -> None:
        """Keep a reply beside the one that ``gap.after`` holds, below the same line.

        Raises ``EditError`` where the file cannot hold that.
        """

    def insert_copy(self, draft: Draft, gap: Gap, records: Sequence[Record], moved: bool) -> None:
        """Put in the message that these records make, once more; ``moved``: in its own name."""

    def insert_block(
        self, draft: Draft, gap: Gap, like: Record, block: bytes, moved: Record | None
    ) -> bool:
        """Put a block into the message of ``like``, as a record of its own between two others.

        ``moved`` is the record that held it, where it goes on in its own name. False where the
        blocks of a message share a record.
        """

    def set_role(self, draft: Draft, records: Sequence[Record], role: str) -> None:
        """Let somebody else have said the message."""

    def split(self, draft: Draft, records: Sequence[Record], after: Sequence[Record]) -> None:
        """Part a message of several records in two. Raises ``EditError`` where it cannot be."""

    def merge(self, draft: Draft, first: Sequence[Record], second: Sequence[Record]) -> bool:
        """Make one message of two; False where their blocks have to be put together."""

    def follow(self, text: bytes, result: bytes) -> bytes:
        """A record whose result became ``result``, as JSON: what else it says of it follows."""

    def settle(self, draft: Draft) -> None:
        """What else has to change, now that it is known what goes and what is put in."""
