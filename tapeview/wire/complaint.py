"""From the words of a refused request to the place that they name (``rules.md`` 9).

Proxies and SDKs wrap the API's sentence in JSON, some of them twice, and some mask its path. What
counts is what is left: a path, ids, and the wording.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from tapeview.tape.json_text import JsonFault, loads, skip_value

__all__ = ["Complaint", "id_words", "read_complaint", "steps_of", "unwrapped"]

LEVELS: Final = 3
"""How often JSON is unwrapped."""
LONGEST: Final = 100_000
"""Characters of a pasted text that are looked at."""
TRIES: Final = 4
"""Opening braces that may turn out to be no JSON."""

_WORDS_IN: Final = ("message", "detail", "errorMessage", "error", "body")

_STEP = r"(?:\.?\[\d{1,9}\]|\.\d{1,9}|\.\*{2,9}|\.[A-Za-z_]\w{0,60})"
_path = re.compile(rf"(?<![\w.])(?:messages|system|tools){_STEP}*+", re.ASCII)
_masked = re.compile(rf"(?<![\w.*])\*{{2,9}}{_STEP}++", re.ASCII)
_tokens = re.compile(r"\*+|\w+", re.ASCII).findall
_named = re.compile(
    r"(?:immediately after:|blocks:|response messages:|with id:?)[ `'\"]*+([^\n]*)"
).search
_sentence_end = re.compile(r"\.(?=\s)|[.`'\"]*$|`? was found|\s+\(")
_id = re.compile(r"[\w.:|+/=-]{1,200}", re.ASCII)


class Complaint(NamedTuple):
    """What an API error says of a tape."""

    words: str
    path: tuple[str, ...]
    """Steps such as ``("messages", "4", "content", "1")``; masked ones are ``**``; may be empty."""
    ids: tuple[str, ...]
    """Ids that it names."""

    @property
    def has_place(self) -> bool:
        """Whether the path tells one message or block from another."""
        return any(step.isdigit() for step in self.path)


def unwrapped(text: str) -> str:
    """The innermost sentence of an error that is wrapped in JSON; plain text as it is."""
    text = text[:LONGEST]
    for _ in range(LEVELS):
        inner = _inner(text)
        if inner is None:
            break
        text = inner
    return text


def _inner(text: str) -> str | None:
    """The sentence inside the first JSON value of the text; None where there is none."""
    for candidate in (text, text.replace('\\"', '"')):
        value = _first_json(candidate)
        if value is not None:
            return _sentence_of(value)
    return None


def _first_json(text: str) -> object:
    at = 0 if text.lstrip()[:1] == '"' else text.find("{")
    for _ in range(TRIES):
        if at < 0:
            return None
        raw = text[at:].encode("utf-8", "surrogatepass")
        try:
            return loads(raw[: skip_value(raw, 0)])
        except JsonFault:
            at = text.find("{", at + 1)
    return None


def _sentence_of(value: object) -> str | None:
    """The message of an error object, with the place that it names beside it."""
    place = ""
    for _ in range(LEVELS):
        if isinstance(value, str):
            return value if place in value else f"{place}: {value}"
        if not isinstance(value, Mapping):
            return None
        param = value.get("param")
        place = param if isinstance(param, str) else place
        error = value.get("error")
        if isinstance(error, Mapping):
            value = error
            continue
        value = next((value[key] for key in _WORDS_IN if value.get(key)), None)
    return value if isinstance(value, str) else None


def read_complaint(text: str) -> Complaint:
    """Path and ids of an API error, however it is wrapped."""
    words = unwrapped(text)
    paths = [match[0] for match in _path.finditer(words)]
    placed = next((path for path in paths if any(sign.isdigit() for sign in path)), None)
    masked = _masked.search(words)
    path = placed or (masked[0] if masked else None) or (paths[0] if paths else "")
    return Complaint(words, steps_of(path), _ids_of(words))


def steps_of(path: str) -> tuple[str, ...]:
    """``messages[4].tool_calls[0]`` and ``messages.4.tool_calls.0`` as the same steps."""
    return tuple(_tokens(path))


def _ids_of(words: str) -> tuple[str, ...]:
    found = _named(words)
    if found is None:
        return ()
    rest = found[1]
    end = _sentence_end.search(rest)
    listed = rest[: end.start()] if end else rest
    pieces = (piece.strip(" `'\".[]") for piece in listed.split(","))
    return tuple(piece for piece in pieces if _id.fullmatch(piece))


def id_words(words: str) -> tuple[str, ...]:
    """Words that could be ids by their letters alone."""
    return tuple(word.strip(".:|") for word in _id.findall(words))
