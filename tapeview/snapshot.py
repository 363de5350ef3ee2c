"""One tape of a session with everything derived from it. Immutable."""

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import accumulate
from operator import attrgetter

from tapeview.errors import PlaceError
from tapeview.rules._engine import Finding, Purpose, check, worst
from tapeview.rules._registry import all_rules
from tapeview.rules._rule import SEVERITIES, Severity
from tapeview.tape.block import Block
from tapeview.tape.index import Index
from tapeview.tape.lanes import Gutter, gutters_of
from tapeview.tape.link import Link
from tapeview.tape.message import Message
from tapeview.tape.record import UNFINISHED, Record
from tapeview.tape.rows import Row, rows_of
from tapeview.tape.session import Session
from tapeview.tape.sizes import count
from tapeview.tape.spliced import Known
from tapeview.tape.stored import Stored
from tapeview.tape.tape import Tape
from tapeview.tape.turn import Turn
from tapeview.tape.turn_facts import TurnFacts, facts_of

__all__ = ["Snapshot", "by_rank", "no_collection"]

NOT_RESUMED = {
    "segment": "what the model was sent before the compaction; resume leaves it behind",
    "branch": "a line that was left by a rewind; resume does not send it",
    "agent": "a sub-agent's own tape; its answer went back as one result",
}
"""What resuming means for a tape that no call continues."""


NEEDED = {"anthropic": ("model", "max_tokens"), "openai-chat": ("model",)}
"""Members that a request cannot do without."""


