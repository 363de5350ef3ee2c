"""The tapes pane: what it lists, where it leads, and that nothing in it moves."""

import json
import os
from pathlib import Path
from threading import Semaphore

import pytest
from textual.app import App
from textual.pilot import Pilot

from tapeview.looks.tapes import TapeCounts, counts_of
from tapeview.open_session import OpenSession, load
from tapeview.snapshot import Snapshot
from tapeview.tui.app import TapeviewApp
from tapeview.tui.screens.main import MainScreen
from tests.formats.claude import reply, session, user, written
from tests.formats.test_claude_tapes import COMPACTED, REWOUND
from tests.tui.test_main import app_of, go, place, screen_of

WIDE = (120, 40)
NARROW = (80, 24)
AGENT = "agent:a91c3f0"
ROUNDS = 200
"""Rounds of the event loop in which a few small tapes are surely counted."""


def app_with(*lines: object) -> TapeviewApp:
    return TapeviewApp(OpenSession(session(*lines)), environ={"HOME": os.environ["HOME"]})


async def counted(pilot: Pilot[None]) -> MainScreen:
    """The screen, once every tape is counted."""
    for _ in range(ROUNDS):
        await pilot.pause()
        if screen_of(pilot.app).tapes.is_counted:
            break
    screen = screen_of(pilot.app)
    assert screen.tapes.is_counted
    await pilot.pause()
    return screen


def listed(app: App[None]) -> list[str]:
    """The list as it stands on the screen, without the ruler."""
    tapes = screen_of(app).tapes.list
    lines = range(min(len(tapes.entries), tapes.size.height))
    return [tapes.render_line(y).text[:-1].rstrip() for y in lines]


def begun(screen: MainScreen) -> tuple[str, int]:
    """The tape that the cursor's row belongs to, and the number of its message there."""
    assert screen.row is not None
    return screen.snapshot.of(screen.row).tape.id, screen.row.message


async def test_b_lists_the_tapes_in_the_block_panes_place_and_gives_it_back() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("b")
        screen = await counted(pilot)
        assert screen.tapes.display
        assert not screen.block.display
        assert screen.query_one("#left").display
        assert screen.focused is screen.tapes.list
        assert listed(app) == [
            "▌ main  9 turns  11 kB                ! 1  ▲ 4",
            "    agent:a91c3f0  from turn 5  3.2 kB",
        ]
        for key in ("escape", "b", "b"):
            await pilot.press(key)
            assert screen.tapes.display is (key == "b" and screen.tapes.is_open)
        assert screen.block.display
        assert screen.timeline.has_focus


async def test_on_a_narrow_screen_the_list_takes_the_body_and_a_tab() -> None:
    app = app_of("compacted.jsonl")
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("tab", "b")
        screen = await counted(pilot)
        assert screen.tapes.size.width == 80
        assert not screen.query_one("#left").display
        assert listed(app) == [
            "  main        7 turns      3.3 kB",
            "▌   main~1    turns 1-2    1.0 kB",
            "    branch:1  from turn 5  2.6 kB  4 turns",
        ]
        tabs = screen.query_one("#tabs").render_line(0).text
        assert tabs.startswith("▌ main   tapes 3   problems none ")
        await pilot.press("tab")
        assert screen.pane == "timeline"
        await pilot.press("shift+tab")
        assert screen.pane == "tapes"
        await pilot.press("escape")
        assert screen.pane == "block"
        assert screen.block.display


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_enter_goes_to_the_first_row_of_a_line_and_unfolds_it(size: tuple[int, int]) -> None:
    app = app_with(*COMPACTED)
    async with app.run_test(size=size) as pilot:
        screen = screen_of(app)
        for downs, line in ((2, "main~2"), (0, "main")):
            await pilot.press("b", "home", *["down"] * downs, "enter")
            await pilot.pause()
            assert begun(screen) == (line, 0)
            assert screen.timeline.has_focus
            assert not screen.tapes.is_open
        await pilot.press("b")
        entry = screen.tapes.list.entry
        assert entry is not None
        assert entry.id == "main"


async def test_enter_on_a_branch_shows_its_own_first_row() -> None:
    app = app_with(*REWOUND)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("b", "down", "enter")
        screen = screen_of(app)
        assert begun(screen) == ("branch:1", 2)


