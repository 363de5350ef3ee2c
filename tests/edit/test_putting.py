"""Edits that put something in, where more than the file's own text decides about the place."""

import json

import pytest

from tapeview.edit import operations as ops
from tapeview.edit.operations import Raw
from tapeview.errors import EditError
from tests.edit.model import sides, tape_of
from tests.formats.claude import reply, user, written
from tests.helpers import open_bytes


def call(identity):
    return {"type": "tool_use", "id": identity, "name": "R", "input": {}}


def result(identity, words="ok"):
    return {"type": "tool_result", "tool_use_id": identity, "content": words}


ANSWERED = [
    # calls, results as they stand, the call that is answered, results after
    ("abc", "", "a", "A"),
    ("abc", "bc", "a", "Abc"),
    ("abc", "ac", "b", "aBc"),
    ("abc", "ab", "c", "abC"),
    ("abc", "ca", "b", "caB"),
]


@pytest.mark.parametrize(("calls", "results", "asked", "wanted"), ANSWERED)
@pytest.mark.parametrize("harness", [False, True], ids=["body", "session"])
def test_an_answer_stands_where_its_call_does(calls, results, asked, wanted, harness):
    if harness:
        lines = [user("u0", None, "ask")]
        for identity in calls:
            lines.append(reply(f"c{identity}", lines[-1]["uuid"], "m1", f"call:{identity}"))
        lines += [user(f"r{k}", f"c{k}", f"result:{k}") for k in results]
        raw = written(*lines)
    else:
        messages = [
            {"role": "user", "content": "ask"},
            {"role": "assistant", "content": [call(k) for k in calls]},
        ]
        if results:
            messages.append({"role": "user", "content": [result(k) for k in results]})
        raw = json.dumps(messages).encode()
    opened = open_bytes(raw)
    at = f"messages.1.content.{calls.index(asked)}"
    opened.apply(ops.Answer(at=at, text="new", is_error=False))
    blocks = [json.loads(block) for block in sides(tape_of(opened.session))[2][1]]
    found = "".join(
        b["tool_use_id"].upper() if b["content"] == "new" else b["tool_use_id"] for b in blocks
    )
    assert found == wanted


def test_a_block_that_is_moved_to_its_own_message_is_not_lost():
    raw = written(user("u1", None, "one"), user("u2", "u1", "two"), reply("a1", "u2", "m1", "ok"))
    opened = open_bytes(raw)
    opened.apply(ops.Move(at="messages.0.content.0", after="messages.0"))
    texts = [json.loads(block)["text"] for block in tape_of(opened.session)[0][1]]
    assert texts == ["two", "one"]


def test_a_block_that_is_moved_keeps_what_its_line_says():
    raw = written(
        user("u1", None, "ask"),
        reply("a1", "u1", "m1", "call:t"),
        user("r1", "a1", "result:t", toolUseResult={"agentId": "x"}),
        user("u2", "r1", "more"),
    )
    opened = open_bytes(raw)
    opened.apply(ops.Move(at="messages.2.content.0", after="messages.2.content.1"))
    row = json.loads(b"".join(opened.session.written(opened.session, 0)).splitlines()[-1])
    assert (row["uuid"], row["toolUseResult"]) == ("r1", {"agentId": "x"})


def test_a_line_that_is_moved_into_another_reply_shares_its_id():
    raw = written(
        user("u1", None, "ask"),
        reply("a1", "u1", "m1", "one"),
        reply("a2", "a1", "m1", "two"),
        user("u2", "a2", "more"),
        reply("a3", "u2", "m2", "three"),
    )
    opened = open_bytes(raw)
    opened.apply(ops.Move(at="messages.1.content.1", before="messages.3.content.0"))
    assert [len(blocks) for _, blocks in tape_of(opened.session)] == [1, 1, 1, 2]
    assert opened.session.main.messages[3].id == "m2"


FOLDED = [
    ({"agent": "none"}, "there is no sub-agent none"),
    ({"agent": "main"}, "there is no sub-agent main"),
]


@pytest.mark.parametrize(("members", "words"), FOLDED)
def test_what_is_no_sub_agent_is_not_folded(members, words):
    opened = open_bytes(written(user("u1", None, "ask"), reply("a1", "u1", "m1", "one")))
    with pytest.raises(EditError, match=words):
        opened.apply(ops.Fold(**members))


def test_content_is_a_text_or_blocks():
    opened = open_bytes(b'[{"role":"user","content":"x"}]')
    for content in (b"1", b"null", b"{}", b"[]", b'["x"]', b"[{]", b'"x" 1'):
        with pytest.raises(EditError):
            opened.apply(ops.Insert(role="user", content=Raw(content)))
