"""The writer alone: what it makes of requests and bytes, and of a disk that is full."""

import errno
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapeview.capture.recorder import Recorder, Sent, is_message_call, new_path
from tapeview.errors import SaveError
from tests.capture.replies import BODY, JSON_REPLY, KEY, stream_of

ROOT = Path(__file__).parents[2]
STREAM = stream_of("Grüße, ", "世界")
SSE = {"content-type": "text/event-stream"}


@pytest.fixture
def recorder(tmp_path):
    made = Recorder(tmp_path / "a.tape.jsonl", "http://x", pytest.fail)
    yield made
    made.close()


def lines_of(recorder):
    return [json.loads(line) for line in recorder.path.read_bytes().splitlines()]


def body(*texts, **members):
    roles = ("user", "assistant") * len(texts)
    messages = [{"role": role, "content": text} for role, text in zip(roles, texts, strict=False)]
    return json.dumps({"model": "m", "messages": messages} | members).encode()


def sent(raw=BODY, path="/v1/messages", **headers):
    return Sent(path, {name.replace("_", "-"): value for name, value in headers.items()}, raw)


def test_the_header_says_what_records(recorder):
    (header,) = lines_of(recorder)
    assert header["tape"] == 1
    assert header["upstream"] == "http://x"
    assert header["pid"] == os.getpid()
    assert header["by"].startswith("tapeview")


def test_a_call_from_its_request_to_its_reply(recorder):
    call = recorder.call(sent(anthropic_version="2023-06-01", x_api_key=KEY))
    call.head(200, SSE | {"request-id": "req_1"})
    for piece in STREAM:
        call.chunk(piece)
    call.end()
    _, request, head, *chunks, reply = lines_of(recorder)
    assert (request["call"], request["kind"], request["parent"]) == ("1", "new", None)
    assert request["headers"] == {"anthropic-version": "2023-06-01"}
    assert (head["head"], head["status"], head["request_id"]) == ("1", 200, "req_1")
    assert [chunk["data"].encode() for chunk in chunks] == STREAM
    assert reply["message"]["content"] == [{"type": "text", "text": "Grüße, 世界"}]
    assert reply["stop"] == "end_turn"
    assert call.is_whole
    times = [line["t"] for line in (head, *chunks, reply)]
    assert times == sorted(times)


def test_the_next_request_stores_only_what_it_adds(recorder):
    first = recorder.call(sent(body("one")))
    first.head(200, {})
    first.chunk(JSON_REPLY)
    first.end()
    second = recorder.call(sent(body("one", "Nothing.", "two")))
    assert (second.filed.kind, second.filed.parent, second.filed.keep) == ("continue", "1", 1)
    assert [json.loads(bytes(raw))["content"] for raw in second.filed.add] == ["Nothing.", "two"]


def test_bytes_that_are_no_text_are_kept(recorder):
    call = recorder.call(sent())
    call.head(200, SSE)
    call.chunk(b"data: \xe4\xb8")
    call.chunk(b"\x96\n\n")
    call.fail("upstream reset")
    *_, one, two, failed = lines_of(recorder)
    assert one["data"] == {"b64": "ZGF0YTog5Lg="}
    assert two["data"] == {"b64": "lgoK"}
    assert failed["why"] == "upstream reset"
    assert "message" not in failed


def test_only_the_first_end_counts(recorder):
    call = recorder.call(sent())
    call.fail("client gone")
    call.fail("upstream reset")
    call.head(200, SSE)
    call.chunk(b"late")
    call.end()
    call.leave()
    ends = [line for line in lines_of(recorder) if "failed" in line or "reply" in line]
    assert [end["why"] for end in ends] == ["client gone"]


@pytest.mark.parametrize(
    ("count", "why", "outcome"),
    [
        (len(STREAM), (), "end_turn"),
        (len(STREAM), ("stopped",), "end_turn"),
        (3, (), "client gone"),
        (3, ("stopped",), "stopped"),
    ],
)
def test_who_leaves_after_the_last_event_missed_nothing(recorder, count, why, outcome):
    call = recorder.call(sent())
    call.head(200, SSE)
    call.chunk(b"".join(STREAM[:count]))
    call.leave(*why)
    assert call.outcome == outcome


def test_a_call_that_went_out_earlier_says_so(recorder):
    call = recorder.call(sent(), waited=3600.0)
    call.fail("cut")
    header, request, failed = lines_of(recorder)
    assert request["at"] < header["at"]
    assert failed["t"] >= 3_600_000


def test_calls_of_many_threads_stay_apart(recorder):
    def run(number):
        call = recorder.call(sent(body(f"thread {number}"), user_agent=str(number)))
        call.head(200, SSE)
        for piece in stream_of(f"answer {number}"):
            call.chunk(piece)
        call.end()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = lines_of(recorder)
    asked = {line["call"]: line["add"][0]["content"] for line in lines if "call" in line}
    told = {r["reply"]: r["message"]["content"][0]["text"] for r in lines if "reply" in r}
    assert len(asked) == 20
    assert {k: v.replace("thread", "answer") for k, v in asked.items()} == told


