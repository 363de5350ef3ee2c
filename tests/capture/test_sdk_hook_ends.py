"""Calls that end early or elsewhere: interrupts, timeouts, the end of the block, forks."""

import asyncio
import json
import os
import re
import signal
import threading
import warnings
from contextlib import ExitStack, closing, contextmanager

import anthropic
import pytest

import tapeview
from tapeview.capture.recorder import Recorder
from tapeview.capture.sdk_hook import watched
from tests.capture.raw_http import PATIENCE, RawServer, chunked
from tests.capture.replies import KEY, sse_head
from tests.capture.test_sdk_hook import (
    ASK,
    KINDS,
    MODES,
    SSE,
    STREAM,
    TEXT,
    Hooked,
    answer,
    each,
    events,
    given,
    plain,
)

every_mode = pytest.mark.parametrize("mode", MODES)
every_kind = pytest.mark.parametrize("kind", KINDS)
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")


class Held:
    """A server whose answers wait: they go on at ``go``; ``first`` comes before that."""

    def __init__(self, first=b"", rest=SSE):
        self.asked, self.go = threading.Event(), threading.Event()
        self._first, self._rest = first, rest
        self._server = RawServer(self._handle)

    def _handle(self, connection, head, body):
        connection.sendall(self._first)
        self.asked.set()
        self.go.wait(PATIENCE)
        connection.sendall(self._rest)

    def __enter__(self):
        self.url = self._server.__enter__().url
        return self

    def __exit__(self, *error):
        self.go.set()
        self._server.__exit__(*error)


def half_stream():
    """A server that sends half of a stream, and the rest when it is told to."""
    rest = SSE.removeprefix(sse_head() + chunked(STREAM[:4]))
    return Held(sse_head() + chunked(STREAM[:4]), rest)


def client_of(kind, url, **settings):
    make = anthropic.Anthropic if kind == "sync" else anthropic.AsyncAnthropic
    return make(**{"api_key": KEY, "base_url": url, "max_retries": 0} | settings)


def lines(path):
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def of(path, name):
    return [line for line in lines(path) if name in line]


def asked(path):
    """What each recorded call asked."""
    return [line["add"][0]["content"] for line in of(path, "call")]


def ends(path):
    """How each call ended, in the order of the ends."""
    return [line.get("why", "whole") for line in lines(path) if {"reply", "failed"} & line.keys()]


async def say(client, text):
    await given(
        client.messages.create(**ASK | {"messages": [{"role": "user", "content": str(text)}]})
    )


async def closed(client):
    await given(client.close())


def is_hooked(client):
    return "send" in vars(client._client)


@contextmanager
def ctrl_c():
    """``interrupt``: one ``KeyboardInterrupt`` in the main thread, however often it is called."""
    fired = []

    def raise_once(*_):
        if not fired:
            fired.append(True)
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, raise_once)
    try:
        yield lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no signals to threads here")
@pytest.mark.parametrize("stream", [False, True])
@every_mode
def test_ctrl_c_before_the_answer(mode, stream, tmp_path):
    over = threading.Event()

    def handle(connection, head, body):
        # Again and again: one that comes just before the client waits does not wake it.
        while not over.wait(0.05):
            interrupt()

    hook = Hooked(mode, "sync", "", tmp_path / "a")
    with ctrl_c() as interrupt, RawServer(handle) as server:
        hook.settings["base_url"] = server.url
        client = asyncio.run(hook.__aenter__())
        with pytest.raises(KeyboardInterrupt):
            client.messages.create(**ASK, stream=stream)
        over.set()
        asyncio.run(hook.__aexit__(None, None, None))
    assert asked(hook.path) == ["¿qué?"]
    assert ends(hook.path) == ["client gone"]


@pytest.mark.parametrize("stream", [False, True])
@every_mode
async def test_a_task_cancelled_before_the_answer(mode, stream, tmp_path):
    with Held() as server:
        hook = Hooked(mode, "async", server.url, tmp_path / "a")
        async with hook as client:
            task = asyncio.create_task(client.messages.create(**ASK, stream=stream))
            assert await asyncio.to_thread(server.asked.wait, PATIENCE)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
    assert asked(hook.path) == ["¿qué?"]
    assert ends(hook.path) == ["client gone"]


async def test_a_cancelled_call_is_written_as_it_was_sent(tmp_path):
    ask = ASK | {"messages": [{"role": "user", "content": f"ANTHROPIC_API_KEY={KEY}"}]}
    recorded = []
    for mode in MODES:
        with Held() as server:
            hook = Hooked(mode, "async", server.url, tmp_path / mode)
            async with hook as client:
                task = asyncio.create_task(client.messages.create(**ask))
                assert await asyncio.to_thread(server.asked.wait, PATIENCE)
                task.cancel()
                await asyncio.wait([task])
        assert KEY not in hook.path.read_text()
        (call,) = of(hook.path, "call")
        recorded.append({k: v for k, v in call.items() if k not in ("at", "thread")})
    assert recorded[0] == recorded[1]


