"""What is kept of a file of lines that has grown, and what is read anew."""

import pytest

from tapeview.formats._growing import is_torn, read_on
from tapeview.tape.source import MemorySource
from tests.formats.samples import store_of

ONE, TWO, THREE = (b'{"role":"user","content":"%b"}' % word for word in (b"a", b"b", b"c"))


def read(raw):
    return tuple(store_of(raw).records())


def grown(before, after):
    """Records before, and after it grew."""
    known, source = read(before), MemorySource(after, "x")
    store = store_of(before).grown(source, False)
    return known, read_on(known, source, store.records)


def facts(records):
    return [(r.start, r.length, r.line, r.kind, r.shares_line, r.label) for r in records]


@pytest.mark.parametrize(
    ("before", "more", "same"),
    [
        (ONE + b"\n" + TWO + b"\n", THREE + b"\n", 2),
        (ONE + b"\n" + TWO, b"\n" + THREE + b"\n", 2),
        (ONE + b"\n" + TWO[:9], TWO[9:] + b"\n" + THREE + b"\n", 1),
        (ONE + b"\n" + TWO[:9], TWO[9:20], 1),
        (ONE + b"\n" + TWO, THREE + b"\n", 0),  # two on a line: what was whole is not
        (ONE + b"\n" + TWO + THREE + b"\n", ONE + b"\n", 3),
        (ONE + b"\r\n\r\n" + TWO + b"\r\n", b"\r\n" + THREE, 2),
        (b"\xef\xbb\xbf" + ONE + b"\n", TWO + b"\n", 1),
        (ONE + b"\n// a note\n", TWO + b"\n", 2),
        (ONE + b"\n" + TWO + b"\n", b"", 2),
    ],
)
def test_it_is_what_reading_all_of_it_gives(before, more, same):
    known, records = grown(before, before + more)
    assert facts(records) == facts(read(before + more))
    assert [new is old for new, old in zip(records, known, strict=False)].count(True) == same


def test_what_has_become_another_line_is_no_growth():
    known, records = grown(ONE + b"\n", TWO + b"\n" + THREE + b"\n")
    # The first line is as long as before: nothing but its text tells it apart, nobody asks here.
    assert facts(records)[:1] == facts(known)
    known, records = grown(ONE + b"\n", b'{"role":"assistant","content":"a"}\n')
    assert records[0] is not known[0]


@pytest.mark.parametrize(
    ("raw", "torn"),
    [
        (ONE + b"\n" + TWO[:9], True),
        (ONE + b"\n" + TWO[:9] + b"\n", False),
        (ONE + b"\n" + TWO, False),
        (ONE + b"\n" + TWO + THREE[:4], True),
    ],
)
def test_half_a_line(raw, torn):
    assert is_torn(read(raw), MemorySource(raw)) is torn


def test_nothing_is_torn_of_nothing():
    assert not is_torn((), MemorySource(b""))
