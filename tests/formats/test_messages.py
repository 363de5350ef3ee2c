"""Files that hold a ``messages`` array: four containers, two dialects, and all kinds of damage."""

import json

import pytest

from tapeview.errors import OpenError
from tapeview.open_session import OpenSession
from tests.formats.samples import assert_nothing_vanishes, claims, opened

MESSAGES = [
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": [{"type": "text", "text": "hello"}]},
]


def texts(session):
    """Every message as its role and the texts of its blocks."""
    return [
        (
            message.spelled_role,
            *(
                session.shape.parts(session.message_of(record), block)[0].text
                for record in message.records
                for block in record.blocks
            ),
        )
        for message in session.main.messages
    ]


def kinds(session):
    return [record.kind for record in session.records]


@pytest.mark.parametrize(
    "raw, whole",
    [
        (json.dumps({"model": "claude-x", "messages": MESSAGES}), True),
        (json.dumps({"messages": MESSAGES}), True),
        (json.dumps(MESSAGES), True),
        (json.dumps(MESSAGES, indent=2), True),
        ("\n".join(map(json.dumps, MESSAGES)), False),
        ("\n".join(map(json.dumps, MESSAGES)) + "\n\n", False),
    ],
    ids=["body", "object", "array", "indented", "lines", "lines and a blank one"],
)
@pytest.mark.parametrize("bom", ["", "\ufeff"], ids=["", "BOM"])
@pytest.mark.parametrize("crlf", [False, True], ids=["LF", "CRLF"])
def test_the_containers_hold_the_same_tape(raw, whole, bom, crlf):
    data = (bom + (raw.replace("\n", "\r\n") if crlf else raw)).encode()
    session = opened(data)
    assert texts(session) == [("user", "hi"), ("assistant", "hello")]
    assert session.frame.whole == whole
    assert session.main.sent is session.main.messages
    assert not session.harness
    assert_nothing_vanishes(session, data)


def test_a_body_has_a_frame():
    body = {
        "max_tokens": 1024,
        "system": "Be brief.",
        "model": "claude-x",
        "messages": MESSAGES,
        "tools": [{"name": "ls", "input_schema": {}}],
        "thinking": {"type": "adaptive"},
    }
    frame = opened(json.dumps(body).encode()).frame
    assert frame.model == "claude-x"
    assert frame.system == b'"Be brief."'
    assert json.loads(frame.tools) == body["tools"]
    assert [name for name, _ in frame.others] == ["max_tokens", "thinking"]


def test_lines_are_numbered_as_in_the_file():
    session = opened(json.dumps({"messages": MESSAGES}, indent=1).encode())
    assert [record.line for record in session.records] == [3, 7]


USER = {"role": "user", "content": "hi"}
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
BLOCK = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}],
}


@pytest.mark.parametrize(
    "body, dialect",
    [
        ([USER], "anthropic"),
        ({"model": "my-model", "messages": [USER]}, "anthropic"),
        ({"model": "claude-opus-4-5", "messages": [USER]}, "anthropic"),
        ({"model": "eu.anthropic.claude-x", "messages": [USER]}, "anthropic"),
        ({"model": "gpt-5.5", "messages": [USER]}, "openai-chat"),
        ({"model": "o3", "messages": [USER]}, "openai-chat"),
        ({"model": "openai/gpt-oss", "messages": [USER]}, "openai-chat"),
        ({"model": "deepseek-chat", "messages": [USER]}, "openai-chat"),
        ({"model": "opus", "messages": [USER]}, "anthropic"),
        ({"model": "claude-x", "messages": [USER, {"role": "tool"}]}, "anthropic"),
        ({"model": "gpt-5.5", "messages": [USER, BLOCK]}, "openai-chat"),
        ([USER, BLOCK], "anthropic"),
        ([USER, {"role": "assistant", "content": None, "tool_calls": [CALL]}], "openai-chat"),
        ([USER, {"role": "assistant", "content": "x", "tool_calls": []}], "anthropic"),
        ([USER, {"role": "assistant", "function_call": {"name": "f"}}], "openai-chat"),
        ([{"role": "developer", "content": "x"}], "openai-chat"),
        ([{"role": "function", "name": "f", "content": "x"}], "openai-chat"),
        ([USER, {"role": "tool", "tool_call_id": "c", "content": "x"}], "openai-chat"),
        ([{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}], "openai-chat"),
        ([{"role": "user", "content": [{"type": "file", "file": {}}]}], "openai-chat"),
        ([{"role": "user", "content": [{"type": "image", "source": {}}]}], "anthropic"),
        ([{"role": "user", "content": [{"type": "text", "text": "x"}]}], "anthropic"),
        ({"messages": [USER], "tools": [{"type": "function", "function": {}}]}, "openai-chat"),
        ({"messages": [USER], "tools": [{"name": "f", "input_schema": {}}]}, "anthropic"),
        ({"model": 5, "messages": [USER]}, "anthropic"),
        ({"messages": [{"role": ["x"], "content": [5, None]}, BLOCK]}, "anthropic"),
        ({"messages": []}, "anthropic"),
        ([], "anthropic"),
    ],
    ids=lambda value: json.dumps(value)[:70] if not isinstance(value, str) else "",
)
def test_the_dialect_is_told_by_the_model_and_then_by_the_shape(body, dialect):
    raw = json.dumps(body).encode()
    assert opened(raw).dialect == dialect
    sure = claims(raw)
    assert max(sure, key=sure.__getitem__) == dialect


