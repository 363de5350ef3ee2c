"""The link gutter of one row as text and styles."""

from collections.abc import Sequence
from typing import NamedTuple

from tapeview.tape.lanes import CABLE, FREE, Gutter
from tapeview.tape.link import Link, LinkState
from tapeview.tui.glyphs import Glyphs

__all__ = ["GutterStyle", "gutter_parts", "rule_parts"]

LOOSE: frozenset[LinkState] = frozenset({"late", "early", "pending"})

COLOURS: dict[LinkState, str] = {
    "late": "warn",
    "early": "warn",
    "pending": "pending",
    "dangling": "error",
    "orphan": "error",
    "doubled": "error",
    "swapped": "muted",
    "answered": "lane",
}


class GutterStyle(NamedTuple):
    """How the gutter of a whole list is drawn."""

    lanes: int
    glyphs: Glyphs
    narrow: bool = False
    """One cell a lane instead of two."""

    @property
    def width(self) -> int:
        """Cells of the gutter."""
        return self.lanes if self.narrow else 2 * self.lanes


def gutter_parts(
    gutter: Gutter,
    links: Sequence[Link],
    state: LinkState,
    selected: int,
    style: GutterStyle,
    faint: str = "",
) -> list[tuple[str, str]]:
    """(text, style name) cell by cell. ``state`` is the own link's at this end; ``selected`` the
    number of the link that is drawn heavy; ``faint`` a style that replaces all others.
    """  # noqa: D205
    cells: list[tuple[str, str]] = [(" ", "lane")] * style.width
    step = 1 if style.narrow else 2
    for lane, number in enumerate(gutter.passing):
        if number != FREE:
            cells[lane * step] = _passing(number, links, selected, style.glyphs)
    for lane, number in enumerate(gutter.closing):
        if number != FREE:
            _close(cells, lane * step, style.glyphs)
    if gutter.link != FREE:
        _own(cells, gutter, links, state, selected, style)
    if faint:
        return [(text, faint) for text, _ in cells]
    return cells


def _passing(number: int, links: Sequence[Link], selected: int, glyphs: Glyphs) -> tuple[str, str]:
    if number == CABLE:
        return glyphs.cable_passes, "lane"
    state = links[number].state
    heavy = number == selected
    if state in LOOSE:
        return (glyphs.heavy_loose_passes if heavy else glyphs.loose_passes), COLOURS[state]
    if heavy:
        return glyphs.heavy_passes, "accent"
    return glyphs.lane_passes, "lane"


def _close(cells: list[tuple[str, str]], at: int, glyphs: Glyphs) -> None:
    """The tape's end: a pending lane turns to the right."""
    cells[at] = glyphs.lane_end, "pending"
    for k in range(at + 1, len(cells)):
        if cells[k][0] == " ":
            cells[k] = glyphs.loose_runs, "pending"


def _own(
    cells: list[tuple[str, str]],
    gutter: Gutter,
    links: Sequence[Link],
    state: LinkState,
    selected: int,
    style: GutterStyle,
) -> None:
    if gutter.lane == FREE:
        return
    glyphs, heavy = style.glyphs, gutter.link == selected
    colour = COLOURS[state]
    if heavy and colour in ("lane", "muted"):
        colour = "accent"
    loose = state in LOOSE
    at = gutter.lane * (1 if style.narrow else 2)
    bend = "error" if state == "doubled" and gutter.end == "stop" else colour
    cells[at] = _bend(gutter, glyphs, heavy, state), bend
    runs = _runs(glyphs, heavy, loose)
    covered = style.narrow and any(text != " " for text, _ in cells[at + 1 :])
    for k in range(at + 1, len(cells)):
        if cells[k][0] == " " and not covered:
            cells[k] = runs, colour
    at_result = gutter.end in ("stop", "more")
    if state == "swapped" and at_result and at + 1 < len(cells):
        cells[-1] = glyphs.swapped, colour
    if state == "doubled" and at_result and at + 1 < len(cells):
        cells[-1] = glyphs.doubled[0], "error"


def _runs(glyphs: Glyphs, heavy: bool, loose: bool) -> str:
    if loose:
        return glyphs.heavy_loose_runs if heavy else glyphs.loose_runs
    return glyphs.heavy_runs if heavy else glyphs.lane_runs


def _bend(gutter: Gutter, glyphs: Glyphs, heavy: bool, state: LinkState) -> str:
    """The cell in which the own lane begins, ends or is met."""
    if gutter.cable:
        cable = {"start": glyphs.cable_start, "stop": glyphs.cable_end}
        return cable.get(gutter.end, glyphs.cable_more)
    if gutter.end == "alone":
        return glyphs.cut_end if state in ("dangling", "orphan") else glyphs.lane_runs
    if gutter.end == "start":
        return glyphs.heavy_start if heavy else glyphs.lane_start
    if gutter.end == "stop":
        return glyphs.heavy_end if heavy else glyphs.lane_end
    return glyphs.heavy_more if heavy else glyphs.lane_more


def rule_parts(
    gutter: Gutter,
    links: Sequence[Link],
    selected: int,
    style: GutterStyle,
    double: bool = False,
) -> list[tuple[str, str]]:
    """The gutter of a turn's rule: a line that lanes cross. One cell wider at the left."""
    glyphs = style.glyphs
    rule = glyphs.double_rule if double else glyphs.rule
    thin = glyphs.crosses_double_rule if double else glyphs.crosses_rule
    step = 1 if style.narrow else 2
    cells: list[tuple[str, str]] = [(rule, "line")] * style.width
    for lane, number in enumerate(gutter.passing):
        if number == FREE:
            continue
        heavy = number == selected
        state: LinkState = "answered" if number == CABLE else links[number].state
        colour = "accent" if heavy and COLOURS[state] == "lane" else COLOURS[state]
        colour = "lane" if state == "doubled" else colour
        cells[lane * step] = (
            glyphs.heavy_crosses_rule if heavy else thin,
            colour,
        )
    if cells:
        cells[-1] = (" ", "line") if cells[-1][0] == rule else cells[-1]
    return [(rule, "line"), *cells]
