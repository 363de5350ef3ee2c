"""Tapes, plans and endpoints for the tests of calls."""

import json

from tapeview.calls.draft import plan_call
from tapeview.calls.endpoints import Endpoint
from tests.helpers import open_bytes, snapshot_of

RECORDING = Endpoint("recording", "recording", "")
KEY = "sk-test-0123456789abcdef"

TOOLS = [{"name": "Read", "input_schema": {"type": "object"}}]
READ = {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"path": "a.py"}}
BODY = {
    "model": "claude-opus-4-5",
    "max_tokens": 900,
    "system": "Be brief.",
    "tools": TOOLS,
    "temperature": 1.0,
    "of_next_year": {"x": None},
    "messages": [
        {"role": "user", "content": "look at a.py"},
        {"role": "assistant", "content": [{"type": "text", "text": "I look."}, READ]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "x = 1"}],
        },
        {"role": "assistant", "content": "It sets x."},
        {"role": "user", "content": [{"type": "hologram", "n": 1.50}]},
    ],
}


def at(url, **members):
    """An endpoint of a test server, whose key is in the variable ``TEST_KEY``."""
    return Endpoint("test", base_url=str(url).rstrip("/"), key="TEST_KEY", **members)


def environ(**more):
    return {"TEST_KEY": KEY, **more}


def plan(endpoint=RECORDING, turn=None, body=BODY, **asked):
    """The plan of a call; asked members as Python values."""
    raw = {name: None if v is None else json.dumps(v).encode() for name, v in asked.items()}
    if isinstance(body, bytes):
        return plan_call(open_bytes(body).snapshot(), turn, endpoint, raw)
    return plan_call(snapshot_of(body), turn, endpoint, raw)
