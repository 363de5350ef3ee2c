"""The block pane on the screen: head, body, focus, place."""

import pytest
from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.widget import Widget

from tapeview.tui.glyphs import ASCII, UNICODE
from tapeview.tui.theme import DEFAULT_THEME, themes, variable_defaults
from tapeview.tui.widgets.block_pane import BlockPane
from tests.block_samples import at, call, claude, model, result, user
from tests.helpers import snapshot_of

SCREENS = {48: 120, 76: 200, 80: 80}
"""Pane width to screen width."""

ASK = user("go")
COMMAND = {
    "command": "pytest -q tests/test_lease.py --count 200 -x",
    "timeout": 600000,
    "description": "Run the lease tests 200 times",
}
DANGLING = snapshot_of(
    claude(
        {**ASK, "at": "14:00:00"},
        {**model(call("toolu_01HqT3", **COMMAND)), "id": "m1", "at": "14:06:31.204"},
        {**user("are you there?"), "at": "14:31:07"},
    )
)
LONG = snapshot_of(
    [ASK, model(call("a")), user(result("a", "\n".join(f"line {n}" for n in range(1, 215))))]
)


class Neighbour(Widget, can_focus=True):
    """Stands where the timeline stands."""


class PaneApp(App[None]):
    def __init__(self, width, glyphs=UNICODE):
        super().__init__()
        for theme in themes():
            self.register_theme(theme)
        self.theme = DEFAULT_THEME
        self.beside = Neighbour()
        self.beside.styles.width = SCREENS[width] - width
        self.pane = BlockPane(glyphs=glyphs)
        self.told = 0

    def get_theme_variable_defaults(self):
        return variable_defaults(self.current_theme)

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield self.beside
            yield self.pane

    def on_block_pane_title_changed(self):
        self.told += 1

    def lines(self):
        """What is on the pane's part of the screen."""
        left = self.beside.size.width
        rows = self.screen._compositor.render_strips()
        texts = ("".join(segment.text for segment in strip) for strip in rows)
        return [text[left:].rstrip() for text in texts]

    def style_at(self, x, y):
        """The style of a cell of the pane."""
        strip = self.screen._compositor.render_strips()[y]
        x += self.beside.size.width
        for segment in strip:
            if x < segment.cell_length:
                return segment.style
            x -= segment.cell_length
        raise AssertionError("outside the screen")

    def colour(self, name):
        return self.theme_variables[name].lower()


def running(app, width, height=20):
    return app.run_test(size=(SCREENS[width], height))


async def show(pilot, snapshot, words):
    pilot.app.pane.show(snapshot, at(snapshot, words))
    await pilot.pause()
    await pilot.pause()


async def test_beside_the_timeline_at_48_columns():
    app = PaneApp(48)
    async with running(app, 48, 25) as pilot:
        app.beside.focus()
        await show(pilot, DANGLING, "messages.1.content.0")
        assert app.lines() == [
            "  ● tool_use Bash                         126 B",
            "  messages.1.content.0 · line 2 · 14:06:31",
            "  ○ dangling: no result carries toolu_01HqT3",
            "  ¬ not sent: unanswered",
            "  ▲ TU001 Bash was never answered; resume drops",
            "    it",
            " ──────────────────────────────────────────────",
            "  {",
            '    "command": "pytest -q tests/test_lease.py',
            '        --count 200 -x",',
            '    "timeout": 600000,',
            '    "description": "Run the lease tests 200',
            '        times"',
            "  }",
            "",
            "  record",
            "    id      toolu_01HqT3",
            "    uuid    00000001-aaaa",
            "    parent  00000000-aaaa",
            "    time    2026-03-01 14:06:31.204",
            "    then    nothing until 14:31:07, 25 min on",
            "",
            "  stored beside, never sent",
            "    type       assistant",
            "    sessionId  s",
        ]


async def test_more_room_shows_more_of_the_place():
    app = PaneApp(76)
    async with running(app, 76) as pilot:
        await show(pilot, DANGLING, "messages.1.content.0")
        lines = app.lines()
        assert lines[0] == "  ● tool_use Bash".ljust(70) + "126 B"
        assert lines[1] == "  messages.1.content.0 · line 2 · 14:06:31 · turn 1"
        assert lines[5] == " " + "─" * 74


async def test_on_a_narrow_screen_the_title_is_left_to_the_tabs():
    app = PaneApp(80)
    async with running(app, 80) as pilot:
        await show(pilot, LONG, "messages.2.content.0")
        assert app.lines()[:5] == [
            "  messages.2.content.0 · turn 1",
            "  ● answers messages.1.content.0  t",
            " " + "─" * 78,
            "  line 1".ljust(79) + "▐",
            "  line 2",
        ]
        assert "".join(text for text, _ in app.pane.title_parts()) == (
            "► tool_result Bash  2.0 kB · 214 lines "
        )


async def test_while_scrolled_the_title_says_where():
    app = PaneApp(48)
    async with running(app, 48) as pilot:
        app.pane.body.focus()
        await show(pilot, LONG, "messages.2.content.0")
        assert app.lines()[0] == "▌ ► tool_result Bash         2.0 kB · 214 lines"
        await pilot.press("pagedown")
        assert app.lines()[0].endswith(" line 14 of 214")
        told = app.told
        await pilot.press("down")
        assert app.lines()[0].endswith(" line 15 of 214")
        assert app.told > told
        await pilot.press("end")
        assert app.lines()[0].endswith(" of 214")
        await pilot.press("home")
        assert app.lines()[0].endswith(" 2.0 kB · 214 lines")


