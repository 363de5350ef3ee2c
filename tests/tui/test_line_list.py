import pytest
from textual.app import App
from textual.events import MouseScrollDown, MouseScrollUp
from textual.strip import Strip

from tapeview.tui.theme import DEFAULT_THEME, themes, variable_defaults
from tapeview.tui.widgets.line_list import LineList

HEIGHT = 20
WIDTH = 40


class NumberList(LineList):
    """Row n says n; the row of the cursor has a sign before it."""

    def __init__(self, count=200_000, marks=None):
        super().__init__()
        self.count = count
        self.marks = marks or {}
        self.painted = []
        self.prefix = "row"

    def row_count(self):
        return self.count

    def paint_row(self, index, width, selected):
        self.painted.append(index)
        ground = "select" if selected and self.has_focus else "background"
        sign = "▌" if selected else " "
        return self.ink.strip([(f"{sign}{self.prefix} {index}", "fg")], width, ground)

    def ruler_marks(self):
        return self.marks


class ListApp(App):
    def __init__(self, numbers=None):
        super().__init__()
        for theme in themes():
            self.register_theme(theme)
        self.theme = DEFAULT_THEME
        self.numbers = numbers or NumberList()
        self.moves = []
        self.clicks = []

    def get_theme_variable_defaults(self):
        return variable_defaults(self.current_theme)

    def compose(self):
        yield self.numbers

    def on_line_list_cursor_moved(self, message):
        self.moves.append(message.row)

    def on_line_list_clicked(self, message):
        self.clicks.append((message.row, message.x, message.times))


def running(app):
    return app.run_test(size=(WIDTH, HEIGHT))


def shown(numbers, y):
    return numbers.render_line(y).text


def rows(numbers):
    """The row numbers on the screen, top to bottom."""
    texts = (shown(numbers, y)[:-1].split() for y in range(HEIGHT))
    return [int(words[-1]) for words in texts if words]


def cursor_line(numbers):
    return next(y for y in range(HEIGHT) if shown(numbers, y).startswith("▌"))


async def test_the_first_rows_stand_at_once_and_only_they_are_painted():
    app = ListApp()
    async with running(app):
        assert rows(app.numbers) == list(range(HEIGHT))
        assert set(app.numbers.painted) == set(range(HEIGHT))


@pytest.mark.parametrize(
    ("keys", "cursor", "line"),
    [
        ("down", 1, 1),
        ("j j", 2, 2),
        ("down down up", 1, 1),
        ("j k", 0, 0),
        ("up", 0, 0),
        ("end", 199_999, 19),
        ("end down", 199_999, 19),
        ("end up", 199_998, 18),
        ("end home", 0, 0),
        ("pagedown", 17, 0),
        ("down down pagedown", 19, 2),
        ("pagedown pageup", 0, 0),
        ("end pageup", 199_982, 19),
        ("end pageup pagedown", 199_999, 19),
        ("end pagedown", 199_999, 19),
    ],
)
async def test_keys_move_the_cursor_at_once(keys, cursor, line):
    app = ListApp()
    async with running(app) as pilot:
        await pilot.press(*keys.split())
        assert app.numbers.cursor == cursor
        assert cursor_line(app.numbers) == line
        assert shown(app.numbers, line).startswith(f"▌row {cursor} ")


async def test_keys_never_start_an_animation():
    app = ListApp()
    app.animation_level = "full"
    async with running(app) as pilot:
        for key in ("end", "pageup", "home", "pagedown", "down"):
            await pilot.press(key)
            assert not app.animator.is_being_animated(app.numbers, "scroll_y")
            assert app.numbers.scroll_target_y == app.numbers.scroll_y


async def test_three_rows_of_context_stay_in_view():
    app = ListApp()
    async with running(app) as pilot:
        await pilot.press(*["down"] * 30)
        assert rows(app.numbers)[-1] == 30 + 3
        await pilot.press(*["up"] * 20)
        assert rows(app.numbers)[0] == 10 - 3


async def test_a_step_paints_two_rows():
    app = ListApp()
    async with running(app) as pilot:
        app.numbers.painted.clear()
        await pilot.press("down")
        await pilot.pause()
        assert sorted(app.numbers.painted) == [0, 1]


async def test_rows_seen_before_come_from_the_cache():
    app = ListApp()
    async with running(app) as pilot:
        await pilot.press("pagedown", "pageup")
        app.numbers.painted.clear()
        await pilot.press("pagedown", "pageup")
        assert app.numbers.painted == []


