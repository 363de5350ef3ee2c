"""Whatever the bytes are: they open, or one sentence says why not; nothing raises after that."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tapeview.errors import OpenError
from tapeview.formats._registry import detect
from tapeview.looks.block_text import block_body, block_head, copy_json, copy_text
from tapeview.looks.goto import resolve
from tapeview.looks.knew import Knew
from tapeview.looks.report import Report, report_of, text_lines
from tapeview.looks.show import json_rows, lines
from tapeview.open_session import OpenSession
from tapeview.tape.source import MemorySource
from tapeview.tui.glyphs import UNICODE
from tapeview.tui.gutter import GutterStyle, gutter_parts, rule_parts

ROOT = Path(__file__).parents[1]
FOLDERS = [ROOT / "sample_sessions"]
if "TAPEVIEW_SHARED" in os.environ:
    CORPUS = Path(os.environ["TAPEVIEW_SHARED"]) / "corpus"
    FOLDERS += [CORPUS / name for name in ("anthropic", "claude-code", "openai")]
MOST_BYTES = 12_000
"""Bytes of a file that are mutated: whole lines from anywhere in it."""

SEEDS = sorted(
    path
    for folder in FOLDERS
    for path in folder.rglob("*.json*")
    if not path.name.endswith(".meta.json")
)

PIECES = (
    b"",
    b"{",
    b"}",
    b"[",
    b"]",
    b'"',
    b",",
    b":",
    b"\\",
    b"\n",
    b"null",
    b"NaN",
    b"-0",
    b"1e999",
    b"123456789012345678901234567890",
    b'"\\ud83d"',
    b'"\\u0000"',
    b"\x00",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\x1b[2J",
    b"\xe2\x80\xae",
    b'{"role":"assistant","content":[{"type":"tool_use"}]}',
    b'{"role":"user","content":[{"type":"tool_result","tool_use_id":"x"}]}',
    b'{"type":"user","uuid":"u","parentUuid":"u","sessionId":"s","message":{"content":[]}}',
    b'"content":null,',
    b'"id":7,',
    b'"timestamp":[],',
    b'"message":3,',
    b"[" * 2_000,
)


@st.composite
def mutated(draw):
    """A piece of a real session with a few things broken in it."""
    raw = draw(st.sampled_from(SEEDS)).read_bytes()
    if len(raw) > MOST_BYTES and raw.count(b"\n{") > 1:
        start = raw.find(b"\n", draw(st.integers(0, len(raw) - MOST_BYTES))) + 1
        raw = raw[start : start + MOST_BYTES]
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(raw)))
        length = draw(st.sampled_from((0, 0, 1, 7, 60, 900)))
        how = draw(st.sampled_from(("put", "put", "put", "double", "double", "cut", "move")))
        piece = raw[at : at + length]
        if how == "put":
            raw = raw[:at] + draw(st.sampled_from(PIECES)) + raw[at + length :]
        elif how == "double":
            raw = raw[:at] + piece + piece + raw[at + length :]
        elif how == "cut":
            raw = raw[:at] if draw(st.integers(0, 3)) else raw[at:]
        else:
            raw = piece + raw[:at] + raw[at + length :]
    return raw


def live_through(raw):
    """Everything that the screen and the commands would do with the bytes."""
    source = MemorySource(raw, "fuzz")
    try:
        format_, head = detect(source, "fuzz")
        store = format_.open(head, "fuzz")
        opened = OpenSession(store.session(list(store.records())))
    except OpenError as error:
        assert "\n" not in str(error)
        return
    report = report_of(opened)
    Report([report]).to_json()
    list(text_lines(report))
    for tape in opened.session.tapes:
        look(opened.snapshot(tape.id))


def look(snapshot):
    """One tape, row by row."""
    list(lines(snapshot, None, False, True))
    json_rows(snapshot, None, False)
    gutters, lanes = snapshot.gutters(3)
    style = GutterStyle(lanes, UNICODE)
    for row, gutter in list(zip(snapshot.rows, gutters, strict=True))[:60]:
        gutter_parts(gutter, snapshot.links, "answered", gutter.link, style)
        rule_parts(gutter, snapshot.links, gutter.link, style)
        block_head(snapshot, row)
        for count, _ in enumerate(block_body(snapshot, row)):
            if count > 200:
                break
        copy_text(snapshot, row)
        copy_json(snapshot, row)
    for number in list(snapshot.turn_numbers)[-2:]:
        assert Knew(snapshot, number).rows
    resolve(snapshot, "messages.0.content.0")


@settings(
    max_examples=2_000,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(mutated())
def test_nothing_raises(raw):
    live_through(raw)


@pytest.mark.slow
@settings(
    max_examples=50_000,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(mutated())
def test_nothing_raises_for_long(raw):
    live_through(raw)
