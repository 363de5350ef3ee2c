"""``tapeview record`` as a process: how it ends while calls are open."""

import json
import os
import signal
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.capture.program import started
from tests.capture.raw_http import PATIENCE, RawServer, chunked, connect, request
from tests.capture.replies import BODY, sse_head, stream_of

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
MANY = 5


class Stalling:
    """A server that begins to answer, and all that it is asked."""

    def __init__(self):
        self.reached = threading.Semaphore(0)

    def __call__(self, connection, head, body):
        connection.sendall(sse_head() + chunked(stream_of("a", "b")[:4]))
        self.reached.release()
        connection.recv(1)

    def wait(self):
        """Until all calls have reached it."""
        for _ in range(MANY):
            assert self.reached.acquire(timeout=PATIENCE)


@pytest.fixture
def calls():
    """Makes calls that stay open."""
    with ExitStack() as still_open:

        def call(port):
            for _ in range(MANY):
                client = still_open.enter_context(connect(port))
                client.sendall(request("POST", "/v1/messages", BODY))

        yield call


def port_of(said):
    return int(next(line for line in said if "export" in line).rpartition(":")[2])


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("times", [1, 2, 5])
def test_open_calls_have_an_end_however_often_it_is_told_to(number, times, calls, tmp_path):
    path, server = tmp_path / "a.tape.jsonl", Stalling()
    with (
        RawServer(server) as upstream,
        started("-o", str(path), "--upstream", upstream.url) as (process, said),
    ):
        calls(port_of(said))
        server.wait()
        for _ in range(times):
            process.send_signal(number)
        assert process.wait(PATIENCE) == 0
        assert f"{MANY} calls recorded in {path}" in process.stderr.read()
    ends = [json.loads(line).get("why") for line in path.read_bytes().splitlines()]
    assert ends.count("stopped") == MANY


def test_it_ends_though_nobody_reads_what_it_says(calls, tmp_path):
    path, server = tmp_path / "a.tape.jsonl", Stalling()
    with (
        RawServer(server) as upstream,
        started("-o", str(path), "--upstream", upstream.url) as (process, said),
    ):
        port = port_of(said)
        for _ in range(3):
            calls(port)
            server.wait()
        fill(process)
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    assert path.read_bytes().count(b'"why":"stopped"') == 3 * MANY


def fill(process):
    """Let the pipe that its standard error is be full."""
    with Path(f"/proc/{process.pid}/fd/2").open("wb", buffering=0) as pipe:
        os.set_blocking(pipe.fileno(), False)
        while pipe.write(b"x" * 1024):
            pass


def test_a_recording_that_was_moved_is_not_said_to_be_there(tmp_path):
    path = tmp_path / "a.tape.jsonl"
    with started("-o", str(path), "--upstream", "http://127.0.0.1:9") as (process, _):
        path.rename(tmp_path / "b.tape.jsonl")
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
        assert "a.tape.jsonl was moved or removed meanwhile" in process.stderr.read()
