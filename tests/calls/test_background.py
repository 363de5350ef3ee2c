"""``tapeview.play``: a tape served while a block runs."""

import socket
import threading
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import anthropic
import pytest

import tapeview
from tapeview.calls.background import player_of
from tapeview.errors import OpenError, PlaceError, ServeError

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
LOOP = SAMPLES / "loop.json"


def test_it_is_there_while_the_block_runs():
    with tapeview.play(LOOP) as url:
        assert urlopen(url).status == 200
        named = [thread.name for thread in threading.enumerate()]
        assert any(name.startswith("tapeview play") for name in named)
    with pytest.raises(URLError):
        urlopen(url)
    assert not any(t.name.startswith("tapeview play") for t in threading.enumerate())


def test_it_ends_when_the_block_fails():
    with pytest.raises(ZeroDivisionError), tapeview.play(LOOP) as url:
        raise ZeroDivisionError
    with pytest.raises(URLError):
        urlopen(url)


async def test_it_runs_beside_a_loop():
    with tapeview.play(str(LOOP)) as url:
        async with anthropic.AsyncAnthropic(base_url=url, api_key="dummy", max_retries=0) as client:
            asked = [{"role": "user", "content": "other"}]
            with pytest.raises(anthropic.BadRequestError, match="Input should be"):
                await client.messages.create(model=7, max_tokens=1, messages=asked)


def test_several_at_once():
    with tapeview.play(LOOP) as one, tapeview.play(SAMPLES / "swapped.json") as other:
        assert b"loop.json" in urlopen(one).read()
        assert b"swapped.json" in urlopen(other).read()


def test_each_call_is_a_line_of_the_log():
    lines = []
    with tapeview.play(LOOP, log=lines.append, port=0) as url, pytest.raises(URLError):
        urlopen(f"{url}/v1/messages", b"{}")
    assert lines == ["call 1: refused, 400, model: Field required"]


def test_what_conversion_loses_is_told():
    lines = []
    player_of(str(SAMPLES / "refund.json"), lines.append)
    assert lines == ["not as in the file: `store` is left out"]


def test_one_tape_alone():
    whole = player_of(str(SAMPLES / "healthy.jsonl"), print)
    agent = player_of(str(SAMPLES / "healthy.jsonl"), print, tape="agent:a4d10e6b2c97f3518")
    assert (len(whole.calls), len(agent.calls)) == (11, 3)


@pytest.mark.parametrize(
    "path, options, error",
    [
        (SAMPLES / "none.json", {}, OpenError),
        (LOOP, {"tape": "main~9"}, PlaceError),
        (LOOP, {"host": "203.0.113.1"}, ServeError),
    ],
)
def test_what_goes_wrong_is_told_before_the_block(path, options, error):
    with pytest.raises(error), tapeview.play(path, **options):
        pytest.fail("it ran")


def test_a_port_that_is_taken():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ServeError, match="in use"), tapeview.play(LOOP, port=port):
            pytest.fail("it ran")


def test_a_tape_without_a_reply(tmp_path):
    path = tmp_path / "asked.json"
    path.write_text('[{"role": "user", "content": "a"}]')
    with pytest.raises(ServeError, match="no reply"), tapeview.play(path):
        pytest.fail("it ran")
