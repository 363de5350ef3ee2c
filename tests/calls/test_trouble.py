"""What goes wrong, over real HTTP: one clear sentence for each, and what had arrived is kept."""

import json
import socket

import pytest

from tapeview.calls.run import Call
from tapeview.calls.trouble import Answer, Trouble, of_answer
from tapeview.tape.sizes import size_long
from tests.calls.helpers import at, environ, plan
from tests.calls.server import drops, fault, says, serving, stalls, streams
from tests.wire.streams import CALLS

STALL = 1.5
"""Seconds: long enough for a busy machine to answer, short enough to be waited for."""

BAD_BLOCK = fault(
    "invalid_request_error",
    "messages.4.content.0: Input tag 'hologram' found using 'type' does not match any of the "
    "expected tags.",
)
LONG = fault("invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum")
LLAMA = {
    "error": {
        "code": 400,
        "message": "request (9000 tokens) exceeds the available context size (8192 tokens)",
        "type": "exceed_context_size_error",
        "n_prompt_tokens": 9000,
        "n_ctx": 8192,
    }
}
HTML = "<!DOCTYPE html><html><head><title>502 Bad\nGateway</title></head><body>nginx</body></html>"
STATUSES = {
    "400": (
        says(400, BAD_BLOCK),
        "refused",
        "endpoint test refused the request (400): messages.4.content.0: Input tag 'hologram' found "
        "using 'type' does not match any of the expected tags; mend that and send it again.",
    ),
    "too long": (
        says(400, LONG),
        "too-long",
        "the request is too long for model claude-opus-4-5 (400): prompt is too long: 250000 "
        "tokens > 200000 maximum; compact or cut the tape, or choose another model.",
    ),
    "too long for llama.cpp": (
        says(400, LLAMA),
        "too-long",
        "the request is too long for model claude-opus-4-5 (400): request (9000 tokens) exceeds "
        "the available context size (8192 tokens); compact or cut the tape, or choose another "
        "model.",
    ),
    "401": (
        says(401, fault("authentication_error", "invalid x-api-key")),
        "key",
        "endpoint test does not take the key in TEST_KEY (401): invalid x-api-key; set a valid "
        "key.",
    ),
    "402": (
        says(402, fault("billing_error", "Your credit is too low.")),
        "forbidden",
        "endpoint test wants to be paid first (402): Your credit is too low; look at its billing.",
    ),
    "403": (
        says(403, fault("permission_error", "not for you")),
        "forbidden",
        "endpoint test does not allow this to the key in TEST_KEY (403): not for you; ask for "
        "access, or choose another model or endpoint.",
    ),
    "404": (
        says(404, fault("not_found_error", "model: claude-opus-4-5")),
        "not-found",
        "endpoint test has no model claude-opus-4-5, or not this address (404): model: "
        "claude-opus-4-5; choose another model, or check base_url.",
    ),
    "413": (
        says(413, fault("request_too_large", "Request exceeds the maximum size")),
        "too-large",
        "the request of {size} is too large for endpoint test (413): Request exceeds the maximum "
        "size; compact the tape, or take big results and pictures out.",
    ),
    "429": (
        says(429, fault("rate_limit_error", "slow down"), retry_after="12"),
        "rate",
        "endpoint test has had too many requests (429): slow down; wait 12.0 s, then send it "
        "again.",
    ),
    "429 without a time": (
        says(429, fault("rate_limit_error", "slow down")),
        "rate",
        "endpoint test has had too many requests (429): slow down; wait a little, then send it "
        "again.",
    ),
    "500": (
        says(500, fault("api_error", "Internal server error")),
        "server",
        "endpoint test failed on its own side (500): Internal server error; wait a little, then "
        "send it again.",
    ),
    "503 without a body": (
        says(503),
        "server",
        "endpoint test failed on its own side (503); wait a little, then send it again.",
    ),
    "529": (
        says(529, fault("overloaded_error", "Overloaded")),
        "overloaded",
        "endpoint test is overloaded (529): Overloaded; wait a little, then send it again.",
    ),
    "a redirection": (
        says(307, "", location="http://127.0.0.1:9/v1/messages"),
        "status",
        "endpoint test sends calls elsewhere (307); set base_url to the address that answers.",
    ),
    "418": (says(418, "short and stout"), "status", "(418): short and stout."),
    "a page of errors": (
        says(502, HTML, content_type="text/html"),
        "page",
        'endpoint test answered with a web page called "502 Bad ¶ Gateway" (502), not with the '
        "API: check base_url, and whether a proxy stands between.",
    ),
    "a page and a 200": (
        says(200, "<html>log in</html>", content_type="text/html"),
        "page",
        "endpoint test answered with a web page (200), not with the API",
    ),
    "a 200 that is no stream": (
        says(200, {"id": "chatcmpl-1"}),
        "garbage",
        "endpoint test answered application/json, not a stream of events: check that it speaks the "
        'Messages API. It begins "{"id": "chatcmpl-1"}".',
    ),
    "a 200 of nothing": (
        streams(),
        "cut",
        "endpoint test answered and sent nothing; check base_url",
    ),
}


async def trouble_of(answer, stall=600.0):
    async with serving(answer) as server:
        planned = plan(at(server.url))
        *_, trouble = [event async for event in Call(planned, environ(), stall=stall).run()]
    assert isinstance(trouble, Trouble)
    assert "\n" not in trouble.sentence
    return trouble, planned


