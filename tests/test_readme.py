"""The README: its tables are current, and its commands do what it says."""

import re
import shlex

import pytest

from tapeview.calls.endpoints import ENDPOINT_MEMBERS
from tapeview.calls.local_server import INSTALL
from tapeview.cli import run
from tapeview.commands import PICKER_COMMANDS
from tapeview.search.query import FILTERS
from tests.readme import README, ROOT, commands, lay_out, renewed

TEXT = README.read_text(encoding="utf-8")
SHOWN = [
    line
    for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("tapeview ")
]


def test_tables_and_outputs_are_current():
    assert renewed(TEXT) == TEXT, "python -m tests.readme writes them anew"


@pytest.mark.parametrize("line", SHOWN)
def test_a_command_that_needs_no_terminal_runs(line, monkeypatch, capsysbinary, tmp_path):
    lay_out(tmp_path, TEXT)
    monkeypatch.chdir(tmp_path)
    first, *_ = line.split(" | ")
    assert run(shlex.split(first)[1:]) in (0, 1)
    out, err = capsysbinary.readouterr()
    assert out
    assert err == b"" or "replay" in first  # says where the call goes


def test_the_first_commands_open_a_sample():
    *_, last = commands(TEXT, "open")
    program, path = last.rpartition(" && ")[2].split()
    assert program.endswith("/tapeview")
    assert (ROOT / path).is_file()


def test_the_test_command_is_pytest():
    assert commands(TEXT, "test")[-1].endswith("-m pytest")


def test_every_sample_is_in_the_table():
    named = set(re.findall(r"^\| `([^`]+\.jsonl?)` \|", TEXT, re.MULTILINE))
    assert named == {path.name for path in (ROOT / "sample_sessions").glob("*.json*")}


def test_keys_of_the_picker_and_words_of_the_search_are_named():
    words = [entry.show.split()[0] for entry in PICKER_COMMANDS]
    words += [f"is:{value}" for value in FILTERS["is"]]
    assert [word for word in words if f"`{word}`" not in TEXT] == []


def test_there_is_no_empty_table():
    assert not re.search(r"\| --- \|\n(?!\|)", TEXT)


def test_the_local_model_is_installed_by_the_line_that_the_program_names():
    assert INSTALL in TEXT


def test_every_member_of_an_endpoint_is_named():
    assert [name for name in ENDPOINT_MEMBERS if f"`{name}`" not in TEXT] == []
