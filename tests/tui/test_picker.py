"""The picker: what it lists, how one finds a session in it, and how one gets out."""

import pytest
from textual import events

from tapeview.commands import PICKER_COMMANDS
from tapeview.tape.sizes import size_long
from tapeview.tui.glyphs import ASCII
from tapeview.tui.screens.help import HelpScreen
from tapeview.tui.screens.main import MainScreen
from tests.fake_home import FakeHome
from tests.picker_app import NARROW, PickerApp, checked, four_sessions, running, until


@pytest.fixture
def home(tmp_path):
    return four_sessions(tmp_path)


# -- what is seen ----------------------------------------------------------------------------------


async def test_a_wide_screen_shows_all_that_is_known(home):
    app = PickerApp(home)
    async with running(app) as pilot:
        await checked(pilot)
        lines = app.lines()
        assert lines[0].startswith(" tapeview  4 sessions of Claude Code on this machine")
        assert lines[0].endswith("! 1 with errors")
        assert lines[1] == (
            "▌ / █ type to search projects and first prompts"
            "                                             turns     size  harness"
        )
        assert lines[2].startswith("  ── today ────────")
        broken, fine = home.projects / "-src-ledger/a1.jsonl", home.projects / "-src-site/b2.jsonl"
        assert lines[3].rstrip("▐━") == (
            f"▌ ! 24 min  ledger        why does it fail?{'2':>54}{weight(broken):>9}  claude-code"
        )
        assert lines[4].rstrip("▐━") == (
            f"       2 h  site          dark mode ¶ please{'1':>53}{weight(fine):>9}  claude-code"
        )
        titles = [line.split()[1] for line in lines if line.startswith("  ── ")]
        assert titles == ["today", "yesterday", "February", "samples,"]
        assert "    12:30  site          a pricing table" in app.text()
        assert "     5 Feb  notes         explain retries" in app.text()
        assert "  !         trimmed       A request body whose head was cut off" in app.text()
        assert lines[-1].startswith(" enter open  ↑ ↓ move  tab only broken  esc q quit  f1 help")


def weight(path):
    return size_long(path.stat().st_size)


async def test_the_lower_part_tells_what_one_recognises_a_session_by(home):
    app = PickerApp(home)
    async with running(app) as pilot:
        await checked(pilot)
        lines = app.lines()[-9:-1]
        assert lines[0].startswith("  a1.jsonl  ")
        assert lines[0].endswith("~/.claude/projects/-src-ledger · claude-x · 2 Mar 08:00 to 08:00")
        assert lines[1].startswith("  ! doubled 1     resume sends ")
        assert lines[3] == "  > why does it fail?     first"
        assert lines[4] == "  • Done."
        assert lines[5].startswith("  sent per turn ")
        await pilot.press("down")
        assert "  no problems     resume sends 2 of 2 messages" in app.text()
        await pilot.press("end", "home")
        assert app.session == "a1"


async def test_the_lower_part_of_a_sample_tells_what_it_is(home):
    app = PickerApp(home)
    async with running(app) as pilot:
        await checked(pilot)
        await pilot.press(*["down"] * 4)
        assert app.session == "crash"
        text = app.text()
        assert "  crash.jsonl" in text
        assert "  ! dangling 1  doubled 1  orphan 1  late 1     resume sends" in text
        assert "  A flaky lease test is hunted for 9 turns until the laptop sleeps" in text
        assert any("an orphan result after the next prompt" in line for line in app.lines())
        assert any("an Edit that is still pending at th…" in line for line in app.lines())
        assert "  ● Edit   src/ledger/lease.py" in text


async def test_a_narrow_screen_has_room_for_the_list(home):
    app = PickerApp(home)
    async with running(app, NARROW) as pilot:
        await checked(pilot)
        lines = app.lines()
        assert len(lines) == 24
        assert lines[3].rstrip("▐━").startswith("▌ ! 24 min  ledger        why does it fail?")
        assert "claude-code" not in app.text()
        assert lines[5].startswith("  ── yesterday")  # no blank lines
        assert lines[-6].startswith("  a1.jsonl")
        assert lines[-4] == "  > why does it fail?     first"
        assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("size", [(40, 10), (59, 17), (60, 18), (100, 22), (300, 100), (20, 5)])
