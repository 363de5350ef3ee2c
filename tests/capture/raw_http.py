"""HTTP/1.1 spelled by hand: a server that sends what a test says, a client that reads it all."""

import socket
import threading
from contextlib import suppress
from typing import NamedTuple

__all__ = ["Answer", "RawServer", "ask", "chunked", "parsed", "read_request", "request"]

PATIENCE = 20
"""Seconds until a test that hangs fails."""


class Answer(NamedTuple):
    """An answer as a client sees it: framing undone, the rest in its bytes."""

    status: bytes
    headers: list[bytes]
    body: bytes
    is_whole: bool


HOP = (b"connection:", b"transfer-encoding:", b"keep-alive:")


def parsed(raw, method="GET"):
    """An answer out of all bytes until the end of the connection."""
    head, _, rest = raw.partition(b"\r\n\r\n")
    status, *headers = head.split(b"\r\n")
    lowered = [header.lower() for header in headers]
    body, is_whole = rest, True
    if b"transfer-encoding: chunked" in lowered:
        body, is_whole = unchunked(rest)
    elif method != "HEAD":
        for header in lowered:
            if header.startswith(b"content-length:"):
                is_whole = len(rest) == int(header.partition(b":")[2])
    kept = [h for h in headers if not h.lower().startswith(HOP)]
    return Answer(status, kept, body, is_whole)


def unchunked(rest):
    """The body, and whether its last chunk came."""
    body = b""
    while True:
        size, _, rest = rest.partition(b"\r\n")
        if not size:
            return body, False
        length = int(size, 16)
        if length == 0:
            return body, True
        body += rest[:length]
        if len(rest) < length + 2:
            return body, False
        rest = rest[length + 2 :]


def chunked(pieces):
    """A body in chunks, the last one left out."""
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces if piece)


def request(method, path, body=b"", headers=(), host="127.0.0.1"):
    """A request that asks for one answer and the end of the connection."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", "Connection: close", *headers]
    if body and not any(h.lower().startswith(("content-length", "transfer")) for h in headers):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def connect(port):
    """A connection to a server on this machine."""
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)


def ask(port, data):
    """Send bytes and read until the end: an answer, raw."""
    with connect(port) as client:
        sender = threading.Thread(target=_send, args=(client, data))
        sender.start()
        raw = bytearray()
        with suppress(ConnectionResetError):
            while piece := client.recv(1 << 20):
                raw += piece
        sender.join()
    return bytes(raw)


def _send(client, data):
    with suppress(BrokenPipeError, ConnectionResetError):
        client.sendall(data)


def read_request(connection):
    """Head and body of the next request; two empty ones at the end of the connection."""
    raw = b""
    while b"\r\n\r\n" not in raw:
        piece = connection.recv(1 << 20)
        if not piece:
            return b"", b""
        raw += piece
    head, _, body = raw.partition(b"\r\n\r\n")
    lowered = head.lower()
    if b"transfer-encoding: chunked" in lowered:
        while not body.endswith(b"0\r\n\r\n"):
            body += connection.recv(1 << 20)
        return head, unchunked(body)[0]
    length = 0
    for line in lowered.split(b"\r\n"):
        if line.startswith(b"content-length:"):
            length = int(line.partition(b":")[2])
    pieces, missing = [body], length - len(body)
    while missing > 0:
        piece = connection.recv(1 << 20)
        if not piece:
            break
        pieces.append(piece)
        missing -= len(piece)
    return head, b"".join(pieces)


class RawServer:
    """``with RawServer(handle) as server``: one request a connection, answered by ``handle``.

    ``handle(connection, head, body)`` sends what it likes; the connection is closed behind it.
    """

    def __init__(self, handle):
        self.requests = []
        self._handle = handle
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=512)
        self._threads = []

    @property
    def port(self):
        """Where it listens."""
        return self._socket.getsockname()[1]

    @property
    def url(self):
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        self._accepting = threading.Thread(target=self._accept)
        self._accepting.start()
        return self

    def __exit__(self, *_):
        # Closing a listening socket does not wake who waits for it.
        self._socket.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._socket.close()
        for thread in self._threads:
            thread.join()

    def _accept(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(connection,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection):
        connection.settimeout(PATIENCE)
        with connection, suppress(BrokenPipeError, ConnectionResetError):
            head, body = read_request(connection)
            if head:
                self.requests.append((head, body))
                self._handle(connection, head, body)
