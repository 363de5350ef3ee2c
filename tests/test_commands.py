"""The table of commands: whole, without clashes, and with somebody who does each of them."""

import inspect

import pytest

from tapeview.commands import COMMANDS


def test_ids_and_titles_are_unique():
    for part in ("id", "title", "help"):
        values = [getattr(entry, part) for entry in COMMANDS]
        assert len(values) == len(set(values))


def test_a_key_means_one_thing():
    keys = [key for entry in COMMANDS for key in entry.keys]
    assert len(keys) == len(set(keys))
    assert all(entry.keys and entry.show for entry in COMMANDS)


def test_words_are_plain():
    for entry in COMMANDS:
        assert entry.id.replace("_", "").isalpha()
        assert entry.title[0].isupper()
        assert not entry.help.endswith(".")
        assert len(entry.footer) <= 10


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.id)
def test_somebody_does_each_command(entry):
    from tapeview.tui.app import TapeviewApp
    from tapeview.tui.screens.main import MainScreen

    own = inspect.getsource(TapeviewApp.action_command)
    assert hasattr(MainScreen, f"do_{entry.id}") or f'"{entry.id}":' in own


def test_nobody_does_what_is_not_in_the_table():
    from tapeview.tui.screens.main import MainScreen

    done = {name.removeprefix("do_") for name in dir(MainScreen) if name.startswith("do_")}
    assert done <= {entry.id for entry in COMMANDS}
