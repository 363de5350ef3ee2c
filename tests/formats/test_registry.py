"""What a file is: found by content alone; and one clear sentence for everything else."""

import json

import pytest

from tapeview.errors import OpenError, UnsupportedFormat
from tapeview.formats._registry import all_formats, detect
from tapeview.tape.source import MemorySource

USER = {"role": "user", "content": "hi"}


def fault(raw, kind=OpenError, path="x.json"):
    with pytest.raises(kind) as caught:
        detect(MemorySource(raw, path), path)
    assert type(caught.value) is kind
    return str(caught.value)


def as_json(value):
    return json.dumps(value).encode()


NOTHING = {
    "empty": (b"", "the file is empty"),
    "blanks": (b" \n\t\r\n ", "the file is empty"),
    "only a BOM": (b"\xef\xbb\xbf", "the file is empty"),
    "UTF-16 with BOM": ("[{}]".encode("utf-16"), "this is UTF-16 text"),
    "UTF-16, little, no BOM": ('[{"role":1}]'.encode("utf-16-le"), "this is UTF-16 text"),
    "UTF-16, big, no BOM": ('[{"role":1}]'.encode("utf-16-be"), "this is UTF-16 text"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(64), "this is binary"),
    "zeros": (bytes(5000), "this is binary"),
    "a program": (b"\x7fELF\2\1\1" + bytes(40), "this is binary"),
    "prose": (b"Dear diary,\ntoday", "line 1 is not JSON"),
    "XML": (b"<?xml version='1.0'?>\n<a/>", "line 1 is not JSON"),
    "YAML": (b"messages:\n- role: user\n", "line 1 is not JSON"),
    "a number": (b"5", "line 1 is not JSON"),
    "a string": (b'"hi"', "line 1 is not JSON"),
    "one brace": (b"{", "breaks off before its first member ends"),
    "cut before the messages": (b'{"model": "m", "messa', "an object with model"),
    "an array of numbers": (b"[1, 2]", "its elements are not messages"),
    "an array of objects": (b'[{"a": 1}]', "its elements are not messages"),
    "a cut array": (b'[{"role": "user", "con', "breaks off before its first element ends"),
    "a damaged array": (b"[oops, 1]", "byte 1: a value should stand here"),
    "a damaged object": (b"{oops: 1}", "byte 1: a key in quotes should stand here"),
    "an empty object": (b"{}", "an empty JSON object"),
    "settings": (as_json({"theme": "dark", "a": 1}), "an object with theme, a;"),
    "many keys": (as_json(dict.fromkeys("abcdefg", 1)), "an object with a, b, c, d, e, ...;"),
    "messages that is no list": (as_json({"messages": "x"}), "`messages` is not an array"),
    "messages that is an object": (as_json({"messages": {}}), "`messages` is not an array"),
    "conversation": (as_json({"conversation": []}), "has `conversation` instead of"),
    "conversations": (as_json({"conversations": []}), "has `conversations` instead of"),
    "chat": (as_json({"chat": [USER]}), "has `chat` instead of"),
    "turns": (as_json({"turns": []}), "has `turns` instead of"),
    "Messages": (as_json({"Messages": 5}), "has `Messages` instead of"),
    "a reply": (as_json({"type": "message", "role": "assistant"}), "line 1 has type, role;"),
    "JSON lines": (b'{"level":"info"}\n{"level":"warn"}\n', "these are JSON lines"),
    "a request a line": (2 * (as_json({"messages": [USER]}) + b"\n"), "a request of its own"),
    "hostile keys": (as_json({"\x1b[31m\u202e": 1}), "an object with "),
}


@pytest.mark.parametrize("raw, words", NOTHING.values(), ids=NOTHING.keys())
def test_what_is_no_conversation_gets_one_sentence(raw, words):
    sentence = fault(raw)
    assert sentence.startswith("x.json: ")
    assert words in sentence
    assert sentence.endswith(".")
    assert sentence.isprintable()


def lines(*rows):
    return b"\n".join(map(as_json, rows))


