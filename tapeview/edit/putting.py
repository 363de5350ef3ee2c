"""Edits that put something in: messages, blocks, copies, answers."""

from collections.abc import Sequence

from tapeview.edit import operations as ops
from tapeview.edit.apart import around, keep_together, rows_of
from tapeview.edit.speller import Gap
from tapeview.edit.work import Target, Work, sound
from tapeview.errors import EditError
from tapeview.tape.block import CLIENT_CALL, Block
from tapeview.tape.graft import spelled
from tapeview.tape.json_text import array_spans
from tapeview.tape.message import Message
from tapeview.tape.record import Record

__all__ = [
    "content_blocks",
    "plan_answer",
    "plan_duplicate",
    "plan_fold",
    "plan_insert",
    "plan_insert_block",
    "plan_merge",
    "plan_move",
    "plan_prepend",
    "plan_split",
]


def text_block(text: bytes) -> bytes:
    """A text block around the JSON of its text."""
    return b'{"type":"text","text":' + text + b"}"


def content_blocks(raw: bytes) -> list[bytes]:
    """The blocks of a message's content: a text, or a list of blocks. Raises ``EditError``."""
    if raw[:1] == b'"':
        return [text_block(raw)]
    if raw[:1] != b"[":
        raise EditError("content is a text, or a list of blocks.")
    blocks = [raw[a:b] for a, b in array_spans(raw, 0)[0]]
    if not blocks or not all(block.startswith(b"{") for block in blocks):
        raise EditError("content is a text, or a list of blocks.")
    return blocks


def _side_of(before: str, after: str) -> tuple[str, bool]:
    """The place named, and whether it is meant that one goes behind it."""
    if before and after:
        raise EditError("say before or after, not both.")
    return (after, True) if after else (before, False)


def _gap(work: Work, before: str, after: str) -> Gap:
    path, behind = _side_of(before, after)
    if not path:
        return work.gap_before(len(work.messages))
    target = work.target(path)
    if target.message < 0 or target.block is not None:
        raise EditError(f"{path} is no message of the tape.")
    return work.gap_before(target.message + behind)


def plan_insert(work: Work, op: ops.Insert) -> str:
    """A new message."""
    gap = _gap(work, op.before, op.after)
    work.speller.insert(work.draft, gap, op.role, content_blocks(sound(op.content)))
    article = "an" if op.role == "assistant" else "a"
    return f"insert {article} {op.role} message"


def plan_prepend(work: Work, op: ops.Prepend) -> str:
    """Facts, as the first message."""
    roles = [message.role for message in work.messages]
    at = next((k for k, role in enumerate(roles) if role != "system"), len(roles))
    work.speller.insert(work.draft, work.gap_before(at), "user", [text_block(spelled(op.text))])
    return "prepend facts"


def _put_block(
    work: Work, target: Target, behind: bool, block: bytes, moved: Record | None = None
) -> None:
    """Put a block beside another one, or at an end of a message."""
    record = _record_at(work, target, behind)
    found = _gap_in(work, target, behind) if target.message >= 0 else None
    if found is not None and work.speller.insert_block(work.draft, found, record, block, moved):
        return
    above: Block | None = target.block
    if target.block is None:
        above = None if behind or not record.blocks else record.blocks[0]
    elif behind:
        number = record.blocks.index(target.block) + 1
        above = record.blocks[number] if number < len(record.blocks) else None
    shape = work.session.shape
    work.change_message(record, lambda raw: shape.with_block(raw, above, block))


def _record_at(work: Work, target: Target, behind: bool) -> Record:
    """The record beside which a block is put."""
    if target.message >= 0 and target.block is None:
        return work.messages[target.message].records[-1 if behind else 0]
    return work.record_of(target)


def _gap_in(work: Work, target: Target, behind: bool) -> Gap | None:
    """The gap between two records of a message, or at its end; None inside of a record."""
    records = work.messages[target.message].records
    at = len(records) if behind else 0
    if target.block is not None:
        record = work.record_of(target)
        if record.blocks[-1 if behind else 0] is not target.block:
            return None
        at = records.index(record) + behind
    return Gap(
        records[:at] or work.gap_before(target.message).before,
        records[at:] or work.gap_before(target.message + 1).after,
    )


def plan_insert_block(work: Work, op: ops.InsertBlock) -> str:
    """A new block."""
    path, behind = _side_of(op.before, op.after)
    if not path:
        raise EditError("a block is put in before or after another one; name it.")
    block = sound(op.block)
    if not block.startswith(b"{"):
        raise EditError("a block is a JSON object.")
    _put_block(work, work.target(path), behind, block)
    return f"insert a block at {path}"