async def test_a_tape_is_gone_to_from_what_the_model_knew() -> None:
    app = app_with(*COMPACTED)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("n", "w", "b", "home", "down", "enter")
        screen = screen_of(app)
        assert screen.snapshot is screen.opened.snapshot()
        assert begun(screen) == ("main~1", 0)


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_a_sub_agent_opens_and_leads_back_to_its_call(size: tuple[int, int]) -> None:
    app = app_of()
    async with app.run_test(size=size) as pilot:
        main = screen_of(app)
        await pilot.press("b", "down", "enter")
        await pilot.pause()
        agent = screen_of(app)
        assert agent.trail == ("main", AGENT)
        assert place(agent) == "messages.0"
        await pilot.press("t")
        await pilot.pause()
        assert screen_of(app) is main
        assert place(main) == "messages.9.content.1"
        assert main.block.display is (size == WIDE)
        await pilot.press("enter")
        await pilot.pause()
        assert screen_of(app).trail == ("main", AGENT)
        await pilot.press("escape")
        await pilot.pause()
        assert screen_of(app) is main
        assert place(main) == "messages.9.content.1"


async def test_where_the_sub_agent_comes_from_is_to_be_seen() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        await go(pilot, "messages.9.content.1")
        await pilot.press("enter")
        await pilot.pause()
        screen = screen_of(app)
        title = screen.query_one("#timeline-title").render_line(0).text
        assert title.startswith("▌ main ► agent:a91c3f0 · from turn 5 ")
        header = screen.query_one("#header").render_line(1).text
        assert header.startswith(" started by Task of turn 5, messages.9.content.1; ")
        assert screen.block.head is not None
        words = "started by messages.9.content.1, Task of turn 5  t"
        assert [line.text for line in screen.block.head.lines] == [words]
        await pilot.resize_terminal(*NARROW)
        await pilot.pause()
        assert words in screen.query_one("#status").render_line(0).text
        await pilot.press("n")
        await pilot.pause()
        assert words not in screen.query_one("#status").render_line(0).text


async def test_t_on_a_later_row_of_a_sub_agent_follows_its_link() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("b", "down", "enter")
        await pilot.pause()
        screen = screen_of(app)
        await go(pilot, "messages.2")
        await pilot.press("t")
        assert screen_of(app) is screen
        assert place(screen).startswith("messages.1.")


async def test_from_a_call_in_what_the_model_knew_and_back() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        await go(pilot, "messages.9.content.1")
        await pilot.press("w", "enter")
        await pilot.pause()
        assert screen_of(app).trail == ("main", AGENT)
        await pilot.press("t")
        await pilot.pause()
        screen = screen_of(app)
        assert screen.row is not None
        assert screen.row.block is not None
        assert screen.row.block.name == "Task"


def agent_lines(number: int) -> list[object]:
    """A sub-agent among the session's own lines, and the call that started it."""
    name = f"s{number}"
    call = {"type": "tool_use", "id": f"t{number}", "name": "Task", "input": {"prompt": name}}
    answered = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "ok"}
    before = f"r{number - 1}" if number else "u"
    lines = [
        reply(f"a{number}", before, f"m{number}", "x"),
        user(name, None, name, isSidechain=True),
        reply(f"{name}a", name, f"{name}m", f"call:lost{number}", isSidechain=True),
        user(f"{name}b", f"{name}a", "and?", isSidechain=True),
        user(f"r{number}", f"a{number}", "x"),
    ]
    lines[0]["message"]["content"] = [call]
    lines[-1]["message"]["content"] = [answered]
    return lines


MANY = (user("u", None, "go"), *(line for k in range(60) for line in agent_lines(k)))


async def test_from_a_sub_agent_to_another_to_main_and_back_where_one_is() -> None:
    app = app_with(*MANY[:16])
    async with app.run_test(size=WIDE) as pilot:
        main = screen_of(app)
        first, second = (tape.id for tape in main.opened.session.tapes[1:3])
        await pilot.press("b", "home", "down", "enter")
        await pilot.pause()
        assert screen_of(app).trail == ("main", first)
        await pilot.press("b")
        assert [entry.id for entry in screen_of(app).tapes.list.entries][:3] == [
            "main",
            first,
            second,
        ]
        await pilot.press("down", "enter")
        await pilot.pause()
        assert screen_of(app).trail == ("main", second)
        await pilot.press("b", "enter")
        await pilot.pause()
        agent = screen_of(app)
        assert agent.trail == ("main", second)
        assert not agent.tapes.is_open
        await pilot.press("t")
        await pilot.pause()
        assert screen_of(app) is main
        assert place(main) == "messages.3.content.0"
        await pilot.press("enter")
        await pilot.pause()
        await pilot.press("b", "home", "enter")
        await pilot.pause()
        assert screen_of(app) is main
        assert main.timeline.at == 0


