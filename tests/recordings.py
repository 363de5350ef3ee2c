"""Recordings for tests, made as the proxy makes them: requests in, lines out."""

import json

from msgspec import Raw

from tapeview.wire.assemble import Assembler
from tapeview.wire.correlate import Correlator
from tapeview.wire.recording import (
    Chunk,
    Failed,
    Head,
    Header,
    Reply,
    line_of,
    stamp,
    text_of_bytes,
)

BEGAN = 1_760_000_000


class Recorder:
    """Puts requests and answers into a recording; each call takes a second."""

    def __init__(self, by="tapeview 0.1.0", upstream="https://api.anthropic.com"):
        self.lines = [line_of(Header(at=stamp(BEGAN), by=by, upstream=upstream, pid=7))]
        self.correlator = Correlator(b"salt")
        self.calls = []
        self.bodies = {}
        self.clock = 0

    @property
    def raw(self):
        return b"".join(self.lines)

    def call(self, body, headers=(), path="/v1/messages"):
        """A request; its id."""
        if not isinstance(body, bytes):
            body = compact(body)
        self.clock += 1
        name = str(len(self.calls) + 1)
        call = self.correlator.request(name, self._now(), body, headers, path)
        self.calls.append(call)
        self.bodies[name] = body
        self.lines.append(line_of(call))
        return name

    def _now(self, more=0):
        return stamp(BEGAN + self.clock + more)

    def arrive(self, name, data, head=True):
        """Bytes of the answer."""
        if head:
            self.lines.append(line_of(Head(head=name, t=90, status=200, request_id=f"req_{name}")))
        middle = len(data) // 2
        for piece in (data[:middle], data[middle:]):
            self.lines.append(line_of(Chunk(chunk=name, t=100, data=text_of_bytes(piece))))

    def end(self, name, message, stop="end_turn"):
        """The end of a whole answer."""
        raw = message if isinstance(message, bytes) else compact(message)
        self.correlator.end(name, raw, True)
        at = self._now(0.75)
        self.lines.append(
            line_of(Reply(reply=name, at=at, t=750, first=100, message=Raw(raw), stop=stop))
        )

    def fail(self, name, why, message=None):
        """The end of one that is not."""
        self.correlator.end(name, message, False)
        at, told = self._now(0.75), {"message": Raw(message)} if message else {}
        self.lines.append(line_of(Failed(failed=name, at=at, t=750, why=why, **told)))

    def stream(self, name, sse):
        """An answer as a stream of events, which may be cut or hold an error."""
        self.arrive(name, sse)
        assembler = Assembler()
        assembler.feed(sse)
        message = assembler.message() if assembler.has_begun else None
        if assembler.error:
            self.fail(name, "error event", message)
        elif assembler.is_whole:
            self.end(name, message, assembler.stop_reason)
        else:
            self.fail(name, "cut", message)


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def record_capture(recorder, calls):
    """The calls of a capture, as the client made them."""
    names = {}
    for call in calls:
        if not call["body"]:
            continue
        body = compact(call["body"])
        headers = [(name, value) for name, value in call["headers"]]
        name = recorder.call(body, headers, f"{call['path']}?{call['query']}".rstrip("?"))
        names[call["n"]] = name
        if "response_sse" in call:
            recorder.stream(name, call["response_sse"].encode())
        elif "response_json" in call:
            recorder.end(name, call["response_json"])
        else:
            recorder.fail(name, "status 529")
    return names
