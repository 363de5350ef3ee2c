"""What stands below a block: its ids and times, what is stored with it and never sent."""

import pytest

from tapeview.looks.block_record import beside_lines, clock_of, seconds_between, shown_value, table
from tapeview.tape.record import Record
from tests.block_samples import at, call, claude, model, result, user, written
from tests.helpers import snapshot_of

ASK = user("go")


def beside(body, place):
    snapshot = snapshot_of(body)
    return written(beside_lines(snapshot, at(snapshot, place)))


def test_a_harness_record():
    body = claude(
        {**ASK, "at": "10:00:00"},
        {**model(call("toolu_1")), "id": "m1", "at": "10:00:01.250"},
        {
            **user(result("toolu_1", "x", is_error=True)),
            "at": "10:00:02",
            "extra": {"toolUseResult": {"stdout": "x" * 4093}, "isMeta": True},
        },
    )
    assert beside(body, "messages.2.content.0") == [
        "",
        "record",
        "  id        toolu_1",
        "  is_error  true",
        "  uuid      00000002-aaaa",
        "  parent    00000001-aaaa",
        "  time      2026-03-01 10:00:02",
        "",
        "stored beside, never sent",
        "  type           user",
        "  sessionId      s",
        "  toolUseResult  4.1 kB",
        "  isMeta         true",
    ]


def test_a_long_silence_after_a_record():
    body = claude(
        {**ASK, "at": "10:00:00"},
        {**model(call("a")), "id": "m1", "at": "10:00:01"},
        {**user("hello?"), "at": "10:24:31"},
    )
    assert "  then    nothing until 10:24:31, 25 min on" in beside(body, "messages.1.content.0")
    assert not any("nothing until" in line for line in beside(body, "messages.0"))


def test_a_message_of_an_array_shows_what_it_has_beside_role_and_content():
    body = [ASK, {**model(call("a")), "id": "msg_1", "usage": {"input_tokens": 1, "x": "y" * 60}}]
    assert beside(body, "messages.1.content.0") == [
        "",
        "record",
        "  id  a",
        "",
        "beside role and content",
        "  id     msg_1",
        "  usage  88 B",
    ]


def test_members_of_a_block_that_its_body_does_not_show():
    marked = {**call("a"), "cache_control": {"type": "ephemeral"}}
    assert beside([ASK, model(marked)], "messages.1.content.0") == [
        "",
        "record",
        "  id             a",
        '  cache_control  {"type": "ephemeral"}',
    ]


def test_chat_lists_no_block_twice():
    body = [
        ASK,
        {
            "role": "assistant",
            "content": None,
            "refusal": None,
            "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "ok"},
    ]
    called = beside(body, "messages.1.tool_calls.0")
    assert called == [
        "",
        "record",
        "  id  call_1",
        "",
        "beside role and content",
        "  refusal  null",
    ]
    assert beside(body, "messages.2") == ["", "record", "  id  call_1"]


def test_a_plain_message_has_nothing_below_it():
    assert beside([ASK, model("ok")], "messages.1") == []


def test_only_blocks_have_a_record_below_them():
    assert beside([ASK, model("ok")], "kind:turn") == []


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b'"main"', "main"),
        (b"12", "12"),
        (b"null", "null"),
        (b"{ }", "{ }"),
        (b'{\n  "a": 1\n}', '{ "a": 1 }'),
        (b'"' + b"x" * 58 + b'"', "x" * 58),
        (b'"' + b"x" * 59 + b'"', "61 B"),
        (b'"0a1b2c3d-aaaa-bbbb-cccc-dddddddddddd"', "0a1b2c3d-aaaa"),
        (b'"0a1b2c3d-aaaa-bbbb-cccc-dddddddddddd-x"', "0a1b2c3d-aaaa-bbbb-cccc-dddddddddddd-x"),
    ],
)
def test_short_values_are_shown_and_long_ones_weighed(raw, shown):
    assert shown_value(raw) == shown


def test_a_table_keeps_its_column_whatever_the_keys():
    lines = written(table("usage", [("a", "1"), ("名前", "2"), ("x\x1b[31m", "3\n4")]))
    assert lines == ["usage", "  a          1", "  名前       2", r"  x\x1b[31m  3\n4"]


def test_a_table_of_thousands_is_cut():
    lines = written(table("usage", [(str(n), "") for n in range(1000)]))
    assert len(lines) == 42
    assert lines[-1] == "  and 960 more"


def timed(time):
    return Record(0, 0, 1, "note", time=time)


@pytest.mark.parametrize(
    ("time", "clock"),
    [
        ("2026-03-01T10:00:02.123456Z", "10:00:02"),
        ("2026-03-01T10:00:02", "10:00:02"),
        ("yesterday", ""),
        ("", ""),
        ("2026-03-01T\x1b[2J:02", ""),
    ],
)
def test_the_clock_of_a_record(time, clock):
    assert clock_of(timed(time)) == clock


@pytest.mark.parametrize(
    ("earlier", "later", "seconds"),
    [
        ("2026-03-01T10:00:00Z", "2026-03-01T10:00:01.500Z", 1.5),
        ("2026-03-01T10:00:00Z", "2026-03-01T09:00:00Z", None),
        ("2026-03-01T10:00:00Z", "2026-03-01T10:00:00", None),
        ("", "2026-03-01T10:00:00Z", None),
    ],
)
def test_seconds_between(earlier, later, seconds):
    assert seconds_between(timed(earlier), timed(later)) == seconds
