"""The search line: typing, marks, moving, filters, leaving."""

import json
import os
from pathlib import Path

import pytest
from textual import events
from textual.app import App
from textual.pilot import Pilot

from tapeview.open_session import OpenSession, load
from tapeview.tui.app import TapeviewApp
from tapeview.tui.screens.main import MainScreen
from tests.block_samples import call, claude, model, result, text, user
from tests.helpers import session_of

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
WIDE = (120, 40)
NARROW = (80, 24)


def app_of(body: object = "crash.jsonl", **environ: str) -> TapeviewApp:
    sample = isinstance(body, str)
    opened = load(str(SAMPLES / str(body))) if sample else OpenSession(session_of(body))
    return TapeviewApp(opened, environ={"HOME": os.environ["HOME"]} | environ)


def screen_of(app: App[None]) -> MainScreen:
    screen = app.screen
    assert isinstance(screen, MainScreen)
    return screen


def lines_of(app: App[None]) -> list[str]:
    strips = app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip).rstrip() for strip in strips]


def last_line(app: App[None]) -> str:
    return lines_of(app)[-1]


def marks_of(app: App[None], y: int | None = None) -> list[str]:
    """What is painted as a match, on the whole screen or on one line of it, ruler and all."""
    ground = app.theme_variables["match"].lower()
    strips = app.screen._compositor.render_strips()
    return [
        segment.text
        for strip in (strips if y is None else [strips[y]])
        for segment in strip
        if segment.style is not None
        and segment.style.bgcolor is not None
        and segment.style.bgcolor.name == ground
        and segment.text.strip()
    ]


def ruler_of(screen: MainScreen) -> str:
    timeline = screen.timeline
    return "".join(timeline.render_line(y).text[-1] for y in range(timeline.size.height))


async def look_for(pilot: Pilot[None], words: str) -> MainScreen:
    """Paste the words into the search line: a key at a time would take seconds."""
    await pilot.press("slash")
    screen = screen_of(pilot.app)
    screen.search_line.post_message(events.Paste(words))
    await settle(pilot)
    return screen


async def settle(pilot: Pilot[None]) -> None:
    """Wait for the search to end and for the screen to show it."""
    screen = screen_of(pilot.app)
    for _ in range(10_000):
        await pilot.pause()
        if not screen.search_line.is_searching:
            break
    await pilot.pause()
    await pilot.pause()


async def test_typing_leads_to_the_first_match_and_marks_all() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await pilot.press("slash")
        assert last_line(app).startswith(" / █")
        assert "text, or is:error" in last_line(app)
        await pilot.press(*"acquire")
        await settle(pilot)
        assert last_line(app) == (
            " / acquire█                     1 of 5, 6 in agent:a91c3f0   "
            "↓ next  ↑ back  enter stay here  ctrl+e regex  esc return"
        )
        assert screen.row is not None
        assert screen.row.number == 0
        assert screen.row.message == 2
        assert "acquire" in marks_of(app)
        assert "═" in ruler_of(screen)


async def test_down_and_up_go_from_match_to_match_and_end_at_the_ends() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = await look_for(pilot, "acquire")
        seen = [screen.timeline.at]
        for _ in range(4):
            await pilot.press("down")
            seen.append(screen.timeline.at)
        assert seen == sorted(set(seen)) == list(screen.timeline.found)
        assert " 5 of 5, 6 in" in last_line(app)
        await pilot.press("down")
        assert screen.timeline.at == seen[-1]
        assert "5 of 5, 6 in agent:a91c3f0, no further match" in last_line(app)
        await pilot.press("up")
        assert screen.timeline.at == seen[-2]
        assert "4 of 5, 6 in agent:a91c3f0   " in last_line(app)


async def test_the_first_match_is_the_nearest_below_the_cursor() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press(*"nnnn")
        screen = screen_of(app)
        before = screen.timeline.at
        await look_for(pilot, "acquire")
        assert screen.timeline.at == next(at for at in screen.timeline.found if at > before)
        assert "3 of 5" in last_line(app)
        await pilot.press("up")
        assert "2 of 5" in last_line(app)


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_escape_returns_to_where_one_was(size: tuple[int, int]) -> None:
    app = app_of()
    async with app.run_test(size=size) as pilot:
        screen = screen_of(app)
        await pilot.press(*"nnn", "enter", "down", "down")
        timeline = screen.timeline
        before = timeline.at, timeline.top, set(timeline.folded), timeline.row_count()
        await look_for(pilot, "assert False")
        assert timeline.at != before[0]
        await pilot.press("down", "down", "escape")
        await pilot.pause()
        assert (timeline.at, timeline.top, timeline.folded, timeline.row_count()) == before
        assert not screen.asking
        assert timeline.has_focus
        assert "? help" in last_line(app)
        assert marks_of(app) == []
        assert "═" not in ruler_of(screen)


