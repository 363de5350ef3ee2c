"""Through the proxy as without it: what is sent arrives, and what comes back is what was said."""

import gzip
import json
import socket
import ssl
import threading
import zlib
from contextlib import ExitStack, suppress
from pathlib import Path

import brotli
import pytest

from tapeview.capture.decode import decoded
from tapeview.capture.proxy import place_of
from tests.capture.raw_http import (
    PATIENCE,
    RawServer,
    ask,
    chunked,
    connect,
    parsed,
    request,
)
from tests.capture.replies import (
    BODY,
    JSON_REPLY,
    KEY,
    event,
    json_head,
    sse_head,
    stream_of,
)

STREAM = stream_of("Grüße, ", "世", "界 and ", "more")
WHOLE = b"".join(STREAM)
TEXT = "Grüße, 世界 and more"
END = b"0\r\n\r\n"
OVERLOADED = b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'

try:
    from compression import zstd
except ImportError:
    from backports import zstd


def raw_deflate(data):
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


PACKED = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "raw deflate": raw_deflate,
    "br": brotli.compress,
    "zstd": zstd.compress,
}


def cut(data, size):
    return [data[k : k + size] for k in range(0, len(data), size)]


def packed(kind):
    return PACKED[kind](WHOLE)


def coding(kind):
    return f"Content-Encoding: {kind.removeprefix('raw ')}"


ANSWERS = {
    "a stream, an event a chunk": sse_head() + chunked(STREAM) + END,
    "a stream, a byte a chunk": sse_head() + chunked(cut(WHOLE, 1)) + END,
    "a stream, cut at odd places": sse_head() + chunked(cut(WHOLE, 37)) + END,
    "a stream until the connection ends": sse_head().replace(
        b"Transfer-Encoding: chunked", b"Connection: close"
    )
    + WHOLE,
    "a stream with a trailer": sse_head() + chunked(STREAM) + b"0\r\nX-Sum: 1\r\n\r\n",
    "a stream that breaks off": sse_head() + chunked(STREAM[:4]),
    "a stream that breaks off in a character": sse_head() + chunked(cut(WHOLE, 1)[:530]),
    "nothing of a stream": sse_head() + END,
    "an error event": sse_head() + chunked([*STREAM[:4], event(json.loads(OVERLOADED))]) + END,
    "a message": json_head("200 OK", JSON_REPLY) + JSON_REPLY,
    "a message that breaks off": json_head("200 OK", JSON_REPLY) + JSON_REPLY[:50],
    "an error 400": json_head("400 Bad Request", OVERLOADED) + OVERLOADED,
    "an error 429": json_head("429 Too Many Requests", OVERLOADED, "retry-after: 7") + OVERLOADED,
    "an error 500 in HTML": b"HTTP/1.1 500 Oh no\r\nContent-Type: text/html\r\n"
    b"Content-Length: 9\r\n\r\n<h1>\xff</h1",
    "an error 529": json_head("529 Site Overloaded", OVERLOADED) + OVERLOADED,
    "headers twice, and in a case of their own": b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\n"
    b"set-cookie: b=2\r\nX-ODD-case: \xc3\xa9\r\nContent-Length: 2\r\n\r\n{}",
    "no content type": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    "nothing": b"HTTP/1.1 204 No Content\r\n\r\n",
    "a redirect": b"HTTP/1.1 307 Temporary\r\nLocation: http://127.0.0.1:9/x\r\n"
    b"Content-Length: 0\r\n\r\n",
    **{
        f"a stream in {kind}": sse_head(coding(kind)) + chunked(cut(packed(kind), 11)) + END
        for kind in PACKED
    },
    "a stream in a coding that is not known": sse_head("Content-Encoding: odd")
    + chunked([b"?"])
    + END,
    "a stream that is not in gzip": sse_head("Content-Encoding: gzip") + chunked([WHOLE]) + END,
}


def sending(raw):
    return lambda connection, head, body: connection.sendall(raw)


@pytest.mark.parametrize("method", ["POST", "GET", "PUT"])
@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_arrives_as_it_was_sent(name, method, proxied):
    sent = request(method, "/v1/messages?beta=true", BODY)
    with RawServer(sending(ANSWERS[name])) as server, proxied(server.url) as proxy:
        assert parsed(ask(proxy.port, sent)) == parsed(ask(server.port, sent))


