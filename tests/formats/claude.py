"""Claude Code session files in shorthand.

    session(user("u1", None, "ask"), reply("a1", "u1", "m1", "call:t"))

Words are blocks as in ``tests.shorthand``; the clock moves on by a second a line, or is set with
``at``. Every further keyword is a member of the line.
"""

import json

from tapeview.formats._claude_line import facts_of
from tapeview.tape.block import BlockFacts
from tests.formats.samples import opened

BLOCKS = {
    "thinking": {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
    "redacted": {"type": "redacted_thinking", "data": "eHg="},
    "blank": {"type": "text", "text": " \n"},
    "empty": {"type": "text", "text": ""},
}


def block(word):
    kind, _, identity = word.partition(":")
    if kind == "call":
        return {"type": "tool_use", "id": identity, "name": "Bash", "input": {"command": "ls"}}
    if kind == "result":
        return {"type": "tool_result", "tool_use_id": identity, "content": "ok"}
    return BLOCKS.get(word) or {"type": "text", "text": word}


def line(kind, uuid, parent, **members):
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s"} | members


def user(uuid, parent, *words, **members):
    one_text = len(words) == 1 and ":" not in words[0] and words[0] not in BLOCKS
    content = words[0] if one_text else [block(word) for word in words]
    return line("user", uuid, parent, message={"role": "user", "content": content}, **members)


def reply(uuid, parent, identity, *words, **members):
    message = {"id": identity, "role": "assistant", "model": "demo"}
    message["content"] = [block(word) for word in words]
    return line("assistant", uuid, parent, message=message, **members)


def system(uuid, parent, subtype, **members):
    return line("system", uuid, parent, subtype=subtype, **members)


def written(*lines):
    """The lines as a file; what is bytes already stays as it is."""
    texts = []
    for second, item in enumerate(lines):
        if isinstance(item, dict):
            item = {"at": second} | item
            if (at := item.pop("at")) is not None:
                item["timestamp"] = f"2026-01-01T10:{at // 60:02}:{at % 60:02}.000Z"
            item = json.dumps(item).encode()
        texts.append(item)
    return b"\n".join(texts) + b"\n"


def session(*lines):
    return opened(written(*lines))


def chain(*lines):
    """The stored chain: each message as its role and the uuids of its lines."""
    return [
        " ".join([message.role, *(facts_of(record).uuid for record in message.records)])
        for message in session(*lines).main.messages
    ]


def unsent(*lines):
    """Why lines are not sent, by uuid."""
    return {facts_of(record).uuid: why for record, why in session(*lines).main.unsent.items()}


def sent(*lines):
    """The sent tape: each message as its role and its blocks, added ones in brackets."""
    opened_session = session(*lines)
    return [
        " ".join([message.role, *(_word(opened_session, message, b) for b in message.blocks)])
        for message in opened_session.main.sent
    ]


def _word(opened_session, message, found):
    if found.kind == "tool_use":
        word = f"call:{found.id}"
    elif found.kind == "tool_result":
        word = f"result:{found.id}"
    elif found.kind == "text":
        parts = opened_session.shape.parts(
            opened_session.message_of(message.record_of(found)), found
        )
        word = parts[0].text
    else:
        word = found.kind
    return f"[{word}]" if found.facts & BlockFacts.ADDED else word