def test_what_nothing_tells_is_claimed_half_heartedly():
    assert claims(json.dumps([USER]).encode()) == {"anthropic": 0.5, "openai-chat": 0.4}


LINE = json.dumps(USER)

LINES = {
    "two objects on one line": (f"{LINE}\n{LINE}{LINE}\n", ["message"] * 3, [1, 2, 2]),
    "two objects with a blank between": (f"{LINE} {LINE}", ["message"] * 2, [1, 1]),
    "a comment": (f"// cut by hand\n{LINE}\n{LINE}", ["note", "message", "message"], [1, 2, 3]),
    "a torn tail": (f'{LINE}\n{{"role":"us', ["message", "unreadable"], [1, 2]),
    "garbage between": (f"{LINE}\noops\n{LINE}\n{LINE}", ["message", "unreadable"], [1, 2]),
    "garbage behind": (f"{LINE}\n{LINE} x", ["message", "message", "unreadable"], [1, 2, 2]),
    "no object": (f"{LINE}\n5\n{LINE}\n{LINE}", ["message", "unreadable"], [1, 2]),
    "zero bytes": (f"{LINE}\n{LINE}\n\0\0\0\0", ["message", "message", "unreadable"], [1, 2, 3]),
    "blank lines": (f"\n \n{LINE}\n\t\n{LINE}", ["message", "message"], [3, 5]),
    "a line separator in a string": (
        f'{LINE}\n{{"role":"user","content":"a\u2028b"}}',
        ["message", "message"],
        [1, 2],
    ),
}


@pytest.mark.parametrize("text, wanted, numbers", LINES.values(), ids=LINES.keys())
def test_lines_that_are_no_message_are_kept(text, wanted, numbers):
    raw = text.encode()
    session = opened(raw)
    assert kinds(session)[: len(wanted)] == wanted
    assert [record.line for record in session.records][: len(numbers)] == numbers
    assert_nothing_vanishes(session, raw)


def test_records_that_share_a_line_say_so():
    session = opened(f"{LINE}\n{LINE}{LINE} x\n".encode())
    assert [record.shares_line for record in session.records] == [False, True, True, True]


@pytest.mark.parametrize(
    "tail, label",
    [
        ('{"role":"us', "the last line is half written"),
        ('{"role":"us\n', "the text ends inside a string"),
        ("oops\n", "it is no JSON object"),
    ],
)
def test_an_unreadable_line_says_why(tail, label):
    record = opened(f"{LINE}\n{tail}".encode()).records[1]
    assert (record.kind, record.label) == ("unreadable", label)


BODY = json.dumps({"model": "claude-x", "messages": MESSAGES, "max_tokens": 5})
INDENTED = json.dumps(json.loads(BODY), indent=1)

CUT = {
    "inside the first message": (BODY[:45], 0, '{"role"'),
    "between messages": (BODY[: BODY.index("hi") + 5], 1, ""),
    "inside the second message": (BODY[: BODY.index("hello")], 1, '{"role": "assistant"'),
    "behind the array": (BODY[: BODY.index("max_tokens")], 2, '"'),
    "before the last brace": (BODY[:-1], 2, ""),
    "garbage between messages": (BODY.replace("}, {", "}, oops, {", 1), 1, "oops, {"),
    "a broken member behind": (BODY.replace(": 5", ": five"), 2, '"max_tokens": five}'),
    "a second document behind": (INDENTED + "\n" + INDENTED, 2, '{\n "model": "claude-x"'),
    "a cut array": (json.dumps(MESSAGES)[:-20], 1, '{"role": "assistant"'),
    "text behind an array": (json.dumps(MESSAGES) + " x", 2, "x"),
}


