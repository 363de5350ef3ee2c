"""Standard streams that are closed, full, or no terminal: one sentence, exit 2. Pipes as PATH."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SAMPLE = str(ROOT / "sample_sessions" / "trimmed.json")
PROGRAM = f"{sys.executable} -m tapeview"
ENVIRON = {**os.environ, "PYTHONPATH": str(ROOT)}


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


@pytest.mark.parametrize(
    ("where", "out"),
    [
        ("2>/dev/full", "ran\n"),
        ("2>&-", "ran\n"),
        ("2> >(true)", "ran\n"),
        ("2> >(head -n 1 > /dev/null)", "ran\n"),
        (">&-", ""),
        (">&- 2>&-", ""),
    ],
)
def test_a_recorded_command_has_its_own_end_whoever_listens(
    where: str, out: str, tmp_path: Path
) -> None:
    """What tapeview says beside it is lost; the command runs, and its exit code is its own."""
    run = "echo ran > ran; sleep 0.2; echo ran; exit 3"
    record = f"{PROGRAM} record -o a.tape.jsonl --upstream http://127.0.0.1:9 -- sh -c '{run}'"
    done = subprocess.run(
        ["bash", "-c", f"{record} {where}"],
        cwd=tmp_path,
        env=ENVIRON,
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (3, out)
    assert (tmp_path / "ran").read_text() == "ran\n"
    assert (tmp_path / "a.tape.jsonl").read_bytes().startswith(b'{"tape":')


WAITS = ": waiting for what writes to it; ctrl+c ends."


def started(*words):
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "tapeview", *words]
    return subprocess.Popen(command, cwd=ROOT, env=ENVIRON, stdout=pipe, stderr=pipe, text=True)


@pytest.fixture
def pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


@pytest.mark.parametrize("command", ["open", "show", "request", "check"])
def test_a_pipe_that_nobody_writes_to_is_told_of_and_can_be_left(pipe, command) -> None:
    with started(command, str(pipe)) as program:
        assert program.stderr.readline() == f"{pipe}{WAITS}\n"
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=60)
    assert (program.returncode, out, err) == (130, "", "")


def test_a_writer_that_comes_late_is_read(pipe) -> None:
    with started("check", str(pipe)) as program:
        assert program.stderr.readline() == f"{pipe}{WAITS}\n"
        pipe.write_bytes(Path(SAMPLE).read_bytes())
        out, err = program.communicate(timeout=60)
    assert (program.returncode, err) == (1, "")
    assert out.startswith(f"{pipe}:")


def test_a_process_substitution_is_a_path() -> None:
    bash = ["bash", "-c", f"exec {PROGRAM} show <(cat {SAMPLE})"]
    done = subprocess.run(bash, cwd=ROOT, env=ENVIRON, capture_output=True, text=True, timeout=60)
    whole = subprocess.run(
        [*PROGRAM.split(), "show", SAMPLE],
        cwd=ROOT,
        env=ENVIRON,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1:] == whole.stdout.splitlines()[1:]
