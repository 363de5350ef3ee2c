"""An edit hangs the lines of its own messages anew, and no others."""

import pytest

from tapeview.edit import operations as ops
from tapeview.errors import EditError
from tests.derived import anew, asked, derived
from tests.edit.operations import raw
from tests.formats.claude import reply, system, user, written
from tests.helpers import open_bytes

MANY = 40


def parallel(turns=MANY):
    """Turns of two calls, each result below its own call, and the uuid of the last line."""
    lines, tip = [], None
    for k in range(turns):
        lines += [
            user(f"u{k}", tip, "ask"),
            reply(f"a{k}", f"u{k}", f"m{k}", f"call:s{k}"),
            reply(f"b{k}", f"a{k}", f"m{k}", f"call:t{k}"),
            user(f"r{k}", f"a{k}", f"result:s{k}"),
            user(f"q{k}", f"b{k}", f"result:t{k}"),
            reply(f"c{k}", f"q{k}", f"n{k}", "done"),
        ]
        tip = f"c{k}"
    return lines, tip


def interrupted(tip):
    """A reply whose first result stands between its lines."""
    return [
        user("u", tip, "ask"),
        reply("a", "u", "m", "call:s"),
        user("r", "a", "result:s"),
        reply("b", "r", "m", "call:t"),
        reply("d", "b", "m", "call:v"),
        user("q", "b", "result:t"),
        user("x", "d", "result:v"),
        reply("c", "x", "n", "done"),
    ]


RESULTS = f"messages.{4 * MANY + 2}"
TEXT = {"type": "text", "text": "x"}


@pytest.mark.parametrize(
    "operation",
    [
        ops.Set(at=RESULTS, member="role", value=raw("assistant")),
        ops.InsertBlock(block=raw(TEXT), after=f"{RESULTS}.content.0"),
        ops.Duplicate(at=f"{RESULTS}.content.0"),
        ops.Delete(at=(f"{RESULTS}.content.1",), pairs="keep"),
        ops.Delete(at=("messages.5", RESULTS), pairs="keep"),
    ],
    ids=lambda operation: type(operation).__name__,
)
def test_lines_far_away_stay(operation):
    lines, tip = parallel()
    opened = open_bytes(written(*lines, *interrupted(tip)))
    edit = opened.apply(operation)
    assert len(edit.became) <= 6
    assert derived(asked(opened.snapshot())) == derived(anew(opened))


NEW = raw({"type": "message", "role": "assistant", "content": [TEXT]})
BARE = [
    (
        [
            user("u1", None, "ask", at=None),
            reply("b1", "u1", "m1", "first try", at=None),
            reply("a1", "u1", "m2", "answer", at=None),
        ],
        ops.ReplaceReply(turn=1, message=NEW),
    ),
    (
        [
            reply("a1", None, "m1", "call:x", at=None),
            user("u1", "a1", "call:x", at=None),
            user("u2", None, "ask", at=None),
            user("u3", "u1", "result:y", at=None),
        ],
        ops.Move(at="messages.1", after="messages.0", pairs="both"),
    ),
    (
        [
            reply("a1", None, "m1", "call:t", at=None, timestamp="z" * 23 + "Z"),
            system("n1", "a1", "informational", at=1),
            user("u1", "a1", "result:t", at=1),
        ],
        ops.Insert(role="assistant", content=raw([TEXT]), before="messages.1"),
    ),
]


@pytest.mark.parametrize(("lines", "operation"), BARE, ids=["a reply", "a move", "no time"])
def test_without_times_an_edit_that_resume_would_pass_over_is_refused(lines, operation):
    opened = open_bytes(written(*lines))
    before = opened.session.main.messages
    with pytest.raises(EditError, match="cannot be kept whole"):
        opened.apply(operation)
    assert opened.session.main.messages is before


@pytest.mark.parametrize("time", ["9999-12-31T23:59:59.999Z", "0001-01-01T00:00:00.000Z"])
@pytest.mark.parametrize("side", ["before", "after"])
def test_the_calendar_ends(time, side):
    opened = open_bytes(written(user("u1", None, "ask", timestamp=time, at=None)))
    opened.apply(ops.Insert(role="user", content=raw("x"), **{side: "messages.0"}))
    assert len(opened.session.main.messages[0].records) == 2


def said_at(time):
    lines = [user("u1", None, "ask"), reply("a1", "u1", "m1", "say")]
    return open_bytes(written(*(item | {"timestamp": time, "at": None} for item in lines)))


def test_a_branch_stands_before_the_end_of_the_calendar():
    opened = said_at("9999-12-31T23:59:59.999Z")
    opened.apply(ops.Branch(turn=1, message=NEW))
    assert [tape.id for tape in opened.session.tapes] == ["main", "branch:1"]


def test_no_branch_stands_before_its_beginning():
    opened = said_at("0001-01-01T00:00:00.000Z")
    with pytest.raises(EditError, match="no place for a branch"):
        opened.apply(ops.Branch(turn=1, message=NEW))
    assert [tape.id for tape in opened.session.tapes] == ["main"]
