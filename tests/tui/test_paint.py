from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style
from textual.app import App

from tapeview.tui.paint import (
    Piece,
    Styles,
    cells_of,
    cut_spans,
    ruler_line,
    ruler_row,
    ruler_thumb,
    strip_of,
    styles_of,
    wrap_spans,
)
from tapeview.tui.theme import Palette, themes

PALETTE = Palette.of(themes()[0].to_color_system().generate() | themes()[0].variables)
COLOURED = Styles(PALETTE)
PLAIN = Styles(PALETTE, no_color=True)


def look(style, palette=PALETTE):
    """(front, back, attributes) of a style, the colours by their palette names."""
    names = {getattr(palette, name).rich_color: name for name in Palette.__slots__}
    words = ["bold", "italic", "underline", "reverse", "strike"]
    return (
        names.get(style.color),
        names.get(style.bgcolor),
        {word for word in words if getattr(style, word)},
    )


@pytest.mark.parametrize(
    ("name", "ground", "right"),
    [
        ("fg", "background", ("fg", "background", set())),
        ("muted", "raised", ("muted", "raised", set())),
        ("call", "select", ("call", "select", {"bold"})),
        ("call plain", "select", ("call", "select", set())),
        ("result", "partner", ("result", "partner", set())),
        ("think", "surface", ("think", "surface", {"italic"})),
        ("prompt", "raised", ("fg", "raised", {"bold"})),
        ("error bold", "background", ("error", "background", {"bold"})),
        ("muted italic", "background", ("muted", "background", {"italic"})),
        ("muted strike", "removed", ("muted", "removed", {"strike"})),
        ("chip", "select", ("on_error", "error", {"bold"})),
        ("match", "select", ("on_match", "match", set())),
        ("control", "background", ("warn", "raised", set())),
        ("title-focus", "raised", ("accent", "raised", {"bold"})),
        ("key", "background", ("call", "background", set())),
        ("punct", "background", ("muted", "background", set())),
    ],
)
def test_a_name_and_a_ground_make_a_style(name, ground, right):
    assert look(COLOURED.style(name, ground)) == right


def test_unsent_is_muted_where_it_would_be_too_faint():
    assert look(COLOURED.style("unsent"))[0] == "unsent"
    for ground in ("surface", "raised", "select", "partner"):
        assert look(COLOURED.style("unsent", ground))[0] == "muted"


@pytest.mark.parametrize(
    ("name", "ground", "right"),
    [
        ("fg", "background", set()),
        ("error", "raised", set()),
        ("chip", "background", {"bold", "reverse"}),
        ("match", "background", {"reverse"}),
        ("control", "background", {"underline"}),
        ("muted", "select", {"bold"}),
        ("think", "select", {"bold", "italic"}),
        ("call", "background", {"bold"}),
    ],
)
def test_without_colour_chips_are_reverse_and_the_cursor_row_is_bold(name, ground, right):
    style = PLAIN.style(name, ground)
    assert (style.color, style.bgcolor) == (None, None)
    assert look(style)[2] == right


def test_a_style_is_made_once():
    assert COLOURED.style("warn", "raised") is COLOURED.style("warn", "raised")


@pytest.mark.parametrize("name", ["nope", "", "fg louder", "fg  bold"])
def test_an_unknown_name_is_an_error(name):
    with pytest.raises(KeyError):
        COLOURED.style(name)


@pytest.mark.parametrize(("theme", "plain"), [("nord", False), ("ansi-dark", True)])
async def test_the_styles_of_an_app_follow_its_theme(theme, plain):
    app = App()
    async with app.run_test() as pilot:
        app.theme = theme
        await pilot.pause()
        assert styles_of(app).no_color is plain
        assert styles_of(app) is styles_of(app)


ONE, TWO, GROUND = Style(bold=True), Style(italic=True), Style(underline=True)


@pytest.mark.parametrize(
    ("texts", "width", "right"),
    [
        (["abc"], 3, "abc"),
        (["abc"], 5, "abc  "),
        (["abc", "def"], 4, "abcd"),
        (["abc", "def"], 3, "abc"),
        (["", "a", ""], 2, "a "),
        ([], 3, "   "),
        (["abc"], 0, ""),
        (["表示"], 4, "表示"),
        (["表示"], 3, "表 "),
        (["a表", "b"], 2, "a "),
        (["表"], 1, " "),
        (["e\u0301x"], 1, "e\u0301"),
    ],
)
def test_a_strip_has_the_width_asked_for(texts, width, right):
    strip = strip_of([(text, ONE) for text in texts], width, GROUND)
    assert strip.text == right
    assert strip.cell_length == width


def test_a_strip_keeps_each_style_and_pads_with_the_ground():
    strip = strip_of([("ab", ONE), ("cd", TWO)], 7, GROUND)
    assert [(text, style) for text, style, _ in strip] == [
        ("ab", ONE),
        ("cd", TWO),
        ("   ", GROUND),
    ]


@pytest.mark.parametrize(
    ("parts", "right"),
    [
        ([("a", ONE), ("", TWO), ("b", ONE)], [("ab", ONE), ("  ", GROUND)]),
        ([("a", ONE), ("b", ONE), ("c", TWO), ("d", TWO)], [("ab", ONE), ("cd", TWO)]),
        ([("a", ONE), ("b", ONE)], [("ab", ONE), ("  ", GROUND)]),
        ([("a", GROUND)], [("a   ", GROUND)]),
        ([("a", ONE), (" ", GROUND)], [("a", ONE), ("   ", GROUND)]),
        ([], [("    ", GROUND)]),
    ],
)
def test_what_has_one_style_is_one_segment(parts, right):
    assert [(text, style) for text, style, _ in strip_of(parts, 4, GROUND)] == right


