"""A text in the user's own editor: what comes back, and what goes wrong."""

import stat
from contextlib import nullcontext
from pathlib import Path

import pytest

from tapeview.tui.editor import edit_outside


class Suspended:
    """An app whose terminal can be handed over."""

    def suspend(self):
        return nullcontext()


def editor(folder: Path, script: str) -> str:
    path = folder / "editor"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("text", "script", "typed"),
    [
        ("one\ntwo", 'sed -i s/one/1/ "$1"', "1\ntwo"),
        ("one", 'echo more >> "$1"', "onemore"),
        ("one\n", 'echo more >> "$1"', "one\nmore\n"),
        ("one", 'printf "a\\r\\nb" > "$1"', "a\nb"),
        ("one", 'printf "\\377" > "$1"', "\ufffd"),
        ("é", "true", "é"),
    ],
)
def test_what_the_editor_leaves_comes_back(tmp_path, monkeypatch, text, script, typed):
    monkeypatch.setenv("EDITOR", editor(tmp_path, script))
    assert edit_outside(Suspended(), text, ".txt") == (typed, "")


def test_only_its_owner_reads_the_file_and_it_goes(tmp_path, monkeypatch):
    told = tmp_path / "told"
    script = f'stat -c "%a %n" "$(dirname "$1")" > {told}'
    monkeypatch.setenv("EDITOR", editor(tmp_path, script))
    edit_outside(Suspended(), "secret", ".json")
    mode, _, folder = told.read_text().strip().partition(" ")
    assert int(mode, 8) == stat.S_IRWXU
    assert not Path(folder).exists()


def test_what_goes_wrong_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("EDITOR", str(tmp_path / "no such editor"))
    typed, fault = edit_outside(Suspended(), "one", ".txt")
    assert typed == "one"
    assert " did not start: " in fault
    monkeypatch.setenv("EDITOR", editor(tmp_path, 'rm "$1"'))
    text, fault = edit_outside(Suspended(), "one", ".txt")
    assert (text, fault) == (
        "one",
        "the text cannot be edited outside: No such file or directory",
    )
