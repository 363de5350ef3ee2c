"""Messages arrays side by side: which calls share a beginning, and where two arrays part.

An array is flattened to *cells*, a role and a block each, so that it does not matter whether
neighbouring messages are one or two. Real clients send the same block in several spellings, next to
each other: a string or a list with one text, a ``cache_control`` that wanders from call to call,
``is_error: false``, nulls, other key order and number spelling. A cell is the same for all of them.
Thinking stands apart: some harnesses strip it, some keep it.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import zip_longest
from typing import Final, NamedTuple

from tapeview.shapes.fields import fields_of, text_of
from tapeview.tape.json_text import JsonFault, array_spans, decode_text, loads

__all__ = [
    "Cell",
    "CellReader",
    "Difference",
    "chain",
    "first_difference",
    "flat",
    "link",
    "messages_in",
]

THINKING: Final = frozenset({"thinking", "redacted_thinking"})
DIGEST: Final = 16
"""Bytes of a hash."""


class Cell(NamedTuple):
    """A block with the role of its message, in the one spelling that all its spellings have."""

    role: str
    kind: str
    """The block's type; "" where it has none."""
    text: str
    """Canonical JSON of the block; as written where it is damaged or nested too deeply."""
    step: str
    """From the message to the block: ``content.1``; "" for string content."""
    digest: bytes
    """A hash of role and text."""

    @property
    def is_apart(self) -> bool:
        """Whether it is thinking, which two arrays may have or lack."""
        return self.kind in THINKING


class Difference(NamedTuple):
    """The first place at which two arrays part; a text is "" where one of them has nothing."""

    path: str
    """In the array that was got: ``messages.4.content.1.input.command``."""
    recorded: str
    got: str


class CellReader:
    """Reads messages into cells. A message that was seen is known by its bytes, not read again.

    A request repeats all that the one before it held, so what a call costs is what it adds.
    """

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[Cell, ...]] = {}

    def read(self, message: bytes) -> tuple[Cell, ...]:
        """The cells of one message's JSON."""
        cells = self._known.get(message)
        if cells is None:
            cells = self._known[message] = tuple(_cells(message))
        return cells

    def read_all(self, messages: Iterable[bytes]) -> list[tuple[Cell, ...]]:
        """The cells of each message."""
        return [self.read(message) for message in messages]


def messages_in(body: bytes) -> list[bytes]:
    """The elements of the ``messages`` of a request body, undecoded; none where there is no array.

    Raises ``JsonFault`` where the body is damaged.
    """
    raw = fields_of(body).get("messages", b"")
    if raw[:1] != b"[":
        return []
    spans, fault = array_spans(raw, 0)
    if fault is not None:
        raise fault
    return [raw[a:b] for a, b in spans]


def flat(messages: Iterable[Sequence[Cell]]) -> Iterator[Cell]:
    """The cells of an array, thinking left out."""
    for cells in messages:
        yield from (cell for cell in cells if not cell.is_apart)


def link(before: bytes, cell: Cell) -> bytes:
    """The hash of an array that is one cell longer than the one whose hash is ``before``."""
    return blake2b(before + cell.digest, digest_size=DIGEST).digest()


def chain(messages: Iterable[Sequence[Cell]], seed: bytes = b"") -> bytes:
    """The hash of a whole array, thinking left out; equal for arrays that say the same."""
    found = seed
    for cell in flat(messages):
        found = link(found, cell)
    return found


def first_difference(
    recorded: Iterable[Sequence[Cell]], got: Iterable[Sequence[Cell]]
) -> Difference | None:
    """Where two arrays part, thinking left out; None where they say the same."""
    last = "messages"
    for ours, theirs in zip_longest(_placed(recorded), _placed(got)):
        if theirs is None and ours is not None:
            return Difference(last, _role_and(ours[1]), "")
        if theirs is None:
            continue
        last, cell = theirs
        if ours is None:
            return Difference(last, "", _role_and(cell))
        if ours[1].digest != cell.digest:
            return _parted(last, ours[1], cell)
    return None