def test_a_write_that_fails_ends_the_recording_and_is_told_once(tmp_path, monkeypatch):
    told = []
    recorder = Recorder(tmp_path / "a", trouble=told.append)
    call = recorder.call(sent())
    real, left = os.write, iter([True])

    def write(file, data):
        if not next(left, False):
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(file, data)

    monkeypatch.setattr(os, "write", write)
    call.head(200, SSE)
    for piece in STREAM:
        call.chunk(piece)
    call.end()
    assert recorder.call(sent()) is None
    assert recorder.is_stopped
    (sentence,) = told
    assert "No space left on device; the recording ends here" in sentence
    assert [next(iter(line)) for line in lines_of(recorder)] == ["tape", "call", "head"]
    assert call.outcome == "end_turn"


def test_a_disk_that_is_full_and_nobody_to_tell_it(tmp_path, monkeypatch):
    def trouble(words):
        raise BrokenPipeError(words)

    recorder = Recorder(tmp_path / "a.tape.jsonl", trouble=trouble)
    call = recorder.call(sent())

    def write(file, data):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", write)
    call.head(200, SSE)
    for piece in STREAM:
        call.chunk(piece)
    call.end()
    assert recorder.is_stopped
    assert call.outcome == "end_turn"


def test_a_recording_is_never_written_over(tmp_path):
    path = tmp_path / "a"
    path.write_text("mine")
    with pytest.raises(SaveError):
        Recorder(path)


def test_a_new_path_is_not_taken(tmp_path):
    first = new_path("claude", tmp_path)
    assert first.name.startswith("claude-")
    assert first.name.endswith(".tape.jsonl")
    first.write_text("")
    assert new_path("claude", tmp_path) != first


@pytest.mark.parametrize(
    ("method", "path", "is_one"),
    [
        ("POST", "/v1/messages", True),
        ("POST", "/v1/messages?beta=true", True),
        ("POST", "/messages", True),
        ("POST", "/anthropic/v1/messages", True),
        ("POST", "/v1/messages/count_tokens", False),
        ("POST", "/v1/messages/batches", False),
        ("POST", "/v1/xmessages", False),
        ("POST", "/v1/complete?a=/v1/messages", False),
        ("GET", "/v1/messages", False),
        ("HEAD", "/", False),
    ],
)
def test_message_calls_are_known(method, path, is_one):
    assert is_message_call(method, path) is is_one


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "content", "type", "text", "id", "input", "messages"]), inner
        )
    ),
    max_leaves=12,
)


@settings(max_examples=40)
@given(bodies=st.lists(JSON.map(json.dumps).map(str.encode) | st.binary(max_size=40), max_size=4))
def test_no_body_breaks_the_writer(bodies, tmp_path_factory):
    recorder = Recorder(tmp_path_factory.mktemp("x") / "a", trouble=pytest.fail)
    for raw in bodies:
        for whole in (raw, b'{"messages":' + raw + b"}"):
            call = recorder.call(sent(whole))
            call.head(200, {"content-type": "application/json"})
            call.chunk(raw or b"{}")
            call.end()
    recorder.close()
    lines = lines_of(recorder)
    assert sum("call" in line for line in lines) == 2 * len(bodies)
    assert sum("reply" in line or "failed" in line for line in lines) == 2 * len(bodies)


EVENT = st.tuples(
    st.sampled_from(["message_start", "content_block_start", "content_block_delta", "error", "x"]),
    JSON.map(json.dumps).map(str.encode) | st.binary(max_size=20),
)


@settings(max_examples=40)
@given(events=st.lists(EVENT, max_size=5), size=st.integers(1, 50))
def test_no_stream_breaks_the_writer(events, size, tmp_path_factory):
    recorder = Recorder(tmp_path_factory.mktemp("x") / "a", trouble=pytest.fail)
    raw = b"".join(b"event: %s\ndata: %s\n\n" % (name.encode(), data) for name, data in events)
    call = recorder.call(sent())
    call.head(200, SSE)
    for at in range(0, len(raw), size):
        call.chunk(raw[at : at + size])
    call.end()
    recorder.close()
    assert call.outcome
    assert next(iter(lines_of(recorder)[-1])) in ("reply", "failed")


FULL_DISK = """
import resource, sys
from pathlib import Path
from tapeview.capture.recorder import Recorder, Sent
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
recorder = Recorder(Path(sys.argv[1]))
for number in range(100):
    call = recorder.call(Sent("/v1/messages", {}, b'{"messages":[]}'))
    if call is not None:
        call.head(200, {})
        call.end()
print("went on")
"""


def test_a_full_disk_leaves_whole_lines(tmp_path):
    path = tmp_path / "a"
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    trouble, last = done.stdout.splitlines()
    assert "File too large; the recording ends here" in trouble
    assert last == "went on"
    assert path.read_bytes().endswith(b"}\n")
    assert all(json.loads(line) for line in path.read_bytes().splitlines())
    assert path.stat().st_size <= 4000
