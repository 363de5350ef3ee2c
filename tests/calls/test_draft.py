"""What a call will send: the recorded bytes, what was asked for, and nothing else."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.calls.draft import plan_call, refusals, spliced
from tapeview.calls.endpoints import Endpoint
from tapeview.errors import CallError, PlaceError
from tapeview.open_session import load
from tapeview.tape.json_text import members
from tapeview.wire.convert import to_anthropic
from tapeview.wire.request import recorded_request, request_of, sent_before
from tests.calls.helpers import BODY, RECORDING, TOOLS, plan
from tests.helpers import open_bytes, snapshot_of

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
SPACED = json.dumps(BODY, indent=1).encode()
WORK = Endpoint("work", model="big")


def test_the_body_is_the_recorded_one_and_stream():
    assert plan(body=SPACED).body == SPACED[:-2] + b',"stream":true\n}'


def test_a_own_stream_stays_as_it_is():
    raw = b'{"model": "m", "max_tokens": 5, "stream" : true, "messages": []}'
    assert plan(body=raw).body == raw
    assert plan(body=raw.replace(b"true", b"false")).body == raw


def test_what_is_asked_for_takes_its_place():
    changed = SPACED.replace(b'"claude-opus-4-5"', b'"other"')
    sent = plan(body=SPACED, model="other", top_k=3).body
    assert sent == changed[:-2] + b',"top_k":3,"stream":true\n}'


def test_a_member_can_be_left_out():
    sent = json.loads(plan(temperature=None, of_next_year=None).body)
    assert sent == {k: v for k, v in BODY.items() if k not in ("temperature", "of_next_year")} | {
        "stream": True
    }


def test_messages_up_to_the_turn():
    sent = json.loads(plan(turn=2).body)
    assert sent["messages"] == BODY["messages"][:3]
    assert len(plan(turn=2).messages) == 3
    assert plan(turn=2).snapshot.tape.id == "main"


def test_where_each_member_comes_from():
    made = plan_call(
        snapshot_of({"messages": BODY["messages"], "system": "s"}),
        None,
        WORK,
        {"temperature": b"0.5"},
        {"tools": b"[]", "system": b'"remembered"', "temperature": b"1"},
    )
    assert {m.name: (m.value, m.origin) for m in made.members} == {
        "system": (b'"s"', "recorded"),
        "max_tokens": (b"8192", "default"),
        "tools": (b"[]", "remembered"),
        "temperature": (b"0.5", "asked"),
        "model": (b'"big"', "endpoint"),
    }
    assert made.absent == ()
    assert (made.model, made.max_tokens) == ("big", 8192)


def test_what_is_asked_for_goes_before_the_endpoints_model():
    assert plan(WORK, model="small").model == "small"
    assert plan(WORK).model == "big"


def test_what_nobody_says_is_absent():
    made = plan(body=BODY["messages"])
    assert made.absent == ("model", "system", "tools")
    assert made.model == ""
    assert [m.name for m in made.members] == ["max_tokens"]


def test_the_last_of_doubled_members_is_the_one_that_is_set():
    raw = b'{"model": "a", "messages": [], "model": "b", "max_tokens": 1}'
    assert b'"model": "a"' in plan(body=raw, model="c").body
    assert json.loads(plan(body=raw, model="c").body)["model"] == "c"
    assert "model" not in json.loads(plan(body=raw, model=None).body)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("messages", b"[]", "messages cannot be asked for"),
        ("stream", b"false", "stream cannot be asked for"),
        ("tools", b"[{]", "tools: the value is no JSON"),
    ],
)
def test_what_cannot_be_asked_for(name, value, said):
    with pytest.raises(CallError, match=said):
        plan_call(snapshot_of(BODY), None, RECORDING, {name: value})


def test_a_turn_that_is_not_there():
    with pytest.raises(PlaceError, match="no turn 9"):
        plan(turn=9)


def test_chat_is_put_into_the_words_of_the_messages_api_and_what_is_lost_is_named():
    snapshot = load(str(SAMPLES / "refund.json")).snapshot()
    made = plan_call(snapshot, 2, WORK)
    body = json.loads(made.body)
    assert "system" in body
    assert {message["role"] for message in body["messages"]} == {"user", "assistant"}
    assert made.lost == to_anthropic(request_of_turn(snapshot, 2)).lost
    assert refusals(made) == ()


def request_of_turn(snapshot, number):
    line = snapshot if number is None else snapshot.line_of_turn(number)
    turn = None if number is None else line.own_turn(number)
    recorded = None if turn is None else recorded_request(line.session, line.tape, turn)
    if recorded is not None:
        return recorded.body
    messages = sent_before(line.index, line.tape.sent, turn)
    return request_of(snapshot.session, snapshot.tape, messages).body


def test_a_file_that_has_changed(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes((SAMPLES / "healthy.jsonl").read_bytes())
    snapshot = load(str(path)).snapshot()
    path.write_bytes(b"{}\n")
    with pytest.raises(CallError, match="the file has changed since it was opened"):
        plan_call(snapshot, None, WORK)


def test_a_recording_knows_version_and_betas():
    snapshot = load(str(SAMPLES / "recorded.tape.jsonl")).snapshot()
    for number in (1, 2, None):
        headers = plan_call(snapshot, number, WORK).headers
        assert headers.keys() <= {"anthropic-version", "anthropic-beta"}
        assert headers["anthropic-version"] == "2023-06-01"
    assert plan(turn=1).headers == {}


FILES = [path for path in sorted(SAMPLES.glob("*.json*")) if path.name != "lines.jsonl"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_call_of_the_samples_is_its_request_and_the_additions(path):
    snapshot = load(str(path)).snapshot()
    for number in [None, *snapshot.turn_numbers]:
        request = request_of_turn(snapshot, number)
        if snapshot.session.dialect != "anthropic":
            request = to_anthropic(request).body
        made = plan_call(snapshot, number, RECORDING)
        added = {m.name for m in made.members if m.origin != "recorded"}
        assert added <= {"max_tokens"}
        body = dict(members(made.body, 0))
        for name, (start, end) in members(request, 0):
            assert made.body[slice(*body[name])] == request[start:end]
        assert set(body) == {name for name, _ in members(request, 0)} | added | {"stream"}


def test_what_the_api_would_refuse_is_what_is_sent():
    messages = [*BODY["messages"][:2], {"role": "user", "content": "and?"}]
    made = plan(body=BODY | {"messages": [*messages, *BODY["messages"][3:]]})
    found = refusals(made)
    assert [finding.rule.code for finding in found] == ["TU001"]
    assert made.snapshot.row_of[found[0].block] >= 0
    assert refusals(plan(body=BODY, turn=1)) == ()
    cut = plan(body=BODY | {"messages": [*messages, *BODY["messages"][3:]]}, turn=1)
    assert refusals(cut) == ()


def test_an_unanswered_call_at_the_end_is_refused_as_a_request():
    session = open_bytes((SAMPLES / "crash.jsonl").read_bytes())
    found = refusals(plan_call(session.snapshot(), None, WORK))
    assert all(finding.severity == "error" for finding in found)


values = st.none() | st.integers() | st.text(max_size=4) | st.lists(st.integers(), max_size=3)
names = st.sampled_from(["a", "b", "c", "d\u00e9"])
objects = st.dictionaries(names, values, max_size=4)


@given(objects, st.dictionaries(names, values, max_size=4), st.sampled_from([None, 1, "\t"]))
def test_splicing_sets_members_and_leaves_the_rest(before, changes, indent):
    raw = json.dumps(before, indent=indent).encode()
    told = {k: None if v is None else json.dumps(v).encode() for k, v in changes.items()}
    after = spliced(raw, told)
    wanted = before | changes
    assert json.loads(after) == {
        k: v for k, v in wanted.items() if k not in changes or changes[k] is not None
    }
    if not changes:
        assert after == raw


def test_tools_are_the_files_own_bytes():
    raw = (
        json.dumps(BODY).encode().replace(b'"Read", "input_schema"', b'"R\\u0065ad","input_schema"')
    )
    assert b'"R\\u0065ad","input_schema"' in plan(body=raw, model="m").body
    assert json.loads(plan(body=raw).body)["tools"] == TOOLS
