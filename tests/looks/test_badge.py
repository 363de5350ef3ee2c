"""The word at the right of a row."""

from pathlib import Path

import pytest

from tapeview.looks.badge import badge_of, mark_of
from tapeview.open_session import load
from tapeview.tape.describe import describe
from tests.helpers import snapshot_of

CRASH = str(Path(__file__).parents[2] / "sample_sessions" / "crash.jsonl")


def rows_of(snapshot):
    """Each row with its mark and its badge, as if no row above it had the same reason."""
    for row in snapshot.rows:
        if row.kind in ("turn", "notes", "end"):
            continue
        text = describe(snapshot.session, snapshot.of(row).index, row)
        yield row, mark_of(snapshot, row), badge_of(snapshot, row, text, first_unsent=True)


CALL = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "a", "content": "x"}


def message(role, *blocks):
    return {"role": role, "content": list(blocks)}


TEXT = {"type": "text", "text": "x"}
DOUBLED = [message("assistant", CALL), message("user", RESULT, RESULT)]


@pytest.mark.parametrize(
    "body, at, mark, badge",
    [
        ([message("assistant", CALL), message("user", TEXT)], 0, "error", ("dangling", "chip")),
        ([message("user", RESULT), message("assistant", TEXT)], 0, "error", ("orphan", "chip")),
        ([message("assistant", CALL)], 0, "error", ("dangling", "chip")),
        ([message("assistant", CALL), message("user", RESULT, RESULT)], 1, "", None),
        (
            [message("assistant", CALL), message("user", RESULT, RESULT)],
            2,
            "error",
            ("doubled", "chip"),
        ),
        ([message("assistant", CALL), message("user", RESULT)], 0, "", None),
        (
            [message("assistant", CALL), message("user", RESULT | {"is_error": True})],
            1,
            "",
            ("error", "error"),
        ),
    ],
    ids=[
        "dangling",
        "orphan",
        "the end",
        "first result",
        "second result",
        "sound",
        "error",
    ],
)
def test_a_link_that_is_broken_has_a_chip(body, at, mark, badge):
    found = list(rows_of(snapshot_of(body)))
    assert found[at][1] == mark
    assert found[at][2] == badge


def test_a_call_that_waits_is_pending_in_a_session():
    found = list(rows_of(snapshot_of([message("assistant", CALL)], "session")))
    assert found[0][1:] == ("", ("pending", "pending"))


def test_a_swapped_result_says_so_quietly():
    other = CALL | {"id": "b"}
    body = [
        message("assistant", CALL, other),
        message("user", RESULT | {"tool_use_id": "b"}, RESULT),
    ]
    found = list(rows_of(snapshot_of(body)))
    assert [badge for _, _, badge in found] == [None, None, *[("swapped", "muted")] * 2]


def test_a_reminder_has_its_word():
    reminder = {"type": "text", "text": "<system-reminder>x</system-reminder>"}
    ((_, mark, badge),) = rows_of(snapshot_of([message("user", reminder)]))
    assert (mark, badge) == ("", ("reminder", "muted"))


def test_the_badges_of_the_broken_sample():
    snapshot = load(CRASH).snapshot()
    words = [badge.word for _, _, badge in rows_of(snapshot) if badge is not None]
    for word in ("late: turn 7", "late: from turn 6", "dangling", "doubled", "orphan", "pending"):
        assert words.count(word) == 1
    assert "not sent: error reply" in words
    assert any(word.startswith("+ agent:") for word in words)


def test_of_rows_with_one_reason_only_the_first_says_it():
    snapshot = load(CRASH).snapshot()
    row = next(row for row in snapshot.rows if row.unsent == "error reply")
    text = describe(snapshot.session, snapshot.index, row)
    assert badge_of(snapshot, row, text, first_unsent=True).word == "not sent: error reply"
    assert badge_of(snapshot, row, text, first_unsent=False) is None
    assert mark_of(snapshot, row) == "unsent"
