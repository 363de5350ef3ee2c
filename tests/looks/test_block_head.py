"""The head of the block pane: title, figures, place, and one line for whatever is wrong."""

import json

import pytest

from tapeview.looks.block_text import block_head
from tests.block_samples import at, call, claude, head_of, image, model, result, text, user
from tests.helpers import snapshot_of

ASK = user("go")


def calls(*identities):
    return model(*(call(identity) for identity in identities))


def answers(*identities):
    return user(*(result(identity) for identity in identities))


BODY = {
    "model": "claude-sonnet-4-5",
    "system": "Be brief.",
    "tools": [{"name": "Bash", "input_schema": {}}],
    "messages": [
        user("one two three"),
        model(
            {"type": "thinking", "thinking": "hm, well", "signature": "s"}, call("toolu_1", ls=1)
        ),
        user(result("toolu_1", "a\nb\nc"), image()),
        model("# Done"),
    ],
}


@pytest.mark.parametrize(
    ("place", "sign", "title", "name", "figures"),
    [
        ("messages.0", "prompt", "text", "", ("13 B", "3 words")),
        ("messages.1.content.0", "thinking", "thinking", "", ("8 B", "2 words")),
        ("messages.1.content.1", "call", "tool_use", "Bash", ("9 B",)),
        ("messages.2.content.0", "result", "tool_result", "Bash", ("7 B", "3 lines")),
        ("messages.2.content.1", "image", "image", "", ("153 B",)),
        ("messages.3", "text", "text", "", ("6 B", "2 words")),
        ("system", "system", "system", "", ("9 B",)),
        ("tools", "tools", "1 tool", "", ("38 B",)),
        ("1", "", "turn 1", "", ("1 tool", "62 B sent")),
    ],
)
def test_title_and_figures(place, sign, title, name, figures):
    head = head_of(BODY, place)
    assert (head.sign, head.title, head.name, head.figures) == (sign, title, name, figures)


@pytest.mark.parametrize(
    ("content", "figures"),
    [
        ("one line", ("8 B",)),
        ("two\nlines", ("10 B", "2 lines")),
        ("a last line break starts no line\n\n", ("36 B", "2 lines")),
        ("", ("0 B",)),
        ([text("a\nb"), text("c")], ("65 B", "3 lines")),
    ],
)
def test_lines_of_a_result(content, figures):
    body = [ASK, calls("toolu_1"), user(result("toolu_1", content))]
    assert head_of(body, "messages.2.content.0").figures == figures


def test_json_counts_the_lines_that_it_is_written_in():
    raw = json.dumps([ASK, model(call("toolu_1", a=1, b=2))], indent=1).encode()
    assert head_of(raw, "messages.1.content.0").figures[1:] == ("4 lines",)


TIMED = claude(
    {**ASK, "at": "10:00:00"},
    {**model(call("toolu_1")), "id": "m1", "at": "10:00:02.500", "stop_reason": "tool_use"},
    {**user(result("toolu_1")), "at": "10:00:03"},
)


@pytest.mark.parametrize(
    ("body", "place", "words"),
    [
        (TIMED, "messages.0", ("messages.0", "line 1", "10:00:00")),
        (
            TIMED,
            "messages.1.content.0",
            ("messages.1.content.0", "line 2", "10:00:02", "turn 1", "tool_use"),
        ),
        (TIMED, "1", ("messages.1", "line 2", "10:00:02", "tool_use")),
        (
            [ASK, model("ok", stop_reason="end_turn")],
            "messages.1",
            ("messages.1", "turn 1", "end_turn"),
        ),
        (BODY, "system", ("system",)),
        ([ASK, calls("a")], "kind:turn", ("messages.1",)),
    ],
)
def test_the_place_is_named_as_far_as_the_file_knows_it(body, place, words):
    assert head_of(body, place).place == words


def test_a_time_that_is_no_time_is_left_out():
    body = claude({**ASK, "extra": {"timestamp": "\x1b[2J2026-03-01T10:00:00Z"}})
    assert head_of(body, "messages.0").place == ("messages.0", "line 1")


def test_findings_stand_one_a_line():
    (_, line) = head_of([ASK, calls("toolu_1"), user("well?")], "messages.1.content.0").lines
    assert (line.sign, line.style) == ("error", "error")
    assert line.parts[0] == ("error bold", "TU001")
    assert line.text == "TU001 Bash was never answered"


def test_many_findings_are_counted_not_listed(monkeypatch):
    monkeypatch.setattr("tapeview.looks.block_head.MOST_FINDINGS", 1)
    snapshot = snapshot_of([ASK, model({"type": "tool_use", "id": "", "name": ""}), user("x")])
    row = at(snapshot, "messages.1.content.0")
    hidden = len(snapshot.findings_at(row)) - 1
    assert hidden > 1
    *_, first, last = block_head(snapshot, row).lines
    assert first.text.startswith("TU00")
    assert last.text == f"and {hidden} more findings"


def test_a_row_that_is_not_sent_says_why():
    body = claude(
        ASK,
        {**model(call("toolu_1")), "id": "m1"},
        {**user("are you there?")},
        {**model("yes"), "id": "m2"},
    )
    lines = [line.text for line in head_of(body, "messages.1.content.0").lines]
    assert "not sent: unanswered" in lines


def test_notes_and_damage():
    body = (
        claude(ASK, {**model("ok"), "id": "m1"})
        + b'\n{"type":"summary","summary":"x","leafUuid":"y"}'
    )
    note = head_of(body, "kind:note")
    assert (note.sign, note.title, note.place) == ("note", "summary", ("records.2", "line 3"))
    damaged = head_of(
        claude(ASK, {**model("ok"), "id": "m1"}) + b'\n{"type": oops}\n{}', "kind:unreadable"
    )
    assert (damaged.sign, damaged.title) == ("error", "unreadable")
    assert damaged.lines[0].sign == "error"


def test_a_message_without_blocks():
    head = head_of([ASK, model("ok"), {"role": "user", "content": []}], "messages.2")
    assert (head.title, head.figures, head.place) == ("no content", (), ("messages.2",))


def test_names_are_clean():
    body = [ASK, model({"type": "tool_use", "id": "a", "name": "x\x1b[31m\n[red]", "input": {}})]
    head = head_of(body, "messages.1.content.0")
    assert head.name == "x¤[31m ¶ [red]"
    odd = head_of([ASK, model({"type": "ev\x07il"})], "messages.1.content.0")
    assert odd.title == "ev¤il"


@pytest.mark.parametrize("state", ["dangling", "sound"])
def test_the_sign_of_a_broken_link_is_red(state):
    rest = [answers("toolu_1")] if state == "sound" else [user("well?")]
    head = head_of([ASK, calls("toolu_1"), *rest], "messages.1.content.0")
    assert head.sign_style == ("call" if state == "sound" else "error")
