"""Records that changed in their places, and nothing of what is derived but their sizes.

Most edits change a text. Then sides, turns, links and findings stay as they are, and only the
records, messages and blocks that were replaced are swapped for what they became: a few copies
instead of another look at the whole session.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

import msgspec

from tapeview.tape.block import Block
from tapeview.tape.message import Message, message_at
from tapeview.tape.moved import moving_numbers
from tapeview.tape.record import Record
from tapeview.tape.session import Session
from tapeview.tape.tape import Break, Tape

__all__ = ["Swap", "swap_of", "swapped_session"]


class Swap(NamedTuple):
    """What each replaced record and each of its blocks became."""

    records: Mapping[Record, Record]
    blocks: Mapping[Block, Block]

    def message(self, message: Message) -> Message:
        """A message with its records and blocks swapped."""
        return msgspec.structs.replace(
            message,
            records=tuple(self.records.get(record, record) for record in message.records),
            blocks=tuple(self.blocks.get(block, block) for block in message.blocks),
        )

    def messages(
        self, messages: tuple[Message, ...], positions: Mapping[Record, int]
    ) -> tuple[Message, ...]:
        """The messages of a tape; the same tuple where none changes."""
        changed = self._changed(messages, positions)
        if not changed:
            return messages
        swapped = list(messages)
        for number in changed:
            swapped[number] = self.message(messages[number])
        return tuple(swapped)

    def _changed(
        self, messages: tuple[Message, ...], positions: Mapping[Record, int]
    ) -> Collection[int]:
        found = {message_at(messages, record, positions) for record in self.records}
        if -1 not in found:
            return found
        untouched = self.records.keys().isdisjoint
        return [n for n, message in enumerate(messages) if not untouched(message.records)]


def swap_of(became: Iterable[tuple[Record, Record]]) -> Swap | None:
    """The swap that an edit comes to; None where more than texts and sizes changes."""
    pairs = tuple(became)
    blocks: dict[Block, Block] = {}
    for old, new in pairs:
        if not _alike(old, new):
            return None
        blocks.update(zip(old.blocks, new.blocks, strict=True))
    return Swap(dict(pairs), blocks) if pairs else None


def _alike(old: Record, new: Record) -> bool:
    """Whether nothing that anything is derived from has changed."""
    if old.kind != "message" or len(old.blocks) != len(new.blocks):
        return False
    return _identity(old) == _identity(new) and all(
        _looks(a) == _looks(b) for a, b in zip(old.blocks, new.blocks, strict=True)
    )


def _identity(record: Record) -> tuple[object, ...]:
    return (
        record.kind,
        record.role,
        record.spelled_role,
        record.message_id,
        record.time,
        record.label,
        record.is_failure,
        record.facts,
    )


def _looks(block: Block) -> tuple[object, ...]:
    return block.kind, block.path, block.id, block.name, block.facts, block.nested


def swapped_session(session: Session, swap: Swap) -> Session:
    """The session after such an edit."""
    positions, rows = session.positions, list(session.records)
    for old, new in swap.records.items():
        if (at := positions.get(old, -1)) >= 0:
            rows[at] = new
    return msgspec.structs.replace(
        session,
        records=tuple(rows),
        member_records=tuple(_rows(rows, swap) for rows in session.member_records),
        tapes=tuple(_tape(tape, swap, session.positions) for tape in session.tapes),
        original=session.as_read,
        positions=moving_numbers(positions).rekeyed(swap.records),
    )


def _rows(rows: tuple[Record, ...], swap: Swap) -> tuple[Record, ...]:
    if swap.records.keys().isdisjoint(rows):
        return rows
    return tuple([swap.records.get(record, record) for record in rows])


def _tape(tape: Tape, swap: Swap, positions: Mapping[Record, int]) -> Tape:
    apart = tape.kind == "agent" and tape.caller not in swap.blocks
    if apart and (tape.own or frozenset()).isdisjoint(swap.records):
        return tape
    messages = swap.messages(tape.messages, positions)
    own = tape.own
    if own is not None and not own.isdisjoint(swap.records):
        own = frozenset(swap.records.get(record, record) for record in own)
    unsent = tape.unsent
    if not unsent.keys().isdisjoint(swap.records):
        unsent = {swap.records.get(record, record): why for record, why in unsent.items()}
    caller, after = tape.caller, tape.after
    return msgspec.structs.replace(
        tape,
        messages=messages,
        sent=messages if tape.sent is tape.messages else swap.messages(tape.sent, positions),
        unsent=unsent,
        own=own,
        caller=swap.blocks.get(caller, caller) if caller is not None else None,
        after=swap.records.get(after, after) if after is not None else None,
        breaks=tuple(_break(broken, swap) for broken in tape.breaks),
    )


def _break(broken: Break, swap: Swap) -> Break:
    now = swap.records.get(broken.record, broken.record)
    return msgspec.structs.replace(broken, record=now) if now is not broken.record else broken
