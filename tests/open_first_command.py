"""Runs the README's first command in a pseudo-terminal, as a newcomer does.

    python -m tests.open_first_command

waits until the timeline is on the screen, presses q, and expects exit code 0.
"""

import os
import sys
import tempfile

from tests.readme import README, commands
from tests.terminal import Terminal

INSTALLING = 300.0
"""Seconds that a slow network may take for the environment."""

SEEN = ("crash.jsonl", "turn 1", "? help")


def main() -> int:
    """The program's exit code."""
    command = "\n".join(commands(README.read_text(encoding="utf-8"), "open"))
    with tempfile.TemporaryDirectory() as home:
        environ = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        environ |= {f"XDG_{kind}_HOME": home for kind in ("CONFIG", "STATE", "CACHE")}
        with Terminal(["bash", "-euc", command], environ, 120, 40, INSTALLING) as terminal:
            terminal.wait_for(*SEEN)
            terminal.send("q")
            code = terminal.wait_for_exit()
    print(f"the README's first command: the timeline was there, q ended it with code {code}")
    return code


if __name__ == "__main__":
    sys.exit(main())
