"""Lines reach the file whole, and the disk soon."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tapeview.capture.append import SYNC_WITHIN, AppendedFile
from tapeview.errors import SaveError
from tapeview.keep.files import write_whole

ROOT = Path(__file__).parents[2]


def test_lines_stand_in_the_file_as_they_are_added(tmp_path):
    path = tmp_path / "a"
    file = AppendedFile(path)
    for number in range(1, 4):
        file.add(b"x" * number + b"\n")
        assert path.read_bytes() == b"".join(b"x" * k + b"\n" for k in range(1, number + 1))
    file.close()
    assert path.stat().st_mode & 0o777 == 0o600
    assert file.size == path.stat().st_size


def test_a_file_that_is_there_is_not_touched(tmp_path):
    path = tmp_path / "a"
    path.write_text("mine")
    with pytest.raises(SaveError, match="there is such a file already"):
        AppendedFile(path)
    assert path.read_text() == "mine"


def test_a_folder_that_is_not_there_is_said(tmp_path):
    with pytest.raises(SaveError, match="No such file or directory"):
        AppendedFile(tmp_path / "no" / "a")


@pytest.fixture
def synced(monkeypatch):
    """Sizes of the file at each sync."""
    sizes, came = [], threading.Semaphore(0)
    real = os.fdatasync

    def sync(file):
        real(file)
        sizes.append(os.fstat(file).st_size)
        came.release()

    monkeypatch.setattr(os, "fdatasync", sync)
    return sizes, came


def test_a_line_is_synced_by_another_thread_within_100_ms(tmp_path, synced):
    assert SYNC_WITHIN <= 0.05, "the disk takes some more"
    sizes, came = synced
    file = AppendedFile(tmp_path / "a")
    file.add(b"one\n")
    assert came.acquire(timeout=20)
    assert sizes == [4]
    file.close()


def test_closing_syncs_what_is_left(tmp_path, synced):
    sizes, _ = synced
    file = AppendedFile(tmp_path / "a")
    file.add(b"one\n")
    file.close()
    assert sizes[-1] == 4


FULL = """
import resource, sys
from pathlib import Path
from tapeview.capture.append import AppendedFile
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
file = AppendedFile(Path(sys.argv[1]))
for number in range(100):
    try:
        file.add(b"x" * 99 + b"\\n")
    except OSError as error:
        print(number, error.strerror)
        break
file.close()
"""


@pytest.mark.parametrize("before", [0, 30])
def test_a_line_for_which_there_is_no_room_leaves_nothing(tmp_path, before):
    """A write that is cut short is taken back: the file ends with a whole line."""
    path = tmp_path / "a"
    code = FULL.replace("for number", f"file.add(b'y' * {before} + b'\\n')\nfor number")
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.split(maxsplit=1) == ["9", "File too large\n"]
    assert path.read_bytes() == b"y" * before + b"\n" + (b"x" * 99 + b"\n") * 9


def test_a_file_that_is_recorded_to_is_not_saved_over(tmp_path):
    path = tmp_path / "a.tape.jsonl"
    file = AppendedFile(path)
    file.add(b"one\n")
    with pytest.raises(SaveError, match="a program is recording to it right now; save it once"):
        write_whole(path, [b"other\n"])
    file.add(b"two\n")
    file.close()
    assert path.read_bytes() == b"one\ntwo\n"
    write_whole(path, [b"other\n"])
    assert path.read_bytes() == b"other\n"
