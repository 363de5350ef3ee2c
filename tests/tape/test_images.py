import base64
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.tape.images import ImageFacts, facts_of_base64, image_facts

UNKNOWN = ImageFacts(None, None, None)


def png(width: int, height: int) -> bytes:
    return (
        b"\x89PNG\r\n\x1a\n"
        + struct.pack(">I4sIIBBBBB", 13, b"IHDR", width, height, 8, 6, 0, 0, 0)
        + b"\0\0\0\0"
    )


def gif(width: int, height: int, version: bytes = b"89a") -> bytes:
    return b"GIF" + version + struct.pack("<HHBBB", width, height, 0, 0, 0)


def segment(marker: int, body: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body


def jpeg(width: int, height: int, preamble: bytes = b"", frame: int = 0xC0) -> bytes:
    header = struct.pack(">BHHB", 8, height, width, 3) + bytes(9)
    jfif = segment(0xE0, b"JFIF\0" + bytes(9))
    return b"\xff\xd8" + jfif + preamble + segment(frame, header) + segment(0xDA, bytes(10))


def webp(chunk: bytes, body: bytes) -> bytes:
    return struct.pack("<4sI4s4sI", b"RIFF", len(body) + 12, b"WEBP", chunk, len(body)) + body


def lossy(width: int, height: int) -> bytes:
    return webp(b"VP8 ", b"\x10\x02\x00\x9d\x01\x2a" + struct.pack("<HH", width, height))


def lossless(width: int, height: int) -> bytes:
    return webp(b"VP8L", b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14 | 1 << 28))


def extended(width: int, height: int) -> bytes:
    sides = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return webp(b"VP8X", b"\x10\0\0\0" + sides)


@pytest.mark.parametrize(
    ("data", "facts"),
    [
        (png(1280, 720), ("image/png", 1280, 720)),
        (gif(320, 200), ("image/gif", 320, 200)),
        (gif(1, 2, b"87a"), ("image/gif", 1, 2)),
        (jpeg(640, 480), ("image/jpeg", 640, 480)),
        (jpeg(640, 480, frame=0xC2), ("image/jpeg", 640, 480)),
        (jpeg(3, 5, segment(0xC4, bytes(40))), ("image/jpeg", 3, 5)),
        (jpeg(3, 5, b"\xff\xff\xff" + segment(0xFE, b"a comment")), ("image/jpeg", 3, 5)),
        (jpeg(3, 5, b"\xff\xd0\xff\x01"), ("image/jpeg", 3, 5)),
        (lossy(550, 368), ("image/webp", 550, 368)),
        (lossy(550 | 0x4000, 368 | 0x8000), ("image/webp", 550, 368)),
        (lossless(400, 301), ("image/webp", 400, 301)),
        (extended(16_777_216, 1), ("image/webp", 16_777_216, 1)),
        (png(0, 720), ("image/png", None, None)),
        (png(1280, 720)[:20], ("image/png", None, None)),
        (png(1280, 720).replace(b"IHDR", b"CgBI"), ("image/png", None, None)),
        (gif(320, 200)[:9], ("image/gif", None, None)),
        (jpeg(640, 480)[:25], ("image/jpeg", None, None)),
        (b"\xff\xd8" + segment(0xDA, bytes(10)) + jpeg(1, 1)[2:], ("image/jpeg", None, None)),
        (b"\xff\xd8\xff\xe0\x00\x00" + jpeg(1, 1), ("image/jpeg", None, None)),
        (lossy(550, 368)[:29], ("image/webp", None, None)),
        (lossless(400, 301)[:24], ("image/webp", None, None)),
        (extended(400, 301)[:29], ("image/webp", None, None)),
        (webp(b"ALPH", bytes(20)), ("image/webp", None, None)),
        (b"", (None, None, None)),
        (b"%PDF-1.7", (None, None, None)),
        (b"RIFF\0\0\0\0WAVEfmt ", (None, None, None)),
    ],
)
def test_image_facts(data: bytes, facts: tuple[str | None, int | None, int | None]) -> None:
    assert image_facts(data) == facts


@given(
    st.sampled_from([b"", png(9, 9), gif(9, 9), b"\xff\xd8\xff", lossy(9, 9), webp(b"VP8L", b"")]),
    st.binary(max_size=40),
    st.integers(0, 60),
)
def test_no_bytes_raise(head: bytes, tail: bytes, length: int) -> None:
    facts = image_facts((head + tail)[:length])
    assert (facts.width is None) == (facts.height is None)


@given(st.binary(max_size=60))
def test_no_jpeg_walk_raises_or_hangs(tail: bytes) -> None:
    assert image_facts(b"\xff\xd8\xff" + tail).media_type == "image/jpeg"


# --- base64 -------------------------------------------------------------------------------------


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


@pytest.mark.parametrize(
    "text",
    [
        encoded(png(1280, 720)),
        encoded(png(1280, 720)).rstrip("="),
        "data:image/jpeg;base64," + encoded(png(1280, 720)),
        "DATA:;base64," + encoded(png(1280, 720)),
        "\n".join(encoded(png(1280, 720))[i : i + 10] for i in range(0, 44, 10)),
        encoded(png(1280, 720) + bytes(1000)) + "!? beyond the limit",
    ],
)
def test_facts_of_base64(text: str) -> None:
    assert facts_of_base64(text, limit=400) == ("image/png", 1280, 720)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "abc",
        "not base64 at all!",
        "…" + encoded(png(1, 1)),
        encoded(png(1, 1))[:20] + "*" + encoded(png(1, 1))[21:],
        "data:image/png;base64",
        "\ud83d" * 8,
        "====",
    ],
)
def test_what_is_not_base64_has_no_facts(text: str) -> None:
    assert facts_of_base64(text) == UNKNOWN


def test_a_jpeg_is_read_as_far_as_its_frame_header() -> None:
    preamble = segment(0xE1, bytes(60_000)) * 3
    text = encoded(jpeg(4000, 3000, preamble) + bytes(500_000))
    assert facts_of_base64(text) == ("image/jpeg", 4000, 3000)


def test_a_jpeg_without_frame_header_is_still_a_jpeg() -> None:
    assert facts_of_base64(encoded(b"\xff\xd8\xff\xe0" + bytes(300_000)), limit=1000) == (
        "image/jpeg",
        None,
        None,
    )


@given(st.text(max_size=40) | st.binary(max_size=40).map(encoded), st.integers(1, 50))
def test_no_text_raises(text: str, limit: int) -> None:
    facts_of_base64(text, limit)
    facts_of_base64("data:" + text, limit)