@pytest.mark.parametrize(("answer", "kind", "sentence"), STATUSES.values(), ids=STATUSES)
async def test_an_answer_that_is_no_reply(answer, kind, sentence):
    trouble, planned = await trouble_of(answer)
    assert trouble.kind == kind
    assert sentence.replace("{size}", size_long(len(planned.body))) in trouble.sentence
    assert trouble.reply is None


async def test_the_place_that_the_api_names():
    trouble, _ = await trouble_of(says(400, BAD_BLOCK, request_id="req_9"))
    assert (trouble.path, trouble.status) == ("messages.4.content.0", 400)
    assert trouble.request_id == "req_9"
    trouble, _ = await trouble_of(says(400, fault("x", "max_tokens: Field required")))
    assert trouble.path == ""


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "12"}, 12.0),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({}, None),
    ],
)
def test_how_long_to_wait(headers, seconds):
    trouble = of_answer(Answer(429, headers, ""), plan(at("http://h")))
    assert trouble.retry_after == seconds


@pytest.mark.parametrize("events", range(len(CALLS) - 1))
async def test_a_stream_that_just_ends_at_each_event(events):
    trouble, _ = await trouble_of(streams(*CALLS[:events]))
    assert trouble.kind == "cut"
    assert (trouble.reply is not None) == (events > 0)
    if trouble.reply:
        assert trouble.reply.is_cut
        assert trouble.sentence == (
            "the reply of endpoint test ended before it was whole; send it again."
        )
        json.loads(trouble.reply.message)


@pytest.mark.parametrize("events", range(1, len(CALLS) - 1, 2))
async def test_a_connection_that_breaks_at_each_event(events):
    trouble, _ = await trouble_of(streams(*CALLS[:events], then=drops))
    assert (trouble.kind, trouble.status) == ("cut", 200)
    assert trouble.reply.is_cut


@pytest.mark.parametrize("events", [1, 4, 9])
async def test_a_connection_that_stalls(events):
    trouble, _ = await trouble_of(streams(*CALLS[:events], then=stalls), STALL)
    assert (trouble.kind, trouble.status) == ("stalled", 200)
    assert trouble.sentence == "endpoint test sent nothing more for 1.5 s; send it again."
    assert trouble.reply.is_cut


GARBAGE = {
    "an error event": (
        [fault("api_error", "Internal\nserver error")],
        "event",
        "endpoint test broke the reply off with an error, api_error: Internal ¶ server error; send "
        "it again.",
    ),
    "overloaded": ([fault("overloaded_error", "Overloaded")], "overloaded", "broke the reply off"),
    "an error event that is odd": ([{"type": "error"}], "event", "broke the reply off with an err"),
    "half an event": ([b'data: {"type": "conte\n\n'], "garbage", 'that is no event, "{"type": "c'),
    "a page": ([b"data: <html>\ndata: \x1b[31m\n\n"], "garbage", 'no event, "<html> ¶ ¤[31m"'),
}


@pytest.mark.parametrize(("events", "kind", "sentence"), GARBAGE.values(), ids=GARBAGE)
@pytest.mark.parametrize("after", range(0, len(CALLS), 4))
async def test_what_should_not_be_in_a_stream(events, kind, sentence, after):
    trouble, _ = await trouble_of(streams(*CALLS[:after], *events, then=stalls))
    assert (trouble.kind, trouble.status) == (kind, 200)
    assert sentence in trouble.sentence
    assert (trouble.reply is not None) == (after > 0)


async def test_bytes_that_are_no_events_at_all():
    trouble, _ = await trouble_of(streams(b"\x00\xff<html>\n\n" * 9))
    assert trouble.kind == "cut"
    assert "answered and sent nothing" in trouble.sentence


async def test_a_compressed_stream_that_is_damaged():
    headers = {"content-type": "text/event-stream", "content-encoding": "gzip"}
    trouble, _ = await trouble_of(streams(b"not gzip", headers=headers))
    assert trouble.kind in ("cut", "unreachable")


async def test_no_answer_in_time():
    async def silent(request):
        await stalls(request, None)

    trouble, _ = await trouble_of(silent, STALL)
    assert (trouble.kind, trouble.status) == ("no-answer", None)
    assert "endpoint test did not answer within 1.5 s, http://127.0.0.1" in trouble.sentence


async def trouble_at(url):
    *_, trouble = [event async for event in Call(plan(at(url)), environ()).run()]
    return trouble


async def test_nothing_listens():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        trouble = await trouble_at(url)
    assert trouble.kind == "unreachable"
    assert trouble.sentence == (
        f"endpoint test cannot be reached, {url}: check that it runs, and base_url."
    )


async def test_a_host_that_nobody_knows():
    trouble = await trouble_at("http://tapeview.invalid")
    assert trouble.kind == "unknown-host"
    assert "the host of endpoint test is not known, http://tapeview.invalid" in trouble.sentence


async def test_a_server_without_tls():
    async with serving(streams(*CALLS)) as server:
        trouble = await trouble_at(server.url.replace("http:", "https:"))
    assert trouble.kind in ("unsafe", "unreachable")


async def test_a_connection_that_breaks_before_an_answer():
    async def gone(request):
        await drops(request, None)
        raise ConnectionResetError

    trouble, _ = await trouble_of(gone)
    assert trouble.kind == "unreachable"
