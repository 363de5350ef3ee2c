"""Journeys of somebody who edits: each key, what it asks, what the file holds in the end."""

import json
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tapeview.errors import SaveError
from tapeview.loading import Loading
from tapeview.open_session import load, open_store
from tapeview.tui.app import TapeviewApp
from tapeview.tui.screens.main import MainScreen
from tests.tui.test_main import SAMPLES, go, place, screen_of

WIDE, NARROW = (120, 40), (80, 24)
TEXT = "messages.19.content.0"
CALL = "messages.17.content.1"
RESULT = "messages.18.content.0"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return Path(shutil.copy(SAMPLES / "crash.jsonl", tmp_path))


def app_of(path: Path) -> TapeviewApp:
    return TapeviewApp(load(str(path)), environ={"HOME": os.environ["HOME"]})


def header(screen: MainScreen) -> str:
    return screen.query_one("#header").render_line(0).text


def row_text(screen: MainScreen) -> str:
    """The cursor's row as it is painted."""
    return screen.timeline.render_line(screen.timeline.cursor - screen.timeline.top).text


def asked(screen: MainScreen) -> str:
    """The question in the footer's place."""
    return screen.question.render_line(0).text.strip() if screen.question.is_open else ""


async def retype(pilot: Pilot[None], words: str, *keys: str) -> None:
    """Open the editor, type something else, and leave it by these keys."""
    await pilot.press("e")
    screen_of(pilot.app).edit_pane.area.text = words
    await pilot.press(*keys)
    await pilot.pause()


@asynccontextmanager
async def retyped(path: Path, words: str) -> AsyncIterator[tuple[Pilot[None], MainScreen]]:
    """The screen after one edit, of the text under its cursor."""
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        await go(pilot, TEXT)
        await retype(pilot, words, "ctrl+s")
        yield pilot, screen_of(app)


# -- the editor ------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_a_text_is_edited_undone_and_done_again(path: Path, size: tuple[int, int]) -> None:
    app = app_of(path)
    async with app.run_test(size=size) as pilot:
        screen = screen_of(app)
        await go(pilot, TEXT)
        line = screen.timeline.cursor - screen.timeline.top
        await retype(pilot, "Something else", "ctrl+s")
        assert screen.message[0] == f"set text of {TEXT} · cache lost from messages.17 on"
        assert screen.timeline.has_focus
        assert place(screen) == TEXT
        assert screen.timeline.cursor - screen.timeline.top == line
        assert "Something else" in row_text(screen)
        assert row_text(screen)[2] == "*"
        assert ("1 unsaved edit" if size == WIDE else "* 1") in header(screen)
        await pilot.press("u")
        await pilot.pause()
        assert screen.message[0] == f"undid: set text of {TEXT}"
        assert "Something else" not in row_text(screen)
        assert row_text(screen)[2] == " "
        assert "unsaved" not in header(screen)
        await pilot.press("ctrl+r")
        await pilot.pause()
        assert screen.message[0] == f"did again: set text of {TEXT}"
        assert "Something else" in row_text(screen)
        for key, says in (("ctrl+r", "nothing to redo"), ("u", "undid: set text of " + TEXT)):
            await pilot.press(key)
            assert screen.message[0] == says
        await pilot.press("u")
        assert screen.message[0] == "nothing to undo"


async def test_letters_are_letters_in_the_editor(path: Path) -> None:
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, TEXT)
        await pilot.press("e", *"dqu", "tab", "s", "enter")
        assert screen.edit_pane.typed.startswith("dqu s\nRun 18")
        assert screen.opened.log.state == 0


async def test_the_ends_of_a_text_are_one_key_away(path: Path) -> None:
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, TEXT)
        await pilot.press("e", "ctrl+end", "Z", "ctrl+home", "A")
        assert screen.edit_pane.typed.startswith("A")
        assert screen.edit_pane.typed.endswith("Z")


async def test_json_is_checked_while_one_types(path: Path) -> None:
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, CALL)
        await retype(pilot, '{\n  "file_path": }')
        title = screen.edit_pane.title.render_line(0).text
        assert title.startswith("▌ edit ")
        assert " line 2 column 16: a value should stand" in title
        assert screen.edit_pane.fault == "line 2 column 16: a value should stand here"
        await pilot.press("ctrl+s")
        assert screen.edit_pane.is_open
        assert screen.message == (screen.edit_pane.fault, "warn")
        screen.edit_pane.area.text = '{"file_path": "x.py"}'
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert not screen.edit_pane.is_open
        assert "x.py" in row_text(screen)