def plan_duplicate(work: Work, op: ops.Duplicate) -> str:
    """The same once more, right behind it."""
    target = work.target(op.at)
    if target.block is None:
        if target.message < 0:
            raise EditError(f"{op.at} is no message of the tape.")
        message = work.messages[target.message]
        gap = work.gap_before(target.message + 1)
        work.speller.insert_copy(work.draft, gap, message.records, False)
        return f"duplicate {op.at}"
    record = work.record_of(target)
    block = work.session.shape.own(work.message_json(record), target.block)
    _put_block(work, target, True, block)
    return f"duplicate {op.at}"


def plan_move(work: Work, op: ops.Move) -> str:
    """A block or a message to another place."""
    path, behind = _side_of(op.before, op.after)
    target, to = work.target(op.at), work.target(path)
    if target.block is not None:
        _move_block(work, op, target, to, behind)
        return f"move {op.at}"
    if target.message < 0 or to.message < 0 or to.block is not None:
        raise EditError("a message is moved before or after another message of the tape.")
    place = to.message + behind
    numbers = _moved_along(work, target.message, op, to.message, place)
    gap = Gap(
        _neighbour(work, range(place - 1, -1, -1), numbers),
        _neighbour(work, range(place, len(work.messages)), numbers),
    )
    for number in sorted(numbers):
        records = work.messages[number].records
        for record in records:
            work.draft.remove(record)
        work.speller.insert_copy(work.draft, gap, records, True)
    return f"move {op.at}"


def _neighbour(work: Work, numbers: range, moved: set[int]) -> tuple[Record, ...]:
    """The records of the first message on the way that stays where it is."""
    found = next((number for number in numbers if number not in moved), None)
    return () if found is None else work.messages[found].records


def _moved_along(work: Work, number: int, op: ops.Move, to: int, place: int) -> set[int]:
    """The message, and with ``both`` those that hold the other ends of its links."""
    moved = {number}
    if op.pairs == "both":
        for block in work.messages[number].blocks:
            link = work.index.link_of.get(block)
            moved |= {end.place.message for end in link.ends} if link is not None else set()
    if to in moved:
        raise EditError("a message cannot be moved to itself.")
    if op.pairs == "ask":
        near = around(work, (*moved, max(place - 1, 0), min(place, len(work.messages) - 1)))
        rows = dict(zip(near, rows_of(work, near), strict=True))
        blocks = work.messages[number].blocks
        order = [k for k in near if k < place and k not in moved]
        order += [*sorted(moved), *(k for k in near if k >= place and k not in moved)]
        ordered = [rows[k] for k in order]
        keep_together(work, ordered, op.pairs, blocks, list(rows.values()))
    return moved


def _move_block(work: Work, op: ops.Move, target: Target, to: Target, behind: bool) -> None:
    block = target.block
    if block is None or to.block is block:
        raise EditError("a block cannot be moved to itself.")
    record, other = work.record_of(target), _record_at(work, to, behind)
    if target.message >= 0 and to.message >= 0 and op.pairs == "ask":
        near = around(work, (target.message, to.message))
        before, rows = rows_of(work, near), dict(zip(near, rows_of(work, near), strict=True))
        blocks = rows[to.message][1]
        at = len(blocks) if behind else 0
        if to.block is not None:
            at = blocks.index(to.block) + behind
        rows[target.message] = (rows[target.message][0], [*rows[target.message][1]])
        moved = [b for b in blocks[:at] if b is not block] + [block]
        moved += [b for b in blocks[at:] if b is not block]
        rows[target.message][1].remove(block)
        rows[to.message] = (rows[to.message][0], moved)
        keep_together(work, list(rows.values()), op.pairs, {block}, before)
    raw = work.session.shape.own(work.message_json(record), block)
    if work.session.harness and len(record.blocks) == 1:
        _put_block(work, to, behind, raw, record)
        work.draft.remove(record)
        return
    if record is other:
        _reorder(work, target, to, behind, raw)
        return
    _put_block(work, to, behind, raw)
    work.remove_blocks({block}, [record])


def _reorder(work: Work, target: Target, to: Target, behind: bool, raw: bytes) -> None:
    """Move a block inside its record: take it out, and put it in beside its neighbour again."""
    record, block = work.record_of(target), target.block
    if block is None:
        return
    shape = work.session.shape
    left = [other for other in record.blocks if other is not block]
    at = (left.index(to.block) + behind) if to.block is not None else (len(left) if behind else 0)

    def change(message: bytes) -> bytes:
        without = shape.without_blocks(message, [block])
        if without is None:
            raise EditError("it is the only block there.")
        now = shape.read(without).blocks
        return shape.with_block(without, now[at] if at < len(now) else None, raw)

    work.change_message(record, change)


