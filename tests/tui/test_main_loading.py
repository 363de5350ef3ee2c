"""The screen while a session is read, when it settles, and when its file changes."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input

from tapeview.loading import Loading, Settled
from tapeview.looks.heading import CHANGES
from tapeview.open_session import load
from tapeview.tui.app import TapeviewApp
from tapeview.tui.screens import main_loading
from tapeview.tui.screens.main import MainScreen
from tests.formats.claude import reply, user, written
from tests.paced import Paced

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
WIDE, NARROW = (120, 40), (80, 24)
NOTE = {"type": "summary", "summary": "x", "leafUuid": "u"}


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pilot waits after each key until the loop is idle: a short pause never lets it be."""
    monkeypatch.setattr(main_loading, "PAUSE", 0.3)


def app_of(loading: Loading, **words: str) -> TapeviewApp:
    return TapeviewApp(loading, environ={"HOME": os.environ["HOME"]}, **words)


def paced(sample: str = "crash.jsonl") -> Paced:
    return Paced(str(SAMPLES / sample))


def screen_of(app: App[None]) -> MainScreen:
    screen = app.screen
    assert isinstance(screen, MainScreen)
    return screen


def lines(app: App[None]) -> list[str]:
    strips = app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip).rstrip() for strip in strips]


async def until(pilot: Pilot[None], holds: Callable[[], bool]) -> None:
    """Give the loop its turns until it holds; what a test waits for is under way."""
    give_up = monotonic() + 60
    while not holds() and monotonic() < give_up:
        await pilot.pause()
    await pilot.pause()
    assert holds()


async def settle(pilot: Pilot[None], loading: Paced) -> None:
    loading.allowed = 1_000_000
    await until(pilot, lambda: screen_of(pilot.app).snapshot.settled)


def here(screen: MainScreen) -> tuple[object, int]:
    """What the cursor is on, and on which line of the screen."""
    row = screen.row
    assert row is not None
    return row.block or row.record, screen.timeline.cursor - screen.timeline.top


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_rows_stand_at_once_and_the_rest_is_not_claimed(size: tuple[int, int]) -> None:
    loading = paced()
    async with app_of(loading).run_test(size=size) as pilot:
        text = "\n".join(lines(pilot.app))
        assert "main · settling" in text
        assert "turn …" in text
        assert "problems …" in text
        assert re.search(" [0-9]+ of [0-9]+ kB ━", text)
        assert "no problems" not in text
        assert "0 turns" not in text
        await settle(pilot, loading)
        text = "\n".join(lines(pilot.app))
        assert "settling" not in text
        assert "turn 1" in text
        assert "problems 5" in text


async def test_settled_it_is_the_screen_of_a_session_read_at_once() -> None:
    loading = paced()
    async with app_of(loading).run_test(size=WIDE) as pilot:
        await settle(pilot, loading)
        await pilot.press("n")
        settled = lines(pilot.app)
    at_once = TapeviewApp(load(str(SAMPLES / "crash.jsonl")), environ={"HOME": os.environ["HOME"]})
    async with at_once.run_test(size=WIDE) as pilot:
        await pilot.press("n")
        assert settled == lines(pilot.app)


@pytest.mark.parametrize("steps", [0, 3, 7, 20, 33])
@pytest.mark.parametrize("sample", ["crash.jsonl", "compacted.jsonl", "healthy.jsonl"])
async def test_the_cursor_stays_on_its_record_and_on_its_line(sample: str, steps: int) -> None:
    loading = paced(sample)
    async with app_of(loading).run_test(size=NARROW) as pilot:
        loading.allowed = 1_000
        await until(pilot, lambda: loading.is_read)
        screen = screen_of(pilot.app)
        screen.timeline.action_step(steps)
        await pilot.pause()
        before = here(screen)
        await until(pilot, lambda: screen.snapshot.settled)
        assert here(screen)[0] is before[0]
        top = screen.timeline.top
        assert here(screen)[1] == before[1] or top == 0


async def test_new_rows_come_below_and_nothing_moves() -> None:
    loading = paced()
    async with app_of(loading).run_test(size=NARROW) as pilot:
        screen = screen_of(pilot.app)
        await pilot.press("end")
        last, count = here(screen), screen.timeline.row_count()
        loading.allowed = 8
        await until(pilot, lambda: loading.allowed == 0)
        screen.timeline.grow(loading.snapshot())
        await pilot.pause()
        assert here(screen) == last
        assert screen.timeline.row_count() > count
        await pilot.press("end")
        assert screen.timeline.cursor == screen.timeline.row_count() - 1


