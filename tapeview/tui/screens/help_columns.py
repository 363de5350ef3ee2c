"""The columns of the help screen: keys in groups, and signs with their words, as rows to paint."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tapeview.commands import COMMANDS, Command
from tapeview.tape.clean import cells
from tapeview.tui.glyphs import Glyphs, legend
from tapeview.tui.widgets.bars import Parts

__all__ = [
    "Entry",
    "Section",
    "column_rows",
    "commands_with",
    "halves",
    "key_sections",
    "padded",
    "sign_sections",
    "spelled_keys",
    "width_of",
]

MARGIN: Final = 2

MOVES: Final = (
    ("up down j k", "row"),
    ("pgup pgdn", "page"),
    ("home end", "first, last row"),
)
"""What every list does with keys of its own, which are no commands."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One key or sign, and what it is for."""

    signs: tuple[tuple[str, str], ...]
    words: str

    @property
    def width(self) -> int:
        """Cells of the signs."""
        return sum(cells(text) for text, _ in self.signs)


Section = tuple[str, list[Entry]]


def commands_with(words: str) -> list[Command]:
    """Commands whose title, help or keys have all the words."""
    sought = words.lower().split()
    return [
        command
        for command in COMMANDS
        if all(word in f"{command.title} {command.help} {command.show}".lower() for word in sought)
    ]


def key_sections(commands: Sequence[Command], glyphs: Glyphs, moves: bool) -> list[Section]:
    """The commands by group; with ``moves`` also the keys that move in every list."""
    sections: dict[str, list[Entry]] = {}
    if moves:
        names = {"up": glyphs.up, "down": glyphs.down}
        sections["move"] = [
            Entry(((" ".join(names.get(key, key) for key in keys.split()), "keycap"),), words)
            for keys, words in MOVES
        ]
    for entries in _pairs(commands):
        keys = " ".join(spelled_keys(command, glyphs) for command in entries)
        entry = Entry(((keys, "keycap"),), _help_of(entries))
        sections.setdefault(entries[0].group, []).append(entry)
    if not commands:
        sections["no command has these words"] = []
    return list(sections.items())


def _pairs(commands: Sequence[Command]) -> Iterable[list[Command]]:
    """The commands in order, opposites such as next and previous taken together."""
    held: list[Command] = []
    for command in commands:
        if len(held) == 1 and _is_opposite(held[0], command):
            held.append(command)
            continue
        if held:
            yield held
        held = [command]
    if held:
        yield held


def _is_opposite(one: Command, other: Command) -> bool:
    """Whether only the first words of their help differ."""
    tails = one.help.partition(" ")[2], other.help.partition(" ")[2]
    return one.group == other.group and tails[0] == tails[1] != ""


def _help_of(entries: Sequence[Command]) -> str:
    first, *rest = entries
    if not rest:
        return first.help
    return f"{first.help.partition(' ')[0]}, {rest[0].help}"


def spelled_keys(command: Command, glyphs: Glyphs) -> str:
    """The keys as people read them, arrows in the glyphs in use."""
    return command.show.replace("↑", glyphs.up).replace("↓", glyphs.down)


def sign_sections(glyphs: Glyphs) -> list[Section]:
    """All signs that have words."""
    sections: dict[str, list[Entry]] = {}
    for line in legend(glyphs):
        first, *rest = line.signs
        signs = (first, *((f" {text}", style) for text, style in rest))
        sections.setdefault(line.group, []).append(Entry(signs, line.words))
    return list(sections.items())


def halves(sections: list[Section]) -> tuple[list[Section], list[Section]]:
    """The sections in two columns of about the same height."""
    heights = [len(entries) + 2 for _, entries in sections]
    numbers = range(1, len(sections) + 1)
    best = min(numbers, key=lambda k: max(sum(heights[:k]), sum(heights[k:])), default=0)
    return sections[:best], sections[best:]


def column_rows(sections: Sequence[Section], width: int) -> list[Parts]:
    """The rows of one column: a title for each section, signs and words below it."""
    rows: list[Parts] = []
    lead = 2 + max((entry.width for _, entries in sections for entry in entries), default=0)
    for title, entries in sections:
        if rows:
            rows.append([])
        rows.append([(" " * MARGIN, "fg"), (title, "title")])
        for entry in entries:
            rows += _entry_rows(entry, lead, max(8, width - MARGIN - lead))
    return rows


def _entry_rows(entry: Entry, lead: int, room: int) -> Iterable[Parts]:
    for number, words in enumerate(textwrap.wrap(entry.words, room)):
        before: Parts = [(" " * (MARGIN + lead), "fg")]
        if number == 0:
            gap = " " * (lead - entry.width)
            before = [(" " * MARGIN, "fg"), *entry.signs, (gap, "fg")]
        yield [*before, (words, "muted")]


def width_of(parts: Parts) -> int:
    """Cells of a row."""
    return sum(cells(text) for text, _ in parts)


def padded(parts: Parts, width: int) -> Parts:
    """A row with blanks after it."""
    return [*parts, (" " * max(0, width - width_of(parts)), "fg")]
