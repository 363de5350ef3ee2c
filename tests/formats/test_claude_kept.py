"""What a compaction keeps stays on the tape, whatever is edited around it."""

import json

import pytest

from tapeview.edit.operations import operations_from
from tests.formats.claude import reply, system, user, written
from tests.helpers import open_bytes

FIRST = (
    user("u1", None, "ask"),
    reply("a1", "u1", "m1", "kept"),
    user("u2", "a1", "kept too"),
    reply("a2", "u2", "m2", "kept last"),
)
THEN = (
    user("s1", "b1", "summary", isCompactSummary=True, isVisibleInTranscriptOnly=True),
    user("u3", "s1", "go on"),
    reply("a3", "u3", "m3", "done"),
)
SEGMENT = {"headUuid": "a1", "anchorUuid": "s1", "tailUuid": "a2"}
LISTED = {"anchorUuid": "s1", "uuids": ["a1", "u2", "a2"], "allUuids": ["a1", "u2", "a2"]}
OLDER = {"trigger": "manual", "preservedSegment": SEGMENT}
NEWER = OLDER | {"preservedMessages": LISTED}


def edited(meta, *edits):
    """The texts of the tape after the edits, and what the boundary says then."""
    boundary = system("b1", None, "compact_boundary", logicalParentUuid="a2", compactMetadata=meta)
    session = open_bytes(written(*FIRST, boundary, *THEN))
    for operation in operations_from(json.dumps(edits).encode()):
        session.apply(operation)
    again = open_bytes(b"".join(session.session.written(session.session, 0)))
    texts = [
        part.text
        for message in again.session.main.messages
        for found in message.blocks
        for part in again.session.shape.parts(
            again.session.message_of(message.record_of(found)), found
        )
    ]
    lines = (json.loads(again.session.bytes_of(record)) for record in again.session.records)
    return texts, next(row["compactMetadata"] for row in lines if "compactMetadata" in row)


def insert(role="user", **place):
    return {"op": "insert", "role": role, "content": "new", **place}


def delete(*at):
    return {"op": "delete", "at": [f"messages.{number}" for number in at]}


WHOLE = ["summary", "kept", "kept too", "kept last", "go on", "done"]
CASES = {
    "nothing": ([], WHOLE),
    "behind the summary": ([insert(after="messages.0")], ["summary", "new", *WHOLE[1:]]),
    "among them": (
        [insert(after="messages.1")],
        ["summary", "kept", "new", "kept too", "kept last", "go on", "done"],
    ),
    "behind them": (
        [insert(after="messages.3")],
        ["summary", "kept", "kept too", "kept last", "new", "go on", "done"],
    ),
    "two behind them": (
        [insert(after="messages.3"), insert("assistant", before="messages.5")],
        ["summary", "kept", "kept too", "kept last", "new", "go on", "new", "done"],
    ),
    "the first out": ([delete(1)], ["summary", "kept too", "kept last", "go on", "done"]),
    "the last out": ([delete(3)], ["summary", "kept", "kept too", "go on", "done"]),
    "all out": ([delete(1, 2, 3)], ["summary", "go on", "done"]),
    "the summary out": ([delete(0)], WHOLE[1:]),
}


@pytest.mark.parametrize("meta", [OLDER, NEWER], ids=["segment", "list"])
@pytest.mark.parametrize("edits, texts", CASES.values(), ids=CASES.keys())
def test_the_tape_is_what_was_asked_for(meta, edits, texts):
    assert edited(meta, *edits)[0] == texts


@pytest.mark.parametrize("edits, texts", CASES.values(), ids=CASES.keys())
def test_the_boundary_lists_the_lines_that_it_names_the_ends_of(edits, texts):
    _, meta = edited(NEWER, *edits)
    if "preservedSegment" not in meta:
        assert meta == {"trigger": "manual"}
        return
    segment, listed = meta["preservedSegment"], meta["preservedMessages"]
    assert listed["uuids"] == listed["allUuids"]
    assert segment["headUuid"] == listed["uuids"][0]
    assert segment["tailUuid"] == listed["uuids"][-1]
    assert segment["anchorUuid"] == listed["anchorUuid"]


@pytest.mark.parametrize("odd", [5, "x", [1], {"uuids": 5}, {"uuids": [5]}, {}])
def test_a_list_of_odd_types_is_no_list(odd):
    texts, _ = edited(OLDER | {"preservedMessages": odd}, insert(after="messages.0"))
    assert texts[:2] == ["summary", "new"]


def test_a_boundary_that_no_edit_concerns_stays_as_it_is():
    assert edited(NEWER, insert())[1] == NEWER
