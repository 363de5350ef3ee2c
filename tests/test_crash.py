"""An error that nobody foresaw: one sentence, a report without tape text, the terminal restored."""

import os
import subprocess
import sys
from pathlib import Path

from tapeview.crash import report_text, write_report
from tests.terminal import Terminal

ROOT = Path(__file__).parents[1]
SECRET = "words of the tape"

BROKEN = """
import sys
from tapeview.tape import describe
def broken(*words):
    text = {secret!r}
    raise KeyError(text)
describe._describe_block = broken
sys.argv = ["tapeview", *sys.argv[1:]]
from tapeview.__main__ import main
main()
"""


def environ_of(home):
    plain = {"HOME": str(home), "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    return plain | {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"}


def reports(home):
    return list((home / ".local" / "state" / "tapeview").glob("crash-*.txt"))


def test_the_report_names_types_and_places_only():
    try:
        try:
            raise ValueError(SECRET)
        except ValueError as error:
            raise KeyError(SECRET) from error
    except KeyError as error:
        text = report_text(error)
    assert "test_crash.py" in text
    assert text.index("KeyError") < text.index("ValueError")
    assert SECRET not in text


def test_a_state_folder_that_cannot_be_made_is_no_reason_to_lose_the_report(tmp_path):
    (tmp_path / "file").write_text("")
    place = write_report("what happened\n", {"XDG_STATE_HOME": str(tmp_path / "file")})
    assert place is not None
    assert place.read_text() == "what happened\n"
    place.unlink()


def test_on_the_command_line(tmp_path):
    words = [sys.executable, "-c", BROKEN.format(secret=SECRET), "show"]
    done = subprocess.run(
        [*words, str(ROOT / "sample_sessions" / "trimmed.json")],
        env=environ_of(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    (report,) = reports(tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("tapeview stopped on an error of its own, KeyError: a report")
    assert done.stderr.rstrip().endswith(str(report))
    assert SECRET not in done.stderr + report.read_text()


def test_on_the_screen(tmp_path):
    words = [sys.executable, "-c", BROKEN.format(secret=SECRET)]
    sample = str(ROOT / "sample_sessions" / "trimmed.json")
    with Terminal([*words, sample], environ_of(tmp_path)) as terminal:
        assert terminal.wait_for_exit() == 1
    assert b"\x1b[?1049l" in terminal.raw
    after = terminal.raw.rpartition(b"\x1b[?1049l")[2]
    assert b"tapeview stopped on an error of its own, KeyError" in after
    assert SECRET.encode() not in terminal.raw
    assert len(reports(tmp_path)) == 1
