"""The tape as plain lines."""

import json

import pytest

from tapeview.tape.clean import printable
from tapeview.tape.index import Index
from tapeview.tape.outline import full_text, outline, row_path
from tapeview.tape.rows import rows_of
from tests.formats.claude import reply, session, user
from tests.helpers import session_of


def derived(opened):
    index = Index(opened.main.messages, opened.frame, opened.dialect)
    return index, rows_of(opened, opened.main, index)


def lines(opened, full=False):
    index, rows = derived(opened)
    found = outline(
        opened, lambda row: index, rows, lambda row: (), lambda row: f"turn {row.turn}", full
    )
    return list(found)


CALL = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "a\nb"}


def test_one_line_a_row():
    body = {
        "system": "Be brief.",
        "tools": [{"name": "Bash"}],
        "messages": [
            {"role": "user", "content": "what is here?"},
            {"role": "assistant", "content": [{"type": "text", "text": "I look."}, CALL]},
            {"role": "user", "content": [RESULT]},
        ],
    }
    assert lines(session_of(body)) == [
        "system                              Be brief.",
        "tools                               1 tool: Bash",
        "messages.0               user       what is here?",
        "── turn 1 ──",
        "messages.1.content.0     assistant  I look.",
        "messages.1.content.1     assistant  tool_use(t1, Bash, ls)",
        "messages.2.content.0     user       tool_result(t1) -> a ¶ b",
    ]


@pytest.mark.parametrize(
    "block, words",
    [
        ({"type": "tool_use", "name": "Bash", "input": {}}, "tool_use(no id, Bash)"),
        (
            {"type": "tool_result", "tool_use_id": "t", "is_error": True},
            "tool_result(t) error -> (empty)",
        ),
        ({"type": "thinking", "thinking": "hm"}, "thinking: hm"),
        ({"type": "dream"}, 'dream: {"type": "dream"}'),
        ({}, "no type: {}"),
        (
            {"type": "web_search_tool_result", "tool_use_id": "s", "content": []},
            "web_search_tool_result(s) -> (empty)",
        ),
        ({"type": "text", "text": "x" * 300}, "x" * 99 + "…"),
        ({"type": "tool_use", "id": "a\x1b", "name": "b\n", "input": {}}, "tool_use(a¤, b)"),
    ],
)
def test_how_blocks_are_told(block, words):
    opened = session_of([{"role": "user", "content": [block, {"type": "text", "text": "x"}]}])
    assert lines(opened)[0].partition("user       ")[2] == words


def test_chat_is_told_in_its_own_paths():
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"q": 1}'}}
    body = [
        {"role": "developer", "content": "be brief"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
        {"role": "assistant", "function_call": {"name": "g", "arguments": "{}"}},
    ]
    assert lines(session_of(body)) == [
        "messages.0               developer  be brief",
        "── turn 1 ──",
        "messages.1.tool_calls.0  assistant  tool_use(c, f, q: 1)",
        "messages.2               tool       tool_result(c) -> ok",
        "── turn 2 ──",
        "messages.3.function_call assistant  tool_use(by name, g)",
        "…                                   the tape ends here: 1 call waits for its result",
    ]


def test_what_is_off_the_chain_or_not_sent_says_why():
    opened = session(
        user("u1", None, "ask"),
        reply("a1", "u1", "m1", "call:t1"),
        user("u2", "u1", "instead"),
        reply("a2", "u2", "m2", "call:t2"),
    )
    found = [" ".join(line.split()) for line in lines(opened)]
    assert found[1] == "records.1.content.0 assistant tool_use(t1, Bash, ls) (not sent: superseded)"
    assert found[-2] == (
        "messages.1.content.0 assistant tool_use(t2, Bash, ls) (not sent: unanswered)"
    )


def test_a_path_of_each_row():
    opened = session_of(b'{"role":"user","content":"a"}\n{"role":"user","content":[{}]}\n{broken')
    index, rows = derived(opened)
    assert [row_path(opened, index, row) for row in rows] == [
        "messages.0",
        "messages.1.content.0",
        "records.2",
    ]


def test_flags_stand_at_the_end_of_the_line():
    opened = session_of([{"role": "user", "content": "a"}])
    index, rows = derived(opened)
    (line,) = outline(opened, lambda row: index, rows, lambda row: ("! X", "[late]"), str)
    assert line == "messages.0               user       a  ! X  [late]"


def test_the_whole_text_of_each_block():
    body = [
        {"role": "user", "content": "one\n\n  two"},
        {"role": "assistant", "content": [CALL]},
        {"role": "user", "content": [RESULT]},
    ]
    assert [
        line for line in lines(session_of(body), full=True) if line.startswith(" ") or not line
    ] == [
        "    one",
        "",
        "      two",
        "    {",
        '      "command": "ls"',
        "    }",
        "    a",
        "    b",
    ]


def test_the_whole_text_of_an_image():
    source = {"type": "base64", "media_type": "image/png", "data": "aGk="}
    opened = session_of([{"role": "user", "content": [{"type": "image", "source": source}]}])
    _, (row,) = derived(opened)
    assert list(full_text(opened, row)) == ["image/png, 4 B of base64"]


def test_rows_without_a_block_have_no_text():
    opened = session_of({"system": "x", "messages": []})
    _, (row,) = derived(opened)
    assert list(full_text(opened, row)) == []


def test_nothing_in_a_tape_reaches_the_lines_uncleaned():
    bad = "\x1b[2J\x07\u202e\u200b\ud83d\x9b31m\r\n\u2028"
    body = [
        {"role": bad, "content": bad},
        {"role": "assistant", "content": [{"type": bad, bad: bad}]},
        {"role": "assistant", "content": [CALL | {"id": bad, "name": bad, "input": {bad: [bad]}}]},
        {"role": "user", "content": [RESULT | {"tool_use_id": bad, "content": bad}]},
        {"role": "user", "content": [{"type": "document", "title": bad, "source": {"type": bad}}]},
    ]
    for line in lines(session_of(json.dumps(body).encode()), full=True):
        assert line == printable(line)
