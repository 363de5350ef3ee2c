"""From the words of a refused request back to the findings of a tape (``rules.md`` 9).

Proxies and SDKs wrap the API's sentence in JSON, some of them twice, and some mask its path. What
counts is what is left: a path, ids, and the wording.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from tapeview.rules._engine import Finding
from tapeview.snapshot import Snapshot
from tapeview.tape.json_text import JsonFault, loads, skip_value

__all__ = ["Complaint", "fitting", "read_complaint", "unwrapped"]

LEVELS: Final = 3
"""How often JSON is unwrapped."""
LONGEST: Final = 100_000
"""Characters of a pasted text that are looked at."""
TRIES: Final = 4
"""Opening braces that may turn out to be no JSON."""
SHORTEST_ID: Final = 6
"""Characters from which on a word in a sentence may be an id."""
LIKE: Final = 0.6
"""The share of a rule's words from which on a text without a place is taken for its complaint."""

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
_word = re.compile(r"[a-z_]{3,40}").findall


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


def fitting(complaint: Complaint, snapshot: Snapshot) -> Sequence[Finding]:
    """The findings that the complaint speaks of, all of one rule, the one to go to first.

    None where the ids are not in this tape, or where nothing is wrong at the place it names: then
    it speaks of another array.
    """
    known = _known_ids(complaint, snapshot)
    if complaint.ids and not known:
        return ()
    if known:
        found = [f for f in snapshot.findings if not known.isdisjoint(f.fault.ids)]
    elif complaint.has_place:
        found = [f for f in snapshot.findings if _meets(complaint, f, snapshot)]
    else:
        found = [f for f in snapshot.findings if _likeness(complaint, f) >= LIKE]
    if not found:
        return ()
    best = max(found, key=lambda finding: _rank(complaint, finding))
    same = [finding for finding in found if finding.rule is best.rule]
    if not known and not complaint.has_place:
        return _last_user_first(same, snapshot)
    return [best, *(finding for finding in same if finding is not best)]


def _known_ids(complaint: Complaint, snapshot: Snapshot) -> frozenset[str]:
    """Ids of this tape that the text names; where no words lead up to them, such as look it."""
    told = set(complaint.ids)
    if not told:
        words = (word.strip(".:|") for word in _id.findall(complaint.words))
        told = {word for word in words if _looks_like_id(word)}
    return frozenset(block.id for block in snapshot.index.places if block.id in told)


def _meets(complaint: Complaint, finding: Finding, snapshot: Snapshot) -> bool:
    """Whether the complaint's place is the finding's, or one lies inside the other."""
    if _is_along(complaint.path, steps_of(_sent_at(finding, snapshot))):
        return True
    own = steps_of(finding.api_path)
    if not _is_along(complaint.path, own):
        return False
    # A whole message is blamed for one block of it, so another block of it need not be at fault.
    return len(own) >= len(complaint.path) or _likeness(complaint, finding) >= LIKE


def _sent_at(finding: Finding, snapshot: Snapshot) -> str:
    """The finding's place in the array that was sent, where it is in there."""
    index, block = snapshot.sent_index, finding.block
    if index is snapshot.index or block is None or block not in index.places:
        return finding.at
    return index.path(index.places[block])


def _looks_like_id(word: str) -> bool:
    return len(word) >= SHORTEST_ID and any(sign in "_0123456789" for sign in word)


def _is_along(path: Sequence[str], own: Sequence[str]) -> bool:
    if len(own) < 2:
        return False
    return all(a == b or a[0] == "*" for a, b in zip(path, own, strict=False))


def _rank(complaint: Complaint, finding: Finding) -> tuple[float, int, int]:
    """Wording first, then the path, then the order in which the API would report."""
    own = steps_of(finding.api_path)
    same = sum(a == b for a, b in zip(complaint.path, own, strict=False))
    return _likeness(complaint, finding), same - abs(len(own) - len(complaint.path)), -len(own)


def _likeness(complaint: Complaint, finding: Finding) -> float:
    """The share of the words of the finding's own message that the complaint has too."""
    own = set(_word(finding.api_message.lower())) - {"messages", "content"}
    told = set(_word(complaint.words.lower()))
    return len(own & told) / len(own) if own else 0.0


def _last_user_first(found: Sequence[Finding], snapshot: Snapshot) -> Sequence[Finding]:
    """Without a place the last user side is looked at first: some models mind only that one."""
    messages = snapshot.index.messages
    users = [f for f in found if f.place.message >= 0 and messages[f.place.message].role == "user"]
    best = users[-1] if users else found[0]
    return [best, *(finding for finding in found if finding is not best)]
