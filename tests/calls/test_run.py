"""Calls over real HTTP with the real SDK: what is sent, what arrives, and what is left when cut."""

import asyncio
import json
from contextlib import aclosing
from decimal import Decimal

import msgspec
import pytest

from tapeview.calls.reply import Arrived, Reply
from tapeview.calls.run import Call, count_tokens
from tapeview.calls.trouble import Trouble
from tapeview.errors import CallError
from tests.calls.helpers import BODY, KEY, READ, RECORDING, at, environ, plan
from tests.calls.server import EVENTS, drops, says, serving, stalls, streams
from tests.wire.streams import CALLS, SAYS, begin, call, delta, end, start, stream, text

PRICED = [begin(model="claude-opus-4-5-20251101"), *SAYS[1:]]


async def made(call):
    """All that a call yields."""
    return [event async for event in call.run()]


async def test_the_body_arrives_byte_for_byte():
    raw = json.dumps(BODY, indent=1).encode()
    async with serving(streams(*SAYS)) as server:
        planned = plan(at(server.url), body=raw)
        await made(Call(planned, environ()))
    (got,) = server.got
    assert got.body == planned.body == raw[:-2] + b',"stream":true\n}'
    assert (got.path, got.query) == ("/v1/messages", "")
    assert got.headers["authorization"] == f"Bearer {KEY}"
    assert got.headers["content-type"] == "application/json"
    assert got.headers["x-stainless-retry-count"] == "0"


async def test_version_betas_and_further_headers():
    headers = (("x-team", "TEAM"),)
    async with serving(streams(*SAYS)) as server:
        endpoint = at(server.url, betas=("a-1", "b-2"), version="2023-06-01", headers=headers)
        await made(Call(plan(endpoint), environ(TEAM="red")))
    (got,) = server.got
    assert got.headers["anthropic-version"] == "2023-06-01"
    assert got.headers["anthropic-beta"] == "a-1,b-2"
    assert got.headers["x-team"] == "red"
    assert got.query == "beta=true"


async def test_version_and_betas_are_those_that_were_recorded():
    recorded = {"anthropic-version": "2023-06-01", "anthropic-beta": "a-1,b-2"}
    async with serving(streams(*SAYS)) as server:
        planned = msgspec.structs.replace(plan(at(server.url)), headers=recorded)
        await made(Call(planned, environ()))
        own = msgspec.structs.replace(planned, endpoint=at(server.url, betas=("c-3",)))
        await made(Call(own, environ()))
    first, second = server.got
    assert first.headers["anthropic-version"] == "2023-06-01"
    assert first.headers["anthropic-beta"] == "a-1,b-2"
    assert first.query == "beta=true"
    assert second.headers["anthropic-beta"] == "c-3"


