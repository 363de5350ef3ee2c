"""A reply beside the recorded one, block by block, and what a reply decided.

Values alone: whoever paints them takes the line and word difference of ``text`` from ``looks``.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import PurePath
from typing import Literal, NamedTuple

import msgspec

from tapeview.calls.decision import canonical
from tapeview.shapes.anthropic import block_parts
from tapeview.shapes.fields import fields_of, is_text, text_of
from tapeview.tape.block import CALLS
from tapeview.tape.clean import clean_line
from tapeview.tape.gist import PATHS, gist_of_call, gist_of_parts
from tapeview.tape.graft import spelled
from tapeview.tape.json_text import JsonFault, array_spans, decode_text, loads

__all__ = [
    "Pair",
    "Sameness",
    "Shown",
    "compare",
    "shown_blocks",
]

Sameness = Literal["same", "differs", "only recorded", "only new"]

MANY = 500
"""Blocks of one kind up to which equal ones are looked for; more are paired as they stand."""
IDS = ("id", "tool_use_id", "cache_control")
"""Members that are of no account when two blocks are compared."""


class Shown(msgspec.Struct, frozen=True):
    """One block of a reply."""

    kind: str
    """The type in the words of the Messages API; as raw as the tape."""
    name: str
    """A call's tool, clean; "" for other blocks."""
    gist: str
    """One clean line."""
    text: str = ""
    """The words of a text or of thinking, as raw as the tape."""
    raw: bytes = b""
    """A call's input, else the whole block; JSON as it is written."""


class Pair(msgspec.Struct, frozen=True):
    """A recorded block and the one that stands in its place; one of them may be missing."""

    sameness: Sameness
    recorded: Shown | None
    new: Shown | None
    reason: str = ""
    """What differs, in a few clean words; "" where all is the same."""
    added: int = 0
    """Lines of the new text that the recorded one lacks, between what both begin and end with."""
    removed: int = 0


class _Block(NamedTuple):
    shown: Shown
    key: str
    """Equal where the blocks are the same."""


def canonical_of(raw: bytes) -> str:
    """The same of JSON as it is written; the text itself where it cannot be read."""
    try:
        return canonical(loads(raw))
    except JsonFault:
        return decode_text(raw)


def shown_blocks(message: bytes, folder: str = "") -> tuple[Shown, ...]:
    """The blocks of a reply, to be listed. Raises ``JsonFault``."""
    return tuple(_block(raw, folder).shown for raw in _raw_blocks(message))


def compare(recorded: bytes, new: bytes, folder: str = "") -> tuple[Pair, ...]:
    """A reply beside the recorded one: both messages of the Messages API, as JSON.

    Blocks are paired by kind and order, equal ones first; pairs stand as the recorded blocks do,
    and what is new alone behind what it follows. Paths in gists are shown from ``folder``. Raises
    ``JsonFault``.
    """
    old = [_block(raw, folder) for raw in _raw_blocks(recorded)]
    fresh = [_block(raw, folder) for raw in _raw_blocks(new)]
    partner = _partners(old, fresh)
    taken = set(partner.values())
    pairs: list[Pair] = []

    def put_alone(at: int) -> None:
        while at < len(fresh) and at not in taken:
            pairs.append(_pair(None, fresh[at]))
            at += 1

    put_alone(0)
    for number, block in enumerate(old):
        at = partner.get(number)
        pairs.append(_pair(block, fresh[at] if at is not None else None))
        if at is not None:
            put_alone(at + 1)
    return tuple(pairs)


def _raw_blocks(message: bytes) -> Iterator[bytes]:
    content = fields_of(message).get("content", b"")
    if is_text(content):
        yield b'{"type":"text","text":' + content + b"}"
    elif content[:1] == b"[":
        for start, end in array_spans(content, 0)[0]:
            yield content[start:end]


