"""Replies of the model as Claude Code writes them, and replies that are kept beside another one.

``formats.md`` b.2: one line a block, all with the id, the usage and the stop reason of the reply
(2.1.197). A reply that is kept beside the recorded one is a fork that no harness writes: parallel
calls fork in the same way. So its lines say of themselves that they branch off, in ``isBranch``, a
member that resume does not look at.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from tapeview.edit.draft import Draft
from tapeview.edit.speller import Reply
from tapeview.errors import EditError
from tapeview.formats._claude_chain import Tree, chain_of
from tapeview.formats._claude_line import facts_of
from tapeview.formats._claude_tapes import branches
from tapeview.formats._claude_time import MOMENT, iso, moment_of, moved
from tapeview.shapes.fields import fields_of, text_of
from tapeview.tape.graft import spelled, with_member
from tapeview.tape.message import Message
from tapeview.tape.record import Record
from tapeview.tape.tape import Tape

__all__ = ["hang_branch", "model_of", "object_of", "reply_line", "reply_lines"]

ELSEWHERE: Final = "keep the branch as a request in a file of its own."
OWN: Final = ("content", "id", "role", "type")
"""Members of a reply that its lines have in a spelling of their own."""


def object_of(fields: Mapping[str, bytes]) -> bytes:
    """An object of members that are JSON already."""
    return b"{" + b",".join(spelled(key) + b":" + raw for key, raw in fields.items()) + b"}"


def model_of(draft: Draft, around: Sequence[Record]) -> str:
    """The model of the nearest reply."""
    for record in chain(around, reversed(draft.session.records)):
        model = facts_of(record).model
        if model and model != "<synthetic>":
            return model
    return ""


def reply_line(block: bytes, identity: str, model: str) -> dict[str, bytes]:
    """A line of a reply that somebody wrote by hand."""
    is_call = text_of(fields_of(block).get("type")) == "tool_use"
    return {"type": b'"assistant"', "message": object_of(_message(block, identity, model, is_call))}


def _message(block: bytes, identity: str, model: str, is_call: bool) -> dict[str, bytes]:
    return {
        "id": spelled(identity),
        "type": b'"message"',
        "role": b'"assistant"',
        "model": spelled(model or "<synthetic>"),
        "content": b"[" + block + b"]",
        "stop_reason": b'"tool_use"' if is_call else b'"end_turn"',
        "stop_sequence": b"null",
        "usage": b'{"input_tokens":0,"output_tokens":0}',
    }


def reply_lines(reply: Reply, identity: str, model: str) -> Iterator[dict[str, bytes]]:
    """A line for each block of a model's reply; what the reply does not say is filled in."""
    is_call = any(text_of(fields_of(b).get("type")) == "tool_use" for b in reply.blocks)
    given = {name: raw for name, raw in reply.fields.items() if name not in OWN}
    for block in reply.blocks:
        message = _message(block, identity, model, is_call) | given
        yield {"type": b'"assistant"', "message": object_of(message)}


def hang_branch(
    draft: Draft, tape: Tape, first: Record, lines: Sequence[tuple[str, bytes]]
) -> None:
    """Put lines in (uuid and text), below the line that the reply of ``first`` hangs from.

    They are older than the end of main, at which resume goes on. Raises ``EditError`` where they
    would not be read back as a branch with nothing else changed.
    """
    if tape.kind not in ("main", "branch"):
        raise EditError(f"{tape.id} can have no branch of its own; {ELSEWHERE}")
    tree = Tree(draft.session.rows(0))
    above = tree.parents.get(first, "")
    if above and above not in tree.by_uuid:
        above = tree.parent_of(first)
    if not above:
        raise EditError(f"nothing stands above this reply; {ELSEWHERE}")
    chain = chain_of(tree)
    leaf = tree.leaf()
    last = moment_of(leaf.time) if leaf is not None else None
    texts: list[bytes] = []
    for uuid, line in lines:
        text = with_member(line, (), "parentUuid", spelled(above))
        own = moment_of(text_of(fields_of(text).get("timestamp")))
        if last is not None and own is not None and own >= last:
            text = with_member(text, (), "timestamp", spelled(iso(moved(last, -MOMENT))))
        texts.append(text)
        above = uuid
    _put(draft, first, texts, last is not None)
    expected = [*_said(tape.messages, first), *(uuid for uuid, _ in lines)]
    after = Tree(draft.rows(0))
    now = chain_of(after)
    found = branches(after, now, set(now.lines), 1)
    same = [facts_of(r).uuid for r in now.lines] == [facts_of(r).uuid for r in chain.lines]
    if not same or not any(_said(branch.messages) == expected for branch in found):
        raise EditError(f"the lines of this session leave no place for a branch here; {ELSEWHERE}")


def _put(draft: Draft, first: Record, texts: Sequence[bytes], has_times: bool) -> None:
    """Put the lines at the end of the file; above the reply where the order tells the newest."""
    rows = draft.session.rows(0)
    if has_times:
        draft.insert(texts, next(r for r in reversed(rows) if r.kind == "message"), None)
        return
    at = draft.place_of(first)
    draft.insert(texts, rows[at - 1] if at else None, first)


def _said(messages: Sequence[Message], until: Record | None = None) -> list[str]:
    """The uuids of the lines that say something, up to a line of a reply."""
    found: list[str] = []
    for message in messages:
        if until is not None and until in message.records:
            break
        found += (facts_of(record).uuid for record in message.records)
    return found