@every_mode
@every_kind
async def test_what_was_never_sent_is_no_call(mode, kind, tmp_path):
    def broken(*_, **__):
        raise RuntimeError("no")

    hook = Hooked(mode, kind, "http://127.0.0.1:1", tmp_path / "a")
    async with hook as client:
        client._build_request = broken
        with pytest.raises(RuntimeError):
            await plain(client)
    assert asked(hook.path) == []


@every_mode
@every_kind
async def test_a_timeout_has_a_reason(mode, kind, tmp_path):
    with Held() as server:
        hook = Hooked(mode, kind, server.url, tmp_path / "a", timeout=0.1)
        async with hook as client:
            with pytest.raises(anthropic.APITimeoutError):
                await plain(client)
    (why,) = ends(hook.path)
    assert re.fullmatch(r"not reached: \S.*", why)


@pytest.mark.parametrize("fault", [None, ValueError])
@every_kind
async def test_a_stream_half_read_at_the_end_of_the_block(kind, fault, tmp_path):
    with half_stream() as server:
        client = client_of(kind, server.url)
        with ExitStack() as stack:
            if fault:
                stack.enter_context(pytest.raises(fault))
            stack.enter_context(tapeview.record(client, tmp_path / "a"))
            stream = await given(client.messages.create(**ASK, stream=True))
            items = each(stream)
            await anext(items)
            if fault:
                raise fault
        written = (tmp_path / "a").read_bytes()
        server.go.set()
        rest = [e.delta.text async for e in items if e.type == "content_block_delta"]
        await given(stream.close())
        await given(client.close())
    assert "".join(rest) == TEXT
    assert ends(tmp_path / "a") == ["stopped"]
    assert (tmp_path / "a").read_bytes() == written
    assert of(tmp_path / "a", "failed")[0]["message"]["id"] == "msg_1"


@every_kind
async def test_a_call_not_answered_at_the_end_of_the_block(kind, tmp_path):
    recording = Recorder(tmp_path / "a")  # it is open still when the answer comes
    with Held() as server, closing(recording):
        client = client_of(kind, server.url)
        with watched(client, recording):
            task = asyncio.create_task(
                asyncio.to_thread(asyncio.run, events(client)) if kind == "sync" else events(client)
            )
            assert await asyncio.to_thread(server.asked.wait, PATIENCE)
        server.go.set()
        assert await task == TEXT
        await given(client.close())
    assert [next(iter(line)) for line in lines(recording.path)] == ["tape", "call", "failed"]
    assert ends(recording.path) == ["stopped"]


def in_a_child(work):
    """Do something in a forked child; its exit code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # that there are threads is the point
        child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(PATIENCE)
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@forks
@every_mode
@every_kind
def test_a_forked_child_is_not_recorded(mode, kind, tmp_path):
    def work():
        asyncio.run(say(client, "child"))
        asyncio.run(hook.__aexit__(None, None, None))
        assert mode != "record" or not is_hooked(client)

    with RawServer(answer) as server:
        hook = Hooked(mode, kind, server.url, tmp_path / "a")
        client = asyncio.run(hook.__aenter__())
        asyncio.run(say(client, 1))
        assert in_a_child(work) == 0
        asyncio.run(say(client, 2))
        asyncio.run(hook.__aexit__(None, None, None))
        assert len(server.requests) == 3
    assert asked(hook.path) == ["1", "2"]
    assert [line["call"] for line in of(hook.path, "call")] == ["1", "2"]
    assert ends(hook.path) == ["whole"] * 2


@forks
@every_kind
def test_a_forked_child_can_record_for_itself(kind, tmp_path):
    def work():
        with tapeview.record(client, tmp_path / "child"), watched(client, recording):
            asyncio.run(say(client, "child"))

    with RawServer(answer) as server:
        client = client_of(kind, server.url)
        with tapeview.record(client, tmp_path / "parent") as recording:
            assert in_a_child(work) == 0
            asyncio.run(say(client, "parent"))
        asyncio.run(closed(client))
    assert asked(tmp_path / "child") == ["child"]
    assert asked(tmp_path / "parent") == ["parent"]


@forks
@every_mode
def test_a_stream_that_a_forked_child_has_too(mode, tmp_path):
    with half_stream() as server:
        hook = Hooked(mode, "sync", server.url, tmp_path / "a")
        client = asyncio.run(hook.__aenter__())
        stream = client.messages.create(**ASK, stream=True)
        next(stream)
        assert in_a_child(stream.close) == 0
        server.go.set()
        assert len(list(stream)) == len(STREAM) - 2
        asyncio.run(hook.__aexit__(None, None, None))
    assert ends(hook.path) == ["whole"]
