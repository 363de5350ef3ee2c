r"""Raw JSON as indented lines for the block pane: nothing is parsed, so nothing is changed.

Numbers, key order and doubled keys stand as they are written; only blanks between them change.
Strings are shown decoded (``é``, not ``\u00e9``), with ``\"``, ``\\``, ``\n`` and ``\t`` spelled.
A string value with line breaks is shown as its bare lines, indented under its key.

Other control characters come out as they are: every part must pass through ``clean.visible``,
which shows them, before it is painted.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tapeview.tape.json_text import (
    Buffer,
    JsonFault,
    decode_text,
    skip_blank,
    skip_value,
    unquote,
)

__all__ = ["Kind", "Part", "PrettyLine", "pretty"]

Kind: TypeAlias = Literal["key", "string", "number", "literal", "punct", "block"]
Part: TypeAlias = tuple[Kind, str]

_STEP = 2
_DEEPEST = 200  # levels that are indented: a hundred thousand would be gigabytes of blanks
_BLANKS = " \t\n\r"
_SPELLED = (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t"))

_B = f"[{_BLANKS}]*+"
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_key = re.compile(rf"({_STRING}){_B}:{_B}", re.DOTALL).match
# A string, another scalar, an opening bracket (with its closing one at once) or a closing one.
_token = re.compile(
    rf"(?:({_STRING})|([-+.\w]++)|([\[{{]{_B}[\]}}]?+)|([\]}}])){_B}(,?+){_B}", re.DOTALL
).match


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
    text = decode_text(raw)
    if is_json:
        yield from _value_lines(text)
    else:
        for line in _lines(text):
            yield PrettyLine(0, (("string", line),))


def _value_lines(text: str) -> Iterator[PrettyLine]:
    """Walks over the tokens of a value that is known to be sound."""
    openers: list[str] = []
    pos = len(text) - len(text.lstrip(_BLANKS))
    while True:
        named = _key(text, pos) if openers and openers[-1] == "{" else None
        token = _token(text, named.end() if named else pos)
        if token is None:
            return
        pos = token.end()
        key = named and _quoted(_decoded(named[1]))
        indent = _STEP * min(len(openers), _DEEPEST)
        string, atom, opener, closer, comma = token.groups()
        if atom:
            kind: Kind = "number" if atom[-1].isdigit() else "literal"
            yield _line(indent, key, kind, atom, comma)
        elif opener:
            empty = opener[-1] in "]}"
            yield _line(indent, key, "punct", opener[0] + (opener[-1] if empty else ""), comma)
            if not empty:
                openers.append(opener[0])
        elif closer:
            openers.pop()
            indent = _STEP * min(len(openers), _DEEPEST)
            yield _line(indent, None, "punct", closer, comma)
        elif "\n" in (decoded := _decoded(string)):
            yield from _string_lines(indent, key, decoded, comma)
        else:
            yield _line(indent, key, "string", _quoted(decoded), comma)


def _string_lines(indent: int, key: str | None, text: str, comma: str) -> Iterator[PrettyLine]:
    if key is not None:
        yield PrettyLine(indent, (("key", key), ("punct", ":")))
        indent += _STEP
    for line in _lines(text):
        yield PrettyLine(indent, (("block", line),))
    if comma and key is None:
        # Without it two neighbours in an array would look like one string.
        yield PrettyLine(indent, (("punct", comma),))


def _lines(text: str) -> Iterator[str]:
    """The lines of ``text`` one by one: a list of millions would delay the first of them."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


def _line(indent: int, key: str | None, kind: Kind, text: str, comma: str) -> PrettyLine:
    if kind == "punct":
        if key is None:
            return PrettyLine(indent, ((kind, text + comma),))
        return PrettyLine(indent, (("key", key), (kind, f": {text}{comma}")))
    parts: tuple[Part, ...] = ((kind, text),)
    if key is not None:
        parts = (("key", key), ("punct", ": "), *parts)
    if comma:
        parts = (*parts, ("punct", comma))
    return PrettyLine(indent, parts)


def _decoded(token: str) -> str:
    return unquote(token) if "\\" in token else token[1:-1]


def _quoted(text: str) -> str:
    for char, spelling in _SPELLED:
        text = text.replace(char, spelling)
    return f'"{text}"'
