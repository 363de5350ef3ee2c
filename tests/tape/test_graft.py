"""Changing one value inside raw JSON: tables of texts before and after."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.tape.graft import (
    COMPACT,
    Style,
    replaced,
    respelled,
    spelled,
    style_of,
    with_element,
    with_member,
    without,
)
from tapeview.tape.json_text import JsonFault

PYTHON = Style(blanks=True)
TWO = Style(True, False, "  ")
TAB = Style(True, False, "\t")

STYLES = [
    (b'{"a":1}', Style()),
    (b'{"a": 1}', Style(True)),
    (b"[1, 2]", Style(True)),
    (b"[1,2]", Style()),
    (b"{}", Style()),
    (b'{"a":"\\u00e9"}', Style(False, True)),
    (b'{\n  "a": 1\n}', Style(True, False, "  ")),
    (b'{\n\t"a": 1\n}', Style(True, False, "\t")),
    (b'{\n      "a": 1\n    }', Style(True, False, "  ", 2)),
    (b'{"a":"\\u001b"}', Style()),
]


@pytest.mark.parametrize(("raw", "style"), STYLES)
def test_a_writer_is_known_by_its_blanks_and_escapes(raw, style):
    assert style_of(raw) == style


RESPELLED = [
    (b'{"a":[1.50,{}],"b":""}', PYTHON, b'{"a": [1.50, {}], "b": ""}'),
    (
        b'{ "a" : [ 1e400 , 12345678901234567890123 ] }',
        COMPACT,
        b'{"a":[1e400,12345678901234567890123]}',
    ),
    (b'{"a":"\\ud83d, : \\" {","b":[1.50]}', PYTHON, b'{"a": "\\ud83d, : \\" {", "b": [1.50]}'),
    (
        b'{"a":[],"b":{},"c":[1,{"d":2}]}',
        TWO,
        b'{\n  "a": [],\n  "b": {},\n  "c": [\n    1,\n    {\n      "d": 2\n    }\n  ]\n}',
    ),
    (b"[1]", TAB.deeper(), b"[\n\t\t1\n\t]"),
    (b'{\n "a": NaN\n}', COMPACT, b'{"a":NaN}'),
    (b'"x"', TWO, b'"x"'),
]


@pytest.mark.parametrize(("raw", "style", "wanted"), RESPELLED)
def test_what_somebody_typed_gets_the_blanks_of_the_file_and_nothing_else(raw, style, wanted):
    assert respelled(raw, style) == wanted


@pytest.mark.parametrize("raw", [b"", b"{", b"[1,]", b'{"a":1} x', b"'a'"])
def test_what_is_no_json_is_not_respelled(raw):
    with pytest.raises(JsonFault):
        respelled(raw, COMPACT)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.sampled_from([COMPACT, PYTHON, TWO, TAB]))
def test_respelling_is_what_the_writer_itself_would_have_written(value, style):
    assert respelled(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"), style) == (
        spelled(json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")), style)
    )


def test_lone_surrogates_are_spelled_as_escapes():
    assert spelled("a\ud83d") == b'"a\\ud83d"'


MEMBERS = [
    (b'{"a":1,"b":2}', "b", b"3", b'{"a":1,"b":3}'),
    (b'{"a":1}', "b", b"3", b'{"a":1,"b":3}'),
    (b'{"a": 1}', "b", b"3", b'{"a": 1, "b": 3}'),
    (b'{\n  "a": 1\n}', "b", b"3", b'{\n  "a": 1,\n  "b": 3\n}'),
    (b"{}", "b", b"3", b'{"b":3}'),
    (b'{"a":1,"a":2}', "a", b"3", b'{"a":1,"a":3}'),
    (b'{"\\u0061":1}', "a", b"3", b'{"\\u0061":3}'),
]


@pytest.mark.parametrize(("raw", "key", "text", "wanted"), MEMBERS)
def test_a_member_is_set_in_its_place_or_at_the_end(raw, key, text, wanted):
    assert with_member(raw, (), key, text) == wanted


ELEMENTS = [
    (b"[]", 0, b"[9]"),
    (b"[1]", 0, b"[9,1]"),
    (b"[1]", 7, b"[1,9]"),
    (b"[1, 2]", 1, b"[1, 9, 2]"),
    (b"[\n  1,\n  2\n]", 2, b"[\n  1,\n  2,\n  9\n]"),
    (b"[\n  1\n]", 0, b"[\n  9,\n  1\n]"),
]


@pytest.mark.parametrize(("raw", "at", "wanted"), ELEMENTS)
def test_an_element_is_put_between_others_as_they_stand(raw, at, wanted):
    assert with_element(raw, (), at, b"9") == wanted


GONE = [
    (b'{"a":1,"b":2}', ("a",), b'{"b":2}'),
    (b'{"a":1,"b":2}', ("b",), b'{"a":1}'),
    (b'{"a": 1, "b": 2, "c": 3}', ("b",), b'{"a": 1, "c": 3}'),
    (b'{\n  "a": 1,\n  "b": 2\n}', ("b",), b'{\n  "a": 1\n}'),
    (b'{"a":1}', ("a",), b"{}"),
    (b'{"a":1,"b":2,"a":3}', ("a",), b'{"b":2}'),
    (b"[1, 2, 3]", (1,), b"[1, 3]"),
    (b"[1, 2, 3]", (2,), b"[1, 2]"),
    (b"[1]", (0,), b"[]"),
    (b'{"a":1}', ("x",), b'{"a":1}'),
]


@pytest.mark.parametrize(("raw", "path", "wanted"), GONE)
def test_what_goes_takes_one_comma_with_it(raw, path, wanted):
    assert without(raw, path) == wanted


@given(VALUES, VALUES, st.integers(0, 3))
def test_a_graft_touches_only_its_own_bytes(before, new, at):
    raw = json.dumps({"x": [before, before, before, before], "y": before}).encode()
    text = json.dumps(new).encode()
    grafted = replaced(raw, ("x", at), text)
    wanted = {"x": [before] * 4, "y": before}
    wanted["x"][at] = new
    assert grafted == json.dumps(wanted).encode()


def test_a_place_that_is_not_there_is_said():
    with pytest.raises(LookupError, match="no member"):
        replaced(b'{"a":1}', ("b",), b"2")
