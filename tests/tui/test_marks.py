"""Marks in rows, in wrapped lines and on the ruler: they move nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult

from tapeview.tui.glyphs import ASCII, UNICODE
from tapeview.tui.paint import Styles
from tapeview.tui.theme import DEFAULT_THEME, Palette, themes, variable_defaults
from tapeview.tui.widgets.line_view import LineView
from tapeview.tui.widgets.ruled_view import RuledView
from tapeview.tui.widgets.tape_rows import mark_parts
from tapeview.tui.widgets.view_line import LINE_LIMIT, ViewLine, paint_line, row_of_place, rows_of

DARK = themes()[0]
INK = Styles(Palette.of(DARK.to_color_system().generate() | DARK.variables))
MATCH = INK.style("match")


def marked(strips):
    """What is painted as a match, row by row."""
    return ["".join(s.text for s in strip if s.style == MATCH) for strip in strips]


def text_of(strips):
    return [strip.text for strip in strips]


PARTS = st.lists(
    st.tuples(
        st.sampled_from(["fg", "key", "string"]), st.text("ab \t漢\x1b[31m\u202e", max_size=9)
    ),
    max_size=4,
)


@given(PARTS, st.integers(2, 30), st.integers(0, 4), st.booleans(), st.data())
def test_marks_move_no_letter(parts, width, indent, bar, data):
    line = ViewLine(tuple(parts), indent, bar)
    length = sum(len(text) for _, text in parts)
    cuts = sorted(data.draw(st.sets(st.integers(0, length), max_size=6)))
    places = list(zip(cuts[::2], cuts[1::2], strict=False))
    plain = paint_line(line, width, INK, UNICODE)
    painted = paint_line(line, width, INK, UNICODE, places)
    assert text_of(painted) == text_of(plain)
    assert len(plain) == rows_of(line, max(1, width - 1), UNICODE.cut)
    for place in places:
        row = row_of_place(line, place, max(1, width - 1), UNICODE.cut)
        assert 0 <= row < len(plain)


@pytest.mark.parametrize(
    ("places", "right"),
    [
        ([(0, 3)], ["one", "", ""]),
        ([(4, 7)], ["two", "", ""]),
        ([(4, 13)], ["two", "three", ""]),
        ([(0, 1), (2, 3), (14, 18)], ["oe", "", "four"]),
        ([], ["", "", ""]),
    ],
)
def test_marks_stand_at_their_places_in_wrapped_rows(places, right):
    line = ViewLine((("key", "one "), ("fg", "two three"), ("string", " four")), hang=0)
    painted = paint_line(line, 9, INK, UNICODE, places)
    assert text_of(painted) == ["one two  ", "three    ", "four     "]
    assert marked(painted) == right


def test_controls_in_a_mark_are_marked_whole():
    line = ViewLine((("fg", "a\x1b[31mb"),))
    (painted,) = paint_line(line, 20, INK, UNICODE, [(4, 7)])
    assert painted.text.strip() == r"a\x1b[31mb"
    assert marked([painted]) == ["1mb"]


@pytest.mark.parametrize(("place", "row"), [((0, 3), 0), ((4, 7), 0), ((8, 13), 1), ((15, 19), 2)])
def test_the_row_of_a_place(place, row):
    line = ViewLine((("fg", "one two three four"),), hang=0)
    assert row_of_place(line, place, 8, UNICODE.cut) == row


def test_what_is_cut_off_is_marked_at_its_stand_in():
    line = ViewLine((("fg", "x" * LINE_LIMIT + "yy"),))
    painted = paint_line(line, 40, INK, UNICODE, [(LINE_LIMIT, LINE_LIMIT + 1)])
    assert "".join(marked(painted)).strip() == "… 2 B more in this line"
    assert row_of_place(line, (LINE_LIMIT, LINE_LIMIT + 1), 39, UNICODE.cut) == len(painted) - 1


@pytest.mark.parametrize(
    ("places", "right"),
    [
        ([], [("Read ", "call"), ("a lease", "fg")]),
        ([(0, 2)], [("Re", "match"), ("ad ", "call"), ("a lease", "fg")]),
        ([(3, 6)], [("Rea", "call"), ("d ", "match"), ("a", "match"), (" lease", "fg")]),
        ([(7, 99)], [("Read ", "call"), ("a ", "fg"), ("lease", "match")]),
        ([(50, 60)], [("Read ", "call"), ("a lease", "fg")]),
    ],
)
def test_marks_in_the_parts_of_a_row(places, right):
    assert mark_parts([("Read ", "call"), ("a lease", "fg")], places) == right


# -- the ruler -------------------------------------------------------------------------------------

HEIGHT = 10


class MatchRows(RuledView):
    def __init__(self, count, matches, marks=None, **options):
        super().__init__(**options)
        self.count = count
        self.matches = matches
        self.marks = marks or {}

    def row_count(self):
        return self.count

    def row_strip(self, row, width):
        return self.ink.strip([(str(row), "fg")], width)

    def forget_strips(self):
        pass

    def action_step(self, rows):
        self.scroll_to_row(self.top + rows)

    def ruler_marks(self):
        return self.marks

    def match_in(self, first, stop):
        return next((row for row in self.matches if first <= row < stop), -1)


class OneView(App):
    def __init__(self, view, theme=DEFAULT_THEME):
        super().__init__()
        for known in themes():
            self.register_theme(known)
        self.theme = theme
        self.view = view

    def get_theme_variable_defaults(self):
        return variable_defaults(self.current_theme)

    def compose(self) -> ComposeResult:
        yield self.view


def ruler(view):
    return "".join(view.render_line(y).text[-1] for y in range(HEIGHT))


@pytest.mark.parametrize(
    ("count", "matches", "marks", "right"),
    [
        (1000, [0], {}, "═         "),
        (1000, [999], {}, "▐        ═"),
        (1000, [99, 100], {}, "══        "),
        (1000, [500], {510: "error"}, "▐    ━    "),
        (1000, [510], {500: "warning"}, "▐    ─    "),
        (1000, range(1000), {}, "══════════"),
        (11, [0, 10], {}, "═▐▐▐▐▐▐▐▐═"),
        (10, [3], {}, "   ═      "),
        (4, [0, 3], {}, "═  ═      "),
        (4, [0], {1: "error"}, "═         "),
        (0, [], {}, "          "),
    ],
)
async def test_matches_on_the_ruler(count, matches, marks, right):
    view = MatchRows(count, matches, marks)
    async with OneView(view).run_test(size=(20, HEIGHT)):
        assert ruler(view) == right


async def test_matches_on_the_ruler_in_ascii():
    view = MatchRows(1000, [500], glyphs=ASCII)
    async with OneView(view).run_test(size=(20, HEIGHT)):
        assert ruler(view) == "|    #    "


@pytest.mark.parametrize(
    ("theme", "front", "back"),
    [
        ("tapeview-dark", "match", "background"),
        ("tapeview-light", "on-match", "match"),
    ],
)
async def test_the_sign_can_be_seen_in_both_themes(theme, front, back):
    view = MatchRows(1000, [500])
    app = OneView(view, theme)
    async with app.run_test(size=(20, HEIGHT)):
        style = list(view.render_line(5))[-1].style
        assert style.color.name == app.theme_variables[front].lower()
        assert style.bgcolor.name == app.theme_variables[back].lower()


# -- the first mark --------------------------------------------------------------------------------


def lines_with(word, at, count):
    for number in range(count):
        yield ViewLine((("fg", word if number == at else f"line {number}"),))


def marks_for(word):
    def marks(line, limit):
        del limit
        text = line.parts[0][1]
        return [(text.index(word), text.index(word) + len(word))] if word in text else []

    return marks


async def settle(view, pilot):
    for _ in range(10_000):
        if view.complete and view._seek < 0:
            return
        await pilot.pause()
    raise AssertionError("never still")


@pytest.mark.parametrize(("at", "top"), [(0, 0), (9, 0), (10, 7), (5_000, 4_997), (29_999, 29_990)])
async def test_the_view_opens_at_the_first_mark(at, top):
    view = LineView()
    async with OneView(view).run_test(size=(20, HEIGHT)) as pilot:
        view.set_lines(lines_with("needle", at, 30_000), marks_for("needle"))
        await settle(view, pilot)
        assert view.top == top
        view.set_marks(None)
        assert view.top == top


async def test_other_marks_move_it_and_steering_stops_it():
    view = LineView()
    async with OneView(view).run_test(size=(20, HEIGHT)) as pilot:
        view.set_lines(lines_with("needle", 20_000, 30_000))
        await settle(view, pilot)
        assert view.top == 0
        view.set_marks(marks_for("needle"))
        await settle(view, pilot)
        assert view.top == 19_997
        view.set_marks(marks_for("line 12"))
        await settle(view, pilot)
        assert view.top == 9
        view.set_lines(lines_with("needle", 20_000, 30_000), marks_for("needle"))
        view.action_step(5)
        await settle(view, pilot)
        assert view.top == 5


async def test_a_view_that_is_hidden_opens_at_the_mark_when_it_is_shown():
    view = LineView()
    async with OneView(view).run_test(size=(20, HEIGHT)) as pilot:
        view.set_lines(lines_with("needle", 300, 1_000))
        await settle(view, pilot)
        view.display = False
        await pilot.pause()
        view.set_marks(marks_for("needle"))
        view.display = True
        await pilot.pause()
        await settle(view, pilot)
        assert view.top == 297