KNOWN = {
    "a SQLite database": b"SQLite format 3\0" + bytes(100),
    "a zip archive": b"PK\3\4" + bytes(100),
    "zstd-compressed": b"\x28\xb5\x2f\xfd\4\0abc",
    "Claude Code's stream-json output": lines(
        {"type": "system", "subtype": "init", "session_id": "s", "tools": []},
        {"type": "result", "session_id": "s"},
    ),
    "a pi session": lines({"type": "session", "id": "x", "version": 3}, {"type": "message"}),
    "a Codex rollout": lines(
        {"timestamp": "t", "type": "session_meta", "payload": {"id": "x"}},
        {"timestamp": "t", "type": "response_item", "payload": {"type": "message"}},
    ),
    "a Codex rollout of old": lines(
        {"id": "x", "timestamp": "t", "instructions": None}, {"record_type": "state"}
    ),
    "a Gemini CLI session": as_json({"sessionId": "s", "projectHash": "h", "messages": []}),
    "a Gemini CLI session in lines": lines({"sessionId": "s", "projectHash": "h"}, {"id": "1"}),
    "a log of request and response pairs": lines({"request": {}, "response": {}, "logged_at": 1}),
    "a log of request and response pairs in one object": as_json({"request": {}, "response": {}}),
    "a ShareGPT trajectory": lines({"conversations": [{"from": "human"}]}, {"conversations": []}),
    "a Cursor transcript": lines({"role": "user", "message": {"content": []}}),
    "an OpenHands trajectory": as_json([{"action": "run", "args": {}}]),
    "a list of OpenAI Responses items": as_json([{"type": "function_call", "call_id": "c"}]),
    "an OpenAI Responses body": as_json({"model": "gpt-5.5", "input": []}),
    "an OpenAI Responses body with text": as_json({"model": "gpt-5.5", "input": "hi"}),
    "a HAR file": as_json({"log": {"entries": []}}),
    "a claude-tap export": as_json({"packets": []}),
    "a SWE-agent trajectory": as_json({"trajectory": [], "history": [], "info": {}}),
    "a SWE-agent trajectory, history alone": as_json({"history": [USER]}),
    "an Inspect log": as_json({"version": 2, "eval": {}, "samples": []}),
    "a pydantic-ai message list": as_json([{"kind": "request", "parts": []}]),
    "a LangChain message list": as_json([{"type": "human", "data": {"content": "x"}}]),
    "a list of AI SDK or Gemini messages": as_json([{"role": "user", "parts": []}]),
    "a Gemini request": as_json({"contents": []}),
    "a Go harness dump": as_json([{"Role": "user", "Content": []}]),
    "a Go harness dump, tagged": as_json(
        [{"role": "assistant", "content": [{"type": "tool_use", "tool_name": "f"}]}]
    ),
    "a Hermes session snapshot": as_json(
        {"session_id": "s", "platform": "cli", "messages": [USER]}
    ),
    "an agent trajectory": as_json({"schema_version": "1", "steps": []}),
    "one file of an OpenCode store": as_json({"id": "m", "sessionID": "s", "role": "user"}),
}


@pytest.mark.parametrize("name", KNOWN)
def test_a_known_format_without_a_reader_is_named(name):
    sentence = fault(KNOWN[name], UnsupportedFormat)
    wanted = name.split(" of old")[0].split(" in ")[0].split(",")[0].split(" with ")[0]
    assert sentence.startswith(f"x.json: this is {wanted}")
    assert sentence.endswith("; tapeview does not read it yet.")


def test_formats_are_sorted_and_made_once():
    names = [format_.name for format_ in all_formats()]
    assert names == sorted(names)
    assert all_formats() is all_formats()


def test_a_hostile_path_is_cleaned_in_the_sentence():
    assert fault(b"", path="a\x1b[31m\u202e\n.json").isprintable()


@pytest.mark.parametrize("size", [300_000, 3_000_000])
def test_a_first_line_longer_than_the_first_read_is_read_whole(size):
    raw = as_json({"model": "claude-x", "system": "x" * size, "messages": [USER]})
    format_, head = detect(MemorySource(raw, "x"), "x")
    assert format_.name == "anthropic"
    assert len(head.first) >= min(size, len(raw))


def test_a_long_first_line_of_a_session_is_found_too():
    line = {"type": "user", "uuid": "u", "parentUuid": None, "sessionId": "s"}
    first = line | {"message": {"role": "user", "content": "x" * 600_000}}
    format_, _ = detect(MemorySource(lines(first, line), "x"), "x")
    assert format_.name == "claude-code"


class Counting(MemorySource):
    """Counts the bytes that are read."""

    def __init__(self, data):
        super().__init__(data, "x")
        self.read_bytes = 0

    def read(self, start, length):
        found = super().read(start, length)
        self.read_bytes += len(found)
        return found


def test_a_big_binary_file_is_not_read_whole():
    source = Counting(bytes(8_000_000))
    with pytest.raises(OpenError):
        detect(source, "x")
    assert source.read_bytes < 1_000_000


def test_a_big_session_is_told_by_its_beginning():
    line = as_json({"type": "user", "uuid": "u", "parentUuid": None, "sessionId": "s"})
    source = Counting((line + b"\n") * 100_000)
    detect(source, "x")
    assert source.read_bytes < 1_000_000
