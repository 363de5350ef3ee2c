"""The other lines of a Claude Code session: segments, branches, sub-agents."""

import json
import os

from tapeview.formats._claude_chain import Tree
from tapeview.formats._claude_line import facts_of
from tapeview.looks.report import Report, report_of
from tapeview.open_session import OpenSession, load
from tests.formats.claude import reply, session, system, user, written


def tapes(opened):
    """Each tape's id and the uuids of the records that are its own."""
    return {
        tape.id: " ".join(
            facts_of(record).uuid
            for message in tape.messages
            for record in message.records
            if tape.own is None or record in tape.own
        )
        for tape in opened.tapes
    }


COMPACTED = (
    user("u1", None, "ask"),
    reply("a1", "u1", "m1", "one"),
    system("b1", None, "compact_boundary", logicalParentUuid="a1"),
    user("s1", "b1", "summary of one", isCompactSummary=True),
    reply("a2", "s1", "m2", "two"),
    system(
        "b2",
        None,
        "compact_boundary",
        logicalParentUuid="a2",
        compactMetadata={"trigger": "auto"},
    ),
    user("s2", "b2", "summary of two", isCompactSummary=True),
    user("u3", "s2", "go on"),
    reply("a3", "u3", "m3", "three"),
)


def test_each_compaction_ends_a_segment():
    assert tapes(session(*COMPACTED)) == {"main": "s2 u3 a3", "main~1": "s1 a2", "main~2": "u1 a1"}


def test_turns_are_counted_through_all_segments():
    opened = session(*COMPACTED)
    snapshot = OpenSession(opened).snapshot()
    assert [tape.first_turn for tape in opened.tapes] == [3, 2, 1]
    assert list(snapshot.turn_numbers) == [1, 2, 3]
    assert [snapshot.line_of_turn(n).tape.id for n in (1, 2, 3)] == ["main~2", "main~1", "main"]


def test_a_line_says_how_it_begins():
    opened = session(*COMPACTED)
    assert [tape.begins for tape in opened.tapes] == [
        "compacted 10:00:05 · auto",
        "compacted 10:00:02",
        "",
    ]


def test_segments_stand_above_in_the_timeline_each_with_its_boundary():
    rows = OpenSession(session(*COMPACTED)).snapshot().rows
    assert [(row.kind, row.tape) for row in rows if row.kind in ("segment", "boundary")] == [
        ("segment", 2),
        ("boundary", 2),
        ("segment", 1),
        ("boundary", 1),
    ]
    assert rows[0].holds == 3
    assert {row.unsent for row in rows if row.tape and row.kind == "block"} == {
        "before the boundary"
    }


REWOUND = (
    user("u1", None, "ask"),
    reply("a1", "u1", "m1", "one"),
    user("u2", "a1", "this way"),
    reply("a2", "u2", "m2", "dead end"),
    user("u3", "a1", "that way"),
    reply("a3", "u3", "m3", "there"),
)


def test_two_prompts_below_one_line_are_a_branch():
    opened = session(*REWOUND)
    assert tapes(opened) == {"main": "u1 a1 u3 a3", "branch:1": "u2 a2"}
    branch = opened.tapes[1]
    assert [message.role for message in branch.messages] == ["user", "assistant"] * 2
    assert branch.after is not None
    assert facts_of(branch.after).uuid == "a1"


def test_a_branch_stands_where_it_left():
    rows = OpenSession(session(*REWOUND)).snapshot().rows
    at = next(k for k, row in enumerate(rows) if row.kind == "branch")
    assert rows[at - 1].after == 1
    assert [row.kind for row in rows[at + 1 : at + 1 + rows[at].holds]] == [
        "block",
        "turn",
        "block",
    ]
    assert rows[at].holds == 3


def test_a_reply_made_again_below_a_prompt_is_no_branch_without_a_prompt_of_its_own():
    opened = session(
        user("u1", None, "ask"),
        reply("a1", "u1", "m1", "first try"),
        reply("a2", "u1", "m2", "second try"),
        user("u2", "a2", "fine"),
        reply("a3", "u2", "m3", "done"),
    )
    assert tapes(opened) == {"main": "u1 a2 u2 a3"}


def test_forks_of_parallel_calls_are_no_branches():
    opened = session(
        user("u1", None, "ask"),
        reply("a1", "u1", "m1", "call:x"),
        reply("a2", "a1", "m1", "call:y"),
        user("r1", "a1", "result:x"),
        user("r2", "a2", "result:y"),
        reply("a3", "r2", "m2", "done"),
    )
    assert list(tapes(opened)) == ["main"]


def task(uuid, parent, identity, prompt):
    line = reply(uuid, parent, "m1", f"call:{identity}")
    line["message"]["content"][0] |= {"name": "Task", "input": {"prompt": prompt}}
    return line


def test_the_ends_of_a_line_with_its_own_beginning_are_not_walked_one_by_one(monkeypatch):
    lines, above = [], None
    for k in range(30):
        lines += [
            reply(f"a{k}", above, f"m{k}", f"call:t{k}"),
            reply(f"b{k}", f"a{k}", f"m{k}", f"call:w{k}"),
            user(f"r{k}", f"a{k}", f"result:t{k}"),
            user(f"s{k}", f"b{k}", f"result:w{k}"),
        ]
        above = f"s{k}"
    walked = []
    line_to = Tree.line_to
    monkeypatch.setattr(Tree, "line_to", lambda *words: walked.append(words) or line_to(*words))
    found = session(*lines, user("new", None, "begin anew"))
    assert [tape.id for tape in found.tapes] == ["main"]
    assert len(walked) == 1


