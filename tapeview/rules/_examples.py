"""Messages and blocks for the examples of the rules, short enough to be read."""

from typing import Any

__all__ = [
    "answers",
    "call",
    "chat_call",
    "chat_calls",
    "chat_result",
    "result",
    "said",
    "says",
    "text",
]

JsonObject = dict[str, Any]


def said(*content: JsonObject | str) -> JsonObject:
    """A user message: a string, or blocks."""
    return {"role": "user", "content": _content(content)}


def says(*content: JsonObject | str) -> JsonObject:
    """An assistant message: a string, or blocks."""
    return {"role": "assistant", "content": _content(content)}


def _content(content: tuple[JsonObject | str, ...]) -> object:
    return content[0] if len(content) == 1 and isinstance(content[0], str) else list(content)


def text(words: str) -> JsonObject:
    """A text block."""
    return {"type": "text", "text": words}


def call(identity: str, name: str = "orders", /, **members: object) -> JsonObject:
    """A client call; ``members`` replace or add to its own."""
    return {"type": "tool_use", "id": identity, "name": name, "input": {}, **members}


def result(identity: str, content: object = "none", /, **members: object) -> JsonObject:
    """A client result."""
    return {"type": "tool_result", "tool_use_id": identity, "content": content, **members}


def answers(*identities: str) -> JsonObject:
    """A user message that answers these calls and holds nothing else."""
    return said(*(result(identity) for identity in identities))


def chat_calls(*calls: JsonObject) -> JsonObject:
    """Chat: an assistant message with ``tool_calls``."""
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def chat_call(identity: str, name: str = "orders") -> JsonObject:
    """Chat: one element of ``tool_calls``."""
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": "{}"}}


def chat_result(identity: str, content: str = "none") -> JsonObject:
    """Chat: a ``tool`` message."""
    return {"role": "tool", "tool_call_id": identity, "content": content}
