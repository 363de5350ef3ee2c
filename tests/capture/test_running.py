"""A proxy beside the program: where it listens, and how it ends."""

import json
import signal
import socket
import threading
from contextlib import ExitStack

import pytest

from tapeview.capture.proxy import Proxy
from tapeview.capture.running import Listen, listen_of, recording_proxy, upstream_of
from tapeview.errors import SaveError, UsageError
from tests.capture.raw_http import PATIENCE, RawServer, ask, connect, request
from tests.capture.replies import BODY, JSON_REPLY, json_head

OK = json_head("200 OK", JSON_REPLY) + JSON_REPLY


@pytest.mark.parametrize(
    ("words", "listen"),
    [
        ("127.0.0.1:80", ("127.0.0.1", 80)),
        ("localhost", ("localhost", 0)),
        (":8080", ("127.0.0.1", 8080)),
        ("[::1]:80", ("::1", 80)),
        ("0.0.0.0:0", ("0.0.0.0", 0)),
    ],
)
def test_where_to_listen(words, listen):
    assert listen_of(words) == listen


def test_an_address_that_is_taken_is_said_plainly(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = Listen("127.0.0.1", taken.getsockname()[1])
        with (
            pytest.raises(UsageError) as refused,
            recording_proxy(tmp_path / "a.tape.jsonl", "http://x", print, listen),
        ):
            pass
    assert "Listen(" not in str(refused.value)
    assert str(refused.value).startswith(f"127.0.0.1:{listen.port} cannot be listened on: Address")


def test_what_keeps_the_proxy_from_serving_comes_out(tmp_path, monkeypatch):
    def broken(*_):
        raise OSError("no sockets left")

    monkeypatch.setattr("tapeview.capture.running.Proxy", broken)
    with (
        pytest.raises(OSError, match="no sockets left"),
        recording_proxy(tmp_path / "a.tape.jsonl", "http://x", print),
    ):
        pass


def test_ctrl_c_while_it_ends_comes_behind_the_end(tmp_path, monkeypatch):
    """The calls that are open have an end by then."""
    close = Proxy.close

    async def interrupted(self, server):
        signal.raise_signal(signal.SIGINT)
        await close(self, server)

    monkeypatch.setattr(Proxy, "close", interrupted)
    path, reached = tmp_path / "a.tape.jsonl", threading.Event()
    with RawServer(lambda c, h, b: (reached.set(), c.recv(1))) as server, ExitStack() as still_open:
        with (
            pytest.raises(KeyboardInterrupt),
            recording_proxy(path, server.url, lambda seen: None) as running,
        ):
            client = still_open.enter_context(connect(int(running.url.rpartition(":")[2])))
            client.sendall(request("POST", "/v1/messages", BODY))
            assert reached.wait(PATIENCE)
        assert json.loads(path.read_bytes().splitlines()[-1])["why"] == "stopped"


@pytest.mark.parametrize("words", ["127.0.0.1:x", "127.0.0.1:99999", "[::1"])
def test_no_place_to_listen(words):
    with pytest.raises(UsageError, match="is no HOST:PORT"):
        listen_of(words)


@pytest.mark.parametrize(
    ("words", "upstream"),
    [
        ("https://api.anthropic.com", "https://api.anthropic.com"),
        ("http://127.0.0.1:8099/", "http://127.0.0.1:8099"),
        ("https://gateway.example/anthropic/", "https://gateway.example/anthropic"),
    ],
)
def test_where_to_pass_on(words, upstream):
    assert upstream_of(words) == upstream


@pytest.mark.parametrize(
    "words",
    [
        "api.anthropic.com",
        "ftp://x",
        "https://",
        "https://x:y",
        "https://x?a=b",
        "https://k:v@x",
        "",
    ],
)
def test_no_upstream(words):
    with pytest.raises(UsageError, match="is no address such as"):
        upstream_of(words)


def test_it_listens_on_this_machine_alone(tmp_path):
    with recording_proxy(tmp_path / "a", "http://127.0.0.1:9", print) as running:
        assert running.url.startswith("http://127.0.0.1:")
        port = int(running.url.rpartition(":")[2])
        others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None)}
        for address in {a for a in others if ":" not in a and not a.startswith("127.")}:
            with pytest.raises(OSError), socket.create_connection((address, port), timeout=5):
                pass


def test_told_so_it_listens_elsewhere_and_serves_every_address(tmp_path):
    with (
        RawServer(lambda c, h, b: c.sendall(OK)) as server,
        recording_proxy(tmp_path / "a", server.url, print, Listen("0.0.0.0")) as running,
    ):
        assert running.url.startswith("http://127.0.0.1:")
        port = int(running.url.rpartition(":")[2])
        assert b" 200 " in ask(port, request("GET", "/", host="10.0.0.1"))
        assert b" 403 " in ask(port, request("GET", "/", host="evil.example"))


def test_a_port_that_is_taken_is_said_and_no_file_is_made(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = Listen("127.0.0.1", taken.getsockname()[1])
        with pytest.raises(UsageError, match="Address already in use"):
            recording_proxy(tmp_path / "a", "http://x", print, listen).__enter__()
    assert not (tmp_path / "a").exists()


def test_a_file_that_is_there_is_kept(tmp_path):
    (tmp_path / "a").write_text("mine")
    with pytest.raises(SaveError):
        recording_proxy(tmp_path / "a", "http://x", print).__enter__()
    assert (tmp_path / "a").read_text() == "mine"


def test_what_fails_inside_ends_the_proxy_too(tmp_path):
    with (
        pytest.raises(ZeroDivisionError),
        recording_proxy(tmp_path / "a", "http://x", print) as running,
    ):
        raise ZeroDivisionError
    port = int(running.url.rpartition(":")[2])
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)
