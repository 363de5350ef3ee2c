"""The open session and what follows from it."""

import gc
import json

import pytest

from tapeview.errors import OpenError, PlaceError
from tapeview.open_session import OpenSession, load
from tests.formats.claude import reply, session, user
from tests.formats.test_claude_tapes import COMPACTED
from tests.helpers import session_of

CALL = {"type": "tool_use", "id": "a", "name": "Task", "input": {}}
BODY = {
    "system": "12",
    "tools": [],
    "messages": [
        {"role": "user", "content": "1234"},
        {"role": "assistant", "content": [{"type": "text", "text": "123"}, CALL]},
    ],
}


def test_a_file_is_opened_and_collection_goes_on(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(BODY))
    assert load(str(path)).snapshot().session.path == str(path)
    assert gc.isenabled()
    path.write_text("")
    with pytest.raises(OpenError):
        load(str(path))
    assert gc.isenabled()


def test_harness_files_are_sessions_and_bodies_are_requests():
    assert OpenSession(session_of(BODY)).purpose == "request"
    assert OpenSession(session_of(BODY), "session").purpose == "session"
    assert OpenSession(session(user("u1", None, "x"))).purpose == "session"


def test_a_tape_that_is_not_there():
    with pytest.raises(PlaceError, match="no tape main~1: it has main"):
        OpenSession(session_of(BODY)).snapshot("main~1")


def test_a_snapshot_is_the_same_as_long_as_somebody_holds_it():
    opened = OpenSession(session(*COMPACTED))
    main, segment = opened.snapshot(), opened.snapshot("main~1")
    assert opened.snapshot() is main
    assert opened.snapshot("main~1") is segment is not main
    assert opened.snapshot(codes=["TU001"]) is not main
    opened.revision += 1
    assert opened.snapshot() is not main


def test_of_many_tapes_a_few_are_named():
    lines = [user("u", None, "go"), reply("a", "u", "m", "ok")]
    lines += [user(f"s{k}", None, f"{k}", isSidechain=True) for k in range(30)]
    with pytest.raises(PlaceError) as caught:
        OpenSession(session(*lines)).snapshot("x")
    assert str(caught.value).endswith(" agent:line-10, agent:line-11 and 21 more.")
