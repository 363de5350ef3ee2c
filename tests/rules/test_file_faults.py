"""What findings of the file itself say, and at which rows they stand."""

import pytest

from tapeview.looks.report import report_of, text_lines
from tapeview.open_session import OpenSession
from tests.formats.claude import reply, user, written
from tests.helpers import session_of, snapshot_of

SAID = b'{"role": "user", "content": "a"%b}'
ASK = user("u1", None, "ask")


def told(raw, code):
    return [
        (finding.at, finding.sentence)
        for finding in snapshot_of(raw).findings
        if finding.rule.code == code
    ]


@pytest.mark.parametrize(
    ("extra", "sentence"),
    [
        (b', "a": 1, "a": 2', 'the key "a" stands twice'),
        (b', "x": [{"a": 1, "a": 2}]', 'the key "a" stands twice in x.0'),
        (b', "' + b"k" * 99 + b'": {"a": 1, "a": 2}', f'the key "a" stands twice in {"k" * 59}…'),
    ],
)
def test_a_doubled_key_is_named_with_its_place(extra, sentence):
    assert told(b"[%b]" % (SAID % extra), "FL004") == [
        ("records.0", f"{sentence}: most readers keep the last, some the first")
    ]


def test_many_oddities_of_a_record_are_one_finding():
    (found,) = told(SAID % (b', "x": NaN' + b', "x": NaN' * 5), "FL005")
    assert found[1].startswith("NaN stands at x where JSON has no such word")
    assert found[1].endswith("; 5 more places like it")


def test_oddities_around_the_messages_are_one_finding_a_member():
    raw = b'{"a": [NaN, {"": 1, "": 2}], "b": NaN, "": 1, "": 2, "messages": [%b]}'
    raw %= SAID % b""
    assert [at for at, _ in told(raw, "FL004")] == ['""', "a.1"]
    assert [at for at, _ in told(raw, "FL005")] == ["a.0", "b"]


def test_a_key_cannot_act_on_a_terminal():
    raw = b'{"\\u001b[31m\\ud83d": 1, "\\u001b[31m\\ud83d": 2, "messages": [%b]}' % (SAID % b"")
    report = report_of(OpenSession(session_of(raw)))
    assert all(line.isprintable() for line in text_lines(report))


@pytest.mark.parametrize("path", ["messages", "records"])
def test_findings_of_the_file_are_warnings_that_no_api_sees(path):
    doubled = b'{"messages": [], "messages": [%b]}' % (SAID % b"")
    raw = doubled if path == "messages" else b"[%b]" % (SAID % b', "a": 1, "a": 2')
    (finding,) = snapshot_of(raw).findings
    assert finding.at.startswith(path)
    assert (finding.severity, finding.sent, finding.api_path) == ("warning", False, "")
    assert finding.api_message == "" and finding.repairs == ()


def test_breaks_say_what_resume_reads():
    told_reply = reply("a1", "u1", "m1", "words")
    end = user("u2", "gone", "more", at=60)
    assert told(written(ASK, told_reply, end), "FL006") == [
        ("records.2", "its parent is not in the file, so resume reads 1 of 3 messages")
    ]
    beside = user("x1", "gone", "alone")
    assert told(written(ASK, beside, told_reply), "FL006") == [
        ("records.1", "its parent is not in the file, so resume leaves out 1 of 3 messages")
    ]
    round_ = [user("x1", "x2", "round"), user("x2", "x1", "again")]
    assert told(written(ASK, *round_, told_reply), "FL007") == [
        ("records.1", "its parents lead back to it, so resume leaves out 2 of 4 messages")
    ]


def test_a_finding_stands_at_its_own_record_where_several_are_one_message():
    lines = [reply("a1", "u1", "m1", "one"), reply("a2", "a1", "m1", "two")]
    raw = written(ASK, *lines).replace(b'"uuid": "a2"', b'"uuid": "a2", "cost": NaN')
    snapshot = snapshot_of(raw)
    (finding,) = snapshot.findings
    rows = [row for row in snapshot.rows if finding in snapshot.findings_at(row)]
    assert rows == [snapshot.rows[snapshot.row_of_finding(finding)]]
    assert rows[0].record is finding.record is snapshot.session.records[2]
