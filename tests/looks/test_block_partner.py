"""The partner line: one wording for each state of a link, at each of its ends."""

import pytest

from tapeview.looks.block_partner import link_of, partner_line, state_of
from tests.block_samples import at, call, claude, model, result, text, user
from tests.helpers import snapshot_of

ASK = user("go")
SOUND = [ASK, model(call("a")), user(result("a", "four"))]
LATE = [ASK, model(call("a")), user("hm"), model("wait"), user(result("a", "four"))]
EARLY = [ASK, model("hm"), user(result("a")), model(call("a")), user("hm")]
DOUBLED = [ASK, model(call("a")), user(result("a", "four"), result("a", "four"))]
SWAPPED = [ASK, model(call("a"), call("b")), user(result("b"), result("a"))]
NO_ID = {"type": "tool_use", "name": "Bash", "input": {}}
NO_TARGET = {"type": "tool_result", "content": "x"}
LEGACY = [
    ASK,
    {"role": "assistant", "content": None, "function_call": {"name": "run", "arguments": "{}"}},
    user("well?"),
]
TIMED = claude(
    {**ASK, "at": "10:00:00"},
    {**model(call("a")), "id": "m1", "at": "10:00:01"},
    {**user(result("a", "four")), "at": "10:00:01.700"},
)


@pytest.mark.parametrize(
    ("body", "place", "sign", "words"),
    [
        (SOUND, "messages.1.content.0", "result", "answered by messages.2.content.0  4 B  t"),
        (SOUND, "messages.2.content.0", "call", "answers messages.1.content.0  t"),
        (
            TIMED,
            "messages.1.content.0",
            "result",
            "answered by messages.2.content.0  4 B  0.7 s  t",
        ),
        (TIMED, "messages.2.content.0", "call", "answers messages.1.content.0  0.7 s later  t"),
        (
            LATE,
            "messages.1.content.0",
            "loose_passes",
            "late: answered by messages.4.content.0, turn 2  t",
        ),
        (
            LATE,
            "messages.4.content.0",
            "loose_passes",
            "late: answers messages.1.content.0, Bash of turn 1  t",
        ),
        (
            EARLY,
            "messages.3.content.0",
            "loose_passes",
            "early: answered by messages.2.content.0, turn 1  t",
        ),
        (
            EARLY,
            "messages.2.content.0",
            "loose_passes",
            "early: answers messages.3.content.0, Bash of turn 2  t",
        ),
        (
            DOUBLED,
            "messages.1.content.0",
            "result",
            "answered by messages.2.content.0 and 1 more  4 B  t",
        ),
        (DOUBLED, "messages.2.content.0", "call", "answers messages.1.content.0  t"),
        (
            DOUBLED,
            "messages.2.content.1",
            "doubled",
            "doubled: 2 of 2, the first is messages.2.content.0  t",
        ),
        (SWAPPED, "messages.1.content.0", "result", "answered by messages.2.content.1  4 B  t"),
        (
            SWAPPED,
            "messages.2.content.0",
            "swapped",
            "swapped: answers messages.1.content.1, in another order than the calls  t",
        ),
        (
            [ASK, model(call("a"))],
            "messages.1.content.0",
            "pending_end",
            "pending: the tape ends here",
        ),
        (
            [ASK, model(call("toolu_1")), ASK],
            "messages.1.content.0",
            "cut_end",
            "dangling: no result carries toolu_1",
        ),
        (
            [ASK, model(NO_ID), ASK],
            "messages.1.content.0",
            "cut_end",
            "dangling: it has no id to be answered by",
        ),
        (
            LEGACY,
            "messages.1.function_call",
            "cut_end",
            "dangling: no result carries the name run",
        ),
        ([user(result("x\x07"))], "messages.0.content.0", "cut_end", "orphan: no call carries x¤"),
        ([user(NO_TARGET)], "messages.0.content.0", "cut_end", "orphan: it names no call"),
    ],
)
def test_the_other_end(body, place, sign, words):
    snapshot = snapshot_of(body)
    line = partner_line(snapshot, at(snapshot, place))
    assert (line.sign, line.text) == (sign, words)


def test_a_call_without_a_name_is_a_call():
    body = [ASK, model({"type": "tool_use", "id": "a", "input": {}}), *LATE[2:]]
    snapshot = snapshot_of(body)
    line = partner_line(snapshot, at(snapshot, "messages.4.content.0"))
    assert line.text == "late: answers messages.1.content.0, a call of turn 1  t"


@pytest.mark.parametrize("place", ["messages.0", "messages.1.content.0", "kind:turn"])
def test_what_is_no_link_has_no_partner(place):
    snapshot = snapshot_of([ASK, model(text("x"), call("a")), user(result("a"))])
    row = at(snapshot, place)
    assert link_of(snapshot, row) is None
    assert state_of(snapshot, row) == "answered"
    assert partner_line(snapshot, row) is None


def test_the_key_is_shown_only_where_it_leads_somewhere():
    for body, place, has in (
        (SOUND, "messages.1.content.0", True),
        ([ASK, model(call("a")), ASK], "messages.1.content.0", False),
    ):
        snapshot = snapshot_of(body)
        styles = [style for style, _ in partner_line(snapshot, at(snapshot, place)).parts]
        assert ("keycap" in styles) is has
