"""The palette: two Textual themes, and the same names for every other theme.

``COLOURS`` is the only place where colours stand. The hues have a meaning: blue is what the model
asks, aqua what the world answers, lavender what it thinks, rose what is broken, amber what is out
of place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Final

from textual.color import Color
from textual.theme import Theme

__all__ = [
    "COLOURS",
    "DEFAULT_THEME",
    "GROUNDS",
    "TEXTS",
    "Palette",
    "contrast",
    "themes",
    "variable_defaults",
]

DEFAULT_THEME: Final = "tapeview-dark"

COLOURS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        # name: (dark, light)
        "background": ("#10141b", "#fbfbf9"),
        "surface": ("#171d27", "#eff1f3"),
        "raised": ("#1c2532", "#e9eff7"),
        "select": ("#243352", "#cfe1fb"),
        "partner": ("#1d2b3d", "#e3eefc"),
        "line": ("#364152", "#c5cbd3"),
        "lane": ("#7a89a1", "#737e8e"),
        "fg": ("#dfe5ee", "#1b212b"),
        "muted": ("#9aa7ba", "#525d6d"),
        "unsent": ("#8490a3", "#667080"),
        "accent": ("#5cc4ff", "#005fb8"),
        "call": ("#8fb2ff", "#2450c0"),
        "result": ("#7fd8cf", "#0a6a57"),
        "think": ("#bda6ea", "#6641b0"),
        "error": ("#ff6f86", "#bd1140"),
        "on-error": ("#14070c", "#ffffff"),
        "warn": ("#f3b95f", "#855000"),
        "suspicion": ("#d6c98a", "#665a00"),
        "pending": ("#9fc0e6", "#39608a"),
        "string": ("#cfd8c3", "#35502a"),
        "number": ("#f0c9a0", "#8a4b12"),
        "added": ("#12312a", "#d9f2e6"),
        "removed": ("#3d1a27", "#fbdfe6"),
        "match": ("#f3e08b", "#ffe27a"),
        "on-match": ("#14171d", "#1b212b"),
    }
)

GROUNDS: Final = ("background", "surface", "raised", "select", "partner", "added", "removed")
"""What text may stand on."""

TEXTS: Final = (
    *("fg", "muted", "accent", "call", "result", "think"),
    *("error", "warn", "suspicion", "pending", "string", "number"),
)
"""What may stand on every ground. ``unsent`` may stand on ``background`` alone."""

_TEXTUAL: Final[Mapping[str, str]] = MappingProxyType(
    {
        # palette name: the field of a Textual theme that carries it
        "background": "background",
        "surface": "surface",
        "raised": "panel",
        "fg": "foreground",
        "accent": "primary",
        "call": "secondary",
        "result": "success",
        "warn": "warning",
        "error": "error",
    }
)

_WIDGET_COLOURS: Final[Mapping[str, str]] = MappingProxyType(
    {
        # a variable of Textual's own widgets (inputs, palette): palette name
        "block-cursor-background": "select",
        "block-cursor-foreground": "fg",
        "block-cursor-blurred-background": "raised",
        "block-cursor-blurred-foreground": "fg",
        "border": "accent",
        "border-blurred": "line",
        "footer-key-foreground": "accent",
        "input-cursor-background": "accent",
        "input-cursor-foreground": "background",
        "input-selection-background": "select",
        "input-selection-foreground": "fg",
        "scrollbar": "line",
        "scrollbar-active": "accent",
        "scrollbar-background": "background",
        "scrollbar-hover": "lane",
    }
)

_READABLE: Final = 4.5
"""The least contrast that WCAG 2 asks of text (success criterion 1.4.3)."""


def themes() -> tuple[Theme, Theme]:
    """``tapeview-dark`` and ``tapeview-light``, to be given to ``App.register_theme``."""
    return _theme(DEFAULT_THEME, 0), _theme("tapeview-light", 1)


def _theme(name: str, column: int) -> Theme:
    colours = {colour: pair[column] for colour, pair in COLOURS.items()}
    own = {field: colours[colour] for colour, field in _TEXTUAL.items()}
    # The fields again, as variables: what Textual generates from a field is a shade off.
    variables = colours | own
    variables |= {variable: colours[colour] for variable, colour in _WIDGET_COLOURS.items()}
    return Theme(
        name=name,
        primary=own["primary"],
        secondary=own["secondary"],
        warning=own["warning"],
        error=own["error"],
        success=own["success"],
        accent=own["primary"],
        foreground=own["foreground"],
        background=own["background"],
        surface=own["surface"],
        panel=own["panel"],
        dark=column == 0,
        variables=variables,
    )


def contrast(one: Color, other: Color) -> float:
    """The contrast of two opaque colours, 1 to 21 (WCAG 2, "relative luminance")."""
    dark, bright = sorted((_luminance(one), _luminance(other)))
    return (bright + 0.05) / (dark + 0.05)


def _luminance(colour: Color) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in colour.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _readable(colour: Color, ground: Color, text: Color) -> Color:
    """`colour`, moved towards `text` until it can be read on `ground`."""
    if colour.ansi is not None or ground.ansi is not None:
        return colour
    for step in range(10):
        moved = colour.blend(text, step / 10)
        if contrast(moved, ground) >= _READABLE:
            return moved
    return text


def variable_defaults(theme: Theme) -> dict[str, str]:
    """What ``App.get_theme_variable_defaults`` gives back, so that `theme` has every name.

    Each name of the palette becomes a CSS variable; those that a theme defines itself win. A theme
    that knows nothing of tapeview gets its own hues, mixed and made readable on its background.
    """
    return _derived(theme.to_color_system().generate())


def _derived(variables: Mapping[str, str]) -> dict[str, str]:
    """Palette name to CSS colour, worked out from the variables that all Textual themes have."""
    base = {name: Color.parse(variables[field]) for name, field in _TEXTUAL.items()}
    if any(colour.ansi is not None for colour in base.values()):
        return _derived_ansi(base)
    ground, fg, accent = base["background"], base["fg"], base["accent"]
    grounds = {
        "raised": ground + base["raised"],
        "select": ground.blend(accent, 0.3),
        "partner": ground.blend(accent, 0.15),
        "added": ground.blend(base["result"], 0.2),
        "removed": ground.blend(base["error"], 0.2),
        "line": ground.blend(fg, 0.25),
        "match": ground.blend(base["warn"], 0.9),
    }
    texts = {
        "fg": fg,
        "lane": ground.blend(fg, 0.5),
        "muted": ground.blend(fg, 0.72),
        "unsent": ground.blend(fg, 0.62),
        "call": base["call"],
        "result": base["result"],
        "warn": base["warn"],
        "think": base["call"].blend(base["error"], 0.4),
        "suspicion": base["warn"].blend(fg, 0.5),
        "pending": accent.blend(fg, 0.5),
        "string": base["result"].blend(fg, 0.5),
        "number": base["warn"].blend(fg, 0.3),
    }
    derived = grounds | {name: _readable(colour, ground, fg) for name, colour in texts.items()}
    derived["on-error"] = _readable(base["error"], ground, fg).get_contrast_text(1.0)
    derived["on-match"] = derived["match"].get_contrast_text(1.0)
    return {name: colour.hex for name, colour in derived.items()}


def _derived_ansi(base: Mapping[str, Color]) -> dict[str, str]:
    # The terminal owns these colours, so nothing can be mixed; signs and words carry the rest.
    plain = dict.fromkeys(COLOURS, base["fg"]) | dict.fromkeys(GROUNDS, base["background"])
    near = {"suspicion": "warn", "pending": "accent", "think": "call", "match": "background"}
    known = {name: base[name] for name in ("call", "result", "warn")}
    derived = plain | known | {name: base[other] for name, other in near.items()}
    return {name: derived[name].hex for name in COLOURS}


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours in use, by name (``on-error`` is `on_error`), all opaque."""

    background: Color
    surface: Color
    raised: Color
    select: Color
    partner: Color
    line: Color
    lane: Color
    fg: Color
    muted: Color
    unsent: Color
    accent: Color
    call: Color
    result: Color
    think: Color
    error: Color
    on_error: Color
    warn: Color
    suspicion: Color
    pending: Color
    string: Color
    number: Color
    added: Color
    removed: Color
    match: Color
    on_match: Color

    @classmethod
    def of(cls, css_variables: Mapping[str, str]) -> Palette:
        """The palette of an app's ``theme_variables``; names it lacks are worked out."""
        known = {**_derived(css_variables), **css_variables}
        known["accent"] = css_variables["primary"]
        ground = Color.parse(known["background"])
        text = _opaque(Color.parse(known["fg"]), ground)
        colours: dict[str, Color] = {}
        for field in fields(cls):
            name = field.name.replace("_", "-")
            colour = _opaque(Color.parse(known[name]), ground)
            colours[field.name] = _readable(colour, ground, text) if name in TEXTS else colour
        return cls(**colours)


def _opaque(colour: Color, ground: Color) -> Color:
    if colour.is_transparent:
        return ground
    return colour if colour.a == 1 else ground + colour
