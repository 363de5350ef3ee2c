"""Results for the calls of a new reply: taken from the recording, or told to be interrupted."""

import json

import pytest

from tapeview.calls.results import (
    INTERRUPTED,
    Call,
    answers,
    interrupted,
    next_step,
    open_calls,
    recorded_results,
)
from tapeview.edit import operations as ops
from tests.edit.operations import raw
from tests.formats.claude import reply, user, written
from tests.helpers import open_bytes

ASK = {"role": "user", "content": "go"}


def use(identity, name="Read", **given):
    return {"type": "tool_use", "id": identity, "name": name, "input": given}


def result(identity, content, **more):
    return {"type": "tool_result", "tool_use_id": identity, "content": content} | more


def says(*blocks):
    return {"role": "assistant", "content": list(blocks)}


def gives(*blocks):
    return {"role": "user", "content": list(blocks)}


BODY = json.dumps(
    [
        ASK,
        says(use("a", path="x", n=1)),
        gives(result("a", "x early")),
        says(use("b", path="x", n=1.0), use("c", path="y")),
        gives(result("b", "x late"), result("c", [{"type": "text", "text": "y"}], is_error=True)),
        says(use("d", path="z")),
        ASK,
        says({"type": "text", "text": "done"}),
    ]
).encode()


@pytest.fixture
def recorded():
    return open_bytes(BODY).snapshot()


def calls(*blocks):
    return tuple(Call(block["id"], block["name"], block["input"]) for block in blocks)


def taken(found):
    return [json.loads(one.result) if one else None for one in found]


def test_a_result_fits_by_name_and_canonical_input_under_the_new_id(recorded):
    asked = calls(use("new", path="y"), use("other", "Write", path="y"), use("p", path="q"))
    found = recorded_results(recorded, asked, 2)
    wanted = result("new", [{"type": "text", "text": "y"}], is_error=True)
    assert taken(found) == [wanted, None, None]
    assert found[0].turn == 2


@pytest.mark.parametrize(
    ("turn", "contents"),
    [(1, ["x early", "x late"]), (2, ["x late", "x early"]), (4, ["x late", "x early"])],
)
def test_the_nearest_comes_first_and_each_comes_once(recorded, turn, contents):
    asked = calls(*[use(f"n{k}", n=1, path="x") for k in range(3)])
    found = recorded_results(recorded, asked, turn)
    assert [one and json.loads(one.result)["content"] for one in found] == [*contents, None]
    used = {found[0].block}
    again = recorded_results(recorded, asked, turn, used)
    assert [one and json.loads(one.result)["content"] for one in again] == [contents[1], None, None]


def test_a_call_that_nothing_answered_gives_nothing(recorded):
    assert recorded_results(recorded, calls(use("n", path="z")), 3) == (None,)


def test_calls_are_told_by_one_clean_line():
    (call,) = calls(use("n", "Ba\x1b[2Jsh", command="git status\n\x07"))
    assert call.words.startswith("Ba")
    assert call.words.isprintable()


def test_interrupted_calls_are_answered_as_one_edit():
    opened = open_bytes(BODY)
    opened.apply(ops.AppendReply(message=raw(says(use("n1", path="x"), use("n2", path="z")))))
    asked = open_calls(opened.snapshot())
    assert [call.id for call in asked] == ["n1", "n2"]
    opened.apply(answers(interrupted(asked)))
    last = json.loads(b"".join(opened.session.written(opened.session, 0)))[-1]
    assert last == gives(*[result(i, INTERRUPTED, is_error=True) for i in ("n1", "n2")])
    assert open_calls(opened.snapshot()) == ()


def test_a_tape_runs_on_until_a_call_has_no_recorded_result(recorded):
    opened = open_bytes(BODY)
    used = frozenset()
    opened.apply(ops.ReplaceReply(turn=1, message=raw(says(use("a", path="x", n=1)))))
    opened.apply(ops.Cut(after="messages.1", pairs="both"))
    for turn, block in enumerate([use("n1", path="x", n=1), use("n2", path="x", n=1)], 1):
        opened.apply(ops.AppendReply(message=raw(says(block))))
        step = next_step(opened.snapshot(), recorded, turn, used)
        assert step.stops == ""
        opened.apply(step.operation)
        used = step.used
    opened.apply(ops.AppendReply(message=raw(says(use("n3", path="y"), use("n4", path="x", n=1)))))
    step = next_step(opened.snapshot(), recorded, 3, used)
    assert (step.operation, step.used) == (None, used)
    assert step.stops == "No recorded result fits Read x."


def test_a_reply_without_calls_ends_the_run(recorded):
    step = next_step(recorded, recorded, 4)
    assert (step.operation, step.stops) == (None, "The reply calls no tool.")


def test_nothing_runs_on_without_a_reply():
    empty = open_bytes(json.dumps([ASK]).encode()).snapshot()
    assert open_calls(empty) == ()
    assert next_step(empty, empty, 1).operation is None


CHAT = json.dumps(
    [
        ASK,
        {
            "role": "assistant",
            "tool_calls": [
                {"id": "t", "type": "function", "function": {"name": "ls", "arguments": '{"n": 1}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "t", "content": "\ud83d"},
        {"role": "assistant", "content": "ok"},
    ]
).encode()


def test_chat_gives_its_results_in_its_own_spelling():
    opened = open_bytes(CHAT)
    recorded = opened.snapshot()
    opened.apply(ops.AppendReply(message=raw(says(use("n", "ls", n=1.0)))))
    opened.apply(next_step(opened.snapshot(), recorded, 1).operation)
    saved = b"".join(opened.session.written(opened.session, 0))
    assert json.loads(saved)[-1] == {"role": "tool", "tool_call_id": "n", "content": "\ud83d"}
    assert {link.state for link in opened.snapshot().index.links} == {"answered"}


def test_a_branch_of_a_session_runs_on_beside_main():
    raw_session = written(
        user("u1", None, "ask"),
        reply("a1", "u1", "m1", "call:t"),
        user("r1", "a1", "result:t"),
        reply("a2", "r1", "m2", "done"),
    )
    opened = open_bytes(raw_session)
    recorded = opened.snapshot()
    again = says(use("t", "Bash", command="ls"), use("t2", "Bash", command="rm"))
    opened.apply(ops.Branch(turn=1, message=raw(again)))
    branch = opened.snapshot("branch:1")
    assert [call.id for call in open_calls(branch)] == ["t", "t2"]
    assert next_step(branch, recorded, 1).stops == "No recorded result fits Bash rm."
    opened.undo()
    opened.apply(ops.Branch(turn=1, message=raw(says(use("t", "Bash", command="ls")))))
    opened.apply(next_step(opened.snapshot("branch:1"), recorded, 1).operation)
    branch = opened.snapshot("branch:1")
    assert [link.state for link in branch.index.links] == ["answered"]
    assert [m.role for m in branch.tape.messages] == ["user", "assistant", "user"]
    assert len(opened.snapshot().tape.messages) == 4
