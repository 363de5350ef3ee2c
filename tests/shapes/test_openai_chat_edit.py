"""Chat Completions messages, changed inside: texts before and after."""

import pytest

from tapeview.errors import EditError
from tapeview.shapes.openai_chat import OpenAIChatShape
from tapeview.tape.graft import COMPACT

SHAPE = OpenAIChatShape()
CALL = b'{"id":"a","type":"function","function":{"name":"R","arguments":"{\\"n\\":1}"}}'
BOTH = b'{"role":"assistant","content":"x","tool_calls":[' + CALL + b"]}"
ONLY = BOTH.replace(b'"x"', b"null")
TOOL = b'{"role":"tool","tool_call_id":"a","content":"ok"}'
OLD = b'{"role":"assistant","content":null,"function_call":{"name":"R","arguments":"{}"}}'
OWN = BOTH.replace(CALL, b'{"id":"a","type":"custom","custom":{"name":"R","input":"x"}}')
LOOSE = (
    b'{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"R","arguments":{"n":1}}}]}'
)
PARTS = b'{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}'

SET = [
    (BOTH, 0, "text", b'"y"', BOTH.replace(b'"x"', b'"y"')),
    (BOTH, 1, "input", b'{"n": 1.50}', BOTH.replace(b'\\"n\\":1', b'\\"n\\":1.50')),
    (BOTH, 1, "name", b'"W"', BOTH.replace(b'"R"', b'"W"')),
    (BOTH, 1, "id", b'"z"', BOTH.replace(b'"a"', b'"z"')),
    (TOOL, 0, "content", b'"no"', TOOL.replace(b'"ok"', b'"no"')),
    (TOOL, 0, "id", b'"z"', TOOL.replace(b'"a"', b'"z"')),
    (OLD, 0, "input", b'{"n":1}', OLD.replace(b'"{}"', b'"{\\"n\\":1}"')),
    (OWN, 1, "input", b'"y"', OWN.replace(b'"input":"x"', b'"input":"y"')),
    (LOOSE, 0, "input", b'{"n":2}', LOOSE.replace(b"1", b"2")),
    (PARTS, 1, "text", b'"y"', PARTS.replace(b'"b"', b'"y"')),
    (TOOL, 0, "name", None, TOOL),
]


@pytest.mark.parametrize(("message", "at", "name", "value", "wanted"), SET)
def test_one_member_is_set(message, at, name, value, wanted):
    block = SHAPE.read(message).blocks[at]
    assert SHAPE.set_member(message, block, name, value) == wanted


REFUSED = [(TOOL, 0, "is_error"), (BOTH, 0, "cache_control"), (OLD, 0, "id"), (BOTH, 0, "")]


@pytest.mark.parametrize(("message", "at", "name"), REFUSED)
def test_what_chat_does_not_have_is_refused(message, at, name):
    with pytest.raises(EditError, match="Chat Completions has no"):
        SHAPE.set_member(message, SHAPE.read(message).blocks[at], name, b"true")


def test_a_text_is_a_string():
    with pytest.raises(EditError, match="a text is a JSON string"):
        SHAPE.set_member(BOTH, SHAPE.read(BOTH).blocks[0], "text", b"{}")


GONE = [
    (BOTH, [0], ONLY),
    (BOTH, [1], b'{"role":"assistant","content":"x"}'),
    (BOTH, [0, 1], None),
    (ONLY, [0], None),
    (OLD, [0], None),
    (TOOL, [0], None),
    (PARTS, [0], b'{"role":"user","content":[{"type":"text","text":"b"}]}'),
    (PARTS, [0, 1], None),
]


@pytest.mark.parametrize(("message", "numbers", "wanted"), GONE)
def test_blocks_go_where_they_stand(message, numbers, wanted):
    blocks = SHAPE.read(message).blocks
    assert SHAPE.without_blocks(message, [blocks[k] for k in numbers]) == wanted


