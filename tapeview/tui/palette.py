"""The command palette: the command table again, for those who know the word and not the key."""

from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from tapeview.commands import COMMANDS, Command
from tapeview.tape.clean import cells
from tapeview.tui.glyphs import UNICODE, Glyphs
from tapeview.tui.screens.help_columns import spelled_keys

__all__ = ["CommandProvider"]

BY_HELP = 0.5
"""The score of a command that only its help speaks for: below every title that fits."""
OWN = "palette"
"""The command that opens the palette, which is open."""


class CommandProvider(Provider):
    """All commands by title and help. Nothing in here comes from a tape."""

    async def discover(self) -> Hits:
        """Every command, before anything is typed."""
        for command in _offered():
            yield DiscoveryHit(
                self._line(Content(command.title), command),
                partial(self._run, command.id),
                text=command.title,
                help=_more(command),
            )

    async def search(self, query: str) -> Hits:
        """Commands whose title or help is like the words."""
        matcher = self.matcher(query)
        for command in _offered():
            score = matcher.match(command.title)
            if not score and query.lower() in command.help.lower():
                score = BY_HELP
            if score > 0:
                title = matcher.highlight(command.title)
                yield Hit(
                    score,
                    self._line(title, command),
                    partial(self._run, command.id),
                    text=command.title,
                    help=_more(command),
                )

    async def _run(self, identity: str) -> None:
        await self.app.run_action(f"command('{identity}')")

    def _line(self, title: Content, command: Command) -> Content:
        """The title, and its key at the right."""
        glyphs: Glyphs = getattr(self.app, "glyphs", UNICODE)
        keys = spelled_keys(command, glyphs)
        gap = " " * max(2, self._room() - cells(command.title) - cells(keys))
        return Content.assemble(title, gap, Content.styled(keys, "bold $accent"))

    def _room(self) -> int:
        """Cells of a line of the palette: its list has a margin of two cells at each side."""
        return self.app.size.width - 6


def _offered() -> list[Command]:
    return [command for command in COMMANDS if command.id != OWN]


def _more(command: Command) -> str | None:
    """The help, where it says more than the title."""
    return None if command.help.lower() == command.title.lower() else command.help
