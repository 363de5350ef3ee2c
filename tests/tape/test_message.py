"""Messages out of records, and sides out of messages."""

import pytest

from tapeview.tape.message import Message, block_path, message_of, sides_of
from tests.shorthand import records, tape


def test_one_record_is_one_message():
    (record,) = records("assistant@m1 words call:a")
    message = message_of([record])
    assert (message.role, message.spelled_role, message.id) == ("assistant", "assistant", "m1")
    assert message.blocks is record.blocks
    assert message.is_one_record
    assert message.first is record


def test_the_lines_of_one_reply_are_one_message():
    lines = records("assistant@m1 thinking", "assistant@m1 words", "assistant@m1 call:a call:b")
    message = message_of(lines)
    assert [block.kind for block in message.blocks] == ["thinking", "text", "tool_use", "tool_use"]
    assert [message.record_of(block) for block in message.blocks] == [*lines, lines[2]]
    assert not message.is_one_record


def test_a_block_that_it_does_not_have_belongs_to_its_first_record():
    first, second = records("user text", "user text")
    assert message_of([first]).record_of(second.blocks[0]) is first


@pytest.mark.parametrize(
    "path, spelled",
    [
        (("content",), ""),
        (("content", 2), "content.2"),
        (("tool_calls", 1), "tool_calls.1"),
        (("refusal",), "refusal"),
        ((), ""),
    ],
)
def test_a_path_is_spelled_as_the_api_spells_it(path, spelled):
    assert block_path(path) == spelled


def test_one_record_keeps_the_paths_of_its_blocks():
    (message,) = tape("assistant words call:a")
    assert [message.path_of(k) for k in (0, 1)] == ["content.0", "content.1"]


def test_several_records_are_counted_through():
    message = message_of(records("assistant words call:a", "assistant call:b"))
    assert [message.path_of(k) for k in (0, 1, 2)] == ["content.0", "content.1", "content.2"]


def test_a_record_whose_blocks_were_put_in_another_order_is_counted_anew():
    (record,) = records("user text result:a")
    sent = Message("user", (record,), record.blocks[::-1], "user")
    assert not sent.is_one_record
    assert [sent.path_of(k) for k in (0, 1)] == ["content.0", "content.1"]


def test_a_message_of_failed_calls_alone_is_a_failure():
    failed, fine = records("assistant! error", "assistant words")
    assert message_of([failed]).is_failure
    assert not message_of([failed, fine]).is_failure
    assert not Message("assistant", (), ()).is_failure


@pytest.mark.parametrize(
    "lines, sides",
    [
        ([], []),
        (["user a"], [("user", (0,))]),
        (["user a", "user b", "assistant c"], [("user", (0, 1)), ("assistant", (2,))]),
        (["assistant a", "assistant b"], [("assistant", (0, 1))]),
        (["user a", "system b", "user c"], [("user", (0, 2))]),
        (["user a", "narrator b", "assistant c"], [("user", (0,)), ("assistant", (2,))]),
        (["system a", "narrator b"], []),
    ],
    ids=["empty", "one", "joined", "only assistant", "system", "unknown role", "transparent"],
)
def test_neighbours_of_one_role_are_one_side(lines, sides):
    found = sides_of(tape(*lines))
    assert [(side.role, side.messages) for side in found] == sides
    assert [side.number for side in found] == list(range(len(found)))
