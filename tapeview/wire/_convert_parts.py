"""Parts of Chat content as blocks of the Messages API, and the list of what is lost on the way."""

import binascii
import json
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping

from tapeview.shapes.fields import fields_of, is_text, text_facts, text_of
from tapeview.tape.clean import clean_line
from tapeview.tape.graft import spelled
from tapeview.tape.json_text import array_spans

__all__ = ["Losses", "blocks_of", "input_of", "items", "object_of", "text_block"]

SHOWN = 3
"""Places that are named of one kind of loss; the others are counted."""

PASSED = frozenset(
    {"document", "image", "redacted_thinking", "thinking", "tool_result", "tool_use"}
)
"""Parts that are in the Messages API's spelling already: some clients mix them in."""

MEDIA = re.compile(r"data:([\w.+-]+/[\w.+-]+)?((?:;[^;,]*)*),(.*)", re.DOTALL)
_LONE = re.compile("[\ud800-\udfff]")


class Losses:
    """What has no counterpart: a sentence for each kind, with the places where it was."""

    def __init__(self) -> None:
        self._places: dict[str, list[str]] = {}

    def add(self, what: str, at: str = "") -> None:
        """Note a loss; ``at`` is the place in the Chat body, "" for the body itself."""
        self._places.setdefault(what, []).append(at)

    def sentences(self) -> tuple[str, ...]:
        """One for each kind, in the order in which they were met."""
        return tuple(_sentence(what, [p for p in at if p]) for what, at in self._places.items())


def _sentence(what: str, places: list[str]) -> str:
    if not places:
        return what
    more = f" and {len(places) - SHOWN} more" if len(places) > SHOWN else ""
    return f"{what}: {', '.join(places[:SHOWN])}{more}"


def object_of(members: Mapping[str, bytes]) -> bytes:
    """An object of members that are JSON already."""
    return b"{" + b",".join(spelled(name) + b":" + raw for name, raw in members.items()) + b"}"


def items(raw: bytes) -> list[bytes]:
    """The elements of an array; none of any other value. Raises ``JsonFault`` for a damaged one."""
    if raw[:1] != b"[":
        return []
    spans, fault = array_spans(raw, 0)
    if fault is not None:
        raise fault
    return [raw[a:b] for a, b in spans]


def text_block(text: bytes, mark: bytes = b"") -> bytes:
    """A text block around the JSON of its text, with a cache mark where there is one."""
    return object_of({"type": b'"text"', "text": text} | ({"cache_control": mark} if mark else {}))


def blocks_of(content: bytes, at: str, losses: Losses, allowed: str) -> list[bytes]:
    """The blocks of a message's content: a string, a list of parts, or nothing.

    ``allowed`` are the kinds of blocks that have a place there, "" for any. Texts without a word
    are left out: the API refuses them.
    """
    if is_text(content):
        return list(_text(content, b"", at, losses))
    found: list[bytes] = []
    for number, part in enumerate(items(content)):
        place = f"{at}.content.{number}"
        for block in _block(part, place, losses):
            kind = text_of(fields_of(block).get("type"))
            if not allowed or kind in allowed.split():
                found.append(block)
            else:
                losses.add(f"{_a(kind)} in such a message is left out", place)
    return found


def _a(kind: str) -> str:
    word = clean_line(kind, 40) or "nameless part"
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def _text(text: bytes, mark: bytes, at: str, losses: Losses) -> Iterator[bytes]:
    if text_facts(text):
        losses.add("a text without a word is left out", at)
    else:
        yield text_block(text, mark)


def _block(part: bytes, at: str, losses: Losses) -> Iterator[bytes]:
    if is_text(part):
        yield from _text(part, b"", at, losses)
        return
    fields = fields_of(part)
    kind = text_of(fields.get("type"))
    if kind == "text" and is_text(fields.get("text", b"")):
        yield from _text(fields["text"], fields.get("cache_control", b""), at, losses)
        _name_others(fields, {"type", "text", "cache_control"}, at, losses)
    elif kind == "refusal" and is_text(fields.get("refusal", b"")):
        losses.add("a refusal becomes a text", at)
        yield from _text(fields["refusal"], b"", at, losses)
    elif kind in ("image_url", "input_image"):
        yield from _image(fields, at, losses)
    elif kind == "file":
        yield from _file(fields_of(fields.get("file", b"")), at, losses)
    elif kind in PASSED:
        yield part
    else:
        losses.add(f"{_a(kind)} is left out", at)


