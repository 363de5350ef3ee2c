"""Standard streams that are closed, full, or no terminal: one sentence, exit 2."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SAMPLE = str(ROOT / "sample_sessions" / "trimmed.json")
PROGRAM = f"{sys.executable} -m tapeview"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (f"show {SAMPLE} > /dev/full", "tapeview: cannot write to standard output: No space"),
        ("show - <&-", "-: standard input is closed."),
        (f"open {SAMPLE} < /dev/null > /dev/null", "tapeview: the screen needs a terminal;"),
        (f"check --select TU --ignore TU {SAMPLE}", "tapeview check: --select and --ignore leave"),
    ],
)
def test_one_sentence(words: str, says: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f"exec {PROGRAM} {words}"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(says)
    assert done.stderr.count("\n") == 1


def test_a_closed_output_is_no_crash() -> None:
    done = subprocess.run(
        ["sh", "-c", f"exec {PROGRAM} show {SAMPLE} >&-"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, "")
