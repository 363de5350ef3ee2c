"""What a check finds out about a session, and how it is kept."""

import json
import os
import stat
from pathlib import Path

import pytest

from tapeview.picker.cache import (
    AGENTS,
    AgentFaults,
    Checked,
    LastBlock,
    SessionCache,
    SessionFacts,
    cache_path,
    examine,
    unexamined,
)
from tapeview.picker.sessions import Listed, find_samples, find_sessions, samples_folder
from tests.fake_home import FakeHome, assistant, user

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
END = LastBlock("call", "Edit", "src/lease.py", "pending", "pending")
CHECKED = Checked(errors=1, turns=9, links={"dangling": 1}, end=END, bars="18", tones="pe")
FACTS = SessionFacts("/src/ledger", "fix it", CHECKED)


@pytest.fixture
def home(tmp_path):
    return FakeHome(tmp_path)


def only(home):
    (listed,) = find_sessions(home.environ)
    return listed


def cache_of(home):
    return SessionCache(cache_path(home.environ))


@pytest.mark.parametrize(
    ("environ", "path"),
    [
        ({"HOME": "/h"}, "/h/.cache/tapeview/sessions.json"),
        ({"HOME": "/h", "XDG_CACHE_HOME": "/c"}, "/c/tapeview/sessions.json"),
        ({"HOME": "/h", "XDG_CACHE_HOME": ""}, "/h/.cache/tapeview/sessions.json"),
        ({"HOME": "/h", "XDG_CACHE_HOME": "here"}, "/h/.cache/tapeview/sessions.json"),
    ],
)
def test_the_cache_lies_in_the_users_cache_folder(environ, path):
    assert cache_path(environ) == Path(path)


def test_what_was_found_is_known_at_the_next_start(home):
    home.talk("-p", "a", "fix it", cwd="/p", written=100)
    listed = only(home)
    cache = cache_of(home)
    assert cache.get(listed) is None
    cache.put(listed, FACTS)
    cache.save([listed.path])
    assert cache_of(home).get(listed) == FACTS


@pytest.mark.parametrize("changed", [{"size": 7}, {"mtime_ns": 7}, {"beside": "7"}])
def test_a_session_that_has_changed_is_new(home, changed):
    home.talk("-p", "a", "fix it", cwd="/p", written=100)
    listed = only(home)
    cache = cache_of(home)
    cache.put(listed, FACTS)
    assert cache.get(listed._replace(**changed)) is None


def test_sessions_that_have_vanished_are_dropped(home):
    kept, gone = (home.talk("-p", name, "x", cwd="/p", written=9) for name in "ab")
    elsewhere = home.path / "elsewhere.jsonl"
    elsewhere.write_text("{}")
    cache = cache_of(home)
    for path in (kept, gone, elsewhere):
        cache.put(Listed(str(path), "claude-code", "-p", 1, 1), FACTS)
    gone.unlink()
    cache.save([str(kept)])
    stored = json.loads(cache.path.read_bytes())["sessions"]
    assert set(stored) == {str(kept), str(elsewhere)}


