"""A session is followed in the real program while another program writes it."""

import os
from pathlib import Path

import pytest

from tests.formats.claude import reply, user, written
from tests.journeys.test_journeys import SAMPLES, start
from tests.terminal import Terminal

FIRST = written(user("u1", None, "ask"), reply("a1", "u1", "m1", "call:t"))
ANSWER = written(user("u2", "a1", "result:t"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "run.jsonl"
    file.write_bytes(FIRST)
    return file


def append(path: Path, data: bytes) -> None:
    with path.open("ab", buffering=0) as out:
        out.write(data)


def quit_from(terminal: Terminal) -> None:
    terminal.send("q")
    assert terminal.wait_for_exit() == 0


def test_an_agent_at_work_is_followed(path: Path, tmp_path: Path) -> None:
    with start(tmp_path, str(path), "--follow") as terminal:
        terminal.wait_for("main · following", "following: 1 call waits for its result", "pending ")
        append(path, ANSWER[:40])
        append(path, ANSWER[40:])
        terminal.wait_for("► Bash", "… following")
        assert "unreadable" not in terminal.text
        append(path, written(reply("a2", "u2", "m2", "that is all")))
        terminal.wait_for("turn 2 of 2", "▌    • that is all")
        path.rename(path.with_name("run.jsonl.1"))
        terminal.wait_for("the file was deleted: this is what it held")
        path.write_bytes(written(user("v1", None, "a new run")))
        terminal.wait_for("> a new run")
        terminal.wait_until_gone("that is all")
        terminal.send("\x1b")
        terminal.wait_for("no longer following")
        append(path, written(reply("b1", "v1", "n1", "unseen")))
        terminal.send("\x1b[O\x1b[I")
        terminal.wait_for("the file has grown: ctrl+f shows the rest")
        terminal.send("\x06")
        terminal.wait_for("• unseen", "main · following")
        quit_from(terminal)


def test_edits_made_meanwhile_are_kept_and_can_be_saved_elsewhere(
    path: Path, tmp_path: Path
) -> None:
    with start(tmp_path, str(path), "--follow") as terminal:
        terminal.wait_for("main · following")
        terminal.send("\x1b[He")
        terminal.wait_for("edit text of messages.0", "paused: an edit is open")
        append(path, ANSWER)
        terminal.send("why ")
        terminal.send("\x13")
        terminal.wait_for("paused: 1 unsaved edit, file changed", "> why ask")
        terminal.send("s")
        terminal.wait_for("the file was written by another program")
        assert path.read_bytes() == FIRST + ANSWER
        terminal.send("\x1b")
        terminal.wait_until_gone("the file was written by another program")
        terminal.send("u")
        terminal.wait_for("► Bash", "main · following")
        # The block pane is painted after the timeline.
        terminal.wait_until_gone("why ask")
        quit_from(terminal)


def test_a_big_session_shows_its_newest_rows_first(tmp_path: Path) -> None:
    raw = (SAMPLES / "healthy.jsonl").read_bytes()
    path = tmp_path / "big.jsonl"
    lines = raw.splitlines(keepends=True)
    path.write_bytes(b"".join(lines) + b'{"type":"summary","x":"' + b"y" * 9_000_000 + b'"}\n')
    with start(tmp_path, str(path), "--follow") as terminal:
        terminal.wait_for("following", "problems none")
        append(path, written(user("new1", None, "one more thing")))
        terminal.wait_for("one more thing")
        quit_from(terminal)


def test_what_cannot_be_followed_is_said_at_once(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for words in (("-", "--follow"), (str(fifo), "--follow"), ("--follow",)):
        with start(tmp_path, *words) as terminal:
            terminal.wait_for("--follow needs a file; a pipe is read to its end.")
            assert terminal.wait_for_exit() == 2
