"""What the model knew at a turn."""

from tapeview.looks.knew import Knew
from tapeview.open_session import OpenSession
from tests.block_samples import call, claude, model, text
from tests.block_samples import user as human
from tests.formats.claude import reply, session, user
from tests.formats.test_claude_tapes import COMPACTED, REWOUND
from tests.helpers import snapshot_of


def words(knew):
    """Kinds of the rows; for a block the message it stands in."""
    return [f"{row.message}.{row.number}" if row.kind == "block" else row.kind for row in knew.rows]


BODY = {
    "model": "claude-demo",
    "system": "Be brief.",
    "messages": [
        {"role": "user", "content": "ask"},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "t", "name": "a", "input": {}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]},
        {"role": "assistant", "content": "done"},
    ],
}


def test_the_first_call_knew_the_prompt_and_all_of_it_was_new():
    knew = Knew(snapshot_of(BODY), 1)
    assert words(knew) == ["system", "new", "0.0", "answered", "1.0", "end"]
    assert knew.new_rows == {2}


def test_what_came_since_the_call_before_stands_below_a_rule():
    knew = Knew(snapshot_of(BODY), 2)
    assert words(knew) == ["system", "0.0", "new", "turn", "1.0", "2.0", "answered", "3.0"]
    assert knew.new_rows == {3, 4, 5}
    assert knew.words == ("what the model knew at turn 2", "18 B · +4 B · step 2 of 2")
    rules = [knew.rule_words(row) for row in knew.rows if row.kind in ("new", "answered")]
    assert rules == ["new at turn 2 · 4 B · 2 messages", "call 2 answered · 4 B"]


def test_what_was_not_sent_is_not_shown_and_what_the_harness_adds_is():
    whole = OpenSession(
        session(
            user("u1", None, "ask"),
            reply("a1", "u1", "m1", "call:x"),
            reply("a2", "a1", "m1", "call:lost"),
            user("r1", "a1", "result:x"),
            reply("a3", "r1", "m2", "done"),
        )
    ).snapshot()
    knew = Knew(whole, 2)
    shown = [row.block.id for row in knew.rows if row.block is not None and row.block.id]
    assert shown == ["x", "x"]


def test_a_turn_before_the_compaction_knew_its_own_segment():
    whole = OpenSession(session(*COMPACTED)).snapshot()
    assert words(Knew(whole, 1)) == ["new", "0.0", "answered", "1.0"]
    assert words(Knew(whole, 3)) == ["new", "0.0", "0.1", "answered", "1.0"]


def test_a_dead_branch_was_never_known():
    whole = OpenSession(session(*REWOUND)).snapshot()
    assert words(Knew(whole, 2)) == ["0.0", "new", "turn", "1.0", "2.0", "answered", "3.0"]


def test_findings_are_those_of_the_whole_tape():
    whole = snapshot_of(
        [
            {"role": "user", "content": "ask"},
            BODY["messages"][1],
            {"role": "user", "content": "never mind"},
            {"role": "assistant", "content": "fine"},
        ]
    )
    knew = Knew(whole, 2)
    assert [f.rule.code for f in knew.findings] == ["TU001"]
    assert any(knew.findings_at(row) for row in knew.rows)


def test_findings_are_those_of_what_is_shown_whole_records_included():
    lines = claude(
        human("go"), model(call("lost")), human("on"), model(text("ok")), human("and"), model("end")
    ).split(b"\n")
    torn = b"\n".join([*lines[:4], lines[4] + lines[5], b'{"type": "us'])
    whole = snapshot_of(torn)
    codes = {n: [f.rule.code for f in Knew(whole, n).findings] for n in (1, 2, 3)}
    assert codes == {1: ["TU001"], 2: [], 3: ["FL003"]}
    assert sorted({f.rule.code for f in whole.findings}) == ["FL002", "FL003", "TU001"]
    assert Knew(whole, 1).severity_counts["warning"] == 1
