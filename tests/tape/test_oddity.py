"""What JSON readers do not agree on: found at every depth, in every spelling, and nothing else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.tape.oddity import DEEPEST, Oddity, are_plain, oddities

NAN = float("nan")


@pytest.mark.parametrize(
    "raw",
    [
        b"{}",
        b'{"a":1,"b":{"a":1}}',
        b'[{"a":1},{"a":1}]',
        b'{ "a" : [ {"b": 1e5}, "\\u00e9" ],\r\n "c": 1.50 }',
        b'{"a":"\\"b\\":1,\\"b\\":2","b":"{NaN}"}',
        b'{"a":"\\ud83d","b":"\\\\","c":"NaN"}',
        b'{"a":"\xff","\xff":1e999}',
        b'{"a":"a\ttab","b":123456789012345678901234567890}',
        b"[" * 50_000 + b"]" * 50_000,
    ],
)
def test_texts_that_all_readers_read_alike(raw):
    assert oddities(raw) == ()


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (b'{"a":1,"a":1}', [((), "a", True)]),
        (b'{"a":1,"b":2,"a":1,"a":3}', [((), "a", True), ((), "a", True)]),
        (b'{"a":1, "\\u0061" : 2}', [((), "a", True)]),
        (b'{"":1,"":2}', [((), "", True)]),
        (b'{"a":1,"a":1,"b":1e6}', [((), "a", True)]),
        (b'{"a" :1,"a":2}', [((), "a", True)]),
        (b'[0,{"k":[{"a":{},"a":[]}]}]', [((1, "k", 0), "a", True)]),
        (b'{"k":{"a":[1,{"b":1}],"c":2,"a":3},"a":4}', [(("k",), "a", True)]),
        (b'{"\\ud83d":1,"\\ud83d":2}', [((), "\ud83d", True)]),
        (b"NaN", [((), "NaN", False)]),
        (
            b'{"a":[1,-Infinity],"b":Infinity}',
            [(("a", 1), "-Infinity", False), (("b",), "Infinity", False)],
        ),
        (b'{"a":NaN,"a":"\xff"}', [(("a",), "NaN", False), ((), "a", True)]),
        (b'[[[{"a":1}],{"b":2,"b":2}],NaN]', [((0, 1), "b", True), ((1,), "NaN", False)]),
    ],
)
def test_what_is_odd_and_where(raw, found):
    assert oddities(raw) == tuple(Oddity(*odd) for odd in found)


def test_any_depth_is_looked_at_and_told_in_a_few_steps():
    raw = b'{"k":' * 50_000 + b'{"a":1,"a":2}' + b"}" * 50_000
    assert oddities(raw) == (Oddity(("k",) * DEEPEST, "a", True),)


keys = st.sampled_from(["a", "b", "é", "", "\ud83d", 'q"'])
scalars = st.sampled_from([1, 1e5, 2.5, "x", "é", '","a":1', "\\", True, None, NAN])


@st.composite
def texts(draw, inner=None):
    """A JSON text in some spelling, and how often a key comes again or a word is no number."""
    ascii_only, blank = draw(st.booleans()), draw(st.sampled_from(["", " ", "\n  "]))

    def spell(value):
        return json.dumps(value, ensure_ascii=ascii_only or "\ud83d" in str(value))

    def any_value(depth):
        if depth == 0 or draw(st.booleans()):
            value = draw(scalars)
            return spell(value), int(value is NAN)
        parts = [any_value(depth - 1) for _ in range(draw(st.integers(0, 3)))]
        odd = sum(count for _, count in parts)
        if draw(st.booleans()):
            return "[" + ("," + blank).join(text for text, _ in parts) + "]", odd
        names = [draw(keys) for _ in parts]
        pairs = zip(names, parts, strict=True)
        members = [f"{spell(name)}:{blank}{text}" for name, (text, _) in pairs]
        return "{" + ("," + blank).join(members) + "}", odd + len(names) - len(set(names))

    text, odd = any_value(4)
    return text.encode(), odd


@given(texts())
def test_nothing_is_missed_and_nothing_invented(case):
    raw, odd = case
    assert len(oddities(raw)) == odd


@given(st.lists(texts(), min_size=1, max_size=4))
def test_lines_that_are_plain_together_are_plain_one_by_one(cases):
    if are_plain(b"\n".join(raw for raw, _ in cases)):
        assert not any(oddities(raw) for raw, _ in cases)


def test_compact_lines_are_told_together():
    assert are_plain('{"a":1}\n{"a":"é\\n","b":[{"a":2}]}'.encode())
    assert not are_plain(b'{"a":1}\n{"a":1,"a":1}')
    assert not are_plain(b'{"a":1}\n{"a":NaN}')
    assert not are_plain(b"{}\n" + b"[" * 5000 + b"]" * 5000)