async def test_what_was_typed_is_kept_for_the_next_time(path: Path) -> None:
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, TEXT)
        await pilot.press("e", "escape")
        assert not screen.edit_pane.is_open
        await retype(pilot, "half a thought", "escape")
        assert asked(screen).startswith("what was typed is kept for the next time:")
        await pilot.press("escape")
        assert screen.is_typing
        await pilot.press("escape", "enter")
        assert screen.timeline.has_focus
        assert screen.opened.log.state == 0
        await pilot.press("e")
        assert screen.edit_pane.typed == "half a thought"
        await pilot.press("escape", "d", "e")
        assert screen.edit_pane.typed.startswith("Run 18")


async def test_nothing_typed_is_no_edit(path: Path) -> None:
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        await go(pilot, TEXT)
        await pilot.press("e", "ctrl+s")
        assert screen_of(app).message[0] == "nothing was changed"
        assert screen_of(app).opened.log.state == 0


async def test_a_row_that_cannot_be_edited_says_why(path: Path) -> None:
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await pilot.press("n", "e")
        assert screen.message[0].startswith("a turn has no text of its own")
        await pilot.press("ctrl+s")
        assert screen.message[0] == "nothing is being edited"
        await pilot.press("w", "e")
        assert screen.message[0].startswith("what the model knew is only looked at")


async def test_controls_are_shown_and_survive(tmp_path: Path) -> None:
    words = "a\x1b[31mred\x1b[0m \ud83d\u202e\\ end"
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"messages": [{"role": "user", "content": words}]}))
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await pilot.press("e")
        shown = "a\\u001b[31mred\\u001b[0m \\ud83d\\u202e\\\\ end"
        assert screen.edit_pane.typed == shown
        assert "with escapes" in screen.edit_pane.title.render_line(0).text
        await pilot.press("X", "ctrl+s", "s")
        await pilot.pause()
    assert json.loads(path.read_text())["messages"][0]["content"] == "X" + words


async def test_what_is_pasted_does_not_act(path: Path) -> None:
    from textual.events import Paste

    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, TEXT)
        await pilot.press("e")
        screen.edit_pane.area.post_message(Paste("one\r\n\x1b[2Jtwo\u202e"))
        await pilot.pause()
        assert screen.edit_pane.typed.startswith("one\n[2JtwoRun 18")


async def test_the_users_own_editor(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[str, str]] = []
    back = iter([("outside", ""), ("", "vi did not start"), ('{"broken', "")])

    def edit(_app: object, text: str, suffix: str) -> tuple[str, str]:
        given.append((text[:6], suffix))
        return next(back)

    monkeypatch.setattr("tapeview.tui.screens.main_editing.edit_outside", edit)
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, TEXT)
        await pilot.press("E")
        await pilot.pause()
        assert "outside" in row_text(screen)
        await pilot.press("E")
        assert screen.message == ("vi did not start", "warn")
        await go(pilot, CALL)
        await pilot.press("E")
        assert screen.edit_pane.typed == '{"broken'
        assert screen.edit_pane.fault.startswith("line 1 column 9: ")
    assert given == [("Run 18", ".txt"), ("outsid", ".txt"), ('{\n  "f', ".json")]


async def test_a_large_block_goes_to_the_users_own_editor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "tapeview.tui.screens.main_editing.edit_outside", lambda _app, text, _suffix: ("small", "")
    )
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"messages": [{"role": "user", "content": "x" * 64_001}]}))
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("e")
        await pilot.pause()
        assert "small" in row_text(screen_of(app))


# -- lists, previews, pairs ------------------------------------------------------------------------


async def test_an_action_is_chosen_looked_at_and_done(path: Path) -> None:
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, RESULT)
        await pilot.press("a")
        choices = screen.choices
        titles = [choice.words for choice in choices.list.choices]
        at = titles.index("mark as an error")
        await pilot.press(*["down"] * at, "enter")
        await pilot.pause()
        assert choices.is_preview
        assert choices.words == f"set is_error of {RESULT}"
        assert screen.opened.log.state == 0
        await pilot.press("escape")
        assert not choices.is_open
        await pilot.press("a", *["down"] * at, "enter", "enter")
        await pilot.pause()
        assert screen.opened.log.state == 1
        assert place(screen) == RESULT
        assert "× Read" in row_text(screen)


