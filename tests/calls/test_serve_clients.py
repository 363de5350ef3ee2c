"""Clients that break off, send what is no request, or do not read; a log that fails."""

import asyncio
import itertools
import json
import threading
from contextlib import asynccontextmanager, suppress

import aiohttp
import pytest

from tapeview.calls.player import Player
from tapeview.calls.recorded import recorded_calls
from tapeview.calls.serve import Address, serving
from tests.calls.served import TAPE, served
from tests.calls.tapes import answered, asks, player, request
from tests.formats.claude import reply, user, written
from tests.helpers import open_bytes

PATIENCE = 30
"""Seconds until a test that hangs fails."""
KEY = b"sk-ant-secret-012345"
NO_HTTP = "a request that is no HTTP was refused"
HEAD = b"POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\n"
LEFT = "call 1: the client left before the answer, which is for the next again"


class Lines(list):
    """A log that can be waited for."""

    def __init__(self):
        super().__init__()
        self.came = asyncio.Event()

    def append(self, line):
        super().append(line)
        self.came.set()

    async def until(self, *wanted):
        async with asyncio.timeout(PATIENCE):
            while self != list(wanted):
                await self.came.wait()
                self.came.clear()


@asynccontextmanager
async def serving_raw(one, lines, **options):
    """The port, and a connection to it."""
    async with serving(one, Address(), lines.append, **options) as at:
        reader, writer = await asyncio.open_connection(at.host, at.port)
        try:
            yield at, reader, writer
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


def posted(body):
    return HEAD + b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


async def words_of_the_next(at, streamed):
    async with (
        aiohttp.ClientSession(at.url) as client,
        client.post("/v1/messages", data=request(asks("list"), stream=streamed)) as answer,
    ):
        whole = await answer.text()
    return next(word for word in ("one", "two", "three") if word in whole)


def equal_calls():
    """Three calls with the same messages that took 40 seconds each."""
    files = [
        written(user("u1", None, "list"), reply("a1", "u1", "m1", words, at=40))
        for words in ("one", "two", "three")
    ]
    return Player([call for raw in files for call in recorded_calls(open_bytes(raw))], "run.jsonl")


@pytest.mark.parametrize("streamed", [True, False])
async def test_a_client_that_leaves_while_its_request_is_thought_about(streamed, monkeypatch):
    one, lines = equal_calls(), Lines()
    thinks, may_go = asyncio.Event(), threading.Event()
    loop, think = asyncio.get_running_loop(), one.answer

    def answer(body):
        loop.call_soon_threadsafe(thinks.set)
        assert may_go.wait(PATIENCE)
        return think(body)

    monkeypatch.setattr(one, "answer", answer)
    try:
        async with asyncio.timeout(PATIENCE), serving_raw(one, lines) as (at, _, writer):
            writer.write(posted(request(asks("list"), stream=streamed)))
            await thinks.wait()
            writer.close()
            await lines.until("call 1: the client left before it was answered")
            may_go.set()
            assert [await words_of_the_next(at, streamed) for _ in range(2)] == ["one", "two"]
    finally:
        may_go.set()


def slow_at(number, lines):
    """A player at recorded speed, whose wait of this number takes an hour, the others no time."""
    waits = itertools.count(1)

    async def sleep(_):
        await asyncio.sleep(3600 if next(waits) == number else 0)

    return serving_raw(equal_calls(), lines, recorded_speed=True, sleep=sleep)


@pytest.mark.parametrize("streamed", [True, False])
async def test_a_client_that_leaves_before_the_recorded_time_is_over(streamed):
    lines = Lines()
    async with (
        asyncio.timeout(PATIENCE),
        slow_at(1, lines) as (at, _, writer),
    ):
        writer.write(posted(request(asks("list"), stream=streamed)))
        how = "streamed" if streamed else "whole"
        await lines.until(f"call 1: turn 1, {how}")
        writer.close()
        await lines.until(f"call 1: turn 1, {how}", LEFT)
        assert [await words_of_the_next(at, streamed) for _ in range(2)] == ["one", "two"]


async def test_who_got_a_part_of_the_answer_has_had_the_turn():
    lines = Lines()
    async with (
        asyncio.timeout(PATIENCE),
        slow_at(2, lines) as (at, reader, writer),
    ):
        writer.write(posted(request(asks("list"), stream=True)))
        await reader.readuntil(b"event: message_start")
        writer.close()
        await lines.until("call 1: turn 1, streamed", "call 1: the client left before the end")
        assert await words_of_the_next(at, True) == "two"


