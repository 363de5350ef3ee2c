"""The real SDK, recorded from inside: it sends and gives back what it would without that."""

import asyncio
import json
import logging
import threading

import anthropic
import pytest

import tapeview
from tapeview.errors import SaveError
from tests.capture.raw_http import RawServer, chunked
from tests.capture.replies import JSON_REPLY, KEY, event, json_head, sse_head, stream_of

TEXT = "Grüße, 世界 and more"
STREAM = stream_of("Grüße, ", "世", "界 and ", "more")
SSE = sse_head() + chunked(STREAM) + b"0\r\n\r\n"
ASK = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "¿qué?"}]}
ERROR = b'{"type":"error","error":{"type":"overloaded_error","message":"no"}}'
OVERLOADED = json_head("529 Overloaded", ERROR, "retry-after-ms: 1") + ERROR
MODES = ["record", "middleware"]
KINDS = ["sync", "async"]


def answer(connection, head, body):
    """What is asked for: a stream or a message."""
    if json.loads(body).get("stream"):
        connection.sendall(SSE)
    else:
        connection.sendall(json_head("200 OK", JSON_REPLY) + JSON_REPLY)


async def plain(client):
    return (await given(client.messages.create(**ASK))).content[0].text


async def beta(client):
    message = await given(client.beta.messages.create(**ASK, betas=["one-2026-01-01"]))
    return message.content[0].text


async def raw(client):
    response = await given(client.messages.with_raw_response.create(**ASK))
    return (await given(response.parse())).content[0].text


async def events(client):
    stream = await given(client.messages.create(**ASK, stream=True))
    return "".join([e.delta.text async for e in each(stream) if e.type == "content_block_delta"])


async def helper(client):
    manager = client.messages.stream(**ASK)
    if isinstance(client, anthropic.AsyncAnthropic):
        async with manager as stream:
            return "".join([text async for text in stream.text_stream])
    with manager as stream:
        return "".join(stream.text_stream)


async def streamed_raw(client):
    manager = client.messages.with_streaming_response.create(**ASK)
    if isinstance(client, anthropic.AsyncAnthropic):
        async with manager as response:
            return (await response.parse()).content[0].text
    with manager as response:
        return response.parse().content[0].text


async def given(value):
    """A value, waited for where the client is asynchronous."""
    return await value if asyncio.iscoroutine(value) else value


async def each(stream):
    if hasattr(stream, "__aiter__"):
        async for item in stream:
            yield item
    else:
        for item in stream:
            yield item


CALLS = {
    "plain": (plain, "Nothing."),
    "beta": (beta, "Nothing."),
    "raw": (raw, "Nothing."),
    "streamed raw": (streamed_raw, "Nothing."),
    "events": (events, TEXT),
    "helper": (helper, TEXT),
}


class Hooked:
    """A client that is recorded in one way or the other."""

    def __init__(self, mode, kind, url, path, **settings):
        self.make = anthropic.Anthropic if kind == "sync" else anthropic.AsyncAnthropic
        self.settings = {"api_key": KEY, "base_url": url, "max_retries": 0} | settings
        self.mode, self.path = mode, path

    def bare(self):
        return self.make(**self.settings)

    async def __aenter__(self):
        if self.mode == "middleware":
            self.client = self.make(**self.settings, middleware=[tapeview.recorder(self.path)])
        else:
            self.client = self.bare()
            self.recording = tapeview.record(self.client, self.path)
            self.recording.__enter__()
        return self.client

    async def __aexit__(self, *error):
        if self.mode == "record":
            self.recording.__exit__(*error)
        await given(self.client.close())

    def of(self, name):
        lines = [json.loads(line) for line in self.path.read_bytes().splitlines()]
        return [line for line in lines if name in line]


@pytest.fixture(params=MODES)
def mode(request):
    return request.param


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def hooked(mode, kind, tmp_path):
    return lambda url, **settings: Hooked(mode, kind, url, tmp_path / "a.tape.jsonl", **settings)


def alike(request):
    """A request without what is new in each, or belongs to one server."""
    head, body = request
    apart = (b"host:", b"x-stainless-", b"idempotency-key:")
    return [h for h in head.split(b"\r\n") if not h.lower().startswith(apart)], body


@pytest.mark.parametrize("name", CALLS)
async def test_a_call_is_what_it_would_be_and_is_recorded(name, hooked):
    call, text = CALLS[name]
    with RawServer(answer) as server:
        hook = hooked(server.url)
        bare = hook.bare()
        assert await call(bare) == text
        await given(bare.close())
        async with hook as client:
            assert await call(client) == text
        assert alike(server.requests[0]) == alike(server.requests[1])
        sent = json.loads(server.requests[1][1])
    (asked,), (head,), (reply,) = hook.of("call"), hook.of("head"), hook.of("reply")
    assert asked["add"] == sent["messages"]
    assert asked["params"] == {k: v for k, v in sent.items() if k != "messages"}
    assert asked["headers"]["anthropic-version"]
    assert asked["headers"].get("anthropic-beta") == ("one-2026-01-01" if name == "beta" else None)
    assert (head["status"], head["request_id"]) == (200, "req_1")
    assert reply["message"]["content"][0]["text"] == text
    assert KEY not in hook.path.read_text()