async def test_counting_goes_on_beside_the_screen_and_nothing_moves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    free, started = Semaphore(0), []

    def slow(line: Snapshot) -> TapeCounts:
        if line.tape.kind == "agent":
            started.append(line.tape.id)
            free.acquire()
        return counts_of(line)

    monkeypatch.setattr("tapeview.tui.widgets.tapes.counts_of", slow)
    app = app_with(*MANY)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("b")
        screen = screen_of(app)
        tapes = screen.tapes.list
        while not started:
            await pilot.pause()
        before = listed(app)
        assert before[0] == "▌ main  60 turns  1.1 kB"
        assert before[1].startswith("    agent:line-3")
        assert before[1].endswith("  from turn 1                …")
        # Keys work, and what is in view is counted next.
        await pilot.press("end")
        free.release()
        while len(started) < 2:
            await pilot.pause()
        await pilot.pause()
        assert started[1] == tapes.entries[tapes.top].id
        after = tapes.render_line(0)
        assert tapes.entries[tapes.top].id not in tapes.counts
        assert "…" in after.text
        for _ in range(60):
            free.release()
        await counted(pilot)
        assert len(started) == 60
        await pilot.press("home")
        await pilot.pause()
        for old, new in zip(before[1:20], listed(app)[1:20], strict=True):
            assert new.startswith(old.rstrip(" …"))
            assert new.endswith(" ▲ 1")


async def test_a_closed_list_counts_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    free, started = Semaphore(0), []

    def slow(line: Snapshot) -> TapeCounts:
        if line.tape.kind == "agent":
            started.append(line.tape.id)
            free.acquire()
        return counts_of(line)

    monkeypatch.setattr("tapeview.tui.widgets.tapes.counts_of", slow)
    app = app_with(*MANY)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("b")
        while not started:
            await pilot.pause()
        await pilot.press("escape")
        for _ in range(60):
            free.release()
        for _ in range(10):
            await pilot.pause()
        assert len(started) == 1


async def test_names_from_files_are_shown_and_do_not_act(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(written(user("u1", None, "ask"), reply("a1", "u1", "m1", "one")))
    folder = tmp_path / "s" / "subagents"
    folder.mkdir(parents=True)
    line = {"type": "user", "uuid": "x", "parentUuid": None, "sessionId": "s", "isSidechain": True}
    text = json.dumps(line | {"message": {"role": "user", "content": "hi"}})
    (folder / "agent-\x1b[31m[red]\u202e.jsonl").write_text(text, encoding="utf-8")
    app = TapeviewApp(load(str(path)), environ={"HOME": os.environ["HOME"]})
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("b", "down")
        await counted(pilot)
        assert listed(app)[1].isprintable()
        assert "[red]" in listed(app)[1]
        await pilot.press("enter")
        await pilot.pause()
        screen = screen_of(app)
        assert screen.origin is None
        assert screen.query_one("#timeline-title").render_line(0).text.isprintable()
        await pilot.press("t")
        assert screen.message[0] == "no link here"


# -- --tape ----------------------------------------------------------------------------------------


async def test_the_app_begins_on_a_sub_agent_and_main_waits_at_its_call() -> None:
    opened = load(str(Path(__file__).parents[2] / "sample_sessions" / "crash.jsonl"))
    app = TapeviewApp(opened, turn=2, tape=AGENT, environ={"HOME": os.environ["HOME"]})
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        assert screen_of(app).trail == ("main", AGENT)
        assert place(screen_of(app)) == "turn 2"
        await pilot.press("escape")
        await pilot.pause()
        assert screen_of(app).trail == ("main",)
        assert place(screen_of(app)) == "messages.9.content.1"


# -- what the model knew ---------------------------------------------------------------------------


async def test_problems_are_those_of_what_is_shown() -> None:
    app = app_of()
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        header = screen.query_one("#header")
        title = screen.query_one("#problems-title")
        await go(pilot, "2")
        await pilot.press("w")
        await pilot.pause()
        assert screen.problems.row_count() == 0
        assert title.render_line(0).text.startswith("  problems none ")
        assert header.render_line(0).text.endswith("no problems ")
        await pilot.press("n", "n", "n", "n", "n", "n")
        await pilot.pause()
        shown = [finding.at for finding in screen.problems.loud]
        assert shown == [
            f.at for f in screen.snapshot.findings_by_rank if f in screen.problems.loud
        ]
        assert 0 < len(shown) < 5
        assert title.render_line(0).text.startswith(f"  problems {len(shown)}")
        await pilot.press("w")
        await pilot.pause()
        assert len(screen.problems.loud) == 5
        assert header.render_line(0).text.endswith("! 1 error  ▲ 4 warnings ")
