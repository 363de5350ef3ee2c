"""``tapeview play`` as a program: what it says, what it serves, how it ends."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from time import sleep
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_sessions"


@pytest.fixture
def started():
    """Starts the program; the process and its base URL."""
    running = []

    def start(*words):
        process = subprocess.Popen(
            [sys.executable, "-m", "tapeview", "play", *map(str, words)],
            cwd=ROOT,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        running.append(process)
        lines = iter(process.stderr.readline, "")
        said = [next(line for line in lines if " answers at " in line), next(lines)]
        url = said[1].strip().partition("=")[2]
        assert said == [
            f"{words[0]} answers at {url} until ctrl+c\n",
            f"export ANTHROPIC_BASE_URL={url}\n",
        ]
        return process, url

    yield start
    for process in running:
        process.kill()
        if process.stderr.closed:
            process.stderr = None
        process.communicate()


def ask(url, body):
    """Status and JSON of a call."""
    try:
        with urlopen(f"{url}/v1/messages", json.dumps(body).encode()) as reply:
            return reply.status, json.loads(reply.read())
    except HTTPError as refused:
        with refused:
            return refused.code, json.loads(refused.read())


def first_request(name):
    body = json.loads((SAMPLES / name).read_bytes())
    return {"model": "m", "max_tokens": 9} | body | {"messages": body["messages"][:1]}


def test_a_tape_answers_until_ctrl_c(started):
    process, url = started(SAMPLES / "loop.json", "--strict")
    assert url.startswith("http://127.0.0.1:")
    body = first_request("loop.json")
    assert ask(url, body)[1]["stop_reason"] == "tool_use"
    body["messages"] = [{"role": "user", "content": "\x1b[31m"}]
    status, refused = ask(url, body)
    assert (status, refused["type"]) == (400, "error")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    first, second = err.splitlines()
    assert first == "call 1: turn 1, whole"
    assert second.startswith("call 2: refused, 400, tapeview play ")
    assert "\x1b" not in err


def test_where_it_listens_is_told_by_the_user(started):
    _, url = started(SAMPLES / "healthy.jsonl", "--listen", "[::1]:0", "--tape", "main")
    assert url.startswith("http://[::1]:")
    with urlopen(url) as reply:
        assert reply.status == 200


def test_it_plays_on_when_nobody_reads_what_it_says_any_more(started):
    """``tapeview play x 2>&1 | head -2``."""
    process, url = started(SAMPLES / "loop.json")
    process.stderr.close()
    for _ in range(3):
        assert ask(url, first_request("loop.json"))[0] == 200
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130


def test_it_plays_on_while_what_it_says_is_not_read(started):
    """A terminal that is held, ``| less``: the pipe is full."""
    process, url = started(SAMPLES / "loop.json")
    for _ in range(30):
        with pytest.raises(HTTPError) as refused:
            urlopen(f"{url}/{'x' * 8000}")
        refused.value.close()
    assert ask(url, first_request("loop.json"))[0] == 200
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err.count(": refused, 404, ") == 30


def test_it_plays_with_a_standard_error_that_is_closed():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = f"{sys.executable} -m tapeview play {SAMPLES / 'loop.json'} --listen {port} 2>&-"
    with subprocess.Popen(["sh", "-c", f"exec {words}"], cwd=ROOT, stdout=subprocess.PIPE) as one:
        try:
            assert ask_once_there(f"http://127.0.0.1:{port}", one)[0] == 200
            one.send_signal(signal.SIGINT)
            out, _ = one.communicate(timeout=30)
        finally:
            one.kill()
    assert (one.returncode, out) == (130, b"")


def ask_once_there(url, process):
    """A call, tried until something listens; nothing else tells when it does."""
    for _ in range(600):
        try:
            return ask(url, first_request("loop.json"))
        except URLError:
            assert process.poll() is None
            sleep(0.1)
    raise AssertionError("nothing listens")


WRONG = {
    "no path": ([], "PATH"),
    "no such file": (["nothing.json"], "no such file"),
    "no such tape": ([SAMPLES / "loop.json", "--tape", "x"], "no tape x"),
    "no port": ([SAMPLES / "loop.json", "--listen", "localhost"], "HOST:PORT is wanted"),
    "a port too high": ([SAMPLES / "loop.json", "--listen", "a:70000"], "HOST:PORT is wanted"),
    "not ours": ([SAMPLES / "loop.json", "--listen", "203.0.113.1:0"], "Cannot listen at http://"),
}


@pytest.mark.parametrize("words, sentence", WRONG.values(), ids=WRONG.keys())
def test_wrong_words_are_one_sentence_and_exit_2(tapeview, words, sentence):
    code, out, err = tapeview("play", *words)
    assert (code, out) == (2, "")
    assert sentence in err.splitlines()[-1]


def test_a_tape_without_a_reply_has_nothing_to_play(tapeview, tmp_path):
    path = tmp_path / "asked.json"
    path.write_text('[{"role": "user", "content": "a"}]')
    assert tapeview("play", path)[0] == 2
