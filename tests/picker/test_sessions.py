"""Which files are sessions, and what their heads tell."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.formats._registry import all_formats
from tapeview.picker.sessions import (
    HARNESSES,
    HEAD,
    NO_GLANCE,
    Glance,
    Listed,
    find_samples,
    find_sessions,
    glance,
    project_of,
    prompt_words,
    samples_folder,
)
from tapeview.tape.clean import clean_line
from tests.fake_home import FakeHome, assistant, user


@pytest.fixture
def home(tmp_path):
    return FakeHome(tmp_path)


def names(found):
    return [Path(listed.path).name for listed in found]


def test_sessions_are_listed_newest_first(home):
    home.put("-src-a", "old.jsonl", user("x"), written=100)
    home.put("-src-b", "new.jsonl", user("x"), written=300)
    home.put("-src-a", "middle.jsonl", user("x"), written=200)
    found = find_sessions(home.environ)
    assert names(found) == ["new.jsonl", "middle.jsonl", "old.jsonl"]
    first = found[0]
    assert (first.harness, first.folder, first.seconds) == ("claude-code", "-src-b", 300)
    assert first.size == Path(first.path).stat().st_size


@pytest.mark.parametrize(
    ("place", "is_session"),
    [
        ("-p/7f3c91d2.jsonl", True),
        ("-p/agent-a91c3f0.jsonl", False),
        ("-p/7f3c91d2/subagents/agent-a91.jsonl", False),
        ("-p/7f3c91d2/subagents/journal.jsonl", False),
        ("-p/7f3c91d2/subagents/workflows/agent-a91.jsonl", False),
        ("-p/7f3c91d2/tool-results/toolu_1.jsonl", False),
        ("-p/sessions-index.json", False),
        ("-p/memory/notes.jsonl", False),
        ("history.jsonl", False),
    ],
)
def test_only_main_transcripts_are_sessions(home, place, is_session):
    folder, _, name = place.rpartition("/")
    home.put(folder, name, user("x"))
    assert bool(find_sessions(home.environ)) is is_session


def test_the_configuration_folder_may_be_elsewhere(home, tmp_path):
    home.put("-p", "at-home.jsonl", user("x"))
    elsewhere = tmp_path / "config"
    (elsewhere / "projects" / "-q").mkdir(parents=True)
    (elsewhere / "projects" / "-q" / "there.jsonl").write_text("{}")
    environ = home.environ | {"CLAUDE_CONFIG_DIR": str(elsewhere)}
    assert names(find_sessions(environ)) == ["there.jsonl"]
    assert names(find_sessions(home.environ | {"CLAUDE_CONFIG_DIR": ""})) == ["at-home.jsonl"]


def test_what_cannot_be_listed_is_passed_over(home, tmp_path):
    assert find_sessions({"HOME": str(tmp_path / "nowhere")}) == []
    home.put("-p", "empty.jsonl", data=b"")
    os.mkfifo(home.projects / "-p" / "pipe.jsonl")
    (home.projects / "-p" / "folder.jsonl").mkdir()
    (home.projects / "-p" / "dangling.jsonl").symlink_to("gone")
    (home.projects / "file").write_text("no folder")
    home.put("-p", "good.jsonl", user("x"))
    assert names(find_sessions(home.environ)) == ["good.jsonl"]


AGENT = "-p/s/subagents/agent-a1.jsonl"


@pytest.mark.parametrize(
    ("change", "is_seen"),
    [
        (lambda projects: (projects / AGENT).write_text("{} "), True),
        (lambda projects: (projects / AGENT).write_text("[]"), True),
        (lambda projects: os.utime(projects / AGENT, (7, 7)), True),
        (lambda projects: (projects / AGENT).unlink(), True),
        (lambda projects: (projects / AGENT).rename(projects / AGENT.replace("a1", "a2")), True),
        (lambda projects: write(projects / "-p/s/subagents/agent-a1.meta.json"), True),
        (lambda projects: write(projects / "-p/s/subagents/flow/agent-a3.jsonl"), True),
        (lambda projects: write(projects / "-p/agent-a91.jsonl"), True),
        (lambda projects: write(projects / "-p/s/subagents/journal.jsonl"), False),
        (lambda projects: write(projects / "-p/s/tool-results/toolu_1.txt"), False),
        (lambda projects: write(projects / "-p/other/subagents/agent-a4.jsonl"), False),
        (lambda projects: write(projects / "-q/agent-a91.jsonl"), False),
        (lambda projects: os.mkfifo(projects / "-p/s/subagents/agent-a5.jsonl"), False),
    ],
    ids=[
        "grown",
        "other bytes",
        "other time",
        "gone",
        "renamed",
        "a side file",
        "of a group",
        "in the older place",
        "no sub-agent",
        "a result",
        "of another session",
        "of another project",
        "a pipe",
    ],
)
def test_the_files_of_sub_agents_are_part_of_a_session(home, change, is_seen):
    home.put("-p", "s.jsonl", user("x"))
    home.put("-p/s/subagents", "agent-a1.jsonl", data=b"{}", written=5)
    (before,) = find_sessions(home.environ)
    assert find_sessions(home.environ) == [before]
    change(home.projects)
    (after,) = find_sessions(home.environ)
    assert (after.beside != before.beside) is is_seen
    assert after._replace(beside="") == before._replace(beside="")


def write(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}")


def test_a_session_without_sub_agents_has_nothing_beside(home):
    home.put("-p", "s.jsonl", user("x"))
    home.put("-p/s/tool-results", "toolu_1.txt", data=b"x")
    (found,) = find_sessions(home.environ)
    assert found.beside == ""


def test_a_name_that_is_no_text_is_listed(home):
    path = home.put("-p", "good.jsonl", user("x"))
    path.rename(os.fsdecode(os.fsencode(path.parent) + b"/\xff\x1b[2J.jsonl"))
    (found,) = find_sessions(home.environ)
    assert Path(found.path).exists()


def test_the_table_names_formats_that_are_read():
    known = {format_.name for format_ in all_formats()}
    assert {harness.name for harness in HARNESSES} <= known


def of(home, *lines):
    home.put("-p", "s.jsonl", *lines)
    return glance(find_sessions(home.environ)[0])


@pytest.mark.parametrize(
    ("what", "lines", "prompt"),
    [
        ("text", [user("fix it")], "fix it"),
        ("blocks", [user([{"type": "text", "text": "fix it"}])], "fix it"),
        (
            "an image before the text",
            [user([{"type": "image"}, {"type": "text", "text": "what is this"}])],
            "what is this",
        ),
        ("notes before it", [{"type": "summary", "summary": "no"}, user("fix it")], "fix it"),
        ("what the harness adds", [user("no", isMeta=True), user("yes")], "yes"),
        ("a sub-agent's line", [user("no", isSidechain=True), user("yes")], "yes"),
        ("a summary", [user("no", isCompactSummary=True), user("yes")], "yes"),
        ("what is only shown", [user("no", isVisibleInTranscriptOnly=True), user("yes")], "yes"),
        ("results", [user([{"type": "tool_result", "content": "no"}]), user("yes")], "yes"),
        ("the model", [assistant("no"), user("yes")], "yes"),
        ("a command", [user("<command-name>/clear</command-name>"), user("yes")], "yes"),
        ("only a command", [user("<command-name>/init</command-name>")], "/init"),
        ("nothing typed", [user("<local-command-stdout>no</local-command-stdout>")], ""),
        ("odd lines", [[], "x", user(None), {"type": "user", "message": 3}, user("yes")], "yes"),
        ("a lone surrogate", [user("a \ud83d b")], "a ¤ b"),
    ],
)
def test_the_first_prompt_is_what_a_human_typed_first(home, what, lines, prompt):
    assert of(home, *lines).prompt == prompt, what


def test_the_folder_is_the_one_that_the_agent_started_in(home):
    found = of(home, {"type": "mode"}, user("x", cwd="/src/a"), user("y", cwd="/src/b"))
    assert found == Glance("/src/a", "x")


def test_a_prompt_behind_the_head_is_not_seen(home):
    lines = [user("y" * HEAD, cwd="/a", isMeta=True), user("late")]
    assert of(home, user("<command-name>/model</command-name>"), *lines).prompt == "/model"
    assert of(home, user("long " * HEAD)).prompt == ""


def test_prompts_are_cut_and_clean(home):
    found = of(home, user("a\x1b[31m\n\u202eb" + "c" * 500, cwd="/x\x07"))
    assert found.prompt.startswith("a¤[31m ¶ ¤bccc")
    assert len(found.prompt) == 200
    assert found.cwd == "/x¤"


def test_what_cannot_be_read_tells_nothing(home):
    home.put("-p", "s.jsonl", user("x"))
    (listed,) = find_sessions(home.environ)
    Path(listed.path).unlink()
    assert glance(listed) == NO_GLANCE
    assert glance(listed._replace(harness="unknown")) == NO_GLANCE
    home.put("-p", "s.jsonl", data=b"\xff\xfe\x00 no JSON at all")
    assert glance(listed) == NO_GLANCE


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("  fix it \n", "fix it"),
        ("<system-reminder>no</system-reminder>\nfix it", "fix it"),
        ("<system-reminder>a\nb</system-reminder> <ide_opened_file>x</ide_opened_file>go", "go"),
        ("<system-reminder>never closed", ""),
        ("<div>my own</div> markup", "<div>my own</div> markup"),
        (
            "<command-message>review is running</command-message>\n"
            "<command-name>/review</command-name>\n<command-args>12 fast</command-args>",
            "/review 12 fast",
        ),
        ("<command-name>/clear</command-name><command-args></command-args>", "/clear"),
        ("<bash-input>ls</bash-input>", ""),
        ("[Request interrupted by user for tool use]", ""),
        ("Caveat: The messages below were generated by the user while", ""),
        ("", ""),
        ("<" * 50_000, "<" * 200),
    ],
)
def test_the_humans_own_words(text, words):
    assert prompt_words(text) == words


@given(st.text(), st.sampled_from(["", "<system-reminder>", "<command-name>/x</command-name>"]))
def test_words_are_short_and_clean_whatever_is_typed(text, before):
    words = prompt_words(before + text * 40)
    assert len(words) <= 200
    assert clean_line(words) == words


@pytest.mark.parametrize(
    ("cwd", "folder", "project"),
    [
        ("/home/ana/src/ledger", "-home-ana-src-ledger", "ledger"),
        ("/home/ana/src/ledger/", "-x", "ledger"),
        ("C:\\src\\ledger", "C--src-ledger", "ledger"),
        ("/", "-", "-"),
        ("", "-home-ana-src-ledger", "-home-ana-src-ledger"),
        ("/src/\x1b]0;x\x07", "-x", "¤]0;x¤"),
    ],
)
def test_the_project_is_the_last_part_of_the_folder(cwd, folder, project):
    assert project_of(Listed("p", "claude-code", folder, 1, 1), cwd) == project


def test_every_sample_is_found_with_its_sentence():
    folder = samples_folder()
    assert folder is not None
    found = find_samples(folder)
    files = {path.name for path in folder.iterdir() if path.suffix in (".json", ".jsonl")}
    assert set(names(found)) == files
    formats = {format_.name for format_ in all_formats()}
    for listed in found:
        assert listed.harness in formats
        assert listed.sample is not None
        assert len(listed.sample) > 30
        assert "`" not in listed.sample
    assert project_of(found[0], "/some/where") == "crash"


def test_without_samples_there_are_none(tmp_path):
    assert find_samples(None) == []
    assert find_samples(tmp_path) == []
    (tmp_path / "README.md").write_text("| `gone.json` | x | y |\n| a | b |\nno table\n")
    assert find_samples(tmp_path) == []
    (tmp_path / "here.json").write_text("[]")
    (tmp_path / "README.md").write_text("| `here.json` | anthropic, bare | One \x1b \\| two. |\n")
    (found,) = find_samples(tmp_path)
    assert (found.harness, found.folder) == ("anthropic", "here")
    assert "\x1b" not in json.dumps(found.sample)
