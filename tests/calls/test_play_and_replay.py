"""A tape that stands in for the model answers the calls that are made again out of it."""

import json
from pathlib import Path

import pytest

import tapeview
from tapeview.calls.own_reply import own_reply
from tapeview.open_session import load

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
WHOLE = ("healthy.jsonl", "compacted.jsonl", "release-check.json", "loop.json", "legacy.json")


@pytest.mark.parametrize("name", WHOLE)
async def test_every_call_comes_back_as_it_was(name, monkeypatch):
    path = SAMPLES / name
    snapshot = load(str(path)).snapshot()
    with tapeview.play(path) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        for number in [turn.number for turn in snapshot.index.turns]:
            reply = await tapeview.replay_async(path, turn=number, model="any")
            own = json.loads(own_reply(snapshot, number))
            assert [_said(block) for block in reply.content] == [_said(b) for b in own["content"]]
            assert reply.stop_reason == own["stop_reason"]
            assert not reply.is_cut


def _said(block):
    """A block without the id of a call: that of Chat may be no id of the Messages API."""
    return {name: value for name, value in block.items() if name != "id"}
