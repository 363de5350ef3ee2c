import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App
from textual.events import MouseScrollDown

from tapeview.tape.clean import visible
from tapeview.tui.glyphs import ASCII, UNICODE
from tapeview.tui.paint import Styles
from tapeview.tui.theme import DEFAULT_THEME, Palette, themes, variable_defaults
from tapeview.tui.widgets.line_view import (
    LINE_LIMIT,
    LineView,
    ViewLine,
    natural_width,
    paint_line,
    rows_of,
)

HEIGHT = 12
WIDTH = 32


def plain(text, **options):
    return ViewLine((("fg", text),), **options)


def numbered(count):
    return [plain(f"line {number}") for number in range(1, count + 1)]


class ViewApp(App):
    def __init__(self, lines=(), **options):
        super().__init__()
        for theme in themes():
            self.register_theme(theme)
        self.theme = DEFAULT_THEME
        self.view = LineView(**options)
        self.view.set_lines(lines)
        self.told = []

    def get_theme_variable_defaults(self):
        return variable_defaults(self.current_theme)

    def compose(self):
        yield self.view

    def on_line_view_scrolled(self, message):
        self.told.append((message.first_line, message.line_count))


def running(app):
    return app.run_test(size=(WIDTH, HEIGHT))


def shown(view):
    """The text on the screen, line by line, without the ruler and the blanks before it."""
    return [view.render_line(y).text[:-1].rstrip() for y in range(view.size.height)]


def all_rows(view, room):
    """Every row of the view, as it would be painted with `room` cells for text."""
    return [view.row_strip(row, room + 1) for row in range(view.row_count())]


async def settle(view, pilot):
    for _ in range(500):
        if view.complete:
            return
        await pilot.pause()
    raise AssertionError("the source never ends")


async def test_lines_stand_from_the_top():
    app = ViewApp(numbered(3))
    async with running(app):
        assert shown(app.view) == ["line 1", "line 2", "line 3"] + [""] * 9
        assert (app.view.first_line, app.view.line_count) == (1, 3)


async def test_nothing_at_all_is_blank():
    app = ViewApp()
    async with running(app) as pilot:
        await pilot.press("down", "end", "pagedown", "home", "pageup")
        assert shown(app.view) == [""] * HEIGHT
        assert (app.view.first_line, app.view.line_count) == (0, 0)


async def test_an_empty_line_takes_one_row():
    app = ViewApp([plain("a"), ViewLine(()), plain(""), plain("b")])
    async with running(app):
        assert shown(app.view)[:4] == ["a", "", "", "b"]


@pytest.mark.parametrize(
    ("line", "right"),
    [
        (
            plain("a line that is longer than the view is wide"),
            ["a line that is longer than the", "    view is wide"],
        ),
        (
            plain('"command": "pytest -q tests/test_lease.py"', indent=2),
            ['  "command": "pytest -q', '      tests/test_lease.py"'],
        ),
        (
            plain("    indented in the text itself, and long"),
            ["    indented in the text", "        itself, and long"],
        ),
        (
            plain("told in a string with line breaks, and long", indent=2, bar=True),
            ["  │ told in a string with line", "  │     breaks, and long"],
        ),
        (plain("short", indent=2, bar=True), ["  │ short"]),
        (plain("x" * 61), ["x" * 30, "    " + "x" * 26, "    " + "x" * 5]),
        (plain("表" * 20), ["表" * 15, "    " + "表" * 5]),
        (plain("x" + "表" * 15), ["x" + "表" * 14, "    表"]),
        (plain("deep", indent=500), [" " * 15 + "deep"]),
    ],
)
async def test_a_long_line_wraps_and_hangs(line, right):
    app = ViewApp([line, plain("next")])
    async with running(app):
        rows = shown(app.view)
        assert rows[: len(right) + 1] == [*right, "next"]