async def test_a_block_that_is_being_read_stays_where_it_is() -> None:
    loading = paced()
    async with app_of(loading).run_test(size=NARROW) as pilot:
        screen = screen_of(pilot.app)
        await pilot.press("down", "down", "down", "down", "down", "down", "enter")
        await until(pilot, lambda: screen.block.body.complete)
        await pilot.press("down", "down")
        top, block = screen.block.body.top, screen.block.head
        assert top > 0
        await settle(pilot, loading)
        assert screen.block.body.top == top
        assert screen.block.body.has_focus
        assert screen.block.head is not None
        assert block is not None
        assert screen.block.head.place[0].startswith("messages.")
        assert block.place[0].startswith("records.")


@pytest.mark.parametrize(
    "key",
    ["t", "w", "slash", "colon", "z", "right_square_bracket", "left_square_bracket"],
)
async def test_what_is_not_known_yet_waits(key: str) -> None:
    loading = paced()
    async with app_of(loading).run_test(size=WIDE) as pilot:
        screen = screen_of(pilot.app)
        await pilot.press("down", key)
        assert screen.message == ("still reading", "warn")
        assert not screen.asking
        assert screen.timeline.cursor == 1
        await pilot.press("down")
        assert screen.message[0] == ""
        await settle(pilot, loading)
        await pilot.press(key)
        assert screen.message[0] != "still reading"


async def test_turns_are_leafed_through_and_text_copied_meanwhile() -> None:
    loading = paced()
    async with app_of(loading).run_test(size=WIDE) as pilot:
        screen = screen_of(pilot.app)
        await pilot.press("n", "n", "p")
        assert screen.row is not None
        assert screen.row.kind == "reply"
        await pilot.press("enter", "escape", "down", "y", "Y", "ctrl+y")
        assert pilot.app.clipboard.startswith("records.")


async def test_what_is_typed_into_a_line_that_is_refused_is_no_command() -> None:
    loading = paced()
    async with app_of(loading).run_test(size=WIDE) as pilot:
        screen = screen_of(pilot.app)
        await pilot.press("slash", "t", "o", "n", "tab", "enter")
        assert screen.pane == "timeline"
        assert screen.timeline.cursor == 0
        await pilot.press("n")
        assert screen.timeline.cursor > 0


async def test_what_is_typed_on_into_it_is_no_command_when_it_settles() -> None:
    loading = paced()
    async with app_of(loading).run_test(size=WIDE) as pilot:
        screen = screen_of(pilot.app)
        await pilot.press("colon")
        assert screen.message == ("still reading", "warn")
        await settle(pilot, loading)
        before = screen.timeline.cursor
        await pilot.press(*"dns", "enter")
        assert screen.timeline.cursor == before
        assert screen.side is None
        await pilot.press("n")
        assert screen.timeline.cursor > before


async def test_it_can_be_left_at_once() -> None:
    app = app_of(paced())
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("q")
    assert app.return_code == 0


@pytest.mark.parametrize(
    ("words", "kind", "says"),
    [
        ({"turn": 4}, "turn", ""),
        ({"at": "messages.17.content.3"}, "block", ""),
        ({"turn": 40}, "note", "no turn 40: there are 9"),
    ],
)
async def test_where_to_begin_is_known_in_the_end(
    words: dict[str, str], kind: str, says: str
) -> None:
    loading = paced()
    async with app_of(loading, **words).run_test(size=WIDE) as pilot:
        await settle(pilot, loading)
        screen = screen_of(pilot.app)
        row = screen.row
        assert row is not None
        assert (row.kind == kind) is (not says)
        assert says in screen.message[0]
        assert bool(screen.message[0]) is bool(says)
        assert "turn" not in words or says or row.turn == words["turn"]


async def test_who_has_moved_is_not_taken_elsewhere() -> None:
    loading = paced()
    async with app_of(loading, at="messages.17").run_test(size=WIDE) as pilot:
        await pilot.press("down", "down")
        before = here(screen_of(pilot.app))
        await settle(pilot, loading)
        assert here(screen_of(pilot.app))[0] is before[0]


async def test_help_may_be_open_when_it_settles() -> None:
    loading = paced()
    async with app_of(loading).run_test(size=WIDE) as pilot:
        screen = screen_of(pilot.app)
        await pilot.press("question_mark")
        loading.allowed = 1_000
        await until(pilot, lambda: screen.snapshot.settled)
        await pilot.press("escape", "n")
        assert "turn 1" in "\n".join(lines(pilot.app))


# -- the file under it -----------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "x.jsonl"
    lines = [user("u0", None, "x" * 900)]
    lines += [reply(f"a{k}", f"u{k}", f"m{k}", "y" * 900) for k in range(60)]
    path.write_bytes(written(*lines))
    os.utime(path, ns=(0, 0))
    return path


