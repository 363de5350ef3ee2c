import pytest
from textual.app import App

from tapeview.tui.glyphs import ASCII
from tapeview.tui.paint import Styles
from tapeview.tui.theme import themes, variable_defaults
from tapeview.tui.widgets.ruled_view import RuledView

HEIGHT = 10
WIDTH = 20


class PlainRows(RuledView):
    def __init__(self, count, marks=None, ground="background", **options):
        super().__init__(**options)
        self.count = count
        self.marks = marks or {}
        self.asked = 0
        self.ground = ground

    def row_count(self):
        return self.count

    def row_strip(self, row, width):
        return self.ink.strip([(str(row), "fg")], width, self.ground)

    def forget_strips(self):
        pass

    def action_step(self, rows):
        self.scroll_to_row(self.top + rows)

    def ruler_marks(self):
        self.asked += 1
        return self.marks


class EdgeRows(PlainRows):
    BAND_TO_EDGE = True


class RuledApp(App):
    def __init__(self, view, theme="tapeview-dark"):
        super().__init__()
        for known in themes():
            self.register_theme(known)
        self.theme = theme
        self.view = view

    def get_theme_variable_defaults(self):
        return variable_defaults(self.current_theme)

    def compose(self):
        yield self.view


def running(view):
    return RuledApp(view).run_test(size=(WIDTH, HEIGHT))


def ruler(view):
    return "".join(view.render_line(y).text[-1] for y in range(HEIGHT))


@pytest.mark.parametrize(
    ("count", "top", "right"),
    [
        (5, 0, "          "),
        (10, 0, "          "),
        (11, 0, "▐▐▐▐▐▐▐▐▐ "),
        (11, 1, " ▐▐▐▐▐▐▐▐▐"),
        (20, 0, "▐▐▐▐▐     "),
        (20, 5, "  ▐▐▐▐▐   "),
        (20, 10, "     ▐▐▐▐▐"),
        (200_000, 0, "▐         "),
        (200_000, 199_990, "         ▐"),
    ],
)
async def test_the_thumb_stands_for_what_is_in_view(count, top, right):
    view = PlainRows(count)
    async with running(view):
        view.scroll_to_row(top)
        assert ruler(view) == right


@pytest.mark.parametrize(
    ("marks", "right"),
    [
        ({}, "▐         "),
        ({0: "error"}, "━         "),
        ({999: "error"}, "▐        ━"),
        ({500: "warning"}, "▐    ─    "),
        ({500: "warning", 510: "error"}, "▐    ━    "),
        ({510: "error", 590: "warning"}, "▐    ━    "),
        ({500: "suspicion", 700: "pending"}, "▐         "),
    ],
)
async def test_marks_stand_at_their_places_with_errors_on_top(marks, right):
    view = PlainRows(1000, marks)
    async with running(view):
        assert ruler(view) == right


async def test_marks_are_asked_for_once_until_they_are_forgotten():
    view = PlainRows(1000, {0: "error"})
    async with running(view):
        ruler(view)
        assert view.asked == 1
        view.marks = {999: "error"}
        assert ruler(view)[-1] != "━"
        view.forget_marks()
        assert ruler(view)[-1] == "━"
        assert view.asked == 2


async def test_no_marks_where_everything_is_in_view():
    view = PlainRows(3, {0: "error"})
    async with running(view):
        assert ruler(view).strip() == ""


async def test_the_signs_follow_the_glyphs():
    view = PlainRows(1000, {500: "error", 700: "warning"}, glyphs=ASCII)
    async with running(view):
        assert ruler(view) == "|    = -  "


async def test_marks_and_thumb_have_their_colours():
    view = PlainRows(1000, {500: "error", 700: "warning"})
    async with running(view):
        palette = view.ink.palette
        styles = {y: list(view.render_line(y))[-1].style for y in (0, 5, 7)}
        assert styles[0].color == palette.line.rich_color
        assert styles[5].color == palette.error.rich_color
        assert styles[7].color == palette.warn.rich_color
        assert {style.bgcolor for style in styles.values()} == {palette.background.rich_color}


@pytest.mark.parametrize(
    ("kind", "count", "right"),
    [(PlainRows, 3, "background"), (EdgeRows, 3, "raised"), (EdgeRows, 100, "background")],
)
async def test_an_idle_ruler_may_take_the_ground_of_its_row(kind, count, right):
    view = kind(count, ground="raised")
    async with running(view):
        last = list(view.render_line(2))[-1]
        assert last.style.bgcolor == getattr(view.ink.palette, right).rich_color


async def test_the_view_has_no_scrollbar_of_its_own():
    view = PlainRows(1000)
    async with running(view):
        assert not view.show_vertical_scrollbar
        assert view.size.width == WIDTH


async def test_styles_follow_the_theme_and_stay_the_same_between():
    view = PlainRows(5)
    app = RuledApp(view)
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        dark = view.ink
        assert view.ink is dark
        app.theme = "tapeview-light"
        await pilot.pause()
        light = view.ink
        assert isinstance(light, Styles)
        assert light.palette != dark.palette
        app.theme = "nord"
        await pilot.pause()
        assert view.ink.palette not in (dark.palette, light.palette)


async def test_no_color_in_the_environment_makes_plain_styles(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    view = PlainRows(1000, {500: "error"}, ground="select")
    async with running(view) as pilot:
        await pilot.pause()
        first, last = next(iter(view.render_line(0))), list(view.render_line(5))[-1]
        assert (first.style.color, first.style.bgcolor, first.style.bold) == (None, None, True)
        assert (last.text, last.style.color) == ("━", None)
