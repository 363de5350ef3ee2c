"""The shared tapes: each finding of severity error that they expect, and no other."""

import csv
import json
import os
from pathlib import Path

import pytest

from tapeview.errors import UnsupportedFormat
from tapeview.open_session import load
from tapeview.rules._registry import all_rules

TAPES = Path(os.environ["TAPEVIEW_SHARED"]) / "tapes"
with (TAPES / "expected.tsv").open(encoding="utf-8", newline="") as table:
    ROWS = list(csv.DictReader(table, delimiter="\t"))
MESSAGES = [row["file"] for row in ROWS if row["dialect"] in ("anthropic", "openai-chat")]
RESPONSES = [row["file"] for row in ROWS if row["dialect"] == "openai-responses"]
CODES = {rule.code for rule in all_rules()}


@pytest.mark.parametrize("file", MESSAGES)
def test_a_tape_has_the_faults_that_it_was_made_with(file):
    expected = json.loads((TAPES / "expected" / file).read_text(encoding="utf-8"))
    wanted = [
        (error["rule"], error["path"], error["api_path"], tuple(error["ids"]))
        for error in expected["errors"]
        if error["rule"] in CODES
    ]
    snapshot = load(str(TAPES / file)).snapshot()
    found = [
        (finding.rule.code, finding.at, finding.api_path, finding.fault.ids)
        for finding in snapshot.findings
        if finding.severity == "error"
    ]
    assert snapshot.session.dialect == expected["dialect"]
    assert sorted(found) == sorted(wanted)


@pytest.mark.parametrize("file", RESPONSES)
def test_a_responses_body_is_not_read_yet(file):
    with pytest.raises(UnsupportedFormat):
        load(str(TAPES / file))