@pytest.mark.parametrize(
    ("key", "ends"), [("b", (False, False)), ("k", (True, False)), ("a", (True, True))]
)
async def test_a_pair_is_asked_about_once(path: Path, key: str, ends: tuple[bool, bool]) -> None:
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, RESULT)
        identity = screen.row.block.id if screen.row and screen.row.block else ""
        await pilot.press("d")
        assert asked(screen).startswith(f"{CALL} would stay alone:  b delete both  k keep and flag")
        assert not screen.query_one("#footer").display
        await pilot.press(key)
        await pilot.pause()
        assert screen.choices.is_preview
        await pilot.press("enter")
        await pilot.pause()
        blocks = [b for m in screen.snapshot.tape.messages for b in m.blocks if b.id == identity]
        assert (
            tuple(kind in [b.kind for b in blocks] for kind in ("tool_use", "tool_result")) == ends
        )


async def test_a_question_is_left_with_escape_and_takes_no_other_key(path: Path) -> None:
    app = app_of(path)
    async with app.run_test(size=NARROW) as pilot:
        screen = screen_of(app)
        await go(pilot, RESULT)
        await pilot.press("d", "n", "e", "w")
        assert asked(screen)
        assert place(screen) == RESULT
        await pilot.press("escape")
        assert not asked(screen)
        assert screen.timeline.has_focus
        assert screen.query_one("#footer").display
        assert screen.opened.log.state == 0


async def test_the_other_end_is_brought_into_view(path: Path) -> None:
    app = app_of(path)
    async with app.run_test(size=(120, 24)) as pilot:
        screen = screen_of(app)
        await go(pilot, "messages.16.content.1")
        await pilot.press("d")
        await pilot.pause()
        rows = screen.snapshot.rows
        link = screen.snapshot.index.link_of[screen.row.block]  # type: ignore[union-attr, index]
        assert link.call is not None
        assert screen.timeline.is_in_view(screen.snapshot.row_of[link.call.block])
        assert rows[screen.timeline.at].block is screen.row.block  # type: ignore[union-attr]


async def test_a_turn_is_deleted_from_its_rule(path: Path) -> None:
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        turns = len(screen.snapshot.turn_numbers)
        await pilot.press("n", "n", "n", "d", "enter")
        await pilot.pause()
        assert len(screen.snapshot.turn_numbers) == turns - 1


async def test_a_message_is_put_in_and_typed(path: Path) -> None:
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, TEXT)
        await pilot.press("i")
        titles = [choice.words for choice in screen.choices.list.choices]
        at = titles.index("insert a user message before this")
        await pilot.press(*["down"] * at, "enter", *"hello there", "ctrl+s")
        await pilot.pause()
        assert screen.choices.is_preview
        await pilot.press("enter")
        await pilot.pause()
        said = [row for row in screen.snapshot.rows if row.record and row.record.start < 0]
        assert len(said) == 1
        await pilot.press("k", "k")
        line = row_text(screen)
        assert "hello there" in line
        assert " added " in line


def last_line(screen: MainScreen) -> str:
    """As it is painted."""
    return screen._compositor.render_strips()[-1].text


async def test_a_word_is_asked_for_in_the_footers_place(path: Path) -> None:
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, CALL)
        await pilot.press("a")
        titles = [choice.words for choice in screen.choices.list.choices]
        at = titles.index("set the tool's name")
        await pilot.press(*["down"] * at, "enter")
        assert screen.word_line.input.value == "Read"
        screen.word_line.input.value = " "
        await pilot.press("enter")
        await pilot.pause()
        assert screen.word_line.is_open
        assert "this needs a word." in last_line(screen)
        screen.word_line.input.value = "Open"
        await pilot.pause()
        assert "this needs a word." not in last_line(screen)
        await pilot.press("enter", "enter")
        await pilot.pause()
        assert screen.message[0].startswith("set name")
        assert "Open" in row_text(screen)