def _placed(messages: Iterable[Sequence[Cell]]) -> Iterator[tuple[str, Cell]]:
    for number, cells in enumerate(messages):
        for cell in cells:
            if not cell.is_apart:
                yield f"messages.{number}" + (f".{cell.step}" if cell.step else ""), cell


def _role_and(cell: Cell) -> str:
    return f"{cell.role}: {cell.text}"


def _parted(path: str, recorded: Cell, got: Cell) -> Difference:
    """The difference of two cells, as deep inside the block as only one value differs."""
    if recorded.role != got.role or recorded.kind != got.kind:
        return Difference(path, _role_and(recorded), _role_and(got))
    try:
        steps, ours, theirs = _deepest(_value(recorded.text), _value(got.text))
    except RecursionError:  # too deep to be compared value by value
        return Difference(path, recorded.text, got.text)
    if not got.step and steps[:1] == ["text"]:
        steps = steps[1:]  # string content has no block of its own
    return Difference(".".join([path, *steps]), ours, theirs)


def _deepest(ours: object, theirs: object) -> tuple[list[str], str, str]:
    """The steps to the first part that differs, and its two texts."""
    steps: list[str] = []
    while (step := _first_step(ours, theirs)) is not None:
        steps.append(str(step))
        ours, theirs = _at(ours, step), _at(theirs, step)
    return steps, _told(ours), _told(theirs)


class _Absent:
    """What stands at a place that there is not."""


ABSENT: Final = _Absent()


def _first_step(ours: object, theirs: object) -> str | int | None:
    """The first member or element that differs; None for values that have no such parts."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        names = [*theirs, *(name for name in ours if name not in theirs)]
        return next((n for n in names if _at(ours, n) != _at(theirs, n)), None)
    if isinstance(ours, list) and isinstance(theirs, list):
        pairs = enumerate(zip_longest(ours, theirs, fillvalue=ABSENT))
        return next((k for k, (mine, other) in pairs if mine != other), None)
    return None


def _at(value: object, step: str | int) -> object:
    if isinstance(value, dict):
        return value.get(step, ABSENT)
    if isinstance(value, list) and isinstance(step, int):
        return value[step] if step < len(value) else ABSENT
    return ABSENT


def _told(value: object) -> str:
    return "" if value is ABSENT else _canonical(value)


def _value(text: str) -> object:
    try:
        return loads(text.encode("utf-8", "surrogatepass"))
    except JsonFault:
        return text


def _cells(message: bytes) -> Iterator[Cell]:
    members = fields_of(message)
    role = text_of(members.get("role"))
    content = members.get("content", b"")
    if content[:1] == b'"':
        if content != b'""':
            yield _cell(role, b'{"type":"text","text":' + content + b"}", "")
        return
    spans = array_spans(content, 0)[0] if content[:1] == b"[" else ()
    for number, (start, end) in enumerate(spans):
        yield _cell(role, content[start:end], f"content.{number}")


def _cell(role: str, raw: bytes, step: str) -> Cell:
    kind = ""
    try:
        block = _plain_block(loads(raw))
        text = _canonical(block)
        if isinstance(block, dict):
            kind = str(block.get("type", ""))
    except (JsonFault, RecursionError):
        text = decode_text(raw)
    told = f"{role}\n{text}".encode("utf-8", "surrogatepass")
    return Cell(role, kind, text, step, blake2b(told, digest_size=DIGEST).digest())


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _plain_block(block: object) -> object:
    """A block without what its spellings differ in. What an input holds is left as it is."""
    if not isinstance(block, dict):
        return _plain(block)
    kept: dict[str, object] = {}
    for name, value in block.items():
        if name == "cache_control" or value is None:
            continue
        kept[name] = _plain(value)
    if kept.get("type") == "tool_result":
        if kept.get("is_error") is False:
            del kept["is_error"]
        content = kept.get("content")
        if isinstance(content, str):
            content = [{"type": "text", "text": content}] if content else []
        if isinstance(content, list):
            kept["content"] = [_plain_block(part) for part in content]
        if not kept.get("content", True):
            del kept["content"]
    if kept.get("citations") == []:
        del kept["citations"]
    return kept


def _plain(value: object) -> object:
    """The value with whole numbers spelled as such: 1.0 is 1."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value