async def test_enter_stays_and_the_marks_too_until_escape() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = await look_for(pilot, "acquire")
        await pilot.press("down", "enter")
        await pilot.pause()
        at = screen.timeline.at
        assert screen.timeline.has_focus
        assert "? help" in last_line(app)
        assert "acquire" in marks_of(app)
        await pilot.press("n")
        assert screen.row is not None
        assert screen.row.kind == "turn"
        assert "═" in ruler_of(screen)
        await pilot.press("p", "escape")
        await pilot.pause()
        assert marks_of(app) == []
        assert "═" not in ruler_of(screen)
        assert screen.timeline.at <= at


async def test_the_next_search_begins_anew_and_an_empty_line_recalls_the_last() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = await look_for(pilot, "acquire")
        await pilot.press("enter", "slash")
        await pilot.pause()
        assert marks_of(app) == []
        assert "↓ again acquire" in last_line(app)
        at = screen.timeline.at
        await pilot.press("down")
        await settle(pilot)
        assert screen.search_line.words == "acquire"
        assert screen.timeline.at == at
        await pilot.press("down")
        assert screen.timeline.at > at


async def test_a_new_key_looks_anew_from_where_one_was() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await pilot.press("slash", *"acquire")
        await settle(pilot)
        first = screen.timeline.at
        await pilot.press(*"zzz")
        await settle(pilot)
        assert "no match" in last_line(app)
        assert screen.timeline.at == 0
        assert marks_of(app) == []
        await pilot.press(*["backspace"] * 3)
        await settle(pilot)
        assert screen.timeline.at == first
        assert len(screen.timeline.found) == 5


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (["a", "b", "left", "c"], "acb"),
        (["a", "b", "home", "c", "end", "d"], "cabd"),
        (["a", "b", "c", "left", "backspace"], "ac"),
        (["a", "b", "c", "home", "delete", "right", "right", "right", "backspace"], "b"),
        (["a", "space", "b", "c", "ctrl+w"], "a"),
        (["a", "b", "left", "ctrl+u"], "b"),
        (["n", "p", "q", "question_mark", "colon", "j", "k", "t"], "npq?:jkt"),
        (["é", "漢"], "é漢"),
        (["tab", "ctrl+t", "f5", "pageup", "x"], "x"),
    ],
)
async def test_letters_are_letters_and_the_line_can_be_edited(keys: list[str], words: str) -> None:
    app = app_of("loop.json")
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("slash", *keys)
        screen = screen_of(app)
        assert screen.search_line.words == words
        assert screen.asking


# -- regular expressions ---------------------------------------------------------------------------


async def test_ctrl_e_takes_the_words_as_a_regular_expression_and_back() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = await look_for(pilot, r"acq\w+\(")
        assert "no match" in last_line(app)
        await pilot.press("ctrl+e")
        await settle(pilot)
        assert last_line(app).startswith(r" regex / acq\w+\(█")
        assert "ctrl+e plain" in last_line(app)
        assert 0 < len(screen.timeline.found) < 5
        assert "acquire(" in marks_of(app)
        await pilot.press("ctrl+e")
        await settle(pilot)
        assert "no match" in last_line(app)


async def test_a_bad_regular_expression_says_so_while_one_types() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await pilot.press("slash", "ctrl+e", *"(acq")
        await pilot.pause()
        assert "missing )" in last_line(app)
        assert screen.timeline.at == 0
        await pilot.press(")")
        await settle(pilot)
        assert "1 of 5" in last_line(app)


async def test_one_that_never_ends_is_given_up_and_the_screen_lives() -> None:
    slow = [user("a" * 60 + "b") if k % 2 == 0 else model("ok") for k in range(60)]
    app = app_of(slow)
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await pilot.press("slash", "ctrl+e", *"(a+)+$")
        await settle(pilot)
        assert "no match, 11 blocks too slow" in last_line(app)
        await pilot.press("escape", "n")
        assert screen.row is not None
        assert screen.row.kind == "turn"


