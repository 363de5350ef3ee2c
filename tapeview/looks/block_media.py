"""What the block pane says of an image or document: its figures, and whether it is what it says."""

import base64
import binascii
import hashlib
from collections.abc import Iterator
from typing import Final

from tapeview.looks.block_record import BodyLine, line_of
from tapeview.tape.clean import printable
from tapeview.tape.images import facts_of_base64
from tapeview.tape.shape import Part
from tapeview.tape.sizes import thousands

__all__ = ["media_lines"]

HASH: Final = 12
"""Digits of a hash that are shown: enough to tell two pictures apart."""


def media_lines(part: Part) -> Iterator[BodyLine]:
    """An image or document as figures, never as pixels."""
    if part.text:
        yield line_of("heading", printable(part.text))
    facts = facts_of_base64(part.data)
    data = _from_base64(part.data)
    is_pdf = data is not None and data.startswith(b"%PDF-")
    really = "application/pdf" if is_pdf else facts.media_type
    words = [printable(part.media_type) or "no type"]
    if facts.width and facts.height:
        words.append(f"{facts.width}×{facts.height}")
    if data is not None:
        words.append(f"{thousands(len(data))} bytes")
    words.append(f"base64 {thousands(len(part.data))} characters")
    if data is not None:
        words.append(f"sha256 {hashlib.sha256(data).hexdigest()[:HASH]}…")
    yield line_of("fg", " · ".join(words))
    if data is None:
        yield line_of("warn", "its data is not base64")
    if really is not None and really != part.media_type:
        yield line_of("warn", f"says {printable(part.media_type) or 'no type'}, is {really}")


def _from_base64(text: str) -> bytes | None:
    start = text.find(",", 0, 256) + 1 if text[:5].lower() == "data:" else 0
    try:
        return base64.b64decode("".join(text[start:].split()), validate=True)
    except (binascii.Error, ValueError):
        return None
