"""Whether an order of messages keeps each result where its call's reader looks for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.edit import operations as ops
from tapeview.edit import putting
from tapeview.edit.apart import keep_together, rows_of
from tapeview.edit.draft import Draft
from tapeview.edit.work import Work
from tapeview.errors import EditError, PairSplit
from tests.edit.operations import _move, operations
from tests.edit.threads import thread_file
from tests.formats.claude import reply, user, written
from tests.helpers import open_bytes


def work_of(raw):
    opened = open_bytes(raw)
    snapshot = opened.snapshot()
    draft = Draft(opened.session, opened._store.read, b"")
    speller = opened._store.speller(snapshot.tape)
    return Work(opened.session, snapshot.tape, snapshot.index, speller, draft)


CALL = '{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"R","input":{}}]}'
RESULT = '{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}'
ASK, SAY = '{"role":"user","content":"x"}', '{"role":"assistant","content":"y"}'
NOTE = '{"role":"system","content":"z"}'
BODY = f"[{ASK},{CALL},{RESULT},{SAY},{NOTE}]".encode()
TOLD = written(
    user("u1", None, "ask"),
    reply("a1", "u1", "m1", "call:a"),
    user("r1", "a1", "result:a"),
    reply("a2", "r1", "m2", "y"),
    user("u2", "a2", "z"),
)
CALL_CHAT = (
    '{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"R","arguments":"{}"}}]}'
)
CHAT = f'[{ASK},{CALL_CHAT},{{"role":"tool","tool_call_id":"a","content":"r"}},{SAY},{NOTE}]'

ORDERS = [
    ("the API joins neighbours of one role", BODY, [0, 1, 3, 2, 4], True),
    ("other words before a result", BODY, [1, 0, 2, 3, 4], False),
    ("a system message parts nothing", BODY, [0, 1, 4, 2, 3], True),
    ("the result above its call", BODY, [0, 2, 1, 3, 4], False),
    ("the other way round and back", BODY, [3, 1, 2, 0, 4], True),
    ("Claude Code sends each reply alone", TOLD, [0, 1, 3, 2, 4], False),
    ("Claude Code puts results first", TOLD, [1, 0, 2, 3, 4], True),
    ("Chat joins nothing", CHAT.encode(), [0, 1, 3, 2, 4], False),
    ("Chat lets no system message stand between", CHAT.encode(), [0, 1, 4, 2, 3], False),
]


@pytest.mark.parametrize(
    ("raw", "order", "whole"), [c[1:] for c in ORDERS], ids=[c[0] for c in ORDERS]
)
def test_an_order(raw, order, whole):
    work = work_of(raw)
    rows = rows_of(work)
    keep_together(work, [rows[k] for k in order], "keep")
    if whole:
        keep_together(work, [rows[k] for k in order], "ask")
    else:
        with pytest.raises(PairSplit) as caught:
            keep_together(work, [rows[k] for k in order], "ask")
        assert len(caught.value.places) == 2


def test_what_was_parted_before_is_not_asked_about():
    work = work_of(f"[{CALL},{SAY},{ASK},{RESULT}]".encode())
    rows = rows_of(work)
    keep_together(work, rows[::-1], "ask")


def test_the_end_that_stays_is_named():
    work = work_of(BODY)
    rows = rows_of(work)
    moved = work.messages[1].blocks
    with pytest.raises(PairSplit) as caught:
        keep_together(work, [rows[1], rows[0], *rows[2:]], "ask", moved)
    assert caught.value.places == ("messages.2.content.0",)


@given(seed=st.integers(0, 1 << 32), data=st.data())
def test_the_messages_around_tell_as_much_as_all(seed, data):
    opened = open_bytes(thread_file(seed))
    index = opened.snapshot().index
    kinds = [_move, _split]
    operation = data.draw(operations(index, st.just("ask"), kinds))
    outcomes = []
    for whole in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            if whole:
                patch.setattr(putting, "around", lambda work, _: range(len(work.messages)))
            try:
                outcomes.append(opened.plan(operation).label)
            except EditError as error:
                outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]


def _split(message, block, either, index, pairs):
    del message, either, index
    return st.builds(ops.Split, at=block, pairs=pairs)
