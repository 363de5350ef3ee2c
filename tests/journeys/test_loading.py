"""A big session in the real program: one moves through it while it is read."""

import os
from pathlib import Path

import pytest

from tests.bench.make_session import make_session
from tests.journeys.test_journeys import start

BYTES = 30_000_000


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("big") / "big.jsonl"
    with path.open("wb") as out:
        out.writelines(make_session(BYTES, seed=3))
    return path


def test_one_moves_through_a_big_session_while_it_is_read(big: Path, tmp_path: Path) -> None:
    with start(tmp_path, str(big), "--at", "messages.40") as terminal:
        terminal.wait_for("main · settling", "of 30 MB", "turn …", "problems …", "? help")
        terminal.send("\x1b[B\x1b[B\x1b[B\x1b[B")
        terminal.wait_for("records.3")
        terminal.send("\r")
        terminal.wait_for("turn 1", "problems none")
        terminal.send("\x1b")
        assert "settling" not in terminal.text
        terminal.wait_for("▌ main", "messages.", "resume sends")
        terminal.send(":40\r")
        terminal.wait_for("▌ ────── turn 40", "turn 40 of")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0


def test_it_opens_where_one_wants_and_is_left_at_once(big: Path, tmp_path: Path) -> None:
    with start(tmp_path, str(big), "--turn", "40", size=(80, 24)) as terminal:
        terminal.wait_for("main · settling", "of 30 MB")
        terminal.wait_for("turn 40 of")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
    with start(tmp_path, str(big), size=(80, 24)) as terminal:
        terminal.wait_for("main · settling")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
    assert "turn 1" not in terminal.text


def test_the_file_is_cut_and_then_deleted_under_it(big: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl"
    path.write_bytes(big.read_bytes()[: BYTES // 2])
    with start(tmp_path, str(path)) as terminal:
        terminal.wait_for("main · settling", "of 15 MB")
        terminal.wait_for("turn 1 ")
        os.truncate(path, 100_000)
        terminal.send("\x1b[F")
        terminal.wait_for("the file became shorter: some rows are gone")
        terminal.wait_for("cannot be read any more")
        path.unlink()
        terminal.send("\x1b[O\x1b[I")
        terminal.wait_for("the file was deleted: this is what it held")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