DAMAGE = {
    "empty": b"",
    "no JSON": b"\x00\xff",
    "half": b'{"version": 2, "made_by": "", "sess',
    "another shape": b"[]",
    "another version": b'{"version": 0, "made_by": "", "sessions": {}}',
    "another program": b'{"version": 2, "made_by": "0.0.1-other", "sessions": {}}',
    "wrong types": b'{"version": 2, "made_by": "", "sessions": {"/a": 3}}',
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("what", DAMAGE)
def test_a_damaged_cache_is_ignored_and_written_anew(home, what):
    home.talk("-p", "a", "fix it", cwd="/p", written=100)
    path = cache_path(home.environ)
    path.parent.mkdir(parents=True)
    path.write_bytes(DAMAGE[what])
    cache = cache_of(home)
    assert cache.get(only(home)) is None
    cache.put(only(home), FACTS)
    cache.save([])
    assert cache_of(home).get(only(home)) == FACTS


def test_the_cache_is_written_whole_and_for_the_user_alone(home):
    home.talk("-p", "a", "fix it", cwd="/p", written=100)
    cache = cache_of(home)
    cache.save([])
    assert not cache.path.exists()
    cache.put(only(home), FACTS)
    cache.save([])
    assert stat.S_IMODE(cache.path.stat().st_mode) == 0o600
    assert [path.name for path in cache.path.parent.iterdir()] == ["sessions.json"]
    before = cache.path.stat().st_ino
    cache.save([])
    assert cache.path.stat().st_ino == before


def test_a_folder_that_cannot_be_written_is_left_alone(home):
    home.talk("-p", "a", "fix it", cwd="/p", written=100)
    (home.path / ".cache").write_text("a file in the way")
    cache = cache_of(home)
    cache.put(only(home), FACTS)
    cache.save([])
    assert (home.path / ".cache").read_text() == "a file in the way"
    blocked = SessionCache(home.path / "cache" / "sessions.json")
    blocked.path.mkdir(parents=True)
    (blocked.path / "full").write_text("x")
    blocked.put(only(home), FACTS)
    blocked.save([])
    assert [path.name for path in blocked.path.parent.iterdir()] == ["sessions.json"]


def test_a_path_that_is_no_text_is_not_kept(home):
    cache = cache_of(home)
    odd = Listed("/p/\udcff.jsonl", "claude-code", "-p", 1, 1)
    cache.put(odd, FACTS)
    cache.save([odd.path])
    assert cache.get(odd) is None


# -- the check -------------------------------------------------------------------------------------


def test_a_check_tells_what_one_needs_to_recognise_a_session():
    found = examine(str(SAMPLES / "crash.jsonl"))
    assert found.mark == "error"
    assert (found.errors, found.turns, found.model) == (1, 9, "claude-opus-4-5-20251101")
    states = {state: n for state, n in found.links.items() if state != "answered"}
    assert states == {"pending": 1, "dangling": 1, "orphan": 1, "late": 1, "doubled": 1}
    assert found.first.startswith("test_lease_expiry goes red on CI about once in fifteen runs.")
    assert found.last.startswith("the laptop went to sleep under you, sorry.")
    assert (found.begun[:16], found.ended[:16]) == ("2026-01-27T15:01", "2026-01-27T15:44")
    assert found.last_at.startswith("2026-01-27T15:43")
    assert found.end is not None
    assert (found.end.sign, found.end.name, found.end.word) == ("call", "Edit", "pending")
    assert len(found.bars) == len(found.tones) == 18
    assert set(found.bars) <= set("12345678")
    assert set(found.tones) == set("pwe")
    assert found.largest > 0
    assert found.verdict.startswith("resume sends ")


def test_what_is_wrong_with_sub_agents_counts_too(home):
    path = home.talk("-p", "s", "count", cwd="/p")
    home.agent(path, "a1")
    assert examine(str(path)) == examine(str(home.talk("-p", "alone", "count", cwd="/p")))
    home.agent(path, "a91", dangling=True)
    found = examine(str(path))
    assert (found.mark, found.errors, found.warnings) == ("warning", 0, 1)
    assert found.agents == [AgentFaults("agent:a91", 0, 1, {"dangling": 1})]
    assert found.links == {}
    assert found.verdict == "resume sends 2 of 2 messages"


def test_of_many_faulty_sub_agents_some_are_kept_and_all_are_counted(home):
    path = home.talk("-p", "s", "count", cwd="/p")
    for number in range(AGENTS + 3):
        home.agent(path, f"a{number:02}", dangling=True)
    found = examine(str(path))
    assert (len(found.agents), found.faulty_agents) == (AGENTS, AGENTS + 3)
    assert found.warnings == AGENTS + 3


def test_sub_agents_with_errors_come_first(home):
    path = home.talk("-p", "s", "count", cwd="/p")
    home.agent(path, "a1", dangling=True)
    doubled = home.broken("-p", "other", "count", cwd="/p")
    doubled.rename(home.projects / "-p/s/subagents/agent-a2.jsonl")
    found = examine(str(path))
    assert [(agent.id, agent.errors, agent.links) for agent in found.agents] == [
        ("agent:a2", 1, {"doubled": 1}),
        ("agent:a1", 0, {"dangling": 1}),
    ]
    assert found.mark == "error"


@pytest.mark.parametrize("listed", find_samples(samples_folder()), ids=lambda listed: listed.folder)
def test_every_sample_can_be_checked(listed):
    found = examine(listed.path)
    assert not found.error
    assert found.turns > 0
    assert found.verdict


@pytest.mark.parametrize(
    ("checked", "mark"),
    [
        (Checked(), ""),
        (Checked(links={"answered": 4, "pending": 1}), ""),
        (Checked(warnings=2), "warning"),
        (Checked(agents=[AgentFaults("agent:a1", links={"late": 1})]), "warning"),
        (Checked(warnings=2, errors=1), "error"),
        (unexamined("it is a folder."), "unreadable"),
    ],
)
def test_the_mark_is_the_worst_that_was_found(checked, mark):
    assert checked.mark == mark


def test_facts_of_the_head_come_first():
    checked = Checked(first="from the check")
    assert SessionFacts(prompt="from the head", checked=checked).first_prompt == "from the head"
    assert SessionFacts(checked=checked).first_prompt == "from the check"
    assert SessionFacts().first_prompt == ""


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "the file is empty; there is no conversation in it."),
        (b"hello\n", "line 1 is not JSON; a conversation is "),
        (b'{"a": 1}\n' * 3, "these are JSON lines, but no conversation: line 1 has a; "),
        (b"SQLite format 3\0", "this is a SQLite database"),
    ],
)
def test_what_cannot_be_read_is_a_sentence(home, data, sentence):
    path = home.put("-p", "a.jsonl", data=data)
    found = examine(str(path))
    assert found.error.startswith(sentence)
    assert found.mark == "unreadable"


