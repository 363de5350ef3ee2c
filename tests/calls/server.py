"""A model endpoint on loopback that answers as it is told, and fails as it is told."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import msgspec
from aiohttp import web

from tests.wire.streams import stream

EVENTS = {"content-type": "text/event-stream; charset=utf-8", "request-id": "req_1"}


class Got(msgspec.Struct):
    """A request as it came in."""

    path: str
    query: str
    headers: dict[str, str]
    body: bytes


class Server:
    """Where it listens, what it got, and who went away before the end."""

    def __init__(self, answer: Callable) -> None:
        self.answer = answer
        self.url = ""
        self.got: list[Got] = []
        self.left = asyncio.Event()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.got.append(Got(request.path, request.query_string, headers, body))
        try:
            return await self.answer(request)
        except (asyncio.CancelledError, ConnectionError):
            self.left.set()
            raise


@asynccontextmanager
async def serving(answer: Callable) -> AsyncIterator[Server]:
    """A server that answers every request with ``await answer(request)``."""
    server = Server(answer)
    app = web.Application(client_max_size=1 << 28)
    app.router.add_route("*", "/{path:.*}", server.handle)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield server
    finally:
        await runner.cleanup()


def streams(*events, then=None, headers=EVENTS):
    """Sends these events, one by one; ``then`` is awaited with request and response."""

    async def answer(request):
        response = web.StreamResponse(headers=headers)
        await response.prepare(request)
        for event in events:
            await response.write(stream(event))
        if then is not None:
            await then(request, response)
        return response

    return answer


def says(status=200, body="", **headers):
    """Answers at once; a body that is no text is sent as JSON."""
    if not isinstance(body, str):
        headers.setdefault("content_type", "application/json")
        body = json.dumps(body)
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    async def answer(request):
        return web.Response(status=status, text=body, headers=named)

    return answer


async def drops(request, response):
    """The connection breaks: what was promised in the headers never comes."""
    request.transport.abort()


async def stalls(request, response):
    """Nothing more comes until the client leaves."""
    await asyncio.Event().wait()


def fault(kind, message):
    """An error's body as the API writes it."""
    return {"type": "error", "error": {"type": kind, "message": message}}
