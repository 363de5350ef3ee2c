"""Requests of the real Claude Code, caught on their way, against what its session file gives."""

import json
import os
from pathlib import Path

import pytest

from tapeview.open_session import OpenSession
from tapeview.wire.request import request_of, sent_before
from tests.formats.samples import opened

CAPTURES = Path(os.environ["TAPEVIEW_SHARED"]) / "captures"
SESSION = "session_cc_interactive_compact_rewind.jsonl"


def requests(name):
    """The ``messages`` of each caught call of the conversation."""
    calls = json.loads((CAPTURES / name).read_bytes())
    return [call["body"]["messages"] for call in calls if call["path"] == "/v1/messages"]


def plain(messages):
    """Without what the file does not have: reminders, system messages, cache marks.

    Long texts were shortened in the captures, with a count of the rest, so only their beginnings
    are compared. A string is the same as one text block.
    """
    found = []
    for message in messages:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        kept = []
        for block in blocks:
            block = {key: value for key, value in block.items() if key != "cache_control"}
            if block["type"] == "text":
                block["text"] = block["text"].partition("\u2026")[0]
            if not block.get("text", "").startswith("<system-reminder>"):
                kept.append(block)
        if message["role"] != "system":
            found.append((message["role"], kept))
    return found


def built(raw, turn):
    snapshot = OpenSession(opened(raw)).snapshot()
    at = None if turn is None else snapshot.turn(turn)
    line = snapshot if turn is None else snapshot.line_of_turn(turn)
    messages = sent_before(line.index, line.tape.sent, at)
    return json.loads(request_of(snapshot.session, snapshot.tape, messages).body)["messages"]


def up_to(uuid):
    """The session file as it was when the line of that uuid had just been written."""
    lines = (CAPTURES / SESSION).read_bytes().split(b"\n")
    last = next(k for k, line in enumerate(lines) if f'"uuid": "{uuid}'.encode() in line)
    return b"\n".join(lines[: last + 1]) + b"\n"


@pytest.mark.parametrize(
    "name, number, uuid",
    [
        ("cc_int.json", 1, "413c47a9"),
        ("cc_int.json", 2, "32de9141"),
        ("cc_int.json", 3, "f77be8d7"),
        ("cc_int.json", 4, "cf4a225b"),
        ("cc_int.json", 6, "cdd62af4"),
        ("cc_int.json", 7, "0c4404e4"),
        ("cc_int2.json", 0, "a9d87d01"),
        ("cc_int2.json", 1, "e006c4f9"),
        ("cc_int2.json", 2, "6840dcc4"),
    ],
    ids=[
        "first prompt",
        "first result",
        "second prompt",
        "second result",
        "after compaction",
        "result after compaction",
        "interrupted",
        "after the interrupt",
        "after the rewind",
    ],
)
def test_a_call_is_built_as_it_was_sent(name, number, uuid):
    raw = up_to(uuid)
    numbers = OpenSession(opened(raw)).snapshot().turn_numbers
    assert plain(built(raw, numbers[-1])) == plain(requests(name)[number])
