"""``tapeview.replay``: a call out of a program, over real HTTP."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

import tapeview
from tapeview.calls.reply import Arrived
from tapeview.calls.trouble import CallFailed
from tapeview.errors import CallError, OpenError, PlaceError
from tests.calls.helpers import BODY, KEY, READ
from tests.calls.server import fault, says, serving, stalls, streams
from tests.wire.streams import SAYS

ROOT = Path(__file__).parents[2]
LOST = str(ROOT / "sample_sessions" / "lost-one.json")


@pytest.fixture
def environment(monkeypatch):
    """The endpoint of the environment is a test server's."""

    def be(url):
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)

    return be


async def test_a_body(environment):
    told = []
    async with serving(streams(*SAYS)) as server:
        environment(server.url)
        reply = await tapeview.replay_async(
            BODY, model="other", max_tokens=7, members={"temperature": None}, on_event=told.append
        )
    sent = json.loads(server.got[0].body)
    assert sent == {k: v for k, v in BODY.items() if k != "temperature"} | {
        "model": "other", "max_tokens": 7, "stream": True,
    }  # fmt: skip
    assert reply.content == [{"type": "text", "text": "Hello."}]
    assert all(isinstance(event, Arrived) for event in told)
    assert told


@pytest.mark.parametrize("kind", [list, tuple, lambda m: json.dumps(m).encode()])
async def test_messages_alone(environment, kind):
    async with serving(streams(*SAYS)) as server:
        environment(server.url)
        await tapeview.replay_async(
            kind(BODY["messages"]), turn=2, model="m", members={"system": "s"}
        )
    assert json.loads(server.got[0].body) == {
        "messages": BODY["messages"][:3],
        "max_tokens": 8192,
        "model": "m",
        "system": "s",
        "stream": True,
    }


def test_a_file_in_a_program_without_a_loop():
    reply = tapeview.replay(Path(LOST), turn=2)
    assert reply.stop_reason == "tool_use"
    assert reply.content[-1]["name"] == "git_log"
    assert tapeview.replay(BODY, turn=1, endpoint="recording").content[1] == READ


async def test_inside_a_running_loop():
    with pytest.raises(CallError, match="replay_async"):
        tapeview.replay(BODY)


async def test_a_call_that_fails_is_an_exception(environment):
    async with serving(says(529, fault("overloaded_error", "Overloaded"))) as server:
        environment(server.url)
        with pytest.raises(CallFailed, match="endpoint environment is overloaded") as raised:
            await tapeview.replay_async(BODY)
    assert raised.value.trouble.kind == "overloaded"


async def test_what_had_arrived_is_in_the_exception(environment):
    async with serving(streams(*SAYS[:3])) as server:
        environment(server.url)
        with pytest.raises(CallFailed) as raised:
            await tapeview.replay_async(BODY)
    assert raised.value.trouble.reply.content == [{"type": "text", "text": "Hel"}]


async def test_a_cancelled_task_closes_the_connection(environment):
    arrived = asyncio.Event()
    async with serving(streams(*SAYS[:3], then=stalls)) as server:
        environment(server.url)
        task = asyncio.create_task(
            tapeview.replay_async(BODY, on_event=lambda event: arrived.set())
        )
        await asyncio.wait_for(arrived.wait(), 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.left.wait(), 10)


async def test_an_exception_of_the_callers_ends_the_call(environment):
    def enough(event):
        raise LookupError("enough")

    async with serving(streams(*SAYS[:3], then=stalls)) as server:
        environment(server.url)
        with pytest.raises(LookupError, match="enough"):
            await tapeview.replay_async(BODY, on_event=enough)
        await asyncio.wait_for(server.left.wait(), 10)


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        ({"tape": "nowhere.json"}, OpenError, "nowhere.json"),
        ({"tape": {"a": 1}}, OpenError, "messages"),
        ({"tape": BODY, "turn": 7}, PlaceError, "no turn 7"),
        ({"tape": BODY, "tape_id": "x"}, PlaceError, "no tape x"),
        ({"tape": BODY, "endpoint": "x"}, CallError, "there is no endpoint x"),
        ({"tape": BODY}, CallError, "the next call has no recorded reply"),
    ],
)
def test_what_cannot_be_asked_for(asked, error, said):
    with pytest.raises(error, match=said):
        tapeview.replay(**asked)


def test_no_client_is_loaded_before_a_call():
    script = (
        "import sys, tapeview\n"
        "tapeview.replay, tapeview.replay_async\n"
        "print({'anthropic', 'httpx2', 'genai_prices', 'aiohttp'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"
