"""Runs of Chat's tool messages: what answers what, by position alone."""

import json

import pytest

from tapeview.shapes.openai_chat import OpenAIChatShape
from tapeview.tape.block import Place
from tapeview.tape.message import Message, message_of
from tapeview.tape.record import Record
from tapeview.tape.tool_run import tool_runs

SHAPE = OpenAIChatShape()
USER = {"role": "user", "content": "x"}
REPLY = {"role": "assistant", "content": "x"}
SYSTEM = {"role": "system", "content": "x"}
FUNCTION = {"role": "function", "name": "look", "content": "x"}


def calls(*identities: str | None) -> dict[str, object]:
    made = [
        {"id": identity, "type": "function", "function": {"name": "look", "arguments": "{}"}}
        for identity in identities
    ]
    return {"role": "assistant", "content": None, "tool_calls": made}


def answer(identity: str | None) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": identity, "content": "x"}


def message(body: dict[str, object]) -> Message:
    reading = SHAPE.read(json.dumps(body).encode())
    record = Record(0, 0, 1, "message", reading.role, reading.spelled_role, reading.blocks)
    return message_of([record])


@pytest.mark.parametrize(
    ("bodies", "runs"),
    [
        ([], []),
        ([USER, REPLY, USER], []),
        ([calls("a"), answer("a")], [(0, 2, [], [])]),
        ([calls("a", "b"), answer("b"), answer("a")], [(0, 3, [], [])]),
        ([calls("a", "b"), answer("b"), REPLY], [(0, 2, [], [(0, 0)])]),
        ([calls("a")], [(0, 1, [], [(0, 0)])]),
        ([calls("a", "a")], [(0, 1, [], [(0, 0)])]),
        ([calls("a", "a"), answer("a")], [(0, 2, [], [])]),
        ([calls("a"), answer("a"), answer("a")], [(0, 3, [2], [])]),
        ([calls("a"), answer("z")], [(0, 2, [1], [(0, 0)])]),
        ([calls("a"), USER, answer("a")], [(0, 1, [], [(0, 0)]), (2, 3, [2], [])]),
        ([calls("a"), SYSTEM, answer("a")], [(0, 1, [], [(0, 0)]), (2, 3, [2], [])]),
        ([calls("a"), FUNCTION], [(0, 1, [], [(0, 0)])]),
        ([answer("a"), answer("b"), REPLY], [(0, 2, [0, 1], [])]),
        ([calls("a"), calls("b"), answer("b")], [(0, 1, [], [(0, 0)]), (1, 3, [], [])]),
        ([calls(None, "b"), answer(None), answer("b")], [(0, 3, [], [])]),
    ],
)
def test_runs(bodies, runs):
    found = tool_runs([message(body) for body in bodies])
    assert [
        (
            run.start,
            run.end,
            [place.message for place in run.strays],
            [(place.message, place.block) for place in run.unanswered],
        )
        for run in found
    ] == runs


def test_a_run_keeps_the_first_answer_of_each_call():
    (run,) = tool_runs([message(b) for b in (calls("a", "b"), answer("b"), answer("a"))])
    assert run.calls == {"a": Place(0, 0), "b": Place(0, 1)}
    assert run.answers == {"b": Place(1, 0), "a": Place(2, 0)}