async def test_a_mark_makes_ranges_and_moves(path: Path) -> None:
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, "messages.0")
        await pilot.press("m")
        assert screen.message[0] == "marked: go to its new place and press m again"
        assert row_text(screen)[2] == "v"
        await go(pilot, "messages.5")
        await pilot.press("m")
        listed = [choice.words for choice in screen.choices.list.choices]
        assert [words for words in listed if words.endswith("messages.5")] == [
            "move messages.0 before messages.5",
            "move messages.0 after messages.5",
        ]
        await pilot.press("escape", "v", "v")
        assert screen.marked is None
        await pilot.press("x")
        assert "cut everything after this" in [c.words for c in screen.choices.list.choices]


async def test_behind_a_preview_nothing_changes(path: Path) -> None:
    app, before = app_of(path), path.read_bytes()
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, TEXT)
        await retype(pilot, "other", "ctrl+s")
        await pilot.press("d")
        await pilot.pause()
        assert screen.choices.is_preview
        for key in ("s", "u", "b", "w", "d", "ctrl+r", "H", "equals_sign"):
            await pilot.press(key)
            assert screen.message == ("enter does it, esc leaves it", "warn"), key
        assert screen.choices.is_open
        assert screen.opened.log.state == 1
        assert path.read_bytes() == before
        await pilot.press("escape", "a", "s")
        assert screen.message == ("esc leaves", "warn")
        assert path.read_bytes() == before


async def test_undo_and_redo_go_to_what_they_change(path: Path) -> None:
    async with retyped(path, "other") as (pilot, screen):
        for key, words in (("u", "undid"), ("ctrl+r", "did again")):
            await pilot.press("home", key)
            await pilot.pause()
            assert screen.message[0].startswith(words)
            assert place(screen) == TEXT
            assert screen.timeline.in_view(screen.timeline.cursor)


async def test_behind_a_compaction_the_cursor_is_on_the_summary(path: Path) -> None:
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, "messages.4")
        await pilot.press("v")
        await go(pilot, "messages.17")
        await pilot.press("x")
        listed = [choice.words for choice in screen.choices.list.choices]
        at = next(k for k, words in enumerate(listed) if words.startswith("compact"))
        here = screen.choices.list.cursor
        await pilot.press(*["down" if at > here else "up"] * abs(at - here), "enter")
        screen.edit_pane.area.text = "in short"
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert "delete both" in asked(screen)
        await pilot.press("b")
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert "in short" in row_text(screen)
        assert screen.timeline.in_view(screen.timeline.cursor)


async def test_what_an_answer_offers_goes_with_the_first_key(path: Path) -> None:
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        dangling = next(link for link in screen.snapshot.links if link.state == "dangling")
        await go(pilot, screen.snapshot.index.path(dangling.call.place))
        await pilot.press("a")
        listed = [choice.words for choice in screen.choices.list.choices]
        await pilot.press(*["down"] * listed.index("answer the call"), "enter")
        assert screen.edit_pane.typed == "interrupted: this call was not run"
        await pilot.press(*"ok", "ctrl+s")
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        made = screen.opened.log.done[-1].operation
        assert (made.text, made.is_error) == ("ok", False)


async def test_history_leads_to_any_state(path: Path) -> None:
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, TEXT)
        for words in ("one", "two", "three"):
            await retype(pilot, words, "ctrl+s")
        await pilot.press("H")
        listed = screen.choices.list
        assert [c.words for c in listed.choices] == [
            "as the file was opened",
            *[f"set text of {TEXT}"] * 3,
        ]
        assert [c.note for c in listed.choices] == ["saved", "", "", "now"]
        await pilot.press("up", "up", "enter")
        await pilot.pause()
        assert "one" in row_text(screen)
        assert place(screen) == TEXT
        await pilot.press("H", "down", "enter")
        await pilot.pause()
        assert "two" in row_text(screen)


async def test_folds_stay_where_they_are(path: Path) -> None:
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await pilot.press("n", "enter", "n", "enter")
        shown = screen.timeline.row_count()
        await go(pilot, TEXT)
        await retype(pilot, "x", "ctrl+s")
        assert screen.timeline.row_count() == shown


