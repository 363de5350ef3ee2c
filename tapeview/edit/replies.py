"""Edits that keep what a model answered: at the end, instead of a reply, or beside it."""

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256

import msgspec

from tapeview.edit import operations as ops
from tapeview.edit.putting import content_blocks
from tapeview.edit.removal import Removal
from tapeview.edit.speller import Gap, Reply
from tapeview.edit.work import Work, sound
from tapeview.errors import EditError
from tapeview.tape.block import CALLS
from tapeview.tape.graft import spelled, with_member
from tapeview.tape.json_text import loads, members

__all__ = ["plan_append_reply", "plan_branch", "plan_replace_reply", "reply_of"]


def reply_of(raw: msgspec.Raw) -> Reply:
    """A message as the Messages API returns it. Raises ``EditError`` for anything else."""
    text = sound(raw)
    fields = {name: text[a:b] for name, (a, b) in members(text, 0)} if text[:1] == b"{" else {}
    if fields.get("role", b'"assistant"') != b'"assistant"' or "content" not in fields:
        raise EditError("a reply is a message of the assistant, with its content.")
    return Reply(tuple(content_blocks(fields["content"])), fields)


def _call_ids(reply: Reply) -> Iterator[str]:
    for block in reply.blocks:
        match loads(block):
            case {"type": str(kind), "id": str(identity)} if kind in CALLS:
                yield identity


def plan_append_reply(work: Work, op: ops.AppendReply) -> str:
    """A reply at the end. Its calls get new ids where the tape has theirs already."""
    reply = reply_of(op.message)
    renamed = _with_new_ids(work, reply)
    gap = work.gap_before(len(work.messages))
    work.speller.insert_reply(work.draft, gap, renamed, ())
    return "append a reply" if renamed is reply else "append a reply under new call ids"


def _with_new_ids(work: Work, reply: Reply) -> Reply:
    """A recorded reply that is appended comes a second time; the API takes an id only once."""
    if not any(work.index.ids.count(identity) for identity in _call_ids(reply)):
        return reply
    taken = {block.id for m in work.messages for block in m.blocks if block.kind in CALLS}
    new = {
        identity: f"{_kind_of(identity)}_{sha256(work.draft.salt + b'%d' % k).hexdigest()[:24]}"
        for k, identity in enumerate(_call_ids(reply))
        if identity in taken
    }
    if not new:
        return reply
    return reply._replace(blocks=tuple(_renamed(block, new) for block in reply.blocks))


def _kind_of(identity: str) -> str:
    """What an id begins with: ``srvtoolu`` is one that a server's call has to have."""
    found = re.match("([a-z]+)_", identity)
    return found[1] if found else "toolu"


def _renamed(block: bytes, new: Mapping[str, str]) -> bytes:
    for name, (a, b) in tuple(members(block, 0)):
        identity = loads(block[a:b]) if name in ("id", "tool_use_id") else None
        if isinstance(identity, str) and identity in new:
            return with_member(block, (), name, spelled(new[identity]))
    return block


def plan_replace_reply(work: Work, op: ops.ReplaceReply) -> str:
    """A reply in the place of that of a turn."""
    reply, turn = reply_of(op.message), work.turn(op.turn)
    old = [m for m in work.messages[turn.start : turn.stop] if m.role == "assistant"]
    removal = Removal(work, op.pairs, frozenset(_call_ids(reply)))
    for message in old:
        removal.add_message(message)
    removal.carry_out()
    gap = Gap(work.gap_before(turn.start).before, work.gap_before(turn.stop).after)
    records = [record for message in old for record in message.records]
    work.speller.insert_reply(work.draft, gap, reply, records)
    return f"replace the reply of turn {op.turn}"


def plan_branch(work: Work, op: ops.Branch) -> str:
    """A reply beside that of a turn."""
    reply, turn = reply_of(op.message), work.turn(op.turn)
    first = work.messages[turn.start]
    work.speller.branch(work.draft, Gap(work.gap_before(turn.start).before, first.records), reply)
    return f"keep another reply to turn {op.turn} as a branch"
