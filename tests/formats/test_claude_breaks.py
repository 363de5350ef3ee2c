"""Claude Code: where missing parents and circles lose messages, told once each."""

import pytest

from tapeview.formats._claude_line import facts_of
from tapeview.open_session import OpenSession, load
from tests.formats.claude import line, reply, session, system, user, written
from tests.helpers import session_of

ASK = user("u1", None, "ask")
TOLD = reply("a1", "u1", "m1", "words")


def breaks(*lines):
    """Each break: the line, circle or gap, whether the tape begins there, messages, of how many."""
    return [
        (facts_of(b.record).uuid, b.circle, b.begins, b.messages, b.of)
        for b in session(*lines).main.breaks
    ]


@pytest.mark.parametrize(
    "lines",
    [
        [ASK, TOLD, user("u2", "a1", "more")],
        [ASK, reply("a1", "gone", "m1", "words", at=5), user("u2", "a1", "more")],
        [user("u2", "gone", "more"), reply("a2", "u2", "m2", "words")],
        [ASK, TOLD, user("u2", "u1", "again"), reply("a2", "u2", "m2", "words")],
        [ASK, TOLD, line("attachment", "n", "gone", attachment={"type": "file"}), TOLD],
        [ASK, TOLD, user("s1", "gone", "side", isSidechain=True), user("u2", "a1", "more")],
        [ASK, line("progress", "p", "u1"), reply("a1", "p", "m1", "words")],
        [ASK, TOLD, system("b", None, "compact_boundary", logicalParentUuid="gone")],
    ],
    ids=["whole", "near", "trimmed", "rewound", "note", "side line", "progress", "compacted"],
)
def test_nothing_breaks_where_nothing_is_lost(lines):
    assert breaks(*lines) == []


def test_the_tape_begins_behind_a_gap():
    assert breaks(ASK, TOLD, user("u2", "gone", "more", at=60), reply("a2", "u2", "m2", "so")) == [
        ("u2", False, True, 2, 4)
    ]


def test_what_hangs_on_a_gap_beside_the_tape_is_told_once():
    assert breaks(
        ASK,
        reply("a0", "gone", "m0", "words"),
        reply("a9", "a0", "m0", "more words"),
        user("x1", "a9", "then"),
        user("x2", "a9", "or"),
        reply("b0", "lost", "m9", "words"),
        TOLD,
    ) == [("a0", False, False, 3, 6), ("b0", False, False, 1, 6)]


def test_a_result_without_its_call_above():
    call = reply("a1", "u1", "m1", "call:t")
    assert breaks(ASK, call, user("r1", "gone", "result:t"), user("u2", "a1", "more")) == [
        ("r1", False, False, 1, 4)
    ]


def test_lines_that_share_the_gap_of_the_tape_are_not_told_again():
    """``x1`` hangs below the line at which another stands in: nothing breaks there."""
    assert (
        breaks(
            ASK,
            reply("a1", "gone", "m1", "words"),
            user("x1", "a1", "one way"),
            user("u2", "a1", "another"),
        )
        == []
    )


def test_the_tape_begins_in_a_circle():
    assert breaks(
        user("u1", "a1", "ask"), TOLD, user("u2", "a1", "more"), user("u3", None, "alone", at=0)
    ) == [("u1", True, True, 3, 4)]


def test_a_circle_beside_the_tape_is_told_at_its_first_line():
    assert breaks(
        ASK,
        user("x1", "x3", "round"),
        user("x2", "x1", "and"),
        user("x3", "x2", "round"),
        user("x4", "x2", "off"),
        TOLD,
    ) == [("x1", True, False, 4, 6)]


def test_all_lines_in_one_circle():
    assert breaks(user("u1", "a1", "ask"), TOLD) == [("u1", True, True, 2, 2)]


def test_a_boundary_that_keeps_lines_breaks_nothing():
    kept = {"headUuid": "a1", "tailUuid": "u2", "anchorUuid": "b"}
    assert (
        breaks(
            ASK,
            TOLD,
            user("u2", "a1", "more"),
            system("b", None, "compact_boundary", compactMetadata={"preservedSegment": kept}),
            user("s", "b", "summary", isCompactSummary=True),
            reply("a2", "s", "m2", "words"),
            user("x", "u1", "late", at=1),
        )
        == []
    )


def test_findings_of_a_sub_agent_stand_on_its_own_tape(tmp_path):
    side = {"isSidechain": True, "agentId": "b1"}
    folder = tmp_path / "one" / "subagents"
    folder.mkdir(parents=True)
    (tmp_path / "one.jsonl").write_bytes(written(ASK, TOLD))
    twice = written(user("s3", "s2", "more", at=61, **side)).replace(
        b'"uuid"', b'"cost": NaN, "userType": 1, "userType": 1, "uuid"'
    )
    (folder / "agent-b1.jsonl").write_bytes(
        written(user("s1", None, "dig", **side), user("s2", "gone", "on", at=60, **side)) + twice
    )
    opened = load(str(tmp_path / "one.jsonl"))
    assert codes(opened, "main") == []
    assert codes(opened, "agent:b1") == [
        ("FL004", "records.2"),
        ("FL005", "records.2"),
        ("FL006", "records.1"),
    ]


def test_findings_of_an_inline_sub_agent_stand_on_the_main_tape_alone():
    call = reply("a1", "u1", "m1", "call:t")
    side = user("s1", None, "dig", isSidechain=True)
    raw = written(ASK, call, side, reply("s2", "s1", "n1", "found", isSidechain=True))
    raw += written(user("u2", "a1", "result:t", at=9), reply("a2", "u2", "m2", "done", at=10))
    opened = OpenSession(session_of(raw.replace(b'"s1", "parent', b'"s1", "uuid": "s1", "parent')))
    assert [tape.id for tape in opened.session.tapes] == ["main", "agent:line-3"]
    assert codes(opened, "main") == [("FL004", "records.2")]
    assert codes(opened, "agent:line-3") == []


def codes(opened, tape):
    findings = opened.snapshot(tape).own_findings
    return sorted((found.rule.code, found.at) for found in findings)
