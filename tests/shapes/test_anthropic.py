"""The Messages API's spelling: what becomes a block, and that both ways of reading agree."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.shapes.anthropic import AnthropicShape, _read_list_slowly, read_content
from tapeview.tape.block import Block, BlockFacts
from tapeview.tape.json_text import JsonFault

SHAPE = AnthropicShape()
TYPES = (
    "text",
    "thinking",
    "redacted_thinking",
    "tool_use",
    "server_tool_use",
    "mcp_tool_use",
    "tool_result",
    "web_search_tool_result",
    "mcp_tool_result",
    "image",
    "document",
    "search_result",
    "container_upload",
    "never_seen",
    "",
)
MEMBERS = (
    "id",
    "name",
    "input",
    "tool_use_id",
    "toolset_name",
    "content",
    "is_error",
    "text",
    "thinking",
    "signature",
    "data",
    "source",
    "cache_control",
)
texts = st.text(alphabet=st.one_of(st.characters(), st.sampled_from('"\\/\n\x00\ud800\udfff😀')))
leaves = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), texts
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
nested = st.lists(
    st.one_of(
        st.fixed_dictionaries({"type": st.sampled_from(TYPES)}),
        st.fixed_dictionaries({"type": leaves}),
        values,
    ),
    max_size=4,
)
payloads = st.one_of(values, nested, st.just(""), st.just([]), st.just({}))


@st.composite
def blocks(draw):
    block = {
        member: draw(payloads) for member in draw(st.lists(st.sampled_from(MEMBERS), unique=True))
    }
    if draw(st.integers(0, 9)):
        kind = draw(st.sampled_from(TYPES)) if draw(st.integers(0, 9)) else draw(leaves)
        block["type"] = kind
    return block


def facts_of(found: Block) -> tuple[object, ...]:
    return (
        found.kind,
        found.path,
        found.size,
        found.id,
        found.name,
        found.facts,
        found.nested,
    )


@given(
    content=st.lists(st.one_of(blocks(), blocks(), blocks(), values), max_size=4),
    indent=st.sampled_from([None, 1]),
)
def test_the_fast_way_reads_what_the_slow_way_reads(content, indent):
    raw = json.dumps(content, indent=indent).encode()
    fast = [facts_of(block) for block in read_content(raw)]
    assert fast == [facts_of(block) for block in _read_list_slowly(raw)]


@given(
    message=st.fixed_dictionaries(
        {}, optional={"role": payloads, "content": payloads, "id": payloads, "model": values}
    ),
    indent=st.sampled_from([None, 2]),
)
def test_a_message_reads_the_same_both_ways(message, indent):
    raw = json.dumps(message, indent=indent).encode()
    fast, slow = SHAPE.read(raw), SHAPE._read_slowly(raw)
    assert [facts_of(block) for block in fast.blocks] == [facts_of(b) for b in slow.blocks]
    assert fast._replace(blocks=()) == slow._replace(blocks=())


def read(content: object) -> list[Block]:
    return list(read_content(json.dumps(content).encode()))


@pytest.mark.parametrize(
    ("content", "kind", "size", "facts"),
    [
        ("Hello", "text", 5, BlockFacts.NONE),
        ("", "text", 0, BlockFacts.EMPTY),
        ([{"type": "text", "text": "é"}], "text", 6, BlockFacts.NONE),
        ([{"type": "text", "text": ""}], "text", 0, BlockFacts.EMPTY),
        ([{"type": "text"}], "text", 0, BlockFacts.EMPTY),
        (
            [{"type": "thinking", "thinking": "", "signature": "s"}],
            "thinking",
            0,
            BlockFacts.EMPTY | BlockFacts.SIGNED,
        ),
        ([{"type": "thinking", "thinking": "x", "signature": ""}], "thinking", 1, BlockFacts.NONE),
        ([{"text": "no type"}], "", 19, BlockFacts.NONE),
        (["no object"], "", 11, BlockFacts.NONE),
    ],
)
def test_content_becomes_a_block(content, kind, size, facts):
    (block,) = read(content)
    assert (block.kind, block.size, block.facts) == (kind, size, facts)


@pytest.mark.parametrize("content", [None, 5, True, {"type": "text", "text": "x"}, []])
def test_content_that_is_neither_text_nor_list_has_no_blocks(content):
    assert read(content) == []


@pytest.mark.parametrize(
    ("members", "facts"),
    [
        ({"id": "toolu_a", "name": "look", "input": {"a": 1}}, BlockFacts.NONE),
        ({"id": "toolu_a", "name": "look", "input": {}}, BlockFacts.NONE),
        ({"name": "look", "input": {}}, BlockFacts.ID_ABSENT),
        ({"id": None, "name": "look", "input": {}}, BlockFacts.ID_NOT_TEXT),
        ({"id": 7, "name": "look", "input": {}}, BlockFacts.ID_NOT_TEXT),
        ({"id": "toolu_a", "input": {}}, BlockFacts.NAME_ABSENT),
        ({"id": "toolu_a", "name": None, "input": {}}, BlockFacts.NAME_NOT_TEXT),
        (
            {"id": "toolu_a", "name": "look"},
            BlockFacts.INPUT_ABSENT | BlockFacts.EMPTY,
        ),
        (
            {"id": "toolu_a", "name": "look", "input": None},
            BlockFacts.INPUT_NOT_OBJECT | BlockFacts.EMPTY,
        ),
        ({"id": "toolu_a", "name": "look", "input": "{}"}, BlockFacts.INPUT_NOT_OBJECT),
        (
            {"id": "toolu_a", "name": "look", "input": []},
            BlockFacts.INPUT_NOT_OBJECT | BlockFacts.EMPTY,
        ),
    ],
)
@pytest.mark.parametrize("kind", ["tool_use", "server_tool_use", "mcp_tool_use"])
def test_a_call_tells_what_it_lacks(kind, members, facts):
    (block,) = read([{"type": kind, **members}])
    assert block.facts == facts
    assert block.name == (members.get("name") or "")


@pytest.mark.parametrize(
    ("members", "identity", "facts", "inside"),
    [
        ({"tool_use_id": "toolu_a", "content": "ok"}, "toolu_a", BlockFacts.NONE, ()),
        ({"tool_use_id": "toolu_a"}, "toolu_a", BlockFacts.EMPTY, ()),
        ({"tool_use_id": "toolu_a", "content": ""}, "toolu_a", BlockFacts.EMPTY, ()),
        ({"content": "ok"}, "", BlockFacts.ID_ABSENT, ()),
        ({"tool_use_id": 1, "content": "ok"}, "", BlockFacts.ID_NOT_TEXT, ()),
        (
            {"tool_use_id": "toolu_a", "content": "no", "is_error": True},
            "toolu_a",
            BlockFacts.IS_ERROR,
            (),
        ),
        (
            {"tool_use_id": "toolu_a", "content": "no", "is_error": "true"},
            "toolu_a",
            BlockFacts.NONE,
            (),
        ),
        (
            {"tool_use_id": "toolu_a", "content": [{"type": "text"}, {}, "x", {"type": "image"}]},
            "toolu_a",
            BlockFacts.NONE,
            ("text", "", "", "image"),
        ),
    ],
)
def test_a_result_tells_what_it_holds(members, identity, facts, inside):
    (block,) = read([{"type": "tool_result", **members}])
    assert (block.id, block.facts, block.nested) == (identity, facts, inside)


def test_one_odd_block_does_not_change_its_neighbours():
    call = {"type": "tool_use", "id": "toolu_a", "name": "look", "input": {}}
    alone = read([call])
    beside = read([call, {"type": "tool_use", "id": 3, "name": [], "input": "x"}])
    assert facts_of(alone[0]) == facts_of(beside[0])


def test_a_lone_surrogate_is_kept():
    (block,) = read([{"type": "tool_use", "id": "\ud800", "name": "look", "input": {}}])
    assert block.id == "\ud800"


@pytest.mark.parametrize(
    ("role", "known"),
    [
        ("user", "user"),
        ("assistant", "assistant"),
        ("system", "system"),
        ("tool", ""),
        ("", ""),
        (None, ""),
        (4, ""),
    ],
)
def test_a_role_is_known_or_kept_as_it_is_spelled(role, known):
    reading = SHAPE.read(json.dumps({"role": role, "content": "x"}).encode())
    assert reading.role == known
    assert reading.spelled_role == (role if isinstance(role, str) else "")


@pytest.mark.parametrize(
    ("block", "parts"),
    [
        ({"type": "text", "text": "a\ud800"}, [("text", "a\ud800", b"")]),
        ({"type": "tool_use", "id": "t", "input": {"n": 1.0}}, [("json", "", b'{"n": 1.0}')]),
        ({"type": "tool_use", "id": "t"}, [("json", "", b"null")]),
        ({"type": "tool_result", "content": "ok"}, [("text", "ok", b"")]),
        ({"type": "tool_result"}, []),
        (
            {"type": "tool_result", "content": [{"type": "text", "text": "a"}, {"odd": 1}]},
            [("text", "a", b""), ("json", "", b'{"odd": 1}')],
        ),
        (
            {"type": "web_search_tool_result", "content": {"error_code": "x"}},
            [("json", "", b'{"error_code": "x"}')],
        ),
        (
            {"type": "image", "source": {"type": "url", "url": "https://example.test/a.png"}},
            [("note", "image at https://example.test/a.png", b"")],
        ),
    ],
)
def test_what_a_block_carries(block, parts):
    message = json.dumps({"role": "user", "content": [block]}).encode()
    (found,) = SHAPE.read(message).blocks
    assert [(p.kind, p.text, p.raw) for p in SHAPE.parts(message, found)] == parts


@pytest.mark.parametrize(
    ("block", "value"),
    [
        ({"type": "tool_use", "input": {"a": [1]}}, {"a": [1]}),
        ({"type": "tool_use", "input": "x"}, "x"),
        ({"type": "tool_use"}, None),
    ],
)
def test_the_input_of_a_call(block, value):
    message = json.dumps({"role": "assistant", "content": [block]}).encode()
    (found,) = SHAPE.read(message).blocks
    assert SHAPE.input_of(message, found) == value


def test_what_is_no_json_is_refused():
    with pytest.raises(JsonFault):
        SHAPE.read(b'{"role": "user", "content": [')
