"""The calls of a session as they were recorded: what each was sent, and what came back."""

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, reduce
from hashlib import blake2b
from itertools import accumulate
from typing import Final, NamedTuple

import msgspec

from tapeview.formats._head import Head
from tapeview.formats.anthropic import Anthropic
from tapeview.open_session import OpenSession, session_in
from tapeview.shapes.fields import fields_of, is_text, text_of, value_at
from tapeview.snapshot import Snapshot, no_collection
from tapeview.tape.block import CLIENT_CALL, Block
from tapeview.tape.json_text import array_spans, loads
from tapeview.tape.record import Record
from tapeview.tape.session import Session
from tapeview.tape.source import MemorySource
from tapeview.tape.tape import Tape
from tapeview.tape.turn import Turn
from tapeview.wire.align import Cell, CellReader, chain
from tapeview.wire.convert import to_anthropic
from tapeview.wire.request import block_json, message_json, request_of, sent_span

__all__ = [
    "RecordedCall",
    "Sent",
    "in_api_words",
    "made_id",
    "read_body",
    "recorded_calls",
    "reply_of",
    "side_hash",
    "sides_in",
    "tokens_in",
    "usage_of",
]

BYTES_A_TOKEN: Final = 4
"""An estimate, where nothing was recorded: English and code come to some four bytes a token."""


class Sent(NamedTuple):
    """The cells of what a call was sent: a beginning of the tape, and a part of what follows."""

    tape: Sequence[Sequence[Cell]]
    length: int
    part: Sequence[Sequence[Cell]]

    @property
    def messages(self) -> list[Sequence[Cell]]:
        """The cells of each message."""
        return [*self.tape[: self.length], *self.part]

    def backwards(self) -> Iterator[Sequence[Cell]]:
        """The same from the last one on."""
        yield from reversed(self.part)
        yield from (self.tape[k] for k in range(self.length - 1, -1, -1))


class RecordedCall(msgspec.Struct, frozen=True, eq=False, dict=True):
    """One model call of a session. Two are the same only if they are the same object."""

    tape: str
    turn: int
    """Of its tape; through main and its segments they are counted on."""
    sent: Sent
    depth: int
    """How many assistant sides it was sent."""
    key: bytes
    """A hash of what was sent, equal for arrays that say the same."""
    reply: Mapping[str, bytes]
    """Members of the assistant message as the API answered it, undecoded. ``model`` is missing
    where nothing tells it."""
    seconds: float | None
    """From the last message before it to the end of the reply, where the file has times."""
    order: tuple[str, int]
    """When it was recorded: time and place in the file."""

    @cached_property
    def after(self) -> bytes:
        """A hash of the last assistant side that it was sent; of nothing at the tape's start."""
        return side_hash(self._last_side)

    @cached_property
    def after_ids(self) -> frozenset[str]:
        """Ids of the calls in that side."""
        return frozenset(cell.id for cell in self._last_side if cell.kind == CLIENT_CALL)

    @cached_property
    def news(self) -> frozenset[bytes]:
        """Hashes of what the user's side added since."""
        return frozenset(cell.digest for cell in self._ends[1])

    @property
    def _last_side(self) -> Sequence[Cell]:
        return self._ends[0]

    @cached_property
    def _ends(self) -> tuple[list[Cell], list[Cell]]:
        """The last assistant side of what was sent, and the cells behind it."""
        for found in sides_in(self.sent.backwards()):
            return found
        return [], [cell for cell in _backwards(self.sent.backwards()) if cell.role == "user"]


def in_api_words(opened: OpenSession) -> tuple[OpenSession, tuple[str, ...]]:
    """A session in the words of the Messages API, and what is lost by that.

    It is the very same session where it speaks them already.
    """
    session = opened.session
    if session.dialect == "anthropic":
        return opened, ()
    request = request_of(session, session.main, session.main.sent)
    converted = to_anthropic(request.body)
    return read_body(converted.body, session.path), converted.lost


def read_body(body: bytes, name: str) -> OpenSession:
    """A request body of the Messages API. Raises ``OpenError`` where it holds no messages."""
    return session_in(Anthropic().open(Head(MemorySource(body, name)), name), "request")