class Snapshot:
    """One tape of a session with everything derived from it, as of one revision. Immutable."""

    settled = True
    """Whether the whole file was read: until then there are rows alone."""

    def __init__(
        self,
        session: Session,
        tape: Tape,
        purpose: Purpose,
        revision: int,
        codes: Sequence[str] | None = None,
    ) -> None:
        self.given = session
        """The session as it was given; ``session`` may have the frame of this tape alone."""
        self.session = session.seen_from(tape)
        self.tape = tape
        self.purpose = purpose
        self.revision = revision
        self.codes = codes
        self.layout = object()
        """The same one for snapshots whose rows stand in the same places."""
        self.moved: tuple[object, int, int, int] | None = None
        """Since which layout the rows from one number to another were replaced, and by how many
        those behind moved; None where that is not known."""
        self.known_gutters: dict[int, tuple[Sequence[Gutter], int]] = {}
        """Gutters by the number of lanes, as far as they were asked for."""

    def has_rows_of(self, other: "Snapshot") -> bool:
        """Whether only texts changed between the two: every row stands where it stood."""
        return self.layout is other.layout

    @cached_property
    def lines(self) -> tuple["Snapshot", ...]:
        """The tape itself, then those that its timeline shows with it: segments and branches."""
        if self.tape.kind != "main":
            return (self,)
        others = [t for t in self.session.tapes if t.kind in ("segment", "branch")]
        return (self, *(self._other(tape) for tape in others))

    def _other(self, tape: Tape) -> "Snapshot":
        return Snapshot(self.given, tape, self.purpose, self.revision, self.codes)

    def of(self, row: Row) -> "Snapshot":
        """The snapshot of the line that a row belongs to."""
        return self.lines[row.tape] if row.tape < len(self.lines) else self

    def line_after(self, line: "Snapshot") -> "Snapshot":
        """The line that goes on where a segment ends: the next segment, or this tape."""
        segments = [other for other in self.lines if other.tape.kind == "segment"]
        return self.lines[0] if line is segments[0] else segments[segments.index(line) - 1]

    @cached_property
    def agents(self) -> Mapping[Block, Tape]:
        """Sub-agents by the call that started them."""
        return {t.caller: t for t in self.session.tapes if t.caller is not None}

    @cached_property
    def index(self) -> Index:
        """The stored chain."""
        session, tape = self.session, self.tape
        return Index(tape.messages, session.frame, session.dialect, tape.first_turn, self.stored)

    @property
    def stored(self) -> Stored | None:
        """The file behind the tape, where it is this tape that is asked about it."""
        session, tape = self.session, self.tape
        records: Sequence[Record] = session.records if tape.kind == "main" else ()
        if tape.kind == "agent":
            apart = next((record.member for record in tape.own or () if record.member), 0)
            records = session.rows(apart) if apart else ()
        return Stored(session, records, tape.breaks) if records or tape.kind == "main" else None

    @cached_property
    def sent_index(self) -> Index:
        """The sent tape; the very same index where it equals the stored chain."""
        if self.tape.sent is self.tape.messages:
            return self.index
        return Index(self.tape.sent, self.session.frame, self.session.dialect)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong on all lines that are shown, line by line, in the order of places."""
        return tuple(finding for line in self.lines for finding in line.own_findings)

    @cached_property
    def own_findings(self) -> tuple[Finding, ...]:
        """What is wrong with the records that only this tape has."""
        rules = [rule for rule in all_rules() if self.codes is None or rule.code in self.codes]
        sent = None if self.sent_index is self.index else self.sent_index
        with no_collection():
            found = check(rules, self.index, sent, self.purpose)
        own = self.tape.own
        return found if own is None else tuple(f for f in found if f.record in own)

    @cached_property
    def findings_by_rank(self) -> tuple[Finding, ...]:
        """The same, worst and first reported first."""
        return by_rank(self.findings)

    @property
    def rules_looked(self) -> int:
        """How many rules hold for this dialect."""
        return sum(self.session.dialect in rule.dialects for rule in all_rules())

    @cached_property
    def severity_counts(self) -> dict[Severity, int]:
        """How many findings of each severity, all named."""
        counts = dict.fromkeys(SEVERITIES, 0)
        for finding in self.findings:
            counts[finding.severity] += 1
        return counts

    @cached_property
    def rows(self) -> Sequence[Row]:
        """The timeline's rows, folded ones included."""
        others = [(line.tape, line.index) for line in self.lines[1:]]
        return rows_of(self.session, self.tape, self.index, others)

    @cached_property
    def links(self) -> Sequence[Link]:
        """Links of all lines; those of a line's own records only, this tape's first."""
        if len(self.lines) == 1:
            return self.index.links
        found = list(self.index.links)
        for line in self.lines[1:]:
            places, messages = line.index.places, line.tape.messages
            own = line.tape.own or frozenset()
            for link in line.index.links:
                end = link.ends[0]
                if messages[places[end.block].message].record_of(end.block) in own:
                    found.append(link)
        return tuple(found)

    def gutters(self, most: int) -> tuple[Sequence[Gutter], int]:
        """The link gutter of each row with at most ``most`` lanes, and how many are in use."""
        if most not in self.known_gutters:
            self.known_gutters[most] = gutters_of(self.rows, self.links, most)
        return self.known_gutters[most]

    @cached_property
    def findings_of(self) -> Mapping[Block | Record, Sequence[Finding]]:
        """Findings by block, or by record where a whole message is concerned."""
        found: dict[Block | Record, list[Finding]] = {}
        for finding in self.findings:
            key = finding.block or finding.record
            if key is not None:
                found.setdefault(key, []).append(finding)
        return found

    @property
    def new_rows(self) -> frozenset[int]:
        """Rows that are to be marked as new: none, but where one looks at a single call."""
        return frozenset()

    def rule_words(self, row: Row) -> str:
        """The words of a rule that only some looks at a tape have."""
        del row
        return ""

    def findings_at(self, row: Row) -> Sequence[Finding]:
        """Findings that stand at a row; on the first of a record those of the whole record too."""
        found = self.findings_of.get(row.block, ()) if row.block is not None else ()
        if row.kind in ("note", "unreadable") and row.record is not None:
            return self.findings_of.get(row.record, ())
        if row.kind == "block" and row.record is not None:
            begins = row.record.blocks[:1]
            if row.number <= 0 or (begins and row.block is begins[0]):
                found = [*found, *self.findings_of.get(row.record, ())]
        return found

    def severity_at(self, row: Row) -> Severity | None:
        """The worst severity of a row's findings."""
        return worst(self.findings_at(row))

    @cached_property
    def row_of(self) -> Mapping[Block | Record, int]:
        """The row of each block, and the first row of each record; this tape's own before others'.

        A compaction may keep messages, which then stand on two lines.
        """
        found: dict[Block | Record, int] = {}
        for at, row in enumerate(self.rows):
            if row.kind in ("turn", "notes", "segment", "branch", "boundary", "reply"):
                continue
            if row.block is not None and (row.tape == 0 or row.block not in found):
                found[row.block] = at
            if row.record is not None:
                found.setdefault(row.record, at)
        return found

    @cached_property
    def turn_row_of(self) -> Mapping[int, int]:
        """The row of each turn's rule by its number; of lines shown with it segments' alone."""
        return {
            row.turn: at
            for at, row in enumerate(self.rows)
            if row.kind == "turn" and (row.tape == 0 or self.of(row).tape.kind == "segment")
        }

    @property
    def turn_numbers(self) -> Sequence[int]:
        """Numbers of the turns of the main line, segments included."""
        if len(self.lines) == 1:
            return self.own_turn_numbers
        return [number for line in self._counted_lines for number in line.own_turn_numbers]

    @property
    def own_turn_numbers(self) -> range:
        """Numbers of the turns of this very tape."""
        first = self.tape.first_turn
        return range(first, first + len(self.index.turns))

    @property
    def _counted_lines(self) -> Sequence["Snapshot"]:
        """The lines whose turns are counted through, the first one first."""
        segments = [line for line in self.lines if line.tape.kind == "segment"]
        return (*reversed(segments), self) if self.tape.kind != "segment" else (self,)

    def row_of_finding(self, finding: Finding) -> int:
        """The row that a finding points at; the first row where it points at the whole tape."""
        key = finding.block or finding.record
        return self.row_of.get(key, 0) if key is not None else 0

    @cached_property
    def _sent_before(self) -> Sequence[int]:
        """Bytes sent before each message, counted along the stored chain."""
        first = len(self.session.frame.system) + len(self.session.frame.tools)
        return tuple(accumulate(self.sent_sizes, initial=first))

    @cached_property
    def sent_sizes(self) -> Sequence[int]:
        """Bytes that each message adds to what is sent."""
        return [self.sent_size(message) for message in self.tape.messages]

    def sent_size(self, message: Message) -> int:
        """Bytes that one message adds to what is sent."""
        unsent = self.tape.unsent
        sent = (record for record in message.records if record not in unsent)
        return sum(block.size for record in sent for block in record.blocks)

    @property
    def sent_now(self) -> int:
        """Bytes that the next call would be sent."""
        return self._sent_before[-1]

    @cached_property
    def turn_facts(self) -> Mapping[int, TurnFacts]:
        """What the rule of each turn of the main line says, by its number."""
        return Known(self.turn_numbers, self._facts_of)

    @cached_property
    def times(self) -> tuple[str, str] | None:
        """When the first and the last record of the session were made."""
        times = list(filter(None, map(attrgetter("time"), self.session.records)))
        return (min(times), max(times)) if times else None

    @cached_property
    def turn_sizes(self) -> Sequence[int]:
        """Bytes that the call of each turn of the main line was sent."""
        sizes: list[int] = []
        for line in self._counted_lines:
            sizes += map(line._sent_before.__getitem__, line.index.turn_starts)
        return sizes

    def _facts_of(self, number: int) -> TurnFacts:
        line = self.line_of_turn(number)
        turn = line.own_turn(number)
        return facts_of(line.tape.messages, turn, line._sent_before[turn.start])

    @cached_property
    def verdict(self) -> str:
        """The header's sentence: what resuming would do, or what the API would say of it."""
        if self.tape.resume is not None:
            return self.tape.resume
        if self.tape.kind != "main":
            return NOT_RESUMED[self.tape.kind]
        last = self.tape.messages[-1:]
        if last and last[0].first.label == UNFINISHED:
            return "the last reply is not whole: it is still arriving, or was cut"
        refused = min(
            (f for f in self.findings if f.severity == "error"),
            key=lambda f: (f.rule.rank, f.place),
            default=None,
        )
        unreadable = sum(record.kind == "unreadable" for record in self.session.records)
        if refused is None and unreadable:
            lines = count(unreadable, "line")
            return f"{lines} of the file cannot be read; the API would take the rest"
        if refused is None:
            return self._sound_verdict
        return f"the API would refuse this at {refused.api_path or refused.at}"

    @property
    def _sound_verdict(self) -> str:
        """What keeps it from being the next request, where that is nothing that is wrong."""
        frame, waiting = self.session.frame, self.index.link_counts["pending"]
        if not self.tape.messages:
            return "there are no messages yet"
        if waiting:
            its = "waits for its result" if waiting == 1 else "wait for their results"
            return f"{count(waiting, 'call')} {its}"
        is_body = frame.whole and frame.is_editable
        needed = NEEDED[self.session.dialect] if is_body else ()
        if lacks := ", ".join(name for name in needed if name not in frame.members):
            return f"the API would take these messages; not stored: {lacks}"
        return "the API would take this as the next request"

    def turn(self, number: int) -> Turn:
        """The turn of that number. Raises ``PlaceError`` where there is none."""
        return self.line_of_turn(number).own_turn(number)

    def own_turn(self, number: int) -> Turn:
        """A turn of this very tape."""
        return self.index.turns[number - self.tape.first_turn]

    def line_of_turn(self, number: int) -> "Snapshot":
        """The line of main and its segments that has a turn. Raises ``PlaceError``."""
        for line in self._counted_lines:
            if number in line.own_turn_numbers:
                return line
        turns = len(self.turn_numbers)
        have = f"there are {turns}" if turns else "there are none"
        raise PlaceError(f"{self.session.path}: no turn {number}: {have}.")


def by_rank(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings, worst first, and of those what the API would report first."""
    order = {severity: k for k, severity in enumerate(SEVERITIES)}
    return tuple(sorted(findings, key=lambda f: (order[f.severity], f.rule.rank, f.place)))


@contextmanager
def no_collection() -> Iterator[None]:
    """Hundreds of thousands of new objects and no garbage: collecting only costs time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
