"""One sentence for each thing that happens."""

from tapeview.capture.recorder import Recorder, Sent
from tapeview.capture.seen import called, ended
from tests.capture.replies import BODY


def test_what_is_told(tmp_path):
    recorder = Recorder(tmp_path / "a")
    call = recorder.call(Sent("/v1/messages", {}, BODY))
    assert called(call) == ("call", "1", "call 1: new, 1 message")
    again = recorder.call(Sent("/v1/messages", {}, BODY))
    assert called(again).words == "call 2: retry after 1, 1 message"
    call.fail("client gone")
    assert ended("POST", "/v1/messages", 0, call) == ("failed", "1", "call 1: client gone, 0.0 s")
    again.head(200, {})
    again.chunk(b'{"stop_reason":"end_turn"}')
    again.end()
    assert ended("POST", "/v1/messages", 200, again) == ("reply", "2", "call 2: end_turn, 0.0 s")
    assert ended("HEAD", "/", 200, None) == ("passed", "", "HEAD /: 200, not recorded")
    assert ended("GET", "/x", 0, None) == ("passed", "", "GET /x: client gone, not recorded")
    recorder.close()
