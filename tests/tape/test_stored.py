"""The file behind a tape: what is odd in its records, however they stand in it."""

import pytest

from tapeview.tape import stored
from tests.helpers import session_of, snapshot_of

SAID = b'{"role":"user","content":"%b"}'
TWICE = b'{"role":"user","role":"user","content":"%b"}'


def odd_lines(raw):
    """Lines of the records with oddities, and the words of each."""
    found = snapshot_of(raw).index.stored.oddities
    return {record.line: [odd.word for odd in odds] for record, odds in found.items()}


@pytest.mark.parametrize("between", [b"\n", b"\r\n", b"\n\n", b" \n", b"\n// a note\n", b"\n{x\n"])
@pytest.mark.parametrize("size", [1, 3000, 20_000])
def test_odd_records_are_found_among_others(between, size):
    fill = b"a" * size
    lines = [SAID % fill, SAID % fill, TWICE % fill, SAID % b"NaN", TWICE % b"", SAID % fill]
    found = odd_lines(between.join(lines))
    assert list(found.values()) == [["role"], ["role"]]
    text = between.join(lines).split(b"\n")
    assert all(text[number - 1].startswith(b'{"role":"user","role"') for number in found)


def test_objects_that_share_a_line_are_looked_at_one_by_one():
    assert odd_lines(SAID % b"" + TWICE % b"" + b"\n" + SAID % b"") == {1: ["role"]}


def test_records_of_a_document():
    assert odd_lines(b"[%b,\n%b,\n%b]" % (SAID % b"", TWICE % b"", SAID % b"")) == {2: ["role"]}


def test_a_run_of_lines_is_no_longer_than_need_be():
    raw = b"\n".join([SAID % (b"a" * 1000)] * 100)
    runs = list(snapshot_of(raw).index.stored._runs())
    assert sum(map(len, runs)) == 100
    assert max(map(len, runs)) <= stored.RUN // 1000 + 1


def test_the_document_around_the_messages():
    raw = b"""{"model": "claude-x", "tools": [{"name": "a", "input_schema": {"x": 1, "x": 2}}],
        "temperature": NaN, "system": "s", "messages": [], "model": "claude-y"}"""
    around = snapshot_of(raw).index.stored.frame_oddities
    assert [(odd.path, odd.word) for odd in around] == [
        ((), "model"),
        (("tools", 0, "input_schema"), "x"),
        (("temperature",), "NaN"),
    ]


def test_the_numbers_of_records():
    index = snapshot_of(b"\n".join([SAID % b"a"] * 3)).index
    assert list(index.stored.number_of.values()) == [0, 1, 2]
    assert index.stored.damaged == []


def test_the_text_of_neighbouring_records():
    session = session_of(b"\n".join([SAID % b"a", SAID % b"b", SAID % b"c"]))
    assert session.text_of(session.records[:2]) == SAID % b"a" + b"\n" + SAID % b"b"
    assert session.text_of(session.records[2:]) == session.bytes_of(session.records[2])


def test_of_a_file_that_grew_only_the_new_records_are_looked_at():
    before = snapshot_of(b"\n".join([SAID % b"a", TWICE % b"b"])).index.stored
    after = snapshot_of(b"\n".join([SAID % b"a", TWICE % b"b", SAID % b"c", TWICE % b"d"])).index
    new = after.stored.records[2:]
    after.stored.take_oddities(before, new)
    assert list(after.stored.oddities) == [new[1]]