async def test_a_sub_agents_tape_is_edited_and_main_follows(tmp_path: Path) -> None:
    path = Path(shutil.copy(SAMPLES / "crash.jsonl", tmp_path))
    shutil.copytree(SAMPLES / "crash", tmp_path / "crash")
    app = app_of(path)
    member = next((tmp_path / "crash").rglob("*.jsonl"))
    async with app.run_test(size=WIDE) as pilot:
        main = screen_of(app)
        await go(pilot, "messages.9.content.1")
        await pilot.press("enter")
        await pilot.pause()
        agent = screen_of(app)
        assert agent is not main
        await retype(pilot, "another task", "ctrl+s")
        assert "another task" in row_text(agent)
        await pilot.press("s")
        await pilot.pause()
        assert b"another task" in member.read_bytes()
        await pilot.press("escape")
        await pilot.pause()
        assert screen_of(app) is main
        assert main.snapshot.revision == main.opened.revision
        assert place(main) == "messages.9.content.1"


# -- comparing -------------------------------------------------------------------------------------


async def test_a_row_and_all_records_against_the_file(path: Path) -> None:
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, TEXT)
        await pilot.press("equals_sign")
        assert screen.diff_pane.body.render_line(0).text.strip().startswith("the same as in")
        await pilot.press("escape")
        await retype(pilot, "Run 19", "ctrl+s")
        await pilot.press("equals_sign")
        await pilot.pause()
        lines = [screen.diff_pane.body.render_line(y).text.strip() for y in range(12)]
        assert any(line.startswith("+ Run 19") for line in lines)
        assert screen.diff_pane.words == f"diff {TEXT}"
        await pilot.press("equals_sign")
        await pilot.pause()
        assert screen.diff_pane.words == "1 change"
        await pilot.press("equals_sign")
        assert not screen.diff_pane.is_open
        assert screen.timeline.has_focus


# -- saving ----------------------------------------------------------------------------------------


async def test_saving_writes_the_file_and_keeps_the_original(path: Path) -> None:
    before = path.read_bytes()
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await pilot.press("s")
        assert screen.message[0] == "nothing to save"
        await go(pilot, TEXT)
        await retype(pilot, "Saved words", "ctrl+s", "s")
        assert screen.message[0] == "saved · backup of the original kept"
        assert "unsaved" not in header(screen)
        await pilot.press("q")
        assert not asked(screen)
    old, new = before.split(b"\n"), path.read_bytes().split(b"\n")
    assert sum(a != b for a, b in zip(old, new, strict=True)) == 1
    kept = list((Path(os.environ["HOME"]) / ".local/state/tapeview/originals").iterdir())
    assert [copy.read_bytes() for copy in kept] == [before]


async def test_a_file_that_somebody_else_wrote(path: Path) -> None:
    async with retyped(path, "Mine") as (pilot, screen):
        theirs = path.read_bytes() + b'{"type":"summary","summary":"x","leafUuid":"y"}\n'
        path.write_bytes(theirs)
        await pilot.press("s")
        assert asked(screen).startswith(
            "the file was written by another program:  o overwrite  r reopen  S save as"
        )
        await pilot.press("escape")
        assert path.read_bytes() == theirs
        assert screen.opened.log.unsaved == 1
        await pilot.press("s", "o")
        assert b"Mine" in path.read_bytes()


async def test_reopening_reads_what_they_wrote(path: Path) -> None:
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        await go(pilot, TEXT)
        await retype(pilot, "Mine", "ctrl+s")
        path.write_bytes(path.read_bytes() + b'{"type":"summary","summary":"x","leafUuid":"y"}\n')
        await pilot.press("s", "r")
        await pilot.pause()
        await pilot.pause()
        screen = screen_of(app)
        assert screen.opened.log.state == 0
        assert "and the file has changed since" in asked(screen)
        await pilot.press("enter")
        await pilot.pause()
        assert screen.message[0] == "1 edit taken up"
        assert screen.opened.log.unsaved == 1


async def test_a_save_that_fails_loses_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise SaveError("s.jsonl: cannot be saved: No space left on device; the file is as it was.")

    app = app_of(path)
    before = path.read_bytes()
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, TEXT)
        await retype(pilot, "Mine", "ctrl+s")
        with monkeypatch.context() as patched:
            patched.setattr("tapeview.keep.keeper.write_whole", fail)
            await pilot.press("s")
        assert screen.message[1] == "warn"
        assert "No space left" in screen.message[0]
        assert screen.opened.log.unsaved == 1
        assert path.read_bytes() == before
        await pilot.press("s")
        assert b"Mine" in path.read_bytes()


