"""From style names and cleaned text to strips: what every row on the screen is made with.

Whoever calls this has cleaned the text (``tapeview.tape.clean``); nothing here looks for controls.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from rich.cells import cell_len, set_cell_size, split_graphemes
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.strip import Strip

from tapeview.tui.theme import Palette

__all__ = [
    "Piece",
    "Styles",
    "cells_of",
    "cut_spans",
    "ruler_line",
    "ruler_row",
    "ruler_thumb",
    "strip_of",
    "styles_of",
    "wrap_spans",
]


@dataclass(frozen=True, slots=True)
class _Kind:
    """A style by name: a palette colour, and what colour alone must not say.

    `ground` is its own ground where it has one; `mono` are the words it gets without colour.
    """

    colour: str
    words: str = ""
    ground: str = ""
    mono: str = ""


_KINDS: Final[Mapping[str, _Kind]] = MappingProxyType(
    {
        **{name: _Kind(name) for name in ("fg", "muted", "unsent", "accent", "result", "error")},
        **{name: _Kind(name) for name in ("warn", "suspicion", "pending", "string", "number")},
        **{name: _Kind(name) for name in ("line", "lane")},
        "call": _Kind("call", "bold"),
        "think": _Kind("think", "italic"),
        "prompt": _Kind("fg", "bold"),
        "chip": _Kind("on_error", "bold", ground="error", mono="reverse"),
        "match": _Kind("on_match", ground="match", mono="reverse"),
        # Underlined without colour: else a control and the same letters typed out look alike.
        "control": _Kind("warn", ground="raised", mono="underline"),
        "key": _Kind("call"),
        "punct": _Kind("muted"),
        "heading": _Kind("fg", "bold"),
        "fence": _Kind("muted"),
        "title": _Kind("fg", "bold"),
        "title-focus": _Kind("accent", "bold"),
        "keycap": _Kind("accent", "bold"),
        "quote": _Kind("muted", "italic"),
    }
)

_WORDS: Final = frozenset({"bold", "italic", "underline", "reverse", "strike", "plain"})


class Styles:
    """Rich styles by name, on a ground; made once each.

    With `no_color` nothing has a colour: chips are reverse video, the cursor row (ground
    ``select``) is bold, the rest is plain.
    """

    __slots__ = ("_made", "no_color", "palette")

    def __init__(self, palette: Palette, no_color: bool = False) -> None:
        self.palette = palette
        self.no_color = no_color
        self._made: dict[tuple[str, str], Style] = {}

    def style(self, name: str, ground: str = "background") -> Style:
        """The style `name` on `ground`, a colour of the palette.

        A name may have words after it: ``"error bold"``, ``"muted italic"``, ``"call plain"``
        (plain: without the words that the name brings along). Raises `KeyError` for a name or
        word that does not exist.
        """
        made = self._made.get((name, ground))
        if made is None:
            made = self._made[name, ground] = self._make(name, ground)
        return made

    def strip(
        self, parts: Iterable[tuple[str, str]], width: int, ground: str = "background"
    ) -> Strip:
        """One row of (text, style name) parts on `ground`, exactly `width` cells wide."""
        styled = ((text, self.style(name, ground)) for text, name in parts)
        return strip_of(styled, width, self.style("fg", ground))

    def _make(self, name: str, ground: str) -> Style:
        base, *added = name.split(" ")
        kind = _KINDS[base]
        unknown = set(added) - _WORDS
        if unknown:
            raise KeyError(name)
        own = [] if "plain" in added else kind.words.split()
        words = {*own, *added} - {"plain"}
        if self.no_color:
            words.update(kind.mono.split())
            words.update(["bold"] if ground == "select" else [])
            return _styled(words)
        colour = kind.colour
        if colour == "unsent" and ground != "background":
            colour = "muted"  # unsent is too faint for any other ground
        front = getattr(self.palette, colour).rich_color
        back = getattr(self.palette, (kind.ground or ground).replace("-", "_")).rich_color
        return _styled(words, front, back)


def _styled(words: set[str], front: Color | None = None, back: Color | None = None) -> Style:
    return Style(
        color=front,
        bgcolor=back,
        bold="bold" in words or None,
        italic="italic" in words or None,
        underline="underline" in words or None,
        reverse="reverse" in words or None,
        strike="strike" in words or None,
    )


def styles_of(app: App[object]) -> Styles:
    """The styles of the app's theme as it is now; the same object as long as nothing changes.

    Plain where the app has no colours (``NO_COLOR``) or leaves them to the terminal (Textual's
    ``ansi-*`` themes, which is what a terminal of 16 colours should be given).
    """
    return _styles(tuple(app.theme_variables.items()), app.no_color or app.native_ansi_color)


@lru_cache(maxsize=8)
def _styles(variables: tuple[tuple[str, str], ...], no_color: bool) -> Styles:
    return Styles(Palette.of(dict(variables)), no_color)


def cells_of(text: str) -> int:
    """The cells that `text` takes on the screen, as Textual counts them."""
    return len(text) if text.isascii() else cell_len(text)


def strip_of(parts: Iterable[tuple[str, Style]], width: int, ground: Style) -> Strip:
    """One row of (text, style) parts, exactly `width` cells wide.

    What does not fit is cropped (half of a wide character becomes a blank); what is missing is
    filled up in the style `ground`.
    """
    segments: list[Segment] = []
    left = width
    words, ink = "", ground
    for text, style in parts:
        if left <= 0:
            break
        size = len(text) if text.isascii() else cell_len(text)
        if size > left:
            text, size = set_cell_size(text, left), left
        if style is ink:
            words += text
        elif text:
            if words:
                segments.append(Segment(words, ink))
            words, ink = text, style
        left -= size
    if left > 0 and ink is ground:
        words += " " * left
    if words:
        segments.append(Segment(words, ink))
    if left > 0 and ink is not ground:
        segments.append(Segment(" " * left, ground))
    return Strip(segments, max(0, width))


class Piece(NamedTuple):
    """A run of text in one style; `solid` when it is one token that should not be broken."""

    style: str
    text: str
    solid: bool = False


def wrap_spans(pieces: Sequence[Piece], first: int, rest: int) -> list[tuple[int, int]]:
    """Where the text of `pieces` breaks into rows, as (start, stop) in its characters.

    The first row has `first` cells, the others `rest`, each at least 1. Rows break at blanks,
    which are then dropped, else before a solid piece, else before the character that does not
    fit; a wide character never straddles the edge. There is always one row.
    """
    text = "".join([piece.text for piece in pieces])
    reach = _Reach(text)
    solids = _solid_spans(pieces)
    spans: list[tuple[int, int]] = []
    start, room = 0, max(1, first)
    while (limit := reach.limit(start, room)) < len(text):
        stop, following = _break_at(text, start, limit, solids)
        if following == len(text):
            return [*spans, (start, stop)]
        spans.append((start, stop))
        start, room = following, max(1, rest)
    return [*spans, (start, len(text))]


class _Reach:
    """How far so many cells reach in a text."""

    __slots__ = ("_cells", "_starts", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts: list[int] = []  # of each grapheme, and the end
        self._cells: list[int] = []  # before each grapheme, and in all
        if text.isascii():
            return
        graphemes, total = split_graphemes(text)
        cells = 0
        for start, _, width in graphemes:
            self._starts.append(start)
            self._cells.append(cells)
            cells += width
        self._starts.append(len(text))
        self._cells.append(total)

    def limit(self, start: int, room: int) -> int:
        """The first character from `start` that `room` cells do not hold; never `start` itself."""
        if not self._starts:
            return min(len(self._text), start + room)
        here = bisect_left(self._starts, start)
        last = len(self._starts) - 1
        beyond = bisect_right(self._cells, self._cells[here] + room) - 1
        return self._starts[min(last, max(beyond, here + 1))]


def _solid_spans(pieces: Sequence[Piece]) -> list[tuple[int, int]]:
    spans = []
    start = 0
    for piece in pieces:
        stop = start + len(piece.text)
        if piece.solid:
            spans.append((start, stop))
        start = stop
    return spans


def _break_at(
    text: str, start: int, limit: int, solids: Sequence[tuple[int, int]]
) -> tuple[int, int]:
    """Where the row from `start` stops, at or before `limit`, and where the next one starts."""
    blank = limit if text[limit] == " " else text.rfind(" ", start, limit)
    while blank >= start and (solid := _solid_around(blank, solids)):
        blank = text.rfind(" ", start, max(start, solid[0]))
    kept = text[start : max(start, blank)].rstrip(" ")
    if kept:
        following = blank
        while following < len(text) and text[following] == " ":
            following += 1
        return start + len(kept), following
    solid = _solid_around(limit, solids)
    if solid and solid[0] > start:
        limit = solid[0]
    return limit, limit


def _solid_around(at: int, solids: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """The solid piece that holds the character `at`."""
    nearest = bisect_left(solids, (at + 1, 0)) - 1
    return solids[nearest] if nearest >= 0 and at < solids[nearest][1] else None


def cut_spans(pieces: Sequence[Piece], spans: Sequence[tuple[int, int]]) -> list[list[Piece]]:
    """The pieces of each row, for the spans that `wrap_spans` found."""
    rows: list[list[Piece]] = []
    first, offset = 0, 0
    for start, stop in spans:
        while first < len(pieces) and offset + len(pieces[first].text) <= start:
            offset += len(pieces[first].text)
            first += 1
        row: list[Piece] = []
        at = offset
        for piece in pieces[first:]:
            if at >= stop:
                break
            text = piece.text[max(0, start - at) : stop - at]
            if text:
                row.append(Piece(piece.style, text, piece.solid))
            at += len(piece.text)
        rows.append(row)
    return rows


def ruler_line(row: int, count: int, height: int) -> int:
    """The line of a ruler of `height` lines that stands for `row` of `count` rows."""
    return row * height // count


def ruler_row(line: int, count: int, height: int) -> int:
    """The first row that `line` of the ruler stands for."""
    return min(count - 1, -(-line * count // height))


def ruler_thumb(top: int, count: int, height: int) -> range:
    """The lines of the ruler that stand for what is in view; none when everything is."""
    if count <= height or height <= 0:
        return range(0)
    size = max(1, round(height * height / count))
    start = round(top * (height - size) / (count - height))
    return range(start, start + size)
