"""The real Claude Code plays through its own recorded session, without a model.

Its requests are never those that the file gives: a reminder of the date, messages of role system,
marks for the cache, another session id. Run as the other tests of this folder: ``-m client``.
"""

import json
from itertools import groupby

import pytest

import tapeview
from tapeview.cli import run
from tapeview.open_session import load
from tests.client.real_client import RealClient, find_or_install
from tests.client.stand_in import StandIn

pytestmark = pytest.mark.client

TALKS = {
    "calls": ("call one, two", "call three", "thanks"),
    "a sub-agent": ("delegate", "thanks"),
    "the same prompt again": ("call one", "call one", "thanks", "thanks"),
}


@pytest.fixture(scope="module")
def program(request):
    return find_or_install(request.config.cache.mkdir("client"))


def talk(client, url, prompts):
    """The session of a whole talk."""
    identity = ""
    for prompt in prompts:
        identity = client.ask(url, prompt, identity)
    return client.session(identity)


def conversation(path, capsysbinary, tape="main"):
    """What was said and done: no reminders, no marks, no lists of skills."""
    assert run(["request", str(path), "--tape", tape]) == 0
    pairs = []
    for message in json.loads(capsysbinary.readouterr().out)["messages"]:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            kept = {name: value for name, value in block.items() if name != "cache_control"}
            if isinstance(kept.get("content"), list):  # of a sub-agent: its id and its time
                kept["content"] = [c for c in kept["content"] if "agentId: " not in str(c)]
            if not kept.get("text", "").startswith("<system-reminder>"):
                pairs.append((message["role"], kept))
    return [pair for _, some in groupby(pairs, is_result) for pair in sorted(some, key=result)]


def result(pair):
    """Results of calls that run side by side come in any order."""
    return pair[1].get("tool_use_id", "")


def is_result(pair):
    return pair[1]["type"] == "tool_result"


def agents(path):
    """The ids of its sub-agents' tapes."""
    return [tape.id for tape in load(str(path)).session.tapes if tape.kind == "agent"]


@pytest.mark.parametrize("prompts", TALKS.values(), ids=TALKS.keys())
def test_it_plays_through_its_own_session(program, tmp_path, capsysbinary, prompts):
    recorder = RealClient(program, tmp_path / "recorded", tmp_path / "work")
    with StandIn() as api:
        recorded = talk(recorder, api.url, prompts)
    lines = []
    with tapeview.play(recorded, log=lines.append) as url:
        replay = RealClient(program, tmp_path / "played", tmp_path / "work")
        played = talk(replay, url, prompts)
    assert conversation(played, capsysbinary) == conversation(recorded, capsysbinary), lines
    assert not [line for line in lines if "refused" in line]
    turns = [line.split(", ")[0] for line in lines if "turn" in line]
    assert len(turns) == len(set(turns)), lines
    ours, theirs = agents(played), agents(recorded)
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        said = conversation(played, capsysbinary, mine)
        assert said == conversation(recorded, capsysbinary, other)


def test_behind_the_end_of_the_tape_it_is_told_so(program, tmp_path):
    recorder = RealClient(program, tmp_path / "recorded", tmp_path / "work")
    with StandIn() as api:
        recorded = talk(recorder, api.url, ["call one"])
    lines = []
    with tapeview.play(recorded, log=lines.append) as url:
        replay = RealClient(program, tmp_path / "played", tmp_path / "work")
        with pytest.raises(AssertionError, match="it is at its end"):
            talk(replay, url, ["call one", "call two"])
    assert "it is at its end" in lines[-1]
