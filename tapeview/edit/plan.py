"""From what is asked for to an edit: one small function for each kind."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec import UNSET

from tapeview.edit import operations as ops
from tapeview.edit.draft import Draft, ReadRecord
from tapeview.edit.edit import Edit
from tapeview.edit.operations import Operation, operation_json
from tapeview.edit.putting import (
    plan_answer,
    plan_duplicate,
    plan_fold,
    plan_insert,
    plan_insert_block,
    plan_merge,
    plan_move,
    plan_prepend,
    plan_split,
)
from tapeview.edit.removal import Removal
from tapeview.edit.replies import plan_append_reply, plan_branch, plan_replace_reply
from tapeview.edit.speller import Gap, Speller
from tapeview.edit.work import Target, Work, sound
from tapeview.errors import EditError
from tapeview.tape.block import CLIENT_CALL, CLIENT_RESULT, Block
from tapeview.tape.graft import spelled
from tapeview.tape.index import Index
from tapeview.tape.json_text import JsonFault, loads
from tapeview.tape.record import Record
from tapeview.tape.session import Session
from tapeview.tape.tape import Frame, Tape

__all__ = ["NO_FRAME", "plan"]

Plan = Callable[[Work, Any], str]
"""Puts what is asked for into the draft; the edit's label, as a list names it."""

NO_FRAME: Final = "{} is changed in request bodies and on main of a recording alone."


def plan(
    operation: Operation,
    session: Session,
    tape: Tape,
    index: Index,
    speller: Speller,
    read: ReadRecord,
) -> Edit:
    """The edit that does what ``operation`` asks for.

    Raises ``EditError`` where it does not fit, ``PairSplit`` where it would part a call from its
    result and does not say what is to become of them.
    """
    try:
        salt = operation_json(operation)
    except JsonFault as fault:
        raise EditError(f"this is not JSON: {fault}.") from None
    draft = Draft(session, read, salt)
    work = Work(session, tape, index, speller, draft)
    try:
        label = PLANS[type(operation)](work, operation)
    except (LookupError, JsonFault) as fault:
        raise EditError(f"this place cannot be changed: {fault}.") from None
    speller.settle(draft)
    edit = draft.edit(label)
    if not edit.splices and edit.frames is None:
        raise EditError("this changes nothing.")
    return edit


def _set(work: Work, op: ops.Set) -> str:
    target = work.target(op.at)
    value = None if op.value is UNSET else sound(op.value)
    if target.block is None and op.member == "role":
        return _set_role(work, target, op.at, value)
    record = work.record_of(target)
    block = target.block
    whole = record.blocks if target.message < 0 else work.messages[target.message].blocks
    if block is None and len(whole) == 1:
        block = whole[0]
    if block is None:
        raise EditError(f"{op.at} is a whole message; name one of its blocks.")
    work.set_member(record, block, op.member, value)
    return f"set {op.member or 'the block'} of {op.at}"


def _set_role(work: Work, target: Target, at: str, value: bytes | None) -> str:
    role = {b'"user"': "user", b'"assistant"': "assistant", b'"system"': "system"}.get(value or b"")
    if role is None or target.message < 0:
        raise EditError("a role is user, assistant or system.")
    work.speller.set_role(work.draft, work.messages[target.message].records, role)
    return f"set the role of {at}"


def _set_request(work: Work, op: ops.SetRequest) -> str:
    frame = work.session.seen_from(work.tape).frame
    if not frame.is_editable:
        raise EditError(NO_FRAME.format(op.member or "this"))
    if op.member == "messages" or not op.member:
        raise EditError("messages are edited one by one.")
    if frame.whole and any(record.kind == "unreadable" for record in work.session.records):
        raise EditError("the file is damaged; only its messages can be edited.")
    value = b"" if op.value is UNSET else sound(op.value)
    work.draft.frame = _with_member(frame, op.member, value)
    return f"set {op.member}" if value else f"remove {op.member}"


def _with_member(frame: Frame, name: str, value: bytes) -> Frame:
    system, tools, model = frame.system, frame.tools, frame.model
    others = dict(frame.others)
    if name == "system":
        system = value
    elif name == "tools":
        tools = value
    elif name == "model":
        if value and value[:1] != b'"':
            raise EditError("a model is a name in quotes.")
        model = str(loads(value)) if value else ""
    elif value:
        others[name] = value
    else:
        others.pop(name, None)
    return msgspec.structs.replace(
        frame, model=model, system=system, tools=tools, others=tuple(others.items())
    )


def _delete(work: Work, op: ops.Delete) -> str:
    removal = Removal(work, op.pairs)
    places = (op.at,) if isinstance(op.at, str) else op.at
    for path in places:
        removal.add(work.target(path))
    removal.carry_out()
    return f"delete {', '.join(places[:3])}" + (" ..." if len(places) > 3 else "")


def _delete_turn(work: Work, op: ops.DeleteTurn) -> str:
    turn = work.turn(op.turn)
    removal = Removal(work, op.pairs)
    for message in work.messages[turn.start : turn.stop]:
        if message.role == "assistant":
            removal.add_message(message)
    for message in work.messages[turn.stop : turn.end]:
        answers = [b for b in message.blocks if _is_answer(work, b, removal)]
        if answers and len(answers) == len(message.blocks):
            removal.add_message(message)
        removal.blocks.update(answers)
    removal.carry_out()
    return f"delete turn {op.turn}"


def _is_answer(work: Work, block: Block, removal: Removal) -> bool:
    """Whether a block answers a call that goes."""
    link = work.index.link_of.get(block)
    call = link.call if link is not None else None
    return call is not None and block is not call.block and call.block in removal.blocks


