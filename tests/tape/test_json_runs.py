"""Runs of brackets inside deep nests, and that nests end where they end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.tape.json_runs import DEEP, past_closers, past_openers
from tapeview.tape.json_text import JsonFault, skip_value


@pytest.mark.parametrize(
    ("raw", "end", "closers"),
    [
        (b"[[[1", 2, b"]]"),
        (b'{"a":{"b" : [ [ 1', 14, b"}}]"),
        (b"[]", 0, b""),
        (b'{"a":1}', 0, b""),
        (b'{"a\\"":{"b":1', 7, b"}"),
        (b"x", 0, b""),
    ],
)
def test_openers(raw, end, closers):
    kept = bytearray(b"!")
    assert past_openers(raw, 0, kept) == end
    assert kept == b"!" + closers


@pytest.mark.parametrize(
    ("raw", "closers", "end", "left"),
    [
        (b"}]]x", b"]]]}", 3, b"]"),
        (b"}]]", b"]}", 2, b""),
        (b"}}", b"]}", 1, b"]"),
        (b"]]]]", b"]]", 2, b""),
    ],
)
def test_closers(raw, closers, end, left):
    kept = bytearray(closers)
    assert past_closers(raw, 0, kept) == end
    assert kept == left


LEVELS = st.lists(
    st.sampled_from(["[", "[ ", '{"a":', '{ "b\\"" : ', "[1,", '{"a":1,"b":']), max_size=3 * DEEP
)


@given(LEVELS, st.sampled_from(["1", "[]", "{}", '"x"', ""]), st.text("]}, 1", max_size=3))
def test_deep_values_end_where_they_end(levels, inside, after):
    closing = "".join("]" if level[0] == "[" else "}" for level in reversed(levels))
    raw = ("".join(levels) + inside + closing).encode()
    if not inside and not (levels and levels[-1].startswith("[") and "," not in levels[-1]):
        with pytest.raises(JsonFault):
            skip_value(raw + after.encode(), 0) if after[:1] in ("]", "}") else skip_value(raw, 0)
        return
    assert skip_value(raw, 0) == len(raw)
    for cut in (1, 2, len(closing) // 2):
        if 0 < cut <= len(closing):
            with pytest.raises(JsonFault) as raised:
                skip_value(raw[:-cut], 0)
            assert raised.value.offset == len(raw) - cut
