"""The recorded reply, as the API would answer it."""

import json
from pathlib import Path

import pytest

from tapeview.calls.draft import plan_call
from tapeview.calls.own_reply import own_reply, own_stream
from tapeview.errors import CallError
from tapeview.open_session import load
from tapeview.wire.assemble import Assembler
from tests.calls.helpers import BODY, RECORDING, plan
from tests.helpers import snapshot_of

SAMPLES = Path(__file__).parents[2] / "sample_sessions"


async def streamed(made):
    assembler = Assembler()
    async for chunk in own_stream(made):
        assembler.feed(chunk)
    assert assembler.is_ended
    return json.loads(assembler.message())


def test_the_reply_of_a_turn():
    snapshot = snapshot_of(BODY)
    assert own_reply(snapshot, None) is None
    first = json.loads(own_reply(snapshot, 1))
    assert first.pop("id").startswith("msg_")
    assert first.pop("usage").keys() == {"input_tokens", "output_tokens"}
    assert first == {
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-4-5",
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "content": BODY["messages"][1]["content"],
    }
    second = json.loads(own_reply(snapshot, 2))
    assert (second["stop_reason"], second["content"]) == (
        "end_turn",
        [{"type": "text", "text": "It sets x."}],
    )


def test_what_the_harness_kept_of_the_reply():
    snapshot = load(str(SAMPLES / "healthy.jsonl")).snapshot()
    reply = json.loads(own_reply(snapshot, 1))
    assert reply["id"].startswith("msg_")
    assert reply["usage"]["output_tokens"] > 0
    assert [block["type"] for block in reply["content"]][-1] == "tool_use"


def test_chat_is_answered_in_the_spelling_of_the_messages_api():
    snapshot = load(str(SAMPLES / "refund.json")).snapshot()
    kinds = {b["type"] for b in json.loads(own_reply(snapshot, 1))["content"]}
    assert "tool_use" in kinds


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.json*")), ids=lambda path: path.name)
async def test_every_turn_of_the_samples_is_streamed_as_it_was(path):
    snapshot = load(str(path)).snapshot()
    for number in snapshot.turn_numbers:
        reply = json.loads(own_reply(snapshot, number))
        message = await streamed(plan_call(snapshot, number, RECORDING))
        assert message["content"] == reply["content"]
        assert message["stop_reason"] == reply["stop_reason"]


async def test_the_next_call_has_no_own_reply():
    with pytest.raises(CallError, match="the next call has no recorded reply; name a turn"):
        await streamed(plan())
