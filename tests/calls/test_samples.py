"""Every sample played to an agent on the real SDK, over real HTTP."""

from pathlib import Path

import anthropic
import pytest

import tapeview
from tapeview.calls.recorded import in_api_words
from tapeview.open_session import load
from tapeview.snapshot import by_rank
from tests.calls.agent import Agent, neutral, request_body
from tests.helpers import snapshot_of

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
TAPES = [
    pytest.param(path, tape.id, id=f"{path.name} {tape.id}")
    for path in sorted(SAMPLES.glob("*.json*"))
    for tape in load(str(path)).session.tapes
]


def first_fault(opened, tape):
    """The number of the first call that sends a fault, and what the API says of it."""
    turns = [turn.number for turn in opened.snapshot(tape).index.turns]
    for number, turn in enumerate([*turns, None]):
        body = request_body(opened, tape, turn) | {"model": "claude-x"}
        sent = snapshot_of(body, "request") if body["messages"] else None
        errors = [f for f in by_rank(sent.own_findings) if f.severity == "error"] if sent else []
        if errors:
            return number, errors[0].api_message
    return None


@pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("path, tape", TAPES)
def test_an_agent_plays_through_a_sample(path, tape, streamed):
    opened, _ = in_api_words(load(str(path)))
    fault = first_fault(opened, tape)
    body = request_body(opened, tape)
    with tapeview.play(path, strict=True) as url, Agent(url, body, streamed) as agent:
        if fault is None:
            assert neutral(agent.run()) == neutral(body["messages"])
            return
        with pytest.raises(anthropic.BadRequestError) as refused:
            agent.run()
            agent.ask()
    number, message = fault
    assert len(agent.replies) == number
    assert refused.value.body["error"] == {"type": "invalid_request_error", "message": message}
    assert refused.value.request_id == refused.value.body["request_id"]
