import dataclasses

import pytest
from textual.app import App
from textual.color import Color
from textual.theme import BUILTIN_THEMES

from tapeview.tui.theme import (
    COLOURS,
    DEFAULT_THEME,
    GROUNDS,
    TEXTS,
    Palette,
    contrast,
    themes,
    variable_defaults,
)

LOOKS = [(0, "dark"), (1, "light")]


def colour(name, column):
    return Color.parse(COLOURS[name][column])


class ThemedApp(App):
    def __init__(self):
        super().__init__()
        for theme in themes():
            self.register_theme(theme)

    def get_theme_variable_defaults(self):
        return variable_defaults(self.current_theme)


@pytest.mark.parametrize(
    ("one", "other", "right"),
    [
        ("#000000", "#ffffff", 21.0),
        ("#ffffff", "#000000", 21.0),
        ("#777777", "#777777", 1.0),
        ("#767676", "#ffffff", 4.54),
    ],
)
def test_contrast_is_that_of_wcag(one, other, right):
    assert contrast(Color.parse(one), Color.parse(other)) == pytest.approx(right, abs=0.01)


@pytest.mark.parametrize(("column", "_look"), LOOKS, ids=["dark", "light"])
@pytest.mark.parametrize("text", TEXTS)
def test_every_text_is_readable_on_every_ground(text, column, _look):
    for ground in GROUNDS:
        assert contrast(colour(text, column), colour(ground, column)) >= 4.7, ground


@pytest.mark.parametrize(
    ("front", "ground", "least"),
    [
        ("unsent", "background", 4.7),
        ("on-error", "error", 4.7),
        ("on-match", "match", 4.7),
        *(("lane", ground, 3.0) for ground in GROUNDS),
    ],
)
def test_what_stands_on_one_ground_only(front, ground, least):
    for column, look in LOOKS:
        assert contrast(colour(front, column), colour(ground, column)) >= least, look


def test_the_themes_differ_in_look_and_share_their_names():
    dark, light = themes()
    assert (dark.name, dark.dark) == (DEFAULT_THEME, True)
    assert (light.name, light.dark) == ("tapeview-light", False)
    assert dark.variables.keys() == light.variables.keys()
    assert (dark.panel, dark.secondary) == (COLOURS["raised"][0], COLOURS["call"][0])


def test_the_palette_has_the_names_of_the_table():
    names = [field.name.replace("_", "-") for field in dataclasses.fields(Palette)]
    assert names == list(COLOURS)


@pytest.mark.parametrize(("column", "_look"), LOOKS, ids=["dark", "light"])
def test_the_palette_of_an_own_theme_is_the_table(column, _look):
    app = ThemedApp()
    app.theme = themes()[column].name
    palette = Palette.of(app.get_css_variables())
    for name in COLOURS:
        assert getattr(palette, name.replace("-", "_")) == colour(name, column), name


def test_every_palette_name_is_a_css_variable_under_every_theme():
    app = ThemedApp()
    for name in app.available_themes:
        app.theme = name
        assert COLOURS.keys() <= app.get_css_variables().keys(), name


RGB_THEMES = [name for name, theme in BUILTIN_THEMES.items() if not theme.ansi]


@pytest.mark.parametrize("name", RGB_THEMES)
def test_a_foreign_theme_gets_readable_text(name):
    app = ThemedApp()
    app.theme = name
    palette = Palette.of(app.get_css_variables())
    least = min(4.4, contrast(palette.fg, palette.background))
    for text in (*TEXTS, "unsent"):
        assert contrast(getattr(palette, text), palette.background) >= least, text
    assert contrast(palette.on_error, palette.error) >= 3
    assert contrast(palette.on_match, palette.match) >= 3


@pytest.mark.parametrize("name", ["ansi-dark", "ansi-light"])
def test_an_ansi_theme_keeps_to_the_terminals_own_colours(name):
    app = ThemedApp()
    app.theme = name
    palette = Palette.of(app.get_css_variables())
    for field in dataclasses.fields(Palette):
        assert getattr(palette, field.name).ansi is not None, field.name


def test_a_palette_needs_no_defaults_of_the_app():
    palette = Palette.of(App().get_css_variables())
    assert palette.muted != palette.fg
    assert all(getattr(palette, field.name).a == 1 for field in dataclasses.fields(Palette))
