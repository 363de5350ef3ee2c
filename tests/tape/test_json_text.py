import json
import math
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.tape import json_text
from tapeview.tape.json_text import (
    JsonFault,
    Span,
    array_spans,
    decode_text,
    elements,
    loads,
    locate,
    members,
    skip_blank,
    skip_value,
    split_values,
    unquote,
)

DEEP = 100_000
texts = st.text(st.characters(), max_size=12)  # lone surrogates included
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(texts, inner, max_size=5),
    max_leaves=25,
)
blanks = st.text(" \t\n\r", max_size=3)


@st.composite
def spelled(draw: Any, content: Any = values) -> tuple[Any, bytes]:
    """A value and one of the many ways to write it."""
    value = draw(content)
    text = json.dumps(
        value,
        ensure_ascii=draw(st.booleans()),
        indent=draw(st.sampled_from([None, 0, 1, "\t"])),
        separators=(draw(blanks) + "," + draw(blanks), draw(blanks) + ":" + draw(blanks)),
    )
    padded = draw(blanks) + text + draw(blanks)
    return value, padded.encode("utf-8", "surrogatepass")


def same(left: Any, right: Any) -> bool:
    """Equal, with NaN equal to itself, and 1, 1.0 and True all different."""
    return repr(left) == repr(right)


def places(
    value: Any, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    yield path, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from places(inner, (*path, index))


def cut(raw: bytes, spans: list[Span]) -> list[bytes]:
    return [raw[span.start : span.end] for span in spans]


def drain(spans: Iterator[Any]) -> tuple[list[Any], JsonFault | None]:
    got = []
    try:
        for span in spans:
            got.append(span)
    except JsonFault as fault:
        return got, fault
    return got, None


# --- loads --------------------------------------------------------------------------------------


@given(spelled())
def test_loads_agrees_with_the_standard_library(case: tuple[Any, bytes]) -> None:
    value, raw = case
    assert same(loads(raw), value)
    assert same(loads(memoryview(raw)), value)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b"18446744073709551615", 2**64 - 1),
        (b"18446744073709551616", 2**64),
        (b"-9223372036854775809", -(2**63) - 1),
        (b'{"id": 123456789012345678901234567890}', {"id": 123456789012345678901234567890}),
        (b"1" * 4300, int("1" * 4300)),
        (b"1e400", math.inf),
        (b"-Infinity", -math.inf),
        (b'"\\ud83d"', "\ud83d"),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b'"\xed\xa0\xbd"', "\ud83d"),
        (b'"caf\xe9"', "caf\ufffd"),
        (b'{"a":1,"a":2}', {"a": 2}),
        (b" \r\n[1]\n", [1]),
    ],
)
def test_loads_reads_exactly(raw: bytes, value: object) -> None:
    assert same(loads(raw), value)


def test_loads_reads_nan() -> None:
    got = loads(b"[NaN]")
    assert isinstance(got, list)
    assert math.isnan(got[0])


