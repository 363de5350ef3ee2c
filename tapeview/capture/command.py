"""A command run in this terminal, its calls of a model led through the proxy."""

import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from shutil import which

from tapeview.capture.held_signals import handled, waking
from tapeview.errors import UsageError

__all__ = ["BASE_URLS", "environment", "find_command", "run_command"]

BASE_URLS = ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_URL")
"""Variables that clients of the Messages API take a base address without ``/v1`` from: the SDKs
and Claude Code the first, LangChain the second. ``OPENAI_BASE_URL`` leads to another API, and would
send that API's key to the wrong server."""

PROXIES = ("http_proxy", "https_proxy", "all_proxy")

FROM_TERMINAL = ("SIGINT", "SIGQUIT")
"""Signals that a terminal sends to all programs in its foreground, so to the command as well."""

PASSED_ON = (*FROM_TERMINAL, "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")


def environment(url: str, environ: Mapping[str, str]) -> dict[str, str]:
    """The command's variables. Where a web proxy is set, it is passed by for this machine."""
    made = {**environ, **dict.fromkeys(BASE_URLS, url)}
    if any(name.lower() in PROXIES for name in environ):
        for name in ("NO_PROXY", "no_proxy"):
            made[name] = ",".join(filter(None, (environ.get(name, ""), "127.0.0.1,localhost,::1")))
    return made


def find_command(name: str) -> str:
    """The program that a shell would run. Raises ``UsageError`` where there is none."""
    found = which(name)
    if found is None:
        raise UsageError(f"tapeview record: there is no command {name}.")
    return found


def run_command(words: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run it and wait; its exit code, as shells say it: 128 + n after signal n.

    Signals to this process are passed on. Raises ``UsageError`` where it cannot be started.
    """
    try:
        process = subprocess.Popen(list(words), env=dict(environ))
    except OSError as error:
        raise UsageError(f"tapeview record: {words[0]}: {error.strerror or error}.") from None
    with handled(PASSED_ON, partial(_pass_on, process)), waking() as until:

        def wait() -> None:
            process.wait()
            with suppress(OSError):  # nobody waits any more
                until.wake()

        threading.Thread(target=wait, name="tapeview-command", daemon=True).start()
        while (code := process.poll()) is None:
            until.wait()
    return code if code >= 0 else 128 - code


def _pass_on(process: "subprocess.Popen[bytes]", number: int) -> None:
    if signal.Signals(number).name not in FROM_TERMINAL or not _is_in_foreground():
        process.send_signal(number)


def _is_in_foreground() -> bool:
    """Whether the terminal's keys reach this process and the command alike."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