@pytest.mark.parametrize("change", ["theme", "focus", "size"])
async def test_a_changed_look_paints_anew(change):
    app = ListApp()
    async with running(app) as pilot:
        app.numbers.painted.clear()
        if change == "theme":
            before = app.numbers.ink
            app.theme = "tapeview-light"
            await pilot.pause()
            assert app.numbers.ink is not before
        elif change == "focus":
            app.set_focus(None)
        else:
            await pilot.resize_terminal(WIDTH - 5, HEIGHT)
        await pilot.pause()
        app.numbers.render_line(0)
        assert {*range(HEIGHT)} <= set(app.numbers.painted)


async def test_every_row_is_as_wide_as_the_view():
    app = ListApp()
    async with running(app) as pilot:
        for width in (WIDTH, 23, 7, 2, 1):
            await pilot.resize_terminal(width, HEIGHT)
            strips = [app.numbers.render_line(y) for y in range(HEIGHT)]
            assert {strip.cell_length for strip in strips} == {width}
            assert {len(strip.text) for strip in strips} == {width}


async def test_a_row_of_another_width_is_made_to_fit():
    class Careless(NumberList):
        def paint_row(self, index, width, selected):
            return Strip.blank(5) if index else self.ink.strip([("x" * 99, "fg")], 99)

    app = ListApp(Careless(2))
    async with running(app):
        assert shown(app.numbers, 0) == "x" * (WIDTH - 1) + " "
        assert shown(app.numbers, 1) == " " * WIDTH


async def test_the_cursor_stays_in_view_when_the_terminal_shrinks():
    app = ListApp()
    async with running(app) as pilot:
        await pilot.press(*["down"] * 15)
        await pilot.resize_terminal(WIDTH, 8)
        assert rows_of_height(app.numbers, 8) == list(range(11, 19))
        assert app.numbers.cursor == 15


def rows_of_height(numbers, height):
    return [int(shown(numbers, y)[:-1].split()[-1]) for y in range(height)]


async def test_an_empty_list_is_blank_and_its_keys_do_nothing():
    app = ListApp(NumberList(0))
    async with running(app) as pilot:
        await pilot.press("down", "end", "pagedown", "home", "pageup", "up")
        await pilot.click(app.numbers, offset=(3, 3))
        assert app.numbers.cursor == 0
        assert {shown(app.numbers, y) for y in range(HEIGHT)} == {" " * WIDTH}
        assert (app.moves, app.clicks) == ([], [])


async def test_a_short_list_ends_in_blank_lines():
    app = ListApp(NumberList(3))
    async with running(app) as pilot:
        await pilot.press("end", "pagedown")
        assert rows(app.numbers) == [0, 1, 2]
        assert app.numbers.top == 0