@pytest.mark.parametrize(
    ("raw", "offset", "reason"),
    [
        (b"", 0, "the text ends where a value should begin"),
        (b"  ", 2, "the text ends where a value should begin"),
        (b"[1,", 3, "the text ends inside an array"),
        (b"[1", 2, "the text ends inside an array"),
        (b"[", 1, "the text ends inside an array"),
        (b'{"a"', 4, "the text ends inside an object"),
        (b'{"a":1,', 7, "the text ends inside an object"),
        (b'{"a":', 5, "the text ends inside an object"),
        (b'{"text":"caf', 12, "the text ends inside a string"),
        (b'{"text":"caf\\"', 14, "the text ends inside a string"),
        (b"[tru", 4, "the text ends inside a value"),
        (b"[1.", 3, "the text ends inside a number"),
        (b"[1,2e+", 6, "the text ends inside a number"),
        (b"[1,]", 3, "a value should stand here"),
        (b"[1 2]", 3, "a comma or ] should stand here"),
        (b"[01]", 2, "a comma or ] should stand here"),
        (b'{"a" 1}', 5, "a colon should stand here"),
        (b"{a:1}", 1, "a key in quotes should stand here"),
        (b'{"a":1,}', 7, "a key in quotes should stand here"),
        (b'{"a":1]', 6, "a comma or } should stand here"),
        (b'{"a":1} {"b":2}', 8, "more text follows the value"),
        (b"\xef\xbb\xbf{}", 0, "a value should stand here"),
        (b"\xff", 0, "a value should stand here"),
        (
            b'["ok","a\x01b"]',
            6,
            "a string holds a bare control character or an escape that JSON lacks",
        ),
        (
            b'{"\\"":"\\x41"}',
            6,
            "a string holds a bare control character or an escape that JSON lacks",
        ),
        (b"[" + b"1" * 4301 + b"]", 0, "a number in it has more than 4300 digits"),
        (b"[" * DEEP, 1000, "nested too deeply"),
        (b"[" * DEEP + b"]" * DEEP, 1000, "nested too deeply"),
        (b'{"a":' * DEEP + b"1" + b"}" * DEEP, 5000, "nested too deeply"),
    ],
)
def test_loads_names_the_fault(raw: bytes, offset: int, reason: str) -> None:
    with pytest.raises(JsonFault) as caught:
        loads(raw)
    assert (caught.value.offset, caught.value.reason) == (offset, reason)
    assert str(caught.value) == f"{reason} (byte {offset})"


def test_loads_at_a_depth_that_only_the_call_stack_refuses() -> None:
    raw = b"[" * 1000 + b"NaN" + b"]" * 1000
    with pytest.raises(JsonFault, match="nested too deeply"):
        loads(raw)


@given(st.binary(max_size=40) | st.text('[]{}",:\\u1e.-NaInfity tr\n', max_size=30).map(str.encode))
def test_loads_of_any_bytes_is_a_value_or_a_fault(raw: bytes) -> None:
    try:
        loads(raw)
    except JsonFault as fault:
        assert 0 <= fault.offset <= len(raw)


@given(
    spelled(st.dictionaries(texts, values, max_size=4) | st.lists(values, max_size=4)), st.data()
)
def test_a_text_cut_anywhere_faults_at_its_end(case: tuple[Any, bytes], data: Any) -> None:
    raw = case[1].rstrip()
    torn = raw[: data.draw(st.integers(0, len(raw) - 1))]
    with pytest.raises(JsonFault) as caught:
        loads(torn)
    assert caught.value.offset == len(torn)


# --- decode_text, unquote -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"caf\xc3\xa9", "café"),
        (b"\xed\xa0\xbd", "\ud83d"),
        (b"caf\xe9 \xed\xa0\xbd", "caf\ufffd \ufffd\ufffd\ufffd"),
    ],
)
def test_decode_text(raw: bytes, text: str) -> None:
    assert decode_text(raw) == text
    assert decode_text(memoryview(raw)) == text


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b'"plain"', "plain"),
        (b'"caf\\u00e9 \\"x\\" \\\\"', 'café "x" \\'),
        (b'"\\ud83d"', "\ud83d"),
        (b'"a\tb\\n"', "a\tb\n"),
        (b'"\xe9\\n"', "\ufffd\n"),
        (b'"\xed\xa0\xbd\\n"', "\ud83d\n"),
        (b'"C:\\users"', "C:\\users"),
    ],
)
def test_unquote(raw: bytes, text: str) -> None:
    assert unquote(raw) == text
    assert unquote(memoryview(raw)) == text
    assert unquote(decode_text(raw)) == text


# --- skip_blank, skip_value ---------------------------------------------------------


def test_skip_blank() -> None:
    assert skip_blank(b" \t\r\n x", 0) == 5
    assert skip_blank(b"x ", 1) == 2
    assert skip_blank(b"\xc2\xa0", 0) == 0


@pytest.mark.parametrize(
    "body", [b"", b"abc", b"\\\\", b'\\"', b'a\\\\\\"b', b"caf\xe9\x01", b"\\" * 64]
)
def test_skip_value_finds_the_end_of_a_string(body: bytes) -> None:
    raw = b'x"' + body + b'" "y"'
    assert skip_value(raw, 1) == len(body) + 3
    assert skip_value(memoryview(raw), 1) == len(body) + 3


