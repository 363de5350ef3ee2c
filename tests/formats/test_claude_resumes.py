"""Edits whose result the real client refused, or read otherwise than it was meant."""

import json

import pytest

from tapeview.edit.operations import operations_from
from tests.formats.claude import line, reply, user, written
from tests.helpers import open_bytes

NOTE = line("attachment", "x1", "u1", attachment={"type": "skill_listing"})
LINES = (
    user("u1", None, "ask"),
    NOTE,
    reply("a1", "x1", "m1", "text"),
    reply("a2", "a1", "m1", "call:t1"),
    user("u2", "a2", "result:t1"),
    reply("a3", "u2", "m2", "done"),
)
WHOLE = {"first": "messages.0", "last": "messages.3", "text": "all"}
REST = {"first": "messages.2", "last": "messages.3", "text": "rest", "pairs": "both"}


def edited(*edits):
    """The lines of the file after the edits."""
    session = open_bytes(written(*LINES))
    for operation in operations_from(json.dumps(edits).encode()):
        session.apply(operation)
    raw = b"".join(session.session.written(session.session, 0))
    return [json.loads(text) for text in raw.splitlines()]


@pytest.mark.parametrize(
    "edits",
    [
        [{"op": "clear"}, {"op": "prepend", "text": "all"}],
        [{"op": "compact", **WHOLE}],
    ],
    ids=["cleared", "compacted"],
)
def test_the_only_message_has_a_time(edits):
    (message,) = [row for row in edited(*edits) if row["type"] == "user"]
    assert message["timestamp"] > "2026-01-01T10:00:01.000Z"


def test_what_is_put_in_never_hangs_below_a_line_that_goes():
    rows = edited({"op": "compact", **REST})
    (new,) = [row for row in rows if row.get("message", {}).get("content") == "rest"]
    assert new["parentUuid"] == "a1"
    assert [row["uuid"] for row in rows] == ["u1", "x1", "a1", new["uuid"]]


def test_a_prompt_that_becomes_a_reply_is_spelled_like_one():
    rows = edited({"op": "set", "at": "messages.0", "member": "role", "value": "assistant"})
    message = rows[0]["message"]
    assert rows[0]["type"] == message["role"] == "assistant"
    assert message["content"] == [{"type": "text", "text": "ask"}]
    assert message["id"].startswith("msg_")
    assert message["model"] == "demo"
    assert {"type", "stop_reason", "stop_sequence", "usage"} < message.keys()


def test_a_turn_goes_with_its_results():
    rows = edited({"op": "delete_turn", "turn": 1})
    assert [row["uuid"] for row in rows] == ["u1", "x1", "a3"]
    assert rows[2]["parentUuid"] == "x1"