class TestMoveTo:
    @pytest.mark.parametrize(
        ("row", "at", "top"),
        [
            (1000, 3, 997),
            (1000, HEIGHT // 3, 994),
            (1000, 0, 1000),
            (1000, None, 984),
            (5, None, 0),
            (1, 3, 0),
            (199_999, 3, 199_980),
            (300_000, None, 199_980),
        ],
    )
    async def test_puts_the_row_on_the_line_asked_for(self, row, at, top):
        app = ListApp()
        async with running(app):
            app.numbers.move_to(row, at)
            assert app.numbers.cursor == min(row, 199_999)
            assert app.numbers.top == top

    async def test_works_on_a_row_that_has_the_cursor_already(self):
        app = ListApp()
        async with running(app):
            app.numbers.move_to(500)
            app.numbers.move_to(500, 3)
            assert app.numbers.top == 497

    async def test_before_the_first_layout_is_remembered(self):
        numbers = NumberList()
        app = ListApp(numbers)
        numbers.move_to(500, 3)
        async with running(app):
            assert (numbers.cursor, numbers.top) == (500, 497)
            assert cursor_line(numbers) == 3

    async def test_in_view_says_whether_a_row_stands_on_the_screen(self):
        app = ListApp()
        async with running(app):
            app.numbers.move_to(1000, 3)
            seen = {row: app.numbers.in_view(row) for row in (996, 997, 1016, 1017)}
            assert seen == {996: False, 997: True, 1016: True, 1017: False}


class TestChangedRows:
    async def test_keep_place_holds_the_screen_line(self):
        app = ListApp()
        async with running(app) as pilot:
            app.numbers.move_to(1000, 7)
            with app.numbers.keep_place():
                app.numbers.count = 250_000
                app.numbers.prefix = "line"
                app.numbers.cursor = 51_000
            await pilot.pause()
            assert cursor_line(app.numbers) == 7
            assert shown(app.numbers, 7).startswith("▌line 51000 ")

    async def test_keep_place_gives_way_at_the_ends(self):
        app = ListApp()
        async with running(app):
            app.numbers.move_to(1000, 7)
            with app.numbers.keep_place():
                app.numbers.count = 5
            assert (app.numbers.cursor, app.numbers.top) == (4, 0)

    async def test_keep_place_holds_a_view_that_was_wheeled_away(self):
        app = ListApp()
        async with running(app):
            app.numbers.scroll_to_row(5000)
            with app.numbers.keep_place():
                app.numbers.count += 10
                app.numbers.cursor += 10
            assert (app.numbers.cursor, app.numbers.top) == (10, 5010)

    async def test_rows_that_come_at_the_end_move_nothing(self):
        app = ListApp(NumberList(100))
        async with running(app) as pilot:
            app.numbers.scroll_to_row(40)
            app.numbers.count = 300
            app.numbers.rows_changed()
            await pilot.pause()
            assert app.numbers.top == 40
            await pilot.press("end")
            assert rows(app.numbers)[-1] == 299

    async def test_rows_that_go_take_the_cursor_and_the_view_along(self):
        app = ListApp()
        async with running(app) as pilot:
            await pilot.press("end")
            app.numbers.count = 50
            app.numbers.rows_changed()
            assert app.numbers.cursor == 49
            assert rows(app.numbers) == list(range(30, 50))

    async def test_refresh_rows_paints_those_alone(self):
        app = ListApp()
        async with running(app) as pilot:
            app.numbers.painted.clear()
            app.numbers.prefix = "new"
            app.numbers.refresh_rows([0, 4, 100_000])
            await pilot.pause()
            assert sorted(app.numbers.painted) == [0, 4]
            texts = [shown(app.numbers, y).split()[0] for y in (0, 3, 4)]
            assert texts == ["▌new", "row", "new"]


async def wheel(pilot, widget, kind):
    widget.post_message(kind(widget, 1, 1, 0, 0, 0, False, False, False))
    await pilot.pause()


class TestMouse:
    async def test_a_click_selects_the_row_and_says_where(self):
        app = ListApp()
        async with running(app) as pilot:
            await pilot.click(app.numbers, offset=(4, 6))
            assert app.numbers.cursor == 6
            assert app.clicks == [(6, 4, 1)]

    async def test_a_double_click_says_so(self):
        app = ListApp()
        async with running(app) as pilot:
            await pilot.double_click(app.numbers, offset=(4, 6))
            assert app.clicks[-1] == (6, 4, 2)

    async def test_a_click_below_the_rows_does_nothing(self):
        app = ListApp(NumberList(3))
        async with running(app) as pilot:
            await pilot.click(app.numbers, offset=(4, 6))
            assert (app.numbers.cursor, app.clicks) == (0, [])

    async def test_the_wheel_moves_three_rows_and_leaves_the_cursor(self):
        app = ListApp()
        async with running(app) as pilot:
            await wheel(pilot, app.numbers, MouseScrollDown)
            assert (app.numbers.top, app.numbers.cursor) == (3, 0)
            await wheel(pilot, app.numbers, MouseScrollUp)
            await wheel(pilot, app.numbers, MouseScrollUp)
            assert app.numbers.top == 0

    async def test_a_click_on_the_ruler_goes_there(self):
        app = ListApp(NumberList(2000))
        async with running(app) as pilot:
            await pilot.click(app.numbers, offset=(WIDTH - 1, 10))
            assert app.numbers.cursor == 1000
            assert cursor_line(app.numbers) == HEIGHT // 3
            assert app.clicks == []

    async def test_a_click_on_a_mark_goes_to_its_row(self):
        app = ListApp(NumberList(2000, {1042: "error", 1013: "warning"}))
        async with running(app) as pilot:
            await pilot.click(app.numbers, offset=(WIDTH - 1, 10))
            assert app.numbers.cursor == 1042


async def test_moves_are_told_once_each():
    app = ListApp()
    async with running(app) as pilot:
        await pilot.press("down", "down", "up", "end")
        await pilot.pause()
        assert app.moves == [1, 2, 1, 199_999]


async def test_the_list_says_which_list_it_is():
    numbers = NumberList()
    assert LineList.CursorMoved(numbers, 1).control is numbers
    assert LineList.Clicked(numbers, 1, 0, 1).control is numbers