OUTCOMES = {
    "a stream, an event a chunk": "end_turn",
    "a stream, a byte a chunk": "end_turn",
    "a stream, cut at odd places": "end_turn",
    "a stream until the connection ends": "end_turn",
    "a stream with a trailer": "end_turn",
    "a stream that breaks off": "upstream reset",
    "a stream that breaks off in a character": "upstream reset",
    "nothing of a stream": "cut",
    "an error event": "error event overloaded_error",
    "a message": "end_turn",
    "a message that breaks off": "upstream reset",
    "an error 400": "status 400",
    "an error 429": "status 429",
    "an error 500 in HTML": "status 500",
    "an error 529": "status 529",
    "headers twice, and in a case of their own": None,
    "no content type": None,
    "nothing": "status 204",
    "a redirect": "status 307",
    **{f"a stream in {kind}": "end_turn" for kind in PACKED},
    "a stream in a coding that is not known": "not decoded: the coding odd is not known",
    "a stream that is not in gzip": "not decoded: Error -3 while decompressing data: "
    "incorrect header check",
}


@pytest.mark.parametrize("name", ANSWERS)
def test_what_is_recorded_is_how_the_call_ended(name, proxied):
    with RawServer(sending(ANSWERS[name])) as server, proxied(server.url) as proxy:
        answer = parsed(ask(proxy.port, request("POST", "/v1/messages", BODY)))
    (head,), (end,) = proxy.of("head"), proxy.of("reply") + proxy.of("failed")
    assert head["status"] == int(answer.status.split()[1])
    assert end.get("why", end.get("stop")) == OUTCOMES[name]
    if OUTCOMES[name] == "end_turn":
        assert "".join(line["data"] for line in proxy.of("chunk")).encode() in (WHOLE, JSON_REPLY)
        assert end["message"]["content"][0]["text"] in (TEXT, "Nothing.")
        assert end["first"] <= end["t"]
    if "status" in str(OUTCOMES[name]):
        assert end["status"] == head["status"]
    if answer.body == OVERLOADED:
        assert end["error"] == json.loads(OVERLOADED)


def test_the_head_of_an_answer_keeps_what_tells_something(proxied):
    more = ("retry-after: 7", "anthropic-ratelimit-tokens-remaining: 5", "Set-Cookie: a=secret")
    raw = json_head("429 Too Many Requests", OVERLOADED, *more) + OVERLOADED
    with RawServer(sending(raw)) as server, proxied(server.url) as proxy:
        ask(proxy.port, request("POST", "/v1/messages", BODY))
    (head,) = proxy.of("head")
    assert head["request_id"] == "req_1"
    assert head["headers"] == {
        "content-type": "application/json",
        "retry-after": "7",
        "anthropic-ratelimit-tokens-remaining": "5",
    }


OK = sending(json_head("200 OK", JSON_REPLY) + JSON_REPLY)

REQUESTS = {
    "a message call": request("POST", "/v1/messages?beta=true", BODY),
    "one in chunks": request(
        "POST", "/v1/messages", chunked(cut(BODY, 9)) + END, ["Transfer-Encoding: chunked"]
    ),
    "one in gzip": request("POST", "/v1/messages", gzip.compress(BODY), ["Content-Encoding: gzip"]),
    "one that is no JSON": request("POST", "/v1/messages", b"\xff{"),
    "an empty one": request("POST", "/v1/messages", b"", ["Content-Length: 0"]),
    "a head": request("HEAD", "/"),
    "models": request("GET", "/v1/models?limit=5&x=%2F%20+"),
    "counting": request("POST", "/v1/messages/count_tokens", BODY),
    "a file in chunks": request(
        "PUT",
        "/v1/files/%C3%A9//../x",
        chunked([b"abc", b"\0"]) + END,
        ["Transfer-Encoding: chunked"],
    ),
    "a method of its own": request("PROPFIND", "/?a=b?c", b"<x/>"),
    "a deletion": request("DELETE", "/v1/files/1"),
    "headers in a case of their own": request(
        "GET",
        "/",
        headers=["X-ODD-case: 1", "X-ODD-case: 2", "Accept-Encoding: zstd", "Cookie: a=b"],
    ),
    "what belongs to the hop": request(
        "GET", "/", headers=["TE: trailers", "Connection: X-Hop", "X-Hop: 1", "Upgrade: websocket"]
    ),
}


