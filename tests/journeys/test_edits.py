"""Editing the real program in a real terminal: what the file holds, and what a crash leaves."""

import json
import os
import random
import shutil
import signal
from pathlib import Path

import pytest

from tests.journeys.test_journeys import SAMPLES, start

PLACE = "messages.19.content.0"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return Path(shutil.copy(SAMPLES / "crash.jsonl", tmp_path / "work"))


def test_an_edit_is_saved_and_every_other_byte_stays(tmp_path: Path, path: Path) -> None:
    before = path.read_bytes().splitlines()
    with start(tmp_path, str(path)) as terminal:
        terminal.wait_for("turn 1", "? help")
        terminal.send(f":{PLACE}\r")
        terminal.wait_for(PLACE)
        terminal.send("e")
        terminal.wait_for(f"edit text of {PLACE}")
        terminal.send("Héllo: ")
        terminal.wait_for("Héllo: Run 18")
        terminal.send("\x13")
        terminal.wait_for(f"set text of {PLACE}", "1 unsaved edit")
        terminal.send("s")
        terminal.wait_for("saved · backup of the original kept")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
    after = path.read_bytes().splitlines()
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert len(changed) == 1
    old, new = changed[0]
    assert json.loads(new)["message"]["content"][0]["text"].startswith("Héllo: Run 18")
    assert new.replace("Héllo: ".encode(), b"") == old


def test_a_kill_loses_no_edit(tmp_path: Path, path: Path) -> None:
    before = path.read_bytes()
    with start(tmp_path, str(path)) as terminal:
        terminal.wait_for("turn 1", "? help")
        terminal.send(f":{PLACE}\r")
        terminal.wait_for(PLACE)
        terminal.send("e")
        terminal.wait_for(f"edit text of {PLACE}")
        terminal.send("Hello: \x13")
        terminal.wait_for("1 unsaved edit")
        os.kill(terminal.pid, signal.SIGKILL)
        assert terminal.wait_for_exit() == -signal.SIGKILL
    assert path.read_bytes() == before
    with start(tmp_path, str(path)) as terminal:
        terminal.wait_for("1 unsaved edit of", "take them up")
        terminal.send("\r")
        terminal.wait_for("1 edit taken up", "1 unsaved edit")
        terminal.send("s")
        terminal.wait_for("saved")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
    assert b"Hello: Run 18" in path.read_bytes()


@pytest.mark.slow
def test_200_kills_lose_no_edit_that_was_told_of(tmp_path: Path) -> None:
    """The footer says that an edit was made: from then on it is never lost."""
    chance = random.Random(20)
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"messages": [{"role": "user", "content": "0"}]}))
    told = 0
    for _ in range(200):
        with start(tmp_path, str(path), size=(80, 24)) as terminal:
            if told:
                terminal.wait_for("unsaved edit", "take them up")
                terminal.send("\r")
                terminal.wait_for("taken up")
            wanted = told + chance.randrange(1, 4)
            while told < wanted:
                terminal.send("e")
                terminal.wait_for("edit text of messages.0")
                terminal.send(f"{told + 1} \x13")
                terminal.wait_for("set text of messages.0", f"* {told + 1}")
                told += 1
            # Anything may be going on when the kill comes: nothing, typing, an edit being made.
            terminal.send(
                chance.choice(["", "e", "eX", "eX\x13", "u\x12", "H"])[: chance.randrange(5)]
            )
            os.kill(terminal.pid, signal.SIGKILL)
            terminal.wait_for_exit()
        journal = next((tmp_path / ".local/state/tapeview/journal").glob("*.jsonl"))
        edits = journal.read_bytes().splitlines()[1:]
        state = _state(edits)
        assert state >= told - 1
        told = state


def _state(lines: list[bytes]) -> int:
    """How many edits hold, as the journal's whole lines say."""
    state = 0
    for line in lines:
        entry = json.loads(line)
        state += ("edit" in entry) - entry.get("undo", 0) + entry.get("redo", 0)
    return state
