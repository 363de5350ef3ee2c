"""Every sign on the screen, as one table, in two spellings.

Box drawing and block elements are drawn by the terminal itself; every other sign is ASCII, Latin-1
or from the old WGL4 set that terminal fonts carry. None has an emoji form, none is wide outside
East Asian ambiguous-width settings.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = [
    "ASCII",
    "LINKS",
    "SIGNS",
    "UNICODE",
    "Glyphs",
    "LegendLine",
    "Sign",
    "choose_glyphs",
    "legend",
]


@dataclass(frozen=True, slots=True)
class Sign:
    """One row of the table.

    `words` says on the help screen what it stands for, in the part `group` ("rows" or "margin",
    "" where the sign needs no words of its own) and in the style `style`. Neighbours with the same
    words share a line.
    """

    name: str
    unicode: str
    ascii: str
    style: str = "fg"
    group: str = ""
    words: str = ""


SIGNS: Final = (
    Sign("prompt", ">", ">", "accent", "rows", "a human prompt"),
    Sign("text", "•", '"', "fg", "rows", "text of the model"),
    Sign("thinking", "~", "~", "think", "rows", "thinking"),
    Sign("call", "●", "o", "call", "rows", "a call of a tool"),
    Sign("result", "►", ">", "result", "rows", "its result"),
    Sign("error_result", "×", "x", "error", "rows", "a result that is an error"),
    Sign("image", "□", "#", "result", "rows", "an image"),
    Sign("document", "≡", "=", "result", "rows", "a document"),
    Sign("system", "§", "$", "muted", "rows", "system"),
    Sign("tools", "ƒ", "%", "muted", "rows", "tool definitions"),
    Sign("note", "·", ".", "muted", "rows", "a note of the harness"),
    Sign("folded", "+", "+", "accent", "rows", "folded, open"),
    Sign("opened", "-", "-", "accent", "rows", "folded, open"),
    Sign("unknown", "?", "?", "warn", "rows", "unknown block"),
    Sign("error", "!", "!", "error", "margin", "error, warning, suspicion"),
    Sign("warning", "▲", "^", "warn", "margin", "error, warning, suspicion"),
    Sign("suspicion", "?", "?", "suspicion", "margin", "error, warning, suspicion"),
    Sign("unsent", "¬", "-", "unsent", "margin", "stored, not sent"),
    Sign("cursor", "▌", ">", "accent", "margin", "cursor, other end"),
    Sign("partner", "▎", "|", "accent", "margin", "cursor, other end"),
    Sign("edited", "*", "*", "result", "margin", "edited, marked with v"),
    Sign("marked", "v", "v", "accent", "margin", "edited, marked with v"),
    # A link: its ends and its states.
    Sign("cut_end", "○", "0"),
    Sign("doubled", "►►", ">>"),
    Sign("swapped", "╳", "X"),
    Sign("pending_end", "…", "~"),
    # A lane of the gutter, thin and (selected) heavy.
    Sign("lane_start", "╭", ","),
    Sign("lane_end", "╰", "'"),
    Sign("lane_passes", "│", "|"),
    Sign("lane_runs", "─", "-"),
    Sign("lane_more", "├", "+"),
    Sign("loose_passes", "┊", ":"),
    Sign("loose_runs", "┄", "."),
    Sign("heavy_start", "┏", "#"),
    Sign("heavy_end", "┗", "#"),
    Sign("heavy_passes", "┃", "#"),
    Sign("heavy_runs", "━", "="),
    Sign("heavy_more", "┣", "#"),
    Sign("heavy_loose_passes", "┋", "#"),
    Sign("heavy_loose_runs", "┅", "="),
    Sign("cable_start", "╓", "H"),
    Sign("cable_more", "╟", "H"),
    Sign("cable_end", "╙", "H"),
    Sign("cable_passes", "║", "H"),
    # Rules between turns and segments, and what crosses them.
    Sign("rule", "─", "-"),
    Sign("double_rule", "═", "="),
    Sign("crosses_rule", "┼", "+"),
    Sign("heavy_crosses_rule", "╂", "#"),
    Sign("crosses_double_rule", "╪", "+"),
    # The ruler at the right edge, bars of progress and the strip of sizes.
    Sign("ruler_thumb", "▐", "|"),
    Sign("ruler_error", "━", "="),
    Sign("ruler_warning", "─", "-"),
    Sign("ruler_match", "═", "#", "match", "margin", "search match"),
    Sign("bar_done", "━", "="),
    Sign("bar_left", "─", "-"),
    Sign("sizes", "▁▂▃▄▅▆▇█", "_.-:=+*#"),
    # In the text itself.
    Sign("cut", "…", "~"),
    Sign("line_break", "¶", "\\"),
    Sign("control", "¤", "?"),
    Sign("separator", "·", "."),
    Sign("inside", "►", ">"),
    Sign("times", "×", "x"),
    Sign("input_cursor", "█", "_"),
    Sign("same", "=", "="),
    Sign("differs", "≠", "#"),
    Sign("up", "↑", "up"),
    Sign("down", "↓", "down"),
)
"""The table. `sizes` is eight signs, lowest first; `inside` stands in ``main ► agent:a91``."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The signs in one spelling; what each is for stands in `SIGNS`."""

    prompt: str
    text: str
    thinking: str
    call: str
    result: str
    error_result: str
    image: str
    document: str
    system: str
    tools: str
    note: str
    folded: str
    opened: str
    unknown: str
    error: str
    warning: str
    suspicion: str
    unsent: str
    cursor: str
    partner: str
    edited: str
    marked: str
    cut_end: str
    doubled: str
    swapped: str
    pending_end: str
    lane_start: str
    lane_end: str
    lane_passes: str
    lane_runs: str
    lane_more: str
    loose_passes: str
    loose_runs: str
    heavy_start: str
    heavy_end: str
    heavy_passes: str
    heavy_runs: str
    heavy_more: str
    heavy_loose_passes: str
    heavy_loose_runs: str
    cable_start: str
    cable_more: str
    cable_end: str
    cable_passes: str
    rule: str
    double_rule: str
    crosses_rule: str
    heavy_crosses_rule: str
    crosses_double_rule: str
    ruler_thumb: str
    ruler_error: str
    ruler_warning: str
    ruler_match: str
    bar_done: str
    bar_left: str
    sizes: str
    cut: str
    line_break: str
    control: str
    separator: str
    inside: str
    times: str
    input_cursor: str
    same: str
    differs: str
    up: str
    down: str


