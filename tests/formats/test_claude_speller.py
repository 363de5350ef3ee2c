"""Edits of Claude Code sessions: which lines change, how new ones are spelled, and that it resumes.

A line is written ``uuid<parent``; lines that were put in are called ``+1``, ``+2`` in the order of
the file.
"""

import json

import pytest

from tapeview.edit.operations import operations_from
from tapeview.errors import EditError, PairSplit
from tests.edit.test_properties import said
from tests.formats.claude import line, reply, system, user, written
from tests.helpers import open_bytes

FACTS = {"cwd": "/w", "version": "2.1.0", "isSidechain": False}


def saved_after(raw, *operations):
    opened = open_bytes(raw)
    for operation in operations_from(json.dumps(operations).encode()):
        opened.apply(operation)
    saved = b"".join(opened.session.written(opened.session, 0))
    if opened.session.main.messages:
        assert said(open_bytes(saved).session) == said(opened.session)
    again = open_bytes(raw)
    for operation in operations_from(json.dumps(operations).encode()):
        again.apply(operation)
    assert b"".join(again.session.written(again.session, 0)) == saved
    while opened.undo():
        pass
    assert b"".join(opened.session.written(opened.session, 0)) == raw
    return saved


def rows(raw):
    return [json.loads(text) for text in raw.split(b"\n") if text.startswith(b"{")]


def named(saved, raw):
    """The file's lines as ``uuid<parent``, new uuids counted."""
    known = {row.get("uuid") for row in rows(raw)}
    names = {None: "-"}
    for row in rows(saved):
        uuid = row.get("uuid")
        if uuid not in known and uuid not in names:
            names[uuid] = f"+{len(names)}"
    return " ".join(
        f"{names.get(row['uuid'], row['uuid'])}<{names.get(row['parentUuid'], row['parentUuid'])}"
        for row in rows(saved)
        if "uuid" in row
    )


def main_of(saved):
    session = open_bytes(saved).session
    return " ".join(f"{m.role[0]}{len(m.blocks)}" for m in session.main.messages)


PLAIN = written(
    user("u1", None, "ask", **FACTS),
    reply("a1", "u1", "m1", "I look"),
    reply("a2", "a1", "m1", "call:t"),
    user("r1", "a2", "result:t", toolUseResult={"stdout": "ok", "stderr": ""}),
    reply("a3", "r1", "m2", "done"),
    user("u2", "a3", "more"),
    reply("a4", "u2", "m3", "bye"),
)
PARALLEL = written(
    user("u1", None, "ask"),
    reply("a1", "u1", "m1", "call:s"),
    reply("a2", "a1", "m1", "call:t"),
    user("r1", "a1", "result:s"),
    user("r2", "a2", "result:t"),
    reply("a3", "r2", "m2", "done"),
)
PROGRESS = written(
    user("u1", None, "ask"),
    line("progress", "p1", "u1", data={}),
    reply("a1", "p1", "m1", "one"),
    line("attachment", "n1", "a1", attachment={"type": "file"}),
    user("u2", "n1", "more"),
    reply("a2", "u2", "m2", "two"),
)
REWOUND = written(
    user("u1", None, "ask"),
    reply("a1", "u1", "m1", "one"),
    user("u2", "a1", "this way"),
    reply("a2", "u2", "m2", "two"),
    user("u3", "a1", "that way", at=1),
    reply("a3", "u3", "m3", "three", at=9),
)
LATE_BRANCH = written(
    user("u1", None, "ask"),
    reply("a1", "u1", "m1", "one"),
    user("u2", "a1", "left"),
    reply("a2", "u2", "m2", "left two", at=8),
    user("u3", "a1", "kept"),
    reply("a3", "u3", "m3", "kept two"),
    user("u4", "a3", "go on"),
    reply("a4", "u4", "m4", "end", at=20),
)
COMPACTED = written(
    user("u1", None, "ask"),
    reply("a1", "u1", "m1", "one"),
    system("b1", None, "compact_boundary", logicalParentUuid="a1"),
    user("s1", "b1", "summary", isCompactSummary=True),
    reply("a2", "s1", "m2", "two"),
)
KEPT = written(
    user("u1", None, "ask"),
    reply("a1", "u1", "m1", "one"),
    user("u2", "a1", "kept ask"),
    reply("a2", "u2", "m2", "kept reply"),
    system(
        "b1",
        None,
        "compact_boundary",
        logicalParentUuid="a2",
        compactMetadata={
            "trigger": "auto",
            "preservedSegment": {"headUuid": "u2", "anchorUuid": "s1", "tailUuid": "a2"},
        },
    ),
    user("s1", "b1", "summary", isCompactSummary=True),
    user("u3", "s1", "go on"),
    reply("a3", "u3", "m3", "end"),
)
TWICE = written(
    user("u1", None, "ask"),
    user("u2", "u1", "old words"),
    user("u2", "u1", "new words"),
    reply("a1", "u2", "m1", "one"),
)
LOST = written(
    user("u1", None, "ask"),
    reply("a1", "u1", "m1", "one"),
    user("u2", "gone", "more"),
    reply("a2", "u2", "m2", "two"),
)
CYCLE = written(
    user("u1", "a2", "ask"),
    reply("a1", "u1", "m1", "one"),
    user("u2", "a1", "more"),
    reply("a2", "u2", "m2", "two"),
)

