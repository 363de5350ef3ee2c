"""Diffs: lines, words in them, folds; of a block, of an edit, of all records."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from tapeview.edit.operations import Delete, Insert, Prepend, Set, SetRequest
from tapeview.looks.changes import Changes
from tapeview.looks.diff import all_changes, block_diff, change_count, diff_lines, edit_diff
from tapeview.open_session import load
from tapeview.tape.record import UNFINISHED
from tests.helpers import open_bytes

SAMPLE = Path(__file__).parents[2] / "sample_sessions" / "recorded.tape.jsonl"

BODY = {
    "system": "short",
    "messages": [
        {"role": "user", "content": "go on"},
        {"role": "assistant", "content": [{"type": "text", "text": "a\nb"}]},
        {"role": "user", "content": "stop"},
    ],
}


def opened():
    return open_bytes(json.dumps(BODY).encode())


def shown(lines):
    """Signs and words; what changed in brackets."""
    return [
        line.sign + "".join(f"[{text}]" if changed else text for changed, text in line.parts)
        for line in lines
    ]


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("a", "a", ["a"]),
        ("a", "b", ["-a", "+b"]),
        ("one two three", "one 2 three", ["-one [two] three", "+one [2] three"]),
        ("a\nb", "a\nb\nc", ["a", "b", "+c"]),
        ("a\nb", "b", ["-a", "b"]),
        (
            "\n".join("abcdefghij") + "\nx",
            "\n".join("abcdefghij") + "\ny",
            ["·7 lines the same", "h", "i", "j", "-x", "+y"],
        ),
    ],
)
def test_lines_and_words(old, new, lines):
    assert shown(diff_lines(old.split("\n"), new.split("\n"))) == lines


def test_equal_lines_between_changes_are_folded():
    old = ["x", *map(str, range(20)), "y"]
    new = ["X", *map(str, range(20)), "Y"]
    assert shown(diff_lines(old, new)) == [
        *("-x", "+X", "0", "1", "2", "·14 lines the same", "17", "18", "19", "-y", "+Y")
    ]


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc")))
def test_both_texts_are_whole_in_the_diff(old, new):
    """Without folds: all but what goes is the new text, all but what comes is the old one."""
    lines = list(diff_lines(old, new))
    if not any(line.sign == "·" for line in lines):
        assert [line.text for line in lines if line.sign != "-"] == new
        assert [line.text for line in lines if line.sign != "+"] == old


def row_at(session, message, kind="block"):
    rows = session.snapshot().rows
    return next(row for row in rows if row.kind == kind and (message < 0 or row.message == message))


def test_a_block_against_the_file():
    session = opened()
    assert block_diff(session.snapshot(), row_at(session, 1)) == ()
    session.apply(Set(at="messages.1.content.0", member="text", value=Raw(b'"a\\nc"')))
    assert shown(block_diff(session.snapshot(), row_at(session, 1))) == ["a", "-b", "+c"]
    assert block_diff(session.snapshot(), row_at(session, 0)) == ()
    session.apply(Insert(role="user", content=Raw(b'"new"'), before="messages.0"))
    assert shown(block_diff(session.snapshot(), row_at(session, 0))) == ["+new"]


def test_what_stands_beside_the_messages():
    session = opened()
    session.apply(SetRequest(member="system", value=Raw(b'"long"')))
    found = shown(block_diff(session.snapshot(), row_at(session, -1, "system")))
    assert found == ['-"[short]"', '+"[long]"']
    session.apply(SetRequest(member="max_tokens", value=Raw(b"9")))
    session.apply(SetRequest(member="model", value=Raw(b'"m"')))
    found = shown(block_diff(session.snapshot(), row_at(session, -1, "system")))
    assert found == ['-"[short]"', '+"[long]"', "+max_tokens: 9", '+model: "m"']
    assert Changes(session.session).of(row_at(session, -1, "system")) == "changed"
    assert change_count(session.session) == 3
    assert shown(all_changes(session.session)) == [
        "#changed · system",
        '-"[short]"',
        '+"[long]"',
        "#changed · max_tokens",
        "+max_tokens: 9",
        "#changed · model",
        '+model: "m"',
    ]


def test_parameters_are_compared_with_the_tools_where_no_system_stands():
    body = {"model": "claude-opus-4-5", "tools": [{"name": "R"}], "messages": BODY["messages"]}
    session = open_bytes(json.dumps(body).encode())
    session.apply(SetRequest(member="model", value=Raw(b'"m"')))
    found = shown(block_diff(session.snapshot(), row_at(session, -1, "tools")))
    assert found == ['-model: "[claude-opus-4-5]"', '+model: "[m]"']


@pytest.mark.parametrize(
    ("operation", "lines"),
    [
        (Delete(at=("messages.0",)), ["-go on"]),
        (Prepend(text="facts"), ["+facts"]),
        (
            Set(at="messages.0", member="text", value=Raw(b'"go off"')),
            ["-go [on]", "+go [off]"],
        ),
        (SetRequest(member="system", value=Raw(b'"long"')), ['-"[short]"', '+"[long]"']),
        (SetRequest(member="top_k", value=Raw(b"5")), ["+top_k: 5"]),
    ],
)
def test_what_an_edit_does_is_seen_before(operation, lines):
    session = opened()
    assert shown(edit_diff(session.session, session.plan(operation))) == lines


def test_all_records_in_stored_order_as_json():
    session = opened()
    assert list(all_changes(session.session)) == []
    session.apply(Set(at="messages.0", member="text", value=Raw(b'"go off"')))
    session.apply(Delete(at=("messages.2",)))
    session.apply(Prepend(text="facts"))
    lines = list(all_changes(session.session))
    assert shown(lines) == [
        "#added · not in the file as it was opened",
        '+{"role": "user", "content": "facts"}',
        "#changed · line 1",
        '-{"role": "user", "content": "go [on]"}',
        '+{"role": "user", "content": "go [off]"}',
        "#removed · line 1",
        '-{"role": "user", "content": "stop"}',
    ]
    assert [line.gone for line in lines] == [False] * 6 + [True]


def test_what_stays_of_a_long_record_is_told_by_its_ends():
    body = {"messages": [{"role": "user", "content": f"{'x ' * 100}old{' y' * 100}"}]}
    session = open_bytes(json.dumps(body).encode())
    text = Raw(json.dumps(body["messages"][0]["content"].replace("old", "new")).encode())
    session.apply(Set(at="messages.0", member="text", value=text))
    _, gone, come = shown(all_changes(session.session))
    assert gone.startswith('-{"role": "user", "content": "x x ')
    assert f" … {'x ' * 16}[old]{' y' * 16} … " in gone
    assert gone.endswith(' y y"}')
    assert "[new]" in come


def test_a_reply_that_is_arriving_is_no_change():
    session = load(str(SAMPLE))
    assert session.snapshot().tape.messages[-1].first.label == UNFINISHED
    session.apply(SetRequest(member="system", value=Raw(b'"long"')))
    assert change_count(session.session) == 1