# -- marks -----------------------------------------------------------------------------------------

LONG = "\n".join(f"line {k}" for k in range(400))
CALLS = [
    user("find the needle"),
    model(call("a", command=f"echo start\n{LONG}\necho 'the needle'"), call("b", path="needle")),
    user(result("a", f"{LONG}\nthe Needle\n" + "x" * 300 + " needle " + "y" * 300), result("b")),
]


async def test_the_block_pane_opens_at_the_first_match() -> None:
    app = app_of(CALLS)
    async with app.run_test(size=WIDE) as pilot:
        screen = await look_for(pilot, "needle")
        await pilot.press("down")
        await settle(pilot)
        assert screen.row is not None
        assert screen.row.message == 1
        body = screen.block.body
        shown = [body.render_line(y).text.strip(" ▐") for y in range(body.size.height)]
        assert "│ echo 'the needle'" in shown
        await pilot.press("down", "down")
        await settle(pilot)
        shown = [body.render_line(y).text.strip(" ▐") for y in range(body.size.height)]
        assert "the Needle" in shown
        assert {"needle", "Needle"} <= set(marks_of(app))


async def test_more_letters_move_the_block_pane_to_their_first_match() -> None:
    app = app_of([user("\n".join(f"l{k}" for k in range(300))), model("l2")])
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await pilot.press("slash", *"l2")
        await settle(pilot)
        assert screen.block.body.top == 0
        await pilot.press(*"99")
        await settle(pilot)
        assert screen.block.body.top > 200
        await pilot.press("escape")
        await pilot.pause()
        assert screen.timeline.at == 0
        assert marks_of(app) == []


async def test_gists_and_names_are_marked_where_they_are_seen() -> None:
    app = app_of(CALLS)
    async with app.run_test(size=WIDE) as pilot:
        await look_for(pilot, "needle")
        lines = lines_of(app)
        prompt = next(y for y, line in enumerate(lines) if "> find the needle" in line)
        path = next(y for y, line in enumerate(lines) if "Bash    needle" in line)
        assert marks_of(app, prompt)[0] == "needle"
        assert marks_of(app, path)[0] == "needle"
        # All rows are in view, so that the ruler marks each at its own place.
        assert ruler_of(screen_of(app)).rstrip() == "═ ═══"
        await pilot.press(*["backspace"] * 6, *"bash")
        await settle(pilot)
        assert marks_of(app).count("Bash") == 4


async def test_only_rows_that_were_found_are_marked() -> None:
    app = app_of(CALLS)
    async with app.run_test(size=WIDE) as pilot:
        screen = await look_for(pilot, "role:assistant needle")
        lines = lines_of(app)
        prompt = next(y for y, line in enumerate(lines) if "> find the needle" in line)
        assert marks_of(app, prompt) == []
        assert len(screen.timeline.found) == 2


async def test_what_is_beyond_the_shown_part_of_a_line_is_told() -> None:
    app = app_of([user("x" * 9_000 + "needle"), model("ok")])
    async with app.run_test(size=WIDE) as pilot:
        screen = await look_for(pilot, "needle")
        await settle(pilot)
        assert any("more in this line" in mark for mark in marks_of(app))
        assert screen.block.body.top > 50


async def test_without_colour_marks_are_reversed() -> None:
    app = app_of(CALLS, NO_COLOR="1")
    async with app.run_test(size=WIDE) as pilot:
        await look_for(pilot, "needle")
        reversed_ = [
            segment.text
            for strip in app.screen._compositor.render_strips()
            for segment in strip
            if segment.style is not None and segment.style.reverse
        ]
        assert reversed_.count("needle") >= 3
        assert "═" in reversed_


async def test_in_ascii_the_line_uses_words() -> None:
    app = app_of(CALLS, TERM="linux")
    async with app.run_test(size=WIDE) as pilot:
        screen = await look_for(pilot, "needle")
        assert " / needle_ " in last_line(app)
        assert "down next  up back" in last_line(app)
        assert last_line(app).isascii()
        assert ruler_of(screen).rstrip() == "# ###"


# -- folded rows -----------------------------------------------------------------------------------


