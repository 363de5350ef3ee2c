"""Looking into an object without decoding what is not asked for."""

from functools import lru_cache

import msgspec

from tapeview.tape.block import BlockFacts, JsonPath
from tapeview.tape.json_text import Buffer, JsonFault, loads, locate, members, skip_blank

__all__ = ["fields_of", "is_text", "text_facts", "text_of", "value_at"]

_members = msgspec.json.Decoder(dict[str, msgspec.Raw])
_elements = msgspec.json.Decoder(list[msgspec.Raw])
_REFUSED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def fields_of(raw: bytes) -> dict[str, bytes]:
    """The members of an object, undecoded; none for any other value. The last of equal keys wins.

    Raises ``JsonFault`` where the object is damaged.
    """
    try:
        return {key: bytes(value) for key, value in _members.decode(raw).items()}
    except _REFUSED:
        pass  # no object, damaged, or spelled as only the scanner reads it
    start = skip_blank(raw, 0)
    if raw[start : start + 1] != b"{":
        return {}
    return {key: raw[a:b] for key, (a, b) in members(raw, start)}


def value_at(raw: bytes, path: JsonPath) -> bytes:
    """The text of the value at ``path``. Raises what ``locate`` raises; several times faster."""
    try:
        match path:
            case [str(name)]:
                return bytes(_members.decode(raw)[name])
            case [str(name), int(number)] if number >= 0:
                return bytes(_elements_of(raw, name)[number])
            case [str(name), int(number), str(inner)] if number >= 0:
                return bytes(_members.decode(_elements_of(raw, name)[number])[inner])
    except (*_REFUSED, LookupError):
        pass  # damaged, not there, or spelled as only the scanner reads it
    start, end = locate(raw, path)
    return raw[start:end]


@lru_cache(maxsize=1)
def _elements_of(raw: bytes, name: str) -> list[msgspec.Raw]:
    """The elements of a member. The blocks of one message are looked at one after the other."""
    return _elements.decode(_members.decode(raw)[name])


def is_text(raw: bytes) -> bool:
    """Whether the value is a string."""
    return raw[:1] == b'"'


def text_of(raw: bytes | None) -> str:
    """The string's text; empty for any other value."""
    if raw is None or not is_text(raw):
        return ""
    try:
        return str(loads(raw))
    except JsonFault:
        return ""


def text_facts(raw: Buffer) -> int:
    """Whether a string is empty, or whitespace alone: bits of ``BlockFacts``."""
    if len(raw) == 2:
        return BlockFacts.EMPTY
    # Only a blank or an escape can begin a blank text; most texts are told by one byte.
    if raw[1] in b" \t\\\xc2\xe1\xe2\xe3\xef" and text_of(bytes(raw)).isspace():
        return BlockFacts.BLANK
    return BlockFacts.NONE
