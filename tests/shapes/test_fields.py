"""Looking into an object without decoding what is not asked for."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.shapes.fields import fields_of, is_text, text_facts, text_of, value_at
from tapeview.tape.block import BlockFacts
from tapeview.tape.json_text import JsonFault, locate, members


@pytest.mark.parametrize(
    "raw, fields",
    [
        (b'{"a": 1, "b": [ 2 ]}', {"a": b"1", "b": b"[ 2 ]"}),
        (b' {"\\u0061": "x"} ', {"a": b'"x"'}),
        (b'{"a": 1, "a": 2}', {"a": b"2"}),
        (b"{}", {}),
        (b"[1]", {}),
        (b'"text"', {}),
        (b"", {}),
    ],
)
def test_members_are_cut_out_as_they_are(raw, fields):
    assert fields_of(raw) == fields


@pytest.mark.parametrize("raw", [b"{", b'{"a"', b'{"a": }', b'{"a": 1 "b": 2}'])
def test_a_damaged_object_is_a_fault(raw):
    with pytest.raises(JsonFault):
        fields_of(raw)


@pytest.mark.parametrize(
    "raw, text",
    [(b'"a\\nb"', "a\nb"), (b'"\\ud83d"', "\ud83d"), (b"5", ""), (None, ""), (b'"\x01', "")],
)
def test_the_text_of_a_string(raw, text):
    assert text_of(raw) == text
    assert is_text(raw or b"") == (raw is not None and raw[:1] == b'"')


@pytest.mark.parametrize(
    "raw, facts",
    [
        (b'""', BlockFacts.EMPTY),
        (b'" "', BlockFacts.BLANK),
        (b'"\\n\\t\\r"', BlockFacts.BLANK),
        (b'"\\u00a0"', BlockFacts.BLANK),
        ('"\u3000"'.encode(), BlockFacts.BLANK),
        (b'"x"', BlockFacts.NONE),
        (b'" x"', BlockFacts.NONE),
        (b'"\\n x"', BlockFacts.NONE),
        (b'"\\u200b"', BlockFacts.NONE),
        (b'"\\ud83d"', BlockFacts.NONE),
    ],
)
def test_empty_and_blank_texts(raw, facts):
    assert text_facts(raw) == facts
    assert text_facts(memoryview(raw)) == facts


@given(
    st.dictionaries(
        st.text(),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        ),
    ),
    st.sampled_from((None, 1)),
    st.booleans(),
)
def test_the_quick_reading_gives_what_the_scanner_gives(value, indent, ascii_only):
    raw = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "replace")
    scanned = {key: raw[a:b] for key, (a, b) in members(raw, 0)}
    assert fields_of(raw) == scanned


PATHS = [
    (),
    ("a",),
    ("a", 0),
    ("a", 1),
    ("a", 1, "b"),
    ("a", -1),
    ("b",),
    ("a", "b"),
    (0,),
    ("a", 0, 0),
]
small = st.recursive(
    st.sampled_from(["", "é\n", 1, 2.5, None, True]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=6,
)


def outcome(find, raw, path):
    try:
        return find(raw, path)
    except (JsonFault, LookupError) as fault:
        return type(fault), str(fault)


@given(st.dictionaries(st.sampled_from("ab"), small), st.sampled_from(PATHS), st.data())
def test_a_value_is_what_stands_where_it_is_located(value, path, data):
    raw = json.dumps(value, indent=data.draw(st.sampled_from([None, 1]))).encode()
    raw = raw[: data.draw(st.integers(0, len(raw)) | st.just(len(raw)))]

    def located(raw, path):
        start, end = locate(raw, path)
        return raw[start:end]

    assert outcome(value_at, raw, path) == outcome(located, raw, path)


@pytest.mark.parametrize(
    ("raw", "path", "value"),
    [
        (b'{"a": [1, {"b" :  [ 2 ] }]}', ("a", 1, "b"), b"[ 2 ]"),
        (b'{"a": [1], "a": [2]}', ("a", 0), b"2"),
        (b'{"a": NaN}', ("a",), b"NaN"),
        (b'{"a": ["\xff"]}', ("a", 0), b'"\xff"'),
        (b'{"a": [' + b"[" * 3000 + b"]" * 3000 + b", 7]}", ("a", 1), b"7"),
        (b'{"a": 1, "b": ', ("b",), None),
        (b'{"a": [1, 2', ("a", 0), None),
    ],
)
def test_values_of_odd_texts(raw, path, value):
    if value is None:
        with pytest.raises(JsonFault):
            value_at(raw, path)
        return
    assert value_at(raw, path) == value
