import dataclasses

import pytest
from rich.cells import cell_len

from tapeview.tui.glyphs import ASCII, SIGNS, UNICODE, Glyphs, choose_glyphs, legend

WORDS_IN_ASCII = {"up", "down"}


def test_the_table_and_the_value_have_the_same_names():
    assert [sign.name for sign in SIGNS] == [field.name for field in dataclasses.fields(Glyphs)]


@pytest.mark.parametrize("sign", SIGNS, ids=lambda sign: sign.name)
def test_each_sign_is_one_cell_wide(sign):
    assert all(cell_len(character) == 1 for character in sign.unicode)
    assert len(sign.unicode) == {"doubled": 2, "sizes": 8}.get(sign.name, 1)


@pytest.mark.parametrize("sign", SIGNS, ids=lambda sign: sign.name)
def test_each_ascii_sign_is_printable_and_as_wide(sign):
    assert sign.ascii.isascii()
    assert sign.ascii.isprintable()
    if sign.name not in WORDS_IN_ASCII:
        assert len(sign.ascii) == len(sign.unicode)


@pytest.mark.parametrize(
    ("environ", "encoding", "wish", "right"),
    [
        ({"TERM": "xterm-256color"}, "utf-8", None, UNICODE),
        ({}, "UTF-8", None, UNICODE),
        ({}, "utf8", "unicode", UNICODE),
        ({}, "utf-8", "ascii", ASCII),
        ({"TERM": "linux"}, "utf-8", None, ASCII),
        ({}, "ISO-8859-1", None, ASCII),
        ({}, "ANSI_X3.4-1968", "unicode", ASCII),
        ({}, "no such encoding", None, ASCII),
        ({}, "", None, ASCII),
    ],
)
def test_the_terminal_decides_unless_ascii_is_asked_for(environ, encoding, wish, right):
    assert choose_glyphs(environ, encoding, wish) is right


def shown(glyphs, group):
    return [
        (" ".join(text for text, _ in line.signs), line.words)
        for line in legend(glyphs)
        if line.group == group
    ]


def test_the_legend_of_links_is_that_of_the_help_screen():
    assert shown(UNICODE, "links") == [
        ("╭─● ╰─►", "answered"),
        ("┏━● ┗━►", "selected"),
        ("╭┄● ╰┄…", "pending"),
        ("○─●", "dangling"),
        ("○─►", "orphan"),
        ("╭┄● ╰┄►", "late, early"),
        ("╰►►", "doubled"),
        ("╰╳►", "swapped"),
        ("╓─● ╙─►", "many links in one"),
    ]
    assert shown(ASCII, "links")[:2] == [(",-o '->", "answered"), ("#=o #=>", "selected")]


def test_signs_with_the_same_words_share_a_line():
    assert shown(UNICODE, "margin") == [
        ("! ▲ ?", "error, warning, suspicion"),
        ("¬", "stored, not sent"),
        ("▌ ▎", "cursor, other end"),
        ("* v", "edited, marked with v"),
        ("═", "search match"),
    ]
    assert ("+ -", "folded, open") in shown(UNICODE, "rows")


def test_the_legend_has_its_three_parts_in_order():
    groups = [line.group for line in legend(UNICODE)]
    assert list(dict.fromkeys(groups)) == ["rows", "links", "margin"]
    assert groups == sorted(groups, key=["rows", "links", "margin"].index)


def test_the_legend_names_nothing_that_is_not_built():
    words = " ".join(line.words for line in legend(UNICODE))
    assert not any(word in words for word in ("differs", "replay"))
