"""What the picker does with sessions that are gone, broken or hostile."""

import os

import pytest

from tapeview.picker.cache import Checked, SessionCache, SessionFacts, cache_path
from tapeview.picker.sessions import find_sessions
from tapeview.tui.screens.cannot_open import CannotOpen
from tapeview.tui.screens.main import MainScreen
from tests.picker_app import NARROW, NOW, PickerApp, checked, four_sessions, running


@pytest.fixture
def home(tmp_path):
    return four_sessions(tmp_path)


async def test_a_session_that_has_vanished_is_told_and_dropped(home):
    app = PickerApp(home)
    async with running(app) as pilot:
        await checked(pilot)
        (home.projects / "-src-ledger" / "a1.jsonl").unlink()
        await pilot.press("enter")
        assert isinstance(app.screen, CannotOpen)
        text = app.text()
        assert " cannot open a1.jsonl" in text
        assert "\n  there is no such file.\n" in text
        assert "    Claude Code session" in text
        await pilot.press("q")
        assert app.listed() == ["site", "site", "notes"]
        assert app.session == "b2"


async def test_pipes_and_devices_are_neither_listed_nor_waited_for(home):
    folder = home.projects / "-src-ledger"
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "zero.jsonl").symlink_to("/dev/zero")
    (folder / "a1" / "subagents").mkdir(parents=True)
    os.mkfifo(folder / "a1" / "subagents" / "agent-a91.jsonl")
    os.mkfifo(home.projects / "-p")
    app = PickerApp(home)
    async with running(app) as pilot:
        await checked(pilot)
        assert app.listed() == ["ledger", "site", "site", "notes"]
        (folder / "a1.jsonl").unlink()
        os.mkfifo(folder / "a1.jsonl")
        await pilot.press("enter")
        assert "  this is a pipe or a device by now, no file." in app.text()
        await pilot.press("q", "down", "enter")
        assert isinstance(app.screen, MainScreen)


@pytest.mark.parametrize("key", ["q", "escape"])
async def test_what_is_no_session_is_told(home, key):
    home.put("-src-x", "x9.jsonl", {"a": 1}, {"a": 2}, written=NOW.timestamp())
    app = PickerApp(home)
    async with running(app, NARROW) as pilot:
        await checked(pilot)
        assert app.lines()[3].startswith("▌ ?    now  -src-x")
        assert "  ? these are JSON lines, but no conversation: line 1 has a;" in app.text()
        await pilot.press("tab")
        assert app.listed() == ["-src-x", "ledger"]
        await pilot.press("enter")
        assert isinstance(app.screen, CannotOpen)
        assert "line 1 has a;" in app.text()
        await pilot.press(key)
        assert app.listed() == ["-src-x", "ledger"]


HOSTILE = "\x1b]0;PWNED\x07\x1b[2J\x9b31m\u202e\u200b\x00[red]x[/red] [@click=app.quit]y[/]"


async def test_hostile_names_and_prompts_are_shown_and_do_not_act(home):
    folder = HOSTILE.replace("/", "").replace("\x00", "")
    now = NOW.timestamp()
    home.talk(folder, "e5\x1b[2J\u202e", HOSTILE, cwd=f"/src/{HOSTILE}", written=now - 1)
    home.put(folder, "\x1b]52;c;x\x07.jsonl", {"type": HOSTILE, HOSTILE: 1}, written=now - 2)
    long = "漢字" * 300
    home.talk(long[:60], "f6", long, cwd=f"/src/{long}", written=now - 3)
    app = PickerApp(home)
    async with running(app) as pilot:
        await checked(pilot)
        for key in ["home", "down", "down", "down"]:
            text = app.text()
            assert text.replace("\n", "").isprintable()
            assert not set(text) & set("\x1b\x07\x9b\u202e\u200b\x00")
            assert all(strip.cell_length == 120 for strip in app.screen._compositor.render_strips())
            await pilot.press(key)
        await pilot.press("home", "down", "enter")
        assert isinstance(app.screen, CannotOpen)
        assert app.text().replace("\n", "").isprintable()
        await pilot.press("q", "home", "enter")
        assert isinstance(app.screen, MainScreen)


async def test_a_forged_cache_cannot_act_either(home):
    listed = find_sessions(home.environ)
    cache = SessionCache(cache_path(home.environ))
    bad = Checked(
        turns=10**30,
        links={"late": -1},
        verdict=HOSTILE,
        model=HOSTILE,
        last=HOSTILE,
        bars="9x\x1b",
    )
    cache.put(listed[0], SessionFacts(HOSTILE, HOSTILE, bad))
    cache.put(listed[1], SessionFacts(HOSTILE, HOSTILE, Checked(error=HOSTILE)))
    cache.save([])
    app = PickerApp(home)
    async with running(app) as pilot:
        await checked(pilot)
        for _ in range(2):
            assert app.text().replace("\n", "").isprintable()
            await pilot.press("down")
