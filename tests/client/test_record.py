"""The real Claude Code and the real pi are recorded, as they are without us. Run: ``-m client``."""

import json
import queue

import pytest

import tapeview
from tapeview.capture.running import recording_proxy
from tapeview.cli import run
from tapeview.open_session import load
from tests.client.real_client import RealClient, find_or_install
from tests.client.real_pi import RealPi
from tests.client.stand_in import StandIn

pytestmark = pytest.mark.client


@pytest.fixture
def recorded(tmp_path):
    """``recorded(talk)``: what ``talk(url)`` did through a proxy: bodies that arrived, lines."""

    def through(talk):
        told = queue.SimpleQueue()
        path = tmp_path / "run.tape.jsonl"
        with StandIn() as api, recording_proxy(path, api.url, told.put) as running:
            talk(running.url)
        lines = [json.loads(line) for line in path.read_bytes().splitlines()]
        return path, api.requests, lines

    return through


def of(name, lines):
    return [line for line in lines if name in line]


def words(path, tape, capsysbinary):
    """The messages of a tape as a request has them."""
    assert run(["request", str(path), "--tape", tape]) == 0
    return json.loads(capsysbinary.readouterr().out)["messages"]


def test_claude_code_with_tools_and_a_sub_agent(request, recorded, tmp_path, capsysbinary):
    program = find_or_install(request.config.cache.mkdir("client"))
    client = RealClient(program, tmp_path / "config", tmp_path / "work")

    def talk(url):
        identity = client.ask(url, "call one, two")
        client.ask(url, "delegate", identity)
        client.ask(url, "thanks", identity)

    path, requests, lines = recorded(talk)
    assert not of("failed", lines)
    assert len(of("reply", lines)) == len(of("call", lines)) >= len(requests)
    kinds = [line["kind"] for line in of("call", lines)]
    assert kinds.count("subagent") == 1
    assert set(kinds) <= {"new", "continue", "subagent", "side"}
    assert "dummy" not in "".join(
        json.dumps(line["headers"]) for line in of("call", lines) if "headers" in line
    )
    tapes = load(str(path)).session.tapes
    assert [tape.kind for tape in tapes].count("agent") >= 1
    sent = words(path, "main", capsysbinary)
    assert sent[: len(requests[-1]["messages"])] == requests[-1]["messages"]


def test_pi(request, recorded, tmp_path, capsysbinary):
    client = RealPi(request.config.cache.mkdir("pi"), tmp_path / "pi")

    def talk(url):
        client.ask(url, "call one, two", False)
        client.ask(url, "thanks", True)

    path, requests, lines = recorded(talk)
    assert [line["kind"] for line in of("call", lines)] == ["new", "continue", "continue"]
    assert len(of("reply", lines)) == 3
    sent = words(path, "main", capsysbinary)
    assert sent[: len(requests[-1]["messages"])] == requests[-1]["messages"]


def test_claude_code_is_played_back_to(request, recorded, tmp_path):
    program = find_or_install(request.config.cache.mkdir("client"))
    prompts = ("call one, two", "call three", "thanks")

    def talk(url, name):
        client, identity = RealClient(program, tmp_path / name, tmp_path / "work"), ""
        for prompt in prompts:
            identity = client.ask(url, prompt, identity)

    path, requests, _ = recorded(lambda url: talk(url, "first"))
    said = []
    with tapeview.play(path, log=said.append) as url:
        talk(url, "again")
    played = [line for line in said if "turn " in line]
    turns = [int(line.partition("turn ")[2].split(",")[0].split()[0]) for line in played]
    assert turns == list(range(1, len(requests) + 1))


def test_pi_is_played_back_to_word_for_word(request, recorded, tmp_path):
    cache = request.config.cache.mkdir("pi")

    def talk(url, name):
        client = RealPi(cache, tmp_path / name)
        client.ask(url, "call one, two", False)
        client.ask(url, "thanks", True)

    path, requests, _ = recorded(lambda url: talk(url, "first"))
    said = []
    with tapeview.play(path, log=said.append) as url:
        talk(url, "again")
    assert len([line for line in said if "turn " in line]) == len(requests)
