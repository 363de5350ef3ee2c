import json

import pytest

from tapeview.calls.many import tally_of
from tapeview.calls.reply import Reply
from tapeview.calls.trouble import Trouble
from tapeview.looks.beside import beside_lines, recorded_lines, tally_lines
from tests.calls.helpers import BODY, plan


def message(*content):
    return json.dumps({"role": "assistant", "content": list(content)}).encode()


def text(words):
    return {"type": "text", "text": words}


def call(name="Edit", **given):
    return {"type": "tool_use", "id": "toolu_1", "name": name, "input": given}


THINKING = {"type": "thinking", "thinking": "hm", "signature": "x"}


def shown(lines):
    return [f"{line.mark[:1]}{line.sign or ''}|{line.line.text}" for line in lines]


def test_the_recorded_reply_by_itself():
    lines = recorded_lines(message(text("one\ntwo"), call(file_path="/w/a.py")), "/w")
    assert shown(lines) == ["text|one ¶ two", "call|Edit  a.py"]


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (None, "nothing is recorded here: it is a call of its own"),
        (b'{"content":[', "the recorded reply cannot be read"),
    ],
)
def test_no_recorded_reply(raw, words):
    (line,) = recorded_lines(raw)
    assert line.line.text == words


def test_the_same():
    reply = message(text("so"), call(command="ls"))
    assert shown(beside_lines(reply, reply)) == [
        "stext|so",
        "scall|Edit  ls",
        "|",
        "|the same as recorded",
    ]


def test_what_differs():
    recorded = message(text("The failing case is 17"), call(file_path="lease.py"))
    new = message(THINKING, text("Case 17"), call(file_path="pool.py"))
    lines = shown(beside_lines(recorded, new))
    assert lines[:3] == [
        "dthinking|no thinking block",
        "dtext|The failing case is 17",
        "dcall|Edit  lease.py",
    ]
    assert "|same tool, other file: pool.py, not lease.py" in lines


def test_names_are_made_harmless():
    lines = beside_lines(message(call("\x1b[2J")), message({"type": "\x1b[2J"}))
    assert "\x1b" not in str(shown(lines))


def reply(*content):
    return Reply(message(*content), "m", "end_turn", {}, 0.1, 0.2, None, is_cut=False)


def test_how_often_each_decision_came():
    recorded = BODY["messages"][1]["content"]
    ends = [reply(*recorded), reply(text("no")), reply(*recorded)]
    ends.append(Trouble("rate", "Too many requests; wait."))
    made = plan(turn=1)
    lines = shown(tally_lines(tally_of(made, ends), 4))
    calls = [block for block in recorded if block["type"] == "tool_use"]
    assert lines[0].startswith(f"scall|2 of 4  {calls[0]['name']}")
    assert "dtext|1 of 4  no" in lines
    assert lines[-2:] == ["|1 call failed", "|Too many requests; wait."]


def test_a_recorded_decision_that_did_not_come():
    lines = shown(tally_lines(tally_of(plan(turn=1), [reply(text("no"))]), 1))
    assert lines == ["dtext|1 of 1  no", "|the recorded decision did not come"]