def recorded_calls(opened: OpenSession, tape: str | None = None) -> tuple[RecordedCall, ...]:
    """All calls of a session, or those of one tape, each once, tape by tape in sending order.

    The session speaks the words of the Messages API. What a compaction keeps and what a branch
    shares belongs to the tape on which it was said. Raises ``PlaceError`` where there is no such
    tape.
    """
    session = opened.session
    if tape is not None:
        tapes: list[Tape] = [opened.snapshot(tape).tape]
    else:
        segments = [t for t in session.tapes if t.kind == "segment"]
        tapes = [*reversed(segments), *(t for t in session.tapes if t.kind != "segment")]
    reader, said = CellReader(), set[Record]()
    found: list[RecordedCall] = []
    with no_collection():
        for one in tapes:
            snapshot = opened.snapshot(one.id)
            found += _calls_of(snapshot, reader, said)
            said |= {record for message in one.messages for record in message.records}
    return tuple(found)


def _calls_of(snapshot: Snapshot, reader: CellReader, said: set[Record]) -> Sequence[RecordedCall]:
    session, tape = snapshot.session, snapshot.tape
    texts = [message_json(session, message) for message in tape.sent]
    cells = reader.read_all(texts)
    hashes = list(accumulate(cells, lambda before, some: chain([some], before), initial=b""))
    depths = list(accumulate(cells, _deeper, initial=TOP))
    frame = len(session.frame.system) + len(session.frame.tools)
    sizes = list(accumulate(map(len, texts), initial=frame))
    found: list[RecordedCall] = []
    count = len(tape.sent)
    for turn in reversed(snapshot.index.turns):
        count, rest = sent_span(snapshot.index, tape.sent, turn, count)
        first = tape.messages[turn.start].first
        if first in said:
            continue
        part = reader.read_all(message_json(session, message) for message in rest)
        found.append(
            RecordedCall(
                tape.id,
                turn.number,
                Sent(cells, count, part),
                reduce(_deeper, part, depths[count]).sides,
                chain(part, hashes[count]),
                reply_of(snapshot, turn, sizes[count]),
                _seconds(snapshot, turn),
                (first.time, session.position_of(first)),
            )
        )
    return found[::-1]


def _seconds(snapshot: Snapshot, turn: Turn) -> float | None:
    call = snapshot.session.calls.get(snapshot.tape.messages[turn.start].first)
    return call.seconds if call is not None else snapshot.turn_facts[turn.number].seconds


def reply_of(snapshot: Snapshot, turn: Turn, sent: int) -> dict[str, bytes]:
    """The members of the reply of a turn; ``sent`` is the bytes of its request.

    What the file does not store is made up, the same for each reading: the id, ``stop_reason``
    (tool_use where it calls a tool, else end_turn), and the usage out of sizes.
    """
    session = snapshot.session
    stored, content = _stored(snapshot, turn)
    if content == [EMPTY_TEXT]:
        content = []
    whole = b"[" + b",".join(content) + b"]"
    calls = any(text_of(fields_of(block).get("type")) == CLIENT_CALL for block in content)
    model = session.frame.model
    reply = {
        "id": _text(made_id("msg_01", whole, b"%d" % turn.number)),
        "type": b'"message"',
        "role": b'"assistant"',
        **({"model": msgspec.json.encode(model)} if model else {}),
        "content": whole,
        "stop_reason": b'"tool_use"' if calls else b'"end_turn"',
        "stop_sequence": b"null",
        "usage": usage_of(sent, len(whole)),
    }
    kept = {name: raw for name, raw in stored.items() if name != "content"}
    for name in ("id", "stop_reason", "model"):
        if not is_text(kept.get(name, b'""')):
            del kept[name]
    if fields_of(kept.get("usage", b"{}")).keys() < {"input_tokens", "output_tokens"}:
        kept.pop("usage", None)
    return reply | kept | {"type": b'"message"', "role": b'"assistant"'}


