"""Tapes in shorthand: one message a line, so that a test shows what it is about.

    tape("user ask", "assistant call:a call:b", "user result:a result:b")

The first word is the role, with ``@ID`` for the reply's message id and ``!`` for the harness's note
that the call failed. The words behind it are blocks:

* ``call:ID[:NAME]`` and ``result:ID`` or ``error:ID``; ``call:`` and ``result:`` have no id at all
* ``search:ID`` and ``found:ID``: a tool that the API runs itself
* ``ask-by-name:NAME`` and ``answer-by-name:NAME``: Chat's legacy spelling without ids
* ``thinking``, ``image``, ``empty`` (an empty text); any other word is a text
"""

from tapeview.shapes.anthropic import AnthropicShape
from tapeview.tape.block import Block, BlockFacts
from tapeview.tape.index import Index
from tapeview.tape.message import Message, message_of
from tapeview.tape.record import Record
from tapeview.tape.session import Session
from tapeview.tape.source import MemorySource
from tapeview.tape.tape import Frame, Tape

ROLES = {"user": "user", "assistant": "assistant", "system": "system"}


def tape(*lines: str) -> tuple[Message, ...]:
    """The messages, each of one record."""
    return tuple(message_of([record]) for record in records(*lines))


def records(*lines: str) -> list[Record]:
    """One record a line, as long as the line and behind one another."""
    found, start = [], 0
    for number, line in enumerate(lines, 1):
        found.append(_record(line, start, number))
        start += len(line) + 1
    return found


def index(*lines: str) -> Index:
    """The index of these messages."""
    return Index(tape(*lines), Frame(), "anthropic")


def session(all_records, messages, unsent=None, frame=None) -> Session:
    """A session of such records whose chain is ``messages``."""
    chain = tuple(messages)
    return Session(
        path="short",
        format="shorthand",
        title="Shorthand",
        shape=AnthropicShape(),
        source=MemorySource(b""),
        records=tuple(all_records),
        tapes=(Tape("main", "main", chain, chain, unsent or {}),),
        frame=frame or Frame(),
        message_json=lambda record, raw: raw,
        written=lambda session, member: iter(()),
    )


def note(label: str) -> Record:
    """A note of the harness."""
    return Record(0, 0, 0, "note", label=label)


def unreadable(label: str = "damaged") -> Record:
    """A line that is no JSON."""
    return Record(0, 0, 0, "unreadable", label=label)


def _record(line: str, start: int, number: int) -> Record:
    head, *words = line.split()
    head, failed = head.rstrip("!"), head.endswith("!")
    spelled, _, identity = head.partition("@")
    blocks = tuple(_block(word, k) for k, word in enumerate(words))
    return Record(
        start,
        len(line),
        number,
        "message",
        ROLES.get(spelled, ""),
        spelled,
        blocks,
        identity,
        is_failure=failed,
    )


def _block(word: str, k: int) -> Block:
    path = ("content", k)
    kind, colon, identity = word.partition(":")
    identity, _, name = identity.partition(":")
    missing = BlockFacts.NONE if identity else BlockFacts.ID_ABSENT
    if not colon:
        facts = BlockFacts.EMPTY if word == "empty" else BlockFacts.NONE
        known = word in ("thinking", "image")
        return Block(word if known else "text", path, len(word), facts=facts)
    match kind:
        case "call":
            return Block("tool_use", path, 2, identity, name or "Read", missing)
        case "result":
            return Block("tool_result", path, 2, identity, facts=missing)
        case "error":
            return Block("tool_result", path, 2, identity, facts=missing | BlockFacts.IS_ERROR)
        case "search":
            return Block("server_tool_use", path, 2, identity, "web_search", missing)
        case "found":
            return Block("web_search_tool_result", path, 2, identity, facts=missing)
        case "ask-by-name":
            return Block("tool_use", path, 2, "", identity, BlockFacts.LEGACY)
        case "answer-by-name":
            return Block("tool_result", path, 2, "", identity, BlockFacts.LEGACY)
    raise ValueError(f"no such block: {word}")
