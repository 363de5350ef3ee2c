"""The tapes of a recording, out of its forest of calls."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

import msgspec

from tapeview.formats._recording_calls import Forest, Node, Slot
from tapeview.formats._recording_line import (
    EndFacts,
    as_message,
    made_text,
    message_in,
    read_text,
)
from tapeview.shapes.fields import fields_of
from tapeview.tape.call import RecordedCall
from tapeview.tape.clean import printable
from tapeview.tape.json_text import JsonFault
from tapeview.tape.record import UNFINISHED, Record
from tapeview.tape.tape import TapeKind
from tapeview.wire._cells import said
from tapeview.wire.align import CellReader, flat

__all__ = ["Line", "Made", "Reader"]

NOTED: Final = frozenset({"recording", "unknown line", "comment"})
"""Lines that are notes as they stand."""

_cache_mark = re.compile(rb',\s*"cache_control":\s*\{[^{}]*\}').sub

Made = dict[tuple[object, ...], Record]
"""Records that were made of messages already, so that each stays the same one."""


class Line(NamedTuple):
    """One tape as it is to be shown."""

    id: str
    kind: TapeKind
    tip: Node
    """The array that it ends with: the call sent last, or what somebody made of it."""
    sent: Sequence[Record]
    """Its messages as they were last sent, and the reply."""
    records: Sequence[Record]
    """The same; where somebody edited it, what he made of it."""
    began: Node
    as_sent: int | None
    """How many of the first ones are as they were sent, as ``Tape.as_sent``."""
    caller: str = ""
    """The id of the call that started it."""


class Reader:
    """Makes the lines of a forest."""

    def __init__(self, forest: Forest, made: Made, cells: CellReader) -> None:
        self.forest = forest
        self.calls: dict[Record, RecordedCall] = {}
        self.places: dict[Record, tuple[int, int]] = {}
        """Where records belong among others: the byte of the file at which the message came up
        first, on each tape rising, and its number there."""
        self._made = made
        self._cells = cells

    def lines(self) -> list[Line]:
        """Main, its segments, the branches, then all that runs beside them."""
        trees: dict[Node, list[Node]] = {}
        for node in self.forest.nodes:
            trees.setdefault(node.root, []).append(node)
        talks = [root for root, nodes in trees.items() if _is_talk(root, nodes)]
        talks = talks or list(trees)[-1:]
        if not talks:
            return []
        tips = {root: self._tip(trees[root]) for root in talks}
        # A call that nobody answered hides no conversation.
        heard = [root for root in talks if any(n.end is not None for n in trees[root])] or talks
        newest = max(heard, key=lambda root: tips[root].unedited.number)
        spine = [newest]
        while (older := self._before(spine[-1], talks, spine)) is not None:
            spine.append(older)
        found = [self._line("main", "main", tips[newest], ())]
        for number, root in enumerate(spine[1:], 1):
            found.append(self._line(f"main~{number}", "segment", tips[root], found[-1:]))
        left = [
            (k, leaf) for k, root in enumerate(spine) for leaf in self.forest.leaves(trees[root])
        ]
        left = [(k, leaf) for k, leaf in left if leaf not in tips.values()]
        for k, leaf in sorted(left, key=lambda pair: pair[1].unedited.number):
            if leaf.unedited in self.forest.summaries:
                continue
            number = sum(line.kind == "branch" for line in found) + 1
            branch = self._line(f"branch:{number}", "branch", leaf, [found[k]])
            if _is_own(branch, found):
                found.append(branch)
        return [*found, *self._beside(trees, dict(zip(spine, found, strict=False)), tips)]

    def _before(self, root: Node, talks: Sequence[Node], known: Sequence[Node]) -> Node | None:
        """The conversation that a compaction cut off."""
        if root.facts.kind != "compacted":
            return None
        summary = self.forest.named(root)
        if summary is not None and summary.root in talks and summary.root not in known:
            return summary.root
        earlier = [t for t in talks if t.number < root.number and t not in known]
        return max(earlier, key=lambda t: t.number, default=None)

    def _tip(self, nodes: Sequence[Node]) -> Node:
        """The leaf that was sent last; a call for a summary is none that goes on."""
        leaves = self.forest.leaves(nodes)
        spoken = [n for n in leaves if n.unedited not in self.forest.summaries] or leaves
        return max(spoken, key=lambda node: (node.unedited.number, node.number))

    def _beside(
        self,
        trees: Mapping[Node, Sequence[Node]],
        spine: Mapping[Node, Line],
        tips: Mapping[Node, Node],
    ) -> Iterator[Line]:
        """Sub-agents, calls beside a conversation, other conversations, and what they left."""
        agents: list[Line] = []
        sides: list[Line] = []
        tapes: list[Line] = []
        for root, nodes in trees.items():
            tip = tips.get(root) or self._tip(nodes)
            for leaf in sorted(self.forest.leaves(nodes), key=lambda n: n is not tip):
                is_summary = leaf.unedited in self.forest.summaries
                if root in spine and not is_summary:
                    continue
                if leaf is tip and root.facts.kind == "subagent":
                    of = root.facts.of if isinstance(root.facts.of, str) else ""
                    name = f"agent:{root.facts.agent or of or root.facts.id}"
                    taken = sum(line.id.partition("~")[0] == name for line in agents)
                    name = f"{name}~{taken}" if taken else name
                    agents.append(self._line(name, "agent", leaf, (), of))
                elif is_summary or not _is_talk(root, nodes):
                    above = [spine[root]] if root in spine else []
                    sides.append(self._line(f"side:{len(sides) + 1}", "agent", leaf, above))
                else:
                    above = [line for line in (*agents, *tapes) if line.began is root]
                    line = self._line(f"tape:{len(tapes) + 1}", "agent", leaf, above)
                    if _is_own(line, above):
                        tapes.append(line)
        yield from (*agents, *sides, *tapes)

    def _line(
        self, name: str, kind: TapeKind, leaf: Node, above: Sequence[Line], caller: str = ""
    ) -> Line:
        sent = self._sent(leaf.unedited, name)
        for line in above:
            sent = self._sharing(sent, line.sent)
        records = self._edited(leaf, sent) if leaf is not leaf.unedited else sent
        as_sent = self._as_sent(leaf, sent, records)
        return Line(name, kind, leaf, sent, records, leaf.root, as_sent, caller)

    def _as_sent(self, leaf: Node, sent: Sequence[Record], records: Sequence[Record]) -> int | None:
        if leaf is leaf.unedited:
            return None
        if self.forest.frame(leaf) != self.forest.frame(leaf.unedited):
            return -1
        same = 0
        for was, now in zip(sent, records, strict=False):
            if was is not now and self._told(was) != self._told(now):
                break
            same += 1
        return same

    def _told(self, record: Record) -> tuple[str, bytes]:
        return record.role, fields_of(self.message(record)).get("content", b"")

    # -- messages ------------------------------------------------------------------------------

    def _sent(self, node: Node, name: str) -> list[Record]:
        """The messages of a call, each where it was written last, and its reply."""
        found: list[Record] = []
        for slot, first in zip(node.array(), self._first(node), strict=True):
            record = self._record(slot, first)
            if isinstance(first, Node) and first.end is not None:
                self.calls[record] = self._call(first, first.end)
            self._put(record, _place(first), found)
        last = self._reply(node, name)
        if last is not None:
            self.calls[last] = self._call(node, last)
            self._put(last, last.start if last.start >= 0 else _end(node.chunks[-1]), found)
        return found

    def _put(self, record: Record, place: int, found: list[Record]) -> None:
        above = self.places[found[-1]][0] if found else 0
        self.places[record] = (max(above, place), len(found))
        found.append(record)

    def _first(self, node: Node) -> list[Slot | Node]:
        """Where each message of an array came up first: in a request, or as a call's reply."""
        known: list[Slot | Node] = []
        for step in node.path():
            now = known[: step.keep]
            for number in range(len(step.facts.adds)):
                slot, at = Slot(step, number), step.keep + number
                same = at < len(known) and self._is_same(slot, known[at])
                now.append(known[at] if same else slot)
            known = now
            if step.end is not None and step.end.kind == "message":
                known.append(step)
        return known[: node.size]

    def _is_same(self, slot: Slot, known: Slot | Node) -> bool:
        """Whether a message says what another one said, or the reply of a call."""
        ours = self._record(slot, slot)
        if isinstance(known, Node):
            if ours.role != "assistant" or known.end is None:
                return False
            if known.failed or self._content(ours) == self._content(known.end):
                return True
            return self._says(ours) == self._says(known.end)
        theirs = self._record(known, known)
        if ours.role != theirs.role:
            return False
        return self._content(ours) == self._content(theirs) or (
            self._says(ours) == self._says(theirs)
        )

    def _content(self, record: Record) -> bytes:
        """The content as it is spelled, without the marks of the cache."""
        return _cache_mark(b"", fields_of(self.message(record)).get("content", b""))

    def _record(self, slot: Slot, first: Slot | Node | Record) -> Record:
        """The record of one message, with the time at which it came up first; of one that repeats
        a reply with what that says of itself.
        """  # noqa: D205
        reply = (
            first.end if isinstance(first, Node) else first if isinstance(first, Record) else None
        )
        time = reply.time if reply is not None else ""
        if isinstance(first, Slot):
            time = first.node.line.time
        key = (slot.start, time, reply)
        if key not in self._made:
            base = Record(slot.start, slot.length, slot.node.line.line, "message", time=time)
            try:
                record = as_message(base, self.forest.read(slot))
            except JsonFault as fault:
                record = msgspec.structs.replace(base, kind="unreadable", label=fault.reason)
            if reply is not None:
                record = msgspec.structs.replace(record, message_id=reply.message_id)
            self._made[key] = record
        return self._made[key]

    def _reply(self, node: Node, name: str) -> Record | None:
        """The record of a call's reply as it came, whole, cut, or as far as it has arrived."""
        if node.end is not None:
            return node.end if node.end.kind == "message" else None
        if not node.chunks:
            return None
        last = node.chunks[-1]
        key = (node.line.start, _end(last), name)
        if key not in self._made:
            message = self.forest.arrived(node)
            if message is None:
                return None
            record = read_text(made_text(name, message))
            self._made[key] = msgspec.structs.replace(
                record, time=node.line.time, line=last.line, label=UNFINISHED
            )
        return self._made[key]

    def _sharing(self, sent: list[Record], above: Sequence[Record]) -> list[Record]:
        """The messages, with those of another line as far as both say the same."""
        shared = 0
        for record, other in zip(sent, above, strict=False):
            if record is not other and (record.role, *self._says(record)) != (
                other.role,
                *self._says(other),
            ):
                break
            shared += 1
        return [*above[:shared], *sent[shared:]]

    def _edited(self, leaf: Node, sent: Sequence[Record]) -> list[Record]:
        """What somebody made of a line. A reply that stayed is the same reply."""
        replies = {self._says(r): r for r in sent if r.role == "assistant"}
        found: list[Record] = []
        for number, slot in enumerate(leaf.array()):
            if slot.node.facts.kind != "edit":
                found.append(sent[number])
                continue
            record = self._record(slot, slot)
            reply = replies.get(self._says(record)) if record.role == "assistant" else None
            if reply is not None:
                record = self._record(slot, reply)
                if reply in self.calls:
                    self.calls[record] = self.calls[reply]
            self._put(record, slot.start, found)
        return found

    def _says(self, record: Record) -> tuple[bytes, ...]:
        return said(flat([self._cells.read(self.message(record))]))

    def message(self, record: Record) -> bytes:
        """The JSON of a record's message."""
        raw = record.text
        if raw is None:
            raw = self.forest.source.read(record.start, record.length)
        return message_in(record, raw)

    def _call(self, node: Node, reply: Record | None) -> RecordedCall:
        end = node.end.facts if node.end is not None else None
        return RecordedCall(
            node.facts.id,
            node.facts.kind,
            end.seconds if isinstance(end, EndFacts) else None,
            end.first if isinstance(end, EndFacts) else None,
            partial(self.forest.body, node),
            partial(self.message, reply) if reply is not None else _nothing,
            self.forest.headers(node),
        )

    # -- what stands beside the tapes ----------------------------------------------------------

    def notes(self, records: Iterable[Record], shown: frozenset[Record]) -> Iterator[Record]:
        """Lines that are shown as notes: the header, what failed, what was sent again."""
        for record in records:
            if record in shown:
                continue
            facts = record.facts
            if isinstance(facts, EndFacts) and facts.why:
                label = printable(f"call {facts.call}: {facts.why}")
                yield msgspec.structs.replace(record, kind="note", role="", blocks=(), label=label)
            elif record.kind == "unreadable" or record.label in NOTED:
                yield record
        for node in self.forest.nodes:
            words = _of_call(node)
            if words:
                label = printable(f"call {node.facts.id}: {words}")
                yield msgspec.structs.replace(node.line, label=label)


