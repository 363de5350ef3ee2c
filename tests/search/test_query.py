"""What is typed, what it asks for, and where that stands in a text."""

import json
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.search.query import (
    STEP,
    WINDOW,
    TooSlow,
    line_spans,
    parse,
    spans,
    unspelled,
    within,
)
from tapeview.search.text import json_texts


@pytest.mark.parametrize(
    ("words", "text", "filters"),
    [
        ("", "", []),
        ("   ", "", []),
        ("acquire", "acquire", []),
        (" await  pool ", "await  pool", []),
        ("is:error", "", ["is:error"]),
        ("is:problem lease", "lease", ["is:problem"]),
        ("lease is:prompt", "lease", ["is:prompt"]),
        ("one role:user two", "one two", ["role:user"]),
        ("role:user tool:Bash", "", ["role:user", "tool:Bash"]),
        ("tool:mcp__x__y", "", ["tool:mcp__x__y"]),
        ('tool:"my tool" x', "x", ["tool:my tool"]),
        ("role:tool", "", ["role:tool"]),
    ],
)
def test_filter_words_stand_anywhere(words, text, filters):
    query = parse(words)
    assert query.text == text
    assert [":".join(pair) for pair in query.filters] == filters
    assert query.is_empty == (not text and not filters)
    assert query.only_filters == (bool(filters) and not text)


@pytest.mark.parametrize(
    "words",
    [
        "is:nothing",
        "IS:error",
        "is:",
        "tool:",
        "role:cook",
        "http://host/x",
        "a:b",
        "is:error,",
        "xis:error",
        '"timeout":',
        '"timeout": 600',
        'print("a b")',
        '"',
        '"a',
        'tool:"a"b',
        'key:"a b"',
        '"hello"',
        'say "hi"',
    ],
)
def test_what_is_no_filter_is_text_as_it_is_typed(words):
    assert (parse(words).text, parse(words).filters) == (words, ())


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ('"connection refused"', "connection refused"),
        ('"is:error"', "is:error"),
        ('"tool:Bash" and', "tool:Bash and"),
        ('"is:error x"', "is:error x"),
        ('x "a  b" y', "x a  b y"),
        ('" x"', " x"),
        ('""', ""),
    ],
)
def test_quotes_hold_words_together_and_make_them_text(words, text):
    assert (parse(words).text, parse(words).filters) == (text, ())


@pytest.mark.parametrize("regex", [False, True])
@given(words=st.text(max_size=40) | st.from_regex(r'([a-z:"\\( \[*+{}|]{0,8})*', fullmatch=True))
def test_nothing_that_is_typed_raises(words, regex):
    query = parse(words, regex)
    assert query.regex == regex
    assert spans(query, words) == spans(query, words)
    assert not (query.fault and spans(query, "some text"))


# -- case ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "regex", "text", "fits"),
    [
        ("lease", False, "Lease LEASE lease", ["Lease", "LEASE", "lease"]),
        ("Lease", False, "Lease LEASE lease", ["Lease"]),
        ("LEASE", False, "Lease LEASE lease", ["LEASE"]),
        ("401", False, "401", ["401"]),
        ("é", False, "É é e", ["É", "é"]),
        ("É", False, "É é", ["É"]),
        ("straße", False, "Straße, STRAẞE", ["Straße", "STRAẞE"]),
        ("漢字", False, "これは漢字", ["漢字"]),
        ("k", False, "k K \u212a é", ["k", "K"]),  # the sign for Kelvin is no letter k here
        ("s", False, "s S \u017f", ["s", "S"]),
        ("x", False, "\u0130x", ["x"]),  # in lower case two letters long
        ("lease", True, "Lease lease", ["Lease", "lease"]),
        ("Lease", True, "Lease lease", ["Lease"]),
        (r"\Sease", True, "Lease lease", ["Lease", "lease"]),
        (r"(?P<Name>l)ease", True, "Lease lease", ["Lease", "lease"]),
        (r"\x4Cease", True, "Lease lease", ["Lease", "lease"]),
        ("[A-Z]ease", True, "Lease lease", ["Lease"]),
    ],
)
def test_lower_case_fits_any_case(words, regex, text, fits):
    assert [text[start:stop] for start, stop in spans(parse(words, regex), text)] == fits


