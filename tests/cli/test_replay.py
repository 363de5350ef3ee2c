"""``tapeview replay``: the reply on standard output, talk on standard error, and exit codes."""

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from tapeview.settings import settings_path, state_folder
from tests.calls.helpers import BODY, KEY
from tests.calls.server import fault, says, serving, stalls, streams
from tests.wire.streams import CALLS, SAYS, begin, call, end, start, stop, text

ROOT = Path(__file__).parents[2]
LOST = str(ROOT / "sample_sessions" / "lost-one.json")
HOSTILE = [begin(), *text(0, "a\x1b[", "31m\tb\nc\u202e"), *end()]


@pytest.fixture
def body(tmp_path):
    path = tmp_path / "body.json"
    path.write_text(json.dumps(BODY))
    return str(path)


@pytest.fixture
def served(monkeypatch):
    """A server in a thread of its own; the environment leads to it."""

    @contextmanager
    def serve(answer):
        import asyncio

        ready, loop = threading.Event(), asyncio.new_event_loop()
        found = []

        async def main():
            done = asyncio.Event()
            async with serving(answer) as server:
                found.extend((server, done))
                ready.set()
                await done.wait()

        thread = threading.Thread(target=loop.run_until_complete, args=(main(),))
        thread.start()
        ready.wait(10)
        server, done = found
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        try:
            yield server
        finally:
            loop.call_soon_threadsafe(done.set)
            thread.join(10)
            loop.close()

    return serve


def test_the_reply_as_it_comes(tapeview, served, body):
    with served(streams(*CALLS)) as server:
        code, out, err = tapeview("replay", body, "--turn", "1")
    assert code == 0
    assert out == (
        "~ Hmm.\n"
        "I look. ü→🎞\n"
        '● Read {"path": "a.py", "n": 1.0}\n'
        "● Now {}\n"
    )  # fmt: skip
    first, sends, after, recorded = err.splitlines()
    assert first == (
        f"replay turn 1: endpoint environment: {server.url[7:]}, key from ANTHROPIC_API_KEY"
    )
    assert sends.startswith("sends 1 message, ")
    assert "tokens · $0.00" in sends
    assert after.endswith(" · 9 out · tool_use")
    assert recorded == 'recorded was: ● Read {"path":"a.py"}'
    assert KEY not in out + err


def test_the_same_decision(tapeview, served, body):
    same = [begin(), *call(0, "toolu_5", "Read", '{"path": "a.py"}'), *end("tool_use")]
    with served(streams(*same)):
        _, _, err = tapeview("replay", body, "--turn", "1")
    assert err.splitlines()[-1] == "decides as recorded"


def test_nothing_in_a_reply_acts_on_the_terminal(tapeview, served, body):
    with served(streams(*HOSTILE)):
        _, out, _ = tapeview("replay", body)
    assert out == "a\\x1b[31m\tb\nc<U+202E>\n"


def test_blocks_of_other_kinds_are_named(tapeview, served, body):
    events = [begin(), start(0, type="redacted_thinking", data="x"), stop(0), *text(1, "a"), *end()]
    with served(streams(*events)):
        _, out, _ = tapeview("replay", body)
    assert out == "▪ redacted_thinking\na\n"


def test_json(tapeview, served, body):
    with served(streams(*SAYS)):
        code, out, _ = tapeview("replay", body, "--json")
    assert code == 0
    assert json.loads(out)["content"] == [{"type": "text", "text": "Hello."}]


def test_what_is_asked_for_is_sent_and_said(tapeview, served, body):
    with served(streams(*SAYS)) as server:
        _, _, err = tapeview("replay", body, "--model", "other", "--max-tokens", "5")
    sent = json.loads(server.got[0].body)
    assert (sent["model"], sent["max_tokens"]) == ("other", 5)
    assert 'not from the file: model "other" (asked), max_tokens 5 (asked)' in err
    assert not (state_folder(os.environ) / "replay").exists()


def test_what_the_file_lacks_is_asked_for_once(tapeview, served, tmp_path):
    path = tmp_path / "messages.json"
    path.write_text(json.dumps(BODY["messages"]))
    with served(streams(*SAYS)) as server:
        code, _, err = tapeview("replay", path)
        assert (code, server.got) == (2, [])
        assert "the file does not say which model was called: name one" in err
        assert tapeview("replay", path, "--model", "mine")[0] == 0
        code, _, err = tapeview("replay", path)
    assert code == 0
    assert json.loads(server.got[1].body)["model"] == "mine"
    assert 'model "mine" (remembered)' in err
    assert "not stored, not sent: system, tools" in err


def test_what_the_api_would_refuse_is_said_before(tapeview, served):
    with served(streams(*SAYS)):
        _, _, err = tapeview("replay", LOST, "--turn", "3")
    assert "the API will refuse TU001 messages.1: " in err


