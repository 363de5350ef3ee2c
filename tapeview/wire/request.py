"""The request body of a model call, out of the tape up to that call."""

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from tapeview.shapes.fields import value_at
from tapeview.tape.block import CLIENT_RESULT, Block
from tapeview.tape.index import Index
from tapeview.tape.json_text import locate
from tapeview.tape.message import Message
from tapeview.tape.record import Record
from tapeview.tape.session import Session
from tapeview.tape.tape import Tape
from tapeview.tape.turn import Turn

__all__ = [
    "Request",
    "block_json",
    "message_json",
    "recorded_request",
    "request_of",
    "sent_before",
    "sent_span",
]

REQUIRED = {
    "anthropic": ("model", "max_tokens", "system", "tools"),
    "openai-chat": ("model", "tools"),
}
"""Members that a call of an agent carries beside its messages; a file may lack them."""


class Request(NamedTuple):
    """A request body as JSON, and the members that the session does not store."""

    body: bytes
    absent: tuple[str, ...]


def sent_before(stored: Index, sent: Sequence[Message], turn: Turn | None) -> tuple[Message, ...]:
    """The messages that the call of ``turn`` was sent; for None those of the next call.

    What a harness adds when it resumes was not there yet, save the results that it makes up.
    """
    if turn is None:
        return tuple(sent)
    count, last = sent_span(stored, sent, turn, len(sent))
    return (*sent[:count], *last)


def sent_span(
    stored: Index, sent: Sequence[Message], turn: Turn, most: int
) -> tuple[int, tuple[Message, ...]]:
    """The same as a number of sent messages, and the part of the one behind them that was there.

    The span of a later turn, ``most`` messages, ends no earlier.
    """
    if sent is stored.messages:
        return turn.start, ()
    places = stored.places
    for number in range(min(most + 1, len(sent)) - 1, -1, -1):
        message = sent[number]
        if any(b in places and places[b].message < turn.start for b in message.blocks):
            break
    else:
        return 0, ()
    kept = tuple(
        block
        for block in message.blocks
        if (places[block].message < turn.start if block in places else block.kind == CLIENT_RESULT)
    )
    if len(kept) == len(message.blocks):
        return number + 1, ()
    records = tuple(r for r in message.records if any(b in kept for b in r.blocks))
    part = Message(message.role, records, kept, message.spelled_role, message.id)
    return number, (part,)


def recorded_request(session: Session, tape: Tape, turn: Turn) -> Request | None:
    """The body of the call of ``turn`` as it was sent; None where it is not at hand.

    Raises ``LookupError`` where the file is too short for it now.
    """
    call = session.calls.get(tape.messages[turn.start].first)
    # What was edited is sent as it is now, also where that was in an earlier session.
    edited = session.original is not None or (
        tape.as_sent is not None and turn.start > tape.as_sent
    )
    if call is None or edited:
        return None
    return Request(call.request(), ())


def request_of(session: Session, tape: Tape, messages: Sequence[Message]) -> Request:
    """The body that sends ``messages``, a beginning of the tape's sent messages.

    Bodies and arrays are cut out of the file as they stand; for other files each block keeps its
    own bytes and only what surrounds it is written anew.
    """
    frame = session.frame
    have = {name for name, _ in frame.others}
    have |= {
        name
        for name, value in (
            ("model", frame.model),
            ("system", frame.system),
            ("tools", frame.tools),
        )
        if value
    }
    absent = tuple(name for name in REQUIRED[session.dialect] if name not in have)
    if frame.whole and (text := _cut_from_file(session, tape, messages)) is not None:
        if text.lstrip()[:1] == b"[":
            return Request(b'{"messages":' + text.strip() + b"}", absent)
        return Request(text, tuple(name for name in absent if name not in ("system", "tools")))
    members = list(frame.others)
    if frame.model:
        members.insert(0, ("model", json.dumps(frame.model).encode()))
    members += [(k, raw) for k, raw in (("system", frame.system), ("tools", frame.tools)) if raw]
    members.append(
        ("messages", b"[" + b",".join(message_json(session, m) for m in messages) + b"]")
    )
    body = b",".join(json.dumps(name).encode() + b":" + raw for name, raw in members)
    return Request(b"{" + body + b"}", absent)


def _cut_from_file(session: Session, tape: Tape, messages: Sequence[Message]) -> bytes | None:
    """The document without the messages after the last one wanted; None where it is damaged."""
    if tape.sent is not tape.messages or any(r.kind != "message" for r in session.records):
        return None
    shorter = msgspec.structs.replace(
        session, records=session.records[: len(messages)], original=session.as_read, positions={}
    )
    return b"".join(session.written(shorter, 0)).removeprefix(b"\xef\xbb\xbf")


def message_json(session: Session, message: Message) -> bytes:
    """One message as JSON, its blocks in their own bytes."""
    if message.is_one_record:
        raw = session.message_of(message.records[0])
        if session.harness:
            return _message(message.role, value_at(raw, ("content",)))
        return raw
    return _message(message.role, b"[" + b",".join(_blocks(session, message)) + b"]")


def _message(role: str, content: bytes) -> bytes:
    return b'{"role":' + json.dumps(role).encode() + b',"content":' + content + b"}"


def _blocks(session: Session, message: Message) -> Iterator[bytes]:
    """The blocks of a message that several records make.

    Where texts of two user records meet, the earlier one gets a line break, as the harness does it.
    """
    holder = {block: record for record in message.records for block in record.blocks}
    for number, block in enumerate(message.blocks):
        raw = block_json(session, holder[block], block)
        after = message.blocks[number + 1] if number + 1 < len(message.blocks) else None
        meets = (
            message.role == "user"
            and block.kind == "text"
            and after is not None
            and after.kind == "text"
            and holder[after] is not holder[block]
        )
        yield _with_line_break(raw) if meets else raw


def block_json(session: Session, record: Record, block: Block) -> bytes:
    """One block as JSON, in its own bytes; string content as a text block."""
    raw, inside = session.piece_of(record, block)
    text = value_at(raw, inside.path)
    return b'{"type":"text","text":' + text + b"}" if block.path == ("content",) else text


def _with_line_break(block: bytes) -> bytes:
    try:
        start, end = locate(block, ("text",))
    except LookupError:
        return block
    if block[start : start + 1] != b'"':
        return block
    return block[: end - 1] + b"\\n" + block[end - 1 :]