async def test_folded_rows_are_found_and_only_the_match_is_unfolded() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("z")
        screen = screen_of(app)
        folded = set(screen.timeline.folded)
        await look_for(pilot, "acquire")
        assert "1 of 5" in last_line(app)
        opened = []
        for _ in range(4):
            assert screen.timeline.found.number(screen.timeline.at)
            assert screen.timeline.is_in_view(screen.timeline.at)
            opened.append(folded - screen.timeline.folded)
            await pilot.press("down")
        assert all(len(turns) == 1 for turns in opened)
        assert "═" in ruler_of(screen)
        await pilot.press("escape")
        assert screen.timeline.folded == folded


async def test_notes_are_found_by_what_they_hold() -> None:
    lines = claude(user("go"), model("ok")).split(b"\n")
    notes = [json.dumps({"type": "summary", "summary": f"n{k}", "leafUuid": ""}) for k in (1, 2)]
    app = app_of(b"\n".join([*(note.encode() for note in notes), *lines]))
    async with app.run_test(size=WIDE) as pilot:
        screen = await look_for(pilot, "n2")
        assert screen.row is not None
        assert screen.row.kind == "note"


# -- filter words ----------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_filter_words_alone_show_only_the_rows_that_fit(size: tuple[int, int]) -> None:
    app = app_of()
    async with app.run_test(size=size) as pilot:
        screen = await look_for(pilot, "tool:Read")
        kinds = [screen.snapshot.rows[at].kind for at in screen.timeline.shown]
        assert kinds.count("block") == 13
        assert kinds.count("turn") == 3
        assert len(kinds) == 16
        title = next(line for line in lines_of(app) if "▌ main" in line)
        assert "▌ main · 13 of 54 rows" in title
        assert "1 of 13" in last_line(app)
        assert "═" not in ruler_of(screen)
        await pilot.press("escape")
        await pilot.pause()
        assert screen.timeline.row_count() > 40
        assert screen.timeline.at == 0
        assert "rows" not in next(line for line in lines_of(app) if "▌ main" in line)


async def test_the_rows_that_fit_stay_alone_until_escape() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = await look_for(pilot, "is:error")
        await pilot.press("enter")
        await settle(pilot)
        alone = screen.timeline.row_count()
        assert 0 < alone < 10
        await pilot.press("end")
        at = screen.timeline.at
        await pilot.press("escape")
        await pilot.pause()
        assert screen.timeline.row_count() > 40
        assert screen.timeline.at == at


async def test_leafing_among_the_rows_that_fit_stays_among_them() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = await look_for(pilot, "tool:Read")
        await pilot.press("enter", "home")
        turns = []
        for _ in range(4):
            await pilot.press("n")
            turns.append(screen.row.turn if screen.row is not None else 0)
        assert turns == [4, 8, 8, 8]
        assert screen.message[0] == "no further turn"
        assert "13 of 54 rows" in screen.timeline.only_words


async def test_going_to_a_row_that_is_left_out_shows_all_again() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = await look_for(pilot, "tool:Read")
        await pilot.press("enter", *["right_square_bracket"] * 2)
        await settle(pilot)
        assert screen.timeline.only_words == ""
        assert screen.row is not None
        assert screen.row.message == 16


async def test_folds_are_as_before_when_all_rows_come_back() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("z")
        screen = screen_of(app)
        before = set(screen.timeline.folded)
        await look_for(pilot, "role:user")
        assert screen.timeline.folded == set()
        await pilot.press("escape")
        assert screen.timeline.folded == before


async def test_filter_words_that_nothing_fits_leave_all_rows() -> None:
    app = app_of("loop.json")
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        rows = screen.timeline.row_count()
        await look_for(pilot, "tool:Nobody")
        assert "no match" in last_line(app)
        assert screen.timeline.row_count() == rows


# -- leaving in other ways -------------------------------------------------------------------------


async def test_a_click_elsewhere_stays_there() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = await look_for(pilot, "acquire")
        await pilot.click("#timeline", offset=(20, 12))
        await pilot.pause()
        assert not screen.asking
        assert screen.timeline.has_focus
        assert screen.timeline.cursor - screen.timeline.top == 12
        assert "═" in ruler_of(screen)
        await pilot.press("n")
        assert screen.row is not None
        assert screen.row.kind == "turn"


