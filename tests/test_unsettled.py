"""Rows of records that came after all that is known of a session."""

import pytest

from tapeview.looks.report import row_words
from tapeview.open_session import OpenSession
from tapeview.tape.describe import describe
from tapeview.tape.source import MemorySource
from tapeview.unsettled import Growing, Rows, Unsettled, derive
from tests.formats.claude import reply, session, user, written
from tests.formats.samples import opened

FIRST = [user("u1", None, "ask"), reply("a1", "u1", "m1", "hm", "call:t")]


def growing(*more, first=FIRST):
    """A settled session and the look at it with further lines below."""
    base = OpenSession(session(*first)).snapshot()
    derive(base, 4)
    raw = written(*first, *more)
    rows = Rows.below(base)
    rows.add(opened(raw).records[len(first) :])
    rows.put_notes()
    return base, Growing(base, MemorySource(raw), rows)


def kinds(snapshot):
    return [row.kind for row in snapshot.rows]


def test_new_rows_stand_between_what_is_settled_and_the_end():
    base, shown = growing(user("u2", "a1", "result:t"), reply("a2", "u2", "m2", "done"))
    assert kinds(base) == ["block", "turn", "block", "block", "end"]
    assert kinds(shown) == [*kinds(base)[:-1], "block", "reply", "block", "end"]
    assert shown.first_new == 4
    assert shown.rows[:4] == base.rows[:4]
    assert shown.rows[-1] is base.rows[-1]


def test_without_anything_pending_they_stand_last():
    base, shown = growing(user("u2", "a1", "more"), first=[FIRST[0]])
    assert kinds(shown) == [*kinds(base), "block"]


def test_what_goes_on_with_the_last_reply_begins_no_turn():
    _, shown = growing(reply("a2", "a1", "m1", "and"), reply("a3", "a2", "m2", "next"))
    assert kinds(shown)[4:] == ["block", "reply", "block", "end"]
    assert row_words(shown, shown.rows[5]) == "turn …"
    assert row_words(shown, shown.rows[1]).startswith("turn 1")


def test_a_result_has_the_name_of_its_call():
    _, shown = growing(user("u2", "a1", "result:t"))
    row = shown.rows[4]
    assert describe(shown.session, shown.of(row).index, row).name == "Bash"


@pytest.mark.parametrize("most", [1, 3, 4])
def test_what_is_pending_runs_on_below(most):
    base, shown = growing(user("u2", "a1", "result:t"), user("u3", "u2", "x"))
    gutters, width = shown.gutters(most)
    assert width == base.gutters(most)[1]
    assert len(gutters) == len(shown.rows)
    assert gutters[4].passing == gutters[5].passing == gutters[-1].closing


def test_what_is_known_of_the_tape_is_known_below_too():
    base, shown = growing(user("u2", "a1", "result:t"))
    assert shown.findings == base.findings
    assert shown.verdict == base.verdict
    assert shown.turn_facts == base.turn_facts
    new = shown.rows[4]
    assert shown.row_of[new.block] == shown.row_of[new.record] == 4
    assert shown.row_of[base.rows[2].block] == 2
    assert shown.session.position_of(new.record) == 2
    assert base.session.position_of(new.record) == -1
    assert shown.session.bytes_of(new.record).startswith(b"{")


def test_everything_that_is_painted_is_worked_out():
    snapshot = OpenSession(session(*FIRST)).snapshot()
    derive(snapshot, 4)
    assert {"rows", "findings", "row_of", "verdict", "turn_row_of"} <= snapshot.__dict__.keys()


def test_before_anything_is_settled_there_are_rows_alone():
    read = session(*FIRST)
    rows = Rows(read, {})
    rows.add(read.records)
    shown = Unsettled(read, "session", 0, rows, 10)
    assert kinds(shown) == ["block", "reply", "block", "block"]
    assert (shown.findings, shown.verdict, shown.settled) == ((), "", False)