def test_inline_side_lines_are_tied_to_the_call_by_their_prompt():
    opened = session(
        user("u1", None, "ask"),
        task("a1", "u1", "t1", "count the files"),
        task("a2", "a1", "t2", "count the lines"),
        user("x1", None, "count the lines", isSidechain=True),
        reply("x2", "x1", "mx", "many", isSidechain=True),
        user("y1", None, "count the files", isSidechain=True),
        reply("y2", "y1", "my", "few", isSidechain=True),
        user("r1", "a1", "result:t1"),
        user("r2", "a2", "result:t2"),
    )
    assert tapes(opened) | {} == {
        "main": "u1 a1 a2 r1 r2",
        "agent:line-4": "x1 x2",
        "agent:line-6": "y1 y2",
    }
    callers = {tape.id: tape.caller.id for tape in opened.tapes if tape.caller is not None}
    assert callers == {"agent:line-4": "t2", "agent:line-6": "t1"}
    rows = OpenSession(opened).snapshot().rows
    assert not any(row.unsent for row in rows)


def write_agent(path, words, session_id="s"):
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (
        user("x1", None, words, isSidechain=True, sessionId=session_id),
        reply("x2", "x1", "mx", "call:lost", isSidechain=True, sessionId=session_id),
        user("x3", "x2", "and then?", isSidechain=True, sessionId=session_id),
        reply("x4", "x3", "my", "done", isSidechain=True, sessionId=session_id),
    )
    path.write_bytes(written(*lines))


def test_files_of_sub_agents_are_found_in_all_known_places(tmp_path):
    main = tmp_path / "s.jsonl"
    result = user("r1", "a1", "result:t1", toolUseResult={"agentId": "one"})
    main.write_bytes(written(user("u1", None, "ask"), task("a1", "u1", "t1", "go"), result))
    write_agent(tmp_path / "s" / "subagents" / "agent-one.jsonl", "go")
    write_agent(tmp_path / "s" / "subagents" / "group" / "agent-two.jsonl", "go")
    write_agent(tmp_path / "agent-three.jsonl", "go")
    write_agent(tmp_path / "agent-stranger.jsonl", "go", session_id="another")
    meta = {"toolUseId": "t1"}
    (tmp_path / "s" / "subagents" / "group" / "agent-two.meta.json").write_text(json.dumps(meta))
    opened = load(str(main)).session
    callers = {tape.id: tape.caller and tape.caller.id for tape in opened.tapes[1:]}
    assert callers == {"agent:one": "t1", "agent:two": "t1", "agent:three": None}


def test_a_sub_agents_blocks_are_read_from_its_own_file(tmp_path):
    main = tmp_path / "s.jsonl"
    main.write_bytes(written(user("u1", None, "ask"), reply("a1", "u1", "m1", "hello")))
    write_agent(tmp_path / "s" / "subagents" / "agent-one.jsonl", "words of its own")
    opened = load(str(main))
    agent = opened.snapshot("agent:one")
    first = agent.tape.messages[0].first
    assert b"words of its own" in opened.session.bytes_of(first)
    assert [finding.rule.code for finding in agent.own_findings] == ["TU001"]
    assert agent.own_findings[0].record is not None
    assert agent.own_findings[0].record.line == 2


def test_a_kept_message_is_found_on_main_and_its_finding_reported_once():
    kept = {"headUuid": "u2", "anchorUuid": "s1", "tailUuid": "a2"}
    opened = OpenSession(
        session(
            user("u1", None, "ask"),
            reply("a1", "u1", "m1", "one"),
            user("u2", "a1", "again"),
            reply("a2", "u2", "m2", "call:lost"),
            system(
                "b1",
                None,
                "compact_boundary",
                logicalParentUuid="a2",
                compactMetadata={"preservedSegment": kept},
            ),
            user("s1", "b1", "summary", isCompactSummary=True),
            user("u3", "a2", "go on"),
            reply("a3", "u3", "m3", "done"),
        )
    )
    codes = [(f.rule.code, f.at) for f in opened.snapshot().findings]
    assert len(codes) == len(set(codes)) == 1


def test_a_session_id_that_has_no_utf8_spelling_looks_for_its_sub_agents_too(tmp_path):
    main = tmp_path / "s.jsonl"
    main.write_bytes(written(user("u1", None, "ask", sessionId="\ud800")))
    write_agent(tmp_path / "agent-stranger.jsonl", "go")
    assert [tape.id for tape in load(str(main)).session.tapes] == ["main"]


def test_the_id_of_a_sub_agent_is_a_name_that_is_safe_to_print(tmp_path):
    main = tmp_path / "s.jsonl"
    main.write_bytes(written(user("u1", None, "ask"), reply("a1", "u1", "m1", "hello")))
    agents = tmp_path / "s" / "subagents"
    write_agent(agents / os.fsdecode(b"agent-\xff.jsonl"), "go")
    write_agent(agents / "agent-\x1b[2J\u202e.jsonl", "go")
    opened = load(str(main))
    ids = [tape.id for tape in opened.session.tapes[1:]]
    assert sorted(ids) == [r"agent:<U+DCFF>", r"agent:\x1b[2J<U+202E>"]
    for identity in ids:
        assert opened.snapshot(identity).tape.id == identity
    assert b"U+DCFF" in Report([report_of(opened)]).to_json()
