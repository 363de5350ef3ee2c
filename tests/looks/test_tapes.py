"""The list of tapes, the call that started a sub-agent, and where the screen begins."""

from pathlib import Path

import pytest

from tapeview.errors import PlaceError
from tapeview.looks.tapes import Start, counts_of, first_row, origin_of, start_of, tapes_of
from tapeview.open_session import OpenSession, load
from tapeview.tape.outline import row_path
from tests.formats.claude import reply, session, user
from tests.formats.test_claude_tapes import COMPACTED, REWOUND

SAMPLES = sorted((Path(__file__).parents[2] / "sample_sessions").glob("*.json*"))
CRASH = next(path for path in SAMPLES if path.name == "crash.jsonl")
AGENT = "agent:a91c3f0"

NO_PARENT = (
    user("u1", None, "ask"),
    reply("a1", "u1", "m1", "one"),
    user("s1", None, "nobody called me", isSidechain=True),
    reply("s2", "s1", "m2", "well", isSidechain=True),
)


def crash():
    return load(str(CRASH))


def shown(opened, at):
    """A row by its path on the stored chain, or by its kind."""
    whole = opened.snapshot()
    row = whole.rows[at]
    if row.kind != "block":
        return f"{row.kind} {row.turn}".removesuffix(" 0")
    line = whole.of(row)
    return f"{line.tape.id} {row_path(whole.session, line.index, row)}"


@pytest.mark.parametrize(
    ("lines", "listed"),
    [
        (COMPACTED, ["main: 3 turns", "main~1: turn 2", "main~2: turn 1"]),
        (REWOUND, ["main: 2 turns", "branch:1: from turn 1"]),
        (NO_PARENT, ["main: 1 turn", "agent:line-3: "]),
        (REWOUND[:1], ["main: 0 turns"]),
    ],
    ids=["compacted", "rewound", "an agent without a call", "one prompt"],
)
def test_what_is_listed(lines, listed):
    whole = OpenSession(session(*lines)).snapshot()
    assert [f"{entry.id}: {entry.span}" for entry in tapes_of(whole)] == listed


def test_a_prompt_taken_back_at_once_left_from_the_start():
    lines = (user("u0", None, "hi"), user("u1", "u0", "this way"))
    lines += (reply("a1", "u1", "m1", "x"), user("u2", "u0", "that way"))
    whole = OpenSession(session(*lines, reply("a2", "u2", "m2", "y"))).snapshot()
    assert tapes_of(whole)[1].span == "from the start"


def test_sub_agents_stand_in_the_order_of_their_calls():
    assert [entry[:] for entry in tapes_of(crash().snapshot())] == [
        ("main", "main", "9 turns"),
        (AGENT, "agent", "from turn 5"),
    ]


def test_each_tape_counts_for_itself():
    opened = crash()
    size, turns, tally = counts_of(opened.snapshot())
    assert (size, turns) == (opened.snapshot().sent_now, 9)
    assert [found.words for found in tally] == ["1 error", "4 warnings"]
    assert counts_of(opened.snapshot(AGENT))[1:] == (3, ())


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_of_every_sample_all_tapes_are_listed_and_can_be_begun_at(path):
    opened = load(str(path))
    whole = opened.snapshot()
    listed = tapes_of(whole)
    assert sorted(entry.id for entry in listed) == sorted(t.id for t in opened.session.tapes)
    for entry in listed:
        start = start_of(opened, entry.id)
        assert 0 <= start.row < len(whole.rows)
        assert start.agent == (entry.id if entry.kind == "agent" else "")
        if entry.kind in ("segment", "branch"):
            assert start.row == first_row(whole, entry.id)
            assert whole.of(whole.rows[start.row]).tape.id == entry.id


def test_the_call_that_started_a_sub_agent():
    opened = crash()
    origin = origin_of(opened.snapshot(), opened.snapshot(AGENT).tape)
    assert origin is not None
    assert shown(opened, origin.row) == f"main {origin.path}" == "main messages.9.content.1"
    assert origin.short == "from turn 5"
    assert origin.sentence == (
        "started by Task of turn 5, messages.9.content.1; one result went back"
    )
    assert origin.line.text == "started by messages.9.content.1, Task of turn 5  t"


def test_a_sub_agent_whose_call_is_unknown_has_no_origin():
    opened = OpenSession(session(*NO_PARENT))
    assert origin_of(opened.snapshot(), opened.session.tapes[-1]) is None
    assert start_of(opened, "agent:line-3") == Start(0, "agent:line-3", 0)


@pytest.mark.parametrize(
    ("lines", "tape", "turn", "at", "begins"),
    [
        (COMPACTED, "main", None, None, "segment"),
        (COMPACTED, "main", 2, None, "turn 2"),
        (COMPACTED, "main~1", None, None, "main~1 messages.0"),
        (COMPACTED, "main~2", 1, None, "turn 1"),
        (COMPACTED, "main~1", None, "messages.1", "main~1 messages.1.content.0"),
        (REWOUND, "branch:1", None, None, "branch:1 messages.2"),
        (REWOUND, "branch:1", 2, None, "turn 2"),
        (REWOUND, "branch:1", None, "messages.3", "branch:1 messages.3.content.0"),
        (REWOUND, "branch:1", None, "messages.0", "main messages.0"),
        (REWOUND, "main", None, "messages.3", "main messages.3.content.0"),
    ],
)
def test_where_the_screen_begins(lines, tape, turn, at, begins):
    opened = OpenSession(session(*lines))
    start = start_of(opened, tape, turn, at)
    assert start.agent == ""
    assert shown(opened, start.row) == begins


def test_a_turn_of_a_branch_is_the_one_on_the_branch():
    opened = OpenSession(session(*REWOUND))
    whole = opened.snapshot()
    assert whole.of(whole.rows[start_of(opened, "branch:1", 2).row]).tape.id == "branch:1"
    assert whole.of(whole.rows[start_of(opened, "main", 2).row]).tape.id == "main"


def test_a_sub_agent_begins_over_main_at_its_call():
    opened = crash()
    agent = opened.snapshot(AGENT)
    row, tape, place = start_of(opened, AGENT, turn=2)
    assert shown(opened, row) == "main messages.9.content.1"
    assert (tape, place) == (AGENT, agent.turn_row_of[2])
    assert start_of(opened, AGENT).agent_row == 0


@pytest.mark.parametrize(
    ("tape", "turn", "at", "says"),
    [
        ("agent:x", None, None, f"no tape agent:x: it has main, {AGENT}."),
        (AGENT, 9, None, "no turn 9: there are 3."),
        (AGENT, None, "messages.99", "no message 99: there are 6."),
        ("main", 99, None, "no turn 99: there are 9."),
    ],
)
def test_a_place_that_is_not_there(tape, turn, at, says):
    with pytest.raises(PlaceError, match=r"crash\.jsonl: ") as caught:
        start_of(crash(), tape, turn, at)
    assert str(caught.value).endswith(says)