@pytest.mark.parametrize(
    ("words", "text", "places"),
    [
        ("a", "banana", [(1, 2), (3, 4), (5, 6)]),
        ("ana", "banana", [(1, 4)]),
        ("aa", "aaaaa", [(0, 2), (2, 4)]),
        ("x y", "x y\nx\ny", [(0, 3)]),
        ("zz", "banana", []),
        ("", "banana", []),
        ("is:error", "is:error", []),
    ],
)
def test_places_of_plain_text(words, text, places):
    assert spans(parse(words), text) == places


# -- regular expressions ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "text", "fits"),
    [
        ("a+", "caaat a", ["aaa", "a"]),
        ("a*", "baaa", ["aaa"]),
        ("^b", "ab\nbc\nb", ["b", "b"]),
        (r"\Ab", "ab\nbc", ["b"]),
        ("b$", "ab\r\nbc\nab", ["b", "b"]),
        ("a.b", "a\nb a-b", ["a-b"]),
        (r"(?s)a.b", "a\nb", []),
        (r"a\sb", "a\nb", []),
        ("$", "x\ny", []),
        ("(?=x)", "x", []),
        ("", "x", []),
        ("tool:Bash x", "x", ["x"]),
    ],
)
def test_regular_expressions_look_at_lines_and_want_something(words, text, fits):
    query = parse(words, regex=True)
    assert [text[start:stop] for start, stop in spans(query, text)] == fits
    assert any(query.look(text)) == bool(fits)


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("(", "missing )"),
        ("[a", "unterminated character set"),
        ("*", "nothing to repeat"),
        (r"\k", r"bad escape \k"),
        ("a{1,99999999999}", "the repetition number is too large"),
        ("a(?i)b", "global flags not at the start of the expression"),
    ],
)
def test_what_is_wrong_with_a_regular_expression(words, fault):
    query = parse(words, regex=True)
    assert query.fault == fault
    assert not query.is_empty
    assert spans(query, "aaa (((") == []
    assert parse(words).fault == ""


def test_a_warning_of_the_compiler_goes_nowhere():
    assert parse("[[a]", regex=True).fault == ""


@pytest.mark.parametrize("words", ["(?:" * 3000 + ")" * 3000, "(?L)a", "a{" + "9" * 5000 + "}"])
def test_what_the_compiler_cannot_take_is_a_fault(words):
    assert parse(words, regex=True).fault


@pytest.mark.parametrize("at", [0, 17_998, 17_999, 18_000, 19_996, 19_999, 20_000, 50_000, 90_000])
def test_a_long_line_is_looked_at_whole(at):
    text = "." * at + "needle" + "." * (90_000 - at)
    query = parse("need+le", regex=True)
    assert spans(query, text) == [(at, at + 6)]
    assert any(query.look(text))


def test_the_end_of_a_window_is_no_end_of_a_line():
    text = "x" * (WINDOW - 1) + "y" + "z" * WINDOW
    assert spans(parse("y$", regex=True), text) == []
    assert spans(parse("yz+$", regex=True), text) == [(WINDOW - 1, 2 * WINDOW)]
    assert spans(parse("^z", regex=True), "." * STEP + "z" * WINDOW) == []


@given(st.text("ab\n", max_size=60), st.sampled_from(["a+b", "b$", "^a", "ab|ba", "a.?b", "(ab)+"]))
def test_a_text_fits_as_the_lines_of_it_do(text, words):
    query = parse(words, regex=True)
    expected, start = [], 0
    for line in text.split("\n"):
        expected += [(m.start() + start, m.end() + start) for m in re.finditer(words, line)]
        start += len(line) + 1
    assert spans(query, text) == expected
    assert any(query.look(text)) == bool(expected)


