"""The beginning of a file, looked at once for all formats: what kind of text it is."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import Literal, NamedTuple

import msgspec

from tapeview.tape.json_text import (
    JsonFault,
    Span,
    array_spans,
    elements,
    loads,
    members,
    skip_blank,
    skip_value,
)
from tapeview.tape.source import Source

__all__ = ["BOM", "FIRST_READ", "Elements", "Head", "HeadKind"]

HeadKind = Literal["empty", "utf-16", "binary", "object", "array", "lines", "text"]

FIRST_READ = 256 * 1024
"""Bytes looked at first; more only where the first line is longer (``formats.md`` j)."""

BOM = b"\xef\xbb\xbf"
ZSTD = b"\x28\xb5\x2f\xfd"
LINES_TRIED = 40
SAMPLE = 200
"""Messages decoded to tell a dialect by."""
BIG = 64 * 1024
"""Bytes of a value from which on it is not decoded to tell a format, only looked into."""
DEEPEST = 4
"""Levels of a big value that are looked into: all that tells a format stands higher."""
_raw_members = msgspec.json.Decoder(dict[str, msgspec.Raw])


class Elements(NamedTuple):
    """The elements of an array: where it opens, where they stand, and what ended it too early."""

    start: int
    spans: list[Span]
    fault: JsonFault | None


class _Document(NamedTuple):
    """Members of an object, the keys that came again, and the damage that ended the search."""

    members: dict[str, Span]
    doubled: tuple[str, ...] = ()
    fault: JsonFault | None = None


class Head:
    """The first bytes of a source, enough to know its kind, and its first values decoded."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.first = self._read_first_line()

    def _read_first_line(self) -> bytes:
        length = FIRST_READ
        text = self.source.read(0, length)
        if _is_binary(text):
            return text
        while b"\n" not in text.strip() and len(text) == length:
            length *= 4
            text = self.source.read(0, length)
        return text

    @cached_property
    def kind(self) -> HeadKind:
        """What the bytes look like, before any format is asked."""
        text = self.first
        if text[:2] in (b"\xff\xfe", b"\xfe\xff") or _looks_like_utf16(text[:64]):
            return "utf-16"
        body = text.removeprefix(BOM).lstrip()
        if not body:
            return "empty"
        if _is_binary(text):
            return "binary"
        if self.objects and (len(self.objects) > 1 or not self._is_one_document):
            return "lines"
        if body[:1] == b"{":
            return "object"
        return "array" if body[:1] == b"[" else "text"

    @property
    def _is_one_document(self) -> bool:
        whole = len(self.first) >= self.source.size
        one = self.objects[0]
        return whole and (
            isinstance(one.get("messages"), list) or "input" in one or not _is_row(one)
        )

    @cached_property
    def objects(self) -> list[dict[str, object]]:
        """The first lines that are JSON objects on their own."""
        found: list[dict[str, object]] = []
        tried = 0
        for line in self.lines():
            tried += 1
            value = _value_of_line(line)
            if isinstance(value, dict):
                found.append(value)
            elif tried > 3 and not found:
                break
            if tried == LINES_TRIED:
                break
        return found if len(found) * 2 >= tried else []

    def lines(self) -> Iterator[bytes]:
        """Whole lines of the head that hold something: no blank ones, no ``//`` comments."""
        whole = len(self.first) >= self.source.size
        text = self.first if whole else self.first[: self.first.rfind(b"\n") + 1]
        for line in text.removeprefix(BOM).split(b"\n"):
            body = line.strip()
            if body and not body.startswith(b"//"):
                yield body

    @cached_property
    def text(self) -> bytes:
        """The whole source, for a file that is one JSON document."""
        if len(self.first) >= self.source.size:
            return self.first
        return self.source.read(0, self.source.size)

    @cached_property
    def _document(self) -> _Document:
        return _member_spans(self.text)

    @property
    def members(self) -> Mapping[str, Span]:
        """Where the members of a document stand in its text; those before damage, where damaged."""
        return self._document.members

    @property
    def doubled(self) -> tuple[str, ...]:
        """Members that the document spells more than once, as often as they come again."""
        return self._document.doubled

    @cached_property
    def damage(self) -> JsonFault | None:
        """What is wrong with a document, its array of messages included."""
        if self.elements is not None and self.elements.fault is not None:
            return self.elements.fault
        if self.members or self.elements is None:
            return self._document.fault
        return _text_behind(self.text, self.elements.start)

    @cached_property
    def elements(self) -> Elements | None:
        """The array of messages of a document, also where it is cut off before its end."""
        start = self._array_start()
        return None if start is None else Elements(start, *array_spans(self.text, start))

    def _array_start(self) -> int | None:
        text = self.text
        if (span := self.members.get("messages")) is not None:
            return span.start if text[span.start : span.start + 1] == b"[" else None
        start = skip_blank(text, len(BOM) if text.startswith(BOM) else 0)
        if text[start : start + 1] == b"[":
            return start
        if text[start : start + 1] != b"{" or self._document.fault is None:
            return None
        after = max((span.end for span in self.members.values()), default=start + 1)
        found = _cut_messages(text, after)
        return found.end() if found else None

    @cached_property
    def sample(self) -> list[object]:
        """The first messages of a document, decoded; None in place of what cannot be."""
        spans = self.elements.spans[:SAMPLE] if self.elements is not None else ()
        return [_sketched(self.text[span.start : span.end]) for span in spans]

    def member(self, key: str) -> object:
        """One member of a document, decoded; None where it is absent or damaged."""
        span = self.members.get(key)
        return None if span is None else _decoded(self.text, span)