async def test_save_as_another_path_asks_before_it_writes_over(path: Path) -> None:
    app = app_of(path)
    other = path.with_name("other.jsonl")
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, TEXT)
        await retype(pilot, "Mine", "ctrl+s", "S", "p")
        assert screen.word_line.input.value == str(path.with_name("crash-copy.jsonl"))
        screen.word_line.input.value = str(other)
        await pilot.press("enter")
        assert b"Mine" in other.read_bytes()
        assert b"Mine" not in path.read_bytes()
        other.write_bytes(b"theirs")
        await pilot.press("S", "p")
        screen.word_line.input.value = str(other)
        await pilot.press("enter")
        assert asked(screen).startswith("there is a file other.jsonl:  o overwrite")
        await pilot.press("escape")
        assert other.read_bytes() == b"theirs"
        await pilot.press("S", "p")
        screen.word_line.input.value = str(other)
        await pilot.press("enter", "o")
        assert b"Mine" in other.read_bytes()
        assert screen.timeline.has_focus


async def test_save_as_a_new_session_and_as_a_body(path: Path) -> None:
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await pilot.press("S", "n")
        new = [p for p in path.parent.glob("*.jsonl") if p != path]
        assert len(new) == 1
        assert screen.message[0] == (
            f"copied: cd /home/ana/src/ledger && claude --resume {new[0].stem}"
        )
        await pilot.press("S", "b", "enter")
        body = json.loads(path.with_name("crash-request.json").read_bytes())
        assert body["messages"]


# -- leaving and coming back -----------------------------------------------------------------------


async def test_quitting_with_unsaved_edits_is_asked(path: Path) -> None:
    app = app_of(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        await go(pilot, TEXT)
        await retype(pilot, "Mine", "ctrl+s", "q")
        assert asked(screen) == ("1 unsaved edit:  s save  q leave them in the journal  esc stay")
        await pilot.press("escape")
        assert app.is_running
        await pilot.press("q", "s")
        await pilot.pause()
    assert b"Mine" in path.read_bytes()


@pytest.mark.parametrize("answer", ["enter", "d", "escape"])
async def test_edits_that_were_left_behind_are_asked_about(path: Path, answer: str) -> None:
    first = app_of(path)
    async with first.run_test(size=WIDE) as pilot:
        await go(pilot, TEXT)
        await retype(pilot, "Not lost", "ctrl+s", "q", "q")
    second = app_of(path)
    async with second.run_test(size=WIDE) as pilot:
        await pilot.pause()
        screen = screen_of(second)
        assert asked(screen).startswith("1 unsaved edit of ")
        assert asked(screen).endswith(":  enter take them up  d drop them  esc later")
        await pilot.press(answer)
        await pilot.pause()
        assert screen.opened.log.unsaved == (answer == "enter")
        await go(pilot, TEXT)
        assert ("Not lost" in row_text(screen)) is (answer == "enter")
        # A new edit would end what was left: it is asked first.
        await pilot.press("e")
        assert bool(asked(screen)) is (answer == "escape")


async def test_while_a_session_is_read_it_is_not_edited(path: Path) -> None:
    app = TapeviewApp(Loading(open_store(str(path))), environ={"HOME": os.environ["HOME"]})
    async with app.run_test(size=WIDE) as pilot:
        screen = screen_of(app)
        if not screen.snapshot.settled:
            await pilot.press("e")
            assert screen.message[0] == "still reading" or screen.snapshot.settled
        for _ in range(200):
            await pilot.pause()
            if screen.snapshot.settled:
                break
        await go(pilot, TEXT)
        await retype(pilot, "Mine", "ctrl+s")
        assert screen.opened.log.state == 1


async def test_what_we_saved_ourselves_is_no_news(path: Path) -> None:
    async with retyped(path, "Something else") as (pilot, screen):
        await pilot.press("s")
        await pilot.pause()
        screen.say("")
        screen.tell_change()
        assert screen.message[0] == ""
        path.write_bytes(path.read_bytes() + b"\n")
        screen.tell_change()
        assert screen.message[0] != ""