def _remove_range(work: Work, first: Target, last: Target, pairs: ops.Pairs) -> None:
    removal = Removal(work, pairs)
    places = list(work.places_between(first, last))
    removal.blocks.update(block for p in places if (block := work.index.block_at(p)) is not None)
    for number in range(first.message, last.message + 1):
        message = work.messages[number]
        if removal.blocks.issuperset(message.blocks):
            removal.add_message(message)
    removal.carry_out()


def _delete_range(work: Work, op: ops.DeleteRange) -> str:
    _remove_range(work, work.target(op.first), work.target(op.last), op.pairs)
    return f"delete {op.first} to {op.last}"


def _cut(work: Work, op: ops.Cut) -> str:
    target = work.target(op.after)
    if target.message < 0:
        raise EditError("one cuts behind a message or a block of the tape.")
    removal = Removal(work, op.pairs)
    message = work.messages[target.message]
    if target.block is not None:
        removal.blocks.update(message.blocks[message.blocks.index(target.block) + 1 :])
    for number, later in enumerate(work.messages[target.message + 1 :], target.message + 1):
        if work.tape.own is not None and not work.tape.own.issuperset(later.records):
            shared = f"messages.{number} of {work.tape.id}"
            raise EditError(f"{shared} stands on another tape too; cut below it, or cut that one.")
        removal.add_message(later)
    removal.carry_out()
    return f"cut behind {op.after}"


def _clear(work: Work, op: ops.Clear) -> str:
    del op
    lines = [work.tape]
    kept = set(_opening_system(work))
    agents = {r for tape in work.session.tapes if tape.kind == "agent" for r in tape.own or ()}
    if work.tape.kind == "main":
        # What a compaction or a rewind left would be sent in its place.
        lines += [tape for tape in work.session.tapes if tape.kind in ("segment", "branch")]
        for record in work.tape.unsent:
            stored = record.kind == "message" and record in work.session.positions
            if stored and record not in agents:
                work.draft.remove(record)
    for tape in lines:
        for message in tape.messages:
            for record in message.records:
                if record not in kept and (tape.own is None or record in tape.own):
                    work.draft.remove(record)
    for member in {record.member for record in work.draft.removed}:
        whole = work.session.frame.whole
        if not whole and work.draft.removed.issuperset(work.session.rows(member)):
            raise EditError("nothing of the file would be left; delete the file instead.")
    return "clear"


def _opening_system(work: Work) -> Iterator[Record]:
    """The messages of role system that the tape begins with."""
    for message in work.messages:
        if message.role != "system":
            return
        yield from message.records


def _compact(work: Work, op: ops.Compact) -> str:
    first, last = work.target(op.first), work.target(op.last)
    if first.block is not None or last.block is not None:
        raise EditError("a range that is compacted begins and ends with whole messages.")
    _remove_range(work, first, last, op.pairs)
    # Behind a result that stays since its call does: results come first.
    kept = [
        record
        for message in work.messages[first.message : last.message + 1]
        for record in message.records
        if record not in work.draft.removed
    ]
    behind = last.message + 1
    while behind < len(work.messages) and _answers_above(work, behind, first.message):
        kept += work.messages[behind].records
        behind += 1
    before = tuple(kept) or work.gap_before(first.message).before
    gap = Gap(before, work.gap_before(behind).after)
    text = b'{"type":"text","text":' + spelled(op.text) + b"}"
    work.speller.insert(work.draft, gap, "user", [text])
    return f"compact {op.first} to {op.last}"


def _answers_above(work: Work, number: int, first: int) -> bool:
    """Whether a message holds nothing but results of calls above ``first`` that stay."""
    for block in work.messages[number].blocks:
        link = work.index.link_of.get(block) if block.kind == CLIENT_RESULT else None
        call = link.call if link is not None else None
        if call is None or call.place.message >= first:
            return False
        if work.messages[call.place.message].record_of(call.block) in work.draft.removed:
            return False
    return True


def _rename(work: Work, op: ops.Rename) -> str:
    target = work.target(op.at)
    link = work.index.link_of.get(target.block) if target.block is not None else None
    if link is None:
        raise EditError(f"{op.at} is no call and no result.")
    own = [end.block.id for end in link.ends].count(op.id)
    if work.index.ids.count(op.id) != own:
        raise EditError(f"the id {op.id} is used on this tape already.")
    for end in link.ends:
        record = work.messages[end.place.message].record_of(end.block)
        work.set_member(record, end.block, "id", spelled(op.id))
    return f"rename {link.ends[0].block.id} to {op.id}"


def _answer(work: Work, op: ops.Answer) -> str:
    target = work.target(op.at)
    if target.block is None or target.block.kind != CLIENT_CALL:
        raise EditError(f"{op.at} is no call that one could answer.")
    link = work.index.link_of.get(target.block)
    if link is not None and link.results:
        raise EditError(f"{op.at} is answered already.")
    plan_answer(work, target, op.text, op.is_error)
    return f"answer {op.at}"


PLANS: Final[Mapping[type, Plan]] = {
    ops.Set: _set,
    ops.SetRequest: _set_request,
    ops.Delete: _delete,
    ops.DeleteTurn: _delete_turn,
    ops.DeleteRange: _delete_range,
    ops.Insert: plan_insert,
    ops.InsertBlock: plan_insert_block,
    ops.Duplicate: plan_duplicate,
    ops.Move: plan_move,
    ops.Split: plan_split,
    ops.Merge: plan_merge,
    ops.Answer: _answer,
    ops.Rename: _rename,
    ops.Cut: _cut,
    ops.Clear: _clear,
    ops.Prepend: plan_prepend,
    ops.Compact: _compact,
    ops.Fold: plan_fold,
    ops.AppendReply: plan_append_reply,
    ops.ReplaceReply: plan_replace_reply,
    ops.Branch: plan_branch,
}
