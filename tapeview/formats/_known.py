"""Formats that are recognised but not read yet, so that people are told what they have.

The marks are those of ``formats.md`` j; the first that fits wins.
"""

from collections.abc import Mapping
from itertools import islice

from tapeview.formats._head import Head
from tapeview.tape.json_text import JsonFault, elements, loads, skip_blank

__all__ = ["unsupported_name"]

FEW = 8
"""Messages looked at for the marks of a format."""

GO_MEMBERS = frozenset({"tool_name", "toolName", "tool_input", "toolInput", "tool_result"})


OPENCODE = frozenset({"sessionID", "messageID", "projectID"})


def unsupported_name(head: Head) -> str | None:
    """What the file is, where it is a format without a reader; None where nothing is known."""
    if head.kind == "binary":
        return _binary_name(head.first)
    if head.kind == "lines":
        if OPENCODE & head.objects[0].keys():
            return "one file of an OpenCode store"
        for row in head.objects:
            if name := _line_name(row, head.objects[0]):
                return name
        return None
    if head.kind == "object":
        return _object_name(head)
    if head.kind == "array":
        return _array_name(head)
    return None


def _binary_name(first: bytes) -> str | None:
    if first.startswith(b"SQLite format 3\0"):
        return "a SQLite database (Cursor, Hermes and OpenCode keep such files)"
    if first.startswith(b"PK\3\4"):
        return "a zip archive (an Inspect .eval log, perhaps)"
    if first.startswith(b"\x28\xb5\x2f\xfd"):
        return "zstd-compressed (a Codex rollout, perhaps)"
    return None


def _line_name(row: Mapping[str, object], first: Mapping[str, object]) -> str | None:
    if row.get("type") == "system" and row.get("subtype") == "init" and "session_id" in row:
        return "Claude Code's stream-json output"
    if first.get("type") == "session" and isinstance(first.get("id"), str):
        return "a pi session"
    if isinstance(row.get("payload"), dict) or "record_type" in row:
        return "a Codex rollout"
    if {"id", "timestamp", "instructions"} <= first.keys():
        return "a Codex rollout"
    if {"sessionId", "projectHash"} <= first.keys():
        return "a Gemini CLI session"
    if "request" in row and "response" in row:
        return "a log of request and response pairs"
    if isinstance(row.get("conversations"), list):
        return "a ShareGPT trajectory"
    if "role" in row and isinstance(row.get("message"), dict) and "type" not in row:
        return "a Cursor transcript"
    if isinstance(row.get("history"), list) or {"action", "observation"} & row.keys():
        return "an OpenHands trajectory"
    if row.get("type") in ("function_call", "function_call_output", "reasoning"):
        return "a list of OpenAI Responses items"
    return None


def _object_name(head: Head) -> str | None:
    keys = head.members.keys()
    if {"sessionId", "projectHash"} <= keys:
        return "a Gemini CLI session"
    if "log" in keys and isinstance(head.member("log"), dict):
        return "a HAR file"
    if "packets" in keys:
        return "a claude-tap export"
    if "schema_version" in keys and "steps" in keys:
        return "an agent trajectory (ATIF)"
    if {"session_id", "platform", "messages"} <= keys:
        return "a Hermes session snapshot"
    if "trajectory" in keys or "history" in keys or "trajectory_format" in keys:
        return "a SWE-agent trajectory"
    if {"version", "eval", "samples"} <= keys or {"eval", "plan", "status"} <= keys:
        return "an Inspect log"
    if "contents" in keys:
        return "a Gemini request"
    if "input" in keys and "messages" not in keys:
        return "an OpenAI Responses body"
    if {"request", "response"} <= keys or {"request", "turn"} <= keys:
        return "a log of request and response pairs"
    if OPENCODE & keys:
        return "one file of an OpenCode store"
    if any(key in keys for key in ("Messages", "messages")) and _is_go(head.member("Messages")):
        return "a Go harness dump"
    return None


def _array_name(head: Head) -> str | None:
    first = _first_elements(head)
    if _is_go(first):
        return "a Go harness dump"
    item = first[0] if first else None
    if not isinstance(item, dict):
        return None
    if "type" in item and "role" not in item and item.get("type") != "session":
        if isinstance(item.get("data"), dict):
            return "a LangChain message list"
        return "a list of OpenAI Responses items"
    if item.get("kind") in ("request", "response") and "parts" in item:
        return "a pydantic-ai message list"
    if "role" in item and "parts" in item:
        return "a list of AI SDK or Gemini messages"
    if {"action", "observation"} & item.keys():
        return "an OpenHands trajectory"
    if "request" in item and "response" in item:
        return "a log of request and response pairs"
    return None


def _first_elements(head: Head) -> list[object]:
    """The first elements of a document that is an array."""
    text = head.text
    found: list[object] = []
    try:
        for span in islice(elements(text, skip_blank(text, 0)), FEW):
            found.append(loads(text[span.start : span.end]))
    except JsonFault:
        return found
    return found


def _is_go(messages: object) -> bool:
    """Go field names: ``Role``, ``Content``; in blocks ``ToolName`` in any spelling, and no id."""
    for message in messages[:FEW] if isinstance(messages, list) else ():
        if not isinstance(message, dict):
            return False
        if "Role" in message or "Content" in message:
            return True
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            if isinstance(block, dict) and GO_MEMBERS & block.keys() and "id" not in block:
                return True
    return False
