"""Claude Code: how resume walks a session file, and how it cleans what it sends."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.formats._claude_line import facts_of
from tapeview.formats._claude_sent import clean_in_full
from tapeview.formats._claude_sound import is_sound
from tapeview.formats.claude_code import ClaudeCode
from tapeview.looks import show
from tapeview.open_session import OpenSession
from tapeview.tape.index import Index
from tests.formats.claude import chain, line, reply, sent, session, system, unsent, user, written
from tests.formats.samples import claims, opened

ASK = user("u1", None, "ask")
CALL = reply("a1", "u1", "m1", "call:t1")


def test_the_lines_of_one_reply_are_one_message():
    assert chain(
        ASK,
        reply("a1", "u1", "m1", "thinking"),
        reply("a2", "a1", "m1", "words"),
        reply("a3", "a2", "m1", "call:t1"),
        user("u2", "a3", "result:t1"),
        reply("b1", "u2", "m2", "done"),
    ) == ["user u1", "assistant a1 a2 a3", "user u2", "assistant b1"]


def test_neighbouring_user_lines_are_one_message_whatever_notes_stand_between():
    assert chain(
        ASK,
        line("attachment", "n1", "u1", attachment={"type": "file"}),
        user("u2", "n1", "and this"),
        reply("a1", "u2", "m1", "done"),
    ) == ["user u1 u2", "assistant a1"]


def test_results_between_the_lines_of_one_reply_follow_it():
    assert chain(
        ASK,
        reply("a1", "u1", "m1", "call:t1"),
        user("u2", "a1", "result:t1"),
        reply("a2", "u2", "m1", "call:t2"),
        user("u3", "a2", "result:t2"),
    ) == ["user u1", "assistant a1 a2", "user u2 u3"]


def test_an_id_that_comes_again_after_a_prompt_is_another_reply():
    assert chain(
        ASK,
        reply("a1", "u1", "placeholder", "words"),
        user("u2", "a1", "more"),
        reply("a2", "u2", "placeholder", "words"),
    ) == ["user u1", "assistant a1", "user u2", "assistant a2"]


def test_replies_without_an_id_are_messages_of_their_own():
    lines = chain(ASK, reply("a1", "u1", None, "words"), reply("a2", "a1", None, "words"))
    assert lines == ["user u1", "assistant a1", "assistant a2"]


PARALLEL = {
    "linear": (
        ("a2", "a1"),
        ("u2", "a2"),
        ("u3", "u2"),
        "u3",
    ),
    "forked, going on from the last result": (
        ("a2", "a1"),
        ("u2", "a1"),
        ("u3", "a2"),
        "u3",
    ),
    "forked, going on from the first result": (
        ("a2", "a1"),
        ("u2", "a1"),
        ("u3", "a2"),
        "u2",
    ),
}


@pytest.mark.parametrize("spelling", PARALLEL.values(), ids=PARALLEL.keys())
def test_parallel_calls_keep_all_their_results(spelling):
    second, first_result, second_result, parent = spelling
    messages = chain(
        ASK,
        CALL,
        reply(*second, "m1", "call:t2"),
        user(*first_result, "result:t1"),
        user(*second_result, "result:t2"),
        reply("b1", parent, "m2", "done"),
    )
    assert messages[0] == "user u1"
    assert messages[1] == "assistant a1 a2"
    assert sorted(messages[2].split()) == ["u2", "u3", "user"]
    assert messages[3] == "assistant b1"


def test_siblings_come_first_and_then_results_by_time():
    assert chain(
        ASK,
        reply("a1", "u1", "m1", "call:t1", at=1),
        reply("a3", "a1", "m1", "call:t3", at=3),
        reply("a2", "a1", "m1", "call:t2", at=2),
        user("r3", "a3", "result:t3", at=7),
        user("r2", "a2", "result:t2", at=6),
        user("r1", "a1", "result:t1", at=5),
        reply("b1", "r1", "m2", "done", at=9),
    ) == ["user u1", "assistant a1 a2 a3", "user r2 r3 r1", "assistant b1"]


def test_children_of_progress_lines_hang_below_the_line_before():
    assert chain(
        ASK,
        CALL,
        line("progress", "p1", "a1", data={"type": "bash_progress"}),
        line("progress", "p2", "p1", data={"type": "bash_progress"}),
        user("u2", "p2", "result:t1"),
    ) == ["user u1", "assistant a1", "user u2"]


def test_progress_lines_in_a_circle_end_the_search():
    assert chain(
        ASK,
        line("progress", "p1", "p2", data={}),
        line("progress", "p2", "p1", data={}),
        user("u2", "p2", "late", at=30),
    ) == ["user u2"]


def test_a_later_line_of_the_same_uuid_replaces_the_earlier():
    lines = (ASK, CALL, user("u2", "a1", "old"), user("u2", "a1", "new"))
    assert chain(*lines) == ["user u1", "assistant a1", "user u2"]
    assert sent(*lines) == ["user ask new", "assistant [No response requested.]"]
    assert unsent(*lines) == {"u2": "superseded", "a1": "unanswered"}


@pytest.mark.parametrize(
    "at, messages",
    [(4, ["user u1", "assistant a9"]), (5, ["user u1", "assistant a9"]), (6, ["assistant a9"])],
)
def test_a_missing_parent_is_the_closest_earlier_line_within_five_seconds(at, messages):
    assert chain(user("u1", None, "ask", at=0), reply("a9", "gone", "m9", "x", at=at)) == messages


def test_the_closest_of_several_earlier_lines_stands_in():
    assert chain(
        user("u1", None, "ask", at=0),
        reply("a1", "u1", "m1", "one", at=1),
        user("u2", "a1", "two", at=2),
        reply("a2", "gone", "m2", "three", at=3),
    ) == ["user u1", "assistant a1", "user u2", "assistant a2"]


def test_a_side_line_stands_in_for_no_missing_parent():
    assert chain(
        user("u1", None, "ask", at=0),
        user("x1", None, "task", isSidechain=True, at=1),
        reply("a2", "gone", "m2", "three", at=2),
    ) == ["user u1", "assistant a2"]


def test_a_line_without_a_time_has_no_stand_in():
    lines = (user("u1", None, "ask", at=0), reply("a9", "gone", "m9", "x", at=None))
    assert chain(*lines) == ["user u1"]
    assert unsent(*lines) == {"a9": "no parent"}


@pytest.mark.parametrize("circle", [("u1", "u1"), ("u1", "a1"), ("u1", "u2")])
def test_a_circle_of_parents_ends_the_walk(circle):
    first, parent = circle
    messages = chain(
        user(first, parent, "ask"), reply("a1", "u1", "m1", "words"), user("u2", "a1", "more")
    )
    assert messages == ["user u1", "assistant a1", "user u2"]


def test_lines_beside_a_circle_say_so():
    lines = (
        user("x1", "x2", "one", at=0),
        user("x2", "x1", "two", at=1),
        user("u1", None, "ask", at=100),
        reply("a1", "u1", "m1", "done", at=101),
    )
    assert chain(*lines) == ["user u1", "assistant a1"]
    assert unsent(*lines) == {"x1": "parent cycle", "x2": "parent cycle"}


def test_the_newest_leaf_wins_and_the_older_branch_stays_beside():
    lines = (
        ASK,
        reply("a1", "u1", "m1", "words"),
        user("u2", "a1", "taken back"),
        reply("a2", "u2", "m2", "old"),
        user("u3", "a1", "instead"),
        reply("a3", "u3", "m3", "new"),
    )
    assert chain(*lines) == ["user u1", "assistant a1", "user u3", "assistant a3"]
    assert unsent(*lines) == {"u2": "superseded", "a2": "superseded"}


def test_newest_is_told_by_the_time_not_by_its_spelling():
    assert chain(
        ASK,
        reply("a1", "u1", "m1", "words"),
        user("u2", "a1", "new", at=None, timestamp="2026-01-01T10:00:09.500Z"),
        user("u3", "a1", "old", at=None, timestamp="2026-01-01T12:00:09+02:00"),
    ) == ["user u1", "assistant a1", "user u2"]


def test_a_note_at_the_end_leads_to_the_line_above_it():
    assert chain(ASK, CALL, system("s1", "a1", "turn_duration")) == ["user u1", "assistant a1"]


def test_inline_side_lines_are_not_the_main_line():
    lines = (
        ASK,
        reply("a1", "u1", "m1", "call:t1"),
        user("x1", None, "task", isSidechain=True),
        reply("x2", "x1", "m9", "work", isSidechain=True),
        user("u2", "a1", "result:t1"),
        reply("a2", "u2", "m2", "done"),
        reply("x3", "x2", "m8", "late work", isSidechain=True),
    )
    assert chain(*lines) == ["user u1", "assistant a1", "user u2", "assistant a2"]
    assert unsent(*lines) == dict.fromkeys(["x1", "x2", "x3"], "side line")


def test_a_sub_agent_file_opened_alone_is_the_main_line():
    lines = (
        user("x1", None, "task", isSidechain=True, agentId="a1"),
        reply("x2", "x1", "m9", "work", isSidechain=True, agentId="a1"),
    )
    assert chain(*lines) == ["user x1", "assistant x2"]
    assert unsent(*lines) == {}


COMPACTED = (
    ASK,
    reply("a1", "u1", "m1", "words"),
    user("u2", "a1", "more"),
    reply("a2", "u2", "m2", "kept"),
    system("c1", None, "compact_boundary", logicalParentUuid="a2"),
    user("s1", "c1", "summary", isCompactSummary=True, isVisibleInTranscriptOnly=True),
    user("u3", "s1", "on"),
    reply("a3", "u3", "m3", "done"),
)


def test_the_chain_begins_at_the_compaction():
    assert chain(*COMPACTED) == ["user s1 u3", "assistant a3"]
    assert set(unsent(*COMPACTED).values()) == {"before the boundary"}
    resume = session(*COMPACTED).main.resume
    assert resume == "resume sends 2 of 6 messages; 4 messages before the compaction stay behind"


def test_a_second_compaction_leaves_both_segments_behind():
    lines = (
        *COMPACTED,
        system("c2", None, "compact_boundary", logicalParentUuid="a3"),
        user("s2", "c2", "summary", isCompactSummary=True, isVisibleInTranscriptOnly=True),
    )
    assert chain(*lines) == ["user s2"]
    assert len(unsent(*lines)) == 7


def preserving(head, tail):
    segment = {"headUuid": head, "anchorUuid": "s1", "tailUuid": tail}
    boundary = COMPACTED[4] | {"compactMetadata": {"preservedSegment": segment}}
    return (*COMPACTED[:4], boundary, *COMPACTED[5:])


@pytest.mark.parametrize(
    "head, tail, messages",
    [
        ("a2", "a2", ["user s1", "assistant a2", "user u3", "assistant a3"]),
        ("u2", "a2", ["user s1 u2", "assistant a2", "user u3", "assistant a3"]),
        ("gone", "a2", ["user s1 u3", "assistant a3"]),
        ("a2", "gone", ["user s1 u3", "assistant a3"]),
        ("a2", "u2", ["user s1 u3", "assistant a3"]),
    ],
    ids=["one line", "two lines", "no head", "no tail", "tail before head"],
)
def test_a_boundary_may_keep_lines_before_it(head, tail, messages):
    lines = preserving(head, tail)
    assert chain(*lines) == messages
    held = " ".join(messages).split()
    left = {uuid for uuid in ("u1", "a1", "u2", "a2") if uuid not in held}
    assert unsent(*lines) == dict.fromkeys(left, "before the boundary")


def test_a_kept_segment_of_odd_types_keeps_nothing():
    boundary = COMPACTED[4] | {"compactMetadata": {"preservedSegment": [1]}}
    assert chain(*COMPACTED[:4], boundary, *COMPACTED[5:]) == ["user s1 u3", "assistant a3"]


STEP_6 = {
    "a line all of whose calls are unanswered is dropped": (
        [ASK, CALL, user("u2", "a1", "stop"), reply("a2", "u2", "m2", "ok")],
        ["user ask stop", "assistant ok"],
        {"a1": "unanswered"},
    ),
    "a line with one answered call stays": (
        [
            ASK,
            reply("a1", "u1", "m1", "call:t1", "call:t2"),
            user("u2", "a1", "result:t1"),
            reply("a2", "u2", "m2", "ok"),
        ],
        ["user ask", "assistant call:t1 call:t2", "user result:t1 [result:t2]", "assistant ok"],
        {},
    ),
    "an answer anywhere on the chain is enough": (
        [
            ASK,
            CALL,
            user("u2", "a1", "wait"),
            reply("a2", "u2", "m2", "ok"),
            user("u3", "a2", "result:t1"),
            reply("a3", "u3", "m3", "done"),
        ],
        [
            "user ask",
            "assistant call:t1",
            "user [result:t1] wait",
            "assistant ok",
            "user [(no content)]",
            "assistant done",
        ],
        {"u3": "no open call"},
    ),
    "thinking alone goes with its call": (
        [
            ASK,
            reply("a1", "u1", "m1", "thinking"),
            reply("a2", "a1", "m1", "call:t1"),
            user("u2", "a2", "stop"),
            reply("a3", "u2", "m2", "ok"),
        ],
        ["user ask stop", "assistant ok"],
        {"a1": "thinking alone", "a2": "unanswered"},
    ),
    "thinking beside other blocks of its id stays": (
        [ASK, reply("a1", "u1", "m1", "thinking"), reply("a2", "a1", "m1", "words")],
        ["user ask", "assistant thinking words"],
        {},
    ),
    "redacted thinking counts as thinking": (
        [
            ASK,
            reply("a1", "u1", "m1", "redacted"),
            user("u2", "a1", "go on"),
            reply("a2", "u2", "m2", "ok"),
        ],
        ["user ask go on", "assistant ok"],
        {"a1": "thinking alone"},
    ),
    "whitespace alone is dropped": (
        [ASK, reply("a1", "u1", "m1", "blank"), reply("a2", "a1", "m1", "words")],
        ["user ask", "assistant words"],
        {"a1": "blank"},
    ),
    "an empty text is dropped": (
        [ASK, reply("a1", "u1", "m1", "empty"), reply("a2", "a1", "m1", "words")],
        ["user ask", "assistant words"],
        {"a1": "blank"},
    ),
    "whitespace of the user stays": (
        [user("u1", None, "blank"), reply("a1", "u1", "m1", "words")],
        ["user  \n", "assistant words"],
        {},
    ),
}

STEP_7 = {
    "results at the end get a prompt and a reply": (
        [ASK, CALL, user("u2", "a1", "result:t1")],
        [
            "user ask",
            "assistant call:t1",
            "user result:t1 [Continue from where you left off.]",
            "assistant [No response requested.]",
        ],
        {},
    ),
    "a prompt at the end gets a reply": (
        [ASK],
        ["user ask", "assistant [No response requested.]"],
        {},
    ),
    "a reply at the end gets nothing": (
        [ASK, reply("a1", "u1", "m1", "done")],
        ["user ask", "assistant done"],
        {},
    ),
    "a prompt that attachments follow was on its way": (
        [ASK, line("attachment", "x1", "u1")],
        ["user ask [Continue from where you left off.]", "assistant [No response requested.]"],
        {},
    ),
    "a note of the harness that attachments follow gets nothing": (
        [ASK, user("u2", "u1", "a caveat", isMeta=True), line("attachment", "x1", "u2")],
        ["user ask a caveat"],
        {},
    ),
    "a reply that attachments follow gets nothing": (
        [ASK, reply("a1", "u1", "m1", "done"), line("attachment", "x1", "a1")],
        ["user ask", "assistant done"],
        {},
    ),
    "a dropped call at the end leaves the prompt": (
        [ASK, CALL],
        ["user ask", "assistant [No response requested.]"],
        {"a1": "unanswered"},
    ),
    "a local command at the end is not on the chain": (
        [
            ASK,
            reply("a1", "u1", "m1", "done"),
            system("s1", "a1", "local_command", content="<local-command-stdout>x"),
        ],
        ["user ask", "assistant done"],
        {"s1": "off the chain"},
    ),
}

STEP_8 = {
    "results come first, then the rest": (
        [ASK, CALL, user("u2", "a1", "beside", "result:t1"), reply("a2", "u2", "m2", "ok")],
        ["user ask", "assistant call:t1", "user result:t1 beside", "assistant ok"],
        {},
    ),
    "a call of an id that was seen is removed": (
        [
            ASK,
            CALL,
            user("u2", "a1", "result:t1"),
            reply("a2", "u2", "m2", "words", "call:t1"),
            user("u3", "a2", "result:t1"),
            reply("a3", "u3", "m3", "ok"),
        ],
        [
            "user ask",
            "assistant call:t1",
            "user result:t1",
            "assistant words",
            "user [(no content)]",
            "assistant ok",
        ],
        {"u3": "no open call"},
    ),
    "a line that loses its only block says so": (
        [
            ASK,
            CALL,
            user("u2", "a1", "result:t1"),
            reply("a2", "u2", "m2", "call:t1"),
            user("u3", "a2", "result:t1"),
            reply("a3", "u3", "m3", "ok"),
        ],
        [
            "user ask",
            "assistant call:t1",
            "user result:t1",
            "assistant [(no content)]",
            "user [(no content)]",
            "assistant ok",
        ],
        {"a2": "repeated id", "u3": "no open call"},
    ),
    "orphan results are removed": (
        [
            ASK,
            reply("a1", "u1", "m1", "words"),
            user("u2", "a1", "result:x", "more"),
            reply("a2", "u2", "m2", "ok"),
        ],
        ["user ask", "assistant words", "user more", "assistant ok"],
        {},
    ),
    "a lonely first orphan leaves a sentence": (
        [user("u1", None, "result:x"), reply("a1", "u1", "m1", "words")],
        ["user [[Orphaned tool result removed due to conversation resume]]", "assistant words"],
        {"u1": "no open call"},
    ),
    "error replies are not sent": (
        [
            ASK,
            reply("a1", "u1", "e1", "API Error: 529", isApiErrorMessage=True),
            user("u2", "a1", "again"),
            reply("a2", "u2", "m2", "ok"),
        ],
        ["user ask again", "assistant ok"],
        {"a1": "error reply"},
    ),
    "what is shown only is not sent": (
        [
            ASK,
            user("u2", "u1", "a hint", isVisibleInTranscriptOnly=True),
            reply("a1", "u2", "m1", "ok"),
        ],
        ["user ask", "assistant ok"],
        {"u2": "shown only"},
    ),
    "notes of the harness to the model are sent": (
        [ASK, user("u2", "u1", "a caveat", isMeta=True), reply("a1", "u2", "m1", "ok")],
        ["user ask a caveat", "assistant ok"],
        {},
    ),
    "a local command is sent as the user": (
        [
            ASK,
            reply("a1", "u1", "m1", "ok"),
            system("s1", "a1", "local_command", content="<command-name>/x</command-name>"),
            user("u2", "s1", "go on"),
            reply("a2", "u2", "m2", "ok"),
        ],
        ["user ask", "assistant ok", "user <command-name>/x</command-name> go on", "assistant ok"],
        {},
    ),
    "trailing thinking is cut": (
        [ASK, reply("a1", "u1", "m1", "words"), reply("a2", "a1", "m1", "thinking")],
        ["user ask", "assistant words"],
        {"a2": "trailing thinking"},
    ),
    "an empty reply becomes a placeholder": (
        [ASK, reply("a1", "u1", "m1"), user("u2", "a1", "more"), reply("a2", "u2", "m2", "ok")],
        ["user ask", "assistant [(no content)]", "user more", "assistant ok"],
        {"a1": "no content"},
    ),
    "two replies in a row stay two": (
        [ASK, reply("a1", "u1", "m1", "one"), reply("a2", "a1", "m2", "two")],
        ["user ask", "assistant one", "assistant two"],
        {},
    ),
    "the lines of one reply around a dropped one stay one message": (
        [
            ASK,
            reply("a1", "u1", "m1", "one"),
            reply("a2", "a1", "m1", "call:x"),
            reply("a3", "a2", "m1", "three"),
        ],
        ["user ask", "assistant one three"],
        {"a2": "unanswered"},
    ),
}


@pytest.mark.parametrize(
    "lines, messages, reasons",
    [*STEP_6.values(), *STEP_7.values(), *STEP_8.values()],
    ids=[*STEP_6, *STEP_7, *STEP_8],
)
def test_what_is_sent_after_cleaning(lines, messages, reasons):
    assert sent(*lines) == messages
    assert unsent(*lines) == reasons


@pytest.mark.parametrize(
    "lines, sentence",
    [
        ((ASK, reply("a1", "u1", "m1", "ok")), "resume sends 2 of 2 messages"),
        ((ASK,), "resume sends 1 of 1 message"),
        ((ASK, CALL), "resume sends 1 of 2 messages; 1 unanswered call dropped"),
        (
            (ASK, reply("a1", "u1", "m1", "call:x", "call:y"), user("u2", "a1", "stop")),
            "resume sends 2 of 3 messages; 2 unanswered calls dropped",
        ),
        (
            (
                ASK,
                reply("a1", "u1", "m1", "one"),
                reply("a2", "a1", "m1", "two"),
                user("u3", "u1", "instead"),
                reply("a3", "u3", "m3", "ok"),
            ),
            "resume sends 2 of 3 messages",
        ),
    ],
    ids=["all", "one", "a dropped call", "two dropped calls", "a branch beside"],
)
def test_the_sentence_counts_stored_messages(lines, sentence):
    assert session(*lines).main.resume == sentence


def test_a_healthy_chain_is_sent_as_it_is_stored():
    tape = session(ASK, CALL, user("u2", "a1", "result:t1"), reply("a2", "u2", "m2", "ok")).main
    assert tape.sent is tape.messages
    assert not tape.unsent


def test_a_file_of_notes_alone_has_an_empty_tape():
    raw = b'{"type":"summary","summary":"x","leafUuid":"u"}\n{"type":"mode","sessionId":"s"}\n'
    opened_session = opened(raw)
    assert opened_session.main.messages == ()
    assert opened_session.main.resume == "resume sends 0 of 0 messages"
    assert [row.kind for row in OpenSession(opened_session).snapshot().rows] == ["notes"] + (
        ["note"] * 2
    )


def test_what_the_session_says_of_itself():
    opened_session = session(
        user("u1", None, "ask", cwd="/home/ana/src", version="2.1.4"),
        reply("a1", "u1", "m1", "ok"),
        reply("a2", "a1", "m2", "No response requested.")
        | {"message": {"role": "assistant", "model": "<synthetic>", "content": []}},
    )
    assert opened_session.title == "Claude Code 2.1.4"
    assert opened_session.folder == "/home/ana/src"
    assert opened_session.frame.model == "demo"
    assert opened_session.harness
    assert session(ASK).title == "Claude Code"


@pytest.mark.parametrize(
    "members, label",
    [
        ({"type": "attachment", "attachment": {"type": "file"}}, "attachment file"),
        ({"type": "attachment"}, "attachment"),
        ({"type": "system", "subtype": "turn_duration"}, "system turn_duration"),
        ({"type": "queue-operation"}, "queue-operation"),
        ({"type": "of-next-month"}, "of-next-month"),
        ({}, "note"),
    ],
)
def test_notes_are_labelled_by_their_type(members, label):
    lines = (ASK, reply("a1", "u1", "m1", "ok"), json.dumps(members).encode())
    assert session(*lines).records[-1].label == label


@pytest.mark.parametrize(
    "member",
    [
        '"timestamp":true',
        '"timestamp":5',
        '"uuid":true',
        '"uuid":["x"]',
        '"parentUuid":{}',
        '"isSidechain":"yes"',
        '"cwd":NaN',
        '"version":"\\ud83d"',
        '"message":"text"',
        '"message":{"role":5,"content":7,"id":[]}',
        '"message":{"contenst":[]}',
        '"attachment":[]',
        '"compactMetadata":5',
        '"type":7',
    ],
)
def test_members_of_odd_types_are_as_good_as_absent(member):
    odd = b'{"type":"user","uuid":"x","parentUuid":"a1","sessionId":"s",' + member.encode() + b"}"
    opened_session = session(ASK, reply("a1", "u1", "m1", "ok"), odd, odd)
    assert len(opened_session.records) == 4
    assert "unreadable" not in {record.kind for record in opened_session.records}
    assert len(OpenSession(opened_session).snapshot().rows) >= 4


@pytest.mark.parametrize(
    "text",
    [
        b"{broken",
        b"[1]",
        b'"text"',
        b"7",
        b"\xff\xfe",
        b"\x00\x00",
        b'{"type":"user" "uuid":1}',
        b'{"type":"user","deep":' + b"[" * 3000 + b"]" * 3000 + b"}",
    ],
    ids=["broken", "array", "string", "number", "bytes", "zeros", "no comma", "deep"],
)
def test_a_line_that_is_no_object_is_kept_as_unreadable(text):
    opened_session = session(ASK, text, reply("a1", "u1", "m1", "ok"))
    record = opened_session.records[1]
    assert record.kind == "unreadable"
    assert opened_session.bytes_of(record) == text
    assert record.line == 2
    assert len(opened_session.main.messages) == 2


def test_a_name_without_session_id_is_claimed_by_its_parents():
    raw = written(ASK, CALL).replace(b'"sessionId": "s"', b'"other": 1')
    assert claims(raw) == {"claude-code": 1.0}


@pytest.mark.parametrize(
    "kind", sorted(["summary", "mode", "file-history-snapshot", "last-prompt"])
)
def test_a_side_line_at_the_top_is_enough(kind):
    raw = json.dumps({"type": kind, "sessionId": "s"}).encode() + b"\n"
    assert claims(raw)[ClaudeCode.name] > 0.9


uuids = st.sampled_from(["a", "b", "c", "d", "e", "f"])
random_lines = st.lists(
    st.one_of(
        st.builds(
            lambda uuid, parent, words, at: user(uuid, parent, *words, at=at),
            uuids,
            st.one_of(st.none(), uuids),
            st.lists(st.sampled_from(["ask", "result:t", "result:s", "blank"]), max_size=3),
            st.integers(0, 20),
        ),
        st.builds(
            lambda uuid, parent, identity, words, at: reply(uuid, parent, identity, *words, at=at),
            uuids,
            st.one_of(st.none(), uuids),
            st.sampled_from(["m", "n", None]),
            st.lists(st.sampled_from(["x", "call:t", "call:s", "thinking", "blank"]), max_size=3),
            st.integers(0, 20),
        ),
        st.builds(
            lambda uuid, parent, kind, at: system(uuid, parent, kind, at=at, logicalParentUuid="a"),
            uuids,
            st.one_of(st.none(), uuids),
            st.sampled_from(["compact_boundary", "turn_duration"]),
            st.integers(0, 20),
        ),
        st.builds(lambda uuid, parent: line("progress", uuid, parent, data={}), uuids, uuids),
    ),
    min_size=1,
    max_size=12,
)


@given(random_lines)
def test_every_stored_message_is_on_the_chain_or_has_a_reason(lines):
    opened_session = session(*lines)
    tape = opened_session.main
    on_chain = [record for message in tape.messages for record in message.records]
    assert len(on_chain) == len(set(on_chain))
    for record in opened_session.records:
        if record.kind == "message":
            assert record in on_chain or tape.unsent[record]
    assert all(facts_of(record).uuid for record in on_chain)


@given(random_lines)
def test_what_is_sent_has_no_dangling_call_and_no_orphan(lines):
    opened_session = session(*lines)
    index = Index(opened_session.main.sent, opened_session.frame, "anthropic")
    assert {link.state for link in index.links} <= {"answered", "doubled", "swapped"}


@given(random_lines, st.booleans())
def test_a_chain_that_is_told_to_be_sound_is_sent_as_it_is_stored(lines, resumed):
    messages = session(*lines).main.messages
    cleaned = clean_in_full(messages, resumed)
    if is_sound(messages, resumed):
        assert cleaned.messages == messages
        assert not cleaned.dropped
        assert cleaned.unanswered == 0


def test_a_healthy_chain_is_told_to_be_sound():
    healthy = [ASK, CALL, user("u2", "a1", "result:t1", "more"), reply("a2", "u2", "m2", "ok")]
    assert is_sound(session(*healthy).main.messages, resumed=True)
    assert is_sound(session(ASK).main.messages, resumed=False)
    assert not is_sound(session(ASK).main.messages, resumed=True)
    assert is_sound((), resumed=True)


@given(random_lines)
def test_every_tape_of_any_session_can_be_looked_at(lines):
    opened_session = OpenSession(session(*lines))
    for tape in opened_session.session.tapes:
        snapshot = opened_session.snapshot(tape.id)
        assert len(snapshot.gutters(3)[0]) == len(snapshot.rows)
        for finding in snapshot.findings:
            assert finding.sentence
            assert 0 <= snapshot.row_of_finding(finding) < len(snapshot.rows)
        for number in snapshot.turn_numbers:
            assert list(show.lines(snapshot, number, only=False, full=False))
