"""What edits are made of: places found, messages changed in their records, blocks taken out."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from tapeview.edit.draft import Draft
from tapeview.edit.speller import Gap, Speller
from tapeview.errors import EditError
from tapeview.tape.block import Block, BlockFacts, Place
from tapeview.tape.index import Index
from tapeview.tape.json_text import JsonFault, loads, locate, skip_value
from tapeview.tape.message import Message
from tapeview.tape.record import Record
from tapeview.tape.session import Session
from tapeview.tape.tape import Tape
from tapeview.tape.turn import Turn

__all__ = ["Target", "Work", "sound"]


class Target(NamedTuple):
    """What a path names: a block, a whole message, or a record that is off the chain."""

    message: int = -1
    """Index on the stored chain; -1 off it."""
    block: Block | None = None
    """None for a whole message."""
    record: Record | None = None
    """The record, where one is meant that is off the chain."""


def sound(raw: msgspec.Raw) -> bytes:
    """JSON that somebody gave, without the blanks around it. Raises ``EditError``."""
    text = bytes(raw).strip(b" \t\r\n")
    try:
        loads(text)
    except JsonFault as fault:
        raise EditError(f"this is not JSON: {fault}.") from None
    return text


class Work:
    """One tape of a session, and the draft of an edit of it."""

    def __init__(
        self, session: Session, tape: Tape, index: Index, speller: Speller, draft: Draft
    ) -> None:
        self.session = session
        self.tape = tape
        self.index = index
        self.speller = speller
        self.draft = draft

    @property
    def messages(self) -> Sequence[Message]:
        """The stored chain."""
        return self.tape.messages

    # -- places --------------------------------------------------------------------------------

    def target(self, path: str) -> Target:
        """What a path names. Raises ``EditError`` where there is no such place."""
        steps = path.split(".")
        numbers = [int(step) if step.isdecimal() else -1 for step in steps]
        if len(steps) < 2 or numbers[1] < 0 or steps[0] not in ("messages", "records"):
            raise EditError(f"{path or '(empty)'} is no place such as messages.4.content.1.")
        if steps[0] == "records":
            return self._stored(path, numbers[1], steps[2:])
        if numbers[1] >= len(self.messages):
            raise EditError(f"there is no {path}: the tape has {len(self.messages)} messages.")
        message = self.messages[numbers[1]]
        rest = ".".join(steps[2:])
        if not rest:
            return Target(numbers[1])
        for k, block in enumerate(message.blocks):
            if rest == message.path_of(k):
                return Target(numbers[1], block)
        for k, block in enumerate(message.blocks):
            if rest == f"content.{k}":
                return Target(numbers[1], block)
        raise EditError(f"there is no {path}: messages.{numbers[1]} has no such block.")

    def _stored(self, path: str, number: int, rest: Sequence[str]) -> Target:
        records = self.session.records
        if number >= len(records):
            raise EditError(f"there is no {path}: the file has {len(records)} records.")
        record = records[number]
        if not rest:
            return Target(record=record)
        for block in record.blocks:
            if [str(step) for step in block.path] == list(rest):
                return Target(block=block, record=record)
        raise EditError(f"there is no {path}: records.{number} has no such block.")

    def record_of(self, target: Target) -> Record:
        """The record that holds a block. Raises ``EditError`` for what stands in no file."""
        if target.record is not None:
            return target.record
        message = self.messages[target.message]
        if target.block is None:
            return message.first
        if target.block.facts & BlockFacts.ADDED:
            raise EditError("the harness adds this on its own; it is not stored.")
        return message.record_of(target.block)

    def gap_before(self, number: int) -> Gap:
        """The gap above message ``number``; at the end of the tape for one past the last."""
        messages = self.messages
        before = messages[number - 1].records if number > 0 else ()
        after = messages[number].records if number < len(messages) else ()
        return Gap(before, after)

    def turn(self, number: int) -> Turn:
        """A turn by its number. Raises ``EditError`` where the tape has none of it."""
        at = number - self.index.first_turn
        if not 0 <= at < len(self.index.turns):
            raise EditError(f"there is no turn {number} on this tape.")
        return self.index.turns[at]

    # -- changing messages ---------------------------------------------------------------------

    def message_json(self, record: Record) -> bytes:
        """The message in a record, as the draft has it."""
        text = self.draft.text_of(record)
        path = self.speller.inside(record)
        start, end = locate(text, path)
        return text[start:end]

    def change_message(self, record: Record, change: Callable[[bytes], bytes]) -> None:
        """Give a record another message; the rest of it stays."""
        text = self.draft.text_of(record)
        path = self.speller.inside(record)
        start, _ = locate(text, path)
        end = skip_value(text, start)
        self.draft.change(record, text[:start] + change(text[start:end]) + text[end:])

    def set_member(self, record: Record, block: Block, name: str, value: bytes | None) -> None:
        """Set one member of a block; what a record says of its result beside it follows."""
        shape = self.session.shape
        self.change_message(record, lambda raw: shape.set_member(raw, block, name, value))
        if block.kind == "tool_result" and name == "content" and value is not None:
            self.draft.change(record, self.speller.follow(self.draft.text_of(record), value))

    def remove_blocks(self, blocks: Collection[Block], records: Iterable[Record]) -> None:
        """Take blocks out, and with the last block of a record the record.

        ``records`` are those that may hold them.
        """
        shape = self.session.shape
        for record in records:
            gone = [block for block in record.blocks if block in blocks]
            if len(gone) == len(record.blocks):
                self.draft.remove(record)
            elif gone:
                left = shape.without_blocks(self.message_json(record), gone)
                if left is None:
                    self.draft.remove(record)
                else:
                    self.change_message(record, lambda _, left=left: left)  # type: ignore[misc]

    def own_blocks(self, message: Message) -> Iterator[bytes]:
        """The blocks of a message, each as it stands."""
        for block in message.blocks:
            record = message.record_of(block)
            yield self.session.shape.own(self.message_json(record), block)

    def places_between(self, first: Target, last: Target) -> Iterator[Place]:
        """The places of all blocks from one place to another, both included."""
        begin = self._place(first, 0)
        end = self._place(last, len(self.messages[last.message].blocks))
        if end < begin:
            raise EditError("the range ends above its beginning.")
        for number in range(first.message, last.message + 1):
            for k in range(len(self.messages[number].blocks)):
                if begin <= Place(number, k) <= end:
                    yield Place(number, k)

    def _place(self, target: Target, whole: int) -> Place:
        if target.message < 0:
            raise EditError("a range runs along the messages of the tape.")
        if target.block is None:
            return Place(target.message, whole)
        return Place(target.message, self.messages[target.message].blocks.index(target.block))
