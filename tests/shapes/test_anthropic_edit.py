"""Messages of the Messages API, changed inside: texts before and after."""

import pytest

from tapeview.errors import EditError
from tapeview.shapes.anthropic import AnthropicShape
from tapeview.tape.block import Block
from tapeview.tape.graft import COMPACT

SHAPE = AnthropicShape()
LIST = b'{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}'
STRING = b'{"content": "a", "role": "user"}'
THINKING = b'{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"}]}'
TOOL = b'{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"R","input":{}}]}'
FOUND = TOOL.replace(b'"tool_use","id":"t"', b'"web_search_tool_result","tool_use_id":"s"')

SET = [
    (LIST, 1, "text", b'"x"', LIST.replace(b'"b"', b'"x"')),
    (STRING, 0, "text", b'"x"', STRING.replace(b'"a"', b'"x"')),
    (
        STRING,
        0,
        "cache_control",
        b'{"type":"e"}',
        STRING.replace(b'"a"', b'[{"type": "text", "text": "a", "cache_control": {"type": "e"}}]'),
    ),
    (
        LIST,
        0,
        "",
        b'{"type":"image"}',
        LIST.replace(b'{"type":"text","text":"a"}', b'{"type":"image"}'),
    ),
    (LIST, 0, "citations", None, LIST),
    (THINKING, 0, "text", b'"so"', THINKING.replace(b'"hm"', b'"so"')),
    (THINKING, 0, "signature", None, THINKING.replace(b',"signature":"s"', b"")),
    (TOOL, 0, "id", b'"z"', TOOL.replace(b'"t"', b'"z"')),
    (TOOL, 0, "input", b'{ "a" : 1.50 }', TOOL.replace(b"{}", b'{"a":1.50}')),
    (FOUND, 0, "id", b'"z"', FOUND.replace(b'"s"', b'"z"')),
]


@pytest.mark.parametrize(("message", "at", "name", "value", "wanted"), SET)
def test_one_member_is_set(message, at, name, value, wanted):
    block = SHAPE.read(message).blocks[at]
    assert SHAPE.set_member(message, block, name, value) == wanted


@pytest.mark.parametrize(("name", "value"), [("text", b"1"), ("", b'"x"'), ("", None)])
def test_what_would_be_no_block_is_refused(name, value):
    with pytest.raises(EditError):
        SHAPE.set_member(LIST, SHAPE.read(LIST).blocks[0], name, value)


def test_blocks_go_with_their_commas_and_the_last_with_its_message():
    first, second = SHAPE.read(LIST).blocks
    assert SHAPE.without_blocks(LIST, [first]) == (
        b'{"role":"user","content":[{"type":"text","text":"b"}]}'
    )
    assert SHAPE.without_blocks(LIST, [first, second]) is None
    assert SHAPE.without_blocks(STRING, SHAPE.read(STRING).blocks) is None


def test_a_block_more():
    new = b'{"type":"text", "text":"n"}'
    first = SHAPE.read(LIST).blocks[0]
    assert SHAPE.with_block(LIST, first, new) == LIST.replace(b"[", b'[{"type":"text","text":"n"},')
    assert SHAPE.with_block(LIST, None, new) == LIST.replace(b"]", b',{"type":"text","text":"n"}]')
    assert SHAPE.with_block(STRING, None, new) == (
        b'{"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "n"}],'
        b' "role": "user"}'
    )
    assert SHAPE.with_block(b'{"role":"user","content":""}', None, new) == (
        b'{"role":"user","content":[{"type":"text","text":"n"}]}'
    )
    with pytest.raises(EditError, match="neither text nor a list"):
        SHAPE.with_block(b'{"role":"user","content":{}}', None, new)


def test_a_lone_text_is_spelled_as_a_string():
    text, more = b'{"type":"text","text":"n"}', b'{"type":"text","text":"n","x":1}'
    assert SHAPE.spell("user", [text], COMPACT) == [b'{"role":"user","content":"n"}']
    assert SHAPE.spell("user", [more], COMPACT) == [b'{"role":"user","content":[' + more + b"]}"]


def test_neutral_is_the_block_itself():
    assert SHAPE.neutral(STRING, SHAPE.read(STRING).blocks[0]) == b'{"type":"text","text":"a"}'
    assert SHAPE.neutral(LIST, SHAPE.read(LIST).blocks[1]) == b'{"type":"text","text":"b"}'


@pytest.mark.parametrize(
    ("kind", "name"),
    [("text", "content"), ("text", "input"), ("tool_use", "text"), ("tool_result", "input")],
)
def test_a_block_has_the_members_of_its_kind(kind, name):
    block = Block(kind, ("content", 0), 0)
    message = b'{"role":"user","content":[{}]}'
    with pytest.raises(EditError, match=f"a {kind} block has no {name}"):
        AnthropicShape().set_member(message, block, name, b'"x"')
