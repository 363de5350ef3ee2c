"""The real pi, from npm: run on loopback in a home of its own."""

import json
import os
import subprocess
from pathlib import Path

from tests.client.real_client import found_or_installed

__all__ = ["RealPi"]

PACKAGE = "@mariozechner/pi-coding-agent"
MODEL = {"id": "small", "contextWindow": 200_000, "maxTokens": 512}


class RealPi:
    """The client with a home, which holds its sessions, and a working folder."""

    def __init__(self, folder: Path, home: Path) -> None:
        given = os.environ.get("TAPEVIEW_PI")
        found = given or found_or_installed(folder, PACKAGE, "node_modules/.bin/pi")
        self.program, self.home = str(found), home
        self.settings = home / ".pi" / "agent" / "models.json"
        self.settings.parent.mkdir(parents=True)
        (home / "work").mkdir()

    def ask(self, url: str, prompt: str, resume: bool = False) -> str:
        """Say one thing, in a new session or in the last one; what it printed."""
        tape = {"baseUrl": url, "api": "anthropic-messages", "apiKey": "dummy", "models": [MODEL]}
        self.settings.write_text(json.dumps({"providers": {"tape": tape}}), encoding="utf-8")
        words = ["--offline", "--provider", "tape", "--model", "small", *["-c"][: int(resume)]]
        done = subprocess.run(
            [self.program, *words, "-p", prompt],
            cwd=self.home / "work",
            env={"PATH": os.environ["PATH"], "HOME": str(self.home), "TERM": "dumb"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()
