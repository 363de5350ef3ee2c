"""What an editor is given of each row, and what comes of what was typed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.errors import EditError
from tapeview.looks.editing import editable_of, escaped, fault_in, operation_of
from tapeview.tape.clean import printable
from tests.helpers import open_bytes

CALL = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls", "n": 1.50}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "a\nb"}


def opened(*messages, **members):
    return open_bytes(json.dumps({"model": "m", "messages": list(messages), **members}).encode())


def row_of(snapshot, kind="block", number=0):
    return [row for row in snapshot.rows if row.kind == kind][number]


def edited(body, typed, number=0, kind="block"):
    """The body after typing ``typed`` (or what it makes of the text) into one row's editor."""
    session = body if not isinstance(body, list) else opened(*body)
    editable = editable_of(session.snapshot(), row_of(session.snapshot(), kind, number))
    typed = typed(editable.text) if callable(typed) else typed
    operation = operation_of(editable, typed)
    if operation is not None:
        session.apply(operation)
    return json.loads(b"".join(session.session.written(session.session, 0)))


@pytest.mark.parametrize(
    ("blocks", "title", "text", "is_json"),
    [
        ("words", "text of messages.0", "words", False),
        ([{"type": "text", "text": "a"}], "text of messages.0.content.0", "a", False),
        ([CALL], "input of messages.0.content.0", '{\n  "command": "ls",\n  "n": 1.5\n}', True),
        ([RESULT], "content of messages.0.content.0", "a\nb", False),
        (
            [RESULT | {"content": [{"type": "text", "text": "one"}]}],
            "content of messages.0.content.0",
            "one",
            False,
        ),
        (
            [RESULT | {"content": [{"type": "text", "text": "a", "x": 1}]}],
            "content of messages.0.content.0",
            '[\n  {\n    "type": "text",\n    "text": "a",\n    "x": 1\n  }\n]',
            True,
        ),
        ([{"type": "odd", "x": 1}], "block messages.0.content.0", None, True),
    ],
)
def test_each_block_is_edited_as_what_it_is(blocks, title, text, is_json):
    snapshot = opened({"role": "user", "content": blocks}).snapshot()
    editable = editable_of(snapshot, row_of(snapshot))
    assert (editable.title, editable.is_json, editable.is_escaped) == (title, is_json, False)
    assert text is None or editable.text == text
    assert operation_of(editable, editable.text) is None


def test_what_was_typed_is_what_the_tape_says():
    asked = {"role": "user", "content": "go"}
    called = {"role": "assistant", "content": [CALL]}
    answered = {"role": "user", "content": [RESULT]}
    body = [asked, called, answered]
    assert edited(body, "stop")["messages"][0] == {"role": "user", "content": "stop"}
    after = edited(body, '{"command": "pwd"}', 1)
    assert after["messages"][1]["content"] == [CALL | {"input": {"command": "pwd"}}]
    assert edited(body, "c", 2)["messages"][2]["content"] == [RESULT | {"content": "c"}]


def test_a_lone_text_of_a_result_stays_in_its_list():
    content = [{"type": "text", "text": "one"}]
    body = [{"role": "user", "content": [RESULT | {"content": content}]}]
    after = edited(body, "two")["messages"][0]["content"][0]
    assert after["content"] == [{"type": "text", "text": "two"}]


def test_system_and_tools_are_members_of_the_request():
    body = opened({"role": "user", "content": "go"}, system="be short", tools=[{"name": "a"}])
    assert edited(body, "be long", kind="system")["system"] == "be long"
    assert edited(body, "[]", kind="tools")["tools"] == []


