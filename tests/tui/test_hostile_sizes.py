"""Terminals of every size, and every change of it, whatever stands on the screen."""

import os
from pathlib import Path

import pytest

from tapeview.open_session import OpenSession, load
from tapeview.tui.app import TapeviewApp
from tests.helpers import session_of
from tests.hostile import CALL, LINES, claude_line, parallel
from tests.picker_app import PickerApp, four_sessions, until

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
BIG = (200, 60)
SIZES = [(300, 100), (40, 10), (20, 5), (1, 1)]

STATES = {
    "the timeline": [],
    "its last row": ["end"],
    "a link": ["n", "down", "down"],
    "search open": ["slash", *"re"],
    "search closed": ["slash", *"is:error", "enter"],
    "a search without a match": ["slash", *"qq"],
    "go-to open": ["colon", *"12"],
    "go-to answered": ["colon", *"99", "enter"],
    "what the model knew": ["n", "n", "w"],
    "a block focused": ["n", "down", "enter", "end"],
    "problems focused": ["shift+tab", "down"],
    "help": ["question_mark", "down"],
    "the palette": ["ctrl+p", *"turn"],
    "a sub-agent's screen": ["colon", *"messages.11.content.1", "enter", "enter"],
    "all folded": ["z"],
}


def app_of(sample="crash.jsonl"):
    return TapeviewApp(load(str(SAMPLES / sample)), environ={"HOME": os.environ["HOME"]})


async def through_all_sizes(pilot):
    for size in SIZES:
        await pilot.resize_terminal(*size)
        await pilot.pause()
    await pilot.resize_terminal(*BIG)
    await pilot.pause()


@pytest.mark.parametrize("state", STATES)
async def test_any_change_of_size_in_any_state(state):
    app = app_of()
    async with app.run_test(size=BIG) as pilot:
        await pilot.press(*STATES[state])
        before = type(app.screen), app.focused
        await through_all_sizes(pilot)
        assert (type(app.screen), app.focused) == before
        for screen in app.screen_stack:
            if timelines := screen.query("Timeline"):
                timeline = timelines.first()
                assert screen is not app.screen or timeline.in_view(timeline.cursor)
    assert app.failure is None


@pytest.mark.parametrize(
    "size", [(1, 1), *(pytest.param(size, marks=pytest.mark.slow) for size in SIZES[:3])]
)
async def test_every_state_at_any_size(size):
    app = app_of()
    async with app.run_test(size=size) as pilot:
        for keys in STATES.values():
            await pilot.press(*keys)
            for _ in range(4):
                if app.screen is app.screen_stack[1] and app.screen.timeline.has_focus:
                    break
                await pilot.press("escape")
        await pilot.resize_terminal(*BIG)
        await pilot.pause()
        timeline = app.screen.timeline
        assert timeline.in_view(timeline.cursor)
    assert app.failure is None


async def test_the_picker_at_any_size(tmp_path):
    app = PickerApp(four_sessions(tmp_path))
    async with app.run_test(size=BIG) as pilot:
        await until(pilot, lambda: len(app.listed()) == 4)
        await pilot.press("down", "down", *"a")
        session = app.session
        await through_all_sizes(pilot)
        assert app.session == session
        assert app.here.listing.in_view(app.here.listing.cursor)
    assert app.failure is None


@pytest.mark.parametrize("order", ["never", "shuffled"])
async def test_the_gutter_of_10_000_parallel_calls(order):
    app = TapeviewApp(OpenSession(session_of(parallel(10_000, order))), environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        screen = app.screen
        for at in (2, 5_000, 9_999):
            screen.timeline.go(at)
            await pilot.pause()
            await pilot.press("t")
            call, other = screen.snapshot.rows[at].block, screen.row.block
            if order == "never":
                assert screen.message[0].startswith(f"nothing answers {call.id}")
            else:
                assert (other.kind, other.id) == ("tool_result", call.id)
        await pilot.press("end", "pageup", "n", "p", "enter", "enter", "right_square_bracket")
        await pilot.resize_terminal(40, 10)
        await pilot.pause()
        assert screen.timeline.in_view(screen.timeline.cursor)
    assert app.failure is None


NESTED = claude_line("user", "u1", None, "hello") + claude_line(
    "assistant", "a1", "u1", [CALL | {"input": {"deep": "HERE"}}]
).replace(b'"HERE"', b"[" * 100_000 + b"]" * 100_000)
HUGE = {
    "a line of 50 MB": lambda: LINES["a result without a blank"](50_000_000),
    "100,000 brackets": lambda: NESTED,
}


@pytest.mark.parametrize("what", HUGE)
async def test_one_moves_looks_and_searches_in_huge_blocks(what):
    app = TapeviewApp(OpenSession(session_of(HUGE[what]())), environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        screen = app.screen
        for keys in (
            ("down", "down", "down"),
            ("enter", "pagedown", "end", "home", "escape"),
            ("slash", *"hello", "enter", "escape"),
            ("n", "w", "w", "t", "end"),
        ):
            await pilot.press(*keys)
        await pilot.resize_terminal(40, 10)
        await pilot.pause()
        assert screen.timeline.in_view(screen.timeline.cursor)
    assert app.failure is None