async def test_every_size_holds(home, size):
    app = PickerApp(home)
    async with running(app, size) as pilot:
        await checked(pilot)
        await pilot.press("down", "w", "backspace", "tab", "tab")
        lines = app.lines()
        assert len(lines) == size[1]
        assert any("▌ " in line and "24 min" in line for line in lines)
        await pilot.resize_terminal(120, 40)
        await pilot.pause()
        assert "first" in app.text()


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (60, "4 sessions of Claude Code  "),
        (42, "4 sessions of Claude Code  ! 1"),
        (36, "4 sessions     "),
        (20, "     ! 1"),
    ],
)
async def test_the_header_drops_words_whole(home, width, words):
    app = PickerApp(home)
    async with running(app, (width, 20)) as pilot:
        await checked(pilot)
        assert app.lines()[0].startswith(f" tapeview  {words}".rstrip())
        assert "on this" not in app.lines()[0]


async def test_without_sessions_there_are_the_samples(tmp_path):
    app = PickerApp(FakeHome(tmp_path))
    async with running(app) as pilot:
        await checked(pilot)
        lines = [line.rstrip("▐━") for line in app.lines()]
        assert lines[3] == "  No sessions in the folders of 1 harness."
        assert lines[4] == "  Open a sample below, or start: tapeview FILE"
        assert lines[6].startswith("  ── samples, shipped with tapeview")
        assert app.session == "crash"
        await pilot.press("enter")
        assert isinstance(app.screen, MainScreen)


async def test_plain_signs_where_the_terminal_has_no_others(home):
    app = PickerApp(home, glyphs=ASCII)
    async with running(app) as pilot:
        await checked(pilot)
        assert app.text().isascii()
        await pilot.press(*["down"] * 4)
        assert app.text().isascii()


# -- keys ------------------------------------------------------------------------------------------


async def test_the_cursor_passes_over_titles(home):
    app = PickerApp(home)
    async with running(app) as pilot:
        await checked(pilot)
        seen = [app.session]
        for _ in range(4):
            await pilot.press("down")
            seen.append(app.session)
        assert seen == ["a1", "b2", "c3", "d4", "crash"]
        for key, session in [
            ("up", "d4"),
            ("home", "a1"),
            ("up", "a1"),
            ("end", "legacy"),
            ("down", "legacy"),
            ("pageup", "a1"),
            ("pagedown", "legacy"),
        ]:
            await pilot.press(key)
            assert app.session == session, key
        await pilot.press("home")
        assert app.here.listing.top == 0


@pytest.mark.parametrize(
    ("typed", "projects"),
    [
        ("site", ["site", "site"]),
        ("SITE dark", ["site"]),
        ("fail ledger", ["ledger"]),
        ("project:site", ["site", "site"]),
        ("project:no", ["notes"]),
        ("harness:claude", ["ledger", "site", "site", "notes"]),
        ("harness:pi", []),
        ("q", []),
    ],
)
async def test_a_search_shows_what_fits_while_one_types(home, typed, projects):
    app = PickerApp(home)
    async with running(app) as pilot:
        await checked(pilot)
        await pilot.press("slash", *typed)
        assert app.listed() == projects
        assert f"▌ / {typed}█" in app.lines()[1]
        await pilot.press("escape")
        assert len(app.listed()) == 4
        assert app.is_running


async def test_what_fits_is_lit_and_counted(home):
    app = PickerApp(home)
    async with running(app) as pilot:
        await checked(pilot)
        await pilot.press(*"site")
        assert app.lines()[0].startswith(" tapeview  2 of 4 sessions of Claude Code")
        assert app.session == "b2"
        strip = app.screen._compositor.render_strips()[3]
        lit = app.here.listing.ink.style("match", "select")
        assert [segment.text for segment in strip if segment.style == lit] == ["site"]


async def test_words_are_corrected(home):
    app = PickerApp(home)
    async with running(app) as pilot:
        await checked(pilot)
        await pilot.press(*"dark sitx", "backspace", "e")
        assert app.here.sought == "dark site"
        await pilot.press("ctrl+w")
        assert app.here.sought == "dark "
        await pilot.press("ctrl+u", *"x", "backspace", "q")
        assert app.here.sought == "q"
        await pilot.press("backspace", "backspace")
        assert "type to search" in app.text()


async def test_nothing_fits(home):
    app = PickerApp(home)
    async with running(app) as pilot:
        await checked(pilot)
        await pilot.press(*"zzz")
        assert "  No session has these words." in app.text()
        assert app.session is None
        await pilot.press("enter", "down", "up", "pagedown", "end", "home")
        assert app.session is None
        await pilot.press("escape")
        assert app.session == "a1"