@pytest.mark.parametrize(
    ("kind", "says"),
    [("turn", "a turn has no text of its own"), ("end", "nothing to edit here")],
)
def test_what_cannot_be_edited_says_so(kind, says):
    snapshot = opened({"role": "assistant", "content": [CALL]}).snapshot()
    with pytest.raises(EditError, match=says):
        editable_of(snapshot, row_of(snapshot, kind))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain \\ text\n\ttab", "plain \\ text\n\ttab"),
        ("\x1b[31mred\\", "\\u001b[31mred\\\\"),
        ("a\r\nb", "a\\u000d\nb"),
        ("\ud83d", "\\ud83d"),
        ("\u202eback", "\\u202eback"),
        ("\U000e0041", "\\udb40\\udc41"),
    ],
)
def test_what_could_act_is_spelled(text, shown):
    assert escaped(text) == shown
    assert printable(shown.replace("\n", "").replace("\t", "")).isprintable()


WILD = st.text(
    st.characters(codec=None) | st.sampled_from("\\\n\r\t\x1b\x9b\u202e\ud83d\udc00\x00")
)


@given(WILD, WILD)
def test_any_text_survives_an_edit_beside_it(text, more):
    """Typing behind a text changes nothing in it, whatever it holds."""
    body = opened({"role": "user", "content": [{"type": "text", "text": text}]})
    before = json.loads(json.dumps(text))
    is_escaped = escaped(text) != text
    behind = escaped(text + more)[len(escaped(text)) :]
    spelled = behind if is_escaped else "".join(filter(str.isalnum, more))
    after = edited(body, lambda shown: shown + "!" + spelled.encode("ascii", "ignore").decode())
    said = after["messages"][0]["content"][0]["text"]
    assert said.startswith(before + "!")


@given(st.recursive(WILD | st.integers() | st.booleans(), lambda c: st.lists(c), max_leaves=6))
def test_any_input_is_shown_harmless_and_survives_an_edit_beside_it(value):
    call = CALL | {"input": {"v": value}}
    body = opened({"role": "assistant", "content": [call]})
    editable = editable_of(body.snapshot(), row_of(body.snapshot()))
    assert all(printable(line) == line for line in editable.text.split("\n"))
    after = edited(body, lambda shown: shown[:-2] + ',\n  "more": 1\n}')
    assert after["messages"][0]["content"][0]["input"] == json.loads(
        json.dumps({"v": value, "more": 1})
    )


@pytest.mark.parametrize(
    ("blocks", "typed", "fault"),
    [
        ([CALL], '{\n  "a": }', "line 2 column 8: a value should stand here"),
        ([CALL], "", "line 1 column 1: the text ends where a value should begin"),
        ([CALL], '{"é": 1} x', "line 1 column 10: more text follows the value"),
        ("\x1b", "a\nb\\q", "line 2 column 2: this is no escape; a backslash is written \\\\"),
        ("\x1b", "a\\", "line 1 column 2: this is no escape; a backslash is written \\\\"),
        ("\x1b", "\\u12", "line 1 column 1: this is no escape; a backslash is written \\\\"),
        ("\x1b", "\\u001b\\n\\\\ ok", ""),
        ("plain", "\\q", ""),
    ],
)
def test_a_fault_is_told_by_line_and_column(blocks, typed, fault):
    snapshot = opened({"role": "user", "content": blocks}).snapshot()
    editable = editable_of(snapshot, row_of(snapshot))
    found = fault_in(editable, typed)
    assert (found.words if found else "") == fault
    if fault:
        with pytest.raises(EditError, match="line"):
            operation_of(editable, typed)


def test_only_blanks_changed_is_no_edit():
    snapshot = opened({"role": "assistant", "content": [CALL]}).snapshot()
    editable = editable_of(snapshot, row_of(snapshot))
    assert operation_of(editable, '{"command":"ls","n":1.5}') is None


def test_a_writer_that_escapes_everything_is_followed():
    raw = json.dumps({"messages": [{"role": "user", "content": "\u00e9"}]}).encode()
    session = open_bytes(raw)
    snapshot = session.snapshot()
    session.apply(operation_of(editable_of(snapshot, row_of(snapshot)), "\u00e9\u00e8"))
    written = b"".join(session.session.written(session.session, 0))
    assert written == raw.replace(b"\\u00e9", b"\\u00e9\\u00e8")
