"""Lines of a file, whatever the size of the pieces it is read in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.formats import _lines
from tapeview.formats._lines import Line, lines_of, records_of_line
from tapeview.tape.json_text import JsonFault, loads
from tapeview.tape.record import Record
from tapeview.tape.source import MemorySource


def read(start, text, line, shares):
    try:
        loads(text)
    except JsonFault as fault:
        return Record(start, len(text), line, "unreadable", label=fault.reason, shares_line=shares)
    return Record(start, len(text), line, "message", shares_line=shares)


def records(raw):
    return [r for line in lines_of(MemorySource(raw)) for r in records_of_line(line, read)]


@pytest.mark.parametrize(
    "raw, lines",
    [
        (b"", []),
        (b"\n", [Line(0, 1, b"", True)]),
        (b"a", [Line(0, 1, b"a", False)]),
        (b"a\n", [Line(0, 1, b"a", True)]),
        (b"a\nb", [Line(0, 1, b"a", True), Line(2, 2, b"b", False)]),
        (b"\r\n\n", [Line(0, 1, b"\r", True), Line(2, 2, b"", True)]),
        ("a\u2028b\x0bc\n".encode(), [Line(0, 1, "a\u2028b\x0bc".encode(), True)]),
    ],
)
def test_lines_end_at_the_byte_10_alone(raw, lines):
    assert list(lines_of(MemorySource(raw))) == lines


@given(st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r", b"\n\n"])), st.integers(1, 7))
def test_the_size_of_the_pieces_does_not_matter(parts, size):
    raw = b"".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_lines, "CHUNK", size)
        found = list(lines_of(MemorySource(raw)))
    assert found == list(lines_of(MemorySource(raw)))
    assert b"".join(line.text + b"\n" * line.ended for line in found) == raw
    assert [line.start for line in found] == [
        sum(len(line.text) + 1 for line in found[:k]) for k in range(len(found))
    ]
    assert [line.number for line in found] == list(range(1, len(found) + 1))


def test_lines_from_the_middle_of_a_file():
    (line,) = lines_of(MemorySource(b"ab\ncd"), 3, 2)
    assert line == Line(3, 2, b"cd", False)


@pytest.mark.parametrize(
    "raw, wanted",
    [
        (b"{}", [(0, 2, "message", False)]),
        (b"  {} \r\n", [(2, 2, "message", False)]),
        (b"\xef\xbb\xbf{}\n", [(3, 2, "message", False)]),
        (b"\xef\xbb\xbf\n", []),
        (b" \t\r\n", []),
        (b"// {}\n", [(0, 5, "note", False)]),
        (b"{}{}\n", [(0, 2, "message", True), (2, 2, "message", True)]),
        (b" {}  [1] \n", [(1, 2, "message", True), (5, 3, "message", True)]),
        (b"{} x\n", [(0, 2, "message", True), (3, 1, "unreadable", True)]),
        (b'{} {"a\n', [(0, 2, "message", True), (3, 3, "unreadable", True)]),
        (b"x\n", [(0, 1, "unreadable", False)]),
        (b"\x0c\n", [(0, 1, "unreadable", False)]),
    ],
)
def test_the_records_of_a_line(raw, wanted):
    found = [(r.start, r.length, r.kind, r.shares_line) for r in records(raw)]
    assert found == wanted


def test_a_line_without_its_end_is_half_written():
    assert records(b'{"a')[0].label == "the last line is half written"
    assert records(b'{"a\n')[0].label == "the text ends inside a string"
    assert records(b'{} {"a')[1].label == "the last line is half written"
