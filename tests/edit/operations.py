"""Random edits that fit a tape, for properties that hold for all of them."""

import json

from hypothesis import strategies as st
from msgspec import Raw

from tapeview.edit import operations as ops

TEXTS = st.sampled_from(
    ["", "done", "two\nlines", "é 漢 \U0001f600", '"quoted" \\', "\x1b[31m", "\ud83d"]
)
PAIRS = st.sampled_from(["both", "keep", "answer"])
BLOCKS = st.sampled_from(
    [
        {"type": "text", "text": "more"},
        {"type": "tool_use", "id": "toolu_new", "name": "Read", "input": {"n": 1.50}},
        {"type": "tool_result", "tool_use_id": "toolu_new", "content": "read"},
    ]
)


def raw(value):
    return Raw(json.dumps(value).encode())


@st.composite
def operations(draw, index, pairs=PAIRS, kinds=None):
    """An operation with places of this tape; it may still be refused."""
    count = len(index.messages)
    messages = [f"messages.{k}" for k in range(count)] or ["messages.0"]
    blocks = [index.path(place) for place in index.places.values()] or messages
    message, block = st.sampled_from(messages), st.sampled_from(blocks)
    either = st.one_of(message, block)
    kind = draw(st.sampled_from(kinds or KINDS))
    return draw(kind(message, block, either, index, pairs))


def _set(message, block, either, index, pairs):
    members = st.sampled_from(
        ["text", "input", "content", "is_error", "id", "name", "cache_control"]
    )
    values = st.one_of(TEXTS, st.sampled_from([{"a": [1, 2.50]}, [], True, 7, {}])).map(raw)
    return st.builds(ops.Set, at=block, member=members, value=values)


def _role(message, block, either, index, pairs):
    roles = st.sampled_from(["user", "assistant"]).map(raw)
    return st.builds(ops.Set, at=message, member=st.just("role"), value=roles)


def _delete(message, block, either, index, pairs):
    places = st.lists(either, min_size=1, max_size=3, unique=True).map(tuple)
    return st.builds(ops.Delete, at=places, pairs=pairs)


def _turn(message, block, either, index, pairs):
    turns = [turn.number for turn in index.turns] or [1]
    return st.builds(ops.DeleteTurn, turn=st.sampled_from(turns), pairs=pairs)


def _range(message, block, either, index, pairs):
    return st.builds(ops.DeleteRange, first=either, last=either, pairs=pairs)


def _insert(message, block, either, index, pairs):
    content = st.one_of(TEXTS.map(raw), st.lists(BLOCKS, min_size=1, max_size=2).map(raw))
    roles = st.sampled_from(["user", "assistant"])
    return st.one_of(
        st.builds(ops.Insert, role=roles, content=content, before=message),
        st.builds(ops.Insert, role=roles, content=content, after=message),
        st.builds(ops.Insert, role=roles, content=content),
    )


def _insert_block(message, block, either, index, pairs):
    new = BLOCKS.map(raw)
    return st.one_of(
        st.builds(ops.InsertBlock, block=new, before=either),
        st.builds(ops.InsertBlock, block=new, after=either),
    )


def _others(message, block, either, index, pairs):
    return st.one_of(
        st.builds(ops.Duplicate, at=either),
        st.builds(ops.Split, at=block, pairs=pairs),
        st.builds(ops.Merge, at=message),
        st.builds(ops.Answer, at=block, text=TEXTS),
        st.builds(ops.Rename, at=block, id=st.sampled_from(["toolu_renamed", "r2"])),
        st.builds(ops.Cut, after=either, pairs=pairs),
        st.builds(ops.Prepend, text=TEXTS),
        st.builds(ops.Compact, first=message, last=message, text=TEXTS, pairs=pairs),
        st.builds(ops.Clear),
    )


def _move(message, block, either, index, pairs):
    return st.one_of(
        st.builds(ops.Move, at=message, after=message, pairs=pairs),
        st.builds(ops.Move, at=message, before=message, pairs=pairs),
        st.builds(ops.Move, at=block, after=block, pairs=pairs),
        st.builds(ops.Move, at=block, before=block, pairs=pairs),
    )


ANSWERS = st.sampled_from(
    [
        {"type": "text", "text": "found \ud83d"},
        {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
        {
            "type": "tool_use",
            "id": "toolu_new",
            "name": "Read",
            "input": {"n": 1.50, "s": "\ud83d"},
        },
        {"type": "tool_use", "id": "t1", "name": "Read", "input": {}},
        {"type": "a_new_kind", "deep": [{"x": None}]},
    ]
)


@st.composite
def replies(draw):
    """A reply as the Messages API returns it; its id may be one that the session has."""
    blocks = draw(st.lists(ANSWERS, min_size=1, max_size=3, unique_by=str))
    message = {"content": blocks, "type": "message", "role": "assistant", "model": "m"}
    message |= {"stop_reason": "end_turn", "usage": {"input_tokens": 5, "output_tokens": 7}}
    identity = draw(st.sampled_from(["msg_new", "m1", "m2", ""]))
    return raw(message | ({"id": identity} if identity else {}))


def _reply(message, block, either, index, pairs):
    turns = st.sampled_from([turn.number for turn in index.turns] or [1])
    return st.one_of(
        st.builds(ops.AppendReply, message=replies()),
        st.builds(ops.ReplaceReply, turn=turns, message=replies(), pairs=pairs),
        st.builds(ops.Branch, turn=turns, message=replies()),
    )


VALUES = [
    '"be brief"',
    '[{"type":"text","text":"one","n":1.50},{"type": "text", "text": "two"}]',
    "[0]",
    '[{"name":"Read","input_schema":{}}]',
    "1e3",
    "null",
    '{"type":"enabled"}',
    '"\\ud83d"',
]


def _request(message, block, either, index, pairs):
    members = st.sampled_from(
        ["system", "tools", "model", "max_tokens", "thinking", "messages", "\u00e9 \u6f22", ""]
    )
    values = st.sampled_from(VALUES).map(lambda text: Raw(text.encode()))
    return st.one_of(
        st.builds(ops.SetRequest, member=members, value=values),
        st.builds(ops.SetRequest, member=members),
    )


KINDS = [_set, _role, _delete, _turn, _range, _insert, _insert_block, _others, _move, _reply]
KINDS += [_request]
REMOVALS = [_delete, _turn, _range, _move]
"""Edits that part no pair unasked."""
