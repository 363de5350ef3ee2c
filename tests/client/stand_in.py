"""A stand-in for the Messages API on loopback: it answers by a script and keeps what it was sent.

The events and their order are those of the API's streams; a real client takes them for one.
"""

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from uuid import uuid4

__all__ = ["StandIn"]

CALLS = re.compile(r"call (\w+(?:, \w+)*)")


class StandIn:
    """``with StandIn() as api``: listens at ``api.url``; ``api.requests`` are the main bodies.

    A prompt such as ``call one, two`` is answered by a text and a Bash call for each name, run in
    parallel; ``delegate`` by a call of a sub-agent, which does one Bash call itself; results, and
    any other prompt, by a text that counts the answers.
    """

    def __init__(self) -> None:
        self.requests: list[dict] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """Where a client finds it."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> "StandIn":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer(self, body: dict) -> bytes:
        with self._lock:
            if body.get("tools"):
                self.requests.append(body)
            number = len(self.requests)
        events = _events(f"msg_{uuid4().hex}", body, list(_blocks(body, number)))
        return b"".join(
            f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events
        )

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        answer = self._answer

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_HEAD(self) -> None:
                self._send(200, b"")

            def do_GET(self) -> None:
                self._send(404, b'{"type":"error","error":{"type":"not_found_error"}}')

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length", 0)))
                if not self.path.partition("?")[0].endswith("/v1/messages"):
                    self.do_GET()
                    return
                self._send(200, answer(json.loads(raw)), "text/event-stream")

            def _send(self, status: int, data: bytes, kind: str = "application/json") -> None:
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                """Nothing is said."""

        return Handler


def _last(body: dict) -> list[dict]:
    """The blocks of the last thing the user side says."""
    content = next(m["content"] for m in reversed(body["messages"]) if m["role"] == "user")
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _blocks(body: dict, number: int) -> Iterator[dict]:
    last = _last(body)
    text = last[-1].get("text", "")
    asked = CALLS.fullmatch(text)
    if text == "delegate":
        job = {"description": "A job", "prompt": "call sub", "subagent_type": "general-purpose"}
        yield {"type": "tool_use", "id": "toolu_agent", "name": "Agent", "input": job}
        return
    if not asked:
        yield {"type": "text", "text": f"Answer {number}."}
        return
    yield {"type": "text", "text": f"I run this, {number}."}
    for name in asked[1].split(", "):
        command = {"command": f"echo out-{name}", "description": f"Say {name}"}
        yield {"type": "tool_use", "id": f"toolu_{name}", "name": "Bash", "input": command}


def _events(identity: str, body: dict, blocks: list[dict]) -> Iterator[dict]:
    usage = {"input_tokens": 10, "output_tokens": 1}
    message = {"id": identity, "type": "message", "role": "assistant", "model": body["model"]}
    message |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    yield {"type": "message_start", "message": message}
    for index, block in enumerate(blocks):
        empty, delta = dict(block), {"type": "text_delta", "text": block.get("text")}
        if block["type"] == "tool_use":
            empty["input"] = {}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            empty["text"] = ""
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    stop = "tool_use" if blocks[-1]["type"] == "tool_use" else "end_turn"
    end = {"stop_reason": stop, "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": 20}}
    yield {"type": "message_stop"}
