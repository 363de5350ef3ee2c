"""The player as a server of the Messages API: what a real harness is pointed at.

Routes, headers and bodies are those that the API documents and that real clients use: the SDKs post
to ``/v1/messages``, others to a base URL that ends in ``/v1``; Claude Code adds ``?beta=true`` and
sends ``HEAD /`` first.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from ipaddress import ip_address
from typing import Final, NamedTuple

from aiohttp import web
from aiohttp.http import HttpProcessingError

from tapeview.calls.asked import Refusal
from tapeview.calls.player import Answer, Player
from tapeview.calls.recorded import made_id
from tapeview.calls.turns import Turns
from tapeview.errors import ServeError
from tapeview.wire.sse import event_bytes
from tapeview.wire.unroll import unroll

__all__ = ["LOOPBACK", "Address", "serving"]

LOOPBACK: Final = "127.0.0.1"
LARGEST: Final = 256 * 1024 * 1024
"""Bytes of a request; the API takes 32 MB, a proxy of it may take more."""
RECORDED_AT: Final = "2026-01-01T00:00:00Z"
"""When a model is said to have been made: no tape tells it."""

SHUTDOWN: Final = 0.1
"""Seconds that replies on their way have when the server ends."""

Log = Callable[[str], None]
Sleep = Callable[[float], Awaitable[None]]


class Address(NamedTuple):
    """Where a server listens; port 0 is any free one."""

    host: str = LOOPBACK
    port: int = 0

    @property
    def url(self) -> str:
        """What a client is told, without a path."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


@asynccontextmanager
async def serving(
    player: Player,
    address: Address,
    log: Log,
    *,
    recorded_speed: bool = False,
    sleep: Sleep = asyncio.sleep,
) -> AsyncIterator[Address]:
    """Serve until the block is left; gives the address with the port that was free.

    ``log`` gets a line for each call, from the loop's thread; what it raises is told to the loop
    and no call. At ``recorded_speed`` a reply takes as long as the recorded one. Connections that
    are open at the end are ended. Raises ``ServeError`` where nothing can listen at the address.
    """
    log = _apart(log)
    server = _Server(player, address.host, log, recorded_speed, sleep)
    runner = web.AppRunner(
        server.app(),
        access_log=None,
        handler_cancellation=True,
        shutdown_timeout=SHUTDOWN,
        logger=_logger(log),
    )
    await runner.setup()
    try:
        site = web.TCPSite(runner, address.host, address.port)
        try:
            await site.start()
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ServeError(f"Cannot listen at {address.url}: {reason}.") from None
        yield Address(address.host, runner.addresses[0][1])
    finally:
        await _end(runner)


async def _end(runner: web.AppRunner) -> None:
    open_ = [] if runner.server is None else [one.transport for one in runner.server.connections]
    await runner.cleanup()
    for transport in open_:
        # One whose client does not read is not ended by being closed: it waits to be rid of its
        # data.
        if transport is not None:
            transport.abort()


class _Asked(NamedTuple):
    """A request of HTTP and the id that the answer goes by."""

    request: web.Request
    id: str

    def headers(self, content_type: str) -> dict[str, str]:
        return {"content-type": content_type, "request-id": self.id}

    def sent(self, body: bytes, status: int = 200) -> web.Response:
        return web.Response(status=status, body=body, headers=self.headers("application/json"))


Do = Callable[[_Asked], Awaitable[web.StreamResponse]]


