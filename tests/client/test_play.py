"""The real Claude Code and the real pi play through their own recorded sessions, without a model.

Claude Code never sends just what its file gives: it adds a reminder of the date, messages of role
system, marks for the cache. Run as the other tests of this folder: ``-m client``.
"""

import json
from itertools import groupby

import pytest

import tapeview
from tapeview.cli import run
from tapeview.open_session import load
from tests.client.real_client import RealClient, find_or_install
from tests.client.real_pi import RealPi
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


def test_pi_plays_through_what_it_sent_itself_in_every_word(request, tmp_path):
    """It adds nothing to its messages, so that nothing differs."""
    folder = request.config.cache.mkdir("pi")
    prompts = ("call one, two", "thanks")
    with StandIn() as api:
        recorder = RealPi(folder, tmp_path / "recorded")
        said = [recorder.ask(api.url, prompt, prompt == "thanks") for prompt in prompts]
    last = {"role": "assistant", "content": said[-1]}
    tape = tmp_path / "pi.json"
    tape.write_text(json.dumps(api.requests[-1]["messages"] + [last]), encoding="utf-8")
    lines = []
    with tapeview.play(tape, strict=True, log=lines.append) as url:
        replay = RealPi(folder, tmp_path / "played")
        assert [replay.ask(url, prompt, prompt == "thanks") for prompt in prompts] == said
    assert lines == [f"call {number}: turn {number}, streamed" for number in (1, 2, 3)]


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
