"""The lines of a recording as they are written."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from tapeview.wire.recording import (
    Base64,
    Call,
    Chunk,
    Failed,
    Head,
    Header,
    Reply,
    bytes_of,
    line_of,
    stamp,
    text_of_bytes,
)

LINES = {
    "header": (
        Header(at="2026-11-30T15:50:04.123Z", by="tapeview 0.1.0", pid=7),
        b'{"tape":1,"at":"2026-11-30T15:50:04.123Z","by":"tapeview 0.1.0","upstream":"","pid":7}\n',
    ),
    "call": (
        Call(call="1", at="T", kind="new", add=[Raw(b'{"role": "user","content":"hi"}')]),
        b'{"call":"1","at":"T","kind":"new","parent":null,"keep":0,'
        b'"add":[{"role": "user","content":"hi"}]}\n',
    ),
    "values over many lines": (
        Call(call="2", at="T", kind="fork", parent="1", keep=1, system=Raw(b'[\r\n"a\\n"\n]')),
        b'{"call":"2","at":"T","kind":"fork","parent":"1","keep":1,"add":[],'
        b'"system":[  "a\\n" ]}\n',
    ),
    "head": (
        Head(head="1", t=12.5, status=200),
        b'{"head":"1","t":12.5,"status":200,"request_id":"","headers":{}}\n',
    ),
    "chunk": (
        Chunk(chunk="1", t=13, data="event: ping\n\n"),
        b'{"chunk":"1","t":13,"data":"event: ping\\n\\n"}\n',
    ),
    "chunk cut in a character": (
        Chunk(chunk="1", t=13, data=text_of_bytes(b"\xc3")),
        b'{"chunk":"1","t":13,"data":{"b64":"ww=="}}\n',
    ),
    "reply": (
        Reply(reply="1", at="T", t=90, first=12, message=Raw(b'{"id":"m"}'), stop="end_turn"),
        b'{"reply":"1","at":"T","t":90,"first":12,"message":{"id":"m"},"stop":"end_turn"}\n',
    ),
    "failed": (
        Failed(failed="1", at="T", t=3, why="status 529", status=529),
        b'{"failed":"1","at":"T","t":3,"why":"status 529","status":529}\n',
    ),
}


@pytest.mark.parametrize("case", LINES.values(), ids=LINES)
def test_each_line_is_compact_json_in_one_order(case):
    value, line = case
    assert line_of(value) == line
    assert json.loads(line)


@given(st.binary())
def test_any_bytes_come_back(data):
    assert bytes_of(text_of_bytes(data)) == data
    line = line_of(Chunk(chunk="1", t=0, data=text_of_bytes(data)))
    assert line.count(b"\n") == 1


def test_damaged_base64_is_no_bytes():
    assert bytes_of(Base64("a")) == b""


def test_moments_are_spelled_in_utc_with_milliseconds():
    assert stamp(1_700_000_000.1234) == "2023-11-14T22:13:20.123Z"
