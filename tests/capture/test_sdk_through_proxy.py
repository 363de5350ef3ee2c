"""The real SDK through the proxy: what it gets is what it gets without."""

import asyncio
import json

import anthropic
import pytest

from tapeview.open_session import load
from tests.capture.raw_http import RawServer, chunked
from tests.capture.replies import JSON_REPLY, KEY, json_head, sse_head, stream_of

MANY = 50
PIECES = 40


def answer(connection, head, body):
    """A message, or a stream that says again what was asked, piece by piece."""
    asked = json.loads(body)
    if not asked.get("stream"):
        connection.sendall(json_head("200 OK", JSON_REPLY) + JSON_REPLY)
        return
    text = asked["messages"][-1]["content"]
    connection.sendall(sse_head())
    for event in stream_of(*[f"{text} {k}, " for k in range(PIECES)]):
        connection.sendall(chunked([event]))
    connection.sendall(b"0\r\n\r\n")


def ask(text):
    return {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": text}]}


def whole(text):
    return "".join(f"{text} {k}, " for k in range(PIECES))


@pytest.fixture
def through(proxied):
    with RawServer(answer) as server, proxied(server.url) as proxy:
        yield server, proxy


def test_a_client(through):
    server, proxy = through
    got = []
    for url in (server.url, proxy.url):
        with anthropic.Anthropic(api_key=KEY, base_url=url, max_retries=0) as client:
            message = client.messages.create(**ask("hi"))
            with client.messages.stream(**ask("¿qué?")) as stream:
                events = [event.to_dict() for event in stream]
            raw = client.messages.with_raw_response.create(**ask("hi"))
            got.append((message.to_dict(), events, raw.http_response.content, raw.request_id))
    assert got[0] == got[1]
    for _ in range(3):
        proxy.told("reply")
    assert len(proxy.of("reply")) == 3


async def test_50_streams_at_once(through):
    _, proxy = through
    client = anthropic.AsyncAnthropic(api_key=KEY, base_url=proxy.url, max_retries=0)

    async def one(number):
        async with client.messages.stream(**ask(f"stream {number}")) as stream:
            return "".join([text async for text in stream.text_stream])

    got = await asyncio.gather(*map(one, range(MANY)))
    await client.close()
    assert got == [whole(f"stream {number}") for number in range(MANY)]
    for _ in range(MANY):
        proxy.told("reply")
    calls = {line["call"]: line["add"][0]["content"] for line in proxy.of("call")}
    texts = {r["reply"]: r["message"]["content"][0]["text"] for r in proxy.of("reply")}
    assert texts == {call: whole(text) for call, text in calls.items()}
    assert len(texts) == MANY


def test_the_recording_of_a_talk_opens_as_one_tape(through):
    server, proxy = through
    with anthropic.Anthropic(api_key=KEY, base_url=proxy.url, max_retries=0) as client:
        messages = []
        for text in ("one", "two", "three"):
            messages.append({"role": "user", "content": text})
            with client.messages.stream(**ask("") | {"messages": messages}) as stream:
                reply = stream.get_final_message()
            messages.append({"role": "assistant", "content": reply.content[0].text})
    assert [line["kind"] for line in proxy.of("call")] == ["new", "continue", "continue"]
    assert [line["keep"] for line in proxy.of("call")] == [0, 1, 3]
    opened = load(str(proxy.path))
    assert opened.session.format == "recording"
    assert len(opened.snapshot("main").tape.messages) == 6
    assert len(server.requests) == 3
