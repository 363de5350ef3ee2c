"""Running on: results that were recorded, and calls that the recording answers."""

import shutil
from pathlib import Path

import pytest
from msgspec import Raw

from tapeview.calls.draft import plan_call
from tapeview.calls.endpoints import endpoint_of
from tapeview.calls.own_reply import own_reply
from tapeview.calls.run import Call
from tapeview.calls.run_on import RunOn, played_stream, tape_of_edit
from tapeview.edit.operations import AppendReply, Branch
from tapeview.errors import CallError
from tapeview.open_session import load

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
RECORDING = endpoint_of("recording", {})


@pytest.fixture
def opened(tmp_path):
    return load(str(shutil.copy(SAMPLES / "healthy.jsonl", tmp_path)))


async def outcome_of(opened, tape, turn=None):
    plan = plan_call(opened.snapshot(tape), turn, RECORDING)
    outcome = None
    async for news in Call(plan, {}, played_stream(opened)).run():
        outcome = news
    return outcome


def branched(opened, turn):
    message = Raw(own_reply(opened.snapshot(), turn))
    edit = opened.apply(Branch(turn=turn, message=message))
    return tape_of_edit(opened.session.tapes, edit)


def bytes_of(opened):
    return b"".join(opened.session.written(opened.session, 0))


async def test_a_tape_that_is_replayed_offline_runs_on_to_the_end_of_the_prompt(opened):
    recorded = opened.snapshot()
    turn = next(t.number for t in recorded.index.turns if recorded.turn_facts[t.number].tools)
    tape = branched(opened, turn)
    assert tape == "branch:1"
    run = RunOn(recorded, turn)
    replies = 0
    while (step := run.next(opened.snapshot(tape))).operation is not None:
        opened.apply(step.operation)
        reply = await outcome_of(opened, tape)
        opened.apply(AppendReply(message=Raw(reply.message), tape=tape))
        replies += 1
    assert step.stops == "The reply calls no tool."
    assert replies > 0
    assert run.turn == turn + replies
    said = [m.role for m in opened.snapshot(tape).tape.messages]
    main = [m.role for m in recorded.tape.messages]
    assert said == main[: len(said)]
    for _ in range(1 + 2 * replies):
        opened.undo()
    assert bytes_of(opened) == Path(opened.session.path).read_bytes()


async def test_a_call_that_nothing_follows_has_no_own_reply(opened):
    with pytest.raises(CallError, match="no recorded reply follows these messages; name an endp"):
        await outcome_of(opened, "main")


async def test_a_turn_is_answered_by_its_own_reply(opened):
    reply = await outcome_of(opened, "main", 1)
    assert reply.stop_reason == "tool_use"


def test_an_edit_that_puts_nothing_in_has_no_tape(opened):
    edit = opened.apply(Branch(turn=1, message=Raw(own_reply(opened.snapshot(), 1))))
    assert tape_of_edit(opened.session.tapes, edit.inverse) == ""
