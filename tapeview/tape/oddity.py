"""What JSON readers do not agree on in a text: doubled keys, and words that JSON lacks.

RFC 8259 leaves the first open ("names within an object SHOULD be unique") and knows no NaN and no
infinities; Python, and harnesses in it, write and read them.
"""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from tapeview.tape.block import JsonPath
from tapeview.tape.json_text import unquote

__all__ = ["Oddity", "are_plain", "oddities"]

DEEPEST = 16
"""Steps that are told of a path; whoever nests deeper is not helped by more."""

_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_tokens = re.compile(rb"[{}\[\],]|" + _STRING + rb"|(NaN|-?Infinity)", re.DOTALL).finditer
_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode
_decode_lines = msgspec.json.Decoder().decode_lines
_encode_lines = msgspec.json.Encoder().encode_lines


class Oddity(NamedTuple):
    """A doubled key, or a word in the place of a value."""

    path: JsonPath
    """Where the object or the word stands; its first 16 steps."""
    word: str
    """The key, or ``NaN``, ``Infinity``, ``-Infinity``."""
    doubled: bool


class _Doubled(Exception):  # noqa: N818 - a way out of a decoder, seen by nobody
    pass


def oddities(raw: bytes) -> tuple[Oddity, ...]:
    """All oddities of a readable JSON text, at every depth, in the order of the text.

    A key that is spelled three times counts twice. Whatever decoding and writing again leaves as it
    was has none, which is so for almost all texts and ten times faster than looking.
    """
    return () if _is_plain(raw) else tuple(_found(raw))


def are_plain(lines: bytes) -> bool:
    """Whether no line of several has an oddity; False also where only a look at each can tell."""
    try:
        return _encode_lines(_decode_lines(lines)) == lines + b"\n"
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return False


def _is_plain(raw: bytes) -> bool:
    """Whether no reader can disagree; False also where only the slow look can tell."""
    try:
        written = _encode(_decode(raw))
        if written == raw or written == msgspec.json.format(raw, indent=-1):
            return True
        _lenient_json(raw.decode())
    except (msgspec.MsgspecError, _Doubled, ValueError, RecursionError):
        return False
    return True


def _once(pairs: list[tuple[str, object]]) -> None:
    if len(dict(pairs)) < len(pairs):
        raise _Doubled


def _no_word(word: str) -> None:
    raise _Doubled(word)


_lenient_json = json.JSONDecoder(
    object_pairs_hook=_once, parse_constant=_no_word, strict=False
).decode


def _found(raw: bytes) -> Iterator[Oddity]:
    path: list[str | int] = []
    keys: list[set[str] | None] = []  # of each open object; None for an array
    at_key = False
    for token in _tokens(raw):
        sign = raw[token.start()]
        if sign in b"{[":
            at_key = sign == ord("{")
            path.append("" if at_key else 0)
            keys.append(set() if at_key else None)
        elif sign in b"}]":
            path.pop()
            keys.pop()
            at_key = False
        elif sign == ord(","):
            at_key = keys[-1] is not None
            if not at_key:
                path[-1] = int(path[-1]) + 1
        elif token[1]:
            yield Oddity(tuple(path[:DEEPEST]), token[1].decode(), False)
        elif at_key and (seen := keys[-1]) is not None:
            path[-1] = key = unquote(token[0])
            at_key = False
            if key in seen:
                yield Oddity(tuple(path[: min(DEEPEST, len(path) - 1)]), key, True)
            seen.add(key)
