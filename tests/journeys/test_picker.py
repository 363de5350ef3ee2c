"""The picker as people meet it: the program without a path, in a real terminal."""

import os
import time

import pytest

from tapeview.tape.clean import printable
from tests.fake_home import FakeHome
from tests.journeys.test_journeys import FORBIDDEN, HOSTILE, POINTER, start


@pytest.fixture
def home(tmp_path):
    """Three sessions of today."""
    home = FakeHome(tmp_path)
    now = time.time()
    home.broken("-src-ledger", "a1", "why does it fail?", cwd="/src/ledger", written=now - 90)
    home.talk("-src-site", "b2", "dark mode please", cwd="/src/site", written=now - 3)
    home.talk(
        "-src-notes", "c3", "explain the retries", cwd="/src/notes", written=now - 400 * 86400
    )
    return home


def test_from_the_list_to_a_session_and_out(home):
    with start(home.path) as terminal:
        terminal.wait_for("3 sessions of Claude Code", "! 1 with errors", "why does it fail?")
        terminal.send("led")
        terminal.wait_for("1 of 3 sessions", "/ led█", "doubled 1")
        terminal.send("\r")
        terminal.wait_for("a1.jsonl", "turn 1", "doubled", "? help")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
    kept = home.path / ".cache" / "tapeview" / "sessions.json"
    assert kept.is_file()
    assert len(list(home.projects.rglob("*"))) == 6


def test_keys_typed_ahead_of_the_screen(home):
    with start(home.path, size=(80, 24)) as terminal:
        terminal.wait_for("type to search")
        terminal.send("led\rn")
        terminal.wait_for("a1.jsonl", "turn 1 of 2")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0


def test_a_session_that_cannot_be_opened_and_the_way_back(home):
    home.put("-src-x", "x9.jsonl", {"a": 1}, {"a": 2}, written=time.time())
    with start(home.path) as terminal:
        terminal.wait_for("4 sessions", "these are JSON lines", "esc q quit")
        terminal.send("\r")
        terminal.wait_for("cannot open x9.jsonl", "line 1 has a;", "back to the list")
        terminal.send("q")
        terminal.wait_for("4 sessions")
        terminal.send("\t")
        terminal.wait_for("only broken", "2 of 4 sessions")
        terminal.send("\x03")
        assert terminal.wait_for_exit() == 0


def test_an_empty_home_has_the_samples(tmp_path):
    with start(tmp_path) as terminal:
        terminal.wait_for("No sessions in the folders of 1 harness.", "crash", "lost-one")
        terminal.send("\x1b")
        assert terminal.wait_for_exit() == 0


def test_nothing_in_a_list_reaches_the_terminal_as_more_than_text(tmp_path):
    home = FakeHome(tmp_path)
    now = time.time()
    for number, text in enumerate(HOSTILE.values()):
        name = text.encode("utf-8", "replace").decode().replace("/", "_")[:60]
        home.talk(name, name, text, cwd=f"/src/{text}", written=now - number)
        home.put(name, f"x{name}.jsonl", {"type": text, text: text}, written=now - 100 - number)
    odd = home.projects / "-p"
    odd.mkdir()
    (odd / os.fsdecode(b"\xff\x1b[2J.jsonl")).write_text("{}")
    sessions = 2 * len(HOSTILE) + 1
    with start(home.path) as terminal:
        terminal.wait_for(f"{sessions} sessions of Claude Code", "with")
        terminal.send("\x1b[B" * sessions)
        terminal.wait_for("  crash.jsonl")
        terminal.send("\x1b[A\r")
        terminal.wait_for("cannot open")
        terminal.send("q")
        terminal.wait_for(f"{sessions} sessions")
        terminal.send("\x1b[H\x1b[B\r")
        terminal.wait_for("▌ main")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
    sent = POINTER.sub(b"", terminal.raw)
    for bytes_ in FORBIDDEN:
        assert bytes_ not in sent, printable(repr(bytes_))
