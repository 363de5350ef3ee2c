"""Turns: one model call and its tool round-trip."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.tape.turn import turns_of
from tests.shorthand import tape

CASES = {
    "no messages": ([], []),
    "a prompt alone": (["user a"], []),
    "a prompt and a reply": (["user a", "assistant b"], [(1, 2, 2)]),
    "a leading reply is turn 1 without a prompt": (
        ["assistant a", "user b", "assistant c"],
        [(0, 1, 2), (2, 3, 3)],
    ),
    "results and the next prompt stand behind the reply": (
        ["user a", "assistant call:x", "user result:x", "user b", "assistant c"],
        [(1, 2, 4), (4, 5, 5)],
    ),
    "neighbouring replies without ids are one turn": (
        ["assistant a", "assistant call:x", "user result:x"],
        [(0, 2, 3)],
    ),
    "neighbouring replies of one id are one turn": (
        ["assistant@m a", "assistant@m b"],
        [(0, 2, 2)],
    ),
    "another id begins another turn": (
        ["assistant@m a", "assistant@n b"],
        [(0, 1, 1), (1, 2, 2)],
    ),
    "an id that comes again after a prompt is another reply": (
        ["assistant@m a", "user b", "assistant@m c"],
        [(0, 1, 2), (2, 3, 3)],
    ),
    "a system message parts no reply": (
        ["assistant a", "system b", "assistant c"],
        [(0, 3, 3)],
    ),
    "a failed call is no turn": (
        ["user a", "assistant! b", "user c", "assistant d"],
        [(3, 4, 4)],
    ),
    "a failed call between two replies of one id parts nothing": (
        ["assistant@m a", "assistant! b", "assistant@m c"],
        [(0, 3, 3)],
    ),
}


@pytest.mark.parametrize("lines, spans", CASES.values(), ids=CASES.keys())
def test_where_turns_start_and_stop(lines, spans):
    turns = turns_of(tape(*lines))
    assert [(turn.start, turn.stop, turn.end) for turn in turns] == spans
    assert [turn.number for turn in turns] == list(range(1, len(turns) + 1))


@given(
    st.lists(
        st.sampled_from(
            ["user a", "assistant a", "assistant@m a", "assistant@n a", "assistant! a", "system a"]
        )
    )
)
def test_turns_follow_one_another_and_hold_every_reply(lines):
    messages = tape(*lines)
    turns = turns_of(messages)
    for turn, after in itertools.pairwise(turns):
        assert turn.end == after.start
    assert all(turn.start < turn.stop <= turn.end for turn in turns)
    held = {k for turn in turns for k in range(turn.start, turn.stop)}
    replies = {k for k, m in enumerate(messages) if m.role == "assistant" and not m.is_failure}
    assert replies <= held
