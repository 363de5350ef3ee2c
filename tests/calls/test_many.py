"""The same call several times, over real HTTP."""

import asyncio
import json

import pytest

from tapeview.calls.many import many
from tapeview.calls.reply import Arrived, Reply
from tapeview.errors import CallError
from tests.calls.helpers import READ, at, environ, plan
from tests.calls.server import fault, says, serving, stalls, streams
from tests.wire.streams import begin, call, end, text

AS_RECORDED = streams(
    begin(), *call(0, "toolu_9", "Read", '{ "path": "a.', 'py" }'), *end("tool_use")
)
OTHER = streams(begin(), *call(0, "toolu_8", "Read", '{"path": "b.py"}'), *end("tool_use"))
WORDS = streams(begin(), *text(0, "No tool ", "needed."), *end())
WORDS_AGAIN = streams(begin(), *text(0, "No tool\nneeded."), *end())
BUSY = says(529, fault("overloaded_error", "Overloaded"))


def in_turn(*answers):
    waiting = list(answers)

    async def answer(request):
        return await waiting.pop(0)(request)

    return answer


async def test_how_often_each_decision_came():
    answers = [WORDS, AS_RECORDED, OTHER, AS_RECORDED, BUSY, WORDS_AGAIN, AS_RECORDED]
    async with serving(in_turn(*answers)) as server:
        tally = await many(plan(at(server.url), turn=1), len(answers), environ(), at_once=1)
    assert [
        (c.count, c.is_recorded, c.decision.calls or c.decision.text) for c in tally.choices
    ] == [
        (3, True, (("Read", '{"path":"a.py"}'),)),
        (2, False, "No tool needed."),
        (1, False, (("Read", '{"path":"b.py"}'),)),
    ]
    assert tally.recorded == tally.choices[0].decision
    assert [trouble.kind for trouble in tally.failures] == ["overloaded"]
    assert (tally.times, len(tally.replies)) == (7, 6)
    example = json.loads(tally.choices[2].example.message)
    assert example["content"][0]["id"] == "toolu_8"


async def test_the_next_call_has_nothing_recorded_beside_it():
    async with serving(WORDS) as server:
        tally = await many(plan(at(server.url)), 2, environ())
    assert tally.recorded is None
    assert [choice.is_recorded for choice in tally.choices] == [False]


async def test_no_more_at_once_than_asked_for():
    under_way, most = 0, 0
    go = asyncio.Event()

    async def answer(request):
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        if under_way == 3:
            go.set()
        await go.wait()
        response = await WORDS(request)
        under_way -= 1
        return response

    async with serving(answer) as server:
        tally = await many(plan(at(server.url)), 9, environ(), at_once=3)
    assert len(tally.replies) == 9
    assert most == 3


async def test_each_event_is_told_with_its_call():
    seen = []
    async with serving(in_turn(WORDS, BUSY)) as server:
        await many(
            plan(at(server.url)),
            2,
            environ(),
            1,
            lambda number, event: seen.append((number, event)),
        )
    assert {number for number, event in seen if isinstance(event, Arrived)} == {0}
    assert [number for number, event in seen if isinstance(event, Reply)] == [0]
    assert seen[-1][0] == 1


async def test_cancelling_ends_all_calls():
    started = asyncio.Semaphore(0)
    left = asyncio.Semaphore(0)

    async def answer(request):
        started.release()
        try:
            await stalls(request, None)
        finally:
            left.release()

    async with serving(answer) as server:
        task = asyncio.create_task(many(plan(at(server.url)), 5, environ(), at_once=2))
        for _ in range(2):
            await asyncio.wait_for(started.acquire(), 20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        for _ in range(2):
            await asyncio.wait_for(left.acquire(), 20)
        assert len(server.got) == 2


async def test_what_cannot_leave_at_all_is_an_error():
    with pytest.raises(CallError, match="TEST_KEY is not set"):
        await many(plan(at("http://127.0.0.1:9")), 3, {})


async def test_the_recording_decides_as_recorded():
    tally = await many(plan(turn=1), 3, {})
    assert [(choice.count, choice.is_recorded) for choice in tally.choices] == [(3, True)]
    assert tally.recorded.calls == (("Read", json.dumps(READ["input"], separators=(",", ":"))),)