FAILS = {
    "an error": (says(529, fault("overloaded_error", "Overloaded")), "", "is overloaded (529)"),
    "cut": (streams(*SAYS[:3]), "Hel\n", "ended before it was whole"),
}


@pytest.mark.parametrize(("answer", "out", "said"), FAILS.values(), ids=FAILS)
def test_a_call_that_failed(tapeview, served, body, answer, out, said):
    with served(answer):
        assert tapeview("replay", body)[:2] == (1, out)
        code, printed, err = tapeview("replay", body, "--json")
    assert (code, printed) == (1, "")
    assert said in err.splitlines()[-1]


def in_turn(*answers):
    waiting = list(answers)

    async def answer(request):
        return await waiting.pop(0)(request)

    return answer


def test_several_times(tapeview, served, body):
    again = [begin(), *call(0, "t", "Read", '{"path": "a.py"}'), *end("tool_use")]
    answers = [streams(*again), streams(*SAYS), streams(*again)]
    with served(in_turn(*answers)):
        code, out, err = tapeview("replay", body, "--turn", "1", "-n", "3")
    assert code == 0
    assert out == '2 of 3  recorded  ● Read {"path":"a.py"}\n1 of 3            Hello.\n'
    assert "3 of 3 done" in err


def test_several_times_as_json_and_one_failed(tapeview, served, body):
    answers = [streams(*SAYS), says(500)]
    with served(in_turn(*answers)):
        code, out, err = tapeview("replay", body, "--turn", "1", "-n", "2", "--json")
    assert code == 1
    report = json.loads(out)
    assert report["recorded"] == {
        "calls": [{"name": "Read", "input": {"path": "a.py"}}],
        "text": "",
    }
    (choice,) = report["choices"]
    assert choice["decision"] == {"calls": [], "text": "Hello."}
    assert (choice["count"], choice["is_recorded"]) == (1, False)
    assert choice["example"]["role"] == "assistant"
    assert [failure["kind"] for failure in report["failures"]] == ["server"]
    assert "of 2 done: endpoint environment failed on its own side (500)" in err


def test_the_recorded_decision_that_did_not_come_again(tapeview, served, body):
    with served(streams(*SAYS)):
        _, out, _ = tapeview("replay", body, "--turn", "1", "-n", "1")
    assert out.splitlines() == [
        "1 of 1            Hello.",
        '0 of 1  recorded  ● Read {"path":"a.py"}',
    ]


def test_without_a_key_the_recording_answers_and_says_so(tapeview, body):
    code, out, err = tapeview("replay", body, "--turn", "2")
    assert (code, out) == (0, "It sets x.\n")
    assert err.startswith("replay turn 2: endpoint recording: the recording, not a model\n")


WRONG = {
    "no such endpoint": (["--endpoint", "x"], "there is no endpoint x; there is local, recording"),
    "no such turn": (["--turn", "9"], "no turn 9"),
    "no such tape": (["--tape", "x"], "no tape x"),
    "no time": (["-n", "0"], "-n takes a number from 1 on"),
    "no tokens": (["--max-tokens", "0"], "--max-tokens takes a number from 1 on"),
    "nothing recorded": ([], "the next call has no recorded reply"),
}


@pytest.mark.parametrize(("words", "said"), WRONG.values(), ids=WRONG)
def test_wrong_words(tapeview, body, words, said):
    code, out, err = tapeview("replay", body, *words)
    assert (code, out) == (2, "")
    assert said in err


def test_an_endpoint_of_the_settings(tapeview, served, body, monkeypatch):
    with served(streams(*SAYS)) as server:
        monkeypatch.delenv("ANTHROPIC_API_KEY")
        monkeypatch.setenv("WORK_KEY", KEY)
        path = settings_path(os.environ)
        path.parent.mkdir(parents=True)
        work = {"base_url": server.url, "key": "WORK_KEY", "model": "big"}
        path.write_text(json.dumps({"endpoints": {"work": work}}))
        code, out, err = tapeview("replay", body, "--endpoint", "work")
    assert (code, out) == (0, "Hello.\n")
    assert server.got[0].headers["authorization"] == f"Bearer {KEY}"
    assert 'model "big" (endpoint)' in err


def test_the_key_is_nowhere(tapeview, served, body, tmp_path):
    with served(says(401, fault("authentication_error", f"bad key {KEY}"))):
        code, out, err = tapeview("replay", body, "--model", "m")
    assert code == 1
    assert KEY not in out + err
    written = [p for p in Path(os.environ["HOME"]).rglob("*") if p.is_file()]
    assert not any(KEY.encode() in p.read_bytes() for p in written)


def test_ctrl_c_ends_cleanly(served, body):
    with served(streams(*SAYS[:3], then=stalls)):
        process = subprocess.Popen(
            [sys.executable, "-m", "tapeview", "replay", body],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout.read(3) == b"Hel"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert out == b""
