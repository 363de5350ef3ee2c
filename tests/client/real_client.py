"""The real Claude Code, from npm: found or installed, and run on loopback in a home of its own."""

import json
import os
import shutil
import subprocess
from pathlib import Path

__all__ = ["RealClient", "find_or_install", "found_or_installed"]

PACKAGE = "@anthropic-ai/claude-code"
QUIET = (
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "DISABLE_TELEMETRY",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_AUTOUPDATER",
    "IS_SANDBOX",
)


def find_or_install(folder: Path) -> Path:
    """The program: ``$TAPEVIEW_CLIENT``, or the one that npm installs into ``folder``.

    npm may not run the package's install script; the program that it would link lies in a package
    of its own beside it. Raises ``RuntimeError`` where there is none.
    """
    if given := os.environ.get("TAPEVIEW_CLIENT"):
        return Path(given)
    return found_or_installed(folder, PACKAGE, "node_modules/@anthropic-ai/claude-code-*/claude")


def found_or_installed(folder: Path, package: str, program: str) -> Path:
    """The program of an npm package in a folder: a pattern that names it there."""
    if found := sorted(folder.glob(program)):
        return found[0]
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError("npm is not here, and no client is named")
    done = subprocess.run(
        [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), package],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if found := sorted(folder.glob(program)):
        return found[0]
    raise RuntimeError(f"npm could not install {package}: {done.stderr[-2000:]}")


class RealClient:
    """The client with a configuration folder and a working folder."""

    def __init__(self, program: Path, config: Path, work: Path) -> None:
        self.program, self.config, self.work = program, config, work
        work.mkdir(parents=True, exist_ok=True)
        config.mkdir(parents=True, exist_ok=True)

    def copy(self, config: Path) -> "RealClient":
        """Another client, with a copy of all sessions, in the same working folder."""
        shutil.copytree(self.config, config)
        return RealClient(self.program, config, self.work)

    def session(self, identity: str) -> Path:
        """The file of a session."""
        (found,) = self.config.glob(f"projects/*/{identity}.jsonl")
        return found

    @property
    def version(self) -> str:
        """As the program says it."""
        return self._run("http://127.0.0.1:9", "--version").strip()

    def ask(self, url: str, prompt: str, resume: str = "") -> str:
        """Say one thing, in a new session or in one that is resumed; the session's id."""
        words = ["--resume", resume] if resume else []
        words += ["-p", prompt, "--output-format", "json", "--allowedTools", "Bash,Agent"]
        identity: str = json.loads(self._run(url, *words))["session_id"]
        return identity

    def _run(self, url: str, *words: str) -> str:
        done = subprocess.run(
            [str(self.program), *words],
            cwd=self.work,
            env={
                "PATH": os.environ.get("PATH", os.defpath),
                "HOME": str(self.config),
                "CLAUDE_CONFIG_DIR": str(self.config),
                "TERM": "dumb",
                "ANTHROPIC_BASE_URL": url,
                "ANTHROPIC_API_KEY": "dummy",
                **dict.fromkeys(QUIET, "1"),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
