import time
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tapeview.tape.clean import cells, clean_line, cut, pad, printable, visible

anything = st.text(st.characters(), max_size=60)  # surrogates included
hostile = st.text(
    st.sampled_from("\x1b\x9b\x9d\x07\x9c[]0;31mhJ \t\r\n\\aé中\u0301\u202e\u200d\ufe0f\ud83d👍🏽"),
    max_size=60,
)

BAD = {
    *range(0x20),
    *range(0x7F, 0xA0),
    *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFEFF, 0xFFA0),
    *range(0x180B, 0x1810),
    *range(0x200B, 0x2010),
    *range(0x2028, 0x202F),
    *range(0x2060, 0x2070),
    *range(0xD800, 0xE000),
    *range(0xFDD0, 0xFDF0),
    *range(0xFE00, 0xFE10),
    *range(0xFFF0, 0xFFFC),
    *range(0x1D173, 0x1D17B),
    *range(0xE0000, 0xE1000),
    *(plane * 0x10000 + low for plane in range(17) for low in (0xFFFE, 0xFFFF)),
}


def joined(runs: list[tuple[bool, str]]) -> str:
    return "".join(part for _, part in runs)


def is_safe(text: str) -> bool:
    return BAD.isdisjoint(map(ord, text))


# --- what must always hold ----------------------------------------------------------------------


@given(anything | hostile)
def test_nothing_dangerous_comes_out(text: str) -> None:
    assert is_safe(clean_line(text))
    assert is_safe(clean_line(text, 10))
    assert is_safe(joined(visible(text)))
    assert is_safe(printable(text))


def test_no_code_point_comes_out_dangerous() -> None:
    text = "".join(map(chr, range(0x110000))).replace("\t", "")
    assert is_safe(clean_line(text))
    assert is_safe(printable(text))
    printable(text).encode()


def test_private_use_and_ordinary_letters_stay() -> None:
    text = "é ß 中 \ue0b0 ﷽ अ \U000f0001 \u00a0x"
    assert clean_line(text) == printable(text) == text


# --- clean_line ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("", ""),
        ("plain text", "plain text"),
        ("  two   blanks\tand a tab ", "two blanks and a tab"),
        ("import time\nclass Clock:", "import time ¶ class Clock:"),
        ("dos\r\nlines\r\n", "dos ¶ lines"),
        ("a \n\n  \r\n\t b", "a ¶ b"),
        ("\n\n  a\n", "a"),
        (" \r\n ", ""),
        ("old\rmac\r", "old¤mac¤"),
        ("a\r\r\nb", "a¤ ¶ b"),
        ("\x1b[31mred\x1b[0m", "¤[31mred¤[0m"),
        ("a\x00b\x07c\x9bd\x7f", "a¤b¤c¤d¤"),
        ("abc\u202ecod.exe", "abc¤cod.exe"),
        ("zero\u200bwidth \u00ad \ufeff", "zero¤width ¤ ¤"),
        ("cut \ud83d emoji", "cut ¤ emoji"),
        ("a\u2028b\u0085c", "a¤b¤c"),
        ("non\uffffchar \U0010fffe", "non¤char ¤"),
        ("👨\u200d👩", "👨¤👩"),
        ("⚠\ufe0f 1\ufe0f\u20e3 👍🏽", "⚠ 1 👍"),
        ("a \ufe0f b", "a b"),
        ("text style \ufe0e", "text style ¤"),
        ("tag \U000e0041", "tag ¤"),
    ],
)
def test_clean_line(text: str, row: str) -> None:
    assert clean_line(text) == row


@given(st.text("ab\n\t\x1b ", max_size=60) | st.text("a\r\n\t ", max_size=60))
def test_plain_texts_are_cleaned_as_all_others_are(text: str) -> None:
    assert clean_line(text).replace("a", "é") == clean_line(text.replace("a", "é"))


