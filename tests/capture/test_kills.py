"""``kill -9`` at any moment: what a client had is in the file, and the file opens.

    python -m pytest -m slow tests/capture/test_kills.py

kills 200 times.
"""

import base64
import json
import random
import signal
import subprocess
import sys
import threading
from contextlib import suppress

import pytest

from tapeview.open_session import load
from tests.capture.program import started
from tests.capture.raw_http import RawServer, chunked, connect, request, unchunked
from tests.capture.replies import sse_head, stream_of

CLIENTS = 4
EVENTS = 400
STREAM = stream_of(*(f"«{number}» " for number in range(EVENTS)))

CLIENT = """
import socket, sys
port, sent = int(sys.argv[1]), bytes.fromhex(sys.argv[2])
with socket.create_connection(("127.0.0.1", port)) as client:
    client.sendall(sent)
    while data := client.recv(4096):
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
"""


def flood(connection, head, body):
    connection.sendall(sse_head())
    for at in range(0, len(STREAM), 3):
        connection.sendall(chunked(STREAM[at : at + 3]))
    connection.sendall(b"0\r\n\r\n")


def asked(number):
    content = f"client {number}: " + "x" * 20_000
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": content}]}
    return request("POST", "/v1/messages", json.dumps(body).encode())


def recording(server, path):
    return started("--upstream", server.url, "-o", str(path))


class Clients:
    """Clients that read until they have had ``enough`` events together, then ``act`` once."""

    def __init__(self, port, enough, act):
        self.got = [bytearray() for _ in range(CLIENTS)]
        self._port, self._enough, self._act = port, enough, act
        self._lock = threading.Lock()
        self._events = 0

    def run(self):
        threads = [threading.Thread(target=self._read, args=(k,)) for k in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self._count(self._enough)

    def _read(self, number):
        with suppress(ConnectionError), connect(self._port) as client:
            client.sendall(asked(number))
            self._count(0)
            while data := client.recv(2000):
                self.got[number] += data
                self._count(data.count(b"event: "))

    def _count(self, events):
        with self._lock:
            self._events += events
            if self._act is not None and self._events >= self._enough:
                act, self._act = self._act, None
                act()


def recorded(path):
    """Lines of a recording whose last one may be cut."""
    *lines, last = path.read_bytes().split(b"\n")
    found = [json.loads(line) for line in lines]
    with suppress(ValueError):
        found.append(json.loads(last or b"0"))
    return [line for line in found if line]


def data_of(chunk):
    data = chunk["data"]
    return data.encode() if isinstance(data, str) else base64.b64decode(data["b64"])


def check(path, got):
    """Each byte that a client had is in the recording, and the recording opens."""
    lines = recorded(path)
    calls = {c["add"][0]["content"][7:].split(":")[0]: c["call"] for c in lines if "call" in c}
    for number, raw in enumerate(got):
        body, _ = unchunked(bytes(raw).partition(b"\r\n\r\n")[2])
        call = calls.get(str(number))
        kept = b"".join(data_of(line) for line in lines if call and line.get("chunk") == call)
        assert kept.startswith(body)
        assert call is not None or not raw
    session = load(str(path)).session
    assert sum(record.kind == "message" for record in session.records) >= (1 if calls else 0)
    return lines


def kill_proxy(path, enough):
    with (
        RawServer(flood) as server,
        started("--upstream", server.url, "-o", str(path)) as (p, said),
    ):
        clients = Clients(int(said[2].rpartition(":")[2]), enough, p.kill)
        clients.run()
    return check(path, clients.got)


@pytest.mark.parametrize("enough", [0, 1, 30, 700])
def test_the_proxy_is_killed(enough, tmp_path):
    kill_proxy(tmp_path / "a.tape.jsonl", enough)


def kill_client(path, enough, both):
    """A client in a process of its own, killed once it has had so many events."""
    got, events = bytearray(), 0
    with (
        RawServer(flood) as server,
        started("--upstream", server.url, "-o", str(path)) as (p, said),
    ):
        port = said[2].rpartition(":")[2].strip()
        with subprocess.Popen(
            [sys.executable, "-c", CLIENT, port, asked(0).hex()], stdout=subprocess.PIPE
        ) as client:
            while events < enough and (data := client.stdout.read1(2000)):
                got += data
                events += data.count(b"event: ")
            client.kill()
            if both:
                p.kill()
            got += client.stdout.read()
        if not both:
            p.send_signal(signal.SIGINT)
            p.wait(20)
    return check(path, [got])


@pytest.mark.parametrize("both", [False, True], ids=["client", "both"])
@pytest.mark.parametrize("enough", [0, 1, 100])
def test_the_client_is_killed(enough, both, tmp_path):
    lines = kill_client(tmp_path / "a.tape.jsonl", enough, both)
    if not both and any("call" in line for line in lines):
        assert "failed" in lines[-1] or "reply" in lines[-1]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200))
def test_200_kills(seed, tmp_path):
    chance = random.Random(seed)
    path = tmp_path / "a.tape.jsonl"
    if seed % 2:
        kill_client(path, chance.randrange(EVENTS), bool(seed % 4 == 1))
    else:
        kill_proxy(path, chance.randrange(CLIENTS * EVENTS))


def test_a_recording_cut_at_any_byte_opens(tmp_path):
    whole = tmp_path / "a.tape.jsonl"
    kill_proxy(whole, 3 * EVENTS)
    raw = whole.read_bytes()
    cut = tmp_path / "cut.tape.jsonl"
    first = raw.index(b"\n")
    for end in range(first + 1, len(raw), max(1, len(raw) // 40)):
        cut.write_bytes(raw[:end])
        load(str(cut)).snapshot()
