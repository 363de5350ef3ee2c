"""What a reply decides: the calls that it makes, or what it says."""

import json
from typing import NamedTuple

from tapeview.tape.block import CALLS
from tapeview.tape.json_text import loads

__all__ = ["Decision", "canonical", "decision_of"]


class Decision(NamedTuple):
    """Two replies decide the same if these are equal; thinking, ids and spelling do not count."""

    calls: tuple[tuple[str, str], ...]
    """Each call's tool and its input as canonical JSON, in order."""
    text: str
    """What is said where nothing is called, blanks and line breaks as one blank."""


def decision_of(message: bytes) -> Decision:
    """The decision of a message as the API answers it, JSON. Raises ``JsonFault``."""
    value = loads(message)
    content = value.get("content") if isinstance(value, dict) else None
    if isinstance(content, str):
        return Decision((), " ".join(content.split()))
    blocks = [block for block in content or () if isinstance(block, dict)]
    calls = tuple(
        (str(block.get("name", "")), canonical(block.get("input")))
        for block in blocks
        if block.get("type") in CALLS
    )
    if calls:
        return Decision(calls, "")
    said = (str(block.get("text", "")) for block in blocks if block.get("type") == "text")
    return Decision((), " ".join(" ".join(said).split()))


def canonical(value: object) -> str:
    """A value as JSON that is the same for equal values: keys in order, ``1.0`` as ``1``."""
    try:
        return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    except RecursionError:
        return repr(value)


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
