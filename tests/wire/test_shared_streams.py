"""Streams that real clients took: ours have the same events, in the same order."""

import json
import os
import re
from pathlib import Path

import pytest
from anthropic.lib.streaming._messages import accumulate_event

from tests.wire.test_unroll import events

CAPTURES = sorted(Path(os.environ["TAPEVIEW_SHARED"], "captures").glob("*.json"))


def streams():
    """The streams that real clients took."""
    for path in CAPTURES:
        calls = json.loads(path.read_bytes())
        for number, found in enumerate(calls if isinstance(calls, list) else ()):
            if "message_stop" in found.get("response_sse", ""):
                yield pytest.param(found["response_sse"], id=f"{path.stem}-{number}")


def shape(values):
    """Events without texts: types, members of blocks, and no doubled neighbours."""
    rows = []
    for value in values:
        row = (value["type"], value.get("index"), value.get("delta", {}).get("type"))
        row += (tuple(sorted(value.get("content_block", ()))),)
        if value["type"] != "ping" and row not in rows[-1:]:
            rows.append(row)
    return rows


@pytest.mark.parametrize("stream", streams())
def test_streams_have_the_shape_of_those_that_real_clients_take(stream):
    values = [json.loads(data) for data in re.findall(r"^data: (.*)$", stream, re.MULTILINE)]
    snapshot, buffers = None, {}
    for value in values:
        if value["type"] != "ping":
            snapshot = accumulate_event(event=value, current_snapshot=snapshot, json_bufs=buffers)
    assert shape(events(snapshot.to_dict(warnings=False))) == shape(values)