async def test_no_key_is_sent_where_there_is_none(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", f"x-gateway: {KEY}")
    async with serving(streams(*SAYS)) as server:
        endpoint = at(server.url)
        keyless = type(endpoint)("plain", base_url=endpoint.base_url)
        assert isinstance((await made(Call(plan(keyless), {})))[-1], Reply)
    assert KEY not in json.dumps(server.got[0].headers)


async def test_custom_headers_belong_to_the_endpoint_of_the_environment(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-gateway: abc\nAuthorization: Bearer own")
    async with serving(streams(*SAYS)) as server:
        endpoint = at(server.url)
        await made(Call(plan(type(endpoint)("environment", base_url=endpoint.base_url)), {}))
    assert server.got[0].headers["x-gateway"] == "abc"
    assert server.got[0].headers["authorization"] == "Bearer own"


async def test_what_arrives_and_the_reply():
    async with serving(streams(*PRICED)) as server:
        *arrived, reply = await made(Call(plan(at(server.url)), environ()))
    assert all(isinstance(event, Arrived) for event in arrived)
    steps = [step for event in arrived for step in event.steps]
    assert "".join(step.piece for step in steps if step.kind == "text") == "Hello."
    assert steps[-1].kind == "end"
    times = [event.seconds for event in arrived]
    assert times == sorted(times)
    assert json.loads(reply.message)["content"] == [{"type": "text", "text": "Hello."}]
    assert (reply.stop_reason, reply.is_cut, reply.request_id) == ("end_turn", False, "req_1")
    assert reply.usage["output_tokens"] == 9
    assert 0 < reply.first_token_seconds <= reply.seconds
    assert reply.price == Decimal("0.0002865")  # 12 in, 3 from the cache, 9 out


async def test_thinking_and_calls():
    async with serving(streams(*CALLS)) as server:
        *_, reply = await made(Call(plan(at(server.url)), environ()))
    kinds = [block["type"] for block in json.loads(reply.message)["content"]]
    assert kinds == ["thinking", "text", "tool_use", "tool_use"]
    assert reply.price is None


async def test_what_is_arriving_can_be_looked_at():
    seen = []
    async with serving(streams(*SAYS)) as server:
        one = Call(plan(at(server.url)), environ())
        async for _ in one.run():
            seen.append([block.text for block in one.assembler.blocks.values()])
    assert seen[-1] == ["Hello."]


async def test_a_server_that_does_not_hang_up_is_left_at_the_end():
    async with serving(streams(*SAYS, then=stalls)) as server:
        *_, reply = await made(Call(plan(at(server.url)), environ()))
        await asyncio.wait_for(server.left.wait(), 10)
    assert not reply.is_cut


async def test_a_connection_that_breaks_behind_a_whole_reply_takes_nothing_from_it():
    async with serving(streams(*SAYS[:-1], then=drops)) as server:
        *_, reply = await made(Call(plan(at(server.url)), environ()))
    assert isinstance(reply, Reply)
    assert not reply.is_cut


async def test_the_first_token_is_a_word_of_the_model():
    async with serving(streams(begin(), start(0, type="text", text=""))) as server:
        *_, trouble = await made(Call(plan(at(server.url)), environ()))
    assert trouble.reply.first_token_seconds is None


async def first_text(one, events):
    async for event in events:
        if isinstance(event, Arrived) and any(step.kind == "text" for step in event.steps):
            return


async def test_a_cancelled_task_leaves_at_once_and_keeps_what_came():
    async with serving(streams(*SAYS[:3], then=stalls)) as server:
        one = Call(plan(at(server.url)), environ())
        arrived = asyncio.Event()

        async def work():
            async for _ in one.run():
                if any(block.text == "Hel" for block in one.assembler.blocks.values()):
                    arrived.set()

        task = asyncio.create_task(work())
        await asyncio.wait_for(arrived.wait(), 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.left.wait(), 10)
    cut = one.so_far()
    assert cut.is_cut
    assert json.loads(cut.message)["content"] == [{"type": "text", "text": "Hel"}]
    assert cut.stop_reason is None
    assert cut.seconds == one.seconds


async def test_closing_the_generator_is_the_same():
    async with serving(streams(*SAYS[:3], then=stalls)) as server:
        one = Call(plan(at(server.url)), environ())
        async with aclosing(one.run()) as events:
            await first_text(one, events)
        await asyncio.wait_for(server.left.wait(), 10)
    assert one.so_far().is_cut


async def test_a_cut_call_is_a_string_in_the_kept_reply():
    cut = [begin(), *text(0, "a"), *call(1, "toolu_1", "Read", '{"pa')[:-1]]
    async with serving(streams(*cut)) as server:
        *_, trouble = await made(Call(plan(at(server.url)), environ()))
    assert trouble.kind == "cut"
    assert trouble.reply.is_cut
    assert json.loads(trouble.reply.message)["content"][1]["input"] == '{"pa'


async def test_any_order_of_chunks_and_events_is_taken():
    async def in_bits(request, response):
        raw = stream(*CALLS)
        for at_ in range(0, len(raw), 7):
            await response.write(raw[at_ : at_ + 7])

    async with serving(streams(then=in_bits)) as server:
        *_, reply = await made(Call(plan(at(server.url)), environ()))
    assert len(json.loads(reply.message)["content"]) == 4


async def test_a_stream_of_thousands_of_deltas():
    deltas = [delta(0, "text_delta", text="word ") for _ in range(4000)]
    events = [begin(), start(0, type="text", text=""), *deltas, *end()]
    async with serving(streams(b"".join(stream(e) for e in events))) as server:
        *_, reply = await made(Call(plan(at(server.url)), environ()))
    assert len(json.loads(reply.message)["content"][0]["text"]) == 20_000


async def test_the_recording_answers_without_a_network():
    *_, reply = await made(Call(plan(turn=1), {}))
    assert json.loads(reply.message)["content"][1] == READ
    assert (reply.is_cut, reply.price, reply.stop_reason) == (False, None, "tool_use")


async def test_another_recording_can_be_given():
    async def recording(planned):
        yield stream(*SAYS)

    *_, reply = await made(Call(plan(RECORDING, turn=1), {}, recording=recording))
    assert json.loads(reply.message)["content"] == [{"type": "text", "text": "Hello."}]


@pytest.mark.parametrize(
    ("asked", "variables", "said"),
    [
        ({"model": None}, environ(), "does not say which model was called"),
        ({}, {}, "endpoint test: the environment variable TEST_KEY is not set."),
    ],
)
async def test_what_cannot_leave_is_not_sent(asked, variables, said):
    async with serving(streams(*SAYS)) as server:
        with pytest.raises(CallError, match=said):
            await made(Call(plan(at(server.url), **asked), variables))
    assert server.got == []


async def test_a_key_that_the_server_quotes_is_hidden():
    error = {"type": "error", "error": {"type": "x", "message": f"invalid key {KEY}"}}
    answers = [says(401, error), streams(begin(), error), streams(f"data: {KEY}\n\n".encode())]
    for answer in answers:
        async with serving(answer) as server:
            *_, trouble = await made(Call(plan(at(server.url)), environ()))
        assert isinstance(trouble, Trouble)
        assert KEY not in repr(trouble)
        assert "(hidden)" in trouble.sentence


async def test_tokens_are_counted_by_the_endpoint():
    async with serving(says(200, {"input_tokens": 44})) as server:
        planned = plan(at(server.url))
        assert await count_tokens(planned, environ()) == 44
    (got,) = server.got
    assert got.path == "/v1/messages/count_tokens"
    assert set(json.loads(got.body)) == {"model", "system", "tools", "messages"}


@pytest.mark.parametrize(
    "answer",
    [
        says(404, {"error": "no such route"}),
        says(200, "<html>", content_type="text/html"),
        says(200, {"tokens": 5}),
        says(200, {"input_tokens": "5"}),
        says(200, "{", content_type="application/json"),
        streams(*SAYS, headers=EVENTS),
    ],
)
async def test_an_endpoint_that_does_not_count(answer):
    async with serving(answer) as server:
        assert await count_tokens(plan(at(server.url)), environ()) is None
    assert await count_tokens(plan(at(server.url)), environ()) is None
    assert await count_tokens(plan(), environ()) is None
