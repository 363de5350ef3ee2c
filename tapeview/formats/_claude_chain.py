"""How Claude Code's resume walks a session file: ``formats.md`` b.3, steps 1 to 5.

The outcome is the stored chain; what is off it keeps its reason.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import UTC, datetime
from functools import cached_property

import msgspec

from tapeview.formats._claude_group import group
from tapeview.formats._claude_line import Kept, facts_of
from tapeview.tape.message import Message
from tapeview.tape.record import Record

__all__ = [
    "ROOT",
    "TREE_TYPES",
    "Chain",
    "Tree",
    "chain_of",
    "count_messages",
    "follow",
    "is_canonical",
]

TREE_TYPES = frozenset({"user", "assistant", "system", "attachment"})
CANONICAL = len("2026-01-01T10:00:00.000Z")
NEAR_SECONDS = 5.0
"""A missing parent is replaced by the closest earlier line within this time."""


ROOT = "superseded"
"""The fate of a line whose way up ends at a root: the line that resume takes is another one."""


class Chain(msgspec.Struct, frozen=True):
    """The stored chain as messages, and every other stored message with its reason."""

    messages: tuple[Message, ...]
    unsent: Mapping[Record, str]
    before_boundary: int = 0
    """Messages that compaction left behind."""
    lines: tuple[Record, ...] = ()
    """All lines of the chain in order, notes included."""
    attached: bool = False
    """Ends on a user line behind which the harness noted something: it was about to call."""

    @property
    def stored(self) -> int:
        """Messages that the file holds in all."""
        beside = (r for r, reason in self.unsent.items() if reason != "before the boundary")
        return len(self.messages) + self.before_boundary + count_messages(beside)


def count_messages(records: Iterable[Record]) -> int:
    """Messages that lines beside a chain make, the lines of one reply counted once."""
    replies: set[str] = set()
    alone = 0
    for record in records:
        if record.message_id:
            replies.add(record.message_id)
        else:
            alone += 1
    return alone + len(replies)


def follow(records: Sequence[Record]) -> Chain:
    """Steps 1 to 5 over all lines of a session."""
    return chain_of(Tree(records))


def chain_of(tree: "Tree") -> Chain:
    """Steps 3 to 5 over the lines of a tree, and what they leave out."""
    leaf = tree.leaf()
    chain = tree.line_to(leaf) if leaf is not None else []
    held = set(chain)
    behind = tree.behind(chain) - held
    unsent = {
        record: tree.reason(record, behind)
        for record in tree.position
        if record.kind == "message" and record not in held
    }
    left = [record for record in tree.position if record in behind and record.kind == "message"]
    return Chain(group(chain), unsent, len(group(left)), tuple(chain), tree.is_attached(leaf))


class Tree:
    """Step 1: lines by uuid, a later one in place of an earlier; progress lines skipped."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.position = {record: k for k, record in enumerate(records)}
        self.by_uuid: dict[str, Record] = {}
        skipped: dict[str, str] = {}
        for record in records:
            facts = facts_of(record)
            if facts.type in TREE_TYPES and facts.uuid:
                self.by_uuid[facts.uuid] = record
            elif facts.type == "progress":
                skipped[facts.uuid] = facts.parent
        self.parents: dict[Record, str] = {}
        for record in self.by_uuid.values():
            parent = facts_of(record).parent
            if parent in skipped:
                parent = _above(skipped, parent)
            self.parents[record] = parent
        self.known = dict(self.by_uuid)
        """The lines by uuid, those included that the last boundary leaves behind."""
        self.left: set[Record] = set()
        """What the last boundary left behind, where it kept a segment."""
        self.boundary: Record | None = None
        self.segment: list[Record] = []
        """The last boundary, and what it keeps, first line first."""
        self._skipped = skipped
        self._keep_segment()
        self._with_children = set(self.parents.values())
        self.all_side = all(facts_of(record).sidechain for record in self.by_uuid.values())
        self._fates: dict[Record, tuple[str, Record]] = {}

    def _keep_segment(self) -> None:
        """Step 2: hang the lines that the last boundary keeps below its anchor, drop the others."""
        boundaries = [r for r in self.by_uuid.values() if facts_of(r).subtype == "compact_boundary"]
        last = max(boundaries, key=self.position.__getitem__, default=None)
        kept = facts_of(last).kept if last is not None else None
        segment = self._segment(kept) if kept is not None else []
        if last is None or kept is None or not segment:
            return
        self.boundary, self.segment = last, segment
        for record, parent in self.parents.items():
            if parent == kept.anchor and record is not segment[0]:
                self.parents[record] = kept.tail
        self.parents[segment[0]] = kept.anchor
        limit = self.position[last]
        self.left = {r for r in self.by_uuid.values() if self.position[r] < limit} - set(segment)
        for record in self.left:
            del self.by_uuid[facts_of(record).uuid]
            del self.parents[record]

    def _segment(self, kept: Kept) -> list[Record]:
        """The kept lines, first line first; none where the walk from tail to head fails."""
        found: dict[Record, None] = {}
        current = self.by_uuid.get(kept.tail)
        while current is not None and current not in found:
            found[current] = None
            if facts_of(current).uuid == kept.head:
                return list(found)[::-1]
            current = self.by_uuid.get(self.parents[current])
        return []

    def leaf(self) -> Record | None:
        """Step 3: the newest user or assistant line that a childless line leads up to."""
        spoken = self.spoken_leaves
        if all(is_canonical(record.time) for record in spoken):
            newest = max(spoken, key=lambda r: (r.time, self.position[r]), default=None)
        else:
            newest = max(spoken, key=self._age)
        return newest or self._last_spoken()

    @property
    def spoken_leaves(self) -> Sequence[Record]:
        """The leaves that resume chooses from."""
        return [r for r in self.leaves if self.all_side or not facts_of(r).sidechain]

    def _nearest_spoken(self, record: Record, tried: set[Record]) -> Record | None:
        current: Record | None = record
        while current is not None and current not in tried:
            if facts_of(current).type in ("user", "assistant"):
                return current
            tried.add(current)
            current = self.by_uuid.get(self.parents[current])
        return None

    def _last_spoken(self) -> Record | None:
        """For a file whose lines all lie on cycles: nobody is childless."""
        spoken = [
            record
            for record in self.by_uuid.values()
            if facts_of(record).type in ("user", "assistant")
            and (self.all_side or not facts_of(record).sidechain)
        ]
        return max(spoken, key=self._age, default=None)

    def is_attached(self, leaf: Record | None) -> bool:
        """Whether an attachment hangs below a leaf that a user said."""
        if leaf is None or leaf.role != "user":
            return False
        uuid = facts_of(leaf).uuid
        return any(
            parent == uuid and facts_of(record).type == "attachment"
            for record, parent in self.parents.items()
        )

    def line_to(self, leaf: Record) -> list[Record]:
        """Steps 4 and 5: the line that ends in a leaf."""
        return self.with_siblings(self.walk(leaf))

    @cached_property
    def leaves(self) -> Sequence[Record]:
        """The last user or assistant line above every childless line, in stored order."""
        tried: set[Record] = set()
        found: dict[Record, None] = {}
        for record in self.by_uuid.values():
            if facts_of(record).uuid not in self._with_children:
                spoken = self._nearest_spoken(record, tried)
                if spoken is not None:
                    found[spoken] = None
        return sorted(found, key=self.position.__getitem__)

    def walk(self, leaf: Record) -> list[Record]:
        """Step 4: from the leaf to a root, first line first."""
        chain: list[Record] = []
        seen: set[Record] = set()
        current: Record | None = leaf
        while current is not None and current not in seen:
            seen.add(current)
            chain.append(current)
            parent = self.parents[current]
            if not parent:
                break
            current = self.by_uuid.get(parent) or self._closest_earlier(current, seen)
        chain.reverse()
        return chain

    @cached_property
    def _by_time(self) -> list[tuple[float, int, Record]]:
        """Lines that may stand in for a missing parent, by time and position."""
        timed = [(_seconds(record.time), self.position[record], record) for record in self.parents]
        return sorted(
            (moment, at, record)
            for moment, at, record in timed
            if moment is not None and (self.all_side or not facts_of(record).sidechain)
        )

    def _closest_earlier(self, record: Record, seen: set[Record]) -> Record | None:
        moment, own = _seconds(record.time), self.position[record]
        if moment is None:
            return None
        behind = bisect_right(self._by_time, moment, key=lambda entry: entry[0])
        for k in range(behind - 1, -1, -1):
            then, at, other = self._by_time[k]
            if moment - then > NEAR_SECONDS:
                break
            if at < own and other not in seen:
                return other
        return None

    def parent_of(self, record: Record) -> str:
        """The parent as written, or the line that stands in for one that is missing; "" for none.

        What a boundary moves stays where it was written.
        """
        parent = facts_of(record).parent
        if not parent or parent in self.known or parent in self._skipped:
            return parent
        near = self._closest_earlier(record, set()) if record in self.parents else None
        return facts_of(near).uuid if near is not None else ""

    @property
    def without_parent(self) -> Sequence[Record]:
        """Lines that name a parent which is not in the file."""
        return [
            record
            for record in self.parents
            if (parent := facts_of(record).parent)
            and parent not in self.known
            and parent not in self._skipped
        ]

    def with_siblings(self, chain: list[Record]) -> list[Record]:
        """Step 5: lines of the same reply off the chain, and results below that reply's lines."""
        held = set(chain)
        last = {record.message_id: k for k, record in enumerate(chain) if record.message_id}
        inserted: dict[int, list[Record]] = {}
        for identity, place in last.items():
            for lines in self._of_reply[identity]:
                if more := [record for record in lines if record not in held]:
                    inserted.setdefault(place, []).extend(sorted(more, key=self._age))
        whole: list[Record] = []
        for k, record in enumerate(chain):
            whole.append(record)
            whole += inserted.get(k, ())
        return whole

    @cached_property
    def _of_reply(self) -> Mapping[str, tuple[list[Record], list[Record]]]:
        """By message id: the lines of the reply, and the results that hang below one of them."""
        found: dict[str, tuple[list[Record], list[Record]]] = defaultdict(lambda: ([], []))
        for record in self.by_uuid.values():
            if record.message_id:
                found[record.message_id][0].append(record)
            elif record.role == "user":
                parent = self.by_uuid.get(self.parents[record])
                if parent is not None and parent.message_id and _has_result(record):
                    found[parent.message_id][1].append(record)
        return found

    def _age(self, record: Record) -> tuple[float, int]:
        moment = _seconds(record.time)
        return float("-inf") if moment is None else moment, self.position[record]

    def behind(self, chain: Sequence[Record]) -> set[Record]:
        """What stands before the boundary that the chain begins with."""
        behind = set(self.left)
        first = chain[0] if chain else None
        while first is not None and facts_of(first).subtype == "compact_boundary":
            earlier = self.by_uuid.get(facts_of(first).logical_parent)
            if earlier is None or earlier in behind:
                break
            segment = self.with_siblings(self.walk(earlier))
            behind.update(segment)
            first = segment[0]
        return behind

    def reason(self, record: Record, behind: set[Record]) -> str:
        """Why a stored message is not on the chain, in a word or two."""
        facts = facts_of(record)
        if record in behind:
            return "before the boundary"
        if facts.sidechain and not self.all_side:
            return "side line"
        if not facts.uuid:
            return "no uuid"
        if facts.type == "system":
            return "off the chain"
        if self.by_uuid.get(facts.uuid) is not record:
            return ROOT
        return self.fate(record, behind)[0]

    def fate(self, record: Record, behind: Set[Record] = frozenset()) -> tuple[str, Record]:
        """Where the way up from a line leads, and the line at which it ends.

        Every line on the way shares it. Of a circle it is the first stored line.
        """
        way: dict[Record, None] = {}
        fate, current, top = ROOT, record, record
        while current not in self._fates:
            if current in way:
                circle = list(way)[list(way).index(current) :]
                fate, top = "parent cycle", min(circle, key=self.position.__getitem__)
                break
            way[current] = None
            top = current
            parent = self.parents[current]
            if not parent:
                break
            above = self.by_uuid.get(parent)
            if above is None or above in behind:
                fate = "no parent" if above is None else "before the boundary"
                break
            current = above
        found = self._fates.get(current, (fate, top))
        self._fates.update(dict.fromkeys(way, found))
        return found


def is_canonical(time: str) -> bool:
    """Whether a time is spelled as the harness does: such times are in order as texts are."""
    return len(time) == CANONICAL and time[-1] == "Z"


def _has_result(record: Record) -> bool:
    return any(block.kind == "tool_result" for block in record.blocks)


def _above(skipped: Mapping[str, str], parent: str) -> str:
    """The first parent that is no progress line."""
    seen: set[str] = set()
    while parent in skipped and parent not in seen:
        seen.add(parent)
        parent = skipped[parent]
    return parent


def _seconds(time: str) -> float | None:
    """The moment of an ISO time; one without a zone is taken for UTC, on every machine."""
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
