"""Searching in the real program, in a real terminal."""

import json
from pathlib import Path

from tests.journeys.test_journeys import FORBIDDEN, HOSTILE, POINTER, SAMPLES, hostile_body, start


def test_from_a_word_to_its_place_and_back(tmp_path: Path) -> None:
    with start(tmp_path, str(SAMPLES / "crash.jsonl")) as terminal:
        terminal.wait_for("crash.jsonl", "turn 1", "? help")
        terminal.send("/acquire")
        terminal.wait_for("/ acquire█", "1 of 5", "esc return", "tool_result Bash")
        terminal.send("\x1b[B\x1b[B")
        terminal.wait_for("3 of 5", "messages.9.content.1", "● tool_use Task")
        terminal.send("\x1b")
        terminal.wait_for("? help")
        terminal.wait_for("before turn 1 of 9")
        terminal.send("/acq[u]ire\x05")
        terminal.wait_for("regex / acq[u]ire█", "1 of 5", "ctrl+e plain")
        terminal.send("\r")
        terminal.wait_for("? help", "tool_result Bash")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0


def test_filter_words_in_a_small_terminal(tmp_path: Path) -> None:
    with start(tmp_path, str(SAMPLES / "crash.jsonl"), size=(80, 24)) as terminal:
        terminal.wait_for("main   block   problems 5", "/ search")
        terminal.send("/tool:read")
        terminal.wait_for("main · 13 of 54 rows", "1 of 13")
        terminal.send("\r")
        terminal.wait_for("? help", "main · 13 of 54 rows")
        terminal.send("\x1b")
        terminal.wait_for("main   block")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0


def test_keys_typed_ahead_of_the_screen_act_in_order(tmp_path: Path) -> None:
    with start(tmp_path, str(SAMPLES / "crash.jsonl")) as terminal:
        terminal.wait_for("crash.jsonl", "turn 1", "? help")
        # What follows is a search, then a turn on, a search that is left, a turn back, and the end.
        terminal.send("/acquire\x1b[B\x1b[B\rn/nothing like that")
        terminal.wait_for("no match", "/ nothing like that█")
        terminal.send("\x1b")
        terminal.wait_for("turn 6 of 9", "? help")
        terminal.send("/is:error\r:messages.17.content.3\r")
        terminal.wait_for("○ dangling", "? help")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0


def test_hostile_text_that_is_found_stays_text(tmp_path: Path) -> None:
    path = tmp_path / "hostile.json"
    body = [message for text in HOSTILE.values() for message in hostile_body(f"{text} found")]
    path.write_text(json.dumps(body), encoding="utf-8")
    with start(tmp_path, str(path)) as terminal:
        terminal.wait_for("turn 1", "? help")
        terminal.send("/found")
        terminal.wait_for("1 of ", "/ found█")
        terminal.send("\x1b[B" * 40)
        terminal.wait_for("41 of ")
        # A paste of what acts on a terminal.
        terminal.send("\x1b[200~\x1b]0;PWNED\x07\u202e\x1b[201~")
        terminal.wait_for("no match")
        terminal.send("\r")
        terminal.wait_for("? help")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
    sent = POINTER.sub(b"", terminal.raw)
    for forbidden in FORBIDDEN:
        assert forbidden not in sent
