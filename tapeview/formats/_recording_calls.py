"""The forest of calls that a recording's lines make."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec import UNSET, Raw, UnsetType

from tapeview.formats._lines import lines_of
from tapeview.formats._recording_line import CallFacts, ChunkFacts, EndFacts
from tapeview.shapes.fields import fields_of
from tapeview.tape.graft import spelled
from tapeview.tape.json_text import JsonFault, array_spans
from tapeview.tape.record import Record
from tapeview.tape.source import MemorySource, Source
from tapeview.wire.assemble import Assembler
from tapeview.wire.body import COMPACT, Body, joined
from tapeview.wire.recording import Base64, bytes_of

__all__ = ["Forest", "Node", "Slot"]

COVERS: Final = frozenset({"continue", "retry", "edit"})
"""Kinds of calls that take the place of the one that they go on from."""


class Node:
    """A call: its line, the call that its array begins like, and how it ended."""

    __slots__ = ("chunks", "end", "facts", "like", "line", "number", "parent", "size")

    def __init__(
        self,
        number: int,
        line: Record,
        facts: CallFacts,
        parent: "Node | None",
        like: "Node | None",
    ) -> None:
        self.number = number
        """Which call of the file it is, from 0."""
        self.line = line
        self.facts = facts
        self.parent = parent
        self.like = like or parent
        self.size = self.keep + len(facts.adds)
        """Messages of its array."""
        self.end: Record | None = None
        self.chunks: list[Record] = []

    @property
    def keep(self) -> int:
        """Messages that it shares with its parent."""
        return min(self.facts.keep, self.parent.size) if self.parent is not None else 0

    @property
    def failed(self) -> str:
        """Why it failed; "" for one that did not."""
        facts = self.end.facts if self.end is not None else None
        return facts.why if isinstance(facts, EndFacts) else ""

    def path(self) -> "list[Node]":
        """The calls from the root to this one."""
        found = [self]
        while (parent := found[-1].parent) is not None:
            found.append(parent)
        return found[::-1]

    @property
    def root(self) -> "Node":
        """The call that its conversation began with."""
        node = self
        while node.parent is not None:
            node = node.parent
        return node

    @property
    def unedited(self) -> "Node":
        """The call itself; for an array that somebody edited the call that was sent last."""
        node = self
        while node.facts.kind == "edit" and node.parent is not None:
            node = node.parent
        return node

    def array(self) -> "list[Slot]":
        """Its messages, each where it was written last."""
        found: list[Slot] = []
        node: Node | None = self
        count = self.size
        while node is not None and count:
            if count > node.keep:
                found += [Slot(node, k) for k in range(count - node.keep - 1, -1, -1)]
                count = node.keep
            node = node.parent
        return found[::-1]


class Slot(NamedTuple):
    """One message of an array: the call that wrote it, and its number in what that adds."""

    node: Node
    number: int

    @property
    def start(self) -> int:
        """The message's first byte in the file."""
        return self.node.line.start + self.node.facts.adds[self.number].start

    @property
    def length(self) -> int:
        """Bytes of the message."""
        start, end = self.node.facts.adds[self.number]
        return end - start


class _Chunk(msgspec.Struct):
    chunk: str = ""
    data: str | Base64 = ""


class _Framed(msgspec.Struct):
    system: Raw | UnsetType = UNSET
    tools: Raw | UnsetType = UNSET
    params: dict[str, Raw] = {}
    order: list[str] | UnsetType = UNSET
    sep: tuple[str, str] | UnsetType = UNSET
    body: str | Base64 | UnsetType = UNSET