class _Server:
    def __init__(
        self, player: Player, host: str, log: Log, recorded_speed: bool, sleep: Sleep
    ) -> None:
        self._player, self._host, self._log = player, host, log
        self._recorded_speed, self._sleep = recorded_speed, sleep
        self._turns = Turns(player)
        self._calls = self._requests = 0

    def app(self) -> web.Application:
        app = web.Application(client_max_size=LARGEST)
        app.router.add_route("*", "/{path:.*}", self._take)
        return app

    async def _take(self, request: web.Request) -> web.StreamResponse:
        """Only programs on this machine are answered, and faults of HTTP in the API's own shape."""
        self._requests += 1
        path = request.rel_url.path
        asked = _Asked(request, made_id("req_011", b"%d" % self._requests))
        if (why := self._stranger(request)) is not None:
            return self._refused(asked, Refusal(403, "permission_error", why))
        path = path.removeprefix("/v1").rstrip("/")
        method, do = self._way(path)
        if do is None:
            return self._refused(asked, Refusal(404, "not_found_error", "Not found"))
        if request.method not in method:
            refusal = Refusal(405, "invalid_request_error", "Method Not Allowed")
            return self._refused(asked, refusal)
        try:
            return await do(asked)
        except web.HTTPRequestEntityTooLarge:
            words = "Request exceeds the maximum size"
            return self._refused(asked, Refusal(413, "request_too_large", words))
        except web.RequestPayloadError:
            words = "The request body is not encoded as its Content-Encoding says"
            return self._refused(asked, Refusal(400, "invalid_request_error", words))

    def _way(self, path: str) -> tuple[tuple[str, ...], Do | None]:
        """The methods that a path takes, and who answers them."""
        match path:
            case "/messages":
                return ("POST",), self._messages
            case "/messages/count_tokens":
                return ("POST",), self._count
            case "/models":
                return ("GET", "HEAD"), self._models
            case "":
                return ("GET", "HEAD"), self._root
        return ("GET", "HEAD"), self._model if path.startswith("/models/") else None

    def _stranger(self, request: web.Request) -> str | None:
        """Why a request is none of a program on this machine: a web page could send it.

        A page of the web reaches the port under a name of its own, or says where it comes from.
        """
        if "Origin" in request.headers:
            return "Requests of web pages are refused"
        host = _host_in(request.headers.get("Host", ""))
        if _is_loopback(self._host) and not _is_loopback(host):
            return "The Host header names another machine"
        return None

    async def _messages(self, asked: _Asked) -> web.StreamResponse:
        self._calls += 1
        number = self._calls
        try:
            answer = await self._turns.answer(await asked.request.read())
        except asyncio.CancelledError:
            self._log(f"call {number}: the client left before it was answered")
            raise
        if isinstance(answer, Refusal):
            return self._refused(asked, answer, f"call {number}: ")
        way = "streamed" if answer.streamed else "whole"
        self._log(f"call {number}: {answer.sentence}, {way}")
        if answer.streamed:
            return await self._stream(asked, answer, number)
        try:
            await self._sleep(self._seconds(answer))
        except asyncio.CancelledError:
            self._unanswered(number, answer)
            raise
        return asked.sent(answer.message)

    def _unanswered(self, number: int, answer: Answer) -> None:
        self._turns.give_back(answer)
        self._log(f"call {number}: the client left before the answer, which is for the next again")

    def _seconds(self, answer: Answer) -> float:
        recorded = answer.call.seconds if answer.call is not None else None
        return recorded or 0.0 if self._recorded_speed else 0.0

    async def _stream(self, asked: _Asked, answer: Answer, number: int) -> web.StreamResponse:
        events = [event_bytes(event) for event in unroll(answer.message)]
        seconds = self._seconds(answer)
        pieces = events if seconds else [b"".join(events)]
        response = web.StreamResponse(headers=asked.headers("text/event-stream; charset=utf-8"))
        response.headers["cache-control"] = "no-cache"
        begun = False
        try:
            await response.prepare(asked.request)
            for piece in pieces:
                await self._sleep(seconds / len(pieces))
                begun = True
                await response.write(piece)
            await response.write_eof()
        except (ConnectionResetError, asyncio.CancelledError) as gone:
            if begun:
                self._log(f"call {number}: the client left before the end")
            else:
                self._unanswered(number, answer)
            if isinstance(gone, asyncio.CancelledError):
                raise
        return response

    async def _count(self, asked: _Asked) -> web.StreamResponse:
        counted = await self._turns.count(await asked.request.read())
        if isinstance(counted, Refusal):
            return self._refused(asked, counted, "count_tokens: ")
        return asked.sent(b'{"input_tokens":%d}' % counted)

    async def _models(self, asked: _Asked) -> web.StreamResponse:
        models = [_model(name) for name in self._player.models]
        first, last = (models[k]["id"] if models else None for k in (0, -1))
        page = {"data": models, "has_more": False, "first_id": first, "last_id": last}
        return asked.sent(json.dumps(page).encode())

    async def _model(self, asked: _Asked) -> web.StreamResponse:
        _, _, name = asked.request.rel_url.path.partition("/models/")
        return asked.sent(json.dumps(_model(name)).encode())

    async def _root(self, asked: _Asked) -> web.StreamResponse:
        about = {"type": "tape", "name": self._player.name}
        return asked.sent(json.dumps(about).encode())

    def _refused(self, asked: _Asked, refusal: Refusal, call: str = "") -> web.StreamResponse:
        what = call or f"{asked.request.method} {asked.request.rel_url.path}: "
        self._log(f"{what}refused, {refusal.sentence}")
        return asked.sent(refusal.body(asked.id), refusal.status)


def _model(name: str) -> dict[str, str]:
    return {"type": "model", "id": name, "display_name": name, "created_at": RECORDED_AT}


def _host_in(header: str) -> str:
    """The host that a Host header names, without its port."""
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.partition(":")[0]


def _is_loopback(host: str) -> bool:
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _apart(log: Log) -> Log:
    """The same, but that no call fails by it."""

    def told(line: str) -> None:
        try:
            log(line)
        except Exception as error:  # noqa: BLE001 - whatever a caller's own function raises
            message = "the log of a played tape raised"
            context = {"message": message, "exception": error}
            asyncio.get_running_loop().call_exception_handler(context)

    return told


def _logger(log: Log) -> logging.Logger:
    """Where aiohttp's own complaints go: to ``log``, without anything of what a client sent.

    What cannot be read may hold a key, and aiohttp quotes it.
    """
    logger = logging.Logger("tapeview")
    handler = logging.Handler()

    def emit(record: logging.LogRecord) -> None:
        fault = record.exc_info[1] if record.exc_info else None
        if isinstance(fault, HttpProcessingError):
            log("a request that is no HTTP was refused")
        elif not isinstance(fault, web.RequestPayloadError):  # which was told as it was refused
            words = record.getMessage()
            log(words if fault is None else f"{words}: {type(fault).__name__}")

    handler.emit = emit  # type: ignore[method-assign]
    logger.addHandler(handler)
    return logger