@pytest.mark.parametrize(
    ("words", "text"),
    [("(a+)+$", "a" * 60 + "b"), ("(a|aa)+c", "a" * 90), ("(.*)*z", "a" * 50_000)],
)
def test_a_regular_expression_that_never_ends_is_left(words, text):
    query = parse(words, regex=True)
    before = time.process_time()
    with pytest.raises(TooSlow):
        list(query.look(text))
    assert spans(query, text) == []
    assert time.process_time() - before < 3
    assert spans(parse("aab?", regex=True), "aab") == [(0, 3)]  # the clock is stopped again


def test_work_in_time_gives_its_result():
    assert within(1, lambda: 7) == 7


# -- lines of the block pane -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "parts", "fits"),
    [
        ("hi", [("fg", "hi there")], ["hi"]),
        ('"hi', [("key", '"c"'), ("punct", ": "), ("string", r'"echo \"hi\""')], [r"\"hi"]),
        ("a\\b", [("string", r'"a\\b"')], [r"a\\b"]),
        ('c": "e', [("key", '"c"'), ("punct", ": "), ("string", r'"echo \"\""')], ['c": "e']),
        ("x", [("string", r'"\\\"x"')], ["x"]),
        ("1", [("key", r'"\\"'), ("punct", ": "), ("number", "12")], ["1"]),
        (r"\"", [("fg", r"\"")], [r"\""]),
    ],
)
def test_places_in_a_line_are_those_of_what_it_spells(words, parts, fits):
    shown = "".join(text for _, text in parts)
    places = line_spans(parse(words), parts)
    assert [shown[start:stop] for start, stop in places] == fits


def test_bare_lines_spell_nothing():
    assert line_spans(parse("\\\\"), [("string", '"\\\\"')], bare=True) == [(1, 3)]
    assert line_spans(parse("\\\\"), [("string", '"\\\\"')]) == []


def test_behind_a_limit_one_place_is_enough():
    parts = [("fg", "x" * 10)]
    assert line_spans(parse("x"), parts, limit=0) == [(0, 1)]
    assert len(line_spans(parse("x"), parts, limit=4)) == 5
    assert len(line_spans(parse("x"), parts)) == 10


@given(st.text('ab"\\\t é', max_size=12))
def test_what_pretty_spells_is_read_back(text):
    (line,) = next(json_texts(json.dumps(text).encode())).split("\n")
    assert line == f'"{text}"'
    assert unspelled(text) == text or text.startswith('"')


# -- raw bytes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "held"),
    [
        ("acquire", b"acquire"),
        ("Acquire", b"Acquire"),
        ('say "hello"', b"hello"),
        ("src/ledger", b"src/ledger"),
        ("größe", b"gr"),
        ("\\d+", b"d+"),
        ('"time": 600000,', b"600000"),
        (": 6", b"6"),
        ("x[]{}", b"x"),
        ("漢字", b""),
        ('"', b""),
    ],
)
def test_what_is_looked_for_in_raw_bytes(words, held):
    assert parse(words).held == held


@pytest.mark.parametrize(
    ("words", "raw", "may"),
    [
        ("lease", b'"the LEASE"', True),
        ("Lease", b'"the LEASE"', False),
        ("lease", b'"nothing"', False),
        ("lease", rb'"\u006cease"', True),
        ("lease", rb'"\u001b[31m"', False),
        ("a/b", rb'"a\/b"', True),
        ("a.b", rb'"a\/b"', False),
        ("é", b"anything", True),
    ],
)
def test_raw_bytes_that_surely_do_not_fit_are_told(words, raw, may):
    assert parse(words).may_be_in(raw) is may


VALUES = st.recursive(
    st.text('aB/"\\\n\té:, {}[]x1', max_size=8)
    | st.integers(0, 99)
    | st.sampled_from([None, True]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("ab:é", max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.data(), VALUES, st.sampled_from([None, 2]), st.booleans())
def test_raw_bytes_of_json_that_fits_may_fit(data, value, indent, ascii_only):
    raw = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode()
    text = "\n".join(json_texts(raw))
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        return
    line = data.draw(st.sampled_from(lines))
    start = data.draw(st.integers(0, len(line) - 1))
    needle = line[start : data.draw(st.integers(start + 1, len(line)))]
    query = parse(needle)
    if next(query.look(text)):
        assert query.may_be_in(raw)