_cut_messages = re.compile(rb'[\s,]*"messages"\s*:\s*(?=\[)').match


def _decoded(text: bytes, span: Span) -> object:
    try:
        return loads(text[span.start : span.end])
    except JsonFault:
        return None


def _sketched(raw: bytes, depth: int = 0) -> object:
    """A sound value decoded; of a big one what tells its format: long texts cut, lists too.

    None in place of what is nested too deeply, or has an odd spelling.
    """
    if len(raw) <= BIG:
        with suppress(JsonFault):
            return loads(raw)
    if depth == DEEPEST:
        return None
    if raw[:1] == b"{":
        return {key: _sketched(raw[a:b], depth + 1) for key, (a, b) in members(raw, 0)}
    if raw[:1] == b"[":
        return [_sketched(raw[a:b], depth + 1) for a, b in islice(elements(raw, 0), SAMPLE)]
    return raw[1:BIG].decode("utf-8", "replace") if raw[:1] == b'"' else None


def _value_of_line(line: bytes) -> object:
    """The value on a line, the first of two objects that run together; else None."""
    try:
        if len(line) <= BIG:
            return loads(line)
        if (end := skip_value(line, 0)) < len(line):
            raise JsonFault(end, "more text follows the value")
        return _sketched(line)
    except JsonFault as fault:
        if not line.startswith(b"{") or line[fault.offset : fault.offset + 1] != b"{":
            return None
        return _decoded(line, Span(0, fault.offset))


def _text_behind(text: bytes, start: int) -> JsonFault | None:
    """The complaint of text that follows the value at ``start``."""
    rest = skip_blank(text, skip_value(text, start))
    return JsonFault(rest, "more text follows the value") if rest < len(text) else None


def _member_spans(text: bytes) -> _Document:
    """The object that ``text`` is. The last of equal keys is kept, but an array of messages only
    ever gives way to another.
    """  # noqa: D205
    start = skip_blank(text, len(BOM) if text.startswith(BOM) else 0)
    if text[start : start + 1] != b"{":
        return _Document({})
    fast = _member_spans_fast(text, start)
    if fast is not None:
        return _Document(fast)
    found: dict[str, Span] = {}
    doubled: list[str] = []
    fault: JsonFault | None = None
    try:
        for key, span in members(text, start):
            if key in found:
                doubled.append(key)
                if key == "messages" and text[span.start] != ord("["):
                    continue
            found[key] = span
        fault = _text_behind(text, start)
    except JsonFault as damage:
        fault = damage
    return _Document(found, tuple(doubled), fault)


def _member_spans_fast(text: bytes, start: int) -> dict[str, Span] | None:
    """The same by msgspec, whose raw values follow one another; None where it refuses."""
    try:
        values = _raw_members.decode(text[start:] if start else text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    spans: dict[str, Span] = {}
    position = start + 1
    for key, value in values.items():
        raw = bytes(value)
        key_start = skip_blank(text, position)
        key_end = text.find(b'"', key_start + 1) + 1
        colon = skip_blank(text, key_end)
        begin = skip_blank(text, colon + 1)
        literal = text[key_start:key_end]
        if literal[1:-1] != key.encode("utf-8", "replace") or not text.startswith(raw, begin):
            return None
        spans[key] = Span(begin, begin + len(raw))
        position = skip_blank(text, begin + len(raw)) + 1
    return spans if text[position - 1 : position] == b"}" or not values else None


def _is_row(value: Mapping[str, object]) -> bool:
    """Whether one lone object is a line of a log rather than a document."""
    return bool({"role", "uuid", "sessionId", "type", "payload"} & value.keys())


def _is_binary(text: bytes) -> bool:
    """Zero bytes in a text that does not begin as JSON; a crash may leave them behind JSON."""
    if text.startswith(ZSTD):
        return True
    body = text[:4096].removeprefix(BOM).lstrip()
    return b"\0" in body and body[:1] not in (b"{", b"[", b"/")


def _looks_like_utf16(text: bytes) -> bool:
    """Every second byte is zero, and the others are printable."""
    for zeros, signs in ((text[0:16:2], text[1:16:2]), (text[1:16:2], text[0:16:2])):
        if len(signs) >= 2 and not any(zeros) and all(9 <= sign < 127 for sign in signs):
            return True
    return False