_chunk = msgspec.json.Decoder(_Chunk).decode
_framed = msgspec.json.Decoder(_Framed).decode
_REFUSED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class Forest:
    """All calls of a recording, in the order of the file."""

    def __init__(self, source: Source, records: Sequence[Record]) -> None:
        self.source = source
        self.nodes: list[Node] = []
        self.by_id: dict[str, Node] = {}
        for record in records:
            facts = record.facts
            if isinstance(facts, CallFacts):
                parent, like = self.by_id.get(facts.parent), self.by_id.get(facts.like)
                node = Node(len(self.nodes), record, facts, parent, like)
                self.nodes.append(node)
                self.by_id.setdefault(facts.id, node)
            elif isinstance(facts, EndFacts) and (ended := self.by_id.get(facts.call)) is not None:
                ended.end = ended.end or record
            elif isinstance(facts, ChunkFacts):
                for call in facts.calls & self.by_id.keys():
                    self.by_id[call].chunks.append(record)
        self.summaries = {
            of
            for node in self.nodes
            if node.facts.kind == "compacted" and (of := self.named(node)) is not None
        }
        """Calls whose answer a compaction put in the place of what it left."""

    def named(self, node: Node) -> Node | None:
        """The call that ``of`` names."""
        return self.by_id.get(node.facts.of) if isinstance(node.facts.of, str) else None

    def leaves(self, nodes: Sequence[Node]) -> list[Node]:
        """Calls of a tree that no other one took the place of, in the order of the file."""
        covered = {
            node.parent
            for node in nodes
            if node.facts.kind in COVERS and node not in self.summaries
        }
        return [node for node in nodes if node not in covered]

    def read(self, slot: Slot) -> bytes:
        """One message of an array. Raises ``LookupError`` where the file is too short for it."""
        raw = self.source.read(slot.start, slot.length)
        if len(raw) < slot.length:
            raise LookupError("the file is shorter than when it was opened")
        return raw

    def arrived(self, node: Node) -> bytes | None:
        """What has come of an answer that has no end, out of its pieces; None for nothing."""
        assembler = Assembler()
        for run in node.chunks:
            raw = self.source.read(run.start, run.length)
            for line in lines_of(MemorySource(raw, "")):
                try:
                    found = _chunk(line.text)
                except _REFUSED:
                    continue
                if found.chunk == node.facts.id:
                    assembler.feed(bytes_of(found.data))
        return assembler.message() if assembler.has_begun else None

    def frame(self, node: Node) -> dict[str, bytes]:
        """The members of its body beside the messages, in their order."""
        members, order, _, _ = self._framed(node)
        return {name: members[name] for name in order if name in members}

    def order(self, node: Node) -> tuple[str, ...]:
        """The names of all members of its body, ``messages`` among them."""
        return self._framed(node)[1]

    def headers(self, node: Node) -> Mapping[str, str]:
        """The headers of a call that are kept."""
        step: Node | None = node
        while step is not None and not step.facts.headers:
            step = step.like
        return step.facts.headers if step is not None else {}

    def body(self, node: Node) -> bytes:
        """The body as it was sent."""
        members, order, gaps, whole = self._framed(node)
        if whole is not None:
            return whole
        messages = [self.read(slot) for slot in node.array()]
        return joined(Body(messages, members, order, gaps))

    def _framed(
        self, node: Node
    ) -> tuple[dict[str, bytes], tuple[str, ...], tuple[str, str], bytes | None]:
        way: list[Node] = [node]
        while (like := way[-1].like) is not None:
            way.append(like)
        members: dict[str, bytes] = {}
        order: tuple[str, ...] = ("messages",)
        gaps = COMPACT
        whole: bytes | None = None
        for step in reversed(way):
            raw = self.source.read(step.line.start, step.line.length)
            line = _frame_in(raw)
            order = order if line.order is UNSET else tuple(line.order)
            gaps = gaps if line.sep is UNSET else line.sep
            members |= _changed(line, members.get("system", b""), gaps[0].encode())
            whole = None if line.body is UNSET else bytes_of(line.body)
        return members, order, gaps, whole


def _frame_in(raw: bytes) -> _Framed:
    """What a call's line says of its body beside the messages."""
    try:
        return _framed(raw)
    except _REFUSED:
        pass  # as only the scanner reads it: lone surrogates, deep nesting
    try:
        fields = fields_of(raw)
        rest = b",".join(
            spelled(name) + b":" + fields[name]
            for name in ("order", "sep", "body")
            if name in fields
        )
        line = _framed(b"{" + rest + b"}")
        params = fields_of(fields.get("params", b"{}"))
    except (*_REFUSED, JsonFault):
        return _Framed()
    frame = {name: Raw(fields[name]) for name in ("system", "tools") if name in fields}
    return msgspec.structs.replace(line, params={k: Raw(v) for k, v in params.items()}, **frame)


def _changed(line: _Framed, system: bytes, comma: bytes) -> dict[str, bytes]:
    """The members that differ from those of the call before, of which ``system`` is one."""
    found = {name: bytes(raw) for name, raw in line.params.items()}
    if line.system is not UNSET:
        found["system"] = _with_kept(bytes(line.system), system, comma)
    if line.tools is not UNSET:
        found["tools"] = bytes(line.tools)
    return found


def _with_kept(raw: bytes, like: bytes, comma: bytes) -> bytes:
    """A list in which numbers stand for elements of another one at those places."""
    if raw[:1] != b"[":
        return raw
    try:
        ours = [raw[a:b] for a, b in array_spans(raw, 0)[0]]
        theirs = [like[a:b] for a, b in array_spans(like, 0)[0]] if like[:1] == b"[" else []
    except JsonFault:
        return raw
    if not any(element.isdigit() for element in ours):
        return raw
    full = [
        theirs[int(element)] if element.isdigit() and int(element) < len(theirs) else element
        for element in ours
    ]
    return b"[" + comma.join(full) + b"]"