TEXT, USE = (
    b'{"type":"text","text":"n"}',
    b'{"type":"tool_use","id":"n","name":"R","input":{"a":1}}',
)
NEW_CALL = b'{"id":"n","type":"function","function":{"name":"R","arguments":"{\\"a\\":1}"}}'
MORE = [
    (BOTH, 1, USE, BOTH.replace(b"[", b"[" + NEW_CALL + b",")),
    (BOTH, None, USE, BOTH.replace(b"]", b"," + NEW_CALL + b"]")),
    (BOTH, 0, USE, BOTH.replace(b"[", b"[" + NEW_CALL + b",")),
    (BOTH, 1, TEXT, BOTH.replace(b'"x"', b'[{"type":"text","text":"x"},' + TEXT + b"]")),
    (BOTH, 0, TEXT, BOTH.replace(b'"x"', b"[" + TEXT + b',{"type":"text","text":"x"}]')),
    (ONLY, None, TEXT, ONLY.replace(b"null", b"[" + TEXT + b"]")),
]


@pytest.mark.parametrize(("message", "before", "block", "wanted"), MORE)
def test_a_block_more(message, before, block, wanted):
    above = None if before is None else SHAPE.read(message).blocks[before]
    assert SHAPE.with_block(message, above, block) == wanted


def test_results_and_thinking_find_no_place_inside():
    for message, block in ((BOTH, b'{"type":"tool_result","tool_use_id":"a"}'), (TOOL, TEXT)):
        with pytest.raises(EditError, match="a message of its own"):
            SHAPE.with_block(message, None, block)
    with pytest.raises(EditError, match="no block for thinking"):
        SHAPE.with_block(BOTH, None, b'{"type":"thinking","thinking":"x"}')


def test_blocks_become_messages():
    result = b'{"type":"tool_result","tool_use_id":"a","content":"ok"}'
    assert SHAPE.spell("user", [result, TEXT], COMPACT) == [
        TOOL,
        b'{"role":"user","content":"n"}',
    ]
    assert SHAPE.spell("assistant", [USE], COMPACT) == [
        b'{"role":"assistant","content":null,"tool_calls":[' + NEW_CALL + b"]}"
    ]
    image = b'{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA"}}'
    assert SHAPE.spell("user", [image], COMPACT) == [
        b'{"role":"user","content":[{"type":"image_url","image_url":'
        b'{"url":"data:image/png;base64,AA"}}]}'
    ]


def test_neutral_is_the_messages_api_s_spelling():
    text, call = SHAPE.read(BOTH).blocks
    assert SHAPE.neutral(BOTH, text) == b'{"type":"text","text":"x"}'
    assert SHAPE.neutral(BOTH, call) == (b'{"type":"tool_use","id":"a","name":"R","input":{"n":1}}')
    assert SHAPE.neutral(TOOL, SHAPE.read(TOOL).blocks[0]) == (
        b'{"type":"tool_result","tool_use_id":"a","content":"ok"}'
    )
    broken = BOTH.replace(b'{\\"n\\":1}', b"{broken")
    assert SHAPE.neutral(broken, SHAPE.read(broken).blocks[1]).endswith(b'"input":"{broken"}')


ODD = CALL.replace(b'"R",', b'"R","strict":true,').replace(b'"{\\"n\\":1}"', b'"not json {"')
TWO = BOTH.replace(CALL, CALL + b"," + ODD)


def test_a_call_is_put_in_as_it_stands():
    block = SHAPE.read(TWO).blocks[2]
    own = SHAPE.own(TWO, block)
    assert own == ODD
    assert SHAPE.with_block(ONLY, None, own) == ONLY.replace(CALL, CALL + b"," + ODD)
    assert SHAPE.spell("assistant", [own], COMPACT) == [ONLY.replace(CALL, ODD)]


def test_of_a_reply_thinking_has_no_place():
    thought, said = b'{"type":"thinking","thinking":"hm"}', b'{"type":"text","text":"hi"}'
    assert SHAPE.kept([thought, said]) == [said]
    with pytest.raises(EditError, match="thinking alone"):
        SHAPE.kept([thought, b'{"type":"redacted_thinking","data":"eA=="}'])
