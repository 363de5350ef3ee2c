"""What the keys do on the main screen."""

import os
from pathlib import Path

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input

from tapeview.open_session import load
from tapeview.tui.app import TapeviewApp, has_few_colours
from tapeview.tui.screens.main import MainScreen

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
WIDE = (120, 40)


def app_of(sample: str = "crash.jsonl") -> TapeviewApp:
    return TapeviewApp(load(str(SAMPLES / sample)), environ={"HOME": os.environ["HOME"]})


def screen_of(app: App[None]) -> MainScreen:
    screen = app.screen
    assert isinstance(screen, MainScreen)
    return screen


def place(screen: MainScreen) -> str:
    """The path under the cursor, or the kind of its row."""
    row = screen.row
    assert row is not None
    if row.kind != "block" or row.message < 0:
        return f"turn {row.turn}" if row.kind == "turn" else row.kind
    inner = screen.snapshot.index.messages[row.message].path_of(row.number)
    return f"messages.{row.message}.{inner}".rstrip(".")


async def go(pilot: Pilot[None], words: str) -> None:
    """Paste a place into the go-to line: a key at a time would take seconds."""
    await pilot.press("colon")
    screen = screen_of(pilot.app)
    screen.query_one("#goto-input", Input).value = words
    await pilot.press("enter")
    await pilot.pause()


async def test_turns_are_leafed_through_on_the_fourth_line() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await pilot.press("n", "n", "n", "n")
        assert place(screen) == "turn 4"
        assert screen.timeline.cursor - screen.timeline.top == 3
        await pilot.press("p")
        assert place(screen) == "turn 3"
        await pilot.press(*["p"] * 5)
        assert place(screen) == "turn 1"
        assert screen.message[0] == "no further turn"


async def test_problems_are_visited_in_the_order_of_their_places() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        seen = []
        for _ in range(5):
            await pilot.press("right_square_bracket")
            await pilot.pause()
            seen.append(place(screen))
            finding = screen.problems.finding
            assert finding is not None
            assert finding.at == seen[-1]
        assert seen == [
            "messages.13.content.1",
            "messages.16.content.1",
            "messages.17.content.3",
            "messages.18.content.2",
            "messages.18.content.4",
        ]
        await pilot.press("right_square_bracket")
        assert screen.message[0] == "no further problem"
        assert place(screen) == seen[-1]
        await pilot.press("left_square_bracket")
        assert place(screen) == seen[-2]


async def test_a_link_is_followed_to_and_fro() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, "messages.13.content.1")
        await pilot.press("t")
        assert place(screen) == "messages.16.content.1"
        await pilot.press("t")
        assert place(screen) == "messages.13.content.1"


async def test_a_doubled_link_cycles_through_its_ends() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, "messages.17.content.2")
        seen = []
        for _ in range(3):
            await pilot.press("t")
            seen.append(place(screen))
        assert seen == [
            "messages.18.content.1",
            "messages.18.content.2",
            "messages.17.content.2",
        ]


@pytest.mark.parametrize(
    ("at", "says"),
    [
        ("messages.17.content.3", "nothing answers toolu_01TAzMAnZ3X147PewnmuuHNq"),
        ("messages.18.content.4", "no call carries toolu_01PnkgmB8CEiUDzU2cAizhsJ"),
        ("messages.19.content.1", "the tape ends before the result of"),
        ("messages.6", "no link here"),
    ],
)
async def test_a_cut_end_says_so(at: str, says: str) -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, at)
        await pilot.press("t")
        assert screen.message[0].startswith(says)
        assert place(screen).startswith(at)


async def test_enter_folds_a_turn_and_the_row_stays_where_it_is() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await pilot.press("n", "n")
        rows, line = screen.timeline.row_count(), screen.timeline.cursor - screen.timeline.top
        await pilot.press("enter")
        assert place(screen) == "turn 2"
        assert screen.timeline.row_count() == rows - 5
        assert screen.timeline.cursor - screen.timeline.top == line
        await pilot.press("enter")
        assert screen.timeline.row_count() == rows