async def test_parts_keep_their_styles_over_a_wrap():
    app = ViewApp([ViewLine((("key", '"a": '), ("string", "b" * 40)))])
    async with running(app):
        ink = app.view.ink
        first, second = (list(app.view.render_line(y)) for y in (0, 1))
        key, string = ink.style("key"), ink.style("string")
        assert [segment.style for segment in first if segment.text.strip()] == [key]
        assert second[1].style == string


async def test_a_ground_fills_the_row():
    app = ViewApp([plain("+ added", ground="added")])
    async with running(app):
        segments = list(app.view.render_line(0))[:-1]
        grounds = {segment.style.bgcolor for segment in segments}
        assert grounds == {app.view.ink.palette.added.rich_color}


async def test_the_bar_is_a_letter_where_glyphs_are_ascii():
    app = ViewApp([plain("text", bar=True)], glyphs=ASCII)
    async with running(app):
        assert shown(app.view)[0] == "| text"


HOSTILE = "a\x1b[2Jb\x1b]0;title\x07c\x9bd\x00e\rf\u202eg\u200dh\u2028i\ud83dj\nk\x85l[red]m"


async def test_controls_are_shown_and_never_reach_a_segment():
    app = ViewApp([plain(HOSTILE), ViewLine((("string", HOSTILE), ("key", HOSTILE)), indent=3)])
    async with running(app):
        text = ""
        for strip in all_rows(app.view, WIDTH - 2):
            text += strip.text
        assert not ACTS.search(text)
        assert "[red]m" in text
        first = list(app.view.render_line(0))
        control = next(segment for segment in first if segment.text.startswith("\\x1b"))
        assert control.style == app.view.ink.style("control")


async def test_a_tab_is_blanks_to_the_next_stop():
    app = ViewApp([ViewLine((("fg", "ab"), ("fg", "\tc"))), plain("\td")])
    async with running(app):
        rows = shown(app.view)
        assert rows[0].index("c") == rows[1].index("d")


@pytest.mark.parametrize(
    ("text", "tail"),
    [
        ("x" * LINE_LIMIT, None),
        ("x" * (LINE_LIMIT + 1), "… 1 B more in this line"),
        ("x" * (LINE_LIMIT + 376), "… 376 B more in this line"),
        ("x" * (LINE_LIMIT + 9_400), "… 9.4 kB more in this line"),
        ("x" * (LINE_LIMIT + 167_000), "… 167 kB more in this line"),
        ("x" * (LINE_LIMIT + 1_200_000), "… 1.2 MB more in this line"),
        ("表" * (LINE_LIMIT + 100), "… 300 B more in this line"),
    ],
)
async def test_an_endless_line_is_cut_and_says_what_is_left(text, tail):
    app = ViewApp([ViewLine((("fg", text[:100]), ("fg", text[100:])))])
    async with running(app) as pilot:
        await pilot.press("end")
        rows = [strip.text.strip() for strip in all_rows(app.view, WIDTH - 2)]
        assert sum(row.count(text[0]) for row in rows) == LINE_LIMIT
        ending = " ".join(rows[-3:])
        assert ending.endswith(tail) if tail else "more" not in ending