def _block(raw: bytes, folder: str) -> _Block:
    fields = fields_of(raw)
    kind = text_of(fields.get("type"))
    if kind in CALLS:
        name, given = text_of(fields.get("name")), fields.get("input", b"null")
        gist = _gist_of_input(given, folder)
        key = f"{name}\n{canonical_of(given)}"
        return _Block(Shown(kind, clean_line(name, 80) or "call", gist, raw=given), key)
    if kind in ("text", "thinking") and is_text(fields.get(kind, b"")):
        text = text_of(fields[kind])
        gist = gist_of_parts(block_parts(raw)) if text else ""
        return _Block(Shown(kind, "", gist, text, raw), text)
    rest = b",".join(spelled(n) + b":" + v for n, v in fields.items() if n not in IDS)
    return _Block(Shown(kind, "", gist_of_parts(block_parts(raw)), raw=raw), _key(rest))


def _key(members: bytes) -> str:
    return canonical_of(b"{" + members + b"}")


def _gist_of_input(given: bytes, folder: str) -> str:
    try:
        return gist_of_call(loads(given), folder)
    except JsonFault:
        return clean_line(decode_text(given), 400)


def _partners(old: Sequence[_Block], new: Sequence[_Block]) -> dict[int, int]:
    """The number of each recorded block to that of the new block beside it."""
    by_kind: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, blocks in enumerate((old, new)):
        for number, block in enumerate(blocks):
            by_kind[block.shown.kind][side].append(number)
    found: dict[int, int] = {}
    for olds, news in by_kind.values():
        for some, others in _runs([old[k].key for k in olds], [new[k].key for k in news]):
            pool, left = news[others], list[int]()
            for one in olds[some]:
                name = old[one].shown.name
                same = next((k for k in pool if new[k].shown.name == name), None)
                if same is None:
                    left.append(one)
                else:
                    found[one] = same
                    pool.remove(same)
            found.update(zip(left, pool, strict=False))
    return found


def _runs(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[slice, slice]]:
    """Blocks of one kind that are paired in order: runs of equal ones, and what is between."""
    if len(old) + len(new) > MANY:
        yield slice(None), slice(None)
        return
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for _, a, b, c, d in matcher.get_opcodes():
        yield slice(a, b), slice(c, d)


def _pair(old: _Block | None, new: _Block | None) -> Pair:
    if old is None or new is None:
        one = old or new
        word = _word(one.shown) if one is not None else ""
        if old is None:
            return Pair("only new", None, new.shown if new else None, f"a {word} not recorded")
        return Pair("only recorded", old.shown, None, f"the recorded {word} did not come")
    if old.key == new.key:
        return Pair("same", old.shown, new.shown)
    if old.shown.kind in CALLS:
        return Pair("differs", old.shown, new.shown, _call_reason(old.shown, new.shown))
    removed, added = _changed_lines(old.shown.text, new.shown.text)
    reason = f"other {_word(old.shown)}"
    return Pair("differs", old.shown, new.shown, reason, added, removed)


def _word(shown: Shown) -> str:
    if shown.kind in CALLS:
        return f"call of {shown.name}"
    kind = clean_line(shown.kind, 40) or "nameless"
    return kind if kind == "text" else f"{kind} block"


def _call_reason(old: Shown, new: Shown) -> str:
    if old.name != new.name:
        return f"other tool: {new.name}, not {old.name}"
    one, other = _members(old.raw), _members(new.raw)
    differ = [n for n in one | other if canonical(one.get(n)) != canonical(other.get(n))]
    for name in PATHS:
        was, now = one.get(name), other.get(name)
        if name in differ and isinstance(was, str) and isinstance(now, str):
            short = PurePath(now).name, PurePath(was).name
            pair = short if short[0] != short[1] else (now, was)
            shown = [clean_line(path[:1000], 80) for path in pair]
            return f"same tool, other file: {shown[0]}, not {shown[1]}"
    words = ", ".join(clean_line(name[:200], 40) for name in differ[:3])
    return f"same tool, other {words or 'input'}" + (" and more" if differ[3:] else "")


def _members(raw: bytes) -> dict[str, object]:
    try:
        value = loads(raw)
    except JsonFault:
        return {}
    return value if isinstance(value, dict) else {}


def _changed_lines(old: str, new: str) -> tuple[int, int]:
    """Lines that go and come, between the lines that both begin with and both end with."""
    before, after = old.split("\n"), new.split("\n")
    head = _common(before, after)
    del before[:head], after[:head]
    tail = _common(before[::-1], after[::-1])
    return len(before) - tail, len(after) - tail


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((k for k, (a, b) in pairs if a != b), min(len(one), len(other)))
