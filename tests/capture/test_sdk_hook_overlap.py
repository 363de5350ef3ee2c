"""Recordings of one client that overlap: each has the calls of its own block."""

import asyncio
from contextlib import ExitStack, closing

import tapeview
from tapeview.capture.recorder import Recorder
from tapeview.capture.sdk_hook import watched
from tests.capture.raw_http import RawServer
from tests.capture.test_sdk_hook import ASK, STREAM, answer, each, given
from tests.capture.test_sdk_hook_ends import (
    asked,
    client_of,
    ends,
    every_kind,
    half_stream,
    is_hooked,
    say,
)


def orders(count, begun=0, open_=()):
    """Every order in which recordings can begin and end."""
    if begun == count and not open_:
        yield ()
    if begun < count:
        for rest in orders(count, begun + 1, (*open_, begun)):
            yield (("begin", begun), *rest)
    for k in open_:
        for rest in orders(count, begun, tuple(n for n in open_ if n != k)):
            yield (("end", k), *rest)


@every_kind
async def test_each_of_some_recordings_has_the_calls_of_its_block(kind, tmp_path):
    all_orders = list(orders(3))
    assert len(all_orders) == 15
    with RawServer(answer) as server:
        client = client_of(kind, server.url)
        for n, order in enumerate(all_orders):
            blocks, wanted, open_ = {}, {}, set()
            for step, (what, k) in enumerate(order):
                path = tmp_path / f"{n}-{k}"
                if what == "begin":
                    blocks[k], wanted[path] = tapeview.record(client, path), []
                    blocks[k].__enter__()
                    open_.add(path)
                else:
                    blocks[k].__exit__(None, None, None)
                    open_.remove(path)
                assert is_hooked(client) == bool(open_)
                await say(client, step)
                for path in open_:
                    wanted[path].append(str(step))
            assert {path: asked(path) for path in wanted} == wanted, order
            assert all(set(ends(path)) <= {"whole"} for path in wanted)
        await given(client.close())


async def test_tasks_that_record_one_client(tmp_path):
    first_has_ended = asyncio.Event()

    async def one(client):
        with tapeview.record(client, tmp_path / "one"):
            await say(client, "one")
        first_has_ended.set()

    async def two(client):
        with tapeview.record(client, tmp_path / "two"):
            await first_has_ended.wait()
            await say(client, "two")

    with RawServer(answer) as server:
        client = client_of("async", server.url)
        await asyncio.gather(one(client), two(client))
        assert not is_hooked(client)
        await client.close()
    assert asked(tmp_path / "one") == ["one"]
    assert asked(tmp_path / "two") == ["one", "two"]


@every_kind
async def test_a_recording_that_ends_leaves_another_its_stream(kind, tmp_path):
    with half_stream() as server:
        client = client_of(kind, server.url)
        with tapeview.record(client, tmp_path / "long"):
            with tapeview.record(client, tmp_path / "short"):
                stream = await given(client.messages.create(**ASK, stream=True))
            server.go.set()
            assert len([item async for item in each(stream)]) == len(STREAM) - 1  # but for the ping
        await given(client.close())
    assert ends(tmp_path / "short") == ["stopped"]
    assert ends(tmp_path / "long") == ["whole"]


@every_kind
async def test_one_recording_of_a_client_twice(kind, tmp_path):
    recording = Recorder(tmp_path / "a")
    with RawServer(answer) as server, closing(recording):
        client = client_of(kind, server.url)
        with watched(client, recording):
            with watched(client.with_options(timeout=9), recording):
                await say(client, 1)
            await say(client, 2)
        assert not is_hooked(client)
        await say(client, 3)
        await given(client.close())
    assert asked(recording.path) == ["1", "2"]


@every_kind
async def test_what_another_put_in_before_or_behind_stays(kind, tmp_path):
    """Another's wrapper around ``send`` is called once a call, and is left where it is."""
    seen = []

    def wrap(client, name):
        send = client._client.send

        def wrapper(request, **settings):
            seen.append(name)
            return send(request, **settings)

        client._client.send = wrapper
        return wrapper

    with RawServer(answer) as server:
        client = client_of(kind, server.url)
        behind = wrap(client, "behind")
        with tapeview.record(client, tmp_path / "a"):
            await say(client, 1)
        assert client._client.send is behind
        with ExitStack() as first:
            first.enter_context(tapeview.record(client, tmp_path / "b"))
            before = wrap(client, "before")
            with tapeview.record(client, tmp_path / "c"):
                await say(client, 2)
                first.close()
                await say(client, 3)
        assert client._client.send is before
        await say(client, 4)
        await given(client.close())
    assert [asked(tmp_path / name) for name in "abc"] == [["1"], ["2"], ["2", "3"]]
    assert seen == ["behind", *["before", "behind"] * 3]
