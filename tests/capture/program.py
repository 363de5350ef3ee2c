"""``tapeview record`` in a process of its own."""

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

__all__ = ["ROOT", "started"]

ROOT = Path(__file__).parents[2]


@contextmanager
def started(*words):
    """The program, and the lines it says first; it is killed at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tapeview", "record", *words],
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process, [process.stderr.readline() for _ in range(4)]
        finally:
            process.kill()
