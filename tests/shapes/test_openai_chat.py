"""Chat Completions' spelling: content, calls and tool messages in all their variants."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.shapes.openai_chat import OpenAIChatShape
from tapeview.tape.block import Block, BlockFacts

SHAPE = OpenAIChatShape()
CALL = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": '{"a": 1}'}}
CUSTOM = {"id": "call_2", "type": "custom", "custom": {"name": "sh", "input": "ls -l"}}
ABSENT = object()


def message(role: str, **members: object) -> bytes:
    kept = {name: value for name, value in members.items() if value is not ABSENT}
    return json.dumps({"role": role, **kept}).encode()


def blocks(raw: bytes) -> list[tuple[object, ...]]:
    return [(block.kind, block.path) for block in SHAPE.read(raw).blocks]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (None, []),
        (ABSENT, []),
        ([], []),
        ("", [("text", ("content",))]),
        ("x", [("text", ("content",))]),
        ([{"type": "text", "text": "x"}], [("text", ("content", 0))]),
        (5, []),
    ],
)
def test_content_of_a_user(content, found):
    assert blocks(message("user", content=content)) == found


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (None, []),
        (ABSENT, []),
        ("", []),
        ("x", [("text", ("content",))]),
    ],
)
def test_content_beside_calls(content, found):
    raw = message("assistant", content=content, tool_calls=[CALL])
    assert blocks(raw) == [*found, ("tool_use", ("tool_calls", 0))]


@pytest.mark.parametrize("calls", [[], None, ABSENT, "x", {}])
def test_calls_that_are_none(calls):
    assert blocks(message("assistant", content="x", tool_calls=calls)) == [("text", ("content",))]


def test_an_empty_string_is_a_block_where_nothing_else_is():
    (block,) = SHAPE.read(message("assistant", content="")).blocks
    assert (block.kind, block.facts) == ("text", BlockFacts.EMPTY)


def only(raw: bytes) -> Block:
    (block,) = SHAPE.read(raw).blocks
    return block


@pytest.mark.parametrize(
    ("call", "identity", "name", "size", "facts"),
    [
        (CALL, "call_1", "look", 10, BlockFacts.JSON_IN_TEXT),
        (CUSTOM, "call_2", "sh", 5, BlockFacts.JSON_IN_TEXT),
        (
            {"type": "function", "function": {"name": "look", "arguments": "{}"}},
            "",
            "look",
            2,
            BlockFacts.JSON_IN_TEXT | BlockFacts.ID_ABSENT,
        ),
        (
            {"id": None, "function": {"name": "look", "arguments": "{}"}},
            "",
            "look",
            2,
            BlockFacts.JSON_IN_TEXT | BlockFacts.ID_NOT_TEXT,
        ),
        ({"id": "c", "function": {"name": "look", "arguments": {}}}, "c", "look", 2, 0),
        ({"id": "c", "function": {"name": "look"}}, "c", "look", 0, BlockFacts.INPUT_ABSENT),
        (
            {"id": "c"},
            "c",
            "",
            0,
            BlockFacts.INPUT_ABSENT | BlockFacts.NAME_ABSENT,
        ),
    ],
)
def test_a_call(call, identity, name, size, facts):
    block = only(message("assistant", content=None, tool_calls=[call]))
    assert block.kind == "tool_use"
    assert (block.id, block.name, block.size, block.facts) == (identity, name, size, facts)


@pytest.mark.parametrize(
    ("call", "value"),
    [
        (CALL, {"a": 1}),
        (CUSTOM, "ls -l"),
        ({"id": "c", "function": {"name": "look", "arguments": "{broken"}}, "{broken"),
        ({"id": "c", "function": {"name": "look", "arguments": '"\\ud800"'}}, "\ud800"),
        ({"id": "c", "function": {"name": "look", "arguments": "\ud800"}}, "\ud800"),
        ({"id": "c", "function": {"name": "look", "arguments": {"a": 1}}}, {"a": 1}),
        ({"id": "c", "function": {"name": "look"}}, None),
    ],
)
def test_the_input_of_a_call(call, value):
    raw = message("assistant", tool_calls=[call])
    assert SHAPE.input_of(raw, only(raw)) == value


@pytest.mark.parametrize(
    ("members", "identity", "facts", "inside"),
    [
        ({"tool_call_id": "call_1", "content": "ok"}, "call_1", 0, ()),
        ({"tool_call_id": "call_1", "content": ""}, "call_1", BlockFacts.EMPTY, ()),
        ({"tool_call_id": "call_1"}, "call_1", BlockFacts.EMPTY, ()),
        ({"content": "ok"}, "", BlockFacts.ID_ABSENT, ()),
        ({"tool_call_id": None, "content": "ok"}, "", BlockFacts.ID_NOT_TEXT, ()),
        (
            {"tool_call_id": "call_1", "content": [{"type": "text", "text": "a"}, {}]},
            "call_1",
            0,
            ("text", ""),
        ),
    ],
)
def test_a_tool_message(members, identity, facts, inside):
    reading = SHAPE.read(message("tool", **members))
    (block,) = reading.blocks
    assert (reading.role, reading.spelled_role, block.kind) == ("user", "tool", "tool_result")
    assert (block.path, block.id, block.facts, block.nested) == ((), identity, facts, inside)


def test_the_legacy_pair_goes_by_name():
    call = only(
        message("assistant", content=None, function_call={"name": "look", "arguments": "{}"})
    )
    answer = only(message("function", name="look", content="ok"))
    assert (call.kind, call.path, call.id) == ("tool_use", ("function_call",), "")
    assert (answer.kind, answer.id) == ("tool_result", "")
    assert call.name == answer.name == "look"
    assert call.facts & answer.facts & BlockFacts.LEGACY


@pytest.mark.parametrize(
    ("spelled", "role"),
    [
        ("user", "user"),
        ("assistant", "assistant"),
        ("system", "system"),
        ("developer", "system"),
        ("critic", ""),
    ],
)
def test_roles(spelled, role):
    reading = SHAPE.read(message(spelled, content="x"))
    assert (reading.role, reading.spelled_role) == (role, spelled)


@pytest.mark.parametrize("member", ["reasoning_content", "reasoning"])
def test_thinking_comes_first(member):
    raw = message("assistant", content="x", **{member: "hm"})
    assert blocks(raw) == [("thinking", (member,)), ("text", ("content",))]


def test_a_refusal_is_text():
    assert blocks(message("assistant", content=None, refusal="No.")) == [("text", ("refusal",))]


def test_parts_keep_their_kind_or_get_the_tape_s_own():
    parts = [
        {"type": "text", "text": "a"},
        {"type": "image_url", "image_url": {"url": "https://example.test/a.png"}},
        {"type": "file", "file": {"file_id": "f"}},
        {"type": "tool_use", "id": "toolu_a", "name": "look", "input": {}},
        {"type": "input_audio", "input_audio": {}},
    ]
    read = SHAPE.read(message("user", content=parts)).blocks
    assert [block.kind for block in read] == [
        "text",
        "image",
        "document",
        "tool_use",
        "input_audio",
    ]
    assert read[3].id == "toolu_a"


@pytest.mark.parametrize(
    ("raw", "parts"),
    [
        (message("user", content="a\ud800"), [("text", "a\ud800", b"")]),
        (message("assistant", tool_calls=[CALL]), [("json", "", b'{"a": 1}')]),
        (message("assistant", tool_calls=[CUSTOM]), [("text", "ls -l", b"")]),
        (message("tool", tool_call_id="c", content="ok"), [("text", "ok", b"")]),
        (message("tool", tool_call_id="c", content=None), []),
        (
            message(
                "user", content=[{"type": "image_url", "image_url": {"url": "https://e.test"}}]
            ),
            [("note", "image at https://e.test", b"")],
        ),
    ],
)
def test_what_a_block_carries(raw, parts):
    found = SHAPE.parts(raw, only(raw))
    assert [(part.kind, part.text, part.raw) for part in found] == parts


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=4), st.just("\ud800")),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["type", "text", "id", "name", "function", "custom", "arguments"]),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@given(
    role=st.sampled_from(["user", "assistant", "tool", "function", "developer", "odd"]),
    members=st.dictionaries(
        st.sampled_from(
            ["content", "tool_calls", "function_call", "tool_call_id", "refusal", "reasoning"]
        ),
        values,
    ),
)
def test_nothing_odd_is_refused_and_every_block_can_be_looked_at(role, members):
    raw = message(role, **members)
    for block in SHAPE.read(raw).blocks:
        assert block.size >= 0
        SHAPE.parts(raw, block)
        if block.kind == "tool_use" and block.path[:1] != ("content",):
            SHAPE.input_of(raw, block)
