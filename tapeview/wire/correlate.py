"""From requests to tapes: which conversation a request belongs to, and what of it is new.

Each request of an agent repeats its whole array. The array is a chain of cells (``align``), and
hashes along the chain tell with which earlier request it shares how much, so that only what is new
is looked at. What a request is follows from where it leaves the earlier one.
"""

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final, NamedTuple

from tapeview.wire._cells import (
    call_id,
    is_telling,
    leading,
    prompts,
    quotes,
    said,
    text_of_cell,
)
from tapeview.wire._sent import Sent, call_of, repeated
from tapeview.wire._sessions import SessionKey, session_key
from tapeview.wire.align import Cell, CellReader, flat, link
from tapeview.wire.body import Body, body_of
from tapeview.wire.recording import KEPT_HEADERS, Call, CallKind

__all__ = ["Correlator"]

REMINDER: Final = "<system-reminder>"
CONTINUED: Final = "This session is being continued"
"""How Claude Code's message begins that stands in for what it compacted (2.1.197)."""
ROOTS: Final = 3
"""Conversations that begin with a cell from which on it says nothing about which one it is."""
TOLD: Final = 3
"""Messages by which it is seen whether a request repeats another."""
NEAR: Final = 64
"""Bytes between two messages at most, and between the array and its name."""
TRIED: Final = 8
"""Earlier requests that a new one's bytes are compared with before it is read."""
ANSWERS: Final = 50
"""Answers of a session that a compaction may quote."""


class _Place(NamedTuple):
    """Who had an array first, and how many cells it has."""

    sent: Sent
    cells: int


@dataclass(slots=True)
class _Scope:
    """One agent of a session: its arrays by their hashes."""

    seed: bytes
    owners: dict[bytes, _Place] = field(default_factory=dict)
    ends: dict[bytes, Sent] = field(default_factory=dict)
    """The last request with that very array."""
    holders: dict[bytes, Sent] = field(default_factory=dict)
    """The last request that brought the cell, of replies and results alone."""
    last: Sent | None = None


@dataclass(slots=True)
class _Session:
    """What the agents of one session share."""

    scopes: dict[str, _Scope] = field(default_factory=dict)
    answers: deque[tuple[Sent, str]] = field(default_factory=lambda: deque(maxlen=ANSWERS))
    prompts: dict[str, list[str]] = field(default_factory=dict)
    """Long texts in the inputs of calls that are not answered, with the calls' ids."""
    tools: dict[bytes, Sent] = field(default_factory=dict)
    last: Sent | None = None


class _Found(NamedTuple):
    """What a request is."""

    kind: CallKind
    parent: Sent | None = None
    of: str | int | None = None


class _Array(NamedTuple):
    """A request's messages as cells."""

    messages: Sequence[Sequence[Cell]]
    cells: list[Cell]
    known: int
    """Cells that were compared with an earlier request's, not looked at."""
    hashes: list[bytes]
    """Of the array up to that cell, and up to each later one."""
    marks: list[tuple[int, bytes]]
    """For each message that was looked at: the cells up to its end, and the hash."""
    body: Body

    def hash_of(self, cells: int) -> bytes:
        """The hash of the first cells, of those that are known at least."""
        return self.hashes[cells - self.known]

    def message_of(self, cell: int) -> int:
        """The number of the message that holds a cell."""
        passed = 0
        for number, cells in enumerate(self.messages):
            passed += sum(not c.is_apart for c in cells)
            if cell < passed:
                return number
        return len(self.messages)


