"""What the picker finds out in the background, and that nobody waits for it."""

import threading

import pytest

from tapeview.picker.cache import SessionCache, SessionFacts, cache_path, examine
from tapeview.picker.sessions import find_sessions
from tapeview.tui.screens.main import MainScreen
from tests.fake_home import FakeHome
from tests.picker_app import (
    NOW,
    Gate,
    PickerApp,
    checked,
    four_sessions,
    running,
    until,
)


@pytest.fixture
def home(tmp_path):
    return four_sessions(tmp_path)


async def test_rows_stand_before_anything_is_checked(home):
    gate = Gate()
    app = PickerApp(home, gate)
    async with running(app) as pilot:
        await until(pilot, lambda: gate.begun == ["a1"])
        lines = app.lines()
        assert "checking 0 of 4 ────────────────────" in lines[0]
        assert lines[3].startswith("▌ … 24 min  ledger        why does it fail?")
        assert lines[4].startswith("  ·    2 h  site          dark mode ¶ please")
        assert "  … being checked" in app.text()
        await pilot.press("down")
        assert "  · not checked yet" in app.text()
        await pilot.press(*"site")
        assert app.listed() == ["site", "site"]
        await pilot.press("tab")
        assert "  No broken session so far; 4 sessions not checked yet." in app.text()
        await pilot.press("tab", "escape")
        gate.free.release()
        await until(pilot, lambda: len(gate.begun) == 2)
        assert "checking 1 of 4 ━━━━━───────────────" in app.lines()[0]
        assert app.lines()[3].startswith("▌ ! 24 min  ledger")
        gate.open()
        await checked(pilot)


async def test_the_session_under_the_cursor_comes_next_and_huge_ones_last(home, monkeypatch):
    monkeypatch.setattr("tapeview.tui.screens.picker_work.HUGE", 100_000)
    home.talk("-p", "huge", "long " * 30_000, cwd="/p", written=NOW.timestamp())
    gate = Gate()
    app = PickerApp(home, gate)
    async with running(app) as pilot:
        await until(pilot, lambda: len(gate.begun) == 1)
        await pilot.press(*["down"] * 4)
        assert app.session == "d4"
        gate.open()
        await checked(pilot)
        assert gate.begun[:4] == ["a1", "d4", "b2", "c3"]
        assert gate.begun[4] == "crash"
        assert gate.begun[-1] == "huge"


async def test_broken_ones_join_the_list_as_they_are_found(home):
    gate = Gate()
    app = PickerApp(home, gate)
    async with running(app) as pilot:
        await pilot.press("tab")
        assert app.listed() == []
        gate.open()
        await checked(pilot)
        assert app.listed() == ["ledger"]
        assert app.session == "a1"


async def test_a_check_that_breaks_off_stops_nothing(home, monkeypatch):
    faults = []
    monkeypatch.setattr(threading, "excepthook", faults.append)

    def fail(path):
        if path.endswith("b2.jsonl"):
            raise ZeroDivisionError
        return examine(path)

    app = PickerApp(home, fail)
    async with running(app) as pilot:
        await checked(pilot)
        await pilot.press("down")
        assert "  ? its check broke off; opening it may tell why." in app.text()
    assert [fault.exc_type for fault in faults] == [ZeroDivisionError]
    known = [SessionCache(cache_path(home.environ)).get(s) for s in find_sessions(home.environ)]
    assert [facts is not None and facts.checked is not None for facts in known] == [
        True,
        False,
        True,
        True,
    ]


async def test_what_was_found_is_there_at_the_next_start(home):
    app = PickerApp(home)
    async with running(app) as pilot:
        await checked(pilot)
    assert cache_path(home.environ).exists()
    gate = Gate()
    app = PickerApp(home, gate)
    async with running(app) as pilot:
        assert app.lines()[3].startswith("▌ ! 24 min  ledger        why does it fail?")
        assert "checking" not in app.text()
        assert gate.begun == []
        await pilot.press("q")
    written = {path.name for path in home.path.rglob("*") if path.is_file()}
    assert written == {"a1.jsonl", "b2.jsonl", "c3.jsonl", "d4.jsonl", "sessions.json"}


async def test_a_broken_sub_agent_marks_its_session_and_is_named(home):
    session = home.projects / "-src-site" / "b2.jsonl"
    agent = home.agent(session, "a91", dangling=True)
    app = PickerApp(home)
    async with running(app) as pilot:
        await checked(pilot)
        await pilot.press("tab")
        assert app.listed() == ["ledger", "site"]
        await pilot.press("down")
        lines = app.lines()[-9:-1]
        assert lines[1] == "  ▲ 1 warning     resume sends 2 of 2 messages"
        assert lines[2] == "    agent:a91: dangling 1"
        assert lines[4].startswith("  > dark mode")
    home.agent(session, agent.stem.removeprefix("agent-"))
    app = PickerApp(home)
    async with running(app) as pilot:
        await checked(pilot)
        await pilot.press("tab")
        assert app.listed() == ["ledger"]


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (80, "    agent:a0: dangling 1   agent:a1: dangling 1   agent:a2: dangling 1   6 more"),
        (78, "    agent:a0: dangling 1   agent:a1: dangling 1   7 more"),
        (30, "    agent:a0: dangling 1   8…"),
        (20, "    agent:a0: dang…"),
    ],
)
async def test_of_broken_sub_agents_as_many_are_named_as_have_room(home, width, line):
    for number in range(9):
        home.agent(home.projects / "-src-ledger/a1.jsonl", f"a{number}", dangling=True)
    app = PickerApp(home)
    async with running(app, (width, 24)) as pilot:
        await checked(pilot)
        assert app.lines()[-4] == line


async def test_opening_a_session_ends_the_search_for_others(home):
    gate = Gate()
    app = PickerApp(home, gate)
    async with running(app) as pilot:
        await until(pilot, lambda: bool(gate.begun))
        await pilot.press("enter")
        assert isinstance(app.screen, MainScreen)
        gate.open()
        await pilot.pause()
        assert gate.begun == ["a1"]
        known = SessionCache(cache_path(home.environ)).get(find_sessions(home.environ)[1])
        assert known == SessionFacts("/src/site", "dark mode ¶ please")


async def test_two_thousand_sessions(tmp_path):
    home = FakeHome(tmp_path)
    for number in range(2_000):
        name, prompt = f"s{number:04}", f"prompt {number}"
        home.talk(
            f"-p{number % 40}",
            name,
            prompt,
            cwd=f"/p{number % 40}",
            written=NOW.timestamp() - number,
        )
    gate = Gate()
    app = PickerApp(home, gate)
    async with running(app) as pilot:
        assert " 2,000 sessions of Claude Code" in app.lines()[0]
        await until(pilot, lambda: bool(gate.begun))
        assert app.here.listing.row_count() > 2_000
        await pilot.press("end")
        assert app.session == "legacy"
        await pilot.press("home", *"prompt 1999")
        assert app.session == "s1999"
        await pilot.press("escape", "pagedown", "pagedown")
        assert app.session > "s0040"
        await pilot.press("home", "enter")
        assert isinstance(app.screen, MainScreen)
        gate.open()