def _said(session: Session, record: Record, block: Block) -> bytes:
    """A block in the Messages API's spelling; Chat's reasoning is thinking without a signature."""
    if session.dialect == "anthropic":
        return block_json(session, record, block)
    raw, inside = session.piece_of(record, block)
    if block.kind == "thinking" and is_text(text := value_at(raw, inside.path)):
        return b'{"type":"thinking","thinking":' + text + b"}"
    return session.shape.neutral(raw, inside)


def _stored(snapshot: Snapshot, turn: Turn) -> tuple[dict[str, bytes], list[bytes]]:
    """The members of a reply as far as they are stored, and its blocks."""
    session = snapshot.session
    messages = snapshot.tape.messages[turn.start : turn.stop]
    call = session.calls.get(messages[0].first)
    raw = call.reply() if call is not None else None
    if raw is not None:
        members = {name: value for name, value in fields_of(raw).items() if value != b"null"}
        whole = members.get("content", b"[]")
        blocks = array_spans(whole, 0)[0] if whole[:1] == b"[" else []
        return members, [whole[start:end] for start, end in blocks]
    stored: dict[str, bytes] = {}
    content: list[bytes] = []
    for message in messages:
        for record in message.records:
            fields = fields_of(session.message_of(record))
            stored |= {name: value for name, value in fields.items() if value != b"null"}
        holder = {block: record for record in message.records for block in record.blocks}
        content += [_said(session, holder[b], b) for b in message.blocks if b in holder]
    return stored, content


class _Depth(NamedTuple):
    """How many assistant sides there are so far, and whether the last one is still open."""

    sides: int
    is_open: bool


TOP: Final = _Depth(0, False)


def _deeper(depth: _Depth, message: Sequence[Cell]) -> _Depth:
    for cell in message:
        if cell.role == "assistant" and not cell.is_apart:
            depth = _Depth(depth.sides + (not depth.is_open), True)
        elif cell.role == "user":
            depth = _Depth(depth.sides, False)
    return depth


EMPTY_TEXT: Final = b'{"type":"text","text":""}'


def usage_of(sent: int, said: int) -> bytes:
    """The usage of a call of which nothing but sizes is known."""
    return b'{"input_tokens":%d,"output_tokens":%d}' % (tokens_in(sent), tokens_in(said))


def tokens_in(size: int) -> int:
    """An estimate of the tokens in so many bytes."""
    return max(1, size // BYTES_A_TOKEN)


def _text(text: str) -> bytes:
    return msgspec.json.encode(text)


def made_id(prefix: str, *parts: bytes) -> str:
    """An id as the API makes them, but the same for the same parts."""
    digest = blake2b(b"\n".join(parts), digest_size=20).digest()
    return prefix + base64.b32encode(digest).decode()[:22]


def sides_in(
    backwards: Iterable[Sequence[Cell]],
) -> Iterator[tuple[list[Cell], list[Cell]]]:
    """The assistant sides of an array, the last one first, each with the user's cells behind it.

    The messages are given from the last one on. Messages of role system in the middle part no side.
    """
    side: list[Cell] = []
    behind: list[Cell] = []
    for cell in _backwards(backwards):
        if cell.role == "assistant":
            side.append(cell)
        elif cell.role == "user":
            if side:
                yield side[::-1], behind
                side, behind = [], []
            behind.append(cell)
    if side:
        yield side[::-1], behind


def _backwards(messages: Iterable[Sequence[Cell]]) -> Iterator[Cell]:
    for cells in messages:
        yield from (cell for cell in reversed(cells) if not cell.is_apart)


def side_hash(side: Sequence[Cell]) -> bytes:
    """A hash of what an assistant side says: its calls by their ids, its texts by their words.

    Harnesses read inputs and write them anew, and trim texts.
    """
    parts: list[bytes] = []
    for cell in side:
        if cell.kind == CLIENT_CALL and cell.id:
            parts.append(cell.id.encode("utf-8", "surrogatepass"))
        elif cell.kind == "text":
            value = loads(cell.text.encode("utf-8", "surrogatepass"))
            words = str(value.get("text", "")).split() if isinstance(value, dict) else []
            parts += [word.encode("utf-8", "surrogatepass") for word in words]
        else:
            parts.append(cell.digest)
    return blake2b(b"\n".join(parts), digest_size=16).digest() if parts else b""