@given(spelled(), st.sampled_from(["", " ", ",1", "]", "}", " x", '"']))
def test_skip_value_agrees_with_raw_decode(case: tuple[Any, bytes], after: str) -> None:
    raw = case[1].strip() + after.encode()
    text = raw.decode("utf-8", "surrogatepass")
    if after == "" or not text[-1 - len(after)].isdigit():
        _, end = json.JSONDecoder().raw_decode(text)
        assert skip_value(raw, 0) == len(text[:end].encode("utf-8", "surrogatepass"))
        assert skip_value(memoryview(raw), 0) == skip_value(raw, 0)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a": [1, 2.5e3, "x"]}',
        b"[NaN, Infinity, -Infinity]",
        b'["\\ud83d", "\\ud83d\\\\", "\\x"]',
        b'"a\x01\xff\n"',
        b"-0.0",
        b"[" * DEEP + b"]" * DEEP,
        b'{"a":' * DEEP + b"1" + b"}" * DEEP,
        b'["' + b"\\\\" * DEEP + b'"]',
        b"[" + b'{"k":1},' * DEEP + b"0]",
        b"[" + b"1 , " * DEEP + b"0]",
    ],
)
def test_skip_value_finds_the_end_of_odd_values(raw: bytes) -> None:
    assert skip_value(raw, 0) == len(raw)
    assert skip_value(b"  " + raw + b" \n" * 5000 + b"]", 0) == len(raw) + 2


@given(spelled(), st.text('[]{}",:\\ux1.', max_size=4))
def test_asking_the_decoder_finds_the_same_end_as_scanning(
    case: tuple[Any, bytes], after: str
) -> None:
    raw = case[1].strip() + b" " + after.encode()
    told = json_text._past_value(raw, json_text._COUNTED_FROM)
    scanned = json_text._scan(raw, 0, DEEP)
    assert told == -1 or skip_blank(raw, scanned) == told


def test_the_decoder_tells_where_a_value_ends() -> None:
    """If it does not, all stays right but a big value costs ten times as much."""
    assert json_text._past_value(b'{"a":[1]}  ]', json_text._COUNTED_FROM) == 11


PIECES = ["[", "]", "{", "}", '"a"', '"\\\\"', '"]"', ",", ":", " ", "1", '{"k":', '{ "[" :', "[["]


@given(st.lists(st.sampled_from(PIECES), max_size=24))
def test_brackets_that_open_together_are_those_that_open_one_by_one(pieces: list[str]) -> None:
    raw = "".join(pieces).encode()
    assert scanned(raw, sys.maxsize) == scanned(raw, DEEP)