def _name_others(fields: Mapping[str, bytes], known: set[str], at: str, losses: Losses) -> None:
    for name in fields.keys() - known:
        if fields[name] != b"null":
            losses.add(f"`{clean_line(name, 60)}` of a part is left out", at)


def _image(fields: Mapping[str, bytes], at: str, losses: Losses) -> Iterator[bytes]:
    image = fields_of(fields.get("image_url", b""))
    url = image.get("url", fields.get("image_url", b""))
    if "detail" in image or "detail" in fields:
        losses.add("the detail that an image is asked to be seen in is left out", at)
    address = text_of(url)
    if not address.startswith("data:"):
        if address:
            source = object_of({"type": b'"url"', "url": url})
            yield object_of({"type": b'"image"', "source": source})
        else:
            losses.add("an image without an address is left out", at)
    elif (data := _base64(address)) is not None:
        yield object_of({"type": b'"image"', "source": data})
    else:
        losses.add("an image that is not written as base64 is left out", at)


def _file(file: Mapping[str, bytes], at: str, losses: Losses) -> Iterator[bytes]:
    data = text_of(file.get("file_data"))
    source = _base64(data if data.startswith("data:") else f"data:application/pdf;base64,{data}")
    if not data or source is None or text_of(fields_of(source)["media_type"]) != "application/pdf":
        losses.add("a file that is no PDF inside of the request is left out", at)
        return
    title = {"title": file["filename"]} if is_text(file.get("filename", b"")) else {}
    yield object_of({"type": b'"document"', "source": source} | title)


def _base64(address: str) -> bytes | None:
    """The source that a ``data:`` address spells; None where that is no base64."""
    found = MEDIA.fullmatch(address)
    if found is None or ";base64" not in found[2]:
        return None
    try:
        b64decode(found[3], validate=True)
    except (binascii.Error, ValueError):
        return None
    media = spelled(found[1] or "text/plain")
    return object_of({"type": b'"base64"', "media_type": media, "data": spelled(found[3])})


def input_of(arguments: bytes, at: str, losses: Losses) -> bytes:
    """The arguments of a call as the object that the Messages API wants.

    An object in a string keeps its spelling, numbers and order. What is none goes under the one
    member ``arguments``.
    """
    if not is_text(arguments):
        if arguments[:1] == b"{":
            return arguments
        if arguments in (b"", b"null"):
            losses.add("a call without arguments gets an empty input", at)
            return b"{}"
        losses.add("arguments that are no object go under `arguments`", at)
        return object_of({"arguments": arguments})
    text = text_of(arguments)
    if not text.strip():
        losses.add("a call without arguments gets an empty input", at)
        return b"{}"
    # A half of a pair has no bytes in UTF-8, and inside of a string an escape says the same.
    written = _LONE.sub(lambda half: f"\\u{ord(half[0]):04x}", text).strip()
    value = _sound(written)
    if value is None:
        losses.add("arguments that are no JSON go under `arguments` as a text", at)
        return object_of({"arguments": arguments})
    if value[:1] != b"{":
        losses.add("arguments that are no object go under `arguments`", at)
        return object_of({"arguments": value})
    return value


def _sound(written: str) -> bytes | None:
    """JSON that any reader takes: as it stands, or spelled anew; None for what is none."""
    try:
        _strict(written)
        return written.encode()
    except (ValueError, RecursionError):
        pass
    try:
        # Many models write line breaks into strings as they are.
        return spelled(_lenient(written))
    except (ValueError, RecursionError):
        return None


def _refuse(word: str) -> None:
    raise ValueError(word)


_strict = json.JSONDecoder(parse_constant=_refuse, parse_int=len, parse_float=len).decode
_lenient = json.JSONDecoder(parse_constant=_refuse, strict=False).decode