def _place(first: Slot | Node) -> int:
    """The byte of the file at which a message came up."""
    if isinstance(first, Slot):
        return first.start
    return first.end.start if first.end is not None else first.line.start


def _end(record: Record) -> int:
    return record.start + record.length


def _of_call(node: Node) -> str:
    """What is worth a note about a call; "" for nothing."""
    facts = node.facts
    if facts.kind in ("retry", "resample"):
        return f"{facts.kind} of call {facts.of}" if facts.of is not None else facts.kind
    if facts.kind == "mutated":
        return (
            f"messages.{facts.of} had changed" if facts.of is not None else "the past had changed"
        )
    if facts.kind == "continue" and facts.reframed:
        return "system or tools changed"
    return ""


def _is_talk(root: Node, nodes: Sequence[Node]) -> bool:
    """Whether a tree is a conversation, not a sub-agent's and not a lone call beside one."""
    if root.facts.kind == "side":
        return any(node.facts.kind == "continue" for node in nodes)
    return root.facts.kind != "subagent"


def _is_own(line: Line, others: Iterable[Line]) -> bool:
    """Whether it has, or had before an edit, a message that no other line has."""
    held = {record for other in others for record in (*other.records, *other.sent)}
    return any(record not in held for record in (*line.records, *line.sent))


def _nothing() -> None:
    return None