async def test_the_same_row_again_keeps_its_place_and_another_starts_anew():
    app = PaneApp(48)
    async with running(app, 48) as pilot:
        app.pane.body.focus()
        await show(pilot, LONG, "messages.2.content.0")
        await pilot.press("down", "down")
        await show(pilot, LONG, "messages.2.content.0")
        assert app.pane.body.top == 2
        await show(pilot, LONG, "messages.1.content.0")
        assert app.pane.body.top == 0
        assert app.lines()[0] == "▌ ● tool_use Bash                           2 B"


async def test_the_title_shows_the_focus():
    app = PaneApp(48)
    async with running(app, 48) as pilot:
        await show(pilot, LONG, "messages.2.content.0")
        app.pane.body.focus()
        await pilot.pause()
        assert app.lines()[0].startswith("▌ ►")
        assert app.style_at(4, 0).color.get_truecolor().hex == app.colour("accent")
        assert app.style_at(1, 0).bgcolor.get_truecolor().hex == app.colour("raised")
        app.beside.focus()
        await pilot.pause()
        assert app.lines()[0].startswith("  ►")
        assert app.style_at(4, 0).color.get_truecolor().hex == app.colour("fg")
        assert app.style_at(1, 0).bgcolor.get_truecolor().hex == app.colour("surface")


async def test_a_broken_link_is_red_in_the_title():
    app = PaneApp(48)
    async with running(app, 48) as pilot:
        app.beside.focus()
        await show(pilot, DANGLING, "messages.1.content.0")
        reds = [app.style_at(x, 0).color.get_truecolor().hex for x in (2, 11)]
        assert app.lines()[0][2] == "●"
        assert reds[0] == app.colour("error")
        assert app.style_at(13, 0).color.get_truecolor().hex == app.colour("error")
        assert app.style_at(4, 0).color.get_truecolor().hex == app.colour("fg")


async def test_the_head_is_as_high_as_it_must_be():
    app = PaneApp(48)
    async with running(app, 48) as pilot:
        heights = []
        for words in ("messages.0", "messages.1.content.0", "messages.0"):
            await show(pilot, DANGLING, words)
            heights.append(next(y for y, line in enumerate(app.lines()) if line.startswith(" ──")))
        assert heights == [2, 6, 2]


async def test_a_long_line_of_the_head_is_cut_and_shows_it():
    body = [ASK, model(call("a", "mcp__" + "y" * 90)), user("hm"), model("no"), user(result("a"))]
    app = PaneApp(48)
    async with running(app, 48) as pilot:
        snapshot = snapshot_of(body)
        await show(pilot, snapshot, "messages.4.content.0")
        lines = app.lines()
        rule = next(y for y, line in enumerate(lines) if line.startswith(" ──"))
        assert rule <= 2 + 3 * len(app.pane.head.lines)
        assert any(line.endswith("…") for line in lines[2:rule])


async def test_a_long_title_gives_way_to_its_figures():
    body = [ASK, model(call("a", "mcp__a_server_with_a_long_name__and_a_tool_that_has_one_too"))]
    app = PaneApp(48)
    async with running(app, 48) as pilot:
        app.beside.focus()
        snapshot = snapshot_of(body)
        await show(pilot, snapshot, "messages.1.content.0")
        title = app.lines()[0]
        assert title.startswith("  ● tool_use mcp__a_server")
        assert title.endswith("…  2 B")
        assert len(title) == 47


async def test_nothing_of_a_tape_acts_on_the_terminal():
    evil = "\x1b]0;title\x07 \x1b[2J [@click=app.quit]x[/] \u202e \x9b31m"
    block = {"type": "tool_use", "id": evil, "name": evil, "input": {evil: evil}}
    snapshot = snapshot_of([ASK, model({**block, evil: evil}, {"type": evil}), user("hm")])
    app = PaneApp(48)
    async with running(app, 48, 30) as pilot:
        for words in ("messages.1.content.0", "messages.1.content.1", "kind:turn"):
            await show(pilot, snapshot, words)
            screen = "\n".join(app.lines())
            assert not any(sign in screen for sign in "\x1b\x07\u202e\x9b")
            assert "[@click=app.quit]x[/]" in screen.replace("\n", "") or words == "kind:turn"


async def test_in_ascii():
    app = PaneApp(48, ASCII)
    async with running(app, 48) as pilot:
        app.beside.focus()
        await show(pilot, DANGLING, "messages.1.content.0")
        assert app.lines()[:4] == [
            "  o tool_use Bash                         126 B",
            "  messages.1.content.0 . line 2 . 14:06:31",
            "  0 dangling: no result carries toolu_01HqT3",
            "  - not sent: unanswered",
        ]
        assert app.lines()[6] == " " + "-" * 46


async def test_before_the_first_row_it_is_empty():
    for width, first in ((48, ""), (80, "")):
        app = PaneApp(width)
        async with running(app, width) as pilot:
            await pilot.pause()
            assert app.lines()[1:] == [""] * 19
            assert app.lines()[0] == first
            assert app.pane.title_parts() == []
            assert app.pane.head is None


@pytest.mark.parametrize("width", sorted(SCREENS))
async def test_every_row_fits(width):
    app = PaneApp(width)
    async with running(app, width, 16) as pilot:
        for row in DANGLING.rows:
            app.pane.show(DANGLING, row)
            await pilot.pause()
            assert all(len(line) <= width for line in app.lines())
