"""What an image says of itself in its first bytes: kind and size, without decoding pixels.

The formats are those that the Messages API takes: PNG, JPEG, GIF and WebP. Sources: the PNG
specification (11.2.2 IHDR), ITU T.81 (B.1, B.2.2 frame header), GIF89a (17, 18), and the WebP
container specification with RFC 6386 (9.1, lossy) and RFC 9649 (3.4, lossless).
"""

import base64
import binascii
from typing import NamedTuple

__all__ = ["ImageFacts", "facts_of_base64", "image_facts"]

_LONGEST_DATA_PREFIX = 256


class ImageFacts(NamedTuple):
    """Media type and size in pixels, each None where the bytes do not tell."""

    media_type: str | None
    width: int | None
    height: int | None


_UNKNOWN = ImageFacts(None, None, None)


def image_facts(data: bytes) -> ImageFacts:
    """What ``data``, an image or its beginning, is by its magic bytes and header."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        size = _big(data, 16, 4), _big(data, 20, 4)
        return _facts("image/png", size if data[12:16] == b"IHDR" else None)
    if data.startswith((b"GIF87a", b"GIF89a")):
        return _facts("image/gif", (_little(data, 6, 2), _little(data, 8, 2)))
    if data.startswith(b"\xff\xd8\xff"):
        return _facts("image/jpeg", _jpeg_size(data))
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return _facts("image/webp", _webp_size(data))
    return _UNKNOWN


def _facts(media_type: str, size: tuple[int | None, int | None] | None) -> ImageFacts:
    width, height = size or (None, None)
    return ImageFacts(media_type, *((width, height) if width and height else (None, None)))


def _big(data: bytes, at: int, length: int) -> int | None:
    piece = data[at : at + length]
    return int.from_bytes(piece, "big") if len(piece) == length else None


def _little(data: bytes, at: int, length: int) -> int | None:
    return _big(data[at : at + length][::-1], 0, length)


def _jpeg_size(data: bytes) -> tuple[int | None, int | None] | None:
    """Walks from segment to segment to the frame header; None if it is not in ``data``."""
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:  # a fill byte
            at += 1
        elif marker == 0x01 or 0xD0 <= marker <= 0xD7:  # these stand alone
            at += 2
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return _big(data, at + 7, 2), _big(data, at + 5, 2)
        elif marker in (0xD9, 0xDA):  # the end, or the scan: no frame header came before it
            return None
        else:
            at += 2 + (_big(data, at + 2, 2) or 0)
    return None


def _webp_size(data: bytes) -> tuple[int | None, int | None] | None:
    chunk = data[12:16]
    if chunk == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        width, height = _little(data, 26, 2), _little(data, 28, 2)
        # The two upper bits say how to scale.
        return (width or 0) & 0x3FFF, (height or 0) & 0x3FFF
    if chunk == b"VP8L" and data[20:21] == b"\x2f":
        bits = _little(data, 21, 4)
        return None if bits is None else ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    if chunk == b"VP8X":
        width, height = _little(data, 24, 3), _little(data, 27, 3)
        return None if width is None or height is None else (width + 1, height + 1)
    return None


def facts_of_base64(text: str, limit: int = 65_536) -> ImageFacts:
    """``image_facts`` of base64 ``text``, of which no more than the beginning is decoded.

    ``limit`` counts characters. A JPEG whose frame header stands behind a longer preamble (an
    embedded profile or thumbnail) is read further, up to 64 times as far. A ``data:`` prefix and
    white space are passed over; other characters foreign to base64 make all facts None.
    """
    start = 0
    if text[:5].lower() == "data:":
        start = text.find(",", 0, _LONGEST_DATA_PREFIX) + 1
    facts = image_facts(_decoded(text[start : start + limit]))
    for further in (8 * limit, 64 * limit):
        if facts.media_type == "image/jpeg" and facts.width is None:
            facts = image_facts(_decoded(text[start : start + further]))
    return facts


def _decoded(text: str) -> bytes:
    """The bytes of the whole quads in ``text``; none if it is not base64."""
    packed = "".join(text.split())
    try:
        return base64.b64decode(packed[: len(packed) // 4 * 4], validate=True)
    except (binascii.Error, ValueError):
        return b""
