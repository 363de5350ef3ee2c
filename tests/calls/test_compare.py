"""A reply beside the recorded one: which blocks stand together, what differs, what was decided."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.calls.compare import compare, shown_blocks
from tapeview.calls.decision import canonical
from tapeview.calls.decision import decision_of as decision
from tapeview.calls.own_reply import own_reply
from tapeview.tape.json_text import JsonFault
from tests.formats.samples import SAMPLES, name_of
from tests.helpers import open_bytes, snapshot_of

SHORT = {"same": "=", "differs": "≠", "only recorded": "-", "only new": "+"}


def message(*blocks):
    return json.dumps({"role": "assistant", "content": list(blocks)}).encode()


def text(words):
    return {"type": "text", "text": words}


def thinking(words, signature="c2ln"):
    return {"type": "thinking", "thinking": words, "signature": signature}


def call(name="Edit", identity="toolu_1", **given):
    return {"type": "tool_use", "id": identity, "name": name, "input": given}


def lines(recorded, new):
    return [
        f"{SHORT[pair.sameness]} {(pair.recorded or pair.new).kind} {pair.reason}".strip()
        for pair in compare(message(*recorded), message(*new))
    ]


READ, LOOK = call("Read", path="a.py"), call("Bash", command="ls")
CASES = [
    ([text("a")], [text("a")], ["= text"]),
    ([text("a")], [text("b")], ["≠ text other text"]),
    ([], [text("a")], ["+ text a text not recorded"]),
    ([text("a")], [], ["- text the recorded text did not come"]),
    (
        [text("a"), READ],
        [thinking("hm"), text("a"), READ],
        ["+ thinking a thinking block not recorded", "= text", "= tool_use"],
    ),
    ([thinking("hm")], [thinking("hm", "other")], ["= thinking"]),
    ([thinking("hm")], [thinking("so")], ["≠ thinking other thinking block"]),
    ([call(path="a", n=1)], [call(identity="toolu_9", n=1.0, path="a")], ["= tool_use"]),
    ([call(n=True)], [call(n=1)], ["≠ tool_use same tool, other n"]),
    ([READ], [call("Edit", path="a.py")], ["≠ tool_use other tool: Edit, not Read"]),
    (
        [call(file_path="src/ledger/lease.py", old_string="a")],
        [call(file_path="src/ledger/pool.py", old_string="b")],
        ["≠ tool_use same tool, other file: pool.py, not lease.py"],
    ),
    (
        [call(path="a/x.py")],
        [call(path="b/x.py")],
        ["≠ tool_use same tool, other file: b/x.py, not a/x.py"],
    ),
    (
        [call(a=1, b=1, c=1, d=1)],
        [call(a=2, b=2, c=2, d=2)],
        ["≠ tool_use same tool, other a, b, c and more"],
    ),
    ([READ, LOOK], [LOOK], ["- tool_use the recorded call of Read did not come", "= tool_use"]),
    ([LOOK], [READ, LOOK], ["+ tool_use a call of Read not recorded", "= tool_use"]),
    ([READ, text("x")], [text("x"), READ], ["= tool_use", "= text"]),
    ([{"type": "new", "x": 1}], [{"x": 1.0, "type": "new"}], ["= new"]),
    ([{"type": "new", "x": 1}], [{"type": "new", "x": 2}], ["≠ new other new block"]),
    ([{"x": 1}], [{"x": 2}], ["≠  other nameless block"]),
]


@pytest.mark.parametrize(("recorded", "new", "wanted"), CASES)
def test_blocks_are_paired_by_kind_and_order(recorded, new, wanted):
    assert lines(recorded, new) == wanted


def test_a_pair_has_both_gists_and_how_many_lines_differ():
    (pair,) = compare(message(text("one\ntwo\nthree\n")), message(text("one\n2\n2b\nthree\n")))
    assert (pair.added, pair.removed) == (2, 1)
    assert (pair.recorded.gist, pair.new.gist) == ("one ¶ two ¶ three", "one ¶ 2 ¶ 2b ¶ three")
    edit = call(file_path="/w/src/a.py", old_string="x\ny", new_string="x\nz\n")
    (pair,) = compare(message(edit), message(edit), "/w")
    assert (pair.recorded.name, pair.recorded.gist) == ("Edit", "src/a.py  +2 -1")
    assert json.loads(pair.recorded.raw) == edit["input"]


def test_hostile_blocks_are_shown_clean_and_compared_whole():
    odd = text("\ud83d \x1b[31m")
    (pair,) = compare(message(odd), message(odd))
    assert pair.sameness == "same"
    assert "\x1b" not in pair.recorded.gist
    name = call("\x1b[2J" + "x" * 500, deep="y" * 10_000)
    (shown,) = shown_blocks(message(name))
    assert "\x1b" not in shown.name
    assert len(shown.name) <= 80
    broken = b'{"content":[{"type":"tool_use","name":"a","input":' + b"[" * 3000 + b"]" * 3000
    (pair,) = compare(broken + b"}]}", broken + b"}]}")
    assert pair.sameness == "same"
    many = message(*[text(str(k % 3)) for k in range(3000)])
    assert {pair.sameness for pair in compare(many, many)} == {"same"}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ([text("a")], [thinking("why"), text("a")], True),
        ([text("a")], [text(" a\n")], True),
        ([text("a")], [text("b")], False),
        ([text("I look"), READ], [text("Looking"), READ | {"id": "other"}], True),
        ([READ, LOOK], [LOOK, READ], False),
        ([READ], [READ, LOOK], False),
        ([call(n=1.0)], [call(n=1)], True),
        ([call(n=1)], [call(n="1")], False),
        ([], [], True),
    ],
)
def test_equal_decisions_count_as_one(one, other, same):
    decisions = {decision(message(*one)), decision(message(*other))}
    assert len(decisions) == (1 if same else 2)


def test_a_text_without_a_list_is_a_reply_too():
    assert decision(b'{"content":"hi"}') == decision(message(text("hi")))
    with pytest.raises(JsonFault):
        decision(b'{"content":[')


@pytest.mark.parametrize(
    ("value", "spelling"),
    [
        ({"b": [1.0, True, None], "a": "é"}, '{"a":"é","b":[1,true,null]}'),
        (1e15, "1000000000000000.0"),
        (0.5, "0.5"),
        (float("inf"), "Infinity"),
    ],
)
def test_the_canonical_spelling(value, spelling):
    assert canonical(value) == spelling


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, 1.0, "1", "", "\ud83d"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=8,
)


def strict(value):
    """A value in which true is not 1."""
    if isinstance(value, dict):
        return {key: strict(member) for key, member in value.items()}
    if isinstance(value, list):
        return [strict(member) for member in value]
    return ("bool", value) if isinstance(value, bool) else value


@given(VALUES, VALUES)
def test_values_are_spelled_alike_only_where_they_are_equal(one, other):
    assert (canonical(one) == canonical(other)) == (strict(one) == strict(other))


@pytest.mark.parametrize("path", SAMPLES, ids=name_of)
def test_every_own_reply_is_the_same_as_itself(path):
    snapshot = open_bytes(path.read_bytes()).snapshot()
    for turn in snapshot.index.turns:
        reply = own_reply(snapshot, turn.number)
        pairs = compare(reply, reply)
        assert {pair.sameness for pair in pairs} == {"same"}
        blocks = [b for m in snapshot.tape.messages[turn.start : turn.stop] for b in m.blocks]
        assert [pair.recorded.kind for pair in pairs] == [block.kind for block in blocks]


def test_reasoning_of_chat_is_thinking():
    body = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "reasoning_content": "hm", "content": "hi"},
        {"role": "tool", "tool_call_id": "x", "content": ""},
    ]
    snapshot = snapshot_of(body)
    reply = own_reply(snapshot, 1)
    assert [shown.kind for shown in shown_blocks(reply)] == ["thinking", "text"]
