"""How the lines of a session hang together, counted: what an edit of a few of them goes by."""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from tapeview.formats._claude_chain import TREE_TYPES, count_messages, is_canonical
from tapeview.formats._claude_line import facts_of
from tapeview.shapes.fields import fields_of, text_of
from tapeview.tape.block import CALLS, RESULTS
from tapeview.tape.record import Record
from tapeview.tape.spliced import Tally
from tapeview.tape.tape import Tape

__all__ = ["POINTS_TO_LEAF", "Counts", "End", "Thread"]

POINTS_TO_LEAF: Final = ("summary", "last-prompt")
AGENT_TOOLS: Final = frozenset({"Task", "Agent"})


End = tuple[str, str]
"""When a line was said at which resume could begin, and its uuid."""


class Counts(NamedTuple):
    """How often lines name something."""

    uuids: Tally
    parents: Tally
    replies: Tally
    ids: Tally
    """Ids of calls and results."""
    named: Tally
    """Lines that others point to otherwise than as their parent: titles, last prompts."""

    def changed(self, gone: "Counts", come: "Counts") -> "Counts":
        """The same without some lines, and with others."""
        return Counts(*(a.changed(b, c) for a, b, c in zip(self, gone, come, strict=True)))


def _counts_of(records: Sequence[Record], bytes_of: Callable[[Record], bytes]) -> Counts:
    known = [facts_of(record) for record in records]
    ids = [
        block.id
        for record in records
        for block in record.blocks
        if block.kind in CALLS or block.kind in RESULTS
    ]
    named = (
        [facts.uuid for facts in known],
        [facts.parent for facts in known],
        [record.message_id for record in records if record.message_id],
        ids,
        [
            *(facts.logical_parent for facts in known if facts.logical_parent),
            *(
                text_of(fields_of(bytes_of(record)).get("leafUuid"))
                for record in records
                if record.label in POINTS_TO_LEAF
            ),
        ],
    )
    return Counts(*(Tally(dict(Counter(names))) for names in named))


def _end(record: Record) -> End:
    return record.time, facts_of(record).uuid


