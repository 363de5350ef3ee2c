"""A failing test's recording is kept and named; a passing test leaves nothing."""

import json
from pathlib import Path

from tapeview.capture.pytest_fixture import FOLDER
from tests.capture.raw_http import RawServer, chunked
from tests.capture.replies import JSON_REPLY, KEY, json_head, sse_head, stream_of

pytest_plugins = ["pytester"]

TESTS = """
import os
from anthropic import Anthropic
import pytest

def ask(tapeview_recording):
    client = tapeview_recording(Anthropic(api_key="{key}", base_url="{url}"))
    asked = [{{"role": "user", "content": "hi"}}]
    text = client.messages.create(model="m", max_tokens=9, messages=asked).content[0].text
    client.close()
    return text

def test_that_passes(tapeview_recording):
    assert ask(tapeview_recording) == "Nothing."

@pytest.mark.parametrize("text", ["a/b c"])
def test_that_fails(tapeview_recording, text):
    assert ask(tapeview_recording) == ask(tapeview_recording) == text

def test_that_fails_without_a_call(tapeview_recording):
    assert tapeview_recording is None

def test_without_it():
    assert False
"""


def test_the_recording_of_a_failing_test_alone_is_kept_and_named(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    # Whether tapeview is installed, so that pytest finds it by itself, or not: it is loaded once.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    with RawServer(
        lambda c, h, b: c.sendall(json_head("200 OK", JSON_REPLY) + JSON_REPLY)
    ) as server:
        pytester.makepyfile(TESTS.format(key=KEY, url=server.url))
        done = pytester.runpytest_subprocess("-p", "tapeview.pytest_plugin")
    done.assert_outcomes(passed=1, failed=3)
    (path,) = (pytester.path / FOLDER).iterdir()
    assert path.name.startswith("test_that_fails-a-b-c-")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["kind"] for line in lines if "call" in line] == ["new", "resample"]
    assert len([line for line in lines if "reply" in line]) == 2
    assert len([line for line in done.outlines if "tapeview recording" in line]) == 1
    assert f"tapeview {path}" in done.outlines


HALF = """
from anthropic import Anthropic

def test_half(tapeview_recording):
    client = tapeview_recording(Anthropic(api_key="{key}", base_url="{url}"))
    asked = [{{"role": "user", "content": "hi"}}]
    stream = client.messages.create(model="m", max_tokens=9, messages=asked, stream=True)
    next(iter(stream))
    assert False
"""


def test_a_call_that_is_open_as_a_test_fails_has_an_end(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def half(connection, head, body):
        connection.sendall(sse_head() + chunked(stream_of("a", "b")[:4]))
        connection.recv(1)

    with RawServer(half) as server:
        pytester.makepyfile(HALF.format(key=KEY, url=server.url))
        pytester.runpytest_subprocess("-p", "tapeview.pytest_plugin").assert_outcomes(failed=1)
    (path,) = (pytester.path / FOLDER).iterdir()
    assert json.loads(path.read_bytes().splitlines()[-1])["why"] == "stopped"
