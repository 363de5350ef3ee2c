from datetime import UTC, datetime
from pathlib import Path

import pytest

from tapeview.errors import CallError
from tapeview.looks.call_sheet import CallSheet, row_of_refusal, turn_of_call
from tapeview.open_session import load
from tests.calls.helpers import BODY
from tests.helpers import snapshot_of

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
NOW = datetime(2026, 3, 10, tzinfo=UTC)


@pytest.fixture
def environ(tmp_path):
    return {"HOME": str(tmp_path), "ANTHROPIC_API_KEY": "sk-dummy"}


def sheet(environ, turn=None, body=BODY):
    return CallSheet(snapshot_of(body), turn, environ)


def field(made, name):
    return next(each for each in made.fields() if each.name == name)


@pytest.mark.parametrize(
    ("row", "turn"),
    [
        ("the first prompt", 1),
        ("turn 1", 1),
        ("a call of turn 1", 1),
        ("its result", 1),
        ("turn 2", 2),
        ("the last prompt", None),
    ],
)
def test_the_call_that_a_row_stands_for(row, turn):
    snapshot = snapshot_of([*BODY["messages"], {"role": "user", "content": "and now?"}])
    found = [r for r in snapshot.rows if r.kind in ("turn", "block")]
    named = {
        "the first prompt": found[0],
        "turn 1": next(r for r in found if r.kind == "turn"),
        "a call of turn 1": next(r for r in found if r.block and r.block.kind == "tool_use"),
        "its result": next(r for r in found if r.block and r.block.kind == "tool_result"),
        "turn 2": [r for r in found if r.kind == "turn"][1],
        "the last prompt": found[-1],
    }
    assert turn_of_call(snapshot, named[row]) == turn


def test_the_end_stands_for_the_next_call():
    snapshot = load(str(SAMPLES / "crash.jsonl")).snapshot()
    assert snapshot.rows[-1].kind == "end"
    assert turn_of_call(snapshot, snapshot.rows[-1]) is None


def test_members_are_changed(environ):
    made = sheet(environ, 1)
    made.change(field(made, "model"), "claude-haiku-4-5")
    assert field(made, "model").words == "claude-haiku-4-5"
    assert field(made, "model").note == "asked"
    assert b'"model":"claude-haiku-4-5"' in made.plan.body.replace(b": ", b":")
    made.change(field(made, "model"), "")
    assert b'"model"' not in made.plan.body


def test_what_was_asked_for_and_is_not_stored_is_remembered_for_the_file(environ, tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b'[{"role":"user","content":"hi"}]')
    made = CallSheet(load(str(path)).snapshot(), None, environ)
    made.change(field(made, "model"), "claude-haiku-4-5")
    made.leave()
    again = CallSheet(load(str(path)).snapshot(), None, environ)
    assert (field(again, "model").words, field(again, "model").note) == (
        "claude-haiku-4-5",
        "remembered",
    )


@pytest.mark.parametrize("typed", ["0", "-1", "two", "101", "", "1.5", "²"])
def test_a_number_of_times_is_one(environ, typed):
    made = sheet(environ)
    with pytest.raises(CallError, match="from 1 to 100"):
        made.change(field(made, "times"), typed)
    assert made.times == 1
    made.change(field(made, "times"), " 5 ")
    assert (made.times, field(made, "times").words) == (5, "5")


def test_endpoints_follow_each_other(environ):
    made = sheet(environ, 1)
    assert made.endpoint.name == "environment"
    names = []
    for _ in range(3):
        made.change(field(made, "endpoint"), made.next_endpoint())
        names.append(made.endpoint.name)
    assert sorted(names) == ["environment", "local", "recording"]
    with pytest.raises(CallError, match="there is no endpoint nowhere"):
        made.change(field(made, "endpoint"), "nowhere")
    assert made.endpoint.name == names[-1]


def test_without_a_key_the_recording_answers_and_the_sheet_says_so(tmp_path):
    made = sheet({"HOME": str(tmp_path)}, 1)
    assert made.endpoint.kind == "recording"
    words = [fact.words for fact in made.facts(NOW)]
    assert "the recording answers, not a model" in words


def test_tokens_are_an_estimate_until_the_endpoint_has_counted(environ):
    made = sheet(environ, 1)
    plan = made.plan
    assert made.tokens.is_estimate
    made.count(plan, None)
    assert made.tokens.is_estimate
    made.count(plan, 77)
    assert made.tokens == (77, False)
    made.change(field(made, "max_tokens"), "9")
    assert made.tokens.is_estimate
    made.count(plan, 78)
    assert made.tokens.is_estimate


def test_no_key_is_on_the_sheet(environ):
    made = sheet(environ, 1)
    shown = str([*made.fields(), *made.facts(NOW)])
    assert "sk-dummy" not in shown
    assert "ANTHROPIC_API_KEY" in shown


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("messages.1.content.1", (1, 1)),
        ("messages.1.content.1.input", (1, 1)),
        ("messages.1", (1, 0)),
        ("messages.1.content.9", (1, 1)),
        ("messages.9.content.0", None),
        ("messages", None),
        ("system.0", None),
        ("messages.x", None),
        ("", None),
    ],
)
def test_the_row_that_the_api_refuses(environ, path, place):
    made = sheet(environ, 2)
    row = row_of_refusal(made.plan, made.snapshot, path)
    found = made.snapshot.rows[row] if row >= 0 else None
    assert (found and (found.message, found.number)) == place
