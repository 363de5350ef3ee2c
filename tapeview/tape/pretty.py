r"""Raw JSON as indented lines for the block pane: nothing is parsed, so nothing is changed.

Numbers, key order and doubled keys stand as they are written; only blanks between them change.
Strings are shown decoded (``é``, not ``\u00e9``), with ``\"``, ``\\``, ``\n`` and ``\t`` spelled.
A string value with line breaks is shown as its bare lines, indented under its key.

Other control characters come out as they are: every part must pass through ``clean.visible``,
which shows them, before it is painted.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tapeview.tape.json_text import (
    Buffer,
    JsonFault,
    Span,
    decode_text,
    skip_blank,
    skip_value,
    string_end,
    text_of,
)

__all__ = ["Kind", "Part", "PrettyLine", "pretty"]

Kind: TypeAlias = Literal["key", "string", "number", "literal", "punct", "block"]
Part: TypeAlias = tuple[Kind, str]

_STEP = 2
_SPELLED = (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t"))
_QUOTE, _COMMA, _OPEN_OBJECT = b'",{'


@dataclass(frozen=True, slots=True)
class PrettyLine:
    """One line: parts to paint side by side, ``indent`` cells from the left.

    A line of a string with line breaks has exactly one part, of kind ``block``.
    """

    indent: int
    parts: tuple[Part, ...]

    @property
    def is_block(self) -> bool:
        """Whether this is a line of a string with line breaks, to be painted behind a bar."""
        return self.parts[0][0] == "block"


def pretty(raw: Buffer) -> Iterator[PrettyLine]:
    """The lines of the JSON value ``raw``; its plain lines, as strings, if it is not JSON."""
    try:
        is_json = skip_blank(raw, skip_value(raw, 0)) == len(raw)
    except JsonFault:
        is_json = False
    if is_json:
        yield from _value_lines(raw)
    else:
        for line in decode_text(raw).split("\n"):
            yield PrettyLine(0, (("string", line),))


def _value_lines(raw: Buffer) -> Iterator[PrettyLine]:
    """Walks over the tokens of a value that is known to be sound: one turn of the loop a line."""
    openings = bytearray()
    pos = skip_blank(raw, 0)
    while pos < len(raw):
        indent = _STEP * len(openings)
        key = None
        if raw[pos] in b"]}":
            opening = openings.pop()
            pos, comma = _past_comma(raw, pos + 1)
            yield _line(indent - _STEP, None, "punct", chr(opening + 2), comma)
            continue
        if openings and openings[-1] == _OPEN_OBJECT:
            end = string_end(raw, pos)
            key = _quoted(text_of(raw, Span(pos, end)))
            pos = skip_blank(raw, skip_blank(raw, end) + 1)
        opening = raw[pos]
        if opening in b"[{" and raw[skip_blank(raw, pos + 1)] != opening + 2:
            openings.append(opening)
            pos = skip_blank(raw, pos + 1)
            yield _line(indent, key, "punct", chr(opening), "")
            continue
        end = string_end(raw, pos) if opening == _QUOTE else skip_value(raw, pos)
        span = Span(pos, end)
        pos, comma = _past_comma(raw, end)
        if opening == _QUOTE:
            yield from _string_lines(indent, key, text_of(raw, span), comma)
        elif opening in b"[{":
            yield _line(indent, key, "punct", chr(opening) + chr(opening + 2), comma)
        else:
            text = decode_text(raw[span.start : span.end])
            yield _line(indent, key, "number" if text[-1].isdigit() else "literal", text, comma)


def _past_comma(raw: Buffer, pos: int) -> tuple[int, str]:
    """Where the next token begins after a value that ends at ``pos``, and the comma between."""
    pos = skip_blank(raw, pos)
    if pos < len(raw) and raw[pos] == _COMMA:
        return skip_blank(raw, pos + 1), ","
    return pos, ""


def _string_lines(indent: int, key: str | None, text: str, comma: str) -> Iterator[PrettyLine]:
    if "\n" not in text:
        yield _line(indent, key, "string", _quoted(text), comma)
        return
    inner = indent
    if key is not None:
        yield PrettyLine(indent, (("key", key), ("punct", ":")))
        inner += _STEP
    for line in text.split("\n"):
        yield PrettyLine(inner, (("block", line),))
    if comma and key is None:
        # Without it two neighbours in an array would look like one string.
        yield PrettyLine(indent, (("punct", comma),))


def _line(indent: int, key: str | None, kind: Kind, text: str, comma: str) -> PrettyLine:
    colon = "" if key is None else ": "
    parts: tuple[Part, ...] = () if key is None else (("key", key),)
    if kind == "punct":
        return PrettyLine(indent, (*parts, ("punct", colon + text + comma)))
    if colon:
        parts = (*parts, ("punct", colon))
    if comma:
        return PrettyLine(indent, (*parts, (kind, text), ("punct", comma)))
    return PrettyLine(indent, (*parts, (kind, text)))


def _quoted(text: str) -> str:
    for char, spelling in _SPELLED:
        text = text.replace(char, spelling)
    return f'"{text}"'
