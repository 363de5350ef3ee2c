"""An edit of a stretch leaves a snapshot that equals one that is worked out from the beginning."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapeview.edit import operations as ops
from tapeview.errors import EditError
from tapeview.formats import _claude_speller
from tests.derived import anew, asked, derived
from tests.edit.generated import session_file
from tests.edit.operations import KINDS, operations, raw
from tests.edit.threads import thread_file
from tests.formats.claude import line, reply, system, user, written
from tests.helpers import open_bytes

SEEDS = st.integers(0, 1 << 32)
FILES = st.one_of(SEEDS.map(thread_file), SEEDS.map(thread_file), SEEDS.map(session_file))
BODY = {"model": "m", "messages": [{"role": "user", "content": "ask"}]}
for number in range(4):
    call = {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": {}}
    result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "ok"}
    BODY["messages"] += [
        {"role": "assistant", "content": [{"type": "text", "text": "I look"}, call]},
        {"role": "user", "content": [result]},
    ]


def edit_at_random(opened, data):
    """Random edits, and back again; each state is compared with one that is derived anew."""
    asked(opened.snapshot())
    for _ in range(data.draw(st.integers(1, 6))):
        operation = data.draw(operations(opened.snapshot().index, kinds=KINDS))
        try:
            edit = opened.plan(operation)
        except EditError:
            continue
        if data.draw(st.booleans()):
            opened.look_after(edit)
        opened.do(operation, edit)
        assert derived(opened.snapshot()) == derived(anew(opened))
        asked(opened.snapshot())
    while opened.undo() is not None:
        assert derived(asked(opened.snapshot())) == derived(anew(opened))


@settings(max_examples=150)
@given(file=FILES, data=st.data())
def test_sessions(file, data):
    edit_at_random(open_bytes(file), data)


@settings(max_examples=25)
@given(data=st.data())
def test_request_bodies(data):
    edit_at_random(open_bytes(json.dumps(BODY).encode()), data)


@pytest.mark.parametrize("at", [8, 43, 47])
@pytest.mark.parametrize(
    "damage",
    [lambda line: line + b"{bad}", lambda line: line + line[:-1].replace(b"-", b"+")],
    ids=["damage behind a line", "half a line behind a line"],
)
def test_faults_of_the_file_come_and_go(at, damage):
    lines = plain().session.source.read(0, 1 << 20).splitlines(keepends=True)
    lines[at] = damage(lines[at].rstrip(b"\n")) + b"\n"
    opened = open_bytes(b"".join(lines))
    asked(opened.snapshot())
    number = len(opened.snapshot().tape.messages) - 1
    for k in (number, number - 1, 8, 6):
        opened.apply(ops.Delete(at=(f"messages.{k}",), pairs="both"))
        assert derived(opened.snapshot()) == derived(anew(opened))
        asked(opened.snapshot())
    while opened.undo() is not None:
        assert derived(asked(opened.snapshot())) == derived(anew(opened))


def test_the_line_at_which_a_session_breaks_off_changes():
    opened = open_bytes(
        written(
            user("u1", None, "ask"),
            user("u2", "gone", "ask again", at=60),
            reply("a2", "u2", "m2", "done", at=61),
        )
    )
    assert asked(opened.snapshot()).tape.breaks
    opened.apply(ops.Set(at="messages.0", member="text", value=raw("other")))
    assert derived(opened.snapshot()) == derived(anew(opened))


def test_the_whole_of_a_session_is_one_stretch():
    opened = open_bytes(
        written(
            user("u1", None, "ask", at=1),
            reply("a1", "u1", "m1", "call:t", at=2),
            user("u2", "a1", "result:t", at=3),
        )
    )
    asked(opened.snapshot())
    opened.apply(ops.Delete(at=("messages.1",), pairs="both"))
    assert derived(opened.snapshot()) == derived(anew(opened))


def test_a_note_that_shares_its_line_is_hung_elsewhere():
    head, tail = (
        written(item)[:-1]
        for item in (
            user("u1", None, "ask"),
            line("attachment", "n", "u1", attachment={"type": "file"}),
        )
    )
    rest = written(
        reply("a1", "n", "m1", "call:t", at=2),
        user("u2", "a1", "result:t", at=3),
        reply("a2", "u2", "m2", "done", at=4),
    )
    opened = open_bytes(head + tail + b"\n" + rest)
    asked(opened.snapshot())
    opened.apply(ops.Delete(at=("messages.0",), pairs="both"))
    assert derived(opened.snapshot()) == derived(anew(opened))


def spelled(edit):
    """What an edit does, in texts."""
    splices = [
        (splice.at, splice.old, [record.text for record in splice.new], splice.member)
        for splice in edit.splices
    ]
    return edit.label, splices, {old: new.text for old, new in edit.became}


@settings(max_examples=150)
@given(file=FILES, data=st.data())
def test_edits_are_planned_as_among_all_lines(file, data):
    opened = open_bytes(file)
    operation = data.draw(operations(opened.snapshot().index))
    outcomes = []
    for alone in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            if not alone:
                patch.setattr(_claude_speller, "hang_alone", lambda *_: False)
            try:
                outcomes.append(spelled(opened.plan(operation)))
            except EditError as error:
                outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]


def plain(count=12):
    """A session without a fault: replies of a text and a call, each call answered at once."""
    lines, above = [], None
    for k in range(count):
        lines += [
            user(f"u{k}", above, f"ask {k}"),
            reply(f"a{k}", f"u{k}", f"m{k}", "I look", at=4 * k + 1),
            reply(f"b{k}", f"a{k}", f"m{k}", f"call:t{k}", at=4 * k + 2),
            user(f"r{k}", f"b{k}", f"result:t{k}", at=4 * k + 3),
            reply(f"c{k}", f"r{k}", f"n{k}", f"done {k}", at=4 * k + 3),
        ]
        above = f"c{k}"
    return open_bytes(written(*lines))


def busy(count=12):
    """The same messages as the harness writes them: the results of two calls below their own
    calls, notes on the way and beside it.
    """
    lines, above = [], None
    for k in range(count):
        at = 10 * k
        lines += [
            user(f"u{k}", above, f"ask {k}", at=at),
            line("attachment", f"x{k}", f"u{k}", attachment={"type": "file"}, at=at),
            reply(f"a{k}", f"x{k}", f"m{k}", "I look", at=at + 1),
            reply(f"b{k}", f"a{k}", f"m{k}", f"call:t{k}", at=at + 1),
            line("progress", f"p{k}", f"b{k}", data={"type": "hook_progress"}, at=at + 1),
            reply(f"d{k}", f"p{k}", f"m{k}", f"call:w{k}", at=at + 2),
            user(f"s{k}", f"d{k}", f"result:w{k}", at=at + 3),
            {"type": "file-history-snapshot", "messageId": f"u{k}"},
            user(f"r{k}", f"b{k}", f"result:t{k}", at=at + 4),
            reply(f"c{k}", f"r{k}", f"n{k}", f"done {k}", at=at + 5),
            system(f"e{k}", f"c{k}", "stop_hook_summary", at=at + 6),
            system(f"f{k}", f"c{k}", "turn_duration", at=at + 7),
            {"type": "last-prompt", "lastPrompt": f"ask {k}", "leafUuid": f"c{k}"},
        ]
        above = f"f{k}"
    return open_bytes(written(*lines))


FEW = 10
"""Lines that hang elsewhere after an edit; all others keep every byte."""
PLAIN = {
    "a text": ops.Set(at="messages.21.content.0", member="text", value=raw("other")),
    "a message": ops.Delete(at=("messages.20",), pairs="both"),
    "a pair": ops.Delete(at=("messages.21",), pairs="both"),
    "a block": ops.Delete(at=("messages.21.content.0",)),
    "a call alone": ops.Delete(at=("messages.21.content.1",), pairs="keep"),
    "a result alone": ops.Delete(at=("messages.22",), pairs="keep"),
    "an answer": ops.Delete(at=("messages.22",), pairs="answer"),
    "a turn": ops.DeleteTurn(turn=11, pairs="both"),
    "a range": ops.DeleteRange(first="messages.20", last="messages.27", pairs="both"),
    "a prompt": ops.Insert(role="user", content=raw("and"), after="messages.22"),
    "a reply": ops.Insert(role="assistant", content=raw("so"), after="messages.23"),
    "a new block": ops.InsertBlock(block=raw({"type": "text", "text": "x"}), after="messages.20"),
    "another prompt": ops.Duplicate(at="messages.20"),
    "another reply": ops.Duplicate(at="messages.21"),
    "the same block": ops.Duplicate(at="messages.21.content.0"),
    "further up": ops.Move(at="messages.24", before="messages.20"),
    "further down": ops.Move(at="messages.21", after="messages.30", pairs="both"),
    "a block moves": ops.Move(at="messages.21.content.0", after="messages.25.content.0"),
    "a reply is parted": ops.Split(at="messages.21.content.1", pairs="keep"),
    "a new id": ops.Rename(at="messages.21.content.1", id="toolu_other"),
    "the last message": ops.Delete(at=("messages.47",), pairs="both"),
    "a last prompt": ops.Insert(role="user", content=raw("go on")),
    "the last call": ops.Delete(at=("messages.46",), pairs="keep"),
    "the first message": ops.Delete(at=("messages.0",), pairs="both"),
    "what stands first": ops.Prepend(text="facts"),
    "a reply at the end": ops.Duplicate(at="messages.47"),
    "to the end": ops.Move(at="messages.44", after="messages.47", pairs="both"),
    "a summary": ops.Compact(
        first="messages.20", last="messages.23", text="in short", pairs="both"
    ),
}


@pytest.mark.parametrize("made", [plain, busy])
@pytest.mark.parametrize("operation", PLAIN.values(), ids=PLAIN)
def test_plain_edits_keep_what_is_known(operation, made, monkeypatch):
    def refused(*_):
        raise AssertionError("all lines are looked at")

    opened = made()
    before = asked(opened.snapshot())
    monkeypatch.setattr(_claude_speller, "hang", refused)
    monkeypatch.setattr(type(opened._store), "_session", refused)
    edit = opened.apply(operation)
    assert len(edit.became) <= FEW
    after = opened.snapshot()
    assert after.has_rows_of(before) or after.moved[0] is before.layout
    assert {"rows", "own_findings", "row_of"}.issubset(after.__dict__)
    assert after.known_gutters.keys() == before.known_gutters.keys()
    monkeypatch.undo()
    assert derived(after) == derived(anew(opened))
    opened.undo()
    assert derived(asked(opened.snapshot())) == derived(anew(opened))


def test_an_answer_is_put_in_among_the_lines_around():
    opened = plain()
    opened.apply(ops.Delete(at=("messages.22",), pairs="keep"))
    before = asked(opened.snapshot())
    assert before.severity_counts["warning"] == 1
    opened.apply(ops.Answer(at="messages.21.content.1", text="ok"))
    after = opened.snapshot()
    assert after.moved is not None
    assert not after.findings
    assert derived(after) == derived(anew(opened))


@pytest.mark.parametrize("made", [plain, busy])
def test_what_is_known_is_known_still_behind_a_changed_text(made, monkeypatch):
    def refused(*_):
        raise AssertionError("all lines are looked at")

    opened = made()
    asked(opened.snapshot())
    monkeypatch.setattr(type(opened._store), "_session", refused)
    for operation in (PLAIN["another prompt"], PLAIN["a text"], PLAIN["a pair"]):
        opened.apply(operation)
        shown = opened.snapshot()
        assert {"rows", "own_findings", "row_of"}.issubset(shown.__dict__)
    monkeypatch.undo()
    assert derived(shown) == derived(anew(opened))


def test_a_line_that_is_its_own_parent_is_found_again():
    lines = [
        user("u1", "u1", "ask"),
        reply("a1", "u1", "m1", "call:t"),
        user("u2", "a1", "result:t"),
        reply("a2", "u2", "m2", "done"),
    ]
    opened = open_bytes(written(*lines))
    asked(opened.snapshot())
    opened.apply(ops.Delete(at=("messages.0",), pairs="both"))
    asked(opened.snapshot())
    opened.undo()
    assert [finding.rule.code for finding in opened.snapshot().findings] == ["FL007"]
    assert derived(opened.snapshot()) == derived(anew(opened))


def test_a_line_without_a_block_is_no_part_of_what_is_sent():
    lines = [
        user("u1", None, "ask"),
        reply("a1", "u1", "m1", "call:t"),
        user("u2", "a1", "result:t"),
        user("u3", "u2"),
        reply("a2", "u3", "m2", "call:w"),
        user("u4", "a2", "result:w"),
    ]
    opened = open_bytes(written(*lines))
    asked(opened.snapshot())
    opened.apply(ops.Insert(role="assistant", content=raw(""), after="messages.0"))
    asked(opened.snapshot())
    opened.undo()
    assert derived(opened.snapshot()) == derived(anew(opened))


def test_what_points_to_a_line_that_goes_is_handed_on_from_afar():
    lines = [user("u0", None, "ask")]
    for k in range(8):
        lines += [reply(f"a{k}", f"u{k}", f"m{k}", "ok"), user(f"u{k + 1}", f"a{k}", "more")]
    lines[1]["logicalParentUuid"] = "a6"
    opened = open_bytes(written(*lines))
    edit = opened.apply(ops.Delete(at=("messages.13",), pairs="both"))
    assert [old.line for old, _ in edit.became] == [2, 15]