def arrived(server):
    """What a request was for the server: hop, framing and host apart."""
    head, body = server.requests[-1]
    first, *headers = head.split(b"\r\n")
    apart = (b"host:", b"connection:", b"transfer-encoding:", b"content-length:", b"te:")
    apart += (b"x-hop:", b"upgrade:")
    return first, [h for h in headers if not h.lower().startswith(apart)], body


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_arrives_as_it_was_sent(name, proxied):
    with RawServer(OK) as server, proxied(server.url) as proxy:
        ask(server.port, REQUESTS[name])
        direct = arrived(server)
        ask(proxy.port, REQUESTS[name])
        assert arrived(server) == direct


def test_an_upstream_may_have_a_path(proxied):
    with RawServer(OK) as server, proxied(f"{server.url}/gateway/a%20b") as proxy:
        ask(proxy.port, request("POST", "/v1/messages?beta=true", BODY))
        assert server.requests[-1][0].split()[1] == b"/gateway/a%20b/v1/messages?beta=true"
    assert proxy.of("call")[0]["path"] == "/v1/messages?beta=true"


def test_what_belongs_to_the_hop_stays_there(proxied):
    with RawServer(OK) as server, proxied(server.url) as proxy:
        ask(proxy.port, REQUESTS["what belongs to the hop"])
        head = server.requests[-1][0].lower()
        assert b"x-hop" not in head
        assert b"upgrade" not in head
        assert f"host: 127.0.0.1:{server.port}".encode() in head


def test_only_message_calls_are_recorded(proxied):
    with RawServer(OK) as server, proxied(server.url) as proxy:
        for sent in REQUESTS.values():
            ask(proxy.port, sent)
        ask(proxy.port, request("POST", "/messages", BODY))
        ask(proxy.port, request("POST", "/prefix/v1/messages", BODY))
    bodies = [line.get("body") for line in proxy.of("call")]
    assert bodies == [None, None, None, {"b64": "/3s="}, "", None, None]
    first = proxy.of("call")[0]
    assert first["path"] == "/v1/messages?beta=true"
    assert first["add"] == json.loads(BODY)["messages"]


def test_a_head_has_the_head_of_the_answer_and_no_body(proxied):
    raw = json_head("200 OK", JSON_REPLY)
    with RawServer(sending(raw)) as server, proxied(server.url) as proxy:
        sent = request("HEAD", "/")
        assert parsed(ask(proxy.port, sent), "HEAD") == parsed(ask(server.port, sent), "HEAD")


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/files"])
def test_64_megabytes_pass_both_ways(path, proxied):
    text = b"x" * (64 << 20)
    body = b'{"messages":[{"role":"user","content":"' + text + b'"}]}'

    def echo(connection, head, received):
        connection.sendall(json_head("200 OK", received) + received)

    with RawServer(echo) as server, proxied(server.url) as proxy:
        assert parsed(ask(proxy.port, request("POST", path, body))).body == body


