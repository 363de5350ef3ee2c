"""From tape to tape in the real program, in a real terminal."""

import subprocess
from pathlib import Path

import pytest

from tests.journeys.test_journeys import PROGRAM, SAMPLES, environ_of, start

CRASH = str(SAMPLES / "crash.jsonl")
AGENT = "agent:a91c3f0"


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=["wide", "narrow"])
def test_to_a_sub_agent_and_back_to_its_call(tmp_path: Path, size: tuple[int, int]) -> None:
    with start(tmp_path, CRASH, size=size) as terminal:
        terminal.wait_for("crash.jsonl", "? help")
        terminal.send("b")
        terminal.wait_for("tapes 2", "main  ", "9 turns", "! 1", "agent:a91c3f0  from turn 5")
        terminal.send("\x1b[B\r")
        terminal.wait_for("Map every caller", "before turn 1 of 3", "messages.9.content.1, Task")
        terminal.send("t")
        terminal.wait_for("turn 5 of 9", "Map callers")
        # Typed ahead: into the sub-agent again, from its list to main, and what was known there.
        terminal.send("\rb\x1b[H\rnw")
        terminal.wait_for("knew at turn 1", "problems none")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0


def test_a_tape_named_on_the_command_line(tmp_path: Path) -> None:
    with start(tmp_path, "open", CRASH, "--tape", AGENT, "--turn", "2") as terminal:
        terminal.wait_for("main ► agent:a91c3f0 · from turn 5", "turn 2 of 3", "? help")
        terminal.send("\x1b")
        terminal.wait_for("▌ main  ", "turn 5 of 9", "messages.9.content.1")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
    compacted = str(SAMPLES / "compacted.jsonl")
    with start(tmp_path, compacted, "--tape", "branch:1", "--at", "messages.99") as terminal:
        terminal.wait_for("compacted.jsonl: no message 99: there are ")
        assert terminal.wait_for_exit() == 2
    with start(tmp_path, compacted, "--tape", "main~1") as terminal:
        terminal.wait_for("- main~1", "before turn 1 of 7")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0


def test_a_tape_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with start(tmp_path, CRASH, "--tape", "agent:x") as terminal:
        terminal.wait_for("crash.jsonl: no tape agent:x: it has main, agent:a91c3f0.")
        assert terminal.wait_for_exit() == 2


def test_a_tape_without_a_session_is_refused(tmp_path: Path) -> None:
    done = subprocess.run(
        [*PROGRAM, "open", "--tape", AGENT],
        env=environ_of(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == "tapeview: name a session file to open. See tapeview --help.\n"