UNICODE: Final = Glyphs(**{sign.name: sign.unicode for sign in SIGNS})
ASCII: Final = Glyphs(**{sign.name: sign.ascii for sign in SIGNS})


def choose_glyphs(environ: Mapping[str, str], encoding: str, wish: str | None) -> Glyphs:
    """`ASCII` for the setting ``glyphs = "ascii"``, an output not in UTF-8, or the Linux console.

    `encoding` is that of the terminal's output, in any spelling that Python knows.
    """
    if wish == "ascii" or environ.get("TERM") == "linux" or not _is_utf8(encoding):
        return ASCII
    return UNICODE


def _is_utf8(encoding: str) -> bool:
    try:
        return codecs.lookup(encoding).name == "utf-8"
    except LookupError:
        return False


LINKS: Final = (
    # words, style, and the signs: each a row of glyph names
    ("answered", "lane", ("lane_start lane_runs call", "lane_end lane_runs result")),
    ("selected", "accent", ("heavy_start heavy_runs call", "heavy_end heavy_runs result")),
    ("pending", "pending", ("lane_start loose_runs call", "lane_end loose_runs pending_end")),
    ("dangling", "error", ("cut_end lane_runs call",)),
    ("orphan", "error", ("cut_end lane_runs result",)),
    ("late, early", "warn", ("lane_start loose_runs call", "lane_end loose_runs result")),
    ("doubled", "error", ("lane_end doubled",)),
    ("swapped", "muted", ("lane_end swapped result",)),
    ("many links in one", "lane", ("cable_start lane_runs call", "cable_end lane_runs result")),
)
"""How each state of a link is drawn on the help screen."""


@dataclass(frozen=True, slots=True)
class LegendLine:
    """One line of the help screen: its part, its signs as (text, style name), and its words."""

    group: str
    signs: tuple[tuple[str, str], ...]
    words: str


def legend(glyphs: Glyphs) -> tuple[LegendLine, ...]:
    """All signs with words, in the parts "rows", "links" and "margin", in that order."""
    links = tuple(
        LegendLine(
            "links",
            tuple(("".join(getattr(glyphs, name) for name in row.split()), style) for row in rows),
            words,
        )
        for words, style, rows in LINKS
    )
    return (*_legend_of("rows", glyphs), *links, *_legend_of("margin", glyphs))


def _legend_of(group: str, glyphs: Glyphs) -> list[LegendLine]:
    lines: dict[str, list[tuple[str, str]]] = {}
    for sign in SIGNS:
        if sign.group == group:
            lines.setdefault(sign.words, []).append((getattr(glyphs, sign.name), sign.style))
    return [LegendLine(group, tuple(signs), words) for words, signs in lines.items()]
