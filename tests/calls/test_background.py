"""``tapeview.play``: a tape served while a block runs."""

import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from urllib.error import HTTPError, URLError
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


def run(code):
    """A program of its own: its exit code, what it printed, and what it complained of."""
    done = subprocess.run(
        [sys.executable, "-c", code, str(LOOP)],
        cwd=SAMPLES.parent,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


NEVER_LEFT = {
    "entered alone": "served = tapeview.play(path); url = served.__enter__()",
    "a stack": """
from contextlib import ExitStack
stack = ExitStack()
url = stack.enter_context(tapeview.play(path))
""",
    "a generator": """
def urls():
    with tapeview.play(path) as url:
        yield url
generator = urls()
url = next(generator)
""",
    "a circle": """
class Holder: pass
holder = Holder()
holder.self, holder.served = holder, tapeview.play(path)
url = holder.served.__enter__()
del holder
""",
}


COUNTED = """
from urllib.request import urlopen
body = b'{"model": "m", "messages": [{"role": "user", "content": "a"}]}'
with urlopen(f"{url}/v1/messages/count_tokens", body) as counted:
    print(counted.status)
"""


@pytest.mark.parametrize("end, code", [("", 0), ("raise SystemExit(3)", 3)])
@pytest.mark.parametrize("enter", NEVER_LEFT.values(), ids=NEVER_LEFT.keys())
def test_a_block_that_is_never_left_does_not_keep_the_program(enter, end, code):
    begin = "import sys, tapeview; path = sys.argv[1]"
    assert run("\n".join([begin, enter, COUNTED, end])) == (code, "200\n", "")


INTERRUPTED = """
import signal, sys, threading
from tapeview.calls import background

serving, main = background.serving, threading.main_thread().ident

def interrupted(*given, **more):
    signal.pthread_kill(main, signal.SIGINT)
    return serving(*given, **more)

background.serving = interrupted
try:
    with background.play(sys.argv[1]):
        print("it ran")
except KeyboardInterrupt:
    print(threading.active_count())
"""


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no signals for a thread")
def test_ctrl_c_while_it_starts_comes_out_and_the_thread_ends():
    assert run(INTERRUPTED) == (0, "1\n", "")


def test_ctrl_c_in_the_block_comes_out():
    with pytest.raises(KeyboardInterrupt), tapeview.play(LOOP) as url:
        signal.raise_signal(signal.SIGINT)
    with pytest.raises(URLError):
        urlopen(url)


def test_a_log_that_fails_reaches_no_call(caplog):
    def log(line):
        raise ValueError(line)

    with tapeview.play(LOOP, log=log) as url, pytest.raises(HTTPError) as refused:
        urlopen(f"{url}/v1/messages", b"{}")
    with refused.value as answer:
        assert (answer.code, b"Field required" in answer.read()) == (400, True)
    assert [record.exc_info[0] for record in caplog.records] == [ValueError]
