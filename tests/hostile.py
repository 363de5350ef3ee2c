"""Hostile files of any size, made in memory: one line of megabytes, nests, a million lines."""

import json
import random

__all__ = ["CALL", "CALLS", "LINES", "MANY", "NESTS", "claude_line", "parallel"]

FORMS = "lorem ipsum dolor sit amet\n"
CALL = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}


def claude_line(kind, uuid, parent, content):
    """One line of Claude Code."""
    message = {"role": kind, "content": content}
    if kind == "assistant":
        message |= {"id": f"msg_{uuid}", "model": "claude-x"}
    line = {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message}
    return json.dumps(line).encode() + b"\n"


def _result(content):
    return {"type": "tool_result", "tool_use_id": "toolu_1", "content": content}


def _claude(text):
    return b"".join(
        (
            claude_line("user", "u1", None, "hello"),
            claude_line("assistant", "a1", "u1", [CALL]),
            claude_line("user", "u2", "a1", [_result(text)]),
            claude_line("assistant", "a2", "u2", [{"type": "text", "text": "done"}]),
        )
    )


def _words(size):
    return (FORMS * (size // len(FORMS) + 1))[:size]


def _body(content):
    reply = {"role": "assistant", "content": [{"type": "text", "text": "ok"}]}
    messages = [{"role": "user", "content": content}, reply]
    return json.dumps({"model": "claude-x", "messages": messages}).encode()


def _half(raw):
    return raw[: len(raw) - len(raw) // 50 - 300]


LINES = {
    "a result of Claude Code": lambda size: _claude(_words(size)),
    "a result without a blank": lambda size: _claude("x" * size),
    "a result that is half written": lambda size: _half(_claude(_words(size))),
    "a result with a lone surrogate": lambda size: _claude(_words(size) + "\ud83d"),
    "a text block of a body": lambda size: _body([{"type": "text", "text": _words(size)}]),
    "a body that is half written": lambda size: _half(_body(_words(size))),
    "a body of numbers": lambda size: _body([{"type": "odd", "x": [7] * (size // 3)}]),
    "a message line": lambda size: json.dumps({"role": "user", "content": _words(size)}).encode(),
}
"""Size in bytes to a file with one line of about that size."""


def _nested_body(spelling):
    return (
        b'{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":'
        b'[{"type":"tool_use","id":"t1","name":"N","input":' + spelling[0] + b"}]},"
        b'{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":'
        + spelling[1]
        + b"}]}]}"
    )


NESTS = {
    "an input": lambda nest: _nested_body((b'{"x":' + nest + b"}", b'"ok"')),
    "a result": lambda nest: _nested_body((b"{}", nest)),
    "content": lambda nest: b'{"messages":[{"role":"user","content":' + nest + b"}]}",
    "the whole file": lambda nest: nest,
    "system, tools and more": lambda nest: (
        b'{"system":' + nest + b',"tools":' + nest + b',"metadata":' + nest + b","
        b'"messages":[{"role":"user","content":"hi"}]}'
    ),
    "a note": lambda nest: _claude("ok") + b'{"type":"progress","data":' + nest + b"}\n",
    "a line of its own": lambda nest: _claude("ok") + nest + b"\n" + _claude("ok"),
}
"""A deep value to a file that holds it."""

MANY = {
    "notes": lambda n: _claude("ok") + b'{"type":"progress","x":1}\n' * n,
    "empty objects": lambda n: _claude("ok") + b"{}\n" * n,
    "empty lines": lambda n: _claude("ok") + b"\n" * n + _claude("ok"),
    "objects on one line": lambda n: _claude("ok") + b"{}" * n + b"\n",
    "unreadable lines": lambda n: _claude("ok") * 50 + b"x\n" * n,
    "message lines": lambda n: (
        b'{"role":"user","content":"a"}\n{"role":"assistant","content":"b"}\n' * (n // 2)
    ),
    "messages of a body": lambda n: json.dumps(
        [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}] * (n // 2)
    ).encode(),
    "doubled keys": lambda n: b'[{"role":"user","content":"a",' + b'"k":1,' * n + b'"z":1}]',
}
"""A number to a file with so many small things."""


def parallel(calls, order):
    """A body with so many calls in one reply, and their results in some order."""
    asked = [
        {"type": "tool_use", "id": f"toolu_{k}", "name": "Read", "input": {"path": f"f{k}"}}
        for k in range(calls)
    ]
    answers = [
        {"type": "tool_result", "tool_use_id": f"toolu_{k}", "content": f"r{k}"}
        for k in range(calls)
    ]
    messages = [{"role": "user", "content": "go"}, {"role": "assistant", "content": asked}]
    if results := CALLS[order](answers):
        messages.append({"role": "user", "content": results})
    if order != "none yet":
        messages.append({"role": "user", "content": "go on"})
        messages.append({"role": "assistant", "content": "ok"})
    return json.dumps({"model": "claude-x", "messages": messages}).encode()


CALLS = {
    "in order": lambda results: results,
    "none yet": lambda results: [],
    "never": lambda results: [],
    "swapped": lambda results: results[::-1],
    "shuffled": lambda results: random.Random(1).sample(results, len(results)),
    "the first ones doubled": lambda results: results + results[:9],
}
"""What becomes of the results of parallel calls."""
