"""Results that somebody writes by hand."""

import json

import pytest

from tapeview.calls.results import INTERRUPTED, Call, open_calls, recorded_results
from tapeview.errors import EditError
from tapeview.looks.by_hand import Written, unwritten
from tests.helpers import open_bytes

ASK = {"role": "user", "content": "go"}
PICTURE = {"type": "image", "source": {"type": "url", "url": "https://a.example/x.png"}}


def use(identity, path):
    return {"type": "tool_use", "id": identity, "name": "Read", "input": {"path": path}}


def result(identity, content, **more):
    return {"type": "tool_result", "tool_use_id": identity, "content": content} | more


def asked(content, **more):
    """The last call of a tape, whose input was answered so before."""
    messages = [
        ASK,
        {"role": "assistant", "content": [use("a", "x")]},
        {"role": "user", "content": [result("a", content, **more)]},
        {"role": "assistant", "content": [use("b", "x")]},
    ]
    snapshot = open_bytes(json.dumps(messages).encode()).snapshot()
    calls = open_calls(snapshot)
    found = recorded_results(snapshot, calls, 2)
    return Written("main", tuple(map(unwritten, calls, found)))


LONE = [{"type": "text", "text": "one"}]
CHANGED = [
    ("one", "one", "two", "two", {}),
    ("one", "one", "one", "one", {"is_error": True}),
    ("one", "one", "two", "two", {"is_error": True}),
    (LONE, "one", "two", [{"type": "text", "text": "two"}], {}),
    ("", "", "two", "two", {}),
    ("a\x1b[2J", "a\\u001b[2J", "b\\u001b", "b\x1b", {}),
    ("a\x1b[2J", "a\\u001b[2J", "a\\u001b[2J", "a\x1b[2J", {}),
    ([PICTURE], None, "[]", [], {}),
]


@pytest.mark.parametrize(("content", "begins", "typed", "wanted", "more"), CHANGED)
def test_a_result_begins_as_the_recorded_one(content, begins, typed, wanted, more):
    written = asked(content, **more)
    if begins is not None:
        assert written.next.editable.text == begins
    whole = written.with_next(typed)
    assert json.loads(whole.results[0]) == result("b", wanted, **more)
    assert whole.next is None


@pytest.mark.parametrize(
    ("typed", "more"), [(INTERRUPTED, {"is_error": True}), ("it ran", {}), ("", {})]
)
def test_a_call_that_nothing_was_recorded_for_was_interrupted_unless_told(typed, more):
    written = Written("main", (unwritten(Call("n", "Read", {}), None),))
    assert written.next.editable.text == INTERRUPTED
    assert json.loads(written.with_next(typed).results[0]) == result("n", typed, **more)


def test_they_are_written_in_order():
    calls = [Call(name, "Read", {"path": name}) for name in ("m", "n")]
    written = Written("main", tuple(unwritten(call, None) for call in calls))
    titles = []
    while written.next is not None:
        titles.append(written.title)
        written = written.with_next(written.next.call.id)
    assert titles == ["result 1 of 2: Read m", "result 2 of 2: Read n"]
    assert [json.loads(each)["content"] for each in written.results] == ["m", "n"]


def test_what_is_no_json_is_not_taken():
    with pytest.raises(EditError, match="line 1 column 2"):
        asked([PICTURE]).with_next("[")
