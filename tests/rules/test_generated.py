"""Generated Claude Code sessions: each injected fault is found at its line, and nothing else."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tapeview.open_session import load

GENERATOR = Path(os.environ["TAPEVIEW_SHARED"]) / "tools" / "gen_claude_code.py"
FAULTS = [
    "--dangling",
    "3",
    "--orphan",
    "2",
    "--dup-result",
    "1",
    "--dup-id",
    "1",
    "--late",
    "1",
    "--tail-dangling",
]
CODES = {
    "dangling": "TU001",
    "tail_dangling": "TU001",
    "orphan": "TR001",
    "dup_result": "TR002",
    "dup_id": "TU003",
}


def generate(folder: Path, seed: int, *options: str) -> tuple[Path, list[dict[str, object]]]:
    session, truth = folder / "session.jsonl", folder / "truth.json"
    command = [sys.executable, str(GENERATOR), "--mb", "1", "--seed", str(seed), *options]
    command += ["--truth", str(truth), "-o", str(session)]
    subprocess.run(command, check=True, capture_output=True)
    return session, json.loads(truth.read_text(encoding="utf-8"))


@pytest.mark.parametrize("seed", range(1, 6))
def test_every_injected_fault_is_found_and_nothing_else(seed, tmp_path):
    path, truth = generate(tmp_path, seed, *FAULTS)
    assert Counter(fault["kind"] for fault in truth)["dangling"] == 3
    assert len(truth) == 9
    snapshot = load(str(path)).snapshot()
    expected = {(CODES[f["kind"]], f["line"]) for f in truth if f["kind"] != "late"}
    expected |= {("TR003", line) for line in late_result_lines(snapshot, truth)}
    found = [(finding.rule.code, finding.record.line) for finding in snapshot.findings]
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize("seed", range(1, 6))
def test_severities_say_what_resume_mends(seed, tmp_path):
    path, truth = generate(tmp_path, seed, *FAULTS)
    (tail,) = [fault["line"] for fault in truth if fault["kind"] == "tail_dangling"]
    for finding in load(str(path)).snapshot().findings:
        if finding.record.line == tail:
            assert finding.severity == "pending"
        else:
            assert finding.severity == ("error" if finding.sent else "warning")


@pytest.mark.parametrize("seed", range(1, 6))
def test_a_clean_session_has_no_findings(seed, tmp_path):
    path, truth = generate(tmp_path, seed)
    assert truth == []
    assert load(str(path)).snapshot().findings == ()


def late_result_lines(snapshot, truth) -> set[int]:
    """Lines of all results of the side that the text stands in front of."""
    (late,) = [fault["id"] for fault in truth if fault["kind"] == "late"]
    index = snapshot.index
    (result,) = [end for end in index.results if end.block.id == late]
    assert index.link_of[result.block].state in ("answered", "swapped")
    return {index.record_of[end.block].line for end in index.results_by_side[result.side]}
