"""A command runs as it would alone, but for where it finds the model."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tapeview.capture.command import environment, find_command, run_command
from tapeview.errors import UsageError
from tests.terminal import Terminal

ROOT = Path(__file__).parents[2]
URL = "http://127.0.0.1:5"


def test_the_variables_that_lead_to_the_messages_api_are_set():
    made = environment(
        URL, {"A": "1", "ANTHROPIC_BASE_URL": "https://x", "OPENAI_BASE_URL": "https://y"}
    )
    assert made == {
        "A": "1",
        "ANTHROPIC_BASE_URL": URL,
        "ANTHROPIC_API_URL": URL,
        "OPENAI_BASE_URL": "https://y",
    }


def test_a_web_proxy_is_passed_by():
    made = environment(URL, {"HTTPS_PROXY": "http://p", "NO_PROXY": "intern"})
    assert made["NO_PROXY"] == "intern,127.0.0.1,localhost,::1"
    assert made["no_proxy"] == "127.0.0.1,localhost,::1"
    assert made["HTTPS_PROXY"] == "http://p"


def test_a_command_that_is_not_there():
    assert find_command("sh").endswith("/sh")
    with pytest.raises(UsageError, match="there is no command nothing-like-it"):
        find_command("nothing-like-it")


def test_a_command_that_cannot_be_started(tmp_path):
    program = tmp_path / "x"
    program.write_bytes(b"\x7fELF no program")
    program.chmod(0o700)
    with pytest.raises(UsageError, match="Exec format error"):
        run_command([str(program)], os.environ)


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("exit 0", 0),
        ("exit 7", 7),
        ("exit 255", 255),
        ("kill -TERM $$", 143),
        ("kill -KILL $$", 137),
    ],
)
def test_its_exit_code_is_passed_on(script, code):
    assert run_command(["sh", "-c", script], os.environ) == code


def test_handlers_are_as_before():
    before = signal.getsignal(signal.SIGTERM)
    run_command(["true"], os.environ)
    assert signal.getsignal(signal.SIGTERM) is before


PARENT = """
import os, sys
from tapeview.capture.command import run_command
sys.exit(run_command([sys.executable, "-c", sys.argv[1]], os.environ))
"""

CHILD = """
import signal, sys
def tell(number, frame):
    print("got", number, flush=True)
    sys.exit(9)
for name in ("SIGTERM", "SIGHUP", "SIGINT", "SIGUSR1"):
    signal.signal(getattr(signal, name), tell)
print("ready", flush=True)
signal.pause()
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT", "SIGUSR1"])
def test_signals_are_passed_on(name):
    number = getattr(signal, name)
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, CHILD],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as parent:
        assert parent.stdout.readline() == "ready\n"
        parent.send_signal(number)
        assert parent.stdout.read() == f"got {int(number)}\n"
        assert parent.wait(20) == 9


ONCE = """
import signal, sys
got = []
signal.signal(signal.SIGINT, lambda *_: (got.append(1), print("got", len(got), flush=True)))
signal.signal(signal.SIGTERM, lambda *_: sys.exit(6 + len(got)))
print("ready", flush=True)
while True:
    signal.pause()
"""


def test_ctrl_c_reaches_the_command_once():
    """The terminal sends it to both; it is not passed on once more."""
    words = [sys.executable, "-c", PARENT, ONCE]
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    with Terminal(words, environ) as terminal:
        terminal.wait_for("ready")
        terminal.send("\x03")
        terminal.wait_for("got 1")
        os.kill(terminal.pid, signal.SIGTERM)
        assert terminal.wait_for_exit() == 7
