"""What ``check`` says, as values, lines and JSON."""

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.looks.report import (
    Report,
    flags_of,
    report_of,
    row_values,
    safe_json,
    text_lines,
    turn_words,
    unreadable,
)
from tapeview.open_session import OpenSession, load
from tapeview.tape.clean import printable
from tests.helpers import session_of

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
CALL = {"type": "tool_use", "id": "a\ud83d", "name": "f", "input": {}}


def test_a_report_is_json_whatever_the_tape_holds():
    opened = OpenSession(session_of([{"role": "assistant", "content": [CALL]}]))
    report = json.loads(Report([report_of(opened)]).to_json())
    (finding,) = [f for f in report["sessions"][0]["tapes"][0]["findings"] if f["rule"] == "TU001"]
    assert finding["ids"] == ["a?"]
    assert finding["line"] == 1


def test_each_finding_stands_on_one_tape_alone():
    report = report_of(load(str(SAMPLES / "crash.jsonl")))
    assert [tape.kind for tape in report.tapes] == ["main", "agent"]
    places = [(tape.id, f.rule, f.at) for tape in report.tapes for f in tape.findings]
    assert len(places) == len(set(places))
    assert report.tapes[1].resume is None


def test_the_codes_that_are_looked_at():
    opened = load(str(SAMPLES / "crash.jsonl"))
    report = report_of(opened, ["TU001"])
    assert {f.rule for tape in report.tapes for f in tape.findings} == {"TU001"}
    assert all(not tape.findings for tape in report_of(opened, []).tapes)


def test_lines_of_a_session():
    *findings, counts = text_lines(report_of(load(str(SAMPLES / "refund.json"))))
    assert len(findings) == 1
    path, severity, code, at, *_ = findings[0].split()
    assert "refund.json:" in path
    assert (severity, code, at) == ("error", "OC001", "messages.7.tool_calls.1")
    assert counts.endswith(": openai-chat, 4 turns, 12 messages: 1 error")


def test_a_place_on_another_tape_stands_behind_the_tapes_name():
    report = report_of(OpenSession(session_of([{"role": "assistant", "content": [CALL]}])))
    (main,) = report.tapes
    report.tapes.append(msgspec.structs.replace(main, id="agent:\x1b1", kind="agent"))
    *lines, _ = text_lines(report)
    half = len(lines) // 2
    for line, other in zip(lines[:half], lines[half:], strict=True):
        *before, place, rest = line.split(" ", 4)
        assert other == " ".join([*before, "agent:\\x1b1", place, rest])


def test_a_path_that_cannot_be_read():
    report = unreadable("a\udcff\x1b", "a\udcff: no.")
    assert json.loads(Report([report]).to_json())["sessions"][0]["error"] == "a?: no."
    assert list(text_lines(report)) == ["a?\\x1b: unreadable"]


def test_the_words_of_a_turn():
    snapshot = load(str(SAMPLES / "crash.jsonl")).snapshot()
    assert turn_words(snapshot, 4).startswith("turn 4 · 3 tools · ")
    assert " · 1 agent · " in turn_words(snapshot, 5)
    assert " tool" not in turn_words(snapshot, 3)


def test_flags_are_findings_and_states():
    snapshot = load(str(SAMPLES / "crash.jsonl")).snapshot()
    flags = [" ".join(flags_of(snapshot, row)) for row in snapshot.rows]
    assert "▲ TU001 dangling-tool-use [dangling]" in flags
    assert "▲ TU001 dangling-tool-use [late]" in flags
    assert "! TR002 duplicate-result [doubled]" in flags
    assert "… TU001 dangling-tool-use [pending]" in flags


def test_the_rows_of_a_sample_as_values():
    snapshot = load(str(SAMPLES / "hostile.json")).snapshot()
    rows = list(row_values(snapshot, snapshot.rows))
    assert [row["kind"] for row in rows].count("turn") == 2
    for row in rows:
        assert printable(str(row.get("gist", ""))) == row.get("gist", "")


@pytest.mark.parametrize(
    "raw, safe",
    [
        (b'{"a": "x\xc3\xa9"}', b'{"a": "x\xc3\xa9"}'),
        ('"\u202e"'.encode(), b'"\\u202e"'),
        (b'"\x7f"', b'"\\u007f"'),
        ('"\x9b"'.encode(), b'"\\u009b"'),
        ('"\U000e0041"'.encode(), b'"\\udb40\\udc41"'),
        (b"[\r\n\t1]", b"[\r\n\t1]"),
    ],
)
def test_what_could_act_is_escaped(raw, safe):
    assert safe_json(raw) == safe


texts = st.text(st.characters(exclude_categories=["Cs"]))


@given(st.recursive(texts, lambda inner: st.lists(inner) | st.dictionaries(texts, inner)))
def test_safe_json_means_the_same(value):
    safe = safe_json(json.dumps(value, ensure_ascii=False, indent=1).encode())
    assert json.loads(safe) == value
    assert all(printable(sign) == sign for sign in safe.decode() if sign != "\n")
