"""A search through the timeline's rows and then the tapes of sub-agents."""

from pathlib import Path

import pytest

from tapeview.open_session import OpenSession, load
from tapeview.search.find import parse
from tapeview.search.run import Beyond, SearchRun, tapes_beyond
from tests.block_samples import call, model, user
from tests.helpers import session_of

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
NEVER, AT_ONCE = 1e18, 0.0
OPENED = load(str(SAMPLES / "crash.jsonl"))
MAIN = OPENED.snapshot()
AGENT = "agent:a91c3f0"


def run_of(words, start=0, regex=False):
    run = SearchRun(MAIN, parse(words, regex), start, tapes_beyond(OPENED, MAIN))
    run.go_on(NEVER)
    return run


def test_a_sub_agent_is_reached_from_the_call_that_started_it():
    (beyond,) = tapes_beyond(OPENED, MAIN)
    assert beyond.snapshot.tape.id == AGENT
    row = MAIN.rows[beyond.row]
    assert row.block is not None
    assert (row.block.kind, row.block.name) == ("tool_use", "Task")
    assert tapes_beyond(OPENED, OPENED.snapshot(AGENT)) == ()


def test_a_session_without_agents_has_nothing_beyond():
    opened = OpenSession(session_of([user("go"), model(call("a"))]))
    assert tapes_beyond(opened, opened.snapshot()) == ()


@pytest.mark.parametrize(
    ("words", "here", "more"),
    [
        ("acquire", 5, f"6 in {AGENT}"),
        ("drafts", 1, f"1 in {AGENT}"),  # the call that leads there
        ("is:error", 2, ""),
        ("tool:Read", 13, f"4 in {AGENT}"),
        ("role:assistant", 24, f"6 in {AGENT}"),
        ("nothing like that", 0, ""),
        ("", 0, ""),
    ],
)
def test_what_is_found_here_and_beyond(words, here, more):
    run = run_of(words)
    assert (len(run.found), run.more) == (here, more)
    assert run.is_done
    assert run.progress == ""


def test_the_row_that_was_found_first_is_the_nearest_below():
    rows = list(run_of("acquire").found)
    assert run_of("acquire").first == rows[0]
    assert run_of("acquire", rows[2]).first == rows[2]
    assert run_of("acquire", rows[-1] + 1).first == rows[-1]
    assert run_of("nothing like that").first == -1
    call_row = tapes_beyond(OPENED, MAIN)[0].row
    assert run_of("drafts").first == call_row


def test_it_stops_when_the_time_is_over_and_goes_on():
    run = SearchRun(MAIN, parse("acquire"), 0, tapes_beyond(OPENED, MAIN))
    said, done_here = [], []
    news = 0
    while not run.is_done:
        news += run.go_on(AT_ONCE)
        said.append(run.progress)
        done_here.append(run.is_done_here)
    assert news == len(run.found) == 5
    assert said[0].endswith(" % read")
    assert f"reading {AGENT}" in said
    assert said[-1] == ""
    assert done_here == sorted(done_here)
    assert not done_here[0]
    assert run.go_on(NEVER) is False


def test_lines_of_the_timeline_are_told_apart():
    opened = load(str(SAMPLES / "compacted.jsonl"))
    snapshot = opened.snapshot()
    run = SearchRun(snapshot, parse("role:user"))
    run.go_on(NEVER)
    assert len(run.lines) == len({row.tape for row in snapshot.rows if row.kind == "block"}) > 1


def test_blocks_that_were_given_up_are_counted():
    slow = OpenSession(session_of([user("a" * 50 + "b"), model("ok"), user("a" * 50 + "b")]))
    run = SearchRun(slow.snapshot(), parse("(a+)+$", regex=True))
    run.go_on(NEVER)
    assert run.slow == 2


def test_a_tape_with_an_unknown_call_is_counted_all_the_same():
    agent = OPENED.snapshot(AGENT)
    run = SearchRun(MAIN, parse("drafts"), 0, [Beyond(agent, -1)])
    run.go_on(NEVER)
    assert (len(run.found), run.first, run.more) == (0, -1, f"1 in {AGENT}")


def test_several_agents_are_counted_together():
    agent = OPENED.snapshot(AGENT)
    other = OPENED.snapshot("main")
    run = SearchRun(MAIN, parse("acquire"), 0, [Beyond(agent, 3), Beyond(other, -1)])
    run.go_on(NEVER)
    assert run.more == "11 in 2 agents"
    assert 3 in run.found