async def test_from_the_block_pane_and_back_to_it() -> None:
    app = app_of()
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("n", "down", "enter")
        screen = screen_of(app)
        assert screen.pane == "block"
        await look_for(pilot, "acquire")
        assert screen.pane == "timeline"
        assert screen.query_one("#left").display
        await pilot.press("escape")
        await pilot.pause()
        assert screen.pane == "block"
        assert screen.block.body.has_focus
        await look_for(pilot, "acquire")
        await pilot.press("enter")
        assert screen.pane == "timeline"


async def test_what_the_model_knew_keeps_the_marks() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = await look_for(pilot, "acquire")
        await pilot.press("enter", "n", "n", "w")
        await settle(pilot)
        number = len(screen.timeline.found)
        assert 0 < number < 5
        await pilot.press("n", "n", "n", "n")
        await settle(pilot)
        assert len(screen.timeline.found) > number
        await pilot.press("escape")
        assert len(screen.timeline.found) == 0


async def test_keys_typed_ahead_act_in_order() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        keys = ["slash", *"acquire", "down", "enter", "n", "slash", *"xyz", "escape", "p", "p"]
        for key in keys:
            name = {"slash": "/", "down": None, "enter": "\r", "escape": None}
            app.post_message(events.Key(key, name.get(key, key)))
        await pilot.pause()
        await settle(pilot)
        assert not screen.asking
        assert screen.search_line.words == "xyz"
        assert screen.row is not None
        assert screen.row.kind == "turn"
        assert screen.row.turn == 1


@pytest.mark.parametrize("size", [(40, 10), (20, 5), (300, 100), (99, 19)])
async def test_every_size_of_the_terminal(size: tuple[int, int]) -> None:
    app = app_of()
    async with app.run_test(size=size) as pilot:
        screen = await look_for(pilot, "is:error timeout or a long text that does not fit")
        assert all(len(line) <= size[0] for line in lines_of(app))
        assert "█" in last_line(app)
        await pilot.resize_terminal(*WIDE)
        await pilot.press("ctrl+u", *"lease", "down", "enter")
        await pilot.resize_terminal(*size)
        await pilot.pause()
        assert screen.timeline.in_view(screen.timeline.cursor)


async def test_hostile_words_are_spelled() -> None:
    app = app_of("hostile.json")
    async with app.run_test(size=WIDE) as pilot:
        await look_for(pilot, "\x1b[31mred\u202e [b]x[/b]")
        assert r" / \x1b[31mred<U+202E> [b]x[/b]█" in last_line(app)


async def test_nothing_to_search() -> None:
    app = app_of(b'{"messages": [{"role": "user", "content": ""}]}')
    async with app.run_test(size=WIDE) as pilot:
        await look_for(pilot, "x")
        assert "no match" in last_line(app)
        await pilot.press("down", "up", "enter", "escape")


async def test_a_search_in_slices_tells_how_far_it_is() -> None:
    body = [
        user(text("x" * 20)) if k % 2 == 0 else model(call(f"c{k}", n=k)) for k in range(20_000)
    ]
    app = app_of(body)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("slash")
        line = screen_of(app).search_line
        line._edit("nothing like that", 5)
        run = line._run
        assert run is not None
        assert "none yet, " in line.render_line(0).text
        assert " % read" in line.render_line(0).text
        line._edit("cx", 2)
        assert line._run is not run
        line._edit("c", 1)
        await settle(pilot)
        assert "1 of 10000  " in last_line(app)


# -- sub-agents ------------------------------------------------------------------------------------


async def test_what_a_sub_agent_holds_is_found_at_its_call_and_followed_there() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = await look_for(pilot, "drafts")
        assert "1 of 1, 1 in agent:a91c3f0   " in last_line(app)
        assert screen.row is not None
        assert screen.row.block is not None
        assert screen.row.block.name == "Task"
        await pilot.press("enter", "enter")
        await settle(pilot)
        agent = screen_of(app)
        assert agent is not screen
        assert len(agent.timeline.found) == 1
        assert agent.timeline.at in agent.timeline.found
        assert "drafts" in marks_of(app)
        await pilot.press("escape")
        await pilot.pause()
        assert marks_of(app) == []
        await pilot.press("escape")
        await pilot.pause()
        assert screen_of(app) is screen
        assert len(screen.timeline.found) == 1


async def test_filter_words_count_what_sub_agents_hold() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        await look_for(pilot, "role:assistant")
        assert "1 of 24, 6 in agent:a91c3f0" in last_line(app)
        assert any("main · 24 of 54 rows" in line for line in lines_of(app))
