"""What an edit is to do to a tape, on plain lists: the yardstick for the real one.

A tape is a list of messages, each a role and a list of blocks as JSON text. The model knows nothing
of records, files or parents.
"""

import json
import re
from hashlib import sha256

from tapeview.edit import operations as ops
from tapeview.edit.operations import operation_json


def tape_of(session, tape=None):
    """The messages of a tape with their blocks in the spelling of the Messages API."""
    found = []
    for message in (tape or session.main).messages:
        blocks = []
        for block in message.blocks:
            raw = session.message_of(message.record_of(block))
            blocks.append(canonical(session.shape.neutral(raw, block)))
        found.append((message.role, blocks))
    return found


def canonical(raw):
    return json.dumps(json.loads(raw), sort_keys=True)


def sides(tape):
    """Who says what: neighbouring messages of one role together, empty ones left out."""
    found = []
    for role, blocks in tape:
        if not blocks:
            continue
        if found and found[-1][0] == role:
            found[-1][1].extend(blocks)
        else:
            found.append((role, list(blocks)))
    return found


def text(words):
    return canonical(json.dumps({"type": "text", "text": words}))


def content(raw):
    value = json.loads(bytes(raw))
    if isinstance(value, str):
        return [text(value)]
    return [canonical(json.dumps(block)) for block in value]


def answered(operation):
    return content(json.dumps(json.loads(bytes(operation.message))["content"]).encode())


def under_new_ids(blocks, tape, operation):
    """Calls whose ids the tape has already go by others; a server's result goes with its call."""
    values = [json.loads(block) for block in blocks]
    taken = {json.loads(b).get("id") for _, said in tape for b in said if '"tool_use_id"' not in b}
    calls = [v["id"] for v in values if v.get("type", "").endswith("tool_use") and "id" in v]
    salt = operation_json(operation)
    new = {
        identity: (re.match("[a-z]+_", identity) or ["toolu_"])[0]
        + f"{sha256(salt + str(number).encode()).hexdigest()[:24]}"
        for number, identity in enumerate(calls)
        if identity in taken
    }
    for identity, other in new.items():
        old, now = json.dumps(identity), json.dumps(other)
        for name in ("id", "tool_use_id"):
            for colon in (":", ": "):
                blocks = [
                    b.replace(f'"{name}"{colon}{old}', f'"{name}"{colon}{now}') for b in blocks
                ]
    return blocks


def place(index, path):
    """(message, block) that a path names; block None for a whole message."""
    for found in index.places.values():
        if index.path(found) == path and len(path.split(".")) > 2:
            return found.message, found.block
    number = int(path.split(".")[1])
    if len(path.split(".")) == 2:
        return number, None
    return number, int(path.split(".")[3])


def expected(operation, tape, index):
    """The tape after an operation, None where the model does not say; links are left alone."""
    tape = [(role, list(blocks)) for role, blocks in tape]
    match operation:
        case ops.Delete():
            gone = {place(index, path) for path in operation.at}
            return _without(tape, lambda m, k: (m, k) in gone or (m, None) in gone)
        case ops.DeleteRange():
            first, last = place(index, operation.first), place(index, operation.last)
            begin = (first[0], first[1] or 0)
            end = (last[0], 1 << 30 if last[1] is None else last[1])
            return _without(tape, lambda m, k: begin <= (m, k) <= end)
        case ops.Cut():
            m0, k0 = place(index, operation.after)
            return _without(tape, lambda m, k: m > m0 or (m == m0 and k0 is not None and k > k0))
        case ops.Clear():
            return []
        case ops.Insert():
            at = len(tape)
            if operation.before or operation.after:
                at = place(index, operation.before or operation.after)[0] + bool(operation.after)
            tape.insert(at, (operation.role, content(operation.content)))
            return tape
        case ops.Prepend():
            at = 0
            while at < len(tape) and tape[at][0] == "system":
                at += 1
            tape.insert(at, ("user", [text(operation.text)]))
            return tape
        case ops.InsertBlock():
            m, k = place(index, operation.before or operation.after)
            k = (
                (len(tape[m][1]) if operation.after else 0)
                if k is None
                else k + bool(operation.after)
            )
            tape[m][1].insert(k, canonical(bytes(operation.block)))
            return tape
        case ops.Duplicate():
            m, k = place(index, operation.at)
            if k is None:
                tape.insert(m + 1, tape[m])
            else:
                tape[m][1].insert(k, tape[m][1][k])
            return tape
        case ops.Move() if operation.pairs == "keep":
            return _moved(tape, place(index, operation.at), operation, index)
        case ops.Split() | ops.Merge() | ops.Branch():
            return tape
        case ops.AppendReply():
            return [*tape, ("assistant", under_new_ids(answered(operation), tape, operation))]
        case ops.ReplaceReply() if operation.pairs == "keep":
            turn = index.turns[operation.turn - index.first_turn]
            old = tape[turn.start : turn.stop]
            tape[turn.start : turn.stop] = [
                ("assistant", answered(operation)),
                *((role, blocks) for role, blocks in old if role != "assistant"),
            ]
            return tape
        case ops.Compact():
            first, last = place(index, operation.first)[0], place(index, operation.last)[0]
            tape[first : last + 1] = [("user", [text(operation.text)])]
            return tape
    return None


def _without(tape, gone):
    return [
        (role, [block for k, block in enumerate(blocks) if not gone(m, k)])
        for m, (role, blocks) in enumerate(tape)
    ]


def _moved(tape, source, operation, index):
    m1, k1 = place(index, operation.before or operation.after)
    behind = bool(operation.after)
    m0, k0 = source
    if k0 is None:
        message = tape[m0]
        tape[m0] = None
        tape.insert(m1 + behind, message)
        return [message for message in tape if message is not None]
    block = tape[m0][1][k0]
    tape[m0][1][k0] = None
    k1 = (len(tape[m1][1]) if behind else 0) if k1 is None else k1 + behind
    tape[m1][1].insert(k1, block)
    return [(role, [b for b in blocks if b is not None]) for role, blocks in tape]
