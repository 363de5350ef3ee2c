"""``tapeview record`` without a command, in a real terminal: what to export, and what arrives."""

import http.client
import json
import os
import re
import signal
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.journeys.test_journeys import start
from tests.terminal import Terminal
from tests.wire.streams import begin, call, end, stream, text

KEY = "sk-dummy-0123456789"
SAID = text(0, "Two words")
FIRST = [begin(), *SAID[:2]]
REST = [*SAID[2:], *call(1, "toolu_1", "Bash", '{"command":"ls"}'), *end("tool_use")]


class Model(BaseHTTPRequestHandler):
    """Says two words, waits until it may go on, and calls a tool."""

    go_on = threading.Event()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.wfile.write(stream(*FIRST))
        self.wfile.flush()
        self.go_on.wait(30)
        self.wfile.write(stream(*REST))

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def upstream():
    Model.go_on.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Model) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def ask(url: str) -> None:
    body = {
        "model": "claude-opus-4-5",
        "max_tokens": 9,
        "stream": True,
        "messages": [{"role": "user", "content": "what is there?"}],
    }
    headers = {"content-type": "application/json", "x-api-key": KEY}
    request = urllib.request.Request(f"{url}/v1/messages", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        answer.read()


@contextmanager
def recording(path: Path, upstream: str) -> Iterator[tuple[Terminal, str]]:
    """The program in a terminal, and the address that it shows."""
    with start(path.parent, "record", "-o", str(path), "--upstream", upstream) as terminal:
        shown = terminal.wait_for("Nothing has arrived yet", "export ANTHROPIC_BASE_URL=http://")
        found = re.search(r"ANTHROPIC_BASE_URL=(http://127.0.0.1:\d+)", shown)
        assert found is not None
        yield terminal, found[1]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_terminal_and_recording_whole(
    number: signal.Signals, upstream: str, tmp_path: Path
) -> None:
    path = tmp_path / "run.tape.jsonl"
    with recording(path, upstream) as (terminal, url):
        client = threading.Thread(target=asking, args=(url,))
        client.start()
        terminal.wait_for("• Two words")
        os.kill(terminal.pid, number)
        assert terminal.wait_for_exit() == 128 + number
        assert b"\x1b[?1049l" in terminal.raw
        Model.go_on.set()
        client.join()
    assert json.loads(path.read_bytes().splitlines()[-1])["why"] == "stopped"


def asking(url: str) -> None:
    with suppress(OSError, http.client.HTTPException):  # the answer is cut off
        ask(url)


def test_what_arrives_is_shown_as_it_arrives(upstream: str, tmp_path: Path) -> None:
    path = tmp_path / "run.tape.jsonl"
    with recording(path, upstream) as (terminal, url):
        client = threading.Thread(target=ask, args=(url,))
        client.start()
        terminal.wait_for("> what is there?", "• Two words", "arriving", "… following")
        Model.go_on.set()
        terminal.wait_for("● Bash", "following: 1 call waits for its result", "pending")
        client.join()
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
        assert "1 call recorded in" in terminal.raw.decode("utf-8", "replace")
    assert KEY.encode() not in path.read_bytes()
    assert oct(path.stat().st_mode & 0o777) == "0o600"
