"""The help screen: all keys, all signs, at every size, and how one finds a command."""

import pytest
from textual.app import App

from tapeview.commands import COMMANDS
from tapeview.tui.glyphs import ASCII, UNICODE, legend
from tapeview.tui.screens.help import HelpScreen
from tapeview.tui.screens.help_columns import (
    column_rows,
    commands_with,
    halves,
    key_sections,
    sign_sections,
    width_of,
)
from tapeview.tui.theme import DEFAULT_THEME, themes, variable_defaults


class HelpApp(App[None]):
    def __init__(self, glyphs=UNICODE):
        super().__init__()
        for theme in themes():
            self.register_theme(theme)
        self.theme = DEFAULT_THEME
        self.help_screen = HelpScreen(glyphs)
        self.left = False

    def get_theme_variable_defaults(self):
        return variable_defaults(self.current_theme)

    def on_mount(self):
        self.push_screen(self.help_screen, self.closed)

    def closed(self, result):
        self.left = True

    def lines(self):
        rows = self.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip) for strip in rows]

    async def all_lines(self, pilot):
        """Everything there is, scrolled through."""
        seen, shown = [], []
        while shown != (shown := self.lines()[1:-1]):
            seen += [line for line in shown if line not in seen]
            await pilot.press("pagedown")
        return seen


def words_of(lines):
    return " ".join(" ".join(lines).replace("│", " ").replace("▐", " ").split())


@pytest.mark.parametrize("size", [(120, 40), (200, 60), (90, 24), (80, 24), (48, 12)])
async def test_every_command_and_every_sign_is_there(size):
    app = HelpApp()
    async with app.run_test(size=size) as pilot:
        lines = await app.all_lines(pilot)
        text = words_of(lines)
        for command in COMMANDS:
            assert f" {command.show} " in f" {text} ", command.id
        for line in legend(UNICODE):
            assert line.words in text
        assert all(len(line) == size[0] for line in app.lines())


async def test_at_120_columns_keys_stand_left_and_signs_right():
    app = HelpApp()
    async with app.run_test(size=(120, 40)):
        lines = app.lines()
        assert lines[0].split("   ")[0] == " keys and signs"
        assert lines[0].endswith("esc back   / find a command   ctrl+p palette ")
        assert lines[1].strip() == ""
        bar = lines[2].index("│")
        assert all(line[bar] == "│" for line in lines[2:-1])
        assert lines[2][bar + 3 :].rstrip() == "rows"
        assert lines[3][bar + 3 :].rstrip() == ">        a human prompt"
        assert lines[2][:bar].split() == ["move", "edit"]
        assert lines[-1].rstrip() == " ↑ ↓ scroll  / find a command  esc back"


async def test_at_80_columns_signs_follow_the_keys():
    app = HelpApp()
    async with app.run_test(size=(80, 24)) as pilot:
        assert "│" not in "".join(app.lines())
        lines = [line[:-1].strip() for line in await app.all_lines(pilot)]
        assert (
            lines.index("move") < lines.index("find") < lines.index("rows") < lines.index("links")
        )


async def test_opposites_share_a_line():
    app = HelpApp()
    async with app.run_test(size=(80, 24)):
        assert "  n p        next, previous turn" in [line[:-1].rstrip() for line in app.lines()]


@pytest.mark.parametrize("key", ["escape", "q", "question_mark"])
async def test_leaving(key):
    app = HelpApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(key)
        assert app.left


async def test_finding_a_command_while_typing():
    app = HelpApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"copy")
        lines = [line[:-1].rstrip() for line in app.lines()]
        assert lines[2:7] == [
            "  take",
            "  y        copy the text",
            "  Y        copy the JSON",
            "  ctrl+y   copy the path",
            "",
        ]
        assert app.lines()[-1].startswith(" / copy█   3 commands")
        await pilot.press("space", *"json")
        assert app.lines()[-1].startswith(" / copy json█   1 command ")
        await pilot.press(*["backspace"] * 4, "z", "z")
        assert app.lines()[-1].startswith(" / copy zz█   no command has these words")
        assert app.lines()[2].strip().rstrip("▐ ") == "no command has these words"


async def test_letters_are_letters_while_one_types():
    app = HelpApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", "q", "j", "slash", "question_mark")
        assert not app.left
        assert app.lines()[-1].startswith(" / qj/?█ ")


async def test_enter_keeps_what_was_found_and_escape_gives_all_back():
    app = HelpApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"quit", "enter")
        assert app.lines()[-1].startswith(" / quit   1 command ")
        await pilot.press("escape")
        assert not app.left
        assert app.lines()[-1].startswith(" ↑ ↓ scroll")
        await pilot.press("slash", "x", "escape")
        assert not app.left
        await pilot.press("escape")
        assert app.left


async def test_keys_scroll_and_stop_at_the_ends():
    app = HelpApp()
    async with app.run_test(size=(80, 24)) as pilot:
        first = app.lines()
        await pilot.press("down", "j")
        assert [line[:-1] for line in app.lines()[1:4]] == [line[:-1] for line in first[3:6]]
        await pilot.press("end")
        last = app.lines()
        await pilot.press("down")
        assert app.lines() == last
        await pilot.press("home")
        assert app.lines() == first


async def test_in_ascii():
    app = HelpApp(ASCII)
    async with app.run_test(size=(120, 40)):
        text = "\n".join(app.lines())
        assert text.isascii()
        assert "up down j k" in text
        assert "ctrl+up" in text


async def test_another_width_lays_the_columns_out_anew():
    app = HelpApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert "│" not in "".join(app.lines())


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ("", [command.id for command in COMMANDS]),
        ("turn next", ["next_turn"]),
        ("QUIT", ["quit"]),
        ("ctrl+y", ["copy_path"]),
        ("no such thing", []),
    ],
)
def test_which_commands_have_the_words(words, ids):
    assert [command.id for command in commands_with(words)] == ids


def test_columns_are_about_equally_high():
    left, right = halves(key_sections(commands_with(""), UNICODE, moves=True))
    heights = [sum(len(entries) + 2 for _, entries in half) for half in (left, right)]
    assert left and right
    assert abs(heights[0] - heights[1]) <= 6


@pytest.mark.parametrize("width", [30, 40, 80])
def test_no_row_is_wider_than_its_column(width):
    sections = key_sections(commands_with(""), UNICODE, moves=True)
    assert max(width_of(row) for row in column_rows(sections, width)) <= width
    assert all(width_of(row) <= 38 for row in column_rows(sign_sections(UNICODE), 60))
