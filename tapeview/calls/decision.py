"""What a reply decides: the calls that it makes, or what it says."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from tapeview.tape.block import CALLS
from tapeview.tape.json_text import loads

__all__ = ["Decision", "canonical", "decision_of"]

WHOLE = 1e15
"""Below it a float that is whole says exactly what the integer says."""


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
    """JSON that is the same for equal values: keys in order, 1.0 is 1, true is not 1.

    Nothing recurses: a value may be nested as deep as a reader takes it.
    """
    pieces: list[str] = []
    waiting: list[tuple[bool, object]] = [(False, value)]
    while waiting:
        is_spelled, item = waiting.pop()
        if is_spelled:
            pieces.append(str(item))
        elif isinstance(item, Mapping):
            pieces.append("{")
            waiting.append((True, "}"))
            for number, key in enumerate(sorted(item, reverse=True)):
                waiting += ((True, ","),) if number else ()
                waiting += ((False, item[key]), (True, f"{_json(key)}:"))
        elif isinstance(item, list):
            pieces.append("[")
            waiting.append((True, "]"))
            for number, element in enumerate(reversed(item)):
                waiting += ((True, ","),) if number else ()
                waiting.append((False, element))
        elif isinstance(item, float) and abs(item) < WHOLE and item == int(item):
            pieces.append(str(int(item)))
        else:
            pieces.append(_json(item))
    return "".join(pieces)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