REFUSED = {
    "a foreign host": request("GET", "/", host="evil.example"),
    "a name that begins as ours": request("GET", "/", host="127.0.0.1.evil.example"),
    "another address": request("GET", "/", host="10.0.0.1"),
    "a web page": request("POST", "/v1/messages", BODY, ["Origin: http://localhost:3000"]),
    "a page without an origin": request("POST", "/v1/messages", BODY, ["Origin: null"]),
    "another server": request("GET", "http://127.0.0.1:9/v1/models"),
    "no path": request("OPTIONS", "*"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_stranger_is_refused(name, proxied):
    with RawServer(OK) as server, proxied(server.url) as proxy:
        answer = parsed(ask(proxy.port, REFUSED[name]))
        assert server.requests == []
    assert answer.status.split()[1] == b"403"
    assert json.loads(answer.body)["error"]["type"] == "permission_error"
    assert proxy.of("call") == []


NO_HTTP = {
    "a control character in a key": b"POST /v1/messages HTTP/1.1\r\nx-api-key: %b\x01\r\n\r\n",
    "a byte in the address": b"GET /v1/x?key=%b\xe9 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a long header": b"GET / HTTP/1.1\r\nx-api-key: %b" + b"a" * (1 << 19) + b"\r\n\r\n",
}


@pytest.mark.parametrize("name", NO_HTTP)
def test_what_is_no_http_is_refused_in_a_sentence(name, proxied, capfd):
    with RawServer(OK) as server, proxied(server.url) as proxy, connect(proxy.port) as client:
        client.sendall(NO_HTTP[name] % KEY.encode())
        with suppress(ConnectionResetError):
            assert b" 400 " in client.recv(1 << 16)
        assert proxy.told("refused") == "a request that is no HTTP"
        assert server.requests == []
    assert "".join(capfd.readouterr()) == ""


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:80", "127.0.0.1:1", "[::1]:80", "LOCALHOST"]
)
def test_names_of_this_machine_are_served(host, proxied):
    with RawServer(OK) as server, proxied(server.url) as proxy:
        assert b" 200 " in ask(proxy.port, request("GET", "/", host=host))


@pytest.mark.parametrize("path", ["//evil.example/x", "/@evil.example", "/..//x", "/%2F%2Fevil"])
def test_no_path_leads_to_another_server(path, proxied):
    with RawServer(OK) as server, proxied(server.url) as proxy:
        ask(proxy.port, request("GET", path))
        assert server.requests[-1][0].split()[1] == path.encode()


@pytest.mark.parametrize(
    ("raw", "place"),
    [
        ("/v1/messages?x=1", ("/v1/messages?x=1", "")),
        ("/t/one/v1/messages", ("/v1/messages", "one")),
        ("/t/one", ("/t/one", "")),
        ("/t//x", ("/t//x", "")),
        ("/t/one/", ("/", "one")),
        ("*", None),
        ("http://x/", None),
        ("x:80", None),
    ],
)
def test_a_path_may_name_a_thread(raw, place):
    assert place_of(raw) == place


def test_threads_by_path_are_told_apart(proxied):
    with RawServer(OK) as server, proxied(server.url) as proxy:
        for name in ("one", "two", "one"):
            ask(proxy.port, request("POST", f"/t/{name}/v1/messages", BODY))
        paths = [head.split()[1] for head, _ in server.requests]
    assert paths == [b"/v1/messages"] * 3
    one, two, again = proxy.of("call")
    assert (one["kind"], two["kind"], again["kind"]) == ("new", "new", "resample")
    assert one["thread"] != two["thread"]


def test_an_upstream_that_is_not_there_is_an_error_of_the_api(proxied):
    with RawServer(OK) as server:
        nobody = server.url
    with proxied(nobody) as proxy:
        answer = parsed(ask(proxy.port, request("POST", "/v1/messages", BODY)))
    assert answer.status.split()[1] == b"502"
    error = json.loads(answer.body)
    assert (error["type"], error["error"]["type"]) == ("error", "api_error")
    assert proxy.of("failed")[0]["why"] == "not reached: Connection refused"
    assert proxy.of("head") == []


def test_an_upstream_that_hangs_up_before_it_answers(proxied):
    with RawServer(sending(b"")) as server, proxied(server.url) as proxy:
        answer = parsed(ask(proxy.port, request("POST", "/v1/messages", BODY)))
    assert answer.status.split()[1] == b"502"
    assert proxy.of("failed")[0]["why"] == "not reached: Server disconnected"


def test_each_piece_arrives_before_the_next_is_sent(proxied):
    """A model that thinks between two words: nothing is held back, and all is recorded by then."""
    go = threading.Semaphore(0)

    def slowly(connection, head, body):
        connection.sendall(sse_head())
        for piece in STREAM:
            go.acquire()
            connection.sendall(chunked([piece]))
        connection.sendall(END)

    with RawServer(slowly) as server, proxied(server.url) as proxy, connect(proxy.port) as client:
        client.sendall(request("POST", "/v1/messages", BODY))
        seen = b""
        while b"\r\n\r\n" not in seen:
            seen += client.recv(1 << 16)
        assert len(proxy.of("head")) == 1
        for number, piece in enumerate(STREAM, 1):
            go.release()
            while piece not in seen:
                seen += client.recv(1 << 16)
            assert [line["data"] for line in proxy.of("chunk")] == [
                p.decode() for p in STREAM[:number]
            ]
        while client.recv(1 << 16):
            pass
    assert proxy.of("reply")[0]["message"]["content"][0]["text"] == TEXT


def shake_hands(connection):
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(Path(__file__).parent / "own_certificate.pem")
    tls.wrap_socket(connection, server_side=True).recv(1)


def talk_plainly(connection):
    connection.recv(1 << 16)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


@pytest.mark.parametrize(
    ("serve", "words"),
    [
        (shake_hands, "its certificate is refused: self-signed certificate"),
        (talk_plainly, "TLS: WRONG_VERSION_NUMBER"),
    ],
)
def test_what_is_wrong_with_tls_is_said(serve, words, proxied):
    def once():
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            serve(connection)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        serving = threading.Thread(target=once)
        serving.start()
        with proxied(f"https://127.0.0.1:{listening.getsockname()[1]}") as proxy:
            answer = parsed(ask(proxy.port, request("POST", "/v1/messages", BODY)))
        serving.join()
    assert words.encode() in answer.body
    assert proxy.of("failed")[0]["why"] == f"not reached: {words}"


def test_a_client_that_goes_ends_the_call(proxied):
    gone = threading.Event()

    def wait(connection, head, body):
        connection.sendall(sse_head() + chunked(STREAM[:4]))
        with suppress(ConnectionResetError):
            connection.recv(1)
        gone.set()

    with RawServer(wait) as server, proxied(server.url) as proxy:
        with connect(proxy.port) as client:
            client.sendall(request("POST", "/v1/messages", BODY))
            while STREAM[3] not in client.recv(1 << 16):
                pass
        assert gone.wait(PATIENCE)
        assert proxy.told("failed").startswith("call 1: client gone")
    (failed,) = proxy.of("failed")
    assert failed["why"] == "client gone"
    assert failed["message"]["content"][0]["text"] == "Grüße, "


def test_a_client_that_goes_before_the_answer_begins(proxied):
    gone, came = threading.Event(), threading.Event()

    def wait(connection, head, body):
        came.set()
        with suppress(ConnectionResetError):
            connection.recv(1)
        gone.set()

    with RawServer(wait) as server, proxied(server.url) as proxy:
        with connect(proxy.port) as client:
            client.sendall(request("POST", "/v1/messages", BODY))
            came.wait()
        assert gone.wait(PATIENCE)
        assert proxy.told("failed").startswith("call 1: client gone")


def test_a_client_that_does_not_wait_for_the_end_has_a_whole_answer(proxied):
    def forget(connection, head, body):
        connection.sendall(sse_head() + chunked(STREAM))
        with suppress(ConnectionResetError):
            connection.recv(1)

    with RawServer(forget) as server, proxied(server.url) as proxy:
        with connect(proxy.port) as client:
            client.sendall(request("POST", "/v1/messages", BODY))
            while STREAM[-1] not in client.recv(1 << 16):
                pass
        assert proxy.told("reply").startswith("call 1: end_turn")


def test_a_client_that_does_not_read_holds_the_upstream_back(proxied):
    sent = []
    stuck = threading.Event()
    piece = chunked([event({"type": "ping", "x": "y" * 60_000})])

    def flood(connection, head, body):
        connection.sendall(sse_head())
        connection.settimeout(1)
        try:
            for _ in range(2000):
                connection.sendall(piece)
                sent.append(len(piece))
        except TimeoutError:
            stuck.set()

    with RawServer(flood) as server, proxied(server.url) as proxy, connect(proxy.port) as client:
        client.sendall(request("POST", "/v1/messages", BODY))
        assert stuck.wait(PATIENCE)
    assert sum(sent) < 40 << 20


FLOOD = b"".join(chunked([event({"type": "ping", "x": "y" * 60_000})]) for _ in range(200))


@pytest.mark.parametrize(
    "said",
    [b"", sse_head(), sse_head() + chunked(STREAM[:3]), sse_head() + FLOOD],
    ids=["no head", "no event", "in the stream", "a client that does not read"],
)
def test_calls_that_run_when_the_proxy_ends_are_stopped(proxied, said):
    reached = threading.Event()

    def wait(connection, head, body):
        reached.set()
        connection.sendall(said)
        connection.recv(1)

    with RawServer(wait) as server, ExitStack() as still_open:
        with proxied(server.url) as proxy:
            client = still_open.enter_context(connect(proxy.port))
            client.sendall(request("POST", "/v1/messages", BODY))
            assert reached.wait(PATIENCE)
            if said:
                client.recv(1 << 16)
        (failed,) = proxy.of("failed")
        assert failed["why"] == "stopped"


def test_an_answer_that_has_come_is_whole_though_its_server_does_not_end_it(proxied):
    def wait(connection, head, body):
        connection.sendall(sse_head() + chunked(STREAM))
        connection.recv(1)

    with RawServer(wait) as server, ExitStack() as still_open:
        with proxied(server.url) as proxy:
            client = still_open.enter_context(connect(proxy.port))
            client.sendall(request("POST", "/v1/messages", BODY))
            seen = b""
            while STREAM[-1] not in seen:
                seen += client.recv(1 << 16)
        assert proxy.of("failed") == []
        assert proxy.of("reply")[0]["message"]["content"][0]["text"] == TEXT


def test_100_continue_is_answered_here(proxied):
    with RawServer(OK) as server, proxied(server.url) as proxy, connect(proxy.port) as client:
        head, _, body = request("POST", "/v1/messages", BODY, ["Expect: 100-continue"]).partition(
            b"\r\n\r\n"
        )
        client.sendall(head + b"\r\n\r\n")
        assert client.recv(1 << 16) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(body)
        assert b" 200 " in client.recv(1 << 16)
        assert server.requests[-1][1] == BODY


def test_a_connection_is_used_again(proxied):
    with RawServer(OK) as server, proxied(server.url) as proxy, connect(proxy.port) as client:
        for _ in range(3):
            client.sendall(
                request("POST", "/v1/messages", BODY).replace(b"Connection: close\r\n", b"")
            )
            raw = b""
            while not raw.endswith(JSON_REPLY):
                raw += client.recv(1 << 16)
    assert len(proxy.of("reply")) == 3


def test_an_old_client_gets_its_answer(proxied):
    raw = sse_head() + chunked(STREAM) + END
    sent = request("POST", "/v1/messages", BODY).replace(b"HTTP/1.1", b"HTTP/1.0")
    with RawServer(sending(raw)) as server, proxied(server.url) as proxy:
        assert parsed(ask(proxy.port, sent)).body == WHOLE


def test_no_secret_reaches_the_file(proxied, capfd):
    said = json.dumps(
        {"type": "error", "error": {"type": "x", "message": f"bad key {KEY}"}}
    ).encode()
    raw = json_head("401 Unauthorized", said, f"Set-Cookie: s={KEY}", f"x-echo: {KEY}") + said
    body = json.loads(BODY)
    body["mcp_servers"] = [{"type": "url", "url": "http://x", "authorization_token": KEY[::-1]}]
    body["messages"].append({"role": "assistant", "content": f"Your key is {KEY}."})
    headers = [f"x-api-key: {KEY}", f"Authorization: Bearer {KEY}", f"Cookie: session={KEY}; a=b"]
    headers += [f"Proxy-Authorization: Basic {KEY}", f"X-My-Token: {KEY}"]
    for path in (f"/v1/messages?x-api-key={KEY}&beta=true", f"/t/{KEY}/v1/messages?key={KEY}"):
        name, sent = f"{len(path)}.tape.jsonl", json.dumps(body).encode()
        with RawServer(sending(raw)) as server, proxied(server.url, name) as proxy:
            answer = parsed(ask(proxy.port, request("POST", path, sent, headers)))
            assert server.requests[-1][1] == sent
            assert KEY.encode() in answer.body
        written = proxy.path.read_text()
        assert "status 401" in written
        assert KEY not in written
        assert KEY[::-1] not in written
        assert KEY[9:] not in written
    assert KEY not in "".join(capfd.readouterr())


def test_a_compressed_request_is_recorded_plain(proxied):
    with RawServer(OK) as server, proxied(server.url) as proxy:
        ask(proxy.port, REQUESTS["one in gzip"])
        assert decoded("gzip", server.requests[-1][1]) == BODY
    assert proxy.of("call")[0]["add"] == json.loads(BODY)["messages"]


def test_a_request_that_cannot_be_decoded_passes_unrecorded(proxied):
    sent = request("POST", "/v1/messages", BODY, ["Content-Encoding: odd"])
    with RawServer(OK) as server, proxied(server.url) as proxy:
        assert b" 200 " in ask(proxy.port, sent)
        assert proxy.told("trouble") == "a request is not recorded: the coding odd is not known."
    assert proxy.of("call") == []
