"""The server: routes, headers and bodies as the API has them, and who is answered at all."""

import asyncio
from io import BytesIO

import aiohttp
import pytest

from tapeview.calls.player import Player
from tapeview.calls.recorded import recorded_calls
from tapeview.calls.serve import Address, serving
from tapeview.errors import ServeError
from tapeview.wire.sse import EventReader
from tests.calls.served import TAPE, served
from tests.calls.tapes import answered, asks, player, request
from tests.formats.claude import reply, user, written
from tests.helpers import open_bytes


@pytest.mark.parametrize("path", ["/v1/messages", "/messages", "/v1/messages?beta=true"])
async def test_a_whole_reply(path):
    async with served() as (client, lines), client.post(path, data=request(TAPE[0])) as answer:
        assert (answer.status, answer.content_type) == (200, "application/json")
        assert answer.headers["request-id"].startswith("req_011")
        message = await answer.json()
        assert (message["type"], message["stop_reason"]) == ("message", "tool_use")
        assert lines == ["call 1: turn 1, whole"]


async def test_a_stream():
    async with (
        served() as (client, lines),
        client.post("/v1/messages", data=request(TAPE[0], stream=True)) as answer,
    ):
        assert (answer.status, answer.content_type) == (200, "text/event-stream")
        assert answer.headers["request-id"].startswith("req_011")
        events = EventReader().feed(await answer.read())
        names = [event.name for event in events]
        assert (names[0], names[-1]) == ("message_start", "message_stop")
        assert lines == ["call 1: turn 1, streamed"]


async def test_a_refused_request():
    async with (
        served() as (client, lines),
        client.post("/v1/messages", data=request(*TAPE[:2], stream=True)) as answer,
    ):
        body = await answer.json()
        assert answer.status == 400
        assert body["error"]["message"].startswith("messages.1: `tool_use` ids were found")
        assert body["request_id"] == answer.headers["request-id"]
        assert lines[0].startswith("call 1: refused, 400, TU001: messages.1: `tool_use`")


async def test_ids_are_the_same_for_the_same_requests():
    ids = []
    for _ in range(2):
        async with served() as (client, _):
            for _ in range(2):
                async with client.post("/v1/messages", data=request(TAPE[0])) as answer:
                    ids.append(answer.headers["request-id"])
    assert ids[:2] == ids[2:]
    assert ids[0] != ids[1]


async def test_tokens_are_counted():
    async with served() as (client, _):
        async with client.post("/v1/messages/count_tokens", data=request(TAPE[0])) as answer:
            assert await answer.json() == {"input_tokens": 9}
        async with client.post("/v1/messages/count_tokens", data=b"") as answer:
            assert answer.status == 400


async def test_models():
    about = {"type": "model", "display_name": "claude-x", "created_at": "2026-01-01T00:00:00Z"}
    async with served() as (client, _):
        async with client.get("/v1/models?limit=5") as answer:
            page = {"data": [about | {"id": "claude-x"}], "has_more": False}
            assert await answer.json() == page | {"first_id": "claude-x", "last_id": "claude-x"}
        async with client.get("/models/any/one") as answer:
            assert (await answer.json())["id"] == "any/one"
    async with served(player(*TAPE, model=None)) as (client, _), client.get("/models") as answer:
        assert (await answer.json())["data"] == []


@pytest.mark.parametrize("method", ["HEAD", "GET"])
async def test_the_root_is_there(method):
    async with served() as (client, lines), client.request(method, "/") as answer:
        assert answer.status == 200
        assert lines == []


@pytest.mark.parametrize(
    "method, path, status, kind",
    [
        ("GET", "/v1/complete", 404, "not_found_error"),
        ("POST", "/v2/messages", 404, "not_found_error"),
        ("POST", "/messages/batches", 404, "not_found_error"),
        ("GET", "/v1/messages", 405, "invalid_request_error"),
        ("POST", "/", 405, "invalid_request_error"),
    ],
)
async def test_other_ways_are_refused_in_the_same_shape(method, path, status, kind):
    async with served() as (client, lines), client.request(method, path) as answer:
        body = await answer.json()
        assert (answer.status, body["type"], body["error"]["type"]) == (status, "error", kind)
        assert lines[0].startswith(f"{method} {path}: refused, {status}, ")


