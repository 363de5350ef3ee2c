"""Images and documents as figures."""

import base64

import pytest

from tapeview.looks.block_media import media_lines
from tapeview.tape.shape import Part
from tests.block_samples import PNG

FIGURES = "4×3 · 70 bytes · base64 96 characters"
JPEG = base64.b64encode(b"\xff\xd8\xff\xe0" + b"\0" * 20).decode()
PDF = base64.b64encode(b"%PDF-1.7\n%").decode()


def lines(data, says, kind="image", title=""):
    part = Part(kind, title, b"", says, data)
    return [(line.parts[0][0], line.text) for line in media_lines(part)]


def test_an_image():
    ((style, words),) = lines(PNG, "image/png")
    assert style == "fg"
    assert words.startswith(f"image/png · {FIGURES} · sha256 ")
    assert words.endswith("…")
    assert len(words.split("sha256 ")[1]) == 13


def test_line_breaks_in_base64_change_nothing_but_the_count():
    broken = PNG[:40] + "\n" + PNG[40:]
    (_, words) = lines(broken, "image/png")[0]
    assert words.split(" · sha256")[1] == lines(PNG, "image/png")[0][1].split(" · sha256")[1]


@pytest.mark.parametrize(
    ("data", "says", "warning"),
    [
        (PNG, "image/jpeg", "says image/jpeg, is image/png"),
        (JPEG, "image/png", "says image/png, is image/jpeg"),
        (JPEG, "", "says no type, is image/jpeg"),
        (PDF, "text/plain", "says text/plain, is application/pdf"),
        (PNG, "image/\x1b[2Jpng", r"says image/\x1b[2Jpng, is image/png"),
    ],
)
def test_what_is_not_what_it_says(data, says, warning):
    assert lines(data, says)[1:] == [("warn", warning)]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (PDF, "application/pdf"),
        (base64.b64encode(b"hello").decode(), "text/plain"),
        (JPEG, "image/jpeg"),
    ],
)
def test_what_is_what_it_says_or_cannot_be_told(data, says):
    assert len(lines(data, says, "document")) == 1


def test_a_document_has_a_title():
    assert lines(PDF, "application/pdf", "document", "the \x07plan")[0] == (
        "heading",
        r"the \x07plan",
    )


@pytest.mark.parametrize("data", ["not base64!", "ü", "\ud83d", "AAA"])
def test_what_is_no_base64_is_said_so(data):
    (first, second) = lines(data, "image/png")
    assert first == ("fg", f"image/png · base64 {len(data)} characters")
    assert second == ("warn", "its data is not base64")
