"""What an edit would do, before it is done."""

import json
from pathlib import Path

import pytest

from tapeview.edit import operations as ops
from tapeview.edit.operations import Raw
from tapeview.looks.consequences import cache_from, consequence_lines, consequences_of
from tests.formats.claude import reply, user, written
from tests.helpers import open_bytes


def call(identity):
    return {"type": "tool_use", "id": identity, "name": "R", "input": {}}


def result(identity):
    return {"type": "tool_result", "tool_use_id": identity, "content": "ok"}


CRASH = Path(__file__).parents[2] / "sample_sessions" / "crash.jsonl"
SIGNED = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
BODY = {
    "model": "claude-x",
    "messages": [
        {"role": "user", "content": "ask"},
        {"role": "assistant", "content": [SIGNED, call("a")]},
        {"role": "user", "content": [result("a")]},
        {"role": "assistant", "content": [SIGNED, {"type": "text", "text": "done"}]},
    ],
}


def opened(body=BODY):
    return open_bytes(body if isinstance(body, bytes) else json.dumps(body).encode())


def lines_of(session, operation):
    edit = session.plan(operation)
    return consequence_lines(consequences_of(session, edit, operation.tape))


def test_a_changed_text_loses_the_cache_from_there_and_the_thinking_behind_it():
    session = opened()
    edit = session.plan(ops.Set(at="messages.0", member="text", value=Raw(b'"tell"')))
    found = consequences_of(session, edit)
    assert (found.changed, found.added, found.removed) == (1, 0, 0)
    assert (found.cache_from, found.signed) == (0, 2)
    assert found.appear == found.vanish == ()
    assert dict(consequence_lines(found))["blocks"] == "1 changed"


def test_an_answer_mends_what_nobody_answered():
    body = BODY | {"messages": [*BODY["messages"][:2], {"role": "user", "content": "go on"}]}
    session = opened(body)
    edit = session.plan(ops.Answer(at="messages.1.content.1"))
    found = consequences_of(session, edit)
    assert [finding.rule.code for finding in found.vanish] == ["TU001"]
    assert found.added == 1
    assert found.cache_from == 2
    assert ("mends", "TU001 error at messages.1.content.1") in consequence_lines(found)
    assert found.verdict == "the API would take these messages; not stored: max_tokens"


def test_a_pair_that_is_parted_breaks():
    session = opened()
    edit = session.plan(ops.Delete(at=("messages.2",), pairs="keep"))
    found = consequences_of(session, edit)
    assert "TU001" in [finding.rule.code for finding in found.appear]
    assert (found.removed, found.added, found.changed) == (1, 0, 0)
    assert found.verdict.startswith("the API would refuse this at messages.1")


def test_what_is_put_in_at_the_end_loses_nothing():
    session = opened()
    lines = dict(lines_of(session, ops.Insert(role="user", content=Raw(b'"more"'))))
    assert lines["blocks"] == "1 added"
    assert "signed" not in lines


def test_what_stands_beside_the_messages_loses_all_of_the_cache():
    session = opened()
    found = consequences_of(
        session, session.plan(ops.SetRequest(member="system", value=Raw(b'"s"')))
    )
    assert (found.cache_from, found.changed, found.added) == (0, 0, 0)
    assert dict(consequence_lines(found))["blocks"] == "none changed"


@pytest.mark.parametrize(("member", "first"), [("max_tokens", -1), ("model", 0), ("thinking", 0)])
def test_some_parameters_stand_in_no_prompt(member, first):
    session = opened()
    edit = session.plan(ops.SetRequest(member=member, value=Raw(b'"x"')))
    assert (consequences_of(session, edit).cache_from, cache_from(session, edit)) == (first, first)


def test_asking_changes_nothing():
    session = opened()
    before, revision = session.session, session.revision
    lines_of(session, ops.Clear())
    assert (session.session, session.revision) == (before, revision)
    assert not session.log.entries


def test_a_line_that_only_hangs_elsewhere_says_what_it_said():
    session = opened(
        written(
            user("u1", None, "ask"),
            reply("a1", "u1", "m1", "one"),
            user("u2", "a1", "more"),
            reply("a2", "u2", "m2", "two"),
        )
    )
    edit = session.plan(ops.Insert(role="user", content=Raw(b'"x"'), before="messages.2"))
    found = consequences_of(session, edit)
    assert (found.changed, found.added, found.removed) == (0, 1, 0)
    assert found.cache_from == 2


def test_the_tape_that_is_edited_is_the_one_that_is_told():
    raw = written(
        user("u1", None, "ask"),
        reply("a1", "u1", "m1", "one"),
        user("u2", "a1", "left"),
        reply("a2", "u2", "m2", "two"),
        user("u3", "a1", "kept"),
        reply("a3", "u3", "m3", "three"),
    )
    session = opened(raw)
    operation = ops.Insert(role="user", content=Raw(b'"x"'), tape="branch:1")
    edit = session.plan(operation)
    assert consequences_of(session, edit, "branch:1").cache_from == 4
    assert consequences_of(session, edit, "main").cache_from == -1


@pytest.mark.parametrize("count", [5, 7])
def test_many_findings_are_named_as_so_many_more(count):
    calls = [call(f"t{k}") for k in range(count)]
    messages = [
        {"role": "user", "content": "ask"},
        {"role": "assistant", "content": calls},
        {"role": "user", "content": [result(f"t{k}") for k in range(count)]},
    ]
    session = opened({"model": "claude-x", "messages": messages})
    lines = lines_of(session, ops.Delete(at=("messages.1",), pairs="keep"))
    told = [words for _, words in lines if "and" in words and "more" in words]
    assert len(told) == 1


def test_what_the_harness_adds_above_an_edit_keeps_its_place_in_the_cache():
    session = opened(CRASH.read_bytes())
    operation = ops.Set(at="messages.19.content.0", member="text", value=Raw(b'"x"'))
    found = consequences_of(session, session.plan(operation))
    sent = session.snapshot().tape.sent
    edited = session.snapshot().tape.messages[19].blocks[0]
    assert edited in sent[found.cache_from].blocks
