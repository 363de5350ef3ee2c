"""Calls of real clients, recorded and read back: the classes they get, the tapes that they make."""

import json

import pytest

from tapeview.open_session import OpenSession, load
from tapeview.wire.request import request_of
from tests.formats.samples import opened
from tests.formats.test_shared_captures import (
    CAPTURES,
    FIRST,
    INTERACTIVE,
    SECOND,
    laid_out,
    parted,
)
from tests.recordings import Recorder, record_capture

CUT, WHOLE = "This session is being co[\u2026", "This session is being continued [\u2026"
"""The captures cut what Claude Code writes for what it compacted in the middle of a word."""


def recorded(*names):
    """The recording of these captures, one after the other."""
    recorder = Recorder()
    for name in names:
        text = (CAPTURES / f"{name}.json").read_text(encoding="utf-8")
        caught = json.loads(json.dumps(json.loads(text), ensure_ascii=False).replace(CUT, WHOLE))
        record_capture(recorder, caught)
    return recorder


RESULTS = {
    "cc_tool": "new continue",
    "cc_think": "new continue",
    "cc_task": "new subagent subagent continue continue continue",
    "cc_err": "new retry retry continue",
    "cc_drop": "new retry continue",
    "cc_midError cc_resume": "new retry continue continue",
    "cc_int": "side new continue continue continue fork compacted continue",
    "cc_int2": "new continue fork",
    "cc_int cc_int2": (
        "side new continue continue continue fork compacted continue continue continue fork"
    ),
    "pi_tool": "new continue",
    "pi_builtin": "new continue",
    "pi_compact": "new continue side",
}


@pytest.mark.parametrize("names", RESULTS)
def test_each_call_is_what_the_client_meant(names):
    recorder = recorded(*names.split())
    assert " ".join(call.kind for call in recorder.calls) == RESULTS[names]


@pytest.mark.parametrize("names", RESULTS)
def test_each_request_comes_back_byte_for_byte(names):
    recorder = recorded(*names.split())
    session = opened(recorder.raw)
    requests = {call.id: call.request() for call in session.calls.values()}
    assert requests
    assert requests.items() <= recorder.bodies.items()
    assert b"".join(session.written(session, 0)) == recorder.raw


@pytest.mark.parametrize("names", RESULTS)
def test_the_tapes_have_no_faults(names):
    recorder = recorded(*names.split())
    assert OpenSession(opened(recorder.raw)).snapshot().findings == ()


def said(session, tape):
    """A tape as it is sent, without what the harness makes anew for each call."""
    request = request_of(session.seen_from(tape), tape, tape.sent)
    messages = json.loads(request.body.replace(b"continued [", b"co["))["messages"]
    return parted(messages)[0]


def all_said(session):
    return {tape.id: said(session, tape) for tape in session.tapes}


def test_an_interactive_session_has_the_tapes_that_its_file_shows():
    session = opened(recorded("cc_int", "cc_int2").raw)
    file = opened((CAPTURES / f"{INTERACTIVE}.jsonl").read_bytes())
    found = all_said(session)
    # The title and the summary were asked for in calls of their own, which no file has.
    assert found.keys() - {"side:1", "side:2"} == {"main", "main~1", "branch:1"}
    assert {name: found[name] for name in ("main", "main~1", "branch:1")} == all_said(file)
    assert session.main.begins.startswith("compacted ")


def test_each_half_of_it_has_the_beginning_or_the_end_of_them():
    file = all_said(opened((CAPTURES / f"{INTERACTIVE}.jsonl").read_bytes()))
    first = all_said(opened(recorded("cc_int").raw))
    assert first["main~1"] == file["main~1"]
    assert first["main"] == file["main"][: len(first["main"])]
    assert {"main", "branch:1"} <= file.keys()
    second = all_said(opened(recorded("cc_int2").raw))
    assert second == {"main": file["main"], "branch:1": file["branch:1"]}


def test_sub_agents_have_the_tapes_that_their_files_show(tmp_path):
    session = opened(recorded("cc_task").raw)
    file = load(laid_out(tmp_path, {})).session
    assert all_said(session) == all_said(file)
    callers = {tape.id: tape.caller and tape.caller.id for tape in session.tapes}
    assert callers == {"main": None, FIRST: "toolu_task_1", SECOND: "toolu_task_2"}


def test_what_a_recording_adds_to_its_content_is_small():
    recorder = recorded("cc_int", "cc_int2", "cc_task")
    sent = sum(len(body) for body in recorder.bodies.values())
    assert len(b"".join(recorder.lines)) < sent
