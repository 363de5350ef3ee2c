"""Runs of Chat's ``tool`` messages, and the calls that each must answer.

Chat pairs by position: the ``tool`` messages directly after an assistant message answer its
``tool_calls``, in any order, and nothing may stand between (``rules.md`` 5). Sides do not matter.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from tapeview.tape.block import Place
from tapeview.tape.link import has_id
from tapeview.tape.message import Message

__all__ = ["ToolRun", "tool_runs"]


class ToolRun(msgspec.Struct, frozen=True, eq=False):
    """An assistant message with ``tool_calls`` and the ``tool`` messages directly after it."""

    start: int
    """The assistant message; for tool messages that follow none, the first of them."""
    end: int
    """The message after the run, or the array's length."""
    calls: Mapping[str, Place]
    """The first call of each id."""
    answers: Mapping[str, Place]
    """The first answer to each of those ids."""
    strays: tuple[Place, ...]
    """Tool messages whose id nobody waits for, a second answer among them."""
    unanswered: tuple[Place, ...]
    """Calls without an answer in the run."""


def tool_runs(messages: Sequence[Message]) -> tuple[ToolRun, ...]:
    """The runs of a Chat array, in order."""
    runs: list[ToolRun] = []
    number = 0
    while number < len(messages):
        calls = dict(_calls(number, messages[number]))
        if not calls and messages[number].spelled_role != "tool":
            number += 1
            continue
        runs.append(_run(messages, number, calls))
        number = runs[-1].end
    return tuple(runs)


def _calls(number: int, message: Message) -> Iterator[tuple[str, Place]]:
    """The message's calls by id, the last first, so that a dict keeps the first of equal ids."""
    if message.spelled_role != "assistant":
        return
    for k in reversed(range(len(message.blocks))):
        block = message.blocks[k]
        if block.path[:1] == ("tool_calls",) and has_id(block):
            yield block.id, Place(number, k)


def _run(messages: Sequence[Message], start: int, calls: Mapping[str, Place]) -> ToolRun:
    number = start + bool(calls)
    answers: dict[str, Place] = {}
    strays: list[Place] = []
    while number < len(messages) and messages[number].spelled_role == "tool":
        place = Place(number, 0)
        for answer in messages[number].blocks[:1]:
            if not has_id(answer):
                continue
            if answer.id in calls and answer.id not in answers:
                answers[answer.id] = place
            else:
                strays.append(place)
        number += 1
    unanswered = sorted(place for call, place in calls.items() if call not in answers)
    return ToolRun(start, number, calls, answers, tuple(strays), tuple(unanswered))