HANGS = [
    ("children of what goes move up", PLAIN, {"op": "delete", "at": ["messages.3"]},
     "u1<- a1<u1 a2<a1 r1<a2 u2<r1 a4<u2", "u1 a2 u2 a1"),
    ("a pair goes", PLAIN, {"op": "delete", "at": ["messages.1.content.1"], "pairs": "both"},
     "u1<- a1<u1 a3<a1 u2<a3 a4<u2", "u1 a1 a1 u1 a1"),
    ("the first goes", PLAIN, {"op": "delete", "at": ["messages.0"]},
     "a1<- a2<a1 r1<a2 a3<r1 u2<a3 a4<u2", "a2 u1 a1 u1 a1"),
    ("a message between", PLAIN, {"op": "insert", "role": "user", "content": "new", "before": "messages.3"},
     "u1<- a1<u1 a2<a1 r1<a2 +1<r1 a3<+1 u2<a3 a4<u2", "u1 a2 u2 a1 u1 a1"),
    ("a reply of two blocks", PLAIN,
     {"op": "insert", "role": "assistant", "content": [{"type": "text", "text": "x"}, {"type": "text", "text": "y"}], "after": "messages.4"},
     "u1<- a1<u1 a2<a1 r1<a2 a3<r1 u2<a3 +1<u2 +2<+1 a4<+2", "u1 a2 u1 a1 u1 a2 a1"),
    ("at the end", PLAIN, {"op": "insert", "role": "user", "content": "new"},
     "u1<- a1<u1 a2<a1 r1<a2 a3<r1 u2<a3 a4<u2 +1<a4", "u1 a2 u1 a1 u1 a1 u1"),
    ("in front", PLAIN, {"op": "prepend", "text": "facts"},
     "+1<- u1<+1 a1<u1 a2<a1 r1<a2 a3<r1 u2<a3 a4<u2", "u2 a2 u1 a1 u1 a1"),
    ("a block is a line of its reply", PLAIN,
     {"op": "insert_block", "block": {"type": "text", "text": "x"}, "after": "messages.1.content.0"},
     "u1<- a1<u1 +1<a1 a2<+1 r1<a2 a3<r1 u2<a3 a4<u2", "u1 a3 u1 a1 u1 a1"),
    ("a move keeps its name", PLAIN, {"op": "move", "at": "messages.4", "before": "messages.0"},
     "u2<- u1<u2 a1<u1 a2<a1 r1<a2 a3<r1 a4<a3", "u2 a2 u1 a1 a1"),
    ("cut", PLAIN, {"op": "cut", "after": "messages.2"}, "u1<- a1<u1 a2<a1 r1<a2", "u1 a2 u1"),
    ("compact", PLAIN, {"op": "compact", "first": "messages.0", "last": "messages.3", "text": "sum"},
     "+1<- u2<+1 a4<u2", "u2 a1"),
    ("split", PLAIN, {"op": "split", "at": "messages.1.content.1"},
     "u1<- a1<u1 a2<a1 r1<a2 a3<r1 u2<a3 a4<u2", "u1 a1 a1 u1 a1 u1 a1"),
    ("parallel: one pair goes", PARALLEL, {"op": "delete", "at": ["messages.1.content.0"], "pairs": "both"},
     "u1<- a2<u1 r2<a2 a3<r2", "u1 a1 u1 a1"),
    ("parallel: between calls and results", PARALLEL,
     {"op": "insert", "role": "assistant", "content": "x", "after": "messages.1"},
     "u1<- a1<u1 a2<a1 +1<a2 r1<+1 r2<r1 a3<r2", "u1 a2 a1 u2 a1"),
    ("parallel: behind the results", PARALLEL, {"op": "insert", "role": "user", "content": "x", "after": "messages.2"},
     "u1<- a1<u1 a2<a1 r1<a1 r2<a2 +1<r2 a3<+1", "u1 a2 u3 a1"),
    ("progress: the line above goes", PROGRESS, {"op": "delete", "at": ["messages.0"]},
     "p1<- a1<p1 n1<a1 u2<n1 a2<u2", "a1 u1 a1"),
    ("progress: a line behind it", PROGRESS, {"op": "insert", "role": "user", "content": "x", "after": "messages.0"},
     "u1<- +1<u1 p1<u1 a1<+1 n1<a1 u2<n1 a2<u2", "u2 a1 u1 a1"),
    ("a note stays on the chain", PROGRESS, {"op": "insert", "role": "user", "content": "x", "after": "messages.1"},
     "u1<- p1<u1 a1<p1 +1<a1 n1<+1 u2<n1 a2<u2", "u1 a1 u2 a1"),
    ("rewound: main is cut to the fork", REWOUND, {"op": "cut", "after": "messages.1"},
     "u1<- a1<u1 u2<a1 a2<u2 +1<a1", "u1 a1"),
    ("rewound: main is cut above an older branch's time", LATE_BRANCH, {"op": "cut", "after": "messages.3"},
     "u1<- a1<u1 u2<a1 a2<u2 u3<a1 a3<u3", "u1 a1 u1 a1"),
    ("compacted: in front", COMPACTED, {"op": "prepend", "text": "facts"},
     "u1<- a1<u1 b1<- +1<b1 s1<+1 a2<s1", "u2 a1"),
    ("compacted: the summary goes", COMPACTED, {"op": "delete", "at": ["messages.0"]},
     "u1<- a1<u1 b1<- a2<b1", "a1"),
    ("kept: head goes", KEPT, {"op": "delete", "at": ["messages.0.content.1"]},
     "u1<- a1<u1 a2<a1 b1<- s1<b1 u3<s1 a3<u3", "u1 a1 u1 a1"),
    ("kept: tail goes", KEPT, {"op": "delete", "at": ["messages.1"]},
     "u1<- a1<u1 u2<a1 b1<- s1<b1 u3<s1 a3<u3", "u3 a1"),
    ("kept: behind the tail", KEPT, {"op": "insert", "role": "assistant", "content": "x", "after": "messages.1"},
     "u1<- a1<u1 u2<a1 a2<u2 b1<- s1<b1 +1<a2 u3<+1 a3<u3", "u2 a1 a1 u1 a1"),
    ("kept: all of it goes", KEPT, {"op": "delete_range", "first": "messages.0.content.1", "last": "messages.1"},
     "u1<- a1<u1 b1<- s1<b1 u3<s1 a3<u3", "u2 a1"),
    ("kept: before the summary", KEPT, {"op": "prepend", "text": "facts"},
     "u1<- a1<u1 u2<a1 a2<u2 b1<- +1<b1 s1<+1 u3<s1 a3<u3", "u3 a1 u1 a1"),
    ("a line that is stored twice goes twice", TWICE, {"op": "delete", "at": ["messages.0.content.1"]},
     "u1<- a1<u1", "u1 a1"),
    ("a parent is missing: what stood in for it goes", LOST, {"op": "delete", "at": ["messages.1"]},
     "u1<- u2<u1 a2<u2", "u2 a1"),
    ("a parent is missing: a line between", LOST, {"op": "insert", "role": "user", "content": "x", "before": "messages.2"},
     "u1<- a1<u1 +1<a1 u2<+1 a2<u2", "u1 a1 u2 a1"),
    ("a cycle: a line goes", CYCLE, {"op": "delete", "at": ["messages.1"]}, None, "u2 a1"),
    ("an answer hangs below its call", written(user("u1", None, "ask"), reply("a1", "u1", "m1", "call:s"), reply("a2", "a1", "m1", "call:t"), user("r2", "a2", "result:t"), reply("a3", "r2", "m2", "done")),
     {"op": "answer", "at": "messages.1.content.0"}, "u1<- a1<u1 a2<a1 +1<a2 r2<+1 a3<r2", "u1 a2 u2 a1"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("raw", "operation", "lines", "main"), [c[1:] for c in HANGS], ids=[c[0] for c in HANGS]
)
def test_how_the_lines_hang(raw, operation, lines, main):
    saved = saved_after(raw, operation)
    if lines is not None:
        assert named(saved, raw) == lines
    assert main_of(saved) == main


def test_lines_that_nothing_pointed_to_keep_their_bytes():
    saved = saved_after(PLAIN, {"op": "delete", "at": ["messages.3"]})
    before, after = PLAIN.split(b"\n"), saved.split(b"\n")
    assert after == [*before[:4], before[5].replace(b'"a3"', b'"r1"', 1), *before[6:]]


def test_a_changed_text_changes_nothing_else():
    saved = saved_after(
        PLAIN, {"op": "set", "at": "messages.1.content.0", "member": "text", "value": "I see"}
    )
    assert saved == PLAIN.replace(b"I look", b"I see")


FOLLOWS = [
    ({"stdout": "ok", "stderr": "e"}, "new", {"stdout": "new", "stderr": ""}),
    ({"file": {"content": "ok", "path": "p"}}, "new", {"file": {"content": "new", "path": "p"}}),
    ({"content": [{"type": "text", "text": "ok"}], "agentId": "x"}, [{"type": "text", "text": "new"}],
     {"content": [{"type": "text", "text": "new"}], "agentId": "x"}),
    ({"content": "ok"}, [{"type": "text", "text": "n"}, {"type": "text", "text": "m"}], {"content": "nm"}),
    ("ok", "new", "new"),
    ([{"type": "text", "text": "ok"}], "new", "new"),
]  # fmt: skip


@pytest.mark.parametrize(("held", "value", "wanted"), FOLLOWS)
def test_what_the_harness_shows_of_a_result_follows(held, value, wanted):
    raw = written(
        user("u1", None, "ask"),
        reply("a1", "u1", "m1", "call:t"),
        user("r1", "a1", "result:t", toolUseResult=held),
    )
    saved = saved_after(
        raw, {"op": "set", "at": "messages.2.content.0", "member": "content", "value": value}
    )
    row = rows(saved)[2]
    assert row["toolUseResult"] == wanted
    assert row["message"]["content"][0]["content"] == value


def test_a_new_line_is_spelled_as_the_harness_would():
    saved = saved_after(
        PLAIN,
        {"op": "insert", "role": "assistant", "content": "new", "after": "messages.0"},
        {"op": "insert", "role": "user", "content": "why", "after": "messages.1"},
    )
    first, second = rows(saved)[1:3]
    assert first["parentUuid"] == "u1"
    assert first | {"uuid": "", "message": {}} == FACTS | {
        "parentUuid": "u1",
        "type": "assistant",
        "message": {},
        "sessionId": "s",
        "uuid": "",
        "timestamp": "2026-01-01T10:00:00.500Z",
    }
    assert first["message"] | {"id": ""} == {
        "id": "",
        "type": "message",
        "role": "assistant",
        "model": "demo",
        "content": [{"type": "text", "text": "new"}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }
    assert first["message"]["id"].startswith("msg_")
    assert second["message"] == {"role": "user", "content": "why"}
    assert second["parentUuid"] == first["uuid"] != second["uuid"]
    assert second["uuid"][14] == "4"
    assert b'"type": "assistant", "message": {"id": "msg_' in saved  # as the file has its blanks


def test_a_block_put_into_a_reply_shares_its_id_and_request():
    raw = written(user("u1", None, "ask"), reply("a1", "u1", "m1", "one", requestId="q1"))
    saved = saved_after(
        raw,
        {"op": "insert_block", "block": {"type": "text", "text": "x"}, "after": "messages.1"},
    )
    new = rows(saved)[2]
    assert (new["message"]["id"], new["requestId"]) == ("m1", "q1")
    assert new["message"]["content"] == [{"type": "text", "text": "x"}]


def test_an_answer_names_the_line_of_its_call():
    raw = written(user("u1", None, "ask"), reply("a1", "u1", "m1", "call:t"))
    saved = saved_after(raw, {"op": "answer", "at": "messages.1.content.0", "text": "no"})
    new = rows(saved)[2]
    assert new["sourceToolAssistantUUID"] == "a1"
    assert new["toolUseResult"] == "no"
    assert new["message"]["content"][0]["is_error"] is True


def test_after_a_cut_resume_does_not_jump_to_the_newer_branch():
    saved = saved_after(LATE_BRANCH, {"op": "cut", "after": "messages.3"})
    assert [row["timestamp"][17:] for row in rows(saved) if row["uuid"] in ("a2", "a3")] == [
        "08.000Z",
        "08.001Z",
    ]
    saved = saved_after(REWOUND, {"op": "cut", "after": "messages.1"})
    session = open_bytes(saved).session
    assert [tape.id for tape in session.tapes] == ["main"]
    assert rows(saved)[-1]["type"] == "system"


def test_a_branch_that_is_edited_does_not_become_main():
    saved = saved_after(
        REWOUND, {"op": "insert", "role": "user", "content": "x", "tape": "branch:1"}
    )
    assert main_of(saved) == "u1 a1 u1 a1"
    session = open_bytes(saved).session
    assert len(session.tapes[1].messages) == 5


def test_a_segment_that_is_edited_still_ends_at_its_boundary():
    saved = saved_after(
        COMPACTED, {"op": "insert", "role": "user", "content": "x", "tape": "main~1"}
    )
    new = rows(saved)[2]
    assert rows(saved)[3]["logicalParentUuid"] == new["uuid"]
    assert main_of(saved) == "u1 a1"


def test_clear_leaves_nothing_that_resume_would_go_on_with():
    title = b'{"type":"summary","summary":"x","leafUuid":"u1","sessionId":"s"}\n'
    for raw in (COMPACTED, REWOUND, KEPT, PLAIN, PROGRESS):
        saved = saved_after(title + raw, {"op": "clear"})
        assert not [row for row in rows(saved) if row["type"] in ("user", "assistant")]


def test_a_file_is_not_emptied():
    with pytest.raises(EditError, match="nothing of the file would be left"):
        saved_after(PLAIN, {"op": "clear"})


def test_a_main_that_is_deleted_message_by_message_does_not_fall_back_unasked():
    with pytest.raises(EditError, match="clear takes all of them out"):
        saved_after(COMPACTED, {"op": "delete", "at": ["messages.0", "messages.1"]})


def test_a_branch_is_not_cut_where_main_shares_it():
    with pytest.raises(EditError, match="stands on another tape too"):
        saved_after(REWOUND, {"op": "cut", "after": "messages.0", "tape": "branch:1"})
    saved = saved_after(REWOUND, {"op": "cut", "after": "messages.2", "tape": "branch:1"})
    assert named(saved, REWOUND) == "u1<- a1<u1 u2<a1 u3<a1 a3<u3"


def test_the_leaf_of_a_title_follows():
    raw = PLAIN + b'{"type":"summary","summary":"t","leafUuid":"a4"}\n'
    saved = saved_after(raw, {"op": "delete", "at": ["messages.5"]})
    assert rows(saved)[-1]["leafUuid"] == "u2"


def test_files_of_all_sorts_of_lines_stay_whole():
    head = b"\xef\xbb\xbf// a comment\r\n\r\n"
    lines = PLAIN.split(b"\n")[:-1]
    raw = head + b"\r\n".join(lines[:3]) + b"\r\n" + lines[3] + lines[4] + b"\r\n\r\n"
    raw += lines[5] + b"\r\n" + lines[6] + b"\r\n" + lines[6][:30]
    saved = saved_after(raw, {"op": "delete", "at": ["messages.3"]})
    assert saved == raw.replace(lines[4], b"").replace(b'"a3"', b'"r1"')
    saved = saved_after(raw, {"op": "insert", "role": "user", "content": "x"})
    assert saved.startswith(raw[: -len(lines[6][:30])])
    assert saved.endswith(b"\r\n" + lines[6][:30])


def test_system_messages_and_split_user_lines_are_refused():
    for operation, words in (
        ({"op": "insert", "role": "system", "content": "x"}, "no system messages"),
        ({"op": "set", "at": "messages.0", "member": "role", "value": "system"}, "no system"),
        ({"op": "set_request", "member": "system", "value": "x"}, "is changed in request bodies"),
    ):
        with pytest.raises(EditError, match=words):
            saved_after(PLAIN, operation)
    with pytest.raises(EditError, match="cannot be parted"):
        saved_after(PARALLEL, {"op": "split", "at": "messages.2.content.1"})


def test_a_move_out_of_a_pair_asks():
    with pytest.raises(PairSplit) as caught:
        saved_after(PLAIN, {"op": "move", "at": "messages.2", "after": "messages.4"})
    assert caught.value.places == ("messages.1.content.1",)


INLINE = written(
    user("u1", None, "ask"),
    reply("a1", "u1", "m1", "call:t"),
    user("x1", None, "help", isSidechain=True),
    reply("x2", "x1", "m9", "helped", isSidechain=True),
    user("r1", "a1", "result:t"),
    reply("a2", "r1", "m2", "done"),
).replace(
    b'"name": "Bash", "input": {"command": "ls"}', b'"name": "Task", "input": {"prompt": "help"}'
)


def test_a_sub_agent_among_the_lines_is_edited_and_folded():
    agent = "agent:line-3"
    saved = saved_after(INLINE, {"op": "insert", "role": "user", "content": "x", "tape": agent})
    assert named(saved, INLINE) == "u1<- a1<u1 x1<- x2<x1 +1<x2 r1<a1 a2<r1"
    assert rows(saved)[4]["isSidechain"] is True
    assert main_of(saved) == "u1 a1 u1 a1"
    saved = saved_after(INLINE, {"op": "fold", "agent": "line-3"})
    assert named(saved, INLINE) == "u1<- a1<u1 r1<a1 a2<r1"
    assert rows(saved)[2]["message"]["content"][0]["content"] == "helped"
    saved = saved_after(INLINE, {"op": "fold", "agent": agent, "text": "in short"})
    assert rows(saved)[2]["message"]["content"][0]["content"] == "in short"


# -- replies of a model ------------------------------------------------------------------------

REPLY = {
    "model": "claude-new",
    "id": "msg_9",
    "type": "message",
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
        {"type": "tool_use", "id": "t9", "name": "Bash", "input": {"command": "pwd"}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 5, "output_tokens": 7},
    "container": None,
}


def new_rows(saved, raw):
    known = {row.get("uuid") for row in rows(raw)}
    return [row for row in rows(saved) if row.get("uuid") not in known]


def test_a_reply_is_a_line_a_block_with_all_that_the_harness_writes():
    saved = saved_after(PLAIN, {"op": "append_reply", "message": REPLY})
    assert named(saved, PLAIN).endswith("a4<u2 +1<a4 +2<+1")
    first, second = new_rows(saved, PLAIN)
    for row, block in zip((first, second), REPLY["content"], strict=True):
        assert row["message"] == REPLY | {"content": [block]}
        assert (row["type"], row["sessionId"]) == ("assistant", "s")
        assert "isBranch" not in row
    assert main_of(saved) == "u1 a2 u1 a1 u1 a1 a2"


def test_an_id_that_is_taken_is_not_given_again():
    taken = REPLY | {"id": "m3"}
    saved = saved_after(PLAIN, {"op": "append_reply", "message": taken})
    (identity,) = {row["message"]["id"] for row in new_rows(saved, PLAIN)}
    assert identity.startswith("msg_")
    saved = saved_after(PLAIN, {"op": "replace_reply", "turn": 3, "message": taken})
    assert {row["message"]["id"] for row in new_rows(saved, PLAIN)} == {"m3"}


def test_what_a_reply_does_not_say_is_filled_in():
    saved = saved_after(PLAIN, {"op": "append_reply", "message": {"content": "hi"}})
    (row,) = new_rows(saved, PLAIN)
    message = row["message"]
    assert message["content"] == [{"type": "text", "text": "hi"}]
    assert (message["model"], message["stop_reason"]) == ("demo", "end_turn")


@pytest.mark.parametrize(
    ("turn", "pairs", "lines", "main"),
    [
        (3, "ask", "u1<- a1<u1 a2<a1 r1<a2 a3<r1 u2<a3 +1<u2 +2<+1", "u1 a2 u1 a1 u1 a2"),
        (2, "ask", "u1<- a1<u1 a2<a1 r1<a2 +1<r1 +2<+1 u2<+2 a4<u2", "u1 a2 u1 a2 u1 a1"),
        (1, "both", "u1<- +1<u1 +2<+1 a3<+2 u2<a3 a4<u2", "u1 a2 a1 u1 a1"),
        (1, "keep", "u1<- +1<u1 +2<+1 r1<+2 a3<r1 u2<a3 a4<u2", "u1 a2 u1 a1 u1 a1"),
    ],
)
def test_a_reply_takes_the_place_of_the_recorded_one(turn, pairs, lines, main):
    edit = {"op": "replace_reply", "turn": turn, "message": REPLY, "pairs": pairs}
    saved = saved_after(PLAIN, edit)
    assert named(saved, PLAIN) == lines
    assert main_of(saved) == main


def test_a_reply_that_goes_without_its_result_is_asked_about():
    with pytest.raises(PairSplit):
        saved_after(PLAIN, {"op": "replace_reply", "turn": 1, "message": REPLY})


@pytest.mark.parametrize(
    ("raw", "turn", "lines"),
    [
        (PLAIN, 3, "+1<u2 +2<+1"),
        (PLAIN, 2, "+1<r1 +2<+1"),
        (PLAIN, 1, "+1<u1 +2<+1"),
        (PARALLEL, 2, "+1<r2 +2<+1"),
        (PROGRESS, 2, "+1<u2 +2<+1"),
        (PROGRESS, 1, "+1<u1 +2<+1"),
        (COMPACTED, 2, "+1<s1 +2<+1"),
        (REWOUND, 2, "+1<u3 +2<+1"),
    ],
)
def test_a_branch_hangs_where_the_recorded_reply_hangs(raw, turn, lines):
    saved = saved_after(raw, {"op": "branch", "turn": turn, "message": REPLY})
    assert named(saved, raw) == f"{named(raw, raw)} {lines}"
    assert saved.startswith(raw)
    assert main_of(saved) == main_of(raw)
    before, after = open_bytes(raw).session.tapes, open_bytes(saved).session.tapes
    assert [t.id for t in after if t.kind == "branch"] == [
        f"branch:{k}" for k in range(1, 2 + sum(t.kind == "branch" for t in before))
    ]
    leaf = max(row["timestamp"] for row in rows(raw))
    assert all(row["isBranch"] and row["timestamp"] < leaf for row in new_rows(saved, raw))


def test_without_times_a_branch_stands_above_the_recorded_reply():
    raw = written(
        user("u1", None, "ask", at=None),
        reply("a1", "u1", "m1", "one", at=None),
    )
    saved = saved_after(raw, {"op": "branch", "turn": 1, "message": REPLY})
    assert named(saved, raw) == "u1<- +1<u1 +2<+1 a1<u1"
    assert main_of(saved) == "u1 a1"


def test_a_reply_with_nothing_above_it_can_have_no_branch():
    raw = written(reply("a1", None, "m1", "one"), user("u1", "a1", "ask"))
    with pytest.raises(EditError, match="nothing stands above this reply"):
        saved_after(raw, {"op": "branch", "turn": 1, "message": REPLY})


def test_a_branch_goes_on_by_itself():
    more = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t9"}]}
    saved = saved_after(
        PLAIN,
        {"op": "branch", "turn": 2, "message": REPLY},
        {"op": "insert", "tape": "branch:1", **more},
        {"op": "append_reply", "tape": "branch:1", "message": REPLY | {"content": "so"}},
    )
    assert main_of(saved) == main_of(PLAIN)
    (branch,) = open_bytes(saved).session.tapes[1:]
    assert [f"{m.role[0]}{len(m.blocks)}" for m in branch.messages] == ["u1", "a2"] * 2 + [
        "u1",
        "a1",
    ]
