"""A recording reverse proxy in front of one server: what passes is not changed by a byte.

aiohttp on uvloop, as measured best among six (first byte 1 ms later than direct). Only the hop's
own headers are dropped; bodies are neither decompressed nor cut otherwise, redirects are not
followed, cookies not kept. No server but the upstream is ever reached, and only a program on this
machine is served: a foreign ``Host`` or any ``Origin`` (a web page) is refused.
"""

import asyncio
import ipaddress
import logging
import os
import re
import ssl
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import suppress
from io import BytesIO
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec
from aiohttp import (
    ClientConnectionError,
    ClientError,
    ClientPayloadError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    DummyCookieJar,
    TCPConnector,
    web,
)
from aiohttp.http_exceptions import HttpProcessingError
from multidict import CIMultiDict
from yarl import URL

from tapeview.capture.decode import NotDecoded, decoded
from tapeview.capture.recorder import RecordedCall, Recorder, Sent, is_message_call
from tapeview.capture.redact import safe_path
from tapeview.capture.resolver import Resolver
from tapeview.capture.seen import Seen, called, ended

__all__ = ["Place", "Proxy", "place_of"]

HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""Headers that belong to one connection, not to the message. Source: RFC 9110, 7.6.1."""

OWN = HOP | {"host", "expect"}
"""Headers of a request that are written anew, or were answered here (100 Continue)."""

THREAD = re.compile(r"/t/([^/?]+)(?=/)")
"""The beginning of a path that names the thread of its calls."""

LONGEST_HEADER = 1 << 18
PIECE = 1 << 18
READ = 1 << 16
CONNECT_WITHIN = 30.0
"""Seconds; nothing else is limited in time."""
GRACE = 0.1
"""Seconds that a call is given to end by itself as the proxy ends; 0 would be without limit."""


class _Answer(web.StreamResponse):
    """An answer with the upstream's headers and none of our own."""

    async def _prepare_headers(self) -> None:
        given = set(self.headers)
        await super()._prepare_headers()
        for name in ("Date", "Server", "Content-Type"):
            if name not in given:
                self.headers.popall(name, None)


class Place(NamedTuple):
    """Where a request goes: its path at the upstream, and the thread that its path names."""

    path: str
    name: str


def place_of(raw_path: str) -> Place | None:
    """None for what is no path of this server: an absolute address, an authority, ``*``."""
    if not raw_path.startswith("/"):
        return None
    found = THREAD.match(raw_path)
    return Place(raw_path[found.end() :], found[1]) if found else Place(raw_path, "")


class Proxy:
    """The handler of all requests. It lives in one event loop; ``close`` ends its connections."""

    def __init__(
        self, upstream: str, recorder: Recorder, seen: Callable[[Seen], None], host: str
    ) -> None:
        self._upstream = upstream
        self._recorder = recorder
        self._seen = seen
        self._host = host
        self._is_closing = False
        self._session = ClientSession(
            # A server that closes a connection as it is used again would fail a call that a client
            # of its own connection might not lose. Plain HTTP is near: a new one costs nothing.
            connector=TCPConnector(
                limit=0, force_close=upstream.startswith("http://"), resolver=Resolver()
            ),
            cookie_jar=DummyCookieJar(),
            auto_decompress=False,
            timeout=ClientTimeout(total=None, sock_connect=CONNECT_WITHIN),
            skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
            max_line_size=LONGEST_HEADER,
            max_field_size=LONGEST_HEADER,
        )

    def server(self) -> web.Server:
        """What takes connections."""
        return web.Server(
            self.handle,
            handler_cancellation=True,
            auto_decompress=False,
            access_log=None,
            logger=_logger(self._seen),
            read_bufsize=READ,
            max_line_size=LONGEST_HEADER,
            max_field_size=LONGEST_HEADER,
        )

    async def close(self, server: web.Server) -> None:
        """End all connections. Calls that are open then are recorded as stopped."""
        self._is_closing = True
        open_ = [each.transport for each in server.connections if each.transport is not None]
        await server.shutdown(GRACE)
        for transport in open_:
            # One whose client does not read would wait for it, and uvloop would wait for the one.
            transport.abort()
        await self._session.close()

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Pass one request on, and its answer back."""
        place = place_of(request.raw_path)
        refused = self._refusal(request, place)
        if place is None or refused:
            self._seen(
                Seen("refused", "", f"{request.method} {safe_path(request.path_qs)}: {refused}")
            )
            return _error(403, "permission_error", f"tapeview: {refused}")
        if request.headers.get("Expect", "").lower() == "100-continue" and request.transport:
            request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        if not is_message_call(request.method, place.path):
            return await self._forward(request, place, _body_of(request), None)
        body = await _whole(request)
        call = self._record(request, place, body)
        return await self._forward(request, place, _pieces(body), call)

    def _refusal(self, request: web.BaseRequest, place: Place | None) -> str:
        """Why a request is not served; ``""`` for one that is."""
        if "Origin" in request.headers:
            return "requests of web pages are not served"
        if not _is_own(request.headers.get("Host", ""), self._host):
            return "this host name is not mine"
        return "" if place is not None else "only paths are served"

    def _record(self, request: web.BaseRequest, place: Place, body: bytes) -> RecordedCall | None:
        headers = _lowered(request.headers.items())
        try:
            plain = decoded(headers.get("content-encoding", ""), body)
        except NotDecoded as fault:
            self._seen(Seen("trouble", "", f"a request is not recorded: {fault}."))
            return None
        call = self._recorder.call(Sent(place.path, headers, plain, place.name))
        if call is not None:
            self._seen(called(call))
        return call

    async def _forward(
        self,
        request: web.BaseRequest,
        place: Place,
        body: bytes | AsyncIterator[bytes] | AsyncIterator[memoryview] | None,
        call: RecordedCall | None,
    ) -> web.StreamResponse:
        status = 502
        try:
            async with self._session.request(
                request.method,
                URL(self._upstream + place.path, encoded=True),
                headers=_respelled(_passed(request.headers.items(), OWN)),
                data=body,
                allow_redirects=False,
            ) as answer:
                status = answer.status
                return await self._pass(request, answer, call)
        except (ClientError, TimeoutError, OSError) as error:
            why = _reason(error)
            if call is not None:
                call.fail(f"not reached: {why}")
            return _error(502, "api_error", f"tapeview: {self._upstream}: {why}")
        except asyncio.CancelledError:
            status = 0
            if call is not None:
                call.leave("stopped" if self._is_closing else "client gone")
            raise
        finally:
            self._seen(ended(request.method, safe_path(place.path), status, call))

    async def _pass(
        self, request: web.BaseRequest, answer: ClientResponse, call: RecordedCall | None
    ) -> web.StreamResponse:
        """The answer, byte for byte as it comes. An upstream that breaks off breaks this off."""
        headers = [
            (k.decode("latin-1"), v.decode("utf-8", "replace")) for k, v in answer.raw_headers
        ]
        if call is not None:
            call.head(answer.status, _lowered(headers))
        response = _Answer(
            status=answer.status, reason=answer.reason, headers=CIMultiDict(_passed(headers, HOP))
        )
        try:
            await response.prepare(request)
            async for data in _chunks(answer):
                if call is not None:
                    call.chunk(data)
                await response.write(data)
        except _UpstreamReset:
            if call is not None:
                call.fail("upstream reset")
            if request.transport is not None:
                request.transport.close()
            return response
        except ConnectionError:
            if call is not None:
                call.leave()
            return response
        if call is not None:
            call.end()
        with suppress(ConnectionError):
            await response.write_eof()
        return response


class _UpstreamReset(Exception):  # noqa: N818 - names what happened
    pass


async def _chunks(answer: ClientResponse) -> AsyncIterator[bytes]:
    """The bytes as they arrive; the upstream's faults are told from those of the client."""
    chunks = answer.content.iter_any()
    while True:
        try:
            data = await anext(chunks)
        except StopAsyncIteration:
            return
        except (ClientPayloadError, ClientConnectionError, OSError) as error:
            raise _UpstreamReset from error
        yield data