def test_a_session_that_has_vanished_is_a_sentence(home):
    assert examine(str(home.path / "gone.jsonl")).error == "there is no such file."


def test_a_session_that_is_a_pipe_by_now_is_a_sentence(home):
    path = home.projects / "-p" / "s.jsonl"
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    assert examine(str(path)).error == "this is a pipe or a device by now, no file."
    assert examine("/dev/null").error == "this is a pipe or a device by now, no file."


@pytest.mark.parametrize("place", ["s/subagents/agent-a1", "s/subagents/flow/agent-a1", "agent-a1"])
@pytest.mark.parametrize("ending", [".jsonl", ".meta.json"])
def test_a_pipe_among_the_files_of_sub_agents_is_not_opened(home, place, ending):
    path = home.talk("-p", "s", "count", cwd="/p")
    home.agent(path, "a1")
    good = examine(str(path))
    odd = home.projects / "-p" / f"{place}{ending}"
    odd.parent.mkdir(parents=True, exist_ok=True)
    odd.unlink(missing_ok=True)
    os.mkfifo(odd)
    assert examine(str(path)) == good


def test_devices_and_odd_links_among_the_files_of_sub_agents_are_passed_over(home):
    path = home.talk("-p", "s", "count", cwd="/p")
    agent = home.agent(path, "a91", dangling=True)
    (agent.parent / "agent-a0.jsonl").symlink_to("/dev/zero")
    (agent.parent / "agent-a1.jsonl").symlink_to("agent-a1.jsonl")
    (agent.parent / "agent-a2.jsonl").symlink_to("gone")
    (agent.parent / "agent-a3.jsonl").mkdir()
    (agent.parent / "around").symlink_to(agent.parent)
    assert [found.id for found in examine(str(path)).agents] == ["agent:a91"]


def test_a_cache_that_is_a_pipe_is_no_cache(home):
    path = cache_path(home.environ)
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    home.talk("-p", "a", "fix it", cwd="/p", written=100)
    cache = cache_of(home)
    cache.put(only(home), FACTS)
    cache.save([])
    assert cache_of(home).get(only(home)) == FACTS


def test_a_session_without_prompts_has_none(home):
    path = home.put("-p", "a.jsonl", {"type": "mode", "sessionId": "s", "mode": "normal"})
    found = examine(str(path))
    assert (found.first, found.last, found.end, found.turns, found.bars) == ("", "", None, 0, "")


def test_a_command_is_no_prompt(home):
    lines = user("<command-name>/clear</command-name>"), user("fix it", uuid="u2"), assistant("ok")
    leave = user("<command-name>/exit</command-name>", uuid="u3")
    found = examine(str(home.put("-p", "a.jsonl", *lines, leave)))
    assert (found.first, found.last) == ("fix it", "fix it")


def test_a_session_that_ends_with_a_prompt_has_no_other_end(home):
    path = home.put("-p", "a.jsonl", user("one"))
    found = examine(str(path))
    assert (found.first, found.last, found.end) == ("one", "one", None)


HOSTILE = "\x1b]0;x\x07\x1b[2J\u202e\u200b\x9b[red] " + "long " * 500


def test_nothing_that_is_kept_is_long_or_acts(home):
    first = user(HOSTILE, cwd=HOSTILE, timestamp=HOSTILE)
    call = {"type": "tool_use", "id": HOSTILE, "name": HOSTILE, "input": {"command": HOSTILE}}
    last = assistant([call], cwd=HOSTILE, timestamp=HOSTILE)
    last["message"]["model"] = HOSTILE
    path = home.put("-p", "a.jsonl", first, last)
    cache = cache_of(home)
    cache.put(only(home), SessionFacts(checked=examine(str(path))))
    cache.save([])
    stored = json.loads(cache.path.read_bytes())["sessions"][str(path)]["facts"]["checked"]
    end = stored.pop("end")
    texts = [text for text in [*stored.values(), *end.values()] if isinstance(text, str)]
    assert len(texts) > 8
    for text in texts:
        assert len(text) <= 300
        assert text.isprintable()
        assert not set(text) & set("\x1b\x07\u202e\u200b\x9b")
    for prompt in (stored["first"], stored["last"], end["gist"]):
        assert len(prompt) <= 200


def test_nothing_is_written_beside_what_is_read(home):
    path = home.talk("-p", "a", "fix it", cwd="/p", written=100)
    path.parent.chmod(0o500)
    examine(str(path))
    assert [entry.name for entry in path.parent.iterdir()] == ["a.jsonl"]
    assert path.stat().st_mtime == 100
    path.parent.chmod(0o700)
