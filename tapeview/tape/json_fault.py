"""Where and why a text stops being JSON."""

import re
from typing import TypeAlias

__all__ = ["Buffer", "JsonFault", "fault_after_value", "fault_at_end", "fault_at_value"]

Buffer: TypeAlias = bytes | memoryview

CLOSE_ARRAY = ord("]")
WORDS = (b"true", b"false", b"null", b"NaN", b"Infinity", b"-Infinity")
_cut_number = re.compile(rb"(?:\.|[eE][+-]?)\Z").match


class JsonFault(ValueError):  # noqa: N818 - a place in a text, named as findings are
    """The text stops being JSON at byte ``offset``; ``reason`` says why in plain words."""

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(f"{reason} (byte {offset})")
        self.offset = offset
        self.reason = reason


def fault_at_end(raw: Buffer, closer: int | None) -> JsonFault:
    """The text ends; ``closer`` is the bracket that should close, None outside of all."""
    inside = {None: "where a value should begin", CLOSE_ARRAY: "inside an array"}
    return JsonFault(len(raw), f"the text ends {inside.get(closer, 'inside an object')}")


def fault_at_value(raw: Buffer, pos: int, closer: int | None) -> JsonFault:
    """No value stands at ``pos``, where one should."""
    start = bytes(raw[pos : pos + 9])
    if not start:
        return fault_at_end(raw, closer)
    if pos + len(start) == len(raw) and any(word.startswith(start) for word in WORDS):
        return JsonFault(len(raw), "the text ends inside a value")
    return JsonFault(pos, "a value should stand here")


def fault_after_value(raw: Buffer, pos: int, closer: int | None) -> JsonFault:
    """What stands at ``pos``, behind a value, is neither a comma nor the bracket that closes."""
    if closer is None:
        return JsonFault(pos, "more text follows the value")
    if pos >= len(raw):
        return fault_at_end(raw, closer)
    if raw[pos - 1] in b"0123456789" and _cut_number(raw, pos):
        return JsonFault(len(raw), "the text ends inside a number")
    return JsonFault(pos, f"a comma or {chr(closer)} should stand here")