@given(anything | hostile | st.text("ab\n\t ", max_size=60))
def test_what_is_clean_stays_as_it_is(text: str) -> None:
    assert clean_line(clean_line(text)) == clean_line(text)


@given(anything | hostile, st.integers(0, 80))
@example(" \r\n", 1)
def test_a_limit_only_shortens(text: str, limit: int) -> None:
    row = clean_line(text, limit)
    assert len(row) <= limit
    assert clean_line(text).startswith(row)


@given(st.text("ab\n ", max_size=300), st.integers(1, 20))
def test_a_limit_is_filled_if_there_is_text_for_it(text: str, limit: int) -> None:
    whole = clean_line(text)
    assert clean_line(text, limit) == whole[:limit].rstrip(" ")


@pytest.mark.parametrize("piece", ["a", " ", "\n", "\x00", "中", "\u200b", "\ufe0f", "a\n"])
def test_a_limit_bounds_the_cost(piece: str) -> None:
    text = piece * 20_000_000
    start = time.process_time()
    clean_line(text, 200)
    assert time.process_time() - start < 0.25  # the whole text takes several seconds


def test_a_limit_looks_past_blanks_that_are_not_too_many() -> None:
    assert clean_line("\n" * 5000 + "text", 100) == "text"
    assert clean_line("\n" * 500_000 + "text", 100) == ""


# --- visible, printable -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("", []),
        ("plain", [(False, "plain")]),
        ("é中", [(False, "é中")]),
        ("\x1b[31mred\x1b[0m", [(True, r"\x1b[31m"), (False, "red"), (True, r"\x1b[0m")]),
        ("\x1b[?25l!", [(True, r"\x1b[?25l"), (False, "!")]),
        ("a\x9b2Jb", [(False, "a"), (True, r"\x9b2J"), (False, "b")]),
        ("\x1b]0;title\x07x", [(True, r"\x1b]0;title\x07"), (False, "x")]),
        ("\x1b]8;;http://é\x1b\\x", [(True, r"\x1b]8;;http://é\x1b\\"[:-1]), (False, "x")]),
        ("\x1b]0;a\u202eb\x07", [(True, r"\x1b]0;a<U+202E>b\x07")]),
        ("\x9d0;x\x9c!", [(True, r"\x9d0;x\x9c"), (False, "!")]),
        ("\x1bPq\x1b\\", [(True, r"\x1bPq\x1b" + "\\")]),
        ("\x1b]52;never ends", [(True, r"\x1b"), (False, "]52;never ends")]),
        ("\x1b[31", [(True, r"\x1b"), (False, "[31")]),
        ("\x1b", [(True, r"\x1b")]),
        ("x\r", [(False, "x"), (True, r"\r")]),
        ("\x00\x07\x7f", [(True, r"\x00\x07\x7f")]),
        ("\x85\xad", [(True, r"\x85<U+00AD>")]),
        ("a\u202eb", [(False, "a"), (True, "<U+202E>"), (False, "b")]),
        ("\ud83d", [(True, "<U+D83D>")]),
        ("\U000e0041", [(True, "<U+E0041>")]),
        ("👍🏽", [(False, "👍"), (True, "<U+1F3FD>")]),
        ("1\ufe0f\u20e3", [(False, "1"), (True, "<U+FE0F><U+20E3>")]),
        (r"\x1b as text", [(False, r"\x1b as text")]),
        ("a\tb", [(False, "a       b")]),
        ("12345678\tb", [(False, "12345678        b")]),
        ("中\tb", [(False, "中      b")]),
        ("\x00\t|", [(True, r"\x00"), (False, "    |")]),
        ("\t\x1b[0m\t|", [(False, " " * 8), (True, r"\x1b[0m"), (False, " |")]),
        ("a\nb", [(False, "a"), (True, r"\n"), (False, "b")]),
    ],
)
def test_visible(text: str, runs: list[tuple[bool, str]]) -> None:
    assert visible(text) == runs


