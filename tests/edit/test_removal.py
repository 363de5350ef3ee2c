"""Which links a removal would part, and what becomes of the ends that stay."""

import json

import pytest

from tapeview.edit import operations as ops
from tapeview.edit.removal import Removal
from tapeview.errors import PairSplit
from tests.edit.test_work import work_of
from tests.helpers import open_bytes


def call(identity, kind="tool_use"):
    return {"type": kind, "id": identity, "name": "R", "input": {}}


def result(identity, kind="tool_result"):
    return {"type": kind, "tool_use_id": identity, "content": "ok"}


TAPE = [
    {"role": "user", "content": "ask"},
    {"role": "assistant", "content": [call("a"), call("b")]},
    {"role": "user", "content": [result("a"), result("b"), result("b")]},
    {
        "role": "assistant",
        "content": [call("s", "server_tool_use"), result("s", "web_search_tool_result")],
    },
    {"role": "user", "content": [result("nobody")]},
    {"role": "assistant", "content": [call("open")]},
]

LATE = [
    {"role": "user", "content": "ask"},
    {"role": "assistant", "content": [call("a")]},
    {"role": "user", "content": "go on"},
    {"role": "assistant", "content": "so"},
    {"role": "user", "content": [result("a")]},
]


def test_a_late_result_that_goes_leaves_an_answer_where_it_belongs():
    opened = open_bytes(json.dumps(LATE).encode())
    opened.apply(ops.Delete(at=("messages.4.content.0",), pairs="answer"))
    after = opened.snapshot()
    link = after.index.link_of[after.tape.messages[1].blocks[0]]
    assert link.state == "answered"
    assert [end.place.message for end in link.results] == [2]
    assert not after.findings


ASKED = [
    ([], ()),
    (["messages.0"], ()),
    (["messages.1.content.0"], ("messages.2.content.0",)),
    (["messages.2.content.0"], ("messages.1.content.0",)),
    (["messages.2.content.1"], ()),
    (["messages.2.content.1", "messages.2.content.2"], ("messages.1.content.1",)),
    (["messages.1.content.1"], ("messages.2.content.1", "messages.2.content.2")),
    (["messages.3.content.0"], ("messages.3.content.1",)),
    (["messages.3"], ()),
    (["messages.4"], ()),
    (["messages.5"], ()),
    (["messages.1", "messages.2"], ()),
]


@pytest.mark.parametrize(("paths", "places"), ASKED)
def test_the_other_ends_are_named(paths, places):
    work = work_of(TAPE)
    removal = Removal(work, "ask")
    for path in paths:
        removal.add(work.target(path))
    if not places:
        removal.carry_out()
        return
    with pytest.raises(PairSplit) as caught:
        removal.carry_out()
    assert caught.value.places == places
    assert work.draft.edit("").splices == ()


def kinds(pairs, *paths):
    work = work_of(TAPE)
    removal = Removal(work, pairs)
    for path in paths:
        removal.add(work.target(path))
    removal.carry_out()
    found = []
    for record in work.draft.rows(0):
        content = json.loads(work.session.bytes_of(record))["content"]
        ends = [b.get("id") or b["tool_use_id"] for b in content] if content != "ask" else ["ask"]
        found.append(" ".join(ends))
    return found


def test_both_takes_all_ends():
    assert kinds("both", "messages.1.content.1") == ["ask", "a", "a", "s s", "nobody", "open"]
    assert kinds("both", "messages.3.content.0") == ["ask", "a b", "a b b", "nobody", "open"]


def test_keep_leaves_the_other_ends():
    assert kinds("keep", "messages.1") == ["ask", "a b b", "s s", "nobody", "open"]


def test_answer_keeps_a_call_with_one_result():
    ends = ("messages.2.content.1", "messages.2.content.2")
    assert kinds("answer", *ends) == ["ask", "a b", "a b", "s s", "nobody", "open"]
    assert kinds("answer", "messages.2") == ["ask", "a b", "a b", "s s", "nobody", "open"]
    assert kinds("answer", "messages.1.content.0") == ["ask", "b", "b b", "s s", "nobody", "open"]


def test_a_tool_that_the_api_runs_is_not_answered_for_it():
    assert kinds("answer", "messages.3.content.1") == ["ask", "a b", "a b b", "nobody", "open"]
