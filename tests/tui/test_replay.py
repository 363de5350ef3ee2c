"""Journeys of somebody who makes a call again: the sheet, the reply as it comes, what is kept."""

import asyncio
import json
import os
import shutil
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tapeview.calls.results import INTERRUPTED, open_calls
from tapeview.looks.actions import actions_of
from tapeview.open_session import load
from tapeview.tui.app import TapeviewApp
from tapeview.tui.screens.main import MainScreen
from tests.calls.server import says, serving, streams
from tests.tui.test_main import SAMPLES, screen_of
from tests.wire.streams import stream

WIDE, NARROW = (120, 40), (80, 24)
START = {
    "type": "message_start",
    "message": {
        "id": "msg_new",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-4-5",
        "content": [],
        "stop_reason": None,
        "usage": {"input_tokens": 9, "output_tokens": 1},
    },
}


def block(index, started, *deltas):
    yield {"type": "content_block_start", "index": index, "content_block": started}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def text(words, index=0):
    pieces = [{"type": "text_delta", "text": word} for word in words]
    return block(index, {"type": "text", "text": ""}, *pieces)


def called(index=1, identity="toolu_new", command="ls"):
    started = {"type": "tool_use", "id": identity, "name": "Bash", "input": {}}
    given = json.dumps({"command": command})
    return block(index, started, {"type": "input_json_delta", "partial_json": given})


def end(reason="end_turn"):
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": reason, "stop_sequence": None},
        "usage": {"output_tokens": 7},
    }
    yield {"type": "message_stop"}


