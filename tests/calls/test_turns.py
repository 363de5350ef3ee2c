"""A player that several clients ask: one at a time, and a turn that nobody got comes again."""

import asyncio
import json
import threading

import pytest

from tapeview.calls.asked import Refusal
from tapeview.calls.player import Player
from tapeview.calls.turns import Turns
from tests.calls.tapes import answered, asks, player, request

PATIENCE = 30
"""Seconds until a test that hangs fails."""
ASKED = request(asks("hi"))


class Held:
    """A player of equal calls that thinks until it is let go, and tells how many think at once."""

    def __init__(self, *replies):
        calls = [call for words in replies for call in player(asks("hi"), answered(words)).calls]
        self.inner = Player(calls, "run.json")
        self.may_go = threading.Event()
        self.thinks = asyncio.Event()
        self.loop = asyncio.get_running_loop()
        self.asked = self.inside = self.most = 0
        self.fails = False

    def answer(self, body):
        self.asked += 1
        self.inside += 1
        self.most = max(self.most, self.inside)
        self.loop.call_soon_threadsafe(self.thinks.set)
        assert self.may_go.wait(PATIENCE)
        self.inside -= 1
        if self.fails:
            self.fails = False
            raise ZeroDivisionError
        return self.inner.answer(body)

    def __getattr__(self, name):
        return getattr(self.inner, name)


def words_of(answer):
    return json.loads(answer.message)["content"][0]["text"]


@pytest.fixture
async def held():
    one = Held("one", "two", "three")
    yield one
    one.may_go.set()


async def left(task):
    """A client that leaves."""
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_turn_whose_client_left_meanwhile_comes_again(held):
    async with asyncio.timeout(PATIENCE):
        turns = Turns(held)
        first = asyncio.create_task(turns.answer(ASKED))
        await held.thinks.wait()
        again = asyncio.create_task(turns.answer(ASKED))
        await left(first)
        held.may_go.set()
        assert words_of(await again) == "one"
        assert words_of(await turns.answer(ASKED)) == "two"


async def test_two_threads_are_never_in_the_player(held):
    async with asyncio.timeout(PATIENCE):
        turns = Turns(held)
        asking = [asyncio.create_task(turns.answer(ASKED)) for _ in range(4)]
        await held.thinks.wait()
        await left(asking[0])
        held.may_go.set()
        answers = [words_of(answer) for answer in await asyncio.gather(*asking[1:])]
        assert (answers, held.most) == (["one", "two", "three"], 1)


async def test_nothing_is_thought_about_for_who_left_while_waiting(held):
    async with asyncio.timeout(PATIENCE):
        turns = Turns(held)
        first, second = (asyncio.create_task(turns.answer(ASKED)) for _ in range(2))
        await held.thinks.wait()
        await left(second)
        held.may_go.set()
        assert words_of(await first) == "one"
        assert words_of(await turns.answer(ASKED)) == "two"
        assert held.asked == 2


async def test_an_answer_that_was_not_sent_is_for_the_next(held):
    held.may_go.set()
    turns = Turns(held)
    first = await turns.answer(ASKED)
    second = await turns.answer(ASKED)
    turns.give_back(first)
    assert [words_of(first), words_of(second)] == ["one", "two"]
    assert [words_of(await turns.answer(ASKED)) for _ in range(2)] == ["one", "three"]


async def test_a_thought_that_failed_takes_no_turn(held):
    held.fails = True
    async with asyncio.timeout(PATIENCE):
        turns = Turns(held)
        first = asyncio.create_task(turns.answer(ASKED))
        await held.thinks.wait()
        await left(first)
        held.may_go.set()
        assert words_of(await turns.answer(ASKED)) == "one"
        held.fails = True
        with pytest.raises(ZeroDivisionError):
            await turns.answer(ASKED)
        assert words_of(await turns.answer(ASKED)) == "two"


async def test_a_refusal_takes_no_turn(held):
    async with asyncio.timeout(PATIENCE):
        turns = Turns(held)
        first = asyncio.create_task(turns.answer(b"{"))
        await held.thinks.wait()
        await left(first)
        held.may_go.set()
        assert isinstance(await turns.answer(b"{"), Refusal)
        assert words_of(await turns.answer(ASKED)) == "one"


async def test_tokens_are_counted():
    assert await Turns(player(asks("hi"), answered("one"))).count(ASKED) == 8