@pytest.mark.parametrize("rest", [b"", b"3\r\nabc\r\n", b"3\r\nabc\r\nZZ\r\n\r\n"])
async def test_a_client_that_leaves_before_its_request_is_here_is_told_of(rest):
    lines = Lines()
    async with serving_raw(player(*TAPE), lines) as (_, reader, writer):
        # What answers to 100-continue is the server that waits for the body.
        writer.write(HEAD + b"Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n")
        assert b"100" in await reader.readuntil(b"\r\n\r\n")
        writer.write(rest)
        writer.close()
        await lines.until("call 1: the client left before it was answered")


@pytest.mark.parametrize("streamed", [True, False])
async def test_the_end_ends_the_connection_of_a_client_that_does_not_read(streamed):
    text, lines = "x" * 20_000_000, Lines()
    async with asyncio.timeout(PATIENCE):
        async with serving(player(asks("a"), answered(text)), Address(), lines.append) as at:
            reader, writer = await asyncio.open_connection(at.host, at.port)
            writer.write(posted(request(asks("a"), stream=streamed)))
            assert b"200" in await reader.readline()
        rest = 0
        with suppress(ConnectionError):
            while piece := await reader.read(1 << 20):
                rest += len(piece)
        assert rest < len(text)
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


SPOILT = {
    "a control character": HEAD + b"x-api-key: " + KEY + b"\x01\r\nContent-Length: 0\r\n\r\n",
    "a long header": HEAD + b"Authorization: Bearer " + KEY + b"a" * 20_000 + b"\r\n\r\n",
    "no header": HEAD + KEY + b"\r\n\r\n",
    "a path": b"GET /v1/x?key=" + KEY + b"\xe9 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "another address": b"GET http://[::1/" + KEY + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "a length": HEAD + b"Content-Length: -5" + KEY + b"\r\n\r\n",
    "a chunk": HEAD + b"Transfer-Encoding: chunked\r\n\r\nZZ" + KEY + b"\r\n\r\n",
    "TLS": b"\x16\x03\x01" + KEY + b"\r\n\r\n",
    "another method": KEY + b" / HTTP/1.1\r\n\r\n",
}


@pytest.mark.parametrize("sent", SPOILT.values(), ids=SPOILT.keys())
async def test_nothing_of_what_is_no_http_is_told(sent, capfd):
    lines = Lines()
    async with serving_raw(player(*TAPE), lines) as (_, reader, writer):
        writer.write(sent)
        async with asyncio.timeout(PATIENCE):
            with suppress(ConnectionError):
                assert (await reader.read()).startswith(b"HTTP/1.0 400")
        await lines.until(NO_HTTP)
    assert capfd.readouterr() == ("", "")


async def test_a_fault_of_our_own_is_told_by_its_name_alone(monkeypatch):
    one = player(*TAPE)

    def answer(body):
        raise ValueError(body)

    monkeypatch.setattr(one, "answer", answer)
    async with served(one) as (client, lines):
        async with client.post("/v1/messages", data=request(asks("secret"))) as answer:
            assert answer.status == 500
        assert lines == ["Error handling request from 127.0.0.1: ValueError"]


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/messages/count_tokens"])
@pytest.mark.parametrize("coding", ["gzip", "br"])
async def test_a_body_that_is_not_encoded_as_it_says_is_a_bad_request(coding, path):
    async with served() as (client, lines):
        headers = {"Content-Encoding": coding}
        async with client.post(path, data=request(TAPE[0]), headers=headers) as answer:
            body = await answer.json()
            assert (answer.status, body["type"]) == (400, "error")
            assert body["error"]["type"] == "invalid_request_error"
            assert body["request_id"] == answer.headers["request-id"]
        async with client.get("/") as answer:
            assert answer.status == 200
        assert lines == [f"POST {path}: refused, 400, {body['error']['message']}"]


@pytest.mark.parametrize(
    "body, status",
    [(request(TAPE[0]), 200), (request(TAPE[0], stream=True), 200), (b"{", 400)],
)
async def test_a_log_that_fails_is_told_to_the_loop_and_no_call(body, status):
    told = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))

    def log(line):
        raise OSError(line)

    async with (
        serving(player(*TAPE), Address(), log) as at,
        aiohttp.ClientSession(at.url) as client,
        client.post("/v1/messages", data=body) as answer,
    ):
        assert answer.status == status
        assert json.loads(await answer.read()) if status == 400 else await answer.read()
    assert [type(context["exception"]) for context in told] == [OSError]