class Correlator:
    """Takes requests and the ends of answers in the order in which they came."""

    def __init__(self, salt: bytes = b"") -> None:
        self._salt = salt
        self._reader = CellReader()
        self._sessions: dict[str, _Session] = {}
        self._roots: Counter[bytes] = Counter()
        self._sent: dict[str, tuple[Sent, _Session, _Scope, bytes]] = {}
        """Those that wait for the end of their answers, with the hash of their array."""
        self._recent: deque[Sent] = deque(maxlen=TRIED)

    def request(
        self,
        call: str,
        at: str,
        body: bytes,
        headers: Iterable[tuple[str, str]] = (),
        path: str = "",
        name: str = "",
    ) -> Call:
        """The line of a request; ``name`` is the agent's own, where it has an address to itself.

        Headers that are not recorded are only used to tell clients apart, as a salted hash.
        """
        named = {key.lower(): value for key, value in headers}
        near = self._near(body)
        beginning = near.array() if near is not None else []
        parts = body_of(body, beginning)
        key = session_key(named, parts.members.get("metadata", b""), name, self._salt)
        session = self._sessions.setdefault(key.session, _Session())
        seed = blake2b(f"{key.session}\n{key.agent}".encode(), digest_size=16).digest()
        scope = session.scopes.setdefault(key.agent, _Scope(seed))
        count = repeated(parts.messages, beginning)
        if near is None or near.seed != seed:
            near, count = None, 0
        array = self._array(parts, count, (near.mark(count) if near else None) or (0, seed))
        found = self._classified(array, session, scope, key)
        like = found.parent or self._like(parts, session)
        kept = {header: named[header] for header in map(str, KEPT_HEADERS) if header in named}
        earlier = found.parent.array() if found.parent is not None else []
        keep = repeated(parts.messages, earlier)
        marks = [near.mark(k + 1) or (0, seed) for k in range(keep, count)] if near else []
        marks += array.marks[max(0, keep - count) :]
        sent = Sent(
            call,
            found.parent.thread if found.parent is not None else self._thread(key, array),
            seed,
            found.parent,
            keep,
            parts.messages[keep:],
            _shared(parts.members, like),
            parts.order,
            parts.gaps,
            kept,
            path,
            marks,
            cells=len(array.cells),
            full=len(array.cells),
        )
        self._remember(sent, array, session, scope)
        whole = parts if parts.is_exact else body
        return call_of(sent, at, found.kind, found.of, like, whole)

    def end(self, call: str, message: bytes | None, is_whole: bool) -> None:
        """How the answer of a call ended, and the message that it makes, whole or not."""
        if call not in self._sent:
            return
        sent, session, scope, last = self._sent.pop(call)
        sent.state = "whole" if is_whole else "failed"
        cells = list(flat([self._reader.read(message)])) if message else []
        texts = []
        for cell in cells:
            last = link(last, cell)
            sent.full += 1
            scope.owners.setdefault(last, _Place(sent, sent.full))
            scope.holders[cell.digest] = sent
            texts.append(text_of_cell(cell))
            for text in prompts(cell):
                session.prompts.setdefault(text, []).append(call_id(cell))
        sent.answer = said(cells)
        if is_whole and (text := "\n".join(t for t in texts if t)):
            session.answers.append((sent, text))

    def _near(self, body: bytes) -> Sent | None:
        """The recent request that this one repeats the most of, as its first messages tell."""
        best, most = None, 0
        begin = max(0, body.find(b'"messages"'))
        for sent in reversed(self._recent):
            size = sent.keep + len(sent.added)
            if size <= most:
                continue
            at = begin
            for message in sent.array()[:TOLD]:
                at = body.find(message, at, at + len(message) + NEAR) + len(message)
                if at < len(message):
                    break
            else:
                best, most = sent, size
        return best

    def _array(self, parts: Body, first: int, mark: tuple[int, bytes]) -> _Array:
        """The cells of a request, hashed from message ``first`` on; ``mark``: up to there."""
        messages = self._reader.read_all(parts.messages)
        count, told = mark
        hashes, marks = [told], []
        for cells in messages[first:]:
            for cell in cells:
                if not cell.is_apart:
                    told = link(told, cell)
                    hashes.append(told)
            marks.append((mark[0] + len(hashes) - 1, told))
        return _Array(messages, list(flat(messages)), count, hashes, marks, parts)

    def _classified(
        self, array: _Array, session: _Session, scope: _Scope, key: SessionKey
    ) -> _Found:
        """What a request is, by where it leaves the earlier one that it shares the most with."""
        same = scope.ends.get(array.hashes[-1]) if array.cells else None
        if same is not None:
            if same.heir is not None and len(array.cells) == 1 and key.is_weak:
                return _Found("new")
            return _Found("resample" if same.state == "whole" else "retry", same, same.id)
        shared = array.known
        while shared < len(array.cells) and array.hash_of(shared + 1) in scope.owners:
            shared += 1
        lead = next((k for k in range(shared) if not self._says_nothing(array.cells[k])), shared)
        if shared > lead:
            return _left(array, shared, scope)
        return self._begun(array, session, scope, key, shared)

    def _begun(
        self, array: _Array, session: _Session, scope: _Scope, key: SessionKey, shared: int
    ) -> _Found:
        """What a request is that shares nothing with an earlier one but what all begin with."""
        texts = [text_of_cell(c) for c in array.cells if c.role == "user" and c.kind == "text"]
        agent = next((session.prompts[t].pop(0) for t in texts if session.prompts.get(t)), None)
        if agent is not None or (key.agent and scope.last is None):
            return _Found("subagent", None, agent)
        quoted = _quoted(texts, session)
        if quoted is not None:
            return _Found("compacted", None, quoted.id)
        continued = any(text.startswith(CONTINUED) for text in texts)
        if continued and scope.last is not None:
            return _Found("compacted", None, scope.last.id)
        if (holder := _holder(array, shared, scope)) is not None:
            return _Found("mutated", holder, array.message_of(shared))
        tools = array.body.members.get("tools", b"")
        if tools in (b"", b"[]") and len(array.messages) == 1:
            has_main = any(known not in (b"", b"[]") for known in session.tools)
            if key.is_harness or has_main:
                return _Found("side")
        return _Found("new")

    def _says_nothing(self, cell: Cell) -> bool:
        """Whether many conversations begin with it."""
        if cell.role == "system" or self._roots[cell.digest] >= ROOTS:
            return True
        return (
            cell.role == "user" and cell.kind == "text" and text_of_cell(cell).startswith(REMINDER)
        )

    def _like(self, parts: Body, session: _Session) -> Sent | None:
        """The call that a request without a parent shares its tools with, or the latest."""
        tools = parts.members.get("tools", b"")
        return session.tools.get(tools) or session.last

    def _thread(self, key: SessionKey, array: _Array) -> str:
        """A name for the conversation that tells nothing about its key."""
        told = self._salt + f"{key.session}\n{key.agent}".encode()
        if key.is_weak and array.cells:
            told += array.cells[0].digest
        return blake2b(told, digest_size=6).hexdigest()

    def _remember(self, sent: Sent, array: _Array, session: _Session, scope: _Scope) -> None:
        if sent.parent is not None:
            sent.parent.heir = sent
        else:
            for cell in leading(array.cells, "user", "system"):
                self._roots[cell.digest] += 1
        for number in range(array.known + 1, len(array.cells) + 1):
            cell = array.cells[number - 1]
            scope.owners.setdefault(array.hash_of(number), _Place(sent, number))
            if is_telling(cell):
                scope.holders[cell.digest] = sent
        scope.ends[array.hashes[-1]] = sent
        scope.last = session.last = sent
        session.tools[sent.members.get("tools", b"")] = sent
        self._sent[sent.id] = (sent, session, scope, array.hashes[-1])
        if sent.parent is not None and sent.parent in self._recent:
            self._recent.remove(sent.parent)
        self._recent.append(sent)


