"""Recordings as sessions: calls that failed, that still run, that were cut, and what edits add."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw

from tapeview.edit import operations as ops
from tapeview.errors import EditError, OpenError
from tapeview.open_session import OpenSession
from tapeview.wire.recording import Call, line_of
from tapeview.wire.request import recorded_request, request_of
from tapeview.wire.sse import event_bytes
from tapeview.wire.unroll import unroll
from tests.edit.test_properties import (
    assert_undone_and_done_again,
    assert_untouched_bytes_stay,
    carried,
    edited,
    said,
)
from tests.formats.samples import ROOT, opened, store_of
from tests.helpers import open_bytes
from tests.recordings import Recorder, compact
from tests.wire.test_correlate import ASK, CUT, LONG, ONE, SUMMARY, TOOLS, call, reply, result, user

SAMPLE = Path(ROOT / "sample_sessions/recorded.tape.jsonl").read_bytes()


def answer(message, name):
    """An assistant message as the API answers it."""
    stop = "tool_use" if message["content"][-1]["type"] == "tool_use" else "end_turn"
    more = {"usage": {"input_tokens": 5, "output_tokens": 2}, "stop_reason": stop}
    return {"id": f"msg_{name}", "type": "message", "model": "m-1", **message, **more}


def stream(message):
    return b"".join(event_bytes(event) for event in unroll(compact(message)))


def recording(*calls, headers=(("user-agent", "x"),)):
    """Calls as (messages, answer, members): ``CUT`` for a failure, bytes for a part of a stream."""
    recorder = Recorder()
    for messages, given_answer, *more in calls:
        body = {"model": "m", "tools": TOOLS, "messages": messages, **(more[0] if more else {})}
        name = recorder.call(body, headers)
        if given_answer is CUT:
            recorder.fail(name, "status 529")
        elif isinstance(given_answer, bytes):
            recorder.arrive(name, given_answer)
        elif given_answer is not None:
            recorder.stream(name, stream(answer(given_answer, name)))
    return recorder


def texts(session, name="main"):
    """Who says what on a tape, a word each."""
    tape = next(tape for tape in session.tapes if tape.id == name)
    words = []
    for message in tape.messages:
        for block in message.blocks:
            part = session.shape.parts(session.message_of(message.first), block)[0]
            words.append(block.id or part.text)
    return words


def notes(session):
    return [record.label for record in session.records if record.kind == "note"]


def kinds(session):
    return {tape.id: tape.kind for tape in session.tapes}


DONE = ([ASK], ONE), ([ASK, ONE, result("c1")], reply("done"))


def test_a_reply_that_is_sent_back_is_shown_once_with_what_is_known_of_it():
    session = opened(recording(*DONE).raw)
    assert texts(session) == ["ask", "c1", "c1", "done"]
    first, last = session.main.messages[1], session.main.messages[3]
    assert (first.id, last.id) == ("msg_1", "msg_2")
    assert first.first.time > session.main.messages[0].first.time
    made = session.calls[first.first]
    assert (made.id, made.kind, made.seconds, made.first_seconds) == ("1", "new", 0.75, 0.1)
    assert json.loads(made.reply())["usage"] == {"input_tokens": 5, "output_tokens": 2}
    assert session.calls[last.first].id == "2"


def test_the_frame_is_that_of_the_last_call():
    changed = {"system": "be brief", "max_tokens": 9}
    session = opened(recording(DONE[0], (*DONE[1], changed)).raw)
    assert (session.frame.model, session.frame.system) == ("m", b'"be brief"')
    assert dict(session.frame.others) == {"max_tokens": b"9"}
    assert json.loads(session.frame.tools) == TOOLS
    assert "call 2: system or tools changed" in notes(session)


def test_the_exact_request_of_a_turn():
    recorder = recording(*DONE)
    session = opened(recorder.raw)
    snapshot = OpenSession(session).snapshot()
    for turn, name in zip(snapshot.index.turns, ("1", "2"), strict=True):
        request = recorded_request(session, session.main, turn)
        assert request == (recorder.bodies[name], ())


def test_a_body_that_is_spelled_otherwise_comes_back_too():
    recorder = Recorder()
    for body in (
        json.dumps({"messages": [ASK], "model": "m"}, indent=1).encode(),
        json.dumps({"model": "m", "messages": [ASK, ONE, result("c1")]}).encode(),
    ):
        name = recorder.call(body)
        recorder.end(name, answer(ONE if name == "1" else reply("done"), name))
    session = opened(recorder.raw)
    assert {c.id: c.request() for c in session.calls.values()} == recorder.bodies
    assert texts(session) == ["ask", "c1", "c1", "done"]


def test_a_failed_call_is_a_note_and_a_retry_goes_on():
    session = opened(recording(([ASK], CUT), ([ASK], ONE)).raw)
    assert notes(session) == ["recording", "call 1: status 529", "call 2: retry of call 1"]
    assert texts(session) == ["ask", "c1"]
    assert kinds(session) == {"main": "main"}


def test_a_live_call_waits_or_shows_what_has_arrived():
    whole = stream(answer(reply("one two three"), "3"))
    cut = whole[: whole.index(b"content_block_stop")]
    waiting = opened(recording(*DONE, ([ASK, ONE, result("c1"), reply("done"), ASK], None)).raw)
    assert texts(waiting) == ["ask", "c1", "c1", "done", "ask"]
    growing = opened(recording(*DONE, ([ASK, ONE, result("c1"), reply("done"), ASK], cut)).raw)
    assert texts(growing)[:5] == texts(waiting)
    assert "one two three".startswith(texts(growing)[5])
    (live,) = [made for made in growing.calls.values() if made.seconds is None]
    assert json.loads(live.reply())["content"][0]["text"] == texts(growing)[5]


def test_a_live_call_stays_the_same_record_until_more_arrives():
    raw = recording(([ASK], stream(answer(reply("one two three"), "1"))[:-60])).raw
    store = store_of(raw)
    records = list(store.records())
    first, second = store.session(records), store.session(records)
    assert first.records == second.records


def test_a_cut_reply_stands_on_the_tape_while_it_is_the_last():
    whole = stream(answer(reply("one two three"), "1"))
    recorder = Recorder()
    name = recorder.call({"messages": [ASK]})
    recorder.stream(name, whole[: whole.index(b"content_block_stop")])
    assert texts(opened(recorder.raw))[0] == "ask"
    assert len(texts(opened(recorder.raw))) == 2
    recorder.end(recorder.call({"messages": [ASK]}), answer(reply("whole"), "2"))
    session = opened(recorder.raw)
    assert texts(session) == ["ask", "whole"]
    assert notes(session) == ["recording", "call 1: cut", "call 2: retry of call 1"]


REWOUND = (
    *DONE,
    ([ASK, ONE, result("c1"), reply("done"), user("go on")], reply("went")),
    ([ASK, ONE, result("c1"), reply("done"), user("no")], reply("stopped")),
)


def test_a_rewind_leaves_a_branch():
    session = opened(recording(*REWOUND).raw)
    assert kinds(session) == {"main": "main", "branch:1": "branch"}
    assert texts(session) == ["ask", "c1", "c1", "done", "no", "stopped"]
    assert texts(session, "branch:1") == ["ask", "c1", "c1", "done", "go on", "went"]
    branch = session.tapes[1]
    assert len(branch.own) == 2
    assert branch.after is session.main.messages[3].first


def test_an_answer_asked_for_again_leaves_one_too():
    session = opened(recording(([ASK], ONE), ([ASK], reply("other"))).raw)
    assert texts(session) == ["ask", "other"]
    assert texts(session, "branch:1") == ["ask", "c1"]


def test_a_changed_past_leaves_what_was():
    past = [ASK, ONE, result("c1", "long"), call("c2")]
    session = opened(
        recording(
            ([ASK], ONE),
            ([ASK, ONE, result("c1", "long")], call("c2")),
            ([ASK, ONE, result("c1", "cleared"), call("c2"), result("c2")], reply("done")),
        ).raw
    )
    assert texts(session) == ["ask", "c1", "c1", "c2", "c2", "done"]
    assert len(session.tapes[1].messages) == len(past)
    assert "call 3: messages.2 had changed" in notes(session)


def test_a_compaction_cuts_a_segment_and_its_call_stands_beside():
    session = opened(
        recording(
            *DONE,
            ([ASK, ONE, result("c1"), reply("done"), user("Summarise.")], reply(SUMMARY)),
            ([user(f"So far: {SUMMARY}"), user("go on")], reply("went")),
        ).raw
    )
    assert kinds(session) == {"main": "main", "main~1": "segment", "side:1": "agent"}
    assert texts(session, "main~1") == ["ask", "c1", "c1", "done"]
    assert texts(session)[1:] == ["go on", "went"]
    assert texts(session, "side:1")[-2:] == ["Summarise.", SUMMARY]
    assert session.main.first_turn == 3


def test_a_sub_agent_hangs_on_its_call_and_has_a_frame_of_its_own():
    asks = call("c1", prompt=LONG)
    session = opened(
        recording(
            ([ASK], asks),
            ([user(LONG)], reply("two"), {"system": "help", "tools": []}),
            ([ASK, asks, result("c1", "two")], reply("done")),
        ).raw
    )
    main, agent = session.tapes
    assert (agent.id, agent.kind, agent.caller.id) == ("agent:c1", "agent", "c1")
    assert session.seen_from(agent).frame.system == b'"help"'
    assert session.seen_from(main) is session


def test_two_conversations_on_one_port():
    session = opened(
        recording(
            ([user("first")], reply("one")),
            ([user("second")], reply("two")),
            ([user("second"), reply("two"), user("more")], reply("three")),
        ).raw
    )
    assert texts(session) == ["second", "two", "more", "three"]
    assert texts(session, "tape:1") == ["first", "one"]


def test_nothing_but_the_header():
    session = opened(recording().raw)
    assert (session.format, session.main.messages) == ("recording", ())


def test_a_call_whose_parent_is_lost_keeps_what_it_adds():
    lines = recording(*DONE).raw.splitlines(keepends=True)
    left = b"".join(line for line in lines if not line.startswith(b'{"call":"1"'))
    assert texts(opened(left)) == ["c1", "c1", "done"]


@settings(max_examples=60)
@given(st.data())
def test_a_recording_killed_at_any_byte_opens_with_all_but_the_last_line(data):
    raw = SAMPLE[: data.draw(st.integers(SAMPLE.index(b"\n") + 1, len(SAMPLE)))]
    whole, torn = raw[: raw.rfind(b"\n") + 1], raw[raw.rfind(b"\n") + 1 :]
    session = opened(raw)
    if not torn.endswith(b"}"):
        assert texts(session) == texts(opened(whole))
        unreadable = [record for record in session.records if record.kind == "unreadable"]
        assert len(unreadable) == bool(torn)
    snapshot = OpenSession(session).snapshot()
    assert {finding.severity for finding in snapshot.findings} <= {"pending"}


def test_a_header_that_is_cut_says_why():
    with pytest.raises(OpenError):
        opened(SAMPLE[:40])


# -- edits -----------------------------------------------------------------------------------------


def saved(opened_session):
    session = opened_session.session
    return b"".join(session.written(session, 0))


def setting(at, text):
    return ops.Set(at=at, member="text", value=Raw(json.dumps(text).encode()))


def test_an_edit_is_one_more_line_and_undone_it_is_none():
    raw = recording(*DONE).raw
    session = open_bytes(raw)
    session.apply(setting("messages.0", "ask again"))
    after = saved(session)
    assert after.startswith(raw)
    (line,) = after[len(raw) :].splitlines()
    assert json.loads(line) == {
        "call": "edit-1",
        "at": "2025-10-09T08:53:22.750Z",
        "kind": "edit",
        "parent": "2",
        "keep": 0,
        "add": [user("ask again"), ONE, result("c1"), reply("done")],
    }
    session.undo()
    assert saved(session) == raw


def test_an_edit_reads_back_and_can_be_edited_again():
    raw = recording(*DONE).raw
    once = open_bytes(raw)
    once.apply(ops.Insert(role="user", content=Raw(b'"more"')))
    twice = open_bytes(saved(once))
    assert texts(twice.session) == ["ask", "c1", "c1", "done", "more"]
    assert [message.id for message in twice.session.main.messages] == ["", "msg_1", "", "msg_2", ""]
    assert len(twice.session.calls) == 2
    twice.apply(ops.Delete(at="messages.4"))
    third = opened(saved(twice))
    assert texts(third) == ["ask", "c1", "c1", "done"]
    assert kinds(third) == {"main": "main"}
    assert saved(twice).splitlines()[-1].startswith(b'{"call":"edit-2"')


REFRAMED = [
    ("system", b'"be brief"', {"system": "be brief"}),
    ("system", None, {"system": None, "order": ["model", "tools", "messages"]}),
    ("tools", b'[{ "name": "R" }]', {"tools": [{"name": "R"}]}),
    ("model", b'"m-2"', {"params": {"model": "m-2"}}),
    (
        "temperature",
        b"1.50",
        {
            "params": {"temperature": 1.5},
            "order": ["model", "tools", "messages", "system", "temperature"],
        },
    ),
]
"""A member, its new value, and what of the line of the edit tells it."""


@pytest.mark.parametrize(("member", "value", "told"), REFRAMED)
def test_what_stands_beside_the_messages_is_edited(member, value, told):
    raw = recording(*((*made, {"system": "old"}) for made in DONE)).raw
    session = open_bytes(raw)
    given_value = {} if value is None else {"value": Raw(value)}
    session.apply(ops.SetRequest(member=member, **given_value))
    (line,) = saved(session)[len(raw) :].splitlines()
    frame = ("system", "tools", "params", "order")
    assert {k: v for k, v in json.loads(line).items() if k in frame} == told
    read = open_bytes(saved(session))
    assert carried(read.session.frame) == carried(session.session.frame)
    assert texts(read.session) == texts(session.session)
    session.undo()
    assert saved(session) == raw


def test_a_reframed_recording_is_sent_as_it_is_now():
    session = open_bytes(recording(*DONE).raw)
    session.apply(ops.SetRequest(member="system", value=Raw(b'"be brief"')))
    for each in (session, open_bytes(saved(session))):
        shown = each.snapshot()
        sent = json.loads(request_of(shown.session, shown.tape, shown.tape.sent).body)
        assert (sent["model"], sent["system"], sent["tools"]) == ("m", "be brief", TOOLS)


@pytest.mark.parametrize(
    ("operation", "as_recorded"),
    [
        (setting("messages.0", "edited"), [False, False]),
        (
            ops.Set(at="messages.2.content.0", member="content", value=Raw(b'"edited"')),
            [True, False],
        ),
        (setting("messages.3.content.0", "edited"), [True, False]),
        (ops.Insert(role="user", content=Raw(b'"more"')), [True, True]),
        (ops.Insert(role="user", content=Raw(b'"more"'), before="messages.0"), [False, False]),
        (ops.SetRequest(member="system", value=Raw(b'"edited"')), [False, False]),
    ],
)
def test_a_turn_behind_an_edit_is_sent_as_it_is_now(operation, as_recorded):
    """In the session that made the edit, and in the next."""
    session = open_bytes(recording(*DONE).raw)
    session.apply(operation)
    shown = open_bytes(saved(session)).snapshot()
    found = [recorded_request(shown.session, shown.tape, turn) for turn in shown.index.turns[:2]]
    assert [request is not None for request in found] == as_recorded


def test_the_other_tapes_carry_what_they_carried():
    session = open_bytes(recording(*REWOUND).raw)
    session.apply(ops.SetRequest(member="system", value=Raw(b'"be brief"')))
    for shown in (session.session, opened(saved(session))):
        main, branch = (shown.seen_from(tape).frame for tape in shown.tapes)
        assert (main.system, branch.system) == (b'"be brief"', b"")
        assert (main.is_editable, branch.is_editable) == (True, False)
    with pytest.raises(EditError, match="main of a recording alone"):
        session.apply(ops.SetRequest(member="system", tape="branch:1"))


def test_a_branch_that_carries_what_main_does_is_not_reframed():
    session = open_bytes(recording(*REWOUND).raw)
    with pytest.raises(EditError, match="branch:1 carries the system and tools of main"):
        session.apply(ops.SetRequest(member="system", value=Raw(b'"x"'), tape="branch:1"))


def test_numbers_in_the_place_of_system_blocks_are_refused():
    session = open_bytes(recording(*DONE).raw)
    with pytest.raises(EditError, match="a text or a list of text blocks"):
        session.apply(ops.SetRequest(member="system", value=Raw(b"[ 0 ]")))


def test_what_a_branch_shares_stays_as_it_was_sent():
    session = open_bytes(recording(*REWOUND).raw)
    session.apply(setting("messages.0", "changed"))
    for shown in (session.session, opened(saved(session))):
        assert texts(shown)[0] == "changed"
        assert texts(shown, "branch:1")[0] == "ask"


def test_a_branch_is_edited_in_what_is_its_own():
    session = open_bytes(recording(*REWOUND).raw)
    with pytest.raises(EditError, match="shares this with another tape"):
        session.apply(ops.Set("messages.0", "text", Raw(b'"x"'), tape="branch:1"))
    session.apply(ops.Set("messages.4", "text", Raw(b'"x"'), tape="branch:1"))
    session.apply(ops.Insert(role="user", content=Raw(b'"y"'), after="messages.3", tape="branch:1"))
    for shown in (session.session, opened(saved(session))):
        assert texts(shown) == ["ask", "c1", "c1", "done", "no", "stopped"]
        assert texts(shown, "branch:1") == ["ask", "c1", "c1", "done", "y", "x", "went"]


def test_a_branch_that_is_edited_away_leaves_the_others_their_names():
    session = open_bytes(recording(([ASK], ONE), ([ASK], call("c2")), ([ASK], reply("a"))).raw)
    session.apply(ops.DeleteTurn(turn=1, tape="branch:1"))
    for shown in (session.session, opened(saved(session))):
        assert kinds(shown) == {"main": "main", "branch:2": "branch"}
        assert texts(shown, "branch:2") == ["ask", "c2"]


def test_a_live_recording_that_was_edited_goes_on_from_what_was_sent():
    recorder = recording(*DONE)
    session = open_bytes(recorder.raw)
    session.apply(setting("messages.3.content.0", "edited"))
    recorder.lines = [saved(session)]
    array = [ASK, ONE, result("c1"), reply("done"), user("next")]
    name = recorder.call({"model": "m", "tools": TOOLS, "messages": array}, [("user-agent", "x")])
    recorder.end(name, answer(reply("last"), name))
    found = opened(recorder.raw)
    assert texts(found) == ["ask", "c1", "c1", "done", "next", "last"]
    assert texts(found, "branch:1") == ["ask", "c1", "c1", "edited"]


def test_an_edit_behind_half_a_line_begins_a_new_one():
    raw = recording(*DONE).raw + b'{"call":"3","at"'
    session = open_bytes(raw)
    session.apply(ops.Delete(at="messages.3"))
    assert saved(session).startswith(raw + b'\n{"call":"edit-1"')
    assert texts(opened(saved(session))) == ["ask", "c1", "c1"]


def test_lines_and_members_that_nobody_knows_are_passed_over():
    known = recording(*DONE).raw
    header, rest = known.split(b"\n", 1)
    raw = header[:-1] + b',"x":1}\n{"later":true}\n' + rest
    session = opened(raw)
    assert texts(session) == texts(opened(known))
    assert notes(session) == ["recording", "unknown line"]


def test_lone_surrogates_are_read_as_they_were_sent():
    odd = {"role": "user", "content": "half a \ud83d sign"}
    recorder = Recorder()
    for number, array in enumerate(([odd], [odd, ONE, result("c1")]), 1):
        body = {"model": "m", "system": "\ud83d", "messages": array}
        name = recorder.call(json.dumps(body, separators=(",", ":")).encode())
        recorder.end(name, json.dumps(answer(ONE if number == 1 else reply("a"), name)).encode())
    session = opened(recorder.raw)
    assert texts(session) == [odd["content"], "c1", "c1", "a"]
    assert {c.id: c.request() for c in session.calls.values()} == recorder.bodies
    edited_session = open_bytes(recorder.raw)
    edited_session.apply(setting("messages.0", "\udc00"))
    assert texts(opened(saved(edited_session)))[0] == "\udc00"


def test_circles_and_strange_values_do_no_harm():
    strange = [
        Call(call="1", at="", kind="continue", parent="1", keep=9, add=[Raw(b"7"), Raw(b'"x"')]),
        Call(call="2", at="", kind="edit", parent="1", keep=3),
        Call(call="2", at="", kind="compacted", of="2", like="2"),
    ]
    raw = recording().raw + b"".join(line_of(made) for made in strange)
    session = opened(raw)
    assert b"".join(session.written(session, 0)) == raw


MESSAGES = st.sampled_from([ASK, user("b"), ONE, call("c2"), result("c1"), result("c2", "x")])
ANSWERS = st.sampled_from([ONE, call("c2"), reply("a"), CUT, None])


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_edits_of_any_tapes_read_back_and_are_undone(data):
    """Conversations grow, are rewound and change their past at random."""
    array, calls = [ASK], []
    for _ in range(data.draw(st.integers(1, 6))):
        given_answer = data.draw(ANSWERS)
        calls.append((list(array), given_answer))
        said_now = [given_answer] if isinstance(given_answer, dict) else []
        kept = data.draw(st.integers(max(0, len(array) - 2), len(array)))
        goes_on = data.draw(st.booleans())
        array = array + said_now if goes_on else array[:kept]
        array = array + data.draw(st.lists(MESSAGES, min_size=1, max_size=2))
    recorder = recording(*calls)
    session = opened(recorder.raw)
    assert {c.id: c.request() for c in session.calls.values()}.items() <= recorder.bodies.items()
    work = edited(recorder.raw, data, tapes=True)
    assert said(open_bytes(saved(work)).session) == said(work.session)
    assert_untouched_bytes_stay(work, recorder.raw)
    assert_undone_and_done_again(work, recorder.raw)