def scanned(raw: bytes, max_depth: int) -> int | tuple[int, str]:
    try:
        return json_text._scan(raw, 0, max_depth)
    except JsonFault as fault:
        return fault.offset, fault.reason


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a" : ', b'{"[{":[ '])
def test_brackets_that_nothing_closes(opening: bytes) -> None:
    raw = opening * 400_000
    with pytest.raises(JsonFault) as caught:
        skip_value(raw, 0)
    assert caught.value.offset == len(raw)


def test_skip_value_stops_where_the_text_stops_making_sense() -> None:
    raw = b'{"a": [1, {"b" 2}]}' + b" " * 100
    with pytest.raises(JsonFault) as caught:
        skip_value(raw, 0)
    assert caught.value.offset == 15


# --- elements, members, array_spans, split_values -----------------------------------------------


@given(spelled(st.lists(values, max_size=6)))
def test_elements_agree_with_json(case: tuple[list[Any], bytes]) -> None:
    value, raw = case
    assert same([loads(piece) for piece in cut(raw, list(elements(raw, 0)))], value)


@given(spelled(st.dictionaries(texts, values, max_size=6)))
def test_members_agree_with_json(case: tuple[dict[str, Any], bytes]) -> None:
    value, raw = case
    got = {key: loads(raw[span.start : span.end]) for key, span in members(raw, 0)}
    assert same(got, value)


@given(spelled(st.lists(values, max_size=6)), st.text("[]{},1 ", max_size=4))
def test_array_spans_are_the_elements(case: tuple[list[Any], bytes], after: str) -> None:
    raw = b'{"messages":' + case[1] + after.encode()
    spans, fault = array_spans(memoryview(raw), 12)
    assert (spans, fault) == (list(elements(raw, 12)), None)


@given(st.text('[]{}",:\\ud831 a', max_size=30))
def test_array_spans_stop_where_the_elements_stop(text: str) -> None:
    raw = b"[" + text.encode()
    spans, fault = array_spans(raw, 0)
    slow_spans, slow_fault = drain(elements(raw, 0))
    assert spans == slow_spans
    assert (fault and fault.offset) == (slow_fault and slow_fault.offset)


def test_members_come_in_order_and_as_often_as_written() -> None:
    raw = b'{"a" : 1, "b":[2,3] ,"a":"x"}'
    got = [(key, raw[span.start : span.end]) for key, span in members(raw, 0)]
    assert got == [("a", b"1"), ("b", b"[2,3]"), ("a", b'"x"')]


def test_what_stands_before_damage_is_yielded() -> None:
    array = b'[1, {"a":2}, "x" "y"]'
    got, fault = drain(elements(array, 0))
    assert cut(array, got) == [b"1", b'{"a":2}', b'"x"']
    assert fault is not None
    assert fault.offset == 17
    got, fault = drain(members(b'{"a":1,"b":[2', 0))
    assert got == [("a", Span(5, 6))]
    assert fault is not None
    assert fault.offset == 13


@pytest.mark.parametrize("raw", [b"", b"{}", b"1"])
def test_elements_of_what_is_no_array(raw: bytes) -> None:
    got, fault = drain(elements(raw, 0))
    assert got == []
    assert fault is not None
    assert (fault.offset, fault.reason) == (0, "an array should open here")


def test_two_objects_on_one_line() -> None:
    raw = b'{"a":1}{"b":2} [3]\n'
    assert cut(raw, list(split_values(raw))) == [b'{"a":1}', b'{"b":2}', b"[3]"]
    assert list(split_values(b" \n")) == []


def test_split_values_stops_at_garbage() -> None:
    got, fault = drain(split_values(b'{"a":1}{"b":2}, {"c":3}'))
    assert got == [Span(0, 7), Span(7, 14)]
    assert fault is not None
    assert fault.offset == 14


@given(st.lists(spelled(st.lists(values, max_size=3)), max_size=4))
def test_split_values_finds_all_values(cases: list[tuple[Any, bytes]]) -> None:
    raw = b"".join(text for _, text in cases)
    assert same(
        [loads(piece) for piece in cut(raw, list(split_values(raw)))], [v for v, _ in cases]
    )


# --- locate -------------------------------------------------------------------------------------


@given(spelled())
def test_locate_finds_every_value(case: tuple[Any, bytes]) -> None:
    value, raw = case
    for path, inner in places(value):
        span = locate(raw, path)
        assert same(loads(raw[span.start : span.end]), inner)
        assert locate(memoryview(raw), path) == span


def test_of_doubled_keys_the_last_is_located() -> None:
    raw = b'{"a":{"x":1},"a":{"y":2}}'
    assert locate(raw, ["a", "y"]) == Span(22, 23)
    with pytest.raises(LookupError):
        locate(raw, ["a", "x"])


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        (["b"], 'the top has no member "b"'),
        (["a", 2], "a has no element 2"),
        (["a", -1], "a has no element -1"),
        (["a", "0"], 'a has no member "0"'),
        (["a", 1, "x"], 'a.1 has no member "x"'),
        ([0], "the top has no element 0"),
    ],
)
def test_locate_says_what_is_missing(path: list[str | int], sentence: str) -> None:
    with pytest.raises(LookupError) as caught:
        locate(b' {"a": [1, 2]}', path)
    assert str(caught.value) == sentence


def test_locate_in_damaged_text() -> None:
    raw = b'[{"a":1}, {"b":'
    assert locate(raw, [0, "a"]) == Span(6, 7)
    with pytest.raises(JsonFault):
        locate(raw, [1, "b"])
