"""What the model knew at a turn: the messages that a call was sent, and the reply to it."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from tapeview.rules._engine import Finding
from tapeview.snapshot import Snapshot
from tapeview.tape.block import Block
from tapeview.tape.message import Message
from tapeview.tape.record import Record
from tapeview.tape.rows import Row
from tapeview.tape.sizes import count, duration, size_long
from tapeview.tape.tape import Tape
from tapeview.tape.turn import Turn
from tapeview.tape.turn_facts import TurnFacts
from tapeview.wire.request import sent_before

__all__ = ["Knew"]

TURN_RULES = frozenset({"turn", "answered"})


class Knew(Snapshot):
    """One call of a tape as a snapshot of its own: never what was not sent.

    Its rows are those of the request in sending order, a rule where the new part begins, a rule
    where the call was answered, and the reply. What is wrong is what the whole tape has wrong here.
    """

    def __init__(self, whole: Snapshot, number: int) -> None:
        line = whole.line_of_turn(number)
        turn = line.own_turn(number)
        known = sent_before(line.index, line.tape.sent, turn)
        earlier = line.tape.first_turn <= number - 1
        before: Sequence[Message] = ()
        if earlier:
            before = sent_before(line.index, line.tape.sent, line.own_turn(number - 1))
        reply = line.tape.messages[turn.start : turn.stop]
        tape = Tape(line.tape.id, line.tape.kind, (*known, *reply), (*known, *reply), {})
        super().__init__(whole.session, tape, whole.purpose, whole.revision)
        self.whole = whole
        self.line = line
        self.number = number
        self.known: Sequence[Message] = known
        self.old = len(before)
        self.reply: Sequence[Message] = reply

    @cached_property
    def lines(self) -> tuple[Snapshot, ...]:
        """Nothing else is shown with it."""
        return (self,)

    @cached_property
    def own_findings(self) -> tuple[Finding, ...]:
        """Findings of the whole tape at blocks and messages that are shown."""
        places = self.index.places
        records = {record for message in self.tape.messages for record in message.records}
        return tuple(
            finding
            for finding in self.whole.findings
            if (finding.block in places if finding.block is not None else finding.record in records)
        )

    @cached_property
    def findings_of(self) -> Mapping[Block | Record, Sequence[Finding]]:
        """As on the whole tape."""
        return self.whole.findings_of

    @property
    def verdict(self) -> str:
        """As on the whole tape."""
        return self.whole.verdict

    @cached_property
    def turn_facts(self) -> Mapping[int, TurnFacts]:
        """As on the whole tape."""
        return self.whole.turn_facts

    @cached_property
    def turn_row_of(self) -> Mapping[int, int]:
        """The rules of the turns that are shown; for the call itself where it was answered."""
        return {row.turn: at for at, row in enumerate(self.rows) if row.kind in TURN_RULES}

    def line_of_turn(self, number: int) -> Snapshot:
        """As on the whole tape."""
        return self.whole.line_of_turn(number)

    def own_turn(self, number: int) -> Turn:
        """As on the line that the call continues."""
        return self.line.own_turn(number)

    @cached_property
    def turn_sizes(self) -> Sequence[int]:
        """As on the whole tape."""
        return self.whole.turn_sizes

    @property
    def turn_numbers(self) -> Sequence[int]:
        """As on the whole tape: there is more to step through than is shown."""
        return self.whole.turn_numbers

    @cached_property
    def new_rows(self) -> frozenset[int]:
        """Numbers of the rows that this call was the first to be sent."""
        begins = next((k for k, row in enumerate(self.rows) if row.kind == "new"), len(self.rows))
        ends = next(k for k, row in enumerate(self.rows) if row.kind == "answered")
        return frozenset(range(begins + 1, ends))

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The request, what is new below a rule, the reply below another."""
        rows = [row for row in self.whole.rows if row.kind in ("system", "tools")]
        turns = self._turn_numbers()
        after = 0
        for number, message in enumerate(self.tape.messages):
            if number == self.old and self.old < len(self.known):
                rows.append(Row("new", after=after, message=number))
            if number == len(self.known):
                rows.append(Row("answered", self.number, self.number, number))
            turn = turns.get(number)
            if turn is not None and number < len(self.known):
                after = turn
                rows.append(Row("turn", turn, turn, number, record=message.first))
            rows += self._blocks(number, message, self.number if turn == self.number else after)
        waiting = sum(link.state == "pending" for link in self.index.links)
        if waiting:
            rows.append(Row("end", after=self.number, holds=waiting))
        return tuple(rows)

    def _turn_numbers(self) -> dict[int, int]:
        """The turn that begins at a message, by the message's number."""
        found: dict[int, int] = {}
        places = self.line.index.places
        for number, message in enumerate(self.tape.messages):
            known = [places[block].message for block in message.blocks if block in places]
            turn = self.line.index.turn_of(known[0]) if known else None
            if message.role == "assistant" and turn is not None and turn.start <= known[0]:
                found[number] = turn.number
        return found

    def _blocks(self, number: int, message: Message, after: int) -> list[Row]:
        holder = {block: record for record in message.records for block in record.blocks}
        return [
            Row("block", after, after, number, k, block, holder[block])
            for k, block in enumerate(message.blocks)
        ]

    @property
    def words(self) -> tuple[str, str]:
        """For the title: what it is, and its sizes."""
        numbers = self.whole.turn_numbers
        new = sum(block.size for message in self.known[self.old :] for block in message.blocks)
        step = f"step {numbers.index(self.number) + 1} of {len(numbers)}"
        sent = size_long(self.line.turn_facts[self.number].sent)
        title = f"what the model knew at turn {self.number}"
        return title, f"{sent} · +{size_long(new)} · {step}"

    def rule_words(self, row: Row) -> str:
        """The words of the rule where the new part begins, and where the call was answered."""
        if row.kind == "new":
            messages = self.known[self.old :]
            size = sum(block.size for message in messages for block in message.blocks)
            counted = count(len(messages), "message")
            return f"new at turn {self.number} · {size_long(size)} · {counted}"
        facts = self.line.turn_facts[self.number]
        size = sum(block.size for message in self.reply for block in message.blocks)
        words = [f"call {self.number} answered"]
        if facts.seconds is not None:
            words.append(duration(facts.seconds))
        return " · ".join((*words, size_long(size)))
