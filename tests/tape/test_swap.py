"""Which edits change texts and sizes alone, and what is swapped then."""

import pytest

from tapeview.edit.operations import Insert, Set
from tapeview.tape.swap import swap_of, swapped_session
from tests.edit.operations import raw
from tests.helpers import open_bytes

CALL = b'{"type":"tool_use","id":"toolu_a","name":"look","input":{}}'
RESULT = b'{"type":"tool_result","tool_use_id":"toolu_a","content":"seen"}'
BODY = (
    b'[{"role":"user","content":"Look."},{"role":"assistant","content":['
    + CALL
    + b']},{"role":"user","content":['
    + RESULT
    + b"]}]"
)


@pytest.mark.parametrize(
    ("operation", "alone"),
    [
        (Set(at="messages.0", member="text", value=raw("Look again.")), True),
        (Set(at="messages.1.content.0", member="input", value=raw({"far": True})), True),
        (Set(at="messages.2.content.0", member="content", value=raw("nothing")), True),
        (Set(at="messages.0", member="text", value=raw("")), False),
        (Set(at="messages.1.content.0", member="id", value=raw("toolu_b")), False),
        (Set(at="messages.1.content.0", member="name", value=raw("peek")), False),
        (Set(at="messages.1.content.0", member="input", value=raw([])), False),
        (Set(at="messages.2.content.0", member="is_error", value=raw(True)), False),
        (Set(at="messages.0", member="role", value=raw("assistant")), False),
    ],
)
def test_what_changes_texts_alone(operation, alone):
    edit = open_bytes(BODY).plan(operation)
    assert (swap_of(edit.became) is not None) is alone


def test_an_edit_that_changes_no_record_in_its_place_is_no_swap():
    edit = open_bytes(BODY).plan(Insert(role="user", content=raw("More.")))
    assert swap_of(edit.became) is None


def test_what_is_swapped():
    opened = open_bytes(BODY)
    before = opened.session
    swap = swap_of(opened.plan(Set(at="messages.0", member="text", value=raw("Go."))).became)
    after = swapped_session(before, swap)
    assert [record.size for record in after.records][1:] == [r.size for r in before.records][1:]
    assert after.records[1:] == before.records[1:]
    assert after.main.messages[1:] == before.main.messages[1:]
    assert after.main.sent is after.main.messages
    assert after.position_of(after.records[0]) == 0
    assert after.as_read is before
