"""``tapeview play`` as a program: what it says, what it serves, how it ends."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError
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