REPLY = [START, *text(["Case ", "17 ", "again."]), *end()]
CALLING = [START, *text(["I look."]), *called(), *end("tool_use")]
TWICE = [START, *called(0, "toolu_1"), *called(1, "toolu_2", "pwd"), *end("tool_use")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return Path(shutil.copy(SAMPLES / "crash.jsonl", tmp_path))


def app_of(path: Path, **environ: str) -> TapeviewApp:
    return TapeviewApp(load(str(path)), environ={"HOME": os.environ["HOME"], **environ})


def model(url: str) -> dict[str, str]:
    return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-dummy"}


@asynccontextmanager
async def answered_by(answer, path: Path):
    """The program beside a model that answers so."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(serving(answer))
        app = app_of(path, **model(server.url))
        yield server, await stack.enter_async_context(app.run_test(size=WIDE))


def lines(screen: MainScreen) -> list[str]:
    """The pane, as it is painted."""
    pane = screen.replay_pane
    height = range(pane.size.height)
    whole = [strip.text for strip in screen._compositor.render_strips()]
    region = pane.region
    return [whole[region.y + y][region.x : region.right].rstrip() for y in height]


def title(screen: MainScreen) -> str:
    bar = screen.replay_pane.title if screen.side_by_side else screen.query_one("#tabs")
    return bar.render_line(0).text.strip()


def keys(screen: MainScreen) -> str:
    return screen.query_one("#footer").render_line(0).text.strip()


async def reached(pilot: Pilot[None], found) -> None:
    """Wait until ``found()`` holds."""
    async with asyncio.timeout(30):
        while not found():
            await pilot.pause(0.01)


async def sheet_of_turn(pilot: Pilot[None], turn: int) -> MainScreen:
    screen = screen_of(pilot.app)
    screen.timeline.go(screen.snapshot.turn_row_of[turn])
    await pilot.press("r")
    await pilot.pause()
    return screen


# -- the sheet -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_a_sheet_stands_before_anything_leaves(path: Path, size: tuple[int, int]) -> None:
    async with app_of(path).run_test(size=size) as pilot:
        screen = await sheet_of_turn(pilot, 2)
        assert "replay turn 2" in title(screen)
        assert "nothing sent yet" in title(screen)
        shown = lines(screen)
        model_line = next(line for line in shown if line.split()[1:2] == ["model"])
        assert model_line.split()[2] == "claude-opus-4-5-20251101"
        assert any("not a model" in line for line in shown)
        assert keys(screen).startswith("enter send  ↑ ↓ field  e change  w see the request")
        await pilot.press("escape")
        await pilot.pause()
        assert screen.side is None
        assert screen.timeline.has_focus


async def test_the_request_is_looked_at(path: Path) -> None:
    async with app_of(path).run_test(size=WIDE) as pilot:
        screen = await sheet_of_turn(pilot, 2)
        await pilot.press("w")
        await pilot.pause()
        shown = "\n".join(lines(screen))
        assert '"model": "claude-opus-4-5-20251101"' in shown
        assert '"messages": [' in shown
        await pilot.press("escape")
        await pilot.pause()
        assert "nothing sent yet" in title(screen)


async def test_a_field_is_changed(path: Path) -> None:
    async with app_of(path).run_test(size=WIDE) as pilot:
        screen = await sheet_of_turn(pilot, 2)
        await pilot.press("down", "down", "down", "e")
        assert screen.word_line.is_open
        screen.word_line.input.value = "77"
        await pilot.press("enter")
        await pilot.pause()
        line = next(line for line in lines(screen) if "max_tokens" in line)
        assert line.split()[-2:] == ["77", "asked"]
        assert screen.sheet is not None
        assert screen.sheet.plan.max_tokens == 77


# -- the reply -------------------------------------------------------------------------------------


async def test_offline_the_recording_answers_and_the_screen_says_so(path: Path) -> None:
    async with app_of(path).run_test(size=WIDE) as pilot:
        screen = await sheet_of_turn(pilot, 2)
        await pilot.press("enter")
        await reached(pilot, lambda: screen.replay_pane.state == "done")
        await pilot.pause()
        shown = "\n".join(lines(screen))
        assert "the recording, no" in shown
        assert "the same as recorded" in shown
        assert "enter keep as branch  c replace  a append  x discard" in keys(screen)


async def test_a_reply_streams_in_and_is_compared(path: Path) -> None:
    go_on = asyncio.Event()

    async def rest(_, response):
        await go_on.wait()
        for event in REPLY[4:]:
            await response.write(stream(event))

    async with answered_by(streams(*REPLY[:4], then=rest), path) as (server, pilot):
        screen = await sheet_of_turn(pilot, 2)
        await pilot.press("enter")
        await reached(pilot, lambda: any("Case 17" in line for line in lines(screen)))
        assert "arriving" in title(screen)
        assert keys(screen).startswith("esc stop, keep what came")
        assert any(line.endswith(screen.glyphs.input_cursor) for line in lines(screen))
        go_on.set()
        await reached(pilot, lambda: screen.replay_pane.state == "done")
        await pilot.pause()
        shown = lines(screen)
        assert "end_turn" in title(screen)
        assert any("Case 17 again." in line for line in shown)
        assert any(screen.glyphs.differs in line for line in shown)
        sent = json.loads(next(g for g in server.got if g.path == "/v1/messages").body)
        assert sent["stream"] is True
        assert b"sk-dummy" not in path.read_bytes()


async def test_escape_stops_and_keeps_what_came(path: Path) -> None:
    async def hang(_, __):
        await asyncio.Event().wait()

    async with answered_by(streams(*REPLY[:4], then=hang), path) as (server, pilot):
        screen = await sheet_of_turn(pilot, 2)
        await pilot.press("enter")
        await reached(pilot, lambda: any("Case 17" in line for line in lines(screen)))
        await pilot.press("escape")
        await pilot.pause()
        assert title(screen).endswith("cut")
        async with asyncio.timeout(10):
            await server.left.wait()
        await pilot.press("enter")
        await pilot.pause()
        assert [t.id for t in screen.opened.session.tapes if t.kind == "branch"] == ["branch:1"]
        await pilot.press("u")
        await pilot.pause()
        assert [t.id for t in screen.opened.session.tapes if t.kind == "branch"] == []


async def test_what_goes_wrong_is_one_sentence_and_the_tape_is_as_it_was(path: Path) -> None:
    error = {"type": "error", "error": {"type": "rate_limit_error", "message": "Too many."}}
    async with answered_by(says(429, error, **{"retry-after": "7"}), path) as (_, pilot):
        screen = await sheet_of_turn(pilot, 2)
        await pilot.press("enter")
        await reached(pilot, lambda: screen.replay_pane.state == "done")
        assert "no reply" in title(screen)
        assert "7" in screen.message[0]
        assert screen.opened.log.unsaved == 0
        await pilot.press("r")
        await pilot.pause()
        assert "nothing sent yet" in title(screen)


async def test_a_call_that_is_refused_leads_to_the_block(path: Path) -> None:
    words = "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks"
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": words}}
    async with answered_by(says(400, error), path) as (_, pilot):
        screen = await sheet_of_turn(pilot, 2)
        before = screen.timeline.at
        await pilot.press("enter")
        await reached(pilot, lambda: screen.replay_pane.state == "done")
        assert screen.timeline.at != before


# -- what becomes of it ----------------------------------------------------------------------------


async def replied(pilot: Pilot[None], turn: int) -> MainScreen:
    screen = await sheet_of_turn(pilot, turn)
    await pilot.press("enter")
    await reached(pilot, lambda: screen.replay_pane.state == "done")
    return screen


@pytest.mark.parametrize(
    ("key", "label"),
    [
        ("enter", "keep another reply to turn 3 as a branch"),
        ("c", "replace the reply of turn 3"),
        ("a", "append a reply"),
        ("x", ""),
        ("escape", ""),
    ],
)
async def test_what_is_done_with_a_reply_is_an_edit(path: Path, key: str, label: str) -> None:
    async with answered_by(streams(*REPLY), path) as (_, pilot):
        screen = await replied(pilot, 3)
        await pilot.press(key)
        await pilot.pause()
        assert screen.side is None
        assert [e.edit.label for e in screen.opened.log.entries] == ([label] if label else [])
        if label:
            await pilot.press("u")
            await pilot.pause()
            written = b"".join(screen.opened.session.written(screen.opened.session, 0))
            assert written == path.read_bytes()


async def appended(pilot: Pilot[None], asks: str) -> MainScreen:
    """A reply has come and stands at the end; what its calls are answered with is asked."""
    screen = await replied(pilot, 3)
    await pilot.press("a")
    await pilot.pause()
    assert asks in screen.question.render_line(0).text
    return screen


@pytest.mark.parametrize(("key", "words"), [("i", "Request interrupted"), ("h", "interrupted")])
async def test_calls_of_an_appended_reply_are_answered(path: Path, key: str, words: str) -> None:
    async with answered_by(streams(*CALLING), path) as (_, pilot):
        screen = await appended(pilot, "1 call to answer")
        await pilot.press(key)
        await pilot.pause()
        if key == "h":
            assert words in screen.edit_pane.typed
            await pilot.press("ctrl+s")
            await pilot.pause()
        last = screen.opened.snapshot().tape.messages[-1]
        assert (last.role, [b.kind for b in last.blocks]) == ("user", ["tool_result"])
        assert last.blocks[0].id == "toolu_new"


async def test_several_results_are_written_by_hand_as_one_edit(path: Path) -> None:
    async with answered_by(streams(*TWICE), path) as (_, pilot):
        screen = await appended(pilot, "2 calls to answer")
        await pilot.press("h")
        await pilot.pause()
        assert screen.edit_pane.words == "result 1 of 2: Bash ls"
        assert screen.row.block.id == "toolu_1"
        await pilot.press("o", "n", "e", "ctrl+s")
        await pilot.pause()
        assert screen.edit_pane.words == "result 2 of 2: Bash pwd"
        assert screen.row.block.id == "toolu_2"
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert screen.side is not screen.edit_pane
        edits = [entry.edit.label for entry in screen.opened.log.entries]
        assert edits == ["append a reply", "insert a user message"]
        written = b"".join(screen.opened.session.written(screen.opened.session, 0))
        lines = [json.loads(line) for line in written.splitlines()[-2:]]
        last = [each for line in lines for each in line["message"]["content"]]
        assert [(each["tool_use_id"], each["content"]) for each in last] == [
            ("toolu_1", "one"),
            ("toolu_2", INTERRUPTED),
        ]
        assert [each.get("is_error") for each in last] == [None, True]


async def test_results_that_are_left_are_there_when_one_comes_back(path: Path) -> None:
    async with answered_by(streams(*TWICE), path) as (_, pilot):
        screen = await appended(pilot, "2 calls to answer")
        await pilot.press("h")
        await pilot.pause()
        await pilot.press("o", "n", "e", "ctrl+s")
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        assert len(screen.opened.log.entries) == 1
        await pilot.press("up", "a")
        await pilot.pause()
        assert screen.row.block.id == "toolu_1"
        actions = {a.id: a for a in actions_of(screen.snapshot, screen.row, None)}
        screen.choose(actions["answer"])
        await pilot.pause()
        assert screen.edit_pane.typed == "one"
        await pilot.press("escape")
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        screen.choose(actions["answer_all"])
        await pilot.pause()
        assert "2 calls to answer" in screen.question.render_line(0).text
        await pilot.press("i")
        await pilot.pause()
        assert not open_calls(screen.opened.snapshot())


async def test_offline_a_turn_runs_on_with_recorded_results(path: Path) -> None:
    async with app_of(path).run_test(size=WIDE) as pilot:
        screen = await replied(pilot, 2)
        await pilot.press("R")
        await reached(pilot, lambda: "ran on" in screen.message[0])
        assert screen.message[0] == "ran on for 1 call. The reply calls no tool."
        assert [e.edit.label for e in screen.opened.log.entries] == [
            "keep another reply to turn 2 as a branch",
            "insert a user message",
            "append a reply",
        ]


async def test_a_call_is_made_several_times_and_decisions_are_counted(path: Path) -> None:
    async with answered_by(streams(*REPLY), path) as (server, pilot):
        screen = await made_three_times(pilot)
        assert any("3 of 3  Case 17 again." in line for line in lines(screen))
        assert sum(got.path == "/v1/messages" for got in server.got) == 3


def in_turn(*answers):
    """Answers calls one after another; nobody counts tokens here."""
    left = list(answers)

    async def answer(request):
        return await (left.pop(0) if request.path == "/v1/messages" else says(404))(request)

    return answer


async def made_three_times(pilot: Pilot[None]) -> MainScreen:
    screen = await sheet_of_turn(pilot, 2)
    await pilot.press("down", "down", "e")
    screen.word_line.input.value = "3"
    await pilot.press("enter", "enter")
    await reached(pilot, lambda: screen.replay_pane.state == "many")
    await pilot.pause()
    return screen


async def test_one_of_several_replies_is_looked_at_and_kept(path: Path) -> None:
    answer = in_turn(streams(*REPLY), streams(*CALLING), streams(*CALLING))
    async with answered_by(answer, path) as (_, pilot):
        screen = await made_three_times(pilot)
        assert "enter look at one" in keys(screen)
        await pilot.press("enter")
        await pilot.pause()
        words = [choice.words for choice in screen.choices.list.choices]
        assert words == ['2 of 3  Bash {"command":"ls"}', "1 of 3  Case 17 again."]
        await pilot.press("down", "enter")
        await pilot.pause()
        assert screen.side is screen.replay_pane
        assert any("Case 17 again." in line for line in lines(screen))
        assert "enter keep as branch" in keys(screen)
        await pilot.press("escape")
        await pilot.pause()
        assert any("2 of 3" in line for line in lines(screen))
        await pilot.press("enter", "enter", "a")
        await pilot.pause()
        assert [e.edit.label for e in screen.opened.log.entries] == ["append a reply"]
        last = screen.opened.snapshot().tape.messages[-1]
        assert last.blocks[-1].id == "toolu_new"


async def test_what_came_of_several_calls_is_there_until_it_is_discarded(path: Path) -> None:
    async with answered_by(streams(*REPLY), path) as (server, pilot):
        screen = await made_three_times(pilot)
        await pilot.press("escape")
        await pilot.pause()
        assert screen.side is not screen.replay_pane
        await pilot.press("r")
        await pilot.pause()
        assert any("3 of 3" in line for line in lines(screen))
        assert sum(got.path == "/v1/messages" for got in server.got) == 3


async def test_a_file_of_one_line_keeps_a_branch_in_another_file(tmp_path: Path) -> None:
    path = Path(shutil.copy(SAMPLES / "refund.json", tmp_path))
    before = path.read_bytes()
    async with answered_by(streams(*REPLY), path) as (_, pilot):
        screen = await replied(pilot, 2)
        await pilot.press("enter")
        await pilot.pause()
        assert screen.word_line.input.value == str(tmp_path / "refund-branch.json")
        await pilot.press("enter")
        await pilot.pause()
        assert screen.side is None
        assert path.read_bytes() == before
        kept = load(str(tmp_path / "refund-branch.json")).snapshot()
        sent = screen.snapshot.index.turns[1].start
        assert len(kept.tape.messages) == sent + 1
        assert kept.tape.messages[-1].role == "assistant"


async def test_a_reply_that_nobody_kept_is_there_again(path: Path) -> None:
    async with answered_by(streams(*REPLY), path) as (server, pilot):
        screen = await replied(pilot, 3)
        await pilot.press("escape")
        await pilot.pause()
        assert screen.side is None
        await pilot.press("q")
        await pilot.pause()
        assert "the model's reply is not kept" in screen.question.render_line(0).text
        await pilot.press("escape", "r")
        await pilot.pause()
        assert screen.replay_pane.state == "done"
        assert any("Case 17 again." in line for line in lines(screen))
        assert sum(got.path == "/v1/messages" for got in server.got) == 1
        await pilot.press("x", "r")
        await pilot.pause()
        assert "nothing sent yet" in title(screen)


async def test_calls_whose_results_would_stay_alone_are_asked_about(path: Path) -> None:
    async with answered_by(streams(*CALLING), path) as (_, pilot):
        screen = await replied(pilot, 2)
        await pilot.press("c")
        await pilot.pause()
        assert "would stay alone" in screen.question.render_line(0).text
        await pilot.press("b")
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert [e.edit.label for e in screen.opened.log.entries] == ["replace the reply of turn 2"]
        assert not screen.is_unkept


async def test_a_branch_that_the_file_cannot_hold_goes_to_another(tmp_path: Path) -> None:
    path = Path(shutil.copy(SAMPLES / "recorded.tape.jsonl", tmp_path))
    async with answered_by(streams(*REPLY), path) as (_, pilot):
        screen = await replied(pilot, 2)
        await pilot.press("enter")
        await pilot.pause()
        assert screen.word_line.input.value == str(tmp_path / "recorded.tape-branch.jsonl")


async def test_keys_that_edit_wait_until_the_call_is_left(path: Path) -> None:
    async with app_of(path).run_test(size=WIDE) as pilot:
        screen = await sheet_of_turn(pilot, 2)
        for key in ("a", "d", "v", "i", "x", "H", "b"):
            await pilot.press(key)
            await pilot.pause()
            assert screen.message[0] == "esc leaves the call first"
            assert screen.side is screen.replay_pane
        assert screen.opened.log.entries == ()


async def test_running_on_needs_a_call_that_waits(tmp_path: Path) -> None:
    path = Path(shutil.copy(SAMPLES / "refund.json", tmp_path))
    async with app_of(path).run_test(size=WIDE) as pilot:
        screen = screen_of(pilot.app)
        before = screen.timeline.at
        await pilot.press("R")
        await pilot.pause()
        assert screen.timeline.at == before
        assert "no call waits at the end of this line" in screen.message[0]


async def test_a_recorded_result_of_an_equal_call_is_taken(tmp_path: Path) -> None:
    ls = {"type": "tool_use", "id": "toolu_old", "name": "Bash", "input": {"command": "ls"}}
    found = {"type": "tool_result", "tool_use_id": "toolu_old", "content": "a.txt"}
    body = {
        "model": "claude-opus-4-5",
        "max_tokens": 9,
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [ls]},
            {"role": "user", "content": [found]},
            {"role": "assistant", "content": "One file."},
            {"role": "user", "content": "again"},
        ],
    }
    path = tmp_path / "run.json"
    path.write_text(json.dumps(body), encoding="utf-8")
    async with answered_by(streams(*CALLING), path) as (_, pilot):
        screen = screen_of(pilot.app)
        await pilot.press("end", "r")
        await pilot.pause()
        assert "replay the next call" in title(screen)
        await pilot.press("enter")
        await reached(pilot, lambda: screen.replay_pane.state == "done")
        await pilot.press("enter")
        await pilot.pause()
        assert "recorded results" in screen.question.render_line(0).text
        await pilot.press("c", "s")
        await pilot.pause()
    last = json.loads(path.read_bytes())["messages"][-1]
    assert last == {
        "role": "user",
        "content": [found | {"tool_use_id": "toolu_new"}],
    }


async def test_the_endpoint_counts_the_tokens(path: Path) -> None:
    async with answered_by(says(200, {"input_tokens": 4321}), path) as (server, pilot):
        screen = await sheet_of_turn(pilot, 2)
        await reached(pilot, lambda: any("4,321 in" in line for line in lines(screen)))
        assert [got.path for got in server.got] == ["/v1/messages/count_tokens"]
