"""The screen of a session that grows, with files that are really written."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from threading import Thread

import pytest
from textual.pilot import Pilot

from tapeview.capture import growing
from tapeview.edit.operations import Delete
from tapeview.loading import begin
from tapeview.looks import following
from tapeview.open_session import load
from tapeview.tui.app import TapeviewApp
from tapeview.tui.screens import main_following
from tapeview.tui.screens.main import MainScreen
from tests.formats.claude import reply, user, written
from tests.helpers import open_bytes
from tests.paced import Paced
from tests.tui.test_main_loading import here, lines, screen_of, until

WIDE, NARROW = (120, 40), (80, 24)
SAMPLES = Path(__file__).parents[2] / "sample_sessions"
FIRST = written(user("u1", None, "ask"), reply("a1", "u1", "m1", "call:t"))
ANSWER = written(user("u2", "a1", "result:t"))
MORE = written(reply("a2", "u2", "m2", "done"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "x.jsonl"
    file.write_bytes(FIRST)
    return file


@asynccontextmanager
async def followed(
    path: Path, size: tuple[int, int] = WIDE, **words: object
) -> AsyncIterator[Pilot[None]]:
    environ = {"HOME": os.environ["HOME"]}
    app = TapeviewApp(begin(str(path)), environ=environ, follow=True, **words)  # type: ignore[arg-type]
    async with app.run_test(size=size) as pilot:
        yield pilot


def text(pilot: Pilot[None]) -> str:
    return "\n".join(lines(pilot.app))


def append(path: Path, data: bytes) -> None:
    """As another program does it: in a thread of its own, in two pieces."""

    def write() -> None:
        with path.open("ab", buffering=0) as out:
            out.write(data[: len(data) // 2])
            out.write(data[len(data) // 2 :])

    thread = Thread(target=write)
    thread.start()
    thread.join()


def rename_over(path: Path, data: bytes) -> None:
    path.with_name("new").write_bytes(data)
    path.with_name("new").replace(path)


async def shows(pilot: Pilot[None], *words: str) -> None:
    await until(pilot, lambda: all(word in text(pilot) for word in words))


def records(pilot: Pilot[None]) -> int:
    return len(screen_of(pilot.app).opened.session.records)


async def has(pilot: Pilot[None], count: int) -> None:
    await until(pilot, lambda: records(pilot) == count)


# -- what is new -----------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_what_is_new_is_shown(size: tuple[int, int], path: Path) -> None:
    async with followed(path, size) as pilot:
        assert "main · following" in text(pilot)
        assert "following: 1 call waits for its result" in text(pilot)
        assert "pending " in text(pilot)
        append(path, ANSWER)
        await shows(pilot, "► Bash", "… following")
        assert "pending" not in text(pilot)
        assert "waits for its result" not in text(pilot)
        append(path, MORE)
        await shows(pilot, "turn 2", "• done")


async def test_in_the_end_it_is_the_screen_of_a_session_opened_then(path: Path) -> None:
    async with followed(path) as pilot:
        append(path, ANSWER + MORE)
        await has(pilot, 4)
        await pilot.press("escape", "home", "down")
        grown = lines(pilot.app)
    app = TapeviewApp(load(str(path)), environ={"HOME": os.environ["HOME"]})
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("down")
        assert grown == lines(app)


async def test_findings_come_and_go(path: Path) -> None:
    async with followed(path) as pilot:
        assert "problems none" in text(pilot)
        append(path, written(user("u2", "a1", "go on"), reply("a2", "u2", "m2", "well")))
        await shows(pilot, "problems 1", "dangling")
        append(path, written(user("u3", "a1", "result:t")))  # the other line was left
        await until(pilot, lambda: "problems 1" not in text(pilot))


async def test_half_a_line_is_no_row_until_its_writer_stops(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growing, "PATIENCE", 1e9)
    async with followed(path) as pilot:
        append(path, ANSWER + MORE[:30])
        await shows(pilot, "► Bash")
        assert records(pilot) == 3
        monkeypatch.setattr(growing, "PATIENCE", 0.0)
        await shows(pilot, "line 4 is unreadable")
        append(path, MORE[30:])
        await shows(pilot, "• done")
        assert "unreadable" not in text(pilot)


# -- the cursor ------------------------------------------------------------------------------------


async def test_the_cursor_at_the_end_follows_the_end(path: Path) -> None:
    async with followed(path, NARROW) as pilot:
        screen = screen_of(pilot.app)
        parent = "a1"
        for k in range(12):
            append(
                path,
                written(
                    user(f"u{k}x", parent, "result:t" if k == 0 else "go on"),
                    reply(f"a{k}x", f"u{k}x", f"m{k}x", f"said {k}"),
                ),
            )
            parent = f"a{k}x"
            await has(pilot, 4 + 2 * k)
            await until(pilot, lambda k=k: f"• said {k}" in text(pilot))  # type: ignore[misc]
            assert screen.timeline.cursor == screen.timeline.row_count() - 1


@pytest.mark.parametrize("steps", [0, 1, 9, 20])
async def test_elsewhere_it_stays_on_its_row_and_on_its_line(steps: int, tmp_path: Path) -> None:
    path = tmp_path / "crash.jsonl"
    raw = (SAMPLES / "crash.jsonl").read_bytes()
    ends = [k + 1 for k, byte in enumerate(raw) if byte == 10]
    path.write_bytes(raw[: ends[30]])
    async with followed(path, NARROW) as pilot:
        screen = screen_of(pilot.app)
        await pilot.press("home", *["down"] * steps)
        before = here(screen)
        for start, end in pairwise(ends[30:41]):
            append(path, raw[start:end])
        await has(pilot, 41)
        assert here(screen) == before


async def test_a_block_that_is_being_read_stays_where_it_is(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(written(user("u1", None, "\n".join("many words" for _ in range(200)))))
    async with followed(path, NARROW) as pilot:
        screen = screen_of(pilot.app)
        await pilot.press("enter")
        await until(pilot, lambda: screen.block.body.complete)
        await pilot.press("down", "down", "down")
        top = screen.block.body.top
        assert top > 0
        append(path, written(reply("a1", "u1", "m1", "said")))
        await has(pilot, 2)
        # The cursor was at the end, but whoever reads is not taken elsewhere.
        assert screen.block.body.has_focus
        assert screen.block.body.top == top


async def test_it_begins_at_the_end_unless_one_asks_for_a_place(tmp_path: Path) -> None:
    path = tmp_path / "crash.jsonl"
    path.write_bytes((SAMPLES / "crash.jsonl").read_bytes())
    async with followed(path) as pilot:
        screen = screen_of(pilot.app)
        assert screen.timeline.at == following.last_row(screen.snapshot, screen.timeline.folded)
    async with followed(path, turn=2) as pilot:
        row = screen_of(pilot.app).row
        assert row is not None
        assert row.turn == 2


# -- files that come, go and change ----------------------------------------------------------------


async def test_a_file_that_is_deleted_and_comes_back(path: Path) -> None:
    async with followed(path) as pilot:
        path.unlink()
        await shows(pilot, following.HAPPENED["gone"])
        assert records(pilot) == 2
        path.write_bytes(FIRST + ANSWER)
        await shows(pilot, "► Bash")


@pytest.mark.parametrize("act", [rename_over, Path.write_bytes])
async def test_a_file_that_is_replaced_or_cut(
    act: Callable[[Path, bytes], object], path: Path
) -> None:
    async with followed(path) as pilot:
        act(path, written(user("v1", None, "another one")))
        await shows(pilot, "another one")
        await until(pilot, lambda: screen_of(pilot.app).message[1] == "warn")
        append(path, written(reply("b1", "v1", "n1", "and its answer")))
        await shows(pilot, "and its answer")


async def test_a_file_that_is_emptied_is_waited_for(path: Path) -> None:
    async with followed(path) as pilot:
        os.truncate(path, 0)
        await shows(pilot, "the file is empty")
        assert records(pilot) == 2
        append(path, FIRST + ANSWER)
        await shows(pilot, "► Bash")


@pytest.mark.parametrize("act", [rename_over, Path.write_bytes])
async def test_a_document_that_is_written_anew(
    act: Callable[[Path, bytes], object], tmp_path: Path
) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b'[{"role":"user","content":"ask"}]')
    async with followed(path) as pilot:
        screen = screen_of(pilot.app)
        act(path, b'[{"role":"user","content":"ask"},{"role":"assistant","content":"done"}]')
        await shows(pilot, "• done")
        assert screen.message[1] != "warn"
        assert screen.timeline.at == len(screen.snapshot.rows) - 1


async def test_files_of_sub_agents_that_appear_and_grow(tmp_path: Path) -> None:
    source, path = SAMPLES / "healthy.jsonl", tmp_path / "healthy.jsonl"
    path.write_bytes(source.read_bytes())
    agent = next((SAMPLES / "healthy").rglob("agent-*.jsonl"))
    raw = agent.read_bytes()
    middle = raw.index(b"\n", len(raw) // 2) + 1
    async with followed(path) as pilot:
        screen = screen_of(pilot.app)
        assert not screen.opened.session.members
        target = path.parent / agent.relative_to(SAMPLES)
        target.parent.mkdir(parents=True)
        target.write_bytes(raw[:middle])
        await until(pilot, lambda: bool(screen.opened.session.members))
        tape = screen.opened.session.tapes[-1].id
        await pilot.app.push_screen(screen.deeper(tape))
        deeper = screen_of(pilot.app)
        assert "following" in text(pilot)
        rows = len(deeper.snapshot.rows)
        append(target, raw[middle:])
        await until(pilot, lambda: len(deeper.snapshot.rows) > rows)
        assert deeper.opened.session.rows(1)[-1].start > middle


# -- edits -----------------------------------------------------------------------------------------


async def test_unsaved_edits_are_kept_and_what_is_new_waits(path: Path) -> None:
    async with followed(path) as pilot:
        screen = screen_of(pilot.app)
        assert screen.keeper is not None
        edit = screen.keeper.apply(Delete(("messages.1",)))
        screen.follow([edit])
        append(path, ANSWER)
        await shows(pilot, "paused: 1 unsaved edit, file changed")
        assert records(pilot) == 1
        await pilot.press("u")
        await has(pilot, 3)
        assert "main · following" in text(pilot)
        assert "paused" not in text(pilot)


async def test_saving_over_what_was_not_shown_is_asked_first(path: Path) -> None:
    async with followed(path) as pilot:
        screen = screen_of(pilot.app)
        append(path, ANSWER)
        await has(pilot, 3)
        assert screen.keeper is not None
        screen.follow([screen.keeper.apply(Delete(("messages.1", "messages.2")))])
        append(path, MORE)
        await shows(pilot, "file changed")
        await pilot.press("s")
        assert "the file was written by another program" in text(pilot)
        assert path.read_bytes() == FIRST + ANSWER + MORE
        await pilot.press("r")
        await until(pilot, lambda: screen_of(pilot.app) is not screen)
        assert screen_of(pilot.app).is_following
        assert "1 unsaved edit of" in text(
            pilot
        )  # in the journal: it can be tried on what is there now


async def test_after_saving_it_goes_on(path: Path) -> None:
    async with followed(path) as pilot:
        screen = screen_of(pilot.app)
        append(path, ANSWER)
        await has(pilot, 3)
        assert screen.keeper is not None
        screen.follow([screen.keeper.apply(Delete(("messages.1", "messages.2")))])
        await pilot.press("s")
        assert screen.message[0].startswith("saved")
        append(path, written(reply("a9", "u1", "m9", "after that")))
        await shows(pilot, "after that")
        assert records(pilot) == 2
        # Whoever saves again writes over nothing that was not shown.
        screen.follow([screen.keeper.apply(Delete(("messages.1",)))])
        await pilot.press("s")
        assert screen.message[0].startswith("saved")


@pytest.mark.parametrize(
    ("keys", "why", "leave"),
    [
        (("e",), "an edit is open", "escape"),
        (("a",), "an edit is open", "escape"),
        (("v",), "a row is marked", "v"),
        (("w",), "one turn is shown", "w"),
        (("S",), "a question is open", "escape"),
    ],
)
async def test_what_somebody_is_at_is_not_taken_away(
    keys: tuple[str, ...], why: str, leave: str, path: Path
) -> None:
    async with followed(path) as pilot:
        await pilot.press("home", *keys)
        append(path, ANSWER)
        screen = screen_of(pilot.app)
        await until(pilot, lambda: screen.follow_words == f"paused: {why}, file changed")
        assert records(pilot) == 2
        await pilot.press(leave)
        await has(pilot, 3)


# -- on and off ------------------------------------------------------------------------------------


async def test_a_key_begins_and_ends_it(path: Path) -> None:
    app = TapeviewApp(load(str(path)), environ={"HOME": os.environ["HOME"]})
    async with app.run_test(size=WIDE) as pilot:
        assert "following" not in text(pilot)
        append(path, ANSWER)
        await pilot.press("ctrl+f")
        await shows(pilot, "main · following", "► Bash")
        for key in ("escape", "ctrl+f"):
            await pilot.press(key)
            assert screen_of(app).is_following is (key == "ctrl+f")
        await pilot.press("ctrl+f")
        assert "following" not in text(pilot).replace("no longer following", "")
        append(path, MORE)
        screen_of(app).tell_change()
        assert "ctrl+f shows the rest" in screen_of(app).message[0]


async def test_escape_stops_last_of_all(path: Path) -> None:
    async with followed(path) as pilot:
        await pilot.press("slash", "a", "enter", "escape")
        assert screen_of(pilot.app).is_following
        await pilot.press("escape")
        assert not screen_of(pilot.app).is_following


async def test_standard_input_is_not_followed() -> None:
    app = TapeviewApp(open_bytes(FIRST, "-"), environ={"HOME": os.environ["HOME"]})
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("ctrl+f")
        assert screen_of(app).message == ("it was read to its end: nothing more comes.", "warn")
        assert not screen_of(app).is_following


async def test_help_may_be_open_while_it_grows(path: Path) -> None:
    async with followed(path) as pilot:
        await pilot.press("question_mark")
        append(path, ANSWER)
        main = next(each for each in pilot.app.screen_stack if isinstance(each, MainScreen))
        await until(pilot, lambda: len(main.opened.session.records) == 3)
        await pilot.press("escape")
        await shows(pilot, "► Bash")


async def test_ages_of_pending_calls_go_on(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1767261601.0 + 12.5]  # the call is of 10:00:01 that day
    monkeypatch.setattr(main_following, "time", lambda: clock[0])
    async with followed(path) as pilot:
        assert "pending 12 s" in text(pilot)
        clock[0] += 100
        await shows(pilot, "pending 1 min")
        await pilot.press("escape")
        assert "pending " in text(pilot)
        assert "pending 1 min" not in text(pilot)


# -- big ones --------------------------------------------------------------------------------------


async def test_new_rows_of_a_big_session_stand_there_before_they_are_worked_out(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growing, "BIG", 0)
    monkeypatch.setattr(growing, "REST", 1e9)
    monkeypatch.setattr(growing, "SHORT", -1.0)
    async with followed(path) as pilot:
        screen = screen_of(pilot.app)
        append(path, ANSWER)
        await has(pilot, 3)  # the first work; from here on there is a rest of years
        append(path, MORE)
        await shows(pilot, "turn …", "• done")
        assert records(pilot) == 3
        assert screen.timeline.at == len(screen.snapshot.rows) - 1
        append(path, written(user("u3", "a2", "thanks")))
        await shows(pilot, "thanks")
        await pilot.press("d")
        assert screen.message == ("still reading", "warn")
        await pilot.press("home", "end", "up", "enter", "escape", "slash", "x", "escape", "z", "z")
        assert records(pilot) == 3


@pytest.mark.parametrize("poll", [0.001, 1.0], ids=["reading lasts", "reading is quick"])
async def test_until_a_big_session_is_read_following_waits(
    path: Path, poll: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(main_following, "POLL", poll)
    loading = Paced(str(path))
    app = TapeviewApp(loading, environ={"HOME": os.environ["HOME"]}, follow=True)
    async with app.run_test(size=WIDE) as pilot:
        append(path, ANSWER)
        loading.allowed = 1_000
        await shows(pilot, "main · following", "► Bash")
        screen = screen_of(app)
        await until(pilot, lambda: screen.timeline.at == len(screen.snapshot.rows) - 1)