async def _whole(request: web.BaseRequest) -> bytes:
    # It gives its buffer away as it is: big bodies are copied once.
    whole = BytesIO()
    async for data in request.content.iter_any():
        whole.write(data)
    return whole.getvalue()


def _pieces(body: bytes) -> bytes | AsyncIterator[memoryview]:
    """A small body as it is, a big one in pieces, between which others have their turn."""
    return body if len(body) <= PIECE else _cut(memoryview(body))


async def _cut(body: memoryview) -> AsyncIterator[memoryview]:
    for at in range(0, len(body), PIECE):
        yield body[at : at + PIECE]


def _body_of(request: web.BaseRequest) -> AsyncIterator[bytes] | None:
    return request.content.iter_any() if request.can_read_body else None


def _lowered(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers}


def _passed(headers: Iterable[tuple[str, str]], dropped: frozenset[str]) -> list[tuple[str, str]]:
    """Headers for the next hop: without the hop's own, and those that ``Connection`` names."""
    given = list(headers)
    named = {
        word.strip().lower()
        for name, value in given
        if name.lower() == "connection"
        for word in value.split(",")
    }
    return [(k, v) for k, v in given if k.lower() not in dropped and k.lower() not in named]


def _respelled(headers: Iterable[tuple[str, str]]) -> CIMultiDict[str]:
    """A name that comes again is spelled as at first: aiohttp would drop the first one's value."""
    first: dict[str, str] = {}
    return CIMultiDict((first.setdefault(name.lower(), name), value) for name, value in headers)


def _is_own(given: str, host: str) -> bool:
    """Whether a ``Host`` means this server: a name of the loopback, or the one it listens on.

    A name that a stranger's DNS leads here is none. Where all addresses are listened on, each is.
    """
    try:
        name = urlsplit(f"//{given}").hostname or ""
    except ValueError:
        return False
    if name in ("localhost", host):
        return True
    try:
        address = ipaddress.ip_address(name)
        return address.is_loopback or ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def _error(status: int, kind: str, message: str) -> web.StreamResponse:
    """An error as the Messages API spells it."""
    error = {"type": "error", "error": {"type": kind, "message": message}}
    return web.Response(
        status=status, body=msgspec.json.encode(error), content_type="application/json"
    )


def _logger(seen: Callable[[Seen], None]) -> logging.Logger:
    """Where aiohttp's complaints go: they quote what was sent, which may be a key."""
    logger, handler = logging.Logger("tapeview"), logging.Handler(logging.WARNING)

    def emit(record: logging.LogRecord) -> None:
        fault = record.exc_info[1] if record.exc_info else None
        is_sent = fault is None or isinstance(fault, HttpProcessingError)
        words = "a request that is no HTTP" if is_sent else f"a request: {type(fault).__name__}"
        seen(Seen("refused", "", words))

    handler.emit = emit  # type: ignore[method-assign]
    logger.addHandler(handler)
    return logger


def _reason(error: BaseException) -> str:
    """An error in words, without the address of a server."""
    cause = getattr(error, "os_error", None) or getattr(error, "certificate_error", error)
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate is refused: {cause.verify_message}"
    if isinstance(cause, ssl.SSLError):
        return f"TLS: {cause.reason or cause}"
    number = getattr(cause, "errno", None)
    words = os.strerror(number) if number and number > 0 else str(error) or type(error).__name__
    return " ".join(words.split())
