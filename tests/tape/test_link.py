"""Links: which call goes with which result, and in which of eight states."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.tape.block import CALLS, RESULTS
from tapeview.tape.link import LINK_STATES, links_of
from tapeview.tape.message import sides_of
from tests.shorthand import tape


def links(*lines):
    messages = tape(*lines)
    return links_of(messages, sides_of(messages))


def shown(link):
    """``answered a 1.0 > 2.0``: state, id or name, where the call is, where its results are."""
    block = link.ends[0].block
    call = f"{link.call.place.message}.{link.call.place.block}" if link.call else "nothing"
    found = " ".join(f"{end.place.message}.{end.place.block}" for end in link.results)
    return f"{link.state} {block.id or block.name} {call} > {found}".rstrip()


CASES = {
    "one call and its result": (
        ["user ask", "assistant call:a", "user result:a", "assistant done"],
        ["answered a 1.0 > 2.0"],
    ),
    "three parallel calls": (
        ["user ask", "assistant call:a call:b call:c", "user result:a result:b result:c"],
        ["answered a 1.0 > 2.0", "answered b 1.1 > 2.1", "answered c 1.2 > 2.2"],
    ),
    "results over two user messages": (
        ["assistant call:a call:b", "user result:a", "user result:b"],
        ["answered a 0.0 > 1.0", "answered b 0.1 > 2.0"],
    ),
    "text and call in two assistant messages": (
        ["assistant words", "assistant call:a", "user result:a"],
        ["answered a 1.0 > 2.0"],
    ),
    "text before the result is still an answer": (
        ["assistant call:a", "user also", "user result:a"],
        ["answered a 0.0 > 2.0"],
    ),
    "the tape ends with the call": (["user ask", "assistant call:a"], ["pending a 1.0 >"]),
    "the tape ends with the results of its sisters": (
        ["assistant call:a call:b call:c", "user result:b"],
        ["pending a 0.0 >", "answered b 0.1 > 1.0", "pending c 0.2 >"],
    ),
    "a prompt stands where the result should": (
        ["assistant call:a", "user stop"],
        ["dangling a 0.0 >"],
    ),
    "a prompt beside the result of a sister": (
        ["assistant call:a call:b", "user result:a stop"],
        ["answered a 0.0 > 1.0", "dangling b 0.1 >"],
    ),
    "the model speaks again without the result": (
        ["assistant call:a", "user ask", "assistant call:b"],
        ["dangling a 0.0 >", "pending b 2.0 >"],
    ),
    "a result of a call that was cut off": (
        ["user result:a", "assistant done"],
        ["orphan a nothing > 0.0"],
    ),
    "a result that names another id": (
        ["assistant call:a", "user result:aa", "assistant done"],
        ["dangling a 0.0 >", "orphan aa nothing > 1.0"],
    ),
    "the result comes a turn too late": (
        ["assistant call:a call:b", "user result:b", "assistant call:c", "user result:c result:a"],
        ["late a 0.0 > 3.1", "answered b 0.1 > 1.0", "answered c 2.0 > 3.0"],
    ),
    "the result comes before its call": (
        ["user result:a", "assistant call:a", "user go-on"],
        ["early a 1.0 > 0.0"],
    ),
    "a result inside the assistant's own message is late": (
        ["assistant call:a result:a", "user go-on"],
        ["late a 0.0 > 0.1"],
    ),
    "two results in one message": (
        ["assistant call:a", "user result:a result:a"],
        ["doubled a 0.0 > 1.0 1.1"],
    ),
    "a second result, turns later": (
        ["assistant call:a", "user result:a", "assistant call:b", "user result:b result:a"],
        ["doubled a 0.0 > 1.0 3.1", "answered b 2.0 > 3.0"],
    ),
    "a late result that comes twice": (
        ["assistant call:a", "user ask", "assistant ok", "user result:a", "user result:a"],
        ["doubled a 0.0 > 3.0 4.0"],
    ),
    "two results change places": (
        ["assistant call:a call:b", "user result:b result:a"],
        ["swapped a 0.0 > 1.1", "swapped b 0.1 > 1.0"],
    ),
    "only those out of order are swapped": (
        ["assistant call:a call:b call:c", "user result:a result:c result:b"],
        ["answered a 0.0 > 1.0", "swapped b 0.1 > 1.2", "swapped c 0.2 > 1.1"],
    ),
    "an absent result does not swap the others": (
        ["assistant call:a call:b call:c", "user result:b result:c", "user go-on"],
        ["dangling a 0.0 >", "answered b 0.1 > 1.0", "answered c 0.2 > 1.1"],
    ),
    "an id used twice in a turn: the nth result to the nth call": (
        ["assistant call:a call:a", "user result:a result:a"],
        ["answered a 0.0 > 1.0", "answered a 0.1 > 1.1"],
    ),
    "an id used twice, answered once": (
        ["assistant call:a call:a", "user result:a", "assistant done"],
        ["answered a 0.0 > 1.0", "dangling a 0.1 >"],
    ),
    "an id used twice, answered three times": (
        ["assistant call:a call:a", "user result:a result:a result:a"],
        ["answered a 0.0 > 1.0", "doubled a 0.1 > 1.1 1.2"],
    ),
    "an id used again in a later turn": (
        ["assistant call:a", "user result:a", "assistant call:a", "user result:a"],
        ["answered a 0.0 > 1.0", "answered a 2.0 > 3.0"],
    ),
    "a late result goes to the last open call of its id": (
        [
            "assistant call:a",
            "user ask",
            "assistant call:a",
            "user ask",
            "assistant ok",
            "user result:a",
        ],
        ["dangling a 0.0 >", "late a 2.0 > 5.0"],
    ),
    "without an id nothing matches": (
        ["assistant call:", "user result:", "assistant done"],
        ["dangling Read 0.0 >", "orphan  nothing > 1.0"],
    ),
    "a system message between call and result is transparent": (
        ["assistant call:a", "system notice", "user result:a"],
        ["answered a 0.0 > 2.0"],
    ),
    "an unknown role is transparent too": (
        ["assistant call:a", "narrator aside", "user result:a"],
        ["answered a 0.0 > 2.0"],
    ),
    "a call in a message that no side has is not answered by the first side": (
        ["system call:a", "user result:a", "assistant ok"],
        ["late a 0.0 > 1.0"],
    ),
    "a server pair inside its message": (
        ["user ask", "assistant search:s found:s words"],
        ["answered s 1.0 > 1.1"],
    ),
    "a server pair over two messages of one side": (
        ["assistant search:s", "assistant found:s"],
        ["answered s 0.0 > 1.0"],
    ),
    "a deferred server tool, first phase": (
        ["assistant search:s call:a", "user result:a"],
        ["pending s 0.0 >", "answered a 0.1 > 1.0"],
    ),
    "a deferred server tool, second phase": (
        ["assistant search:s call:a", "user result:a", "assistant found:s"],
        ["answered s 0.0 > 2.0", "answered a 0.1 > 1.0"],
    ),
    "a server result before its call": (
        ["user ask", "assistant found:s search:s", "user more"],
        ["early s 1.1 > 1.0"],
    ),
    "a server result two turns on is late": (
        ["assistant search:s", "user ask", "assistant ok", "user ask", "assistant found:s"],
        ["late s 0.0 > 4.0"],
    ),
    "a server call that never came back": (
        ["assistant search:s", "user ask", "assistant ok"],
        ["dangling s 0.0 >"],
    ),
    "a server result that answers nothing": (
        ["assistant found:s", "user ask"],
        ["orphan s nothing > 0.0"],
    ),
    "client and server ids do not mix": (
        ["assistant search:s", "user result:s", "assistant ok"],
        ["dangling s 0.0 >", "orphan s nothing > 1.0"],
    ),
    "legacy calls pair by name, in order": (
        [
            "assistant ask-by-name:f",
            "user answer-by-name:f",
            "assistant ask-by-name:f",
            "user answer-by-name:f",
        ],
        ["answered f 0.0 > 1.0", "answered f 2.0 > 3.0"],
    ),
    "a legacy answer of another name": (
        ["assistant ask-by-name:f", "user answer-by-name:g", "assistant ok"],
        ["dangling f 0.0 >", "orphan g nothing > 1.0"],
    ),
    "nothing to link": (["user ask", "assistant done"], []),
    "an empty tape": ([], []),
}


@pytest.mark.parametrize("lines, expected", CASES.values(), ids=CASES.keys())
def test_calls_and_results_find_one_another(lines, expected):
    assert [shown(link) for link in links(*lines)] == expected


def test_all_eight_states_are_in_the_table():
    seen = {line.split()[0] for _, expected in CASES.values() for line in expected}
    assert seen == set(LINK_STATES)


@pytest.mark.parametrize(
    "lines, call, results",
    [
        (["assistant call:a", "user result:a result:a"], "answered", ["answered", "doubled"]),
        (["assistant call:a call:b", "user result:b result:a"], "answered", ["swapped"]),
        (["assistant call:a", "user x", "assistant y", "user result:a"], "late", ["late"]),
        (["assistant call:a", "user x"], "dangling", []),
    ],
    ids=["doubled", "swapped", "late", "dangling"],
)
def test_the_state_shows_at_the_end_that_is_wrong(lines, call, results):
    link = links(*lines)[0]
    assert link.state_of(link.call.block) == call
    assert [link.state_of(end.block) for end in link.results] == results


def test_ten_thousand_parallel_calls():
    names = [f"c{k}" for k in range(10_000)]
    calls = " ".join(f"call:{name}" for name in names)
    results = " ".join(f"result:{name}" for name in reversed(names))
    found = links("user ask", f"assistant {calls}", f"user {results}")
    assert len(found) == 10_000
    assert {link.state for link in found} == {"swapped"}


@pytest.mark.parametrize("order", ["late", "early", "doubled"])
def test_ten_thousand_ends_of_one_id(order):
    calls = "assistant " + " ".join(["call:a"] * 10_000)
    results = "user " + " ".join(["result:a"] * 10_000)
    lines = {
        "late": [calls, "user ask", "assistant ok", results],
        "early": [results, "assistant ok", "user ask", calls, "user ask"],
        "doubled": ["assistant call:a", results],
    }[order]
    found = links(*lines)
    assert {link.state for link in found} == {order}
    assert sum(len(link.results) for link in found) == 10_000


words = st.sampled_from(
    ["call:a", "call:b", "call:", "result:a", "result:b", "result:", "search:a", "found:a", "text"]
)
lines_of_words = st.lists(
    st.builds(
        lambda role, blocks: " ".join([role, *blocks]),
        st.sampled_from(["user", "assistant", "system", "narrator"]),
        st.lists(words, max_size=5),
    ),
    max_size=8,
)


@given(lines_of_words)
def test_every_call_and_every_result_is_in_exactly_one_link(lines):
    messages = tape(*lines)
    wanted = [
        block
        for message in messages
        for block in message.blocks
        if block.kind in CALLS or block.kind in RESULTS
    ]
    found = links_of(messages, sides_of(messages))
    ends = [end.block for link in found for end in link.ends]
    assert sorted(map(id, ends)) == sorted(map(id, wanted))
    assert list(found) == sorted(found, key=lambda link: min(end.place for end in link.ends))


@given(lines_of_words)
def test_a_state_tells_how_many_results_there_are(lines):
    for link in links(*lines):
        if link.state == "orphan":
            assert link.call is None
            assert len(link.results) == 1
        elif link.state in ("pending", "dangling"):
            assert not link.results
        elif link.state == "doubled":
            assert len(link.results) > 1
        else:
            assert len(link.results) == 1
        if link.state == "early":
            assert link.results[0].place < link.call.place
        if link.state == "late":
            assert link.results[0].place > link.call.place
