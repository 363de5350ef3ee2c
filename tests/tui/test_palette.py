"""The command palette over the command table."""

import pytest
from textual.app import App
from textual.command import CommandPalette, DiscoveryHit
from textual.widgets import OptionList

from tapeview.commands import COMMANDS
from tapeview.tui.glyphs import ASCII
from tapeview.tui.palette import CommandProvider
from tapeview.tui.theme import DEFAULT_THEME, themes, variable_defaults


class PaletteApp(App[None]):
    COMMANDS = {CommandProvider}  # noqa: RUF012
    animation_level = "none"

    def __init__(self):
        super().__init__()
        for theme in themes():
            self.register_theme(theme)
        self.theme = DEFAULT_THEME
        self.done = []

    def get_theme_variable_defaults(self):
        return variable_defaults(self.current_theme)

    def action_command(self, identity):
        self.done.append(identity)


async def hits(app, query=None):
    provider = CommandProvider(app.screen)
    found = provider.discover() if query is None else provider.search(query)
    return [hit async for hit in found]


async def test_everything_but_the_palette_itself_is_offered():
    app = PaletteApp()
    async with app.run_test(size=(80, 24)):
        found = await hits(app)
        assert all(isinstance(hit, DiscoveryHit) for hit in found)
        assert [hit.text for hit in found] == [c.title for c in COMMANDS if c.id != "palette"]


async def test_title_help_and_key_are_shown():
    app = PaletteApp()
    async with app.run_test(size=(80, 24)):
        (hit,) = await hits(app, "dark or light")
        assert hit.prompt.plain.split("  ")[0] == "Dark or light"
        assert hit.prompt.plain.endswith("  ctrl+t")
        assert len(hit.prompt.plain) == 74
        assert hit.help == "dark, light theme"


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("next turn", "Next turn"),
        ("editor", "Open in $EDITOR"),
        ("pasted", "Go to"),
        ("QUIT", "Quit"),
    ],
)
async def test_what_one_types_is_looked_for_in_titles_then_in_help(query, first):
    app = PaletteApp()
    async with app.run_test(size=(80, 24)):
        found = sorted(await hits(app, query), reverse=True)
        assert found[0].text == first


async def test_help_that_repeats_the_title_is_left_out():
    app = PaletteApp()
    async with app.run_test(size=(80, 24)):
        (hit,) = await hits(app, "next turn")
        assert (hit.text, hit.help) == ("Next turn", None)


async def test_arrows_are_spelled_out_where_the_terminal_has_none():
    app = PaletteApp()
    app.glyphs = ASCII
    async with app.run_test(size=(80, 24)):
        (hit,) = await hits(app, "more room")
        assert hit.prompt.plain.endswith("  ctrl+up")


async def test_nothing_fits():
    app = PaletteApp()
    async with app.run_test(size=(80, 24)):
        assert await hits(app, "zzz") == []


async def test_choosing_runs_the_command():
    app = PaletteApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.action_command_palette()
        await pilot.pause()
        palette = app.screen
        assert isinstance(palette, CommandPalette)
        await pilot.press(*"along")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert palette.query_one(OptionList).option_count == 1
        await pilot.press("enter")
        await pilot.pause()
        assert app.done == ["follow_link"]


async def test_every_command_can_be_run_from_it():
    app = PaletteApp()
    async with app.run_test(size=(80, 24)):
        for hit in await hits(app):
            await hit.command()
    assert app.done == [command.id for command in COMMANDS if command.id != "palette"]


def test_help_is_no_markup():
    """The palette reads help texts as markup, so they must not look like it."""
    assert not any("[" in command.help for command in COMMANDS)
