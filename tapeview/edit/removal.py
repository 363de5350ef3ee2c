"""Taking blocks and messages out of a tape without parting a call from its result unasked."""

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from tapeview.edit.operations import Pairs
from tapeview.edit.putting import plan_answer
from tapeview.edit.work import Target, Work
from tapeview.errors import PairSplit
from tapeview.tape.block import CLIENT_CALL, Block
from tapeview.tape.graft import spelled
from tapeview.tape.link import End, Link
from tapeview.tape.message import Message
from tapeview.tape.record import Record

__all__ = ["INTERRUPTED", "Removal"]

INTERRUPTED: Final = "interrupted: this call was not run"
ELSEWHERE: Final = ("late", "early")
"""States of links whose result does not stand where the API looks for it."""


class Removal:
    """What is to go, and what of the links that lose one end."""

    def __init__(self, work: Work, pairs: Pairs, again: Collection[str] = ()) -> None:
        self.work = work
        self.pairs = pairs
        self.again = again
        """Ids of calls that stand again in what takes the place of what goes."""
        self.blocks: set[Block] = set()
        self.records: dict[Record, None] = {}
        """Records that go whole, with or without blocks."""

    def add(self, target: Target) -> None:
        """A block, a message, or a record off the chain."""
        if target.block is not None:
            self.work.record_of(target)
            self.blocks.add(target.block)
        elif target.record is not None:
            self.records[target.record] = None
            self.blocks.update(target.record.blocks)
        else:
            self.add_message(self.work.messages[target.message])

    def add_message(self, message: Message) -> None:
        """All of a message."""
        self.blocks.update(message.blocks)
        self.records.update(dict.fromkeys(message.records))

    def carry_out(self) -> None:
        """Put it into the draft. Raises ``PairSplit`` where that has to be decided first."""
        work = self.work
        parted = list(self._parted())
        if parted and self.pairs == "ask":
            raise PairSplit(*_question(work, parted))
        answered: list[End] = []
        unanswered: list[End] = []
        for link, staying in parted:
            if self.pairs == "keep":
                continue
            call = link.call
            ours = call is not None and call.block.kind == CLIENT_CALL
            if self.pairs == "answer" and ours and call in staying:
                if link.state in ELSEWHERE:
                    unanswered.append(call)
                else:
                    answered += [end for end in link.ends if end is not link.call][:1]
            else:
                self.blocks.update(end.block for end in staying)
        for end in answered:
            self._interrupt(end)
        kept = {end.block for end in answered}
        whole = [record for record in self.records if not kept.intersection(record.blocks)]
        for record in whole:
            work.draft.remove(record)
        work.remove_blocks(self.blocks - kept, self._holders(set(whole)))
        for call in unanswered:
            plan_answer(work, Target(call.place.message, call.block), INTERRUPTED, True)

    def _holders(self, whole: set[Record]) -> Iterable[Record]:
        """Other records that hold blocks which go, each once."""
        places = self.work.index.places
        numbers = sorted({places[block].message for block in self.blocks if block in places})
        chain = (record for number in numbers for record in self.work.messages[number].records)
        holding = (record for record in chain if not self.blocks.isdisjoint(record.blocks))
        found = dict.fromkeys((*holding, *self.records))
        return [record for record in found if record not in whole]

    def _parted(self) -> Iterator[tuple[Link, list[End]]]:
        """Links that would lose one end, with the ends that stay."""
        index = self.work.index
        touched = {index.link_numbers[b] for b in self.blocks if b in index.link_numbers}
        for link in (index.links[number] for number in sorted(touched)):
            going = [end for end in link.ends if end.block in self.blocks]
            staying = [end for end in link.ends if end.block not in self.blocks]
            if not going or not staying or link.call is None:
                continue
            if link.call in going and link.call.block.id in self.again:
                continue
            if link.call in going or staying == [link.call]:
                yield link, staying

    def _interrupt(self, end: End) -> None:
        """The result stays, as one that says that the call was not run."""
        work = self.work
        record = work.messages[end.place.message].record_of(end.block)
        work.set_member(record, end.block, "content", spelled(INTERRUPTED))
        if work.session.dialect == "anthropic":
            work.set_member(record, end.block, "is_error", b"true")


def _question(work: Work, parted: Iterable[tuple[Link, list[End]]]) -> tuple[str, tuple[str, ...]]:
    places = tuple(work.index.path(end.place) for _, staying in parted for end in staying)
    listed = ", ".join(places[:3]) + (f" and {len(places) - 3} more" if len(places) > 3 else "")
    return (
        f"this parts calls from their results: {listed} would stay alone; "
        "say both, keep or answer.",
        places,
    )
