"""A branch of a file that holds one line: a request body of its own, cut out to the byte."""

import json

import pytest

from tapeview.calls.keeping import branch_body
from tapeview.errors import EditError
from tests.edit.model import tape_of
from tests.formats.samples import SAMPLES, name_of
from tests.helpers import open_bytes

BODY = b"""{
  "model": "claude-x",
  "messages": [
    {
      "role": "user",
      "content": "one \\u00e9"
    },
    {
      "role": "assistant",
      "content": "two"
    },
    {
      "role": "user",
      "content": "three"
    }
  ],
  "temperature": 1.0e0
}
"""
REPLY = b'{"id":"msg_1","role":"assistant","content":[{"type":"text","text":"\\ud83d"}],"usage":{}}'


def snapshot(raw):
    return open_bytes(raw).snapshot()


def test_the_reply_stands_behind_the_call_and_all_else_stays():
    taken = snapshot(BODY)
    made = branch_body(taken, taken.turn(1), REPLY)
    wanted = BODY.replace(b'"two"', b'"\\ud83d"').replace(
        b""",
    {
      "role": "user",
      "content": "three"
    }""",
        b"",
    )
    assert made.body == wanted
    assert made.absent == ("max_tokens",)


def test_the_next_call_takes_the_whole_tape():
    made = branch_body(snapshot(BODY), None, REPLY)
    assert [m["role"] for m in json.loads(made.body)["messages"]] == ["user", "assistant"] * 2


def test_a_call_that_was_sent_nothing():
    taken = snapshot(b'[ {"role": "assistant", "content": "a"} ]')
    made = branch_body(taken, taken.turn(1), REPLY)
    assert json.loads(made.body)["messages"] == [{"role": "assistant", "content": "\ud83d"}]


@pytest.mark.parametrize("reply", [b"7", b'{"role":"user","content":"x"}', b'{"content":[]}'])
def test_what_is_no_reply_is_refused(reply):
    with pytest.raises(EditError):
        branch_body(snapshot(BODY), None, reply)


@pytest.mark.parametrize("path", SAMPLES, ids=name_of)
def test_every_turn_of_every_sample_can_be_kept_and_is_read_back(path):
    taken = snapshot(path.read_bytes())
    for turn in taken.index.turns[:6]:
        made = branch_body(taken, turn, REPLY)
        opened = open_bytes(made.body)
        assert opened.session.frame.is_editable
        *_, (role, blocks) = tape_of(opened.session)
        assert (role, [json.loads(block)["text"] for block in blocks]) == ("assistant", ["\ud83d"])