class Thread:
    """What is known of one session's own file. Worked out when an edit asks for it first."""

    def __init__(
        self,
        records: Sequence[Record],
        tapes: Sequence[Tape],
        ends: Iterable[Record],
        bytes_of: Callable[[Record], bytes],
    ) -> None:
        """``ends`` are the lines at which resume could begin."""
        self._records = records
        self._tapes = tapes
        self._bytes_of = bytes_of
        self.ends: Sequence[End] = sorted(map(_end, ends))
        """When they were said, and their uuids, in order."""

    def changed(self, counts: Counts, ends: Sequence[End], kept: int, unanswered: int) -> "Thread":
        """The same after a plain edit, which lets so many messages more be sent, and so many more
        calls be left out.
        """  # noqa: D205
        thread = Thread((), (), (), self._bytes_of)
        thread.ends = ends
        thread.__dict__.update(
            counts=counts,
            all_side=self.all_side,
            _are_timed=True,
            is_plain=True,
            beside=self.beside,
            kept=self.kept + kept,
            unanswered=self.unanswered + unanswered,
        )
        return thread

    def ends_after(
        self, gone: Iterable[Record], come: Iterable[Record], at_end: bool
    ) -> Sequence[End] | None:
        """The ends without some, and with others; None where resume would not begin where it did,
        or ``at_end`` at one of those that come.
        """  # noqa: D205
        kept, new = list(self.ends), sorted(map(_end, come))
        for end in map(_end, gone):
            at = bisect_left(kept, end)
            if kept[at : at + 1] != [end]:
                return None
            del kept[at]
        older, newer = (kept, new) if at_end else (new, kept)
        if not newer or (older and older[-1][0] > newer[-1][0]):
            return None
        if not self._are_timed or not all(is_canonical(time) for time, _ in new):
            return None
        for end in new:
            insort(kept, end)
        return kept

    @cached_property
    def _are_timed(self) -> bool:
        """Whether the times of all ends are in order as texts are."""
        return all(is_canonical(time) for time, _ in self.ends)

    @cached_property
    def counts(self) -> Counts:
        """What all lines name."""
        return self.counts_of(self._records)

    def counts_of(self, records: Sequence[Record]) -> Counts:
        """What some of them name."""
        return _counts_of(records, self._bytes_of)

    @cached_property
    def all_side(self) -> bool:
        """Whether it is a sub-agent's own file."""
        known = [facts_of(record) for record in self._records]
        return all(facts.sidechain for facts in known if facts.type in TREE_TYPES and facts.uuid)

    @cached_property
    def _held(self) -> set[Record]:
        return {record for message in self._tapes[0].messages for record in message.records}

    @cached_property
    def is_plain(self) -> bool:
        """Whether there is one line alone, whole, without a compaction; a plain edit keeps it so.

        Then no other line is an end that resume could begin at, or that would be a branch.
        """
        if self._tapes[0].breaks or any(t.kind in ("segment", "branch") for t in self._tapes):
            return False
        known = [facts_of(record) for record in self._records]
        uuids = {f.uuid for f in known if f.type in TREE_TYPES or f.type == "progress"}
        if any(
            (f.parent and f.parent not in uuids) or f.subtype == "compact_boundary" for f in known
        ):
            return False
        side = self.all_side
        return all(
            record.kind != "message" or record in self._held or (facts.sidechain and not side)
            for record, facts in zip(self._records, known, strict=True)
        )

    @cached_property
    def beside(self) -> int:
        """Messages that the file holds beside the line."""
        stored = (record for record in self._records if record.kind == "message")
        return count_messages(record for record in stored if record not in self._held)

    @cached_property
    def kept(self) -> int:
        """Messages of which something is sent."""
        main = self._tapes[0]
        if main.sent is main.messages:
            return len(main.messages)
        sent = {id(block) for message in main.sent for block in message.blocks}
        return sum(any(id(block) in sent for block in m.blocks) for m in main.messages)

    @cached_property
    def unanswered(self) -> int:
        """Calls that are left out because nothing answers them."""
        left = [r for r, reason in self._tapes[0].unsent.items() if reason == "unanswered"]
        return sum(block.kind == "tool_use" for record in left for block in record.blocks)

    def is_line(self, record: Record) -> bool:
        """Whether a record is a line of the tree that resume walks through."""
        facts = facts_of(record)
        known = facts.type in TREE_TYPES or facts.type == "progress"
        return known and bool(facts.uuid) and (self.all_side or not facts.sidechain)

    def stand_alone(
        self,
        counts: Counts,
        above: Record | None,
        lines: Sequence[Record],
        below: Record | None,
    ) -> bool:
        """Whether lines hang below one another and a line above, and nothing but the one below
        hangs on them or names them.
        """  # noqa: D205
        ends = () if below is None else (below,)
        hanging = Counter(facts_of(record).parent for record in (*lines, *ends))
        uuids = [facts_of(record).uuid for record in lines]
        root = facts_of(above).uuid if above is not None else ""
        if not {*uuids, root}.issuperset(hanging):
            return False
        if not all(
            counts.uuids.count(uuid) == 1 and counts.parents.count(uuid) == hanging[uuid]
            for uuid in uuids
        ):
            return False
        if any(_concerns_others(record) for record in lines):
            return False
        own = self.counts_of(lines)
        return all(
            count.count(name) == number
            for mine, count in ((own.replies, counts.replies), (own.ids, counts.ids))
            for name, number in mine.items()
        )


def _concerns_others(record: Record) -> bool:
    """Whether other tapes go by a line, or it is of another file."""
    facts = facts_of(record)
    calls = (block.name for block in record.blocks if block.kind == "tool_use")
    return bool(
        record.member
        or facts.logical_parent
        or facts.subtype == "compact_boundary"
        or facts.agent
        or not AGENT_TOOLS.isdisjoint(calls)
    )
