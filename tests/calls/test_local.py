"""The endpoint ``local``: a server in a process of its own, stood in for by small scripts.

With the extra installed ``pytest -m model`` asks the real model.
"""

import asyncio
import json
import textwrap
from contextlib import aclosing

import pytest

from tapeview.calls import local
from tapeview.calls.endpoints import Endpoint
from tapeview.calls.local import running
from tapeview.calls.reply import Reply
from tapeview.calls.run import Call
from tapeview.errors import CallError
from tests.calls.helpers import at, plan

LOCAL = Endpoint("local", "local", "", model="local")


@pytest.fixture
def server(tmp_path, monkeypatch):
    """Puts a script in the place of the server."""

    def write(script):
        path = tmp_path / "stand_in.py"
        path.write_text(textwrap.dedent(script))
        monkeypatch.setattr(local, "SERVER", path)

    return write


async def test_it_runs_as_long_as_it_is_needed(server, tmp_path):
    server(f"""
        import json, os, sys
        from pathlib import Path
        print("llama.cpp talks")
        print(json.dumps({{"url": "http://127.0.0.1:9/" + sys.argv[1]}}), flush=True)
        Path({str(tmp_path / "pid")!r}).write_text(str(os.getpid()))
        sys.stdin.read()
    """)
    async with running(Endpoint("local", "local", "", weights="w")) as endpoint:
        assert endpoint.base_url == "http://127.0.0.1:9/w"
        async with running(endpoint) as again:
            assert again is endpoint


async def test_other_endpoints_are_given_as_they_are():
    other = at("http://h")
    async with running(other) as endpoint:
        assert endpoint is other


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ('print(\'{"error": "no\\\\nweights"}\')', "the local model cannot run: no ¶ weights"),
        ("raise SystemExit(3)", "its server ended while it was loading"),
        ("print('nothing of use')", "its server ended while it was loading"),
    ],
)
async def test_a_model_that_cannot_run(server, script, said):
    server(script)
    with pytest.raises(CallError, match=said):
        await anext(Call(plan(LOCAL), {}).run())


async def test_the_process_ends_with_a_cancelled_task(server, monkeypatch):
    server("import sys; sys.stdin.read()")
    processes, loading = [], asyncio.Event()

    async def never(process):
        processes.append(process)
        loading.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(local, "_address", never)
    task = asyncio.create_task(made(plan(LOCAL)))
    await asyncio.wait_for(loading.wait(), 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert processes[0].returncode is not None


PROMPT = {"role": "user", "content": "Please use get_weather in Paris."}
ASK = {"max_tokens": 60, "messages": [PROMPT]}
WEATHER = {
    "name": "get_weather",
    "description": "The weather of a city",
    "input_schema": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    },
}


async def made(planned):
    return [event async for event in Call(planned, {}).run()]


@pytest.fixture
async def model():
    """The real model, at its address."""
    async with running(LOCAL) as endpoint:
        yield endpoint


@pytest.mark.model
class TestTheRealModel:
    async def test_without_tools(self, model):
        *arrived, reply = await made(plan(model, body=ASK))
        assert isinstance(reply, Reply)
        assert len(arrived) > 3
        (block,) = json.loads(reply.message)["content"]
        assert block["type"] == "text"
        assert block["text"]
        assert reply.usage["output_tokens"] > 0
        assert reply.price is None

    async def test_with_tools(self, model):
        *_, reply = await made(plan(model, body=ASK | {"tools": [WEATHER]}))
        calls = [b for b in json.loads(reply.message)["content"] if b["type"] == "tool_use"]
        assert [call["name"] for call in calls] == ["get_weather"]
        assert isinstance(calls[0]["input"], dict)
        assert reply.stop_reason == "tool_use"

    async def test_a_round_trip_of_tools(self, model):
        call = {
            "type": "tool_use",
            "id": "toolu_1",
            "name": "get_weather",
            "input": {"city": "Paris"},
        }
        result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "rain"}
        messages = [
            PROMPT,
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ]
        *_, reply = await made(plan(model, body=ASK | {"tools": [WEATHER], "messages": messages}))
        assert isinstance(reply, Reply)

    async def test_cancelled(self, model):
        one = Call(plan(model, body=ASK | {"max_tokens": 4000}), {})
        async with aclosing(one.run()) as events:
            async for _ in events:
                if one.assembler.blocks:
                    break
        assert one.so_far().is_cut
        *_, reply = await made(plan(model, body=ASK))
        assert isinstance(reply, Reply)

    async def test_over_its_context(self, model):
        long = ASK | {"messages": [{"role": "user", "content": "word " * 9000}]}
        *_, trouble = await made(plan(model, body=long))
        assert trouble.kind == "too-long"
        assert "compact or cut the tape" in trouble.sentence
