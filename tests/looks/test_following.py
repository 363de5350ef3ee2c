"""What is said of a session that is followed, and where its rows go."""

from pathlib import Path

import pytest

from tapeview.looks.following import (
    age_words,
    end_text,
    grown_rows,
    last_row,
    waiting_since,
)
from tapeview.open_session import OpenSession
from tapeview.tape.describe import describe
from tapeview.tape.record import Record
from tests.formats.claude import reply, system, user, written
from tests.formats.samples import opened, store_of
from tests.helpers import snapshot_of

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
FOLDED = frozenset({"notes", "segment", "branch"})
NOTE = {"type": "summary", "summary": "x", "leafUuid": "u"}
LINES = [
    user("u1", None, "ask"),
    reply("a1", "u1", "m1", "call:t"),
    user("u2", "a1", "result:t"),
    NOTE,
    NOTE,
    reply("a2", "u2", "m2", "call:x"),
]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-3, "0 s"),
        (0.9, "0 s"),
        (12.99, "12 s"),
        (59.99, "59 s"),
        (60, "1 min"),
        (3599, "59 min"),
        (3600, "1 h"),
        (172_799, "47 h"),
        (172_800, "2 days"),
    ],
)
def test_ages_are_what_has_passed(seconds, words):
    assert age_words(seconds) == words


@pytest.mark.parametrize(
    ("time", "since"),
    [
        ("1970-01-01T00:01:00.000Z", 60.0),
        ("1970-01-01T01:01:00+01:00", 60.0),
        ("1970-01-01T00:01:00", 60.0),
        ("", 7.0),
        ("yesterday", 7.0),
    ],
)
def test_since_when_a_call_waits(time, since):
    record = Record(0, 1, 1, "message", time=time)
    assert waiting_since(record, lambda _: 7.0) == since


def test_nobody_knows_since_when():
    assert waiting_since(Record(0, 1, 1, "message"), lambda _: None) is None


def test_the_end_goes_on():
    snapshot = snapshot_of(written(*LINES))
    text = end_text(describe(snapshot.session, snapshot.index, snapshot.rows[-1]))
    assert text.gist == "following: 1 call waits for its result"


def grown(first, more):
    """Snapshots before and after, the records of the one being those of the other."""
    whole = opened(written(*first, *more))
    before = store_of(written(*first)).session(whole.records[: len(first)])
    return OpenSession(before).snapshot(), OpenSession(whole).snapshot()


def said(snapshot, at):
    row = snapshot.rows[at]
    return row.kind, row.record, row.block


@pytest.mark.parametrize("cut", range(1, len(LINES)))
def test_every_row_is_found_again(cut):
    before, after = grown(LINES[:cut], LINES[cut:])
    for at, row in enumerate(before.rows):
        moved = grown_rows(before, after, at, (), FOLDED)
        if row.kind in ("end", "boundary"):
            continue
        assert said(after, moved.at)[1:] == said(before, at)[1:]
        if row.kind not in ("note", "notes"):  # one note may become a run of them
            assert said(after, moved.at) == said(before, at)


def test_folds_stay_and_new_ones_come():
    more = [
        system("b", None, "compact_boundary", logicalParentUuid="a2"),
        user("u3", "b", "summary of it", isCompactSummary=True),
        NOTE,
        NOTE,
        reply("a3", "u3", "m3", "done"),
    ]
    before, after = grown(LINES, more)
    kinds = [row.kind for row in before.rows]
    turn, notes = kinds.index("turn"), kinds.index("notes")
    moved = grown_rows(before, after, 0, (turn, notes), FOLDED)
    folded = sorted(after.rows[at].kind for at in moved.folded)
    assert folded == ["notes", "notes", "segment", "turn"]
    # What somebody unfolded stays unfolded.
    moved = grown_rows(before, after, 0, (), FOLDED)
    assert sorted(after.rows[at].kind for at in moved.folded) == ["notes", "segment"]


def test_where_all_is_new_the_cursor_keeps_its_number():
    before = snapshot_of((SAMPLES / "crash.jsonl").read_bytes())
    after = snapshot_of((SAMPLES / "compacted.jsonl").read_bytes())
    assert grown_rows(before, after, 7, (), FOLDED).at == 7
    short = snapshot_of(written(user("u1", None, "ask")))
    assert grown_rows(before, short, 30, (), FOLDED).at == len(short.rows) - 1


def test_system_and_tools_stay():
    body = {"system": "s", "tools": [{"name": "a"}], "messages": []}
    before = snapshot_of(body)
    after = snapshot_of(body | {"messages": [{"role": "user", "content": "x"}]})
    assert [grown_rows(before, after, at, (), FOLDED).at for at in (0, 1)] == [0, 1]


def test_the_newest_row():
    pending = snapshot_of(written(*LINES))
    assert [row.kind for row in pending.rows[-2:]] == ["block", "end"]
    assert last_row(pending) == len(pending.rows) - 2
    noted = snapshot_of(written(*LINES[:5]))
    assert [row.kind for row in noted.rows[-3:]] == ["notes", "note", "note"]
    fold = len(noted.rows) - 3
    assert last_row(noted, {fold}) == fold
    assert last_row(noted) == len(noted.rows) - 1
