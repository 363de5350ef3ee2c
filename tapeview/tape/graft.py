"""Changing one value inside raw JSON text: every byte outside of it stays as it is.

All functions take the text of one value and give it back with one place changed. Places are paths
of keys and indexes. Of doubled keys the last is meant, as readers take it. They raise
``LookupError`` with a sentence where there is no such place, and ``JsonFault`` in damaged text.
"""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from tapeview.tape.json_text import (
    Span,
    elements,
    loads,
    locate,
    members,
    skip_blank,
    skip_value,
)

__all__ = [
    "COMPACT",
    "Style",
    "replaced",
    "respelled",
    "spelled",
    "style_of",
    "with_element",
    "with_member",
    "without",
]

Path = tuple[str | int, ...]

_SURROGATE = re.compile("[\ud800-\udfff]")


class Style(NamedTuple):
    """How a writer spells JSON."""

    blanks: bool = False
    """A blank after each comma and colon, as Python's ``json`` has it."""
    ascii: bool = False
    """Everything beyond ASCII as an escape."""
    indent: str = ""
    """One step of a text that is spread over lines; "" for one that is not."""
    depth: int = 0
    """How many steps the text's last line stands from the left."""

    def deeper(self, steps: int = 1) -> "Style":
        """The style of what stands inside."""
        return self._replace(depth=self.depth + steps)


COMPACT = Style()


def style_of(raw: bytes) -> Style:
    """How this object or array is spelled: told by its first member, first and last indent."""
    start = skip_blank(raw, 0)
    inside = skip_blank(raw, start + 1)
    gap = raw[start + 1 : inside].decode("ascii")
    escaped = raw.isascii() and _escape(raw) is not None
    if "\n" in gap:
        own = gap.rpartition("\n")[2]
        last = raw.rstrip()[:-1].rpartition(b"\n")[2]
        outer = "" if last.strip() else last.decode("ascii")
        step = own[len(outer) :] or own
        return Style(True, escaped, step, len(outer) // max(1, len(step)))
    found = _colon(raw, inside) or _comma(raw, inside)
    return Style(found is not None and raw[found.end() : found.end() + 1] == b" ", escaped)


_escape = re.compile(rb"\\u(?!00[01])[0-9a-fA-F]{4}").search
_colon = re.compile(rb'"\s*:').search
_comma = re.compile(rb",").search


def spelled(value: object, style: Style = COMPACT) -> bytes:
    """A Python value as JSON, as the writer would have it."""
    if style.indent:
        text = json.dumps(value, ensure_ascii=style.ascii, indent=style.indent)
        text = text.replace("\n", "\n" + style.indent * style.depth)
    else:
        separators = (", ", ": ") if style.blanks else (",", ":")
        text = json.dumps(value, ensure_ascii=style.ascii, separators=separators)
    return _SURROGATE.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text).encode()


def respelled(raw: bytes, style: Style) -> bytes:
    """JSON that somebody typed, with the writer's blanks; numbers and escapes stay as typed.

    Raises ``JsonFault`` where it is not JSON.
    """
    loads(raw)
    comma, colon = (b", ", b": ") if style.blanks else (b",", b":")
    if not style.indent:
        signs = {b",": comma, b":": colon}
        return b"".join(signs.get(token, token) for token in _tokens(raw))
    pieces: list[bytes] = []
    step, depth = style.indent.encode(), style.depth
    opened = False
    for token in _tokens(raw):
        if token in (b"]", b"}"):
            depth -= 1
            pieces += () if opened else (b"\n", step * depth)
        elif opened:
            pieces += (b"\n", step * depth)
        pieces.append(colon if token == b":" else token)
        opened = token in (b"[", b"{")
        depth += opened
        if token == b",":
            pieces += (b"\n", step * depth)
    return b"".join(pieces)


def _tokens(raw: bytes) -> Iterator[bytes]:
    """Strings, words, numbers and signs of a sound text, without the blanks between."""
    return (found[0] for found in _token(raw))


_token = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[][{}:,]|[^][{}:,"\s]++', re.DOTALL).finditer


def replaced(raw: bytes, path: Path, text: bytes) -> bytes:
    """``raw`` with ``text`` in place of the value at ``path``."""
    start, end = locate(raw, path)
    if path:
        end = skip_value(raw, start)
    return raw[:start] + text + raw[end:]


def with_member(raw: bytes, path: Path, key: str, text: bytes) -> bytes:
    """The object at ``path`` with ``key`` set: in its place, or as a new last member."""
    start, _ = locate(raw, path)
    found: Span | None = None
    last = -1
    for name, span in members(raw, start):
        last = span.end
        if name == key:
            found = span
    if found is not None:
        return raw[: found.start] + text + raw[found.end :]
    style = style_of(raw[start : skip_value(raw, start)])
    colon = b": " if style.blanks else b":"
    member = spelled(key, style) + colon + text
    if last < 0:
        inside = start + 1
        return raw[:inside] + member + raw[inside:]
    return raw[:last] + b"," + _gap(raw, start, style) + member + raw[last:]


def with_element(raw: bytes, path: Path, at: int, text: bytes) -> bytes:
    """The array at ``path`` with ``text`` before its element ``at``; at its end beyond the last."""
    start, _ = locate(raw, path)
    spans = list(elements(raw, start))
    if not spans:
        return raw[: start + 1] + text + raw[start + 1 :]
    gap = b"," + _gap(raw, start, style_of(raw[start : skip_value(raw, start)]), spans)
    if at >= len(spans):
        end = spans[-1].end
        return raw[:end] + gap + text + raw[end:]
    begin = spans[at].start
    return raw[:begin] + text + gap + raw[begin:]


def _gap(raw: bytes, start: int, style: Style, spans: list[Span] | None = None) -> bytes:
    """The blanks after a comma in the object or array that opens at ``start``."""
    first = raw[start + 1 : skip_blank(raw, start + 1)]
    if b"\n" in first:
        return first
    if spans and len(spans) > 1:
        between = raw[spans[0].end : spans[1].start]
        return between[between.find(b",") + 1 :]
    return b" " if style.blanks else b""


def without(raw: bytes, path: Path) -> bytes:
    """``raw`` without the member or element at ``path``, one comma less. The path is not empty.

    A doubled key goes as often as it is written.
    """
    start, _ = locate(raw, path[:-1])
    step = path[-1]
    while True:
        cut = _cut_of(raw, start, step)
        if cut is None:
            return raw
        raw = raw[: cut.start] + raw[cut.end :]
        if isinstance(step, int):
            return raw


def _cut_of(raw: bytes, start: int, step: str | int) -> Span | None:
    """What goes with a member: its key, its value, one comma and the blanks beside that."""
    inside = skip_blank(raw, start + 1)
    begins: list[int] = []
    ends: list[int] = []
    wanted = -1
    pos = inside
    if isinstance(step, int):
        for number, span in enumerate(elements(raw, start)):
            begins.append(span.start)
            ends.append(span.end)
            wanted = number if number == step else wanted
    else:
        for number, (name, span) in enumerate(members(raw, start)):
            begins.append(pos)
            ends.append(span.end)
            wanted = number if name == step else wanted
            pos = skip_blank(raw, skip_blank(raw, span.end) + 1)
    if wanted < 0:
        return None
    if wanted + 1 < len(begins):
        return Span(begins[wanted], begins[wanted + 1])
    if wanted:
        return Span(ends[wanted - 1], ends[wanted])
    close = skip_blank(raw, ends[0])
    return Span(start + 1, close)