def _left(array: _Array, shared: int, scope: _Scope) -> _Found:
    """What a request is that shares ``shared`` cells with an earlier one, and then goes on."""
    owner, _ = scope.owners[array.hash_of(shared)]
    message = array.message_of(shared)
    if shared >= owner.cells and owner.state != "whole":
        return _Found("continue", owner)
    if shared == owner.full and not _goes_on(owner):
        return _Found("continue", owner)
    if shared == owner.cells < min(owner.full, len(array.cells)):
        after = array.cells[shared:]
        if reply := list(leading(after, "assistant")):
            if said(reply) == owner.answer:
                return _Found("continue", owner)
            return _Found("mutated", owner, message)
    if (holder := _holder(array, shared, scope)) is not None:
        return _Found("mutated", holder, message)
    return _Found("fork", owner)


def _holder(array: _Array, shared: int, scope: _Scope) -> Sent | None:
    """The last request that has replies or results which this one has after the change."""
    for cell in reversed(array.cells[shared:]):
        if is_telling(cell) and (holder := scope.holders.get(cell.digest)) is not None:
            while holder.heir is not None:
                holder = holder.heir
            return holder
    return None


def _goes_on(sent: Sent) -> bool:
    """Whether another request follows its answer already, not only asks for it again."""
    heir = sent.heir
    while heir is not None and heir.cells == sent.cells:
        heir = heir.heir
    return heir is not None


def _quoted(texts: Sequence[str], session: _Session) -> Sent | None:
    """The call whose answer stands in one of the texts: it made the summary."""
    for sent, answer in reversed(session.answers):
        if any(quotes(text, answer) for text in texts):
            return sent
    return None


def _shared(members: dict[str, bytes], like: Sent | None) -> dict[str, bytes]:
    """The members, those that equal the other call's as the same object."""
    theirs = like.members if like is not None else {}
    return {k: theirs[k] if theirs.get(k) == raw else raw for k, raw in members.items()}