def test_a_strip_by_names_stands_on_one_ground():
    strip = COLOURED.strip([("Read", "call"), (" x", "muted")], 8, "select")
    assert strip.text == "Read x  "
    assert {look(style)[1] for _, style, _ in strip} == {"select"}


CLEAN = st.text(st.sampled_from("ab c表示é—•  "), max_size=60)


@given(st.lists(CLEAN, max_size=6), st.integers(0, 40))
def test_a_strip_is_never_wider_or_narrower(texts, width):
    strip = strip_of([(text, ONE) for text in texts], width, GROUND)
    assert cell_len(strip.text) == strip.cell_length == width


def wrapped(pieces, first, rest):
    pieces = [Piece("fg", piece) if isinstance(piece, str) else piece for piece in pieces]
    rows = cut_spans(pieces, wrap_spans(pieces, first, rest))
    return ["".join(piece.text for piece in row) for row in rows]


def token(text):
    return Piece("control", text, True)


@pytest.mark.parametrize(
    ("pieces", "first", "rest", "right"),
    [
        ([], 10, 10, [""]),
        (["abc"], 10, 10, ["abc"]),
        (["one two three"], 8, 8, ["one two", "three"]),
        (["one two three"], 7, 5, ["one two", "three"]),
        (["one two three"], 6, 3, ["one", "two", "thr", "ee"]),
        (["one  ", "  two"], 4, 4, ["one", "two"]),
        (["abcdefgh"], 3, 2, ["abc", "de", "fg", "h"]),
        (["    deep text"], 8, 8, ["    deep", "text"]),
        (["    deeptext"], 8, 8, ["    deep", "text"]),
        (["          "], 4, 4, ["    ", "    ", "  "]),
        (["word      "], 6, 6, ["word"]),
        (["表示表示"], 3, 5, ["表", "示表", "示"]),
        (["表示"], 1, 1, ["表", "示"]),
        (["a e\u0301e\u0301e\u0301"], 4, 4, ["a", "e\u0301e\u0301e\u0301"]),
        (["abcd", token("\\x1b[0m"), "ef"], 8, 8, ["abcd", "\\x1b[0me", "f"]),
        (["ab cd", token("\\x1b[0m")], 9, 9, ["ab", "cd\\x1b[0m"]),
        ([token("\\x1b[0m")], 4, 4, ["\\x1b", "[0m"]),
        (["ab", token("\\e a b")], 7, 7, ["ab", "\\e a b"]),
        (["x y", token("\\e a b")], 7, 9, ["x", "y\\e a b"]),
    ],
)
def test_rows_break_at_blanks_then_before_tokens_then_anywhere(pieces, first, rest, right):
    assert wrapped(pieces, first, rest) == right


PIECES = st.lists(
    st.builds(
        Piece,
        st.sampled_from(["fg", "muted"]),
        st.text(st.sampled_from("abc  表示é\u0301•"), max_size=20),
        st.booleans(),
    ),
    max_size=8,
)


@given(PIECES, st.integers(2, 30), st.integers(2, 30))
def test_wrapping_loses_blanks_only_and_never_overflows(pieces, first, rest):
    spans = wrap_spans(pieces, first, rest)
    rows = cut_spans(pieces, spans)
    texts = ["".join(piece.text for piece in row) for row in rows]
    source = "".join(piece.text for piece in pieces)
    assert "".join(texts).replace(" ", "") == source.replace(" ", "")
    dropped = [source[stop:start] for (_, stop), (start, _) in pairwise(spans)]
    assert not "".join(dropped).strip(" ")
    for number, row in enumerate(rows):
        assert sum(cells_of(piece.text) for piece in row) <= (rest if number else first)


@given(PIECES, st.integers(1, 12))
def test_wrapping_keeps_the_style_of_each_character(pieces, width):
    styled = [(letter, piece.style) for piece in pieces for letter in piece.text if letter != " "]
    rows = cut_spans(pieces, wrap_spans(pieces, width, width))
    kept = [(c, piece.style) for row in rows for piece in row for c in piece.text if c != " "]
    assert kept == styled


@pytest.mark.parametrize(
    ("top", "count", "height", "right"),
    [
        (0, 5, 10, range(0)),
        (0, 10, 10, range(0)),
        (0, 20, 10, range(5)),
        (10, 20, 10, range(5, 10)),
        (0, 1_000_000, 10, range(1)),
        (999_990, 1_000_000, 10, range(9, 10)),
        (0, 5, 0, range(0)),
    ],
)
def test_the_thumb_shows_the_part_in_view(top, count, height, right):
    assert ruler_thumb(top, count, height) == right


@given(st.data())
def test_a_row_and_its_ruler_line_find_each_other(data):
    height = data.draw(st.integers(1, 100))
    count = data.draw(st.integers(height, 10_000))
    line = data.draw(st.integers(0, height - 1))
    row = ruler_row(line, count, height)
    assert ruler_line(row, count, height) == line
    assert row == 0 or ruler_line(row - 1, count, height) == line - 1
