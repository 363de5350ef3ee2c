"""Runs the README's first commands, the last of them in a pseudo-terminal, as a newcomer does.

    python -m tests.open_first_command

waits until the timeline is on the screen, presses q, and expects exit code 0.
"""

import os
import subprocess
import sys
import tempfile

from tests.readme import README, commands
from tests.terminal import Terminal

SEEN = ("crash.jsonl", "turn 1", "? help")


def main() -> int:
    """The program's exit code."""
    *before, last = commands(README.read_text(encoding="utf-8"), "open")
    subprocess.run(["bash", "-euc", "\n".join(before)], check=True)
    with tempfile.TemporaryDirectory() as home:
        environ = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        environ |= {f"XDG_{kind}_HOME": home for kind in ("CONFIG", "STATE", "CACHE")}
        with Terminal(["bash", "-c", last], environ, 120, 40) as terminal:
            terminal.wait_for(*SEEN)
            terminal.send("q")
            code = terminal.wait_for_exit()
    print(f"the README's first command: the timeline was there, q ended it with code {code}")
    return code


if __name__ == "__main__":
    sys.exit(main())
