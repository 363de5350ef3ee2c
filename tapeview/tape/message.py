"""Messages and sides: records as the API sees them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from tapeview.tape.block import Block, BlockFacts, JsonPath
from tapeview.tape.record import Record, Role

__all__ = [
    "Message",
    "Side",
    "block_path",
    "message_at",
    "message_of",
    "sides_of",
    "signed_in",
    "size_of",
]

MIXED: Final = 4
"""Messages whose lines may stand among one another's."""


class Message(msgspec.Struct, frozen=True, gc=False, eq=False):
    """One message of a tape: a role and blocks, out of one or more records."""

    role: Role
    records: tuple[Record, ...]
    blocks: tuple[Block, ...]
    spelled_role: str = ""
    id: str = ""

    @property
    def is_failure(self) -> bool:
        """Whether the harness wrote it in place of a reply that never came."""
        records = self.records
        return bool(records) and records[0].is_failure and all(r.is_failure for r in records)

    @property
    def first(self) -> Record:
        """The record it begins with."""
        return self.records[0]

    @property
    def is_one_record(self) -> bool:
        """Whether it is one record as it is stored: all its blocks, in their order."""
        return len(self.records) == 1 and self.blocks == self.records[0].blocks

    def record_of(self, block: Block) -> Record:
        """The record that holds ``block``."""
        for record in self.records:
            if block in record.blocks:
                return record
        return self.records[0]

    def path_of(self, number: int) -> str:
        """How the API spells block ``number`` inside this message; empty for string content."""
        if self.is_one_record:
            return block_path(self.blocks[number].path)
        return f"content.{number}"


class Side(msgspec.Struct, frozen=True, gc=False, eq=False):
    """Neighbouring messages of one role, as the API combines them.

    ``role: system`` inside the array and roles that no API knows are transparent: they belong to
    no side and part none (``rules.md`` 2.3, 2.4).
    """

    number: int
    role: Role
    messages: tuple[int, ...]
    """Indices into the tape's messages, rising."""


def block_path(path: JsonPath) -> str:
    """A path inside a message as the API spells it: string content has no path of its own."""
    return "" if path == ("content",) else ".".join(str(step) for step in path)


def message_of(records: Sequence[Record]) -> Message:
    """The message that these records make together."""
    first = records[0]
    if len(records) == 1:
        blocks = first.blocks
    else:
        blocks = tuple(block for record in records for block in record.blocks)
    return Message(first.role, tuple(records), blocks, first.spelled_role, first.message_id)


def sides_of(messages: Iterable[Message]) -> tuple[Side, ...]:
    """The sides of a tape, in order."""
    sides: list[Side] = []
    held: list[int] = []
    role: Role = ""
    for number, message in enumerate(messages):
        if message.role not in ("user", "assistant"):
            continue
        if message.role != role and held:
            sides.append(Side(len(sides), role, tuple(held)))
            held = []
        role = message.role
        held.append(number)
    if held:
        sides.append(Side(len(sides), role, tuple(held)))
    return tuple(sides)


def message_at(messages: Sequence[Message], record: Record, positions: Mapping[Record, int]) -> int:
    """The number of the message that holds a record, where messages stand in stored order; else -1.

    ``positions`` are the places of records in the file. What a harness adds is in none. The lines
    of neighbours may be mixed, as those of parallel calls and their results are.
    """
    position = positions.get(record, -1)
    low, high = 0, len(messages)
    while low < high:
        middle = (low + high) // 2
        begins = positions.get(messages[middle].records[0]) if messages[middle].records else None
        if begins is None:
            return -1
        low, high = (middle + 1, high) if begins <= position else (low, middle)
    near = range(low - 1, max(-1, low - 1 - MIXED), -1)
    return next((number for number in near if record in messages[number].records), -1)


def size_of(message: Message) -> int:
    """Bytes that its blocks carry."""
    return sum([block.size for block in message.blocks])


def signed_in(message: Message) -> int:
    """How many signed thinking blocks it has."""
    return len([1 for block in message.blocks if block.facts & BlockFacts.SIGNED])
