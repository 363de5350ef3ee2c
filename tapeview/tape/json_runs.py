"""Runs of JSON text that are passed in one step: members that are scalars, brackets of deep nests.

All of them expect sound text before them, and take nothing that they are not sure of.
"""

import re
from collections.abc import Callable
from typing import TypeAlias, cast

__all__ = [
    "ATOM",
    "DEEP",
    "STRING",
    "Buffer",
    "always",
    "blank",
    "past_closers",
    "past_openers",
    "pattern",
    "run_in_array",
    "run_in_object",
]

Buffer: TypeAlias = bytes | memoryview

DEEP = 64
"""Levels from which on it is worth looking for runs of brackets."""

# Possessive throughout: no backtracking, so time stays linear and the matcher's stack flat.
_B = r"[ \t\n\r]*+"
STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
ATOM = r"(?:true|false|null|NaN|-?Infinity|-?(?:0|[1-9]\d*+)(?:\.\d++)?+(?:[eE][+-]?\d++)?+)"
_SCALAR = rf"(?:{STRING}|{ATOM})"
_OPENER = rf"(?:\[{_B}|\{{{_B}{STRING}{_B}:{_B})(?=[\[{{])"


def pattern(spelling: str) -> re.Pattern[bytes]:
    """The pattern of a spelling, in which a dot is any byte."""
    return re.compile(spelling.encode(), re.DOTALL)


def always(spelling: str) -> Callable[[Buffer, int], re.Match[bytes]]:
    """The matcher of a pattern that also matches nothing at all."""
    return cast(Callable[[Buffer, int], re.Match[bytes]], pattern(spelling).match)


blank = always(_B)
# The blanks after a value and all members after it that are scalars: much text in one step.
run_in_array = always(rf"{_B}(?:,{_B}{_SCALAR}{_B})*+")
run_in_object = always(rf"{_B}(?:,{_B}{STRING}{_B}:{_B}{_SCALAR}{_B})*+")
_openers = always(rf"(?:{_OPENER})*+")
_opener = pattern(_OPENER)
_closers = always(r"[\]}]*+")
_CLOSING = bytes.maketrans(b"[{", b"]}")


def past_openers(raw: Buffer, pos: int, closers: bytearray) -> int:
    """Where the run of opening brackets at ``pos`` ends, keys included; ``pos`` if there is none.

    The run leaves the last bracket: each of its own is followed by another. What closes them is
    put behind ``closers``.
    """
    end = _openers(raw, pos).end()
    # One byte more than the run, for the look ahead of its last bracket.
    found = _opener.findall(raw, pos, end + 1) if end > pos else ()
    closers += b"".join([opener[:1] for opener in found]).translate(_CLOSING)
    return end


def past_closers(raw: Buffer, pos: int, closers: bytearray) -> int:
    """Where the closing brackets end that begin at ``pos``, taken off the end of ``closers``.

    The first is known to be right; if not all that follow are, it alone is taken.
    """
    found = bytes(_closers(raw, pos)[0])[: len(closers)]
    if closers[: -len(found) - 1 : -1] != found:
        found = found[:1]
    del closers[-len(found) :]
    return pos + len(found)