class TestKeys:
    @pytest.mark.parametrize(
        ("keys", "top"),
        [
            ("down", 1),
            ("j j", 2),
            ("j k k", 0),
            ("pagedown", HEIGHT - 3),
            ("pagedown pageup", 0),
            ("end", 500 - HEIGHT),
            ("end down pagedown", 500 - HEIGHT),
            ("end up", 500 - HEIGHT - 1),
            ("end home", 0),
        ],
    )
    async def test_scroll_at_once(self, keys, top):
        app = ViewApp(numbered(500))
        app.animation_level = "full"
        async with running(app) as pilot:
            await settle(app.view, pilot)
            await pilot.press(*keys.split())
            assert not app.animator.is_being_animated(app.view, "scroll_y")
            assert app.view.top == top
            assert app.view.first_line == top + 1
            assert shown(app.view)[0] == f"line {top + 1}"

    async def test_the_wheel_moves_three_rows(self):
        app = ViewApp(numbered(500))
        async with running(app) as pilot:
            app.view.post_message(MouseScrollDown(app.view, 1, 1, 0, 0, 0, False, False, False))
            await pilot.pause()
            assert app.view.top == 3

    async def test_a_click_on_the_ruler_goes_there(self):
        app = ViewApp(numbered(500))
        async with running(app) as pilot:
            await settle(app.view, pilot)
            await pilot.click(app.view, offset=(WIDTH - 1, HEIGHT // 2))
            assert app.view.first_line == 6 * 488 // 11 + 1
            await pilot.click(app.view, offset=(WIDTH - 1, HEIGHT - 1))
            assert app.view.render_line(HEIGHT - 1).text[-1] == "▐"

    async def test_each_scroll_is_told_with_the_place(self):
        app = ViewApp(numbered(214))
        async with running(app) as pilot:
            await settle(app.view, pilot)
            await pilot.pause()
            app.told.clear()
            await pilot.press("down", "end", "home", "up")
            await pilot.pause()
            assert app.told == [(2, 214), (214 - HEIGHT + 1, 214), (1, 214)]


class Tap:
    """An iterator that counts what was taken from it."""

    def __init__(self, count):
        self.count = count
        self.taken = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.taken == self.count:
            raise StopIteration
        self.taken += 1
        return plain(f"line {self.taken}")


class TestLongSources:
    async def test_the_first_screen_takes_only_what_it_shows(self):
        app = ViewApp()
        async with running(app):
            tap = Tap(1_000_000)
            app.view.set_lines(tap)
            assert tap.taken <= HEIGHT + 1
            assert shown(app.view) == [f"line {number}" for number in range(1, HEIGHT + 1)]
            app.view.set_lines([])

    async def test_the_rest_comes_in_by_itself(self):
        app = ViewApp(Tap(20_000))
        async with running(app) as pilot:
            await settle(app.view, pilot)
            await pilot.pause()
            assert app.view.line_count == app.view.row_count() == 20_000
            assert app.told[-1] == (1, 20_000)

    async def test_scrolling_measures_what_it_is_about_to_show(self):
        app = ViewApp()
        async with running(app):
            app.view.set_lines(Tap(1_000_000))
            app.view.action_page(1)
            app.view.action_page(1)
            assert app.view.first_line == 2 * (HEIGHT - 3) + 1
            app.view.set_lines([])

    async def test_end_stays_at_the_end_while_more_come_in(self):
        app = ViewApp()
        async with running(app) as pilot:
            app.view.set_lines(Tap(50_000))
            app.view.action_last()
            assert app.view.row_count() < 50_000
            await settle(app.view, pilot)
            assert shown(app.view)[-1] == "line 50000"

    async def test_any_other_key_ends_that(self):
        app = ViewApp()
        async with running(app) as pilot:
            app.view.set_lines(Tap(50_000))
            app.view.action_last()
            app.view.action_step(-1)
            top = app.view.top
            await settle(app.view, pilot)
            assert app.view.top == top

    async def test_other_lines_end_the_taking_in(self):
        app = ViewApp()
        async with running(app) as pilot:
            tap = Tap(1_000_000)
            app.view.set_lines(tap)
            app.view.set_lines(numbered(3))
            taken = tap.taken
            await settle(app.view, pilot)
            await pilot.pause()
            assert tap.taken == taken
            assert shown(app.view)[:4] == ["line 1", "line 2", "line 3", ""]

    async def test_other_lines_start_at_the_top(self):
        app = ViewApp(numbered(500))
        async with running(app) as pilot:
            await settle(app.view, pilot)
            await pilot.press("end")
            app.view.set_lines(numbered(100))
            await pilot.pause()
            assert shown(app.view)[0] == "line 1"

    async def test_a_sequence_says_at_once_how_long_it_is(self):
        app = ViewApp()
        async with running(app):
            app.view.set_lines(numbered(50_000))
            assert app.view.line_count == 50_000
            assert not app.view.complete
            app.view.set_lines([])


class TestSizes:
    async def test_the_line_on_top_stays_when_the_width_changes(self):
        app = ViewApp([plain(f"{number} " + "word " * 20) for number in range(300)])
        async with running(app) as pilot:
            await settle(app.view, pilot)
            app.view.scroll_to_row(400)
            first = app.view.first_line
            for width in (60, 20, 200, WIDTH):
                await pilot.resize_terminal(width, HEIGHT)
                assert app.view.first_line == first
                await settle(app.view, pilot)
                assert app.view.first_line == first

    async def test_a_higher_view_is_filled(self):
        app = ViewApp()
        async with running(app) as pilot:
            app.view.set_lines(numbered(60))
            await pilot.resize_terminal(WIDTH, 40)
            await pilot.pause()
            assert shown(app.view)[-1] == "line 40"

    @pytest.mark.parametrize("width", [1, 2, 3, 4, 7, 200])
    async def test_every_width_is_filled_to_the_cell(self, width):
        lines = [plain("a 表示 long line of text", indent=6, bar=True), *numbered(30)]
        app = ViewApp(lines)
        async with running(app) as pilot:
            await pilot.resize_terminal(width, HEIGHT)
            await pilot.pause()
            strips = [app.view.render_line(y) for y in range(HEIGHT)]
            assert {strip.cell_length for strip in strips} == {width}

    async def test_lines_set_while_hidden_stand_when_shown(self):
        app = ViewApp()
        async with running(app) as pilot:
            app.view.display = False
            await pilot.pause()
            app.view.set_lines(numbered(5_000))
            await pilot.pause()
            app.view.display = True
            await pilot.pause()
            assert shown(app.view)[0] == "line 1"
            await settle(app.view, pilot)

    async def test_a_hidden_view_comes_back_at_its_place(self):
        app = ViewApp(numbered(500))
        async with running(app) as pilot:
            await settle(app.view, pilot)
            app.view.scroll_to_row(100)
            app.view.display = False
            await pilot.pause()
            app.view.display = True
            await pilot.pause()
            assert shown(app.view)[0] == "line 101"


async def test_a_new_theme_paints_anew():
    app = ViewApp(numbered(3))
    async with running(app) as pilot:
        dark = next(iter(app.view.render_line(0))).style
        app.theme = "tapeview-light"
        await pilot.pause()
        assert next(iter(app.view.render_line(0))).style != dark


TEXT = st.text(st.one_of(st.sampled_from("ab  {}表\t\x1b\u202eé"), st.characters()), max_size=80)
LINES = st.builds(
    ViewLine,
    st.lists(st.tuples(st.sampled_from(["fg", "key"]), TEXT), max_size=4).map(tuple),
    st.integers(0, 40),
    st.booleans(),
)
DARK = themes()[0]
INK = Styles(Palette.of(DARK.to_color_system().generate() | DARK.variables))
ACTS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


def unspaced(text):
    return text.replace(" ", "")


@given(LINES, st.integers(1, 60))
def test_rows_are_counted_exactly_as_they_are_painted(line, room):
    strips = paint_line(line, room + 1, INK, UNICODE)
    counted = rows_of(line, room, "…") if natural_width(line, "…") > room else 1
    assert len(strips) == counted
    assert {strip.cell_length for strip in strips} == {room + 1}


@given(LINES, st.integers(8, 60))
def test_painting_loses_blanks_only(line, room):
    text = "".join(strip.text for strip in paint_line(line, room + 1, INK, UNICODE))
    source = "".join(run for _, part in line.parts for _, run in visible(part))
    assert unspaced(text).replace("│", "") == unspaced(source).replace("│", "")


@given(LINES, st.integers(1, 60))
def test_whatever_the_tape_holds_nothing_acts_on_the_terminal(line, room):
    for strip in paint_line(line, room + 1, INK, UNICODE):
        assert not ACTS.search(strip.text)