async def test_going_to_a_folded_row_unfolds_it() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await pilot.press("z")
        await go(pilot, "messages.17.content.3")
        assert place(screen) == "messages.17.content.3"


async def test_enter_opens_the_block_and_escape_returns() -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = screen_of(app)
        await go(pilot, "messages.17.content.3")
        await pilot.press("enter")
        assert screen.pane == "block"
        assert screen.block.display
        assert not screen.query_one("#left").display
        await pilot.press("escape")
        assert screen.pane == "timeline"
        assert screen.timeline.has_focus
        assert place(screen) == "messages.17.content.3"


async def test_tab_goes_round_the_panes() -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = screen_of(app)
        seen = []
        for _ in range(3):
            await pilot.press("tab")
            seen.append(screen.pane)
        await pilot.press("shift+tab")
        assert seen == ["block", "problems", "timeline"]
        assert screen.pane == "problems"


async def test_moving_in_the_problems_moves_the_timeline() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await pilot.press("shift+tab")
        assert screen.problems.has_focus
        await pilot.press("down", "down")
        finding = screen.problems.finding
        assert finding is not None
        assert place(screen) == finding.at


@pytest.mark.parametrize(
    ("key", "copied"),
    [
        ("y", "Bash"),
        ("Y", '{"type":"tool_use"'),
        ("ctrl+y", "messages.17.content.3"),
    ],
)
async def test_copies(key: str, copied: str) -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, "messages.17.content.3")
        await pilot.press(key)
        await pilot.pause()
        assert copied in app.clipboard or key == "y"
        assert app.clipboard
        assert screen.message[0].startswith("copied ")
        await pilot.press("down")
        assert screen.message[0] == ""


async def test_an_unknown_place_is_answered_and_nothing_moves() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, "40")
        assert screen.asking
        assert screen._answer == ("no turn 40: there are 9", "warn")
        await pilot.press("escape")
        assert not screen.asking
        assert screen.timeline.cursor == 0


async def test_a_click_on_a_lane_jumps_along_it() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, "messages.1.content.2")
        line = screen.timeline.cursor - screen.timeline.top
        await pilot.click("#timeline", offset=(4, line))
        await pilot.pause()
        assert place(screen) == "messages.2.content.0"


@pytest.mark.parametrize("size", [(40, 10), (20, 5), (300, 100), (99, 19), (100, 20)])
async def test_any_terminal_size_and_every_change_of_it(size: tuple[int, int]) -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, "messages.17.content.3")
        await pilot.resize_terminal(*size)
        await pilot.press("n", "tab", "tab", "tab", "question_mark", "escape")
        await pilot.resize_terminal(*WIDE)
        await pilot.pause()
        assert screen.timeline.in_view(screen.timeline.cursor)


@pytest.mark.parametrize(
    ("environ", "few"),
    [
        ({"NO_COLOR": "1", "COLORTERM": "truecolor"}, True),
        ({"COLORTERM": "truecolor", "TERM": "xterm"}, False),
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "xterm"}, True),
        ({"TERM": "linux"}, True),
        ({}, False),
    ],
)
def test_terminals_with_few_colours(environ: dict[str, str], few: bool) -> None:
    assert has_few_colours(environ) is few


async def test_the_light_theme_is_remembered(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path)}
    app = TapeviewApp(load(str(SAMPLES / "crash.jsonl")), environ=environ)
    async with app.run_test(size=WIDE) as pilot:
        assert app.theme == "tapeview-dark"
        await pilot.press("ctrl+t")
        await pilot.pause()
    again = TapeviewApp(load(str(SAMPLES / "crash.jsonl")), environ=environ)
    assert again.theme == "tapeview-light"


async def test_every_command_of_the_table_can_be_pressed() -> None:
    from tapeview.commands import COMMANDS

    for entry in COMMANDS:
        if entry.id in ("quit", "open_editor"):
            continue
        app = app_of()
        async with app.run_test(size=WIDE) as pilot:
            for key in entry.keys:
                await pilot.press("n", key)
            await pilot.pause()
        assert app.return_code in (0, None), entry.id