async def test_what_cannot_be_settled_says_so_and_stays_usable(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loading = Paced(str(file))
    fault = "the file changed while it was read: open it again"
    monkeypatch.setattr(loading, "settle", lambda lanes: Settled(None, fault))
    async with app_of(loading).run_test(size=WIDE) as pilot:
        screen = screen_of(pilot.app)
        loading.allowed = 1_000
        await until(pilot, lambda: bool(screen.message[0]))
        assert screen.message == (fault, "warn")
        assert "main · not settled" in "\n".join(lines(pilot.app))
        await pilot.press("down", "n", "enter", "escape", "w")
        assert screen.message == (fault, "warn")


async def test_a_file_that_becomes_shorter_while_it_is_read(file: Path) -> None:
    loading = Paced(str(file))
    os.truncate(file, 30_000)
    async with app_of(loading).run_test(size=WIDE) as pilot:
        screen = screen_of(pilot.app)
        await settle(pilot, loading)
        assert screen.message[1] == "warn"
        await pilot.press("n", "end", "enter", "escape", "home")
        assert "turn 1" in "\n".join(lines(pilot.app))


def gone(path: Path) -> None:
    path.unlink()


def cut_off(path: Path) -> None:
    os.truncate(path, 5_000)


def grown(path: Path) -> None:
    with path.open("ab") as more:
        more.write(b'{"type":"user"')


def replaced(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(b"{}")
    other.replace(path)


def scribbled(path: Path) -> None:
    path.write_bytes(b"\x00{[" * (path.stat().st_size // 3))


@pytest.mark.parametrize(
    ("act", "change"),
    [
        (gone, "gone"),
        (cut_off, "shorter"),
        (grown, "grown"),
        (replaced, "replaced"),
        (scribbled, "shorter"),
    ],
)
async def test_a_file_that_changes_is_noticed_once_and_rows_say_what_is_lost(
    act: Callable[[Path], None], change: str, file: Path
) -> None:
    opened = load(str(file))
    async with TapeviewApp(opened, environ={"HOME": os.environ["HOME"]}).run_test(
        size=WIDE
    ) as pilot:
        screen = screen_of(pilot.app)
        act(file)
        screen.tell_change()
        assert screen.message == (CHANGES[change], "warn")  # type: ignore[index]
        await pilot.press("end")
        await until(pilot, lambda: screen.block.body.complete)
        lost = change == "shorter"
        assert ("cannot be read any more" in "\n".join(lines(pilot.app))) is lost
        screen.tell_change()
        assert screen.message[0] == ""
        for key in ("enter", "escape", "n", "y", "Y", "ctrl+y", "w", "w", "slash", "y"):
            await pilot.press(key)
        await pilot.press("enter", "escape", "home", "z", "z", "tab", "tab")
    assert pilot.app.return_code in (0, None)


@pytest.mark.parametrize("key", ["down", "n"])
async def test_the_file_is_looked_at_when_a_key_is_pressed(key: str, file: Path) -> None:
    app = TapeviewApp(load(str(file)), environ={"HOME": os.environ["HOME"]})
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        file.unlink()
        await pilot.press(key)
        await until(pilot, lambda: screen.message[0] == CHANGES["gone"])
        screen._looked = 0.0
        await pilot.press("down")
        assert screen.message[0] == ""


async def test_the_file_is_looked_at_when_one_comes_back_to_the_terminal(file: Path) -> None:
    app = TapeviewApp(load(str(file)), environ={"HOME": os.environ["HOME"]})
    async with app.run_test(size=WIDE) as pilot:
        app.app_focus = False
        file.unlink()
        app.app_focus = True
        await pilot.pause()
        assert screen_of(app).message[0] == CHANGES["gone"]


# -- nothing to show -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "second"),
    [
        (b"[]", ""),
        (b'{"messages":[]}', ""),
        (written(NOTE), "1 note is stored; enter shows it."),
        (written(NOTE, NOTE, NOTE), "3 notes are stored; enter shows them."),
    ],
)
async def test_a_session_without_messages(text: bytes, second: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(text)
    app = TapeviewApp(load(str(path)), environ={"HOME": os.environ["HOME"]})
    async with app.run_test(size=NARROW) as pilot:
        body = [line[5:] for line in lines(app)[2:]]
        assert body[2:4] == ["No messages in this session.", second]
        await pilot.press("down", "t", "n", "enter", "escape")
        screen = screen_of(app)
        rows = screen.timeline.row_count()
        assert rows == {"": 0, "1": 1, "3": 4}[second[:1]]
        assert ("No messages" in "\n".join(lines(app))) is (rows == 0)


async def test_a_search_finds_notes_that_are_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(written(NOTE, NOTE))
    app = TapeviewApp(load(str(path)), environ={"HOME": os.environ["HOME"]})
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("slash", "x")
        screen = screen_of(app)
        await until(pilot, lambda: screen.row is not None)
        await pilot.press("enter")
        assert screen.row is not None
        assert screen.row.kind == "note"
        await pilot.press("colon")
        screen.query_one("#goto-input", Input).value = "records.1"
        await pilot.press("enter")
        assert screen.row.kind == "note"