@pytest.mark.parametrize(
    "headers, status",
    [
        ({"Host": "localhost:1"}, 200),
        ({"Host": "[::1]:1"}, 200),
        ({"Host": "127.0.0.1"}, 200),
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example:80"}, 403),
        ({"Host": ""}, 403),
        ({"Origin": "http://localhost:3000"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
async def test_only_programs_of_this_machine_are_answered(headers, status):
    async with (
        served() as (client, _),
        client.post("/v1/messages", data=request(TAPE[0]), headers=headers) as answer,
    ):
        assert answer.status == status
        if status == 403:
            assert (await answer.json())["error"]["type"] == "permission_error"


async def test_a_server_for_other_machines_takes_their_names():
    lines = []
    async with (
        serving(player(*TAPE), Address("0.0.0.0"), lines.append) as at,
        aiohttp.ClientSession(f"http://127.0.0.1:{at.port}") as client,
    ):
        async with client.get("/", headers={"Host": "box.example:8080"}) as answer:
            assert answer.status == 200
        async with client.get("/", headers={"Origin": "http://box.example"}) as answer:
            assert answer.status == 403


class Clock:
    """Counts what is slept."""

    def __init__(self):
        self.slept = 0.0

    async def sleep(self, seconds):
        self.slept += seconds
        await asyncio.sleep(0)


def timed_player():
    """A tape whose one reply took 40 seconds."""
    lines = [user("u1", None, "list"), reply("a1", "u1", "m1", "two", at=40)]
    return Player(recorded_calls(open_bytes(written(*lines))), "run.jsonl")


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("recorded_speed, seconds", [(True, 40), (False, 0)])
async def test_a_reply_takes_the_recorded_time_where_one_wants_it(
    streamed, recorded_speed, seconds
):
    clock = Clock()
    options = {"recorded_speed": recorded_speed, "sleep": clock.sleep}
    async with served(timed_player(), **options) as (client, _):
        body = request(asks("list"), stream=streamed)
        async with client.post("/v1/messages", data=body) as answer:
            assert answer.status == 200
            await answer.read()
    assert clock.slept == pytest.approx(seconds)


async def test_a_client_that_leaves_ends_the_stream():
    left = asyncio.Event()

    async def sleep(seconds):
        try:
            await asyncio.sleep(3600 if started.is_set() else 0)
        except asyncio.CancelledError:
            left.set()
            raise
        started.set()

    started = asyncio.Event()
    options = {"recorded_speed": True, "sleep": sleep}
    async with served(timed_player(), **options) as (client, lines):
        body = request(asks("list"), stream=True)
        async with client.post("/v1/messages", data=body) as answer:
            assert (await answer.content.readline()) == b"event: message_start\n"
            answer.close()
        async with asyncio.timeout(20):
            await left.wait()
        async with client.get("/") as answer:
            assert answer.status == 200
        assert lines[-1] == "call 1: the client left before the end"


async def test_a_stream_on_its_way_does_not_hold_the_end_up():
    forever = {"recorded_speed": True, "sleep": lambda _: asyncio.sleep(3600)}

    async with asyncio.timeout(20), aiohttp.ClientSession() as client:
        asked = asyncio.Event()
        async with serving(timed_player(), Address(), lambda _: asked.set(), **forever) as at:
            asking = asyncio.create_task(
                client.post(f"{at.url}/v1/messages", data=request(asks("list"))).__aenter__()
            )
            await asked.wait()
        with pytest.raises(aiohttp.ClientError):
            await asking


async def test_many_at_once_are_answered_each():
    async with served() as (client, lines):

        async def one(turn):
            data = request(*TAPE[: 2 * turn - 1], stream=True)
            async with client.post("/v1/messages", data=data) as answer:
                return len(EventReader().feed(await answer.read()))

        counts = await asyncio.gather(*(one(1 + k % 2) for k in range(40)))
        assert len(set(counts[::2])) == len(set(counts[1::2])) == 1
        assert len(lines) == 40


async def test_huge_requests_and_replies_go_through():
    text = "x" * 6_000_000
    async with served(player(*TAPE, asks("more"), answered(text))) as (client, _):
        body = BytesIO(request(asks(text), *TAPE[1:3]))
        async with client.post("/v1/messages", data=body) as answer:
            assert (await answer.json())["content"] == [{"type": "text", "text": "One file."}]
        for streamed in (True, False):
            body = request(*TAPE, asks("more"), stream=streamed)
            async with client.post("/v1/messages", data=body) as answer:
                assert len(await answer.read()) > len(text)


async def test_garbage_on_the_port_is_told_to_the_log_alone(capfd):
    lines = []
    async with serving(player(*TAPE), Address(), lines.append) as at:
        reader, writer = await asyncio.open_connection(at.host, at.port)
        writer.write(b"\x16\x03\x01 garbage\r\n\r\n")
        assert (await reader.read()).startswith(b"HTTP/1.0 400")
        writer.close()
        await writer.wait_closed()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "address", [Address("203.0.113.1", 1), Address("no such host.invalid"), Address(port=70000)]
)
async def test_where_nothing_can_listen(address):
    with pytest.raises(ServeError, match="Cannot listen at http://"):
        async with serving(player(*TAPE), address, print):
            pass


def test_an_address_is_told_as_clients_take_it():
    assert Address("::1", 80).url == "http://[::1]:80"
    assert Address(port=80).url == "http://127.0.0.1:80"
