import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.tape.clean import visible
from tapeview.tape.pretty import PrettyLine, pretty

texts = st.text(st.characters(), max_size=10)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)


def drawn(raw: bytes) -> list[str]:
    """The lines as a painter would show them, ``│`` before lines of a block."""
    return [
        " " * line.indent + ("│" if line.is_block else "") + "".join(text for _, text in line.parts)
        for line in pretty(raw)
    ]


def test_a_tool_call() -> None:
    raw = rb"""{"type":"tool_use", "id":"toolu_1","name":"Bash",
        "input":{"command":"cat <<EOF\nhello \"you\"\nEOF","timeout":1.50e+3,"flags":[],"env":{ },
        "list":[1,null,"x",[true,NaN]]}, "type":"twice"}"""
    assert drawn(raw) == [
        "{",
        '  "type": "tool_use",',
        '  "id": "toolu_1",',
        '  "name": "Bash",',
        '  "input": {',
        '    "command":',
        "      │cat <<EOF",
        '      │hello "you"',
        "      │EOF",
        '    "timeout": 1.50e+3,',
        '    "flags": [],',
        '    "env": {},',
        '    "list": [',
        "      1,",
        "      null,",
        '      "x",',
        "      [",
        "        true,",
        "        NaN",
        "      ]",
        "    ]",
        "  },",
        '  "type": "twice"',
        "}",
    ]


def test_parts_say_what_they_are() -> None:
    raw = b'{"k": "s", "n": -0.10, "l": -Infinity, "o": {}, "b": "1\\n", "a": [7]}'
    assert [line.parts for line in pretty(raw)] == [
        (("punct", "{"),),
        (("key", '"k"'), ("punct", ": "), ("string", '"s"'), ("punct", ",")),
        (("key", '"n"'), ("punct", ": "), ("number", "-0.10"), ("punct", ",")),
        (("key", '"l"'), ("punct", ": "), ("literal", "-Infinity"), ("punct", ",")),
        (("key", '"o"'), ("punct", ": {},")),
        (("key", '"b"'), ("punct", ":")),
        (("block", "1"),),
        (("block", ""),),
        (("key", '"a"'), ("punct", ": [")),
        (("number", "7"),),
        (("punct", "]"),),
        (("punct", "}"),),
    ]


@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        (b" 12345678901234567890.10 ", ["12345678901234567890.10"]),
        (b'"caf\\u00e9"', ['"café"']),
        (b'"say \\"hi\\" C:\\\\x\\/"', ['"say \\"hi\\" C:\\\\x/"']),
        (b'"tab\\there"', ['"tab\\there"']),
        (b'"\\u001b[31m\\r"', ['"\x1b[31m\r"']),
        (b'"\\ud83d cut"', ['"\ud83d cut"']),
        (b'"\xed\xa0\xbd\\/"', ['"\ud83d/"']),
        (b'"bad \xe9"', ['"bad \ufffd"']),
        (b'"C:\\users"', ['"C:\\\\users"']),
        (b'"a\\u000ab"', ["│a", "│b"]),
        (b'"dos\\r\\nlines"', ["│dos\r", "│lines"]),
        (b'"a \\"quoted\\" \\\\n\\nb"', ['│a "quoted" \\n', "│b"]),
        (b'{"two\\nlines": 1}', ["{", '  "two\\nlines": 1', "}"]),
        (
            b'["a\\nb","c\\nd","e"]',
            ["[", "  │a", "  │b", "  ,", "  │c", "  │d", "  ,", '  "e"', "]"],
        ),
        (b'["a\\nb"]', ["[", "  │a", "  │b", "]"]),
        (b"[ ]", ["[]"]),
        (b"[[]]", ["[", "  []", "]"]),
        (b"[{}, 1]", ["[", "  {},", "  1", "]"]),
        (b'{"":{"":""}}', ["{", '  "": {', '    "": ""', "  }", "}"]),
    ],
)
def test_values(raw: bytes, lines: list[str]) -> None:
    assert drawn(raw) == lines


@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        (b"", [""]),
        (b"not json\n  at all\r\n", ["not json", "  at all\r", ""]),
        (b'{"torn": "te', ['{"torn": "te']),
        (b'{"a":1}{"b":2}', ['{"a":1}{"b":2}']),
        (b"caf\xe9", ["caf\ufffd"]),
    ],
)
def test_what_is_not_json_is_shown_as_it_is(raw: bytes, lines: list[str]) -> None:
    assert drawn(raw) == lines
    assert {part[0] for line in pretty(raw) for part in line.parts} == {"string"}


@given(values, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_nothing_is_lost_or_changed(value: Any, indent: Any, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    shown = "".join(
        json.dumps(part) if kind in ("key", "string") else part
        for line in pretty(text.encode("utf-8", "surrogatepass"))
        for kind, part in respelled(line)
    )
    if not any(line.is_block for line in pretty(text.encode("utf-8", "surrogatepass"))):
        assert repr(json.loads(shown)) == repr(value)


def respelled(line: PrettyLine) -> list[tuple[str, str]]:
    """The parts with what is spelled read again: strings as their text."""
    spelled = {"n": "\n", "t": "\t"}
    return [
        (
            kind,
            re.sub(r"\\(.)", lambda escape: spelled.get(escape[1], escape[1]), part[1:-1])
            if kind in ("key", "string")
            else part,
        )
        for kind, part in line.parts
    ]


@given(values)
def test_a_text_reads_the_same_however_it_is_spaced(value: Any) -> None:
    assert drawn(json.dumps(value).encode()) == drawn(json.dumps(value, indent=3).encode())


@given(values | st.binary(max_size=30))
def test_every_part_fits_one_line(value: Any) -> None:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    for line in pretty(raw):
        assert line.indent >= 0
        for _, text in line.parts:
            assert "\n" not in text
            assert all(ord(char) >= 32 for _, run in visible(text) for char in run)


def test_any_depth_and_lazily() -> None:
    raw = b"[" * 100_000 + b"]" * 100_000
    lines = pretty(raw)
    assert next(lines) == PrettyLine(0, (("punct", "["),))
    assert next(lines).indent == 2
    assert sum(1 for _ in lines) == 199_999 - 2


def test_memoryviews_are_taken() -> None:
    assert list(pretty(memoryview(b'{"a":[1]}'))) == list(pretty(b'{"a":[1]}'))