def test_tabs_count_from_the_column_where_the_line_begins() -> None:
    assert visible("\t|", column=6) == [(False, "  |")]
    assert visible("a\t|", column=16) == [(False, "a       |")]


@given(anything | hostile)
def test_runs_alternate_and_are_never_empty(text: str) -> None:
    runs = visible(text)
    assert all(part for _, part in runs)
    assert all(one[0] != other[0] for one, other in pairwise(runs))


@given(st.text(st.characters(exclude_categories=["C", "M"], max_codepoint=0xD7FF), max_size=30))
def test_text_without_controls_is_one_run(text: str) -> None:
    safe = "".join(char for char in text if is_safe(char) and char != "\u20e3")
    assert joined(visible(safe)) == safe
    assert len(visible(safe)) <= 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Bash", "Bash"),
        ("", ""),
        ("two\nlines\r\n", r"two\nlines\r\n"),
        ("a\tb", "a       b"),
        ("\x1b]0;x\x07id", r"\x1b]0;x\x07id"),
        ("caf\udce9", "caf<U+DCE9>"),
    ],
)
def test_printable(text: str, shown: str) -> None:
    assert printable(text) == shown


# --- cells, cut, pad ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("", 0),
        ("abc", 3),
        ("café · … ─│╰ ¶", 14),
        ("中文", 4),
        ("ｆｕｌｌ", 8),
        ("e\u0301", 1),
        ("\u20dd", 0),
        ("각", 2),
        ("\u1100\u1161\u11a8", 2),
        ("का", 1),
        ("👍", 2),
        ("\U0001fae8", 2),  # of Unicode 15, unknown to Python 3.11
        ("🇩🇪", 2),
        ("\u0378", 1),  # never assigned
        ("\U00020001", 2),
        ("\ue0b0", 1),
    ],
)
def test_cells(text: str, width: int) -> None:
    assert cells(text) == width


@pytest.mark.parametrize(
    ("text", "width", "kept"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("abcd", 1, "…"),
        ("abcd", 0, ""),
        ("abcd", -1, ""),
        ("中文字", 6, "中文字"),
        ("中文字", 5, "中文…"),
        ("中文字", 4, "中…"),
        ("中文字", 2, "…"),
        ("cafe\u0301 x", 5, "cafe\u0301…"),
        ("cafe\u0301", 4, "cafe\u0301"),
        ("cafe\u0301!", 4, "caf…"),
        ("", 5, ""),
    ],
)
def test_cut(text: str, width: int, kept: str) -> None:
    assert cut(text, width) == kept


def test_cut_with_an_ellipsis_of_ascii() -> None:
    assert cut("abcdef", 4, ellipsis="~") == "abc~"
    assert cut("中文字", 5, ellipsis="~") == "中文~"


@given(st.text(max_size=30), st.integers(-1, 40))
@example("e\u0301\u0301x", 1)
def test_cut_never_overflows_and_never_splits(text: str, width: int) -> None:
    text = clean_line(text)
    got = cut(text, width)
    assert cells(got) <= max(width, 0)
    if cells(text) <= width:
        assert got == text
    elif width > 0:
        assert got.endswith("…")
        rest = text[len(got) - 1 :]
        assert text.startswith(got[:-1])
        assert not unicodedata.category(rest[0]).startswith("M") or got == "…"


def test_cut_looks_at_no_more_than_it_keeps() -> None:
    text = "é" * 20_000_000
    start = time.process_time()
    assert cells(cut(text, 80)) == 80
    assert time.process_time() - start < 0.1


@pytest.mark.parametrize(
    ("text", "width", "padded"),
    [
        ("ab", 4, "ab  "),
        ("中", 4, "中  "),
        ("e\u0301", 2, "e\u0301 "),
        ("abcd", 2, "abcd"),
        ("", 0, ""),
    ],
)
def test_pad(text: str, width: int, padded: str) -> None:
    assert pad(text, width) == padded
