"""What is derived from a tape, and asked of a snapshot."""

import pytest

from tapeview.errors import PlaceError
from tapeview.open_session import OpenSession, load
from tapeview.snapshot import by_rank
from tapeview.tape.turn_facts import TurnFacts
from tests.formats.claude import reply, session, user
from tests.formats.samples import SAMPLES, name_of
from tests.formats.test_claude_tapes import REWOUND
from tests.helpers import open_bytes, snapshot_of
from tests.recordings import Recorder

CALL = {"type": "tool_use", "id": "a", "name": "Task", "input": {}}
BODY = {
    "system": "12",
    "tools": [],
    "messages": [
        {"role": "user", "content": "1234"},
        {"role": "assistant", "content": [{"type": "text", "text": "123"}, CALL]},
    ],
}


def test_the_facts_of_a_turn():
    assert snapshot_of(BODY).turn_facts == {1: TurnFacts(1, 1, 10, None)}
    assert snapshot_of(BODY).sent_now == 10 + 3 + 2


def test_the_time_of_a_turn():
    lines = (user("u1", None, "x", at=1), reply("a1", "u1", "m1", "y", at=3))
    facts = OpenSession(session(*lines)).snapshot().turn_facts
    assert facts[1].seconds == 2.0
    lines = (user("u1", None, "x", at=None), reply("a1", "u1", "m1", "y", at=3))
    assert OpenSession(session(*lines)).snapshot().turn_facts[1].seconds is None


def test_what_is_not_sent_has_no_weight():
    lines = (
        user("u1", None, "1234"),
        reply("a1", "u1", "e1", "API Error", isApiErrorMessage=True),
        user("u2", "a1", "12"),
        reply("a2", "u2", "m2", "y"),
    )
    assert OpenSession(session(*lines)).snapshot().turn_facts[1].sent == 6


@pytest.mark.parametrize(
    "body, verdict",
    [
        ([{"role": "user", "content": "x"}], "the API would take this as the next request"),
        (BODY, "the API would refuse this at messages.1"),
        ([], "there are no messages yet"),
        (
            {"model": "claude-opus-4-5", "messages": BODY["messages"][:1]},
            "the API would take these messages; not stored: max_tokens",
        ),
        (
            {"messages": BODY["messages"][:1]},
            "the API would take these messages; not stored: model, max_tokens",
        ),
        (
            {"model": "claude-x", "max_tokens": 1, "messages": BODY["messages"][:1]},
            "the API would take this as the next request",
        ),
        (
            {"model": "gpt-5", "messages": BODY["messages"][:1]},
            "the API would take this as the next request",
        ),
    ],
)
def test_the_verdict(body, verdict):
    assert snapshot_of(body).verdict == verdict


@pytest.mark.parametrize(
    ("calls", "verdict"),
    [(1, "1 call waits for its result"), (2, "2 calls wait for their results")],
)
def test_the_verdict_of_a_recording_whose_calls_wait(calls, verdict):
    blocks = [CALL | {"id": f"toolu_{number}"} for number in range(calls)]
    recorder = Recorder()
    name = recorder.call({"model": "m", "max_tokens": 1, "messages": BODY["messages"][:1]})
    recorder.end(name, {"role": "assistant", "content": blocks}, "tool_use")
    assert open_bytes(recorder.raw).snapshot().verdict == verdict


def test_findings_by_place_and_by_rank():
    snapshot = snapshot_of(
        [
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x"}]},
            {"role": "assistant", "content": [CALL | {"id": "a b"}]},
        ]
    )
    assert [f.place.message for f in snapshot.findings] == sorted(
        f.place.message for f in snapshot.findings
    )
    ranks = [f.rule.rank for f in snapshot.findings_by_rank]
    assert ranks == sorted(ranks)
    assert by_rank(snapshot.findings) == snapshot.findings_by_rank
    assert sum(snapshot.severity_counts.values()) == len(snapshot.findings)


@pytest.mark.parametrize("path", SAMPLES, ids=name_of)
def test_every_finding_of_a_sample_has_its_row(path):
    snapshot = load(str(path)).snapshot()
    for finding in snapshot.findings:
        row = snapshot.rows[snapshot.row_of_finding(finding)]
        assert finding in snapshot.findings_at(row)


@pytest.mark.parametrize("path", SAMPLES, ids=name_of)
def test_every_turn_has_its_rule_and_its_facts(path):
    snapshot = load(str(path)).snapshot()
    assert list(snapshot.turn_numbers) == list(range(1, len(snapshot.turn_numbers) + 1))
    for number in snapshot.turn_numbers:
        assert snapshot.rows[snapshot.turn_row_of[number]].turn == number
        assert snapshot.turn(number).number == number
    for number in (0, -1, len(snapshot.turn_numbers) + 1):
        with pytest.raises(PlaceError):
            snapshot.turn(number)


def test_a_snapshot_derives_nothing_before_it_is_asked():
    snapshot = snapshot_of(BODY)
    assert not {"index", "rows", "findings"} & set(vars(snapshot))


def test_the_turns_of_a_branch_have_their_rows_on_the_branch():
    opened = OpenSession(session(*REWOUND))
    main, branch = opened.snapshot(), opened.snapshot("branch:1")
    assert sorted(branch.turn_row_of) == list(branch.turn_numbers) == [1, 2]
    assert {main.rows[at].tape for at in main.turn_row_of.values()} == {0}