def plan_split(work: Work, op: ops.Split) -> str:
    """Two messages out of one."""
    target = work.target(op.at)
    if target.block is None or target.message < 0:
        raise EditError("a message is split at a block of it.")
    message = work.messages[target.message]
    number = message.blocks.index(target.block)
    if not number:
        raise EditError("a message is split at its second block or a later one.")
    near = around(work, (target.message,))
    before, at = rows_of(work, near), near.index(target.message)
    role, blocks = before[at]
    parts = [(role, blocks[:number]), (role, blocks[number:])]
    keep_together(work, [*before[:at], *parts, *before[at + 1 :]], op.pairs, (), before)
    record = message.record_of(target.block)
    if record.blocks[0] is target.block:
        at = message.records.index(record)
        work.speller.split(work.draft, message.records[:at], message.records[at:])
        return f"split at {op.at}"
    rest = message.blocks[number:]
    raws = [
        work.session.shape.own(work.message_json(message.record_of(block)), block) for block in rest
    ]
    gap = Gap(message.records, work.gap_before(target.message + 1).after)
    work.remove_blocks(set(rest), message.records)
    work.speller.insert(work.draft, gap, message.spelled_role or message.role, raws)
    return f"split at {op.at}"


def plan_merge(work: Work, op: ops.Merge) -> str:
    """One message out of two."""
    target = work.target(op.at)
    number = target.message
    if number < 0 or number + 1 >= len(work.messages):
        raise EditError("there is no next message to merge with.")
    first, second = work.messages[number], work.messages[number + 1]
    if first.role != second.role:
        raise EditError(f"{op.at} and the next message are not of one role.")
    if not work.speller.merge(work.draft, first.records, second.records):
        shape, record = work.session.shape, first.records[-1]
        for block in list(work.own_blocks(second)):
            work.change_message(
                record,
                lambda raw, block=block: shape.with_block(raw, None, block),  # type: ignore[misc]
            )
        for other in second.records:
            work.draft.remove(other)
    return f"merge {op.at} with the next"


def plan_answer(work: Work, target: Target, text: str, is_error: bool) -> None:
    """A result for a call, where the API looks for it."""
    call = target.block
    if call is None:
        return
    raw = b'{"type":"tool_result","tool_use_id":' + spelled(call.id)
    raw += b',"content":' + spelled(text) + (b',"is_error":true}' if is_error else b"}")
    before = _answered_before(work, target)
    is_anthropic = work.session.dialect == "anthropic"
    if before is not None and is_anthropic:
        _put_block(work, before, True, raw)
        return
    side = work.index.side_numbers.get(target.message, -1)
    answers = work.index.side(side + 1)
    if answers is not None and is_anthropic:
        _put_block(work, Target(answers.messages[0]), False, raw)
        return
    last = before.message if before is not None else target.message
    if is_anthropic and side >= 0:
        last = work.index.sides[side].messages[-1]
    work.speller.insert(work.draft, work.gap_before(last + 1), "user", [raw])


def _answered_before(work: Work, target: Target) -> Target | None:
    """The result of the last call before this one of its side: results stand as calls do."""
    index = work.index
    side = index.side_numbers.get(target.message, -1)
    found: Target | None = None
    is_chat = work.session.dialect != "anthropic"
    whole = index.side(side)
    for place, block in index.blocks_of(whole) if whole is not None else ():
        if block is target.block:
            break
        link = index.link_of.get(block) if block.kind == CLIENT_CALL else None
        for result in link.results[:1] if link is not None else ():
            near = result.side == side + 1
            if near and (not is_chat or place.message == target.message):
                found = Target(result.place.message, result.block)
    return found


def plan_fold(work: Work, op: ops.Fold) -> str:
    """A sub-agent's tape as one result of the call that started it."""
    agent = next((t for t in work.session.tapes if t.id in (op.agent, f"agent:{op.agent}")), None)
    if agent is None or agent.kind != "agent":
        raise EditError(f"there is no sub-agent {op.agent} in this session.")
    place = work.index.places.get(agent.caller) if agent.caller is not None else None
    if agent.caller is None or place is None:
        raise EditError(f"no call of this tape started {op.agent}.")
    text = op.text or _last_words(work, agent.messages)
    if not text:
        raise EditError(f"{op.agent} said nothing; give the text of the result.")
    link = work.index.link_of.get(agent.caller)
    if link is not None and link.results:
        end = link.results[0]
        record = work.messages[end.place.message].record_of(end.block)
        work.set_member(record, end.block, "content", spelled(text))
    else:
        plan_answer(work, Target(place.message, agent.caller), text, False)
    for record in agent.own or ():
        if record.member == 0:
            work.draft.remove(record)
    return f"fold {agent.id}"


def _last_words(work: Work, messages: Sequence[Message]) -> str:
    """The text of the last reply that has some."""
    shape = work.session.shape
    for message in reversed(messages):
        texts = [
            part.text
            for block in message.blocks
            if message.role == "assistant" and block.kind == "text"
            for part in shape.parts(work.message_json(message.record_of(block)), block)
        ]
        if texts:
            return "\n".join(texts)
    return ""