async def test_only_broken_ones(home):
    app = PickerApp(home)
    async with running(app) as pilot:
        await checked(pilot)
        await pilot.press("tab")
        assert app.listed() == ["ledger"]
        assert "only broken" in app.lines()[1]
        assert "trimmed" in app.text()
        assert "An option is added" not in app.text()
        await pilot.press(*"site")
        assert "  No broken session." in app.text()
        assert "  tab shows all sessions" in app.text()
        await pilot.press("tab", "escape")
        assert len(app.listed()) == 4


@pytest.mark.parametrize("key", ["q", "escape", "ctrl+c"])
async def test_ways_out(home, key):
    app = PickerApp(home)
    async with running(app) as pilot:
        await pilot.press(key)
        assert not app.is_running or app._exit


async def test_letters_are_letters_once_one_types(home):
    app = PickerApp(home)
    async with running(app) as pilot:
        await pilot.press("x", "q", "question_mark", "slash", "j", "k", "n", "space", "colon")
        assert app.here.sought == "xq?/jkn :"
        await pilot.press("escape", "question_mark")
        assert isinstance(app.screen, HelpScreen)
        await pilot.press("q")
        await pilot.press("a", "f1")
        assert isinstance(app.screen, HelpScreen)
        await pilot.press("escape")
        assert app.here.sought == "a"


async def test_what_is_pasted_is_searched_for(home):
    app = PickerApp(home)
    async with running(app) as pilot:
        app.post_message(events.Paste("dark\x1b[2J\x07"))
        await until(pilot, lambda: bool(app.here.sought))
        assert app.here.sought == "dark¤[2J¤"


async def test_there_is_no_palette_of_commands_for_a_session(home):
    app = PickerApp(home)
    async with running(app) as pilot:
        screen = app.here
        await pilot.press("ctrl+p")
        assert app.screen is screen
        assert screen.sought == ""


async def test_the_theme_is_changed_and_remembered(home):
    app = PickerApp(home)
    async with running(app) as pilot:
        await pilot.press("ctrl+t")
        assert app.theme == "tapeview-light"


async def test_enter_opens_the_session_and_q_leaves(home):
    app = PickerApp(home)
    async with running(app) as pilot:
        await pilot.press("down", "enter")
        screen = app.screen
        assert isinstance(screen, MainScreen)
        assert app.opened is not None
        assert app.opened.session.path.endswith("b2.jsonl")
        await pilot.press("escape")
        assert app.screen is screen
        await pilot.press("q")
        assert app._exit


@pytest.mark.parametrize(
    ("keys", "session", "holds"),
    [
        ((*"notes", "enter", "n"), "d4", lambda app: app.screen.row.kind == "turn"),
        ((*"fail", "enter", "n", "q"), "a1", lambda app: app._exit),
        (("down", "down", "enter", "question_mark"), "c3", lambda app: is_help(app)),
        ((*"not", *["backspace"] * 3, *"dark", "enter"), "b2", lambda app: app.opened is not None),
    ],
)
async def test_keys_typed_ahead_act_in_their_order(home, keys, session, holds):
    app = PickerApp(home)
    async with running(app) as pilot:
        await checked(pilot)
        for key in keys:
            letter = key if len(key) == 1 else {"question_mark": "?"}.get(key)
            app.post_message(events.Key(key, letter))
        await until(pilot, lambda: app.opened is not None)
        await until(pilot, lambda: holds(app))
        assert app.opened.session.path.endswith(f"{session}.jsonl")


def is_help(app):
    return isinstance(app.screen, HelpScreen)


async def test_a_double_click_opens(home):
    app = PickerApp(home)
    async with running(app) as pilot:
        await pilot.click(app.here.listing, offset=(20, 2))
        assert app.session == "b2"
        await pilot.click(app.here.listing, offset=(20, 0))
        assert app.session == "b2"
        await pilot.double_click(app.here.listing, offset=(20, 1))
        await until(pilot, lambda: isinstance(app.screen, MainScreen))
        assert app.opened.session.path.endswith("a1.jsonl")


def test_every_key_of_the_table_means_one_thing():
    keys = [key for entry in PICKER_COMMANDS for key in entry.keys]
    assert len(keys) == len(set(keys))
    assert all(entry.where == "picker" for entry in PICKER_COMMANDS)