async def test_each_attempt_is_a_call(hooked):
    answers = iter([OVERLOADED, OVERLOADED, None])

    def fail_twice(connection, head, body):
        raw_answer = next(answers)
        if raw_answer:
            connection.sendall(raw_answer)
        else:
            answer(connection, head, body)

    with RawServer(fail_twice) as server:
        hook = hooked(server.url, max_retries=2)
        async with hook as client:
            assert await plain(client) == "Nothing."
    assert [line["kind"] for line in hook.of("call")] == ["new", "retry", "retry"]
    assert [line["why"] for line in hook.of("failed")] == ["status 529"] * 2
    assert len(hook.of("reply")) == 1


@pytest.mark.parametrize("name", ["plain", "events"])
async def test_an_error_is_the_error_it_would_be(name, hooked):
    call, _ = CALLS[name]
    with RawServer(lambda c, h, b: c.sendall(OVERLOADED)) as server:
        hook = hooked(server.url)
        async with hook as client:
            with pytest.raises(anthropic.APIStatusError) as caught:
                await call(client)
    assert caught.value.status_code == 529
    (failed,) = hook.of("failed")
    assert failed["why"] == "status 529"


async def test_a_server_that_is_not_there(hooked):
    with RawServer(answer) as server:
        url = server.url
    hook = hooked(url)
    async with hook as client:
        with pytest.raises(anthropic.APIConnectionError):
            await plain(client)
    (failed,) = hook.of("failed")
    assert failed["why"].startswith("not reached: ")
    assert hook.of("call")[0]["add"] == ASK["messages"]


async def test_a_stream_that_breaks_off(hooked):
    with RawServer(lambda c, h, b: c.sendall(sse_head() + chunked(STREAM[:5]))) as server:
        hook = hooked(server.url)
        async with hook as client:
            with pytest.raises(Exception, match="incomplete chunked read"):
                await events(client)
    (failed,) = hook.of("failed")
    assert failed["why"] == "upstream reset"
    assert failed["message"]["content"][0]["text"] == "Grüße, 世"


async def test_an_error_event(hooked):
    told = sse_head() + chunked([*STREAM[:4], event(json.loads(ERROR))]) + b"0\r\n\r\n"
    with RawServer(lambda c, h, b: c.sendall(told)) as server:
        hook = hooked(server.url)
        async with hook as client:
            with pytest.raises(anthropic.APIStatusError):
                await events(client)
    assert hook.of("failed")[0]["why"] == "error event overloaded_error"


async def test_a_stream_that_is_left(hooked):
    left = threading.Event()

    def wait(connection, head, body):
        connection.sendall(sse_head() + chunked(STREAM[:5]))
        left.wait(20)

    with RawServer(wait) as server:
        hook = hooked(server.url)
        async with hook as client:
            stream = await given(client.messages.create(**ASK, stream=True))
            async for item in each(stream):
                if item.type == "content_block_delta":
                    break
            await given(stream.close())
        left.set()
    (failed,) = hook.of("failed")
    assert failed["why"] == "client gone"


async def test_other_calls_are_not_recorded(hooked):
    told = b'{"input_tokens":3}'
    with RawServer(lambda c, h, b: c.sendall(json_head("200 OK", told) + told)) as server:
        hook = hooked(server.url)
        async with hook as client:
            count = await given(client.messages.count_tokens(model="m", messages=ASK["messages"]))
    assert count.input_tokens == 3
    assert hook.of("call") == []


def test_a_client_is_as_before_afterwards(tmp_path):
    client = anthropic.Anthropic(api_key=KEY)
    before = client._client.send
    with tapeview.record(client, tmp_path / "a") as outer:
        with tapeview.record(client, tmp_path / "b") as inner:
            assert inner.path == tmp_path / "b"
        assert outer.path == tmp_path / "a"
    assert client._client.send == before
    assert "send" not in vars(client._client)
    client.close()


def test_without_a_path_the_file_is_named_by_the_program(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["/x/agent.py"])
    client = anthropic.Anthropic(api_key=KEY)
    with tapeview.record(client) as recording:
        assert recording.path.name.startswith("agent-")
    client.close()


def test_a_file_that_is_there_is_not_written_over(tmp_path):
    (tmp_path / "a").write_text("mine")
    with pytest.raises(SaveError):
        tapeview.recorder(tmp_path / "a")


def test_trouble_is_logged(tmp_path, monkeypatch, caplog):
    def full(*_):
        raise OSError(28, "No space left on device")

    with RawServer(answer) as server:
        client = anthropic.Anthropic(api_key=KEY, base_url=server.url, max_retries=0)
        with tapeview.record(client, tmp_path / "a"), caplog.at_level(logging.WARNING):
            monkeypatch.setattr("os.write", full)
            assert client.messages.create(**ASK).content[0].text == "Nothing."
        client.close()
    assert [r.name for r in caplog.records] == ["tapeview"]
    assert "No space left on device" in caplog.text


def test_public_names_are_loaded_late():
    assert set(tapeview.__all__) >= {"record", "recorder"}
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        tapeview.nothing  # noqa: B018 - asking is the test