@pytest.mark.parametrize("text, whole, rest", CUT.values(), ids=CUT.keys())
def test_a_damaged_document_keeps_whole_messages_and_the_rest_in_one_row(text, whole, rest):
    raw = text.encode()
    session = opened(raw)
    assert kinds(session) == ["message"] * whole + ["unreadable"]
    last = session.records[-1]
    assert session.bytes_of(last).decode().startswith(rest)
    assert last.start + last.length == len(raw)
    assert last.label
    assert_nothing_vanishes(session, raw)
    assert session.frame.model in ("", "claude-x")


@pytest.mark.parametrize("text", ['{"model": "claude-x", "messa', '{"model": "cl', "{", '{"model"'])
def test_a_document_cut_before_its_messages_cannot_be_opened(text):
    with pytest.raises(OpenError):
        opened(text.encode())


def test_of_doubled_keys_the_last_one_counts():
    raw = b'{"messages": [{"role":"user","role":"assistant","content":"a","content":"b"}]}'
    assert texts(opened(raw)) == [("assistant", "b")]
    first, second = ([USER | {"content": text}] for text in "ab")
    raw = f'{{"messages": {json.dumps(first)}, "messages": {json.dumps(second)}}}'
    assert texts(opened(raw.encode())) == [("user", "b")]


def test_elements_that_are_no_messages_keep_their_number():
    session = opened(b'{"messages": [5, "x", null, [], {"role":"user","content":"hi"}]}')
    assert [message.role for message in session.main.messages] == ["", "", "", "", "user"]


@pytest.mark.parametrize(
    "value",
    ["[" * 5000 + "]" * 5000, '{"a":' * 5000 + "1" + "}" * 5000, "NaN", "-Infinity", "1e999"],
    ids=["deep array", "deep object", "NaN", "infinity", "1e999"],
)
@pytest.mark.parametrize("where", ["input", "content", "tools"])
def test_odd_values_are_kept_as_they_are(value, where):
    block = {
        "input": f'{{"type":"tool_use","id":"t","name":"f","input":{value}}}',
        "content": f'{{"type":"tool_result","tool_use_id":"t","content":{value}}}',
        "tools": '{"type":"text","text":"x"}',
    }[where]
    tools = value if where == "tools" else "[]"
    raw = f'{{"tools":{tools},"messages":[{{"role":"user","content":[{block}]}}]}}'.encode()
    session = opened(raw)
    assert kinds(session) == ["message"]
    assert len(session.main.messages[0].blocks) == 1
    assert OpenSession(session).snapshot().verdict


def test_half_a_surrogate_pair_is_kept():
    raw = (
        rb'[{"role":"user","content":"a \ud83d b"},'
        rb'{"role":"assistant","content":[{"type":"text","text":"\udc00"}]}]'
    )
    session = opened(raw)
    assert texts(session) == [("user", "a \ud83d b"), ("assistant", "\udc00")]
    assert_nothing_vanishes(session, raw)


def test_bytes_that_are_no_utf8_are_kept():
    raw = b'{"role":"user","content":"a \xff b"}\n{"role":"user","content":"c"}'
    session = opened(raw)
    assert kinds(session)[-1] == "message"
    assert_nothing_vanishes(session, raw)


ONE = b'[{"role": "user", "content": "one"}]'
TWO = b'[{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}]'


@pytest.mark.parametrize(
    ("body", "messages", "doubled"),
    [
        (b'{"messages": %b, "messages": %b}' % (ONE, TWO), 2, ("messages",)),
        (b'{"messages": %b, "messages": %b}' % (TWO, ONE), 1, ("messages",)),
        (b'{"messages": %b, "messages": null}' % TWO, 2, ("messages",)),
        (b'{"messages": null, "messages": %b}' % TWO, 2, ("messages",)),
        (b'{"model": 1, "messages": %b, "model": "a", "model": "b"}' % ONE, 1, ("model", "model")),
        (b'{"model": "a", "messages": %b, "m\\u006fdel": "b"}' % ONE, 1, ("model",)),
        (b'{"messages": %b, "x": 1, "x": 1}' % ONE, 1, ("x",)),
        (b'{"messages": %b, "x": {"x": 1}}' % ONE, 1, ()),
    ],
)
def test_doubled_members_of_a_body(body, messages, doubled):
    found = opened(body)
    assert len(found.main.messages) == messages
    assert found.frame.doubled == doubled
