"""Replies that real programs and a real model were sent."""

import json
import os
from pathlib import Path

import pytest

from tapeview.wire.assemble import Assembler
from tapeview.wire.sse import EventReader
from tests.wire.test_assemble import by_the_sdk

CAPTURES = Path(os.environ["TAPEVIEW_SHARED"]) / "captures"


def streams():
    yield "model", (CAPTURES / "real_model_tool_use.sse").read_bytes()
    for path in sorted(CAPTURES.glob("*.json")):
        for call in json.loads(path.read_bytes()):
            if isinstance(call, dict) and "response_sse" in call:
                yield f"{path.stem}-{call['n']}", call["response_sse"].encode()


STREAMS = dict(streams())


@pytest.mark.parametrize("raw", STREAMS.values(), ids=STREAMS)
def test_the_sdk_makes_the_same_message(raw):
    assembler = Assembler()
    assembler.feed(raw)
    assert not assembler.garbage
    events = [json.loads(event.data) for event in EventReader().feed(raw)]
    theirs = by_the_sdk([event for event in events if event["type"] != "error"])
    ours = json.loads(assembler.message())
    if assembler.is_whole:
        for block in (*ours["content"], *theirs["content"]):
            block.pop("caller", None)
        assert ours["content"] == theirs["content"]
    assert ours["stop_reason"] == theirs["stop_reason"]
    assert assembler.is_whole == any(event["type"] == "message_stop" for event in events)


def test_a_real_models_call():
    assembler = Assembler()
    assembler.feed(STREAMS["model"])
    block = json.loads(assembler.message())["content"][0]
    assert (block["name"], block["input"]) == ("get_weather", {"city": "Paris"})
