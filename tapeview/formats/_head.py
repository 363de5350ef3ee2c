"""The beginning of a file, looked at once for all formats: what kind of text it is."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Literal

import msgspec

from tapeview.tape.json_text import JsonFault, Span, loads, members, skip_blank
from tapeview.tape.source import Source

__all__ = ["BOM", "FIRST_READ", "Head", "HeadKind", "member_spans"]

HeadKind = Literal["empty", "utf-16", "binary", "object", "array", "lines", "text"]

FIRST_READ = 256 * 1024
"""Bytes looked at first; more only where the first line is longer (``formats.md`` j)."""

BOM = b"\xef\xbb\xbf"
LINES_TRIED = 40
_raw_members = msgspec.json.Decoder(dict[str, msgspec.Raw])


class Head:
    """The first bytes of a source, enough to know its kind, and its first values decoded."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.first = self._read_first_line()

    def _read_first_line(self) -> bytes:
        length = FIRST_READ
        text = self.source.read(0, length)
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
        if b"\x00" in body[:4096] or body[:4] == b"\x28\xb5\x2f\xfd":
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
            try:
                value = loads(line)
            except JsonFault:
                value = None
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
        return self.source.read(0, self.source.size)

    @cached_property
    def members(self) -> Mapping[str, Span]:
        """Where the members of a document stand in its text; those before damage, where damaged."""
        spans, _ = member_spans(self.text)
        return spans

    def member(self, key: str) -> object:
        """One member of a document, decoded; None where it is absent or damaged."""
        span = self.members.get(key)
        if span is None:
            return None
        try:
            return loads(self.text[span.start : span.end])
        except JsonFault:
            return None


def member_spans(text: bytes) -> tuple[dict[str, Span], JsonFault | None]:
    """Members of the object that ``text`` is, and the damage that ended the search, if any."""
    start = skip_blank(text, len(BOM) if text.startswith(BOM) else 0)
    if text[start : start + 1] != b"{":
        return {}, None
    fast = _member_spans_fast(text, start)
    if fast is not None:
        return fast, None
    found: dict[str, Span] = {}
    try:
        for key, span in members(text, start):
            found[key] = span
    except JsonFault as fault:
        return found, fault
    return found, None


def _member_spans_fast(text: bytes, start: int) -> dict[str, Span] | None:
    """The same by msgspec, whose raw values follow one another; None where it refuses."""
    try:
        values = _raw_members.decode(text[start:] if start else text)
    except (msgspec.DecodeError, UnicodeDecodeError):
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


def _looks_like_utf16(text: bytes) -> bool:
    return len(text) >= 8 and (text[1:8:2] == b"\0\0\0\0"[:4] or text[0:8:2] == b"\0\0\0\0")
