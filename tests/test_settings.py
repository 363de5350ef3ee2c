"""The user's settings: read with patience, written whole or not at all."""

import json

import pytest

from tapeview.settings import Settings, load_settings, save_settings, settings_path, state_folder


@pytest.fixture
def environ(tmp_path):
    return {"XDG_CONFIG_HOME": str(tmp_path / "config"), "HOME": str(tmp_path)}


def test_where_they_are(environ, tmp_path):
    assert settings_path(environ) == tmp_path / "config" / "tapeview" / "settings.json"
    del environ["XDG_CONFIG_HOME"]
    assert settings_path(environ) == tmp_path / ".config" / "tapeview" / "settings.json"
    environ["XDG_CONFIG_HOME"] = ""
    assert settings_path(environ) == tmp_path / ".config" / "tapeview" / "settings.json"


def test_what_is_saved_is_loaded(environ):
    settings = Settings("tapeview-light", "ascii")
    save_settings(environ, settings)
    assert load_settings(environ) == settings
    assert [path.name for path in settings_path(environ).parent.iterdir()] == ["settings.json"]


def test_the_file_is_plain_json_without_defaults(environ):
    save_settings(environ, Settings("tapeview-dark"))
    assert json.loads(settings_path(environ).read_bytes()) == {"theme": "tapeview-dark"}


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{broken",
        b"[]",
        b'{"theme": 5}',
        b'{"glyphs": "neon"}',
        b"\xff\xfe",
        b'{"theme": "\xff"}',
        b'{"theme": ' + b"[" * 9000,
    ],
)
def test_a_file_that_cannot_be_read_means_the_defaults(environ, raw):
    path = settings_path(environ)
    path.parent.mkdir(parents=True)
    path.write_bytes(raw)
    assert load_settings(environ) == Settings()


def test_without_a_file_the_defaults_hold(environ):
    assert load_settings(environ) == Settings()


def test_unknown_members_are_passed_over(environ):
    path = settings_path(environ)
    path.parent.mkdir(parents=True)
    path.write_bytes(b'{"theme": "x", "of next year": [1]}')
    assert load_settings(environ).theme == "x"


def test_a_folder_that_cannot_be_written_is_left_alone(environ, tmp_path):
    (tmp_path / "config").write_text("a file where a folder should be")
    save_settings(environ, Settings("x"))
    assert load_settings(environ) == Settings()


STATES = [
    ({"XDG_STATE_HOME": "/x", "HOME": "/h"}, "/x/tapeview"),
    ({"XDG_STATE_HOME": "relative", "HOME": "/h"}, "/h/.local/state/tapeview"),
    ({"HOME": "/h"}, "/h/.local/state/tapeview"),
]


@pytest.mark.parametrize(("environ", "wanted"), STATES)
def test_where_state_is_kept(environ, wanted):
    assert str(state_folder(environ)) == wanted
