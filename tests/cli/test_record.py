"""``tapeview record``: around a command, and alone."""

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tapeview.cli import run
from tests.capture.program import ROOT, started
from tests.capture.raw_http import RawServer, ask, chunked, request
from tests.capture.replies import BODY, JSON_REPLY, KEY, json_head, sse_head, stream_of

OK = json_head("200 OK", JSON_REPLY) + JSON_REPLY

CALL = """
import os, sys, urllib.request
url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
body = b'{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}'
asked = urllib.request.Request(url, body, {"x-api-key": "KEY"})
print(urllib.request.urlopen(asked).read().decode())
sys.exit(int(sys.argv[1]))
""".replace("KEY", KEY)


@pytest.fixture
def server():
    with RawServer(lambda c, h, b: c.sendall(OK)) as made:
        yield made


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)


def record(*words, code=0):
    """The words that record one call of a client with this exit code."""
    return ["record", *words, "--", sys.executable, "-c", CALL, str(code)]


def lines_of(path):
    return [json.loads(line) for line in Path(path).read_bytes().splitlines()]


@pytest.mark.parametrize("code", [0, 3])
def test_a_command_is_recorded_and_its_code_is_ours(code, server, capfd):
    assert run(record("--upstream", server.url, "-o", "a.tape.jsonl", code=code)) == code
    out, err = capfd.readouterr()
    assert json.loads(out) == json.loads(JSON_REPLY)
    assert err == (
        "tapeview: recording to a.tape.jsonl\ntapeview: 1 call recorded in a.tape.jsonl\n"
    )
    kinds = [next(iter(line)) for line in lines_of("a.tape.jsonl")]
    assert kinds == ["tape", "call", "head", "chunk", "reply"]
    assert KEY not in Path("a.tape.jsonl").read_text()


def test_the_upstream_is_the_one_that_was_set(server, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    assert run(record("-o", "a")) == 0
    assert lines_of("a")[0]["upstream"] == server.url


def test_the_file_is_named_by_the_command_and_the_time(server, tmp_path):
    assert run(record("--upstream", server.url)) == 0
    (path,) = tmp_path.glob("*.tape.jsonl")
    assert path.name.startswith(Path(sys.executable).stem + "-")
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_command_that_makes_no_call_is_told_why(capfd):
    assert run(["record", "-o", "a", "--", "true"]) == 0
    last = capfd.readouterr().err.splitlines()[-1]
    assert last == "tapeview: no call arrived; does true take its address from ANTHROPIC_BASE_URL?"


def test_words_behind_the_dashes_are_the_commands(capfd):
    assert run(["record", "-o", "a", "--", "echo", "--help", "--", "-o"]) == 0
    assert capfd.readouterr().out == "--help -- -o\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["-o", "there", "--", "true"], "there: there is such a file already"),
        (["--", "no-such-command"], "there is no command no-such-command"),
        (["--upstream", "nowhere", "--", "true"], "--upstream is no address"),
        (["--listen", "a:b", "--", "true"], "a:b is no HOST:PORT"),
        (["true"], "unrecognized arguments: true"),
    ],
)
def test_wrong_words_are_told_before_anything_runs(words, sentence, capfd):
    Path("there").write_text("mine")
    assert run(["record", *words]) == 2
    assert sentence in capfd.readouterr().err
    assert [path.name for path in Path().iterdir()] == ["there"]
    assert Path("there").read_text() == "mine"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_alone_it_says_what_to_export_and_what_arrives(number, server):
    with started("--upstream", server.url, "-o", "a") as (process, said):
        assert said[0] == "tapeview: recording to a\n"
        port = int(said[2].rpartition(":")[2])
        assert said[2] == f"  export ANTHROPIC_BASE_URL=http://127.0.0.1:{port}\n"
        ask(port, request("GET", "/"))
        assert process.stderr.readline() == "tapeview: GET /: 200, not recorded\n"
        ask(port, request("POST", "/v1/messages", BODY))
        assert process.stderr.readline().startswith("tapeview: call 1: end_turn, ")
        process.send_signal(number)
        assert process.stderr.read() == "tapeview: 1 call recorded in a\n"
        assert process.wait(20) == 0
    assert [next(iter(line)) for line in lines_of("a")][-1] == "reply"


def test_it_listens_where_it_is_told(server):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = ("--upstream", server.url, "-o", "a", "--listen", f"127.0.0.1:{port}")
    with started(*words) as (_, said):
        assert said[2] == f"  export ANTHROPIC_BASE_URL=http://127.0.0.1:{port}\n"


def test_a_command_that_is_killed_by_a_signal():
    assert run(["record", "-o", "a", "--", "sh", "-c", "kill -TERM $$"]) == 143


FULL = """
import resource, sys
from tapeview.cli import run
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
sys.exit(run(sys.argv[1:]))
"""


def test_a_full_disk_ends_the_recording_not_the_agent():
    stream = sse_head() + chunked(stream_of("x" * 5000)) + b"0\r\n\r\n"
    with RawServer(lambda c, h, b: c.sendall(stream)) as server:
        done = subprocess.run(
            [sys.executable, "-c", FULL, *record("-o", "a", "--upstream", server.url, code=5)],
            env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 5
    assert "message_stop" in done.stdout
    assert done.stderr.count("File too large; the recording ends here") == 1
    assert lines_of("a")[1]["call"] == "1"
