"""Small tapes and requests, as values."""

import json

from tapeview.calls.player import Player
from tapeview.calls.recorded import recorded_calls
from tests.helpers import open_bytes

__all__ = ["answered", "asks", "call", "calls_of", "player", "request", "result", "said", "says"]


def said(*content):
    return {"role": "user", "content": list(content)}


def says(*content):
    return {"role": "assistant", "content": list(content)}


def asks(words):
    return {"role": "user", "content": words}


def answered(words):
    return {"role": "assistant", "content": words}


def call(identity, **given):
    return {"type": "tool_use", "id": identity, "name": "Bash", "input": given}


def result(identity, words="done"):
    return {"type": "tool_result", "tool_use_id": identity, "content": words}


def calls_of(*messages, **members):
    """The recorded calls of a body."""
    body = {"model": "claude-x", "messages": list(messages)} | members
    return recorded_calls(open_bytes(json.dumps(body).encode()))


def player(*messages, strict=False, **members):
    """A player of a body."""
    return Player(calls_of(*messages, **members), "run.json", strict)


def request(*messages, **members):
    """The bytes of a request."""
    body = {"model": "claude-x", "max_tokens": 9, "messages": list(messages)}
    return json.dumps(body | members).encode()
