"""Whatever way a session grows, one that is followed is the one that is opened at the end."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tapeview.capture import growing
from tapeview.capture.growing import Growth
from tapeview.edit.operations import Delete
from tapeview.errors import OpenError
from tapeview.loading import Loading
from tapeview.looks.report import Report, report_of
from tapeview.open_session import load, open_store
from tapeview.snapshot import Snapshot
from tests.formats.claude import reply, user, written
from tests.formats.samples import opened as opened_bytes
from tests.helpers import open_bytes
from tests.outlines import outline_of

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
LINES = (
    *("crash.jsonl", "compacted.jsonl", "healthy.jsonl", "lines.jsonl"),
    "recorded.tape.jsonl",
)
LATE = 10.0
"""Seconds after which nothing has to be waited for any more."""


class Follower:
    """Looks and works as the screen does, at times that a test sets."""

    def __init__(self, path):
        self.opened = load(str(path))
        self.growth = Growth(self.opened, clock=lambda: 1_000.0)
        self.now = 0.0
        self.seen = []

    def look(self, later=0.1):
        self.now += later
        happened = self.growth.look(self.now)
        if happened:
            self.seen.append(happened)

    def work(self):
        """Whether something was taken."""
        if not self.growth.is_due(self.now):
            return False
        grown = self.growth.begin(self.now)(4)
        self.fault = grown.fault
        return self.growth.take(grown, self.now)

    def step(self, later=0.1):
        self.look(later)
        return self.work()

    def catch_up(self):
        """Until there is nothing left to be worked out."""
        self.look()
        for _ in range(4):
            self.look(LATE)
            self.work()
        assert not self.growth.is_due(self.now + LATE)


def whole(opened):
    """All that is said of a session: tapes, rows, links, findings, places."""
    session, shown = opened.session, opened.snapshot()
    return (
        outline_of(session),
        json.loads(Report([report_of(opened)]).to_json()),
        [[(r.start, r.length, r.line, r.kind) for r in session.rows(m)] for m in members(session)],
        [(row.kind, row.turn, row.message, row.number, row.unsent, row.tape) for row in shown.rows],
        shown.gutters(4),
        (shown.verdict, session.source.size),
    )


def members(session):
    return range(len(session.members) + 1)


def append(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as out:
        out.write(text)


# -- the same as opened ----------------------------------------------------------------------------


@st.composite
def growths(draw):
    """A sample, a first piece of its own file, and what is then written where, in pieces."""
    name = draw(st.sampled_from(LINES))
    own = SAMPLES / name
    files = [own, *sorted((SAMPLES / own.stem).rglob("*.jsonl"))]
    steps = []
    for number, file in enumerate(files):
        raw = file.read_bytes()
        begin = raw.index(b"\n", raw.index(b"\n") + 1) + 1 if number == 0 else 0
        cuts = sorted(draw(st.sets(st.integers(begin, len(raw)), max_size=5)) | {begin})
        pieces = [raw[a:b] for a, b in zip(cuts, [*cuts[1:], len(raw)], strict=True)]
        steps += [(k, number, piece) for k, piece in enumerate(pieces)]
        if number == 0:
            first = raw[:begin]
    order = draw(st.permutations(steps))
    placed = {}
    for k, number, piece in order:  # each file is written from its beginning to its end
        placed.setdefault(number, []).append((k, piece))
    queues = {number: sorted(pieces) for number, pieces in placed.items()}
    acts = [(files[number], queues[number].pop(0)[1]) for _, number, _ in order]
    pauses = draw(st.lists(st.sampled_from([-1.0, 0.05, LATE]), min_size=len(acts)))
    return name, first, list(zip(acts, pauses, strict=False))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(growths())
def test_followed_is_opened(tmp_path_factory, growth):
    name, first, steps = growth
    path = tmp_path_factory.mktemp("grows") / name
    path.write_bytes(first)
    follower = Follower(path)
    for (file, piece), pause in steps:
        append(path.parent / file.relative_to(SAMPLES), piece)
        if pause >= 0:  # else nobody looked in between
            follower.step(pause)
    follower.catch_up()
    assert whole(follower.opened) == whole(load(str(path)))
    assert set(follower.seen) <= {"grew"}


RECORDED = (SAMPLES / "recorded.tape.jsonl").read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize("known", range(1, len(RECORDED)))
def test_a_recording_is_followed_from_any_line_on(known, tmp_path):
    path = tmp_path / "run.tape.jsonl"
    path.write_bytes(b"".join(RECORDED[:known]))
    follower = Follower(path)
    for line in RECORDED[known:]:
        append(path, line)
        follower.step(LATE)
        assert follower.fault == ""
    follower.catch_up()
    assert whole(follower.opened) == whole(load(str(path)))


@pytest.mark.parametrize("name", ["refund.json", "lost-one.json", "crash.jsonl"])
@pytest.mark.parametrize("way", ["renamed over", "written over"])
def test_what_is_replaced_is_read_anew(name, way, tmp_path):
    path = tmp_path / name
    shutil.copy(SAMPLES / "healthy.jsonl", path)
    follower = Follower(path)
    text = (SAMPLES / name).read_bytes()
    if way == "renamed over":
        (tmp_path / "new").write_bytes(text)
        (tmp_path / "new").replace(path)
    else:
        path.write_bytes(text)
    follower.catch_up()
    assert whole(follower.opened) == whole(load(str(path)))


def test_a_document_that_gets_a_message_keeps_the_others(tmp_path):
    path = tmp_path / "x.json"
    body = {"model": "claude-x", "messages": [{"role": "user", "content": f"{k}"} for k in "abc"]}
    path.write_text(json.dumps(body))
    follower = Follower(path)
    before = follower.opened.session.records
    body["messages"].append({"role": "assistant", "content": "d"})
    path.write_text(json.dumps(body))
    assert not follower.step()  # its writer may be at it
    follower.look()
    assert follower.work()
    assert follower.opened.session.records[:3] == before
    assert len(follower.opened.session.records) == 4


def test_a_record_whose_text_was_changed_in_its_place_is_another_one(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('[{"role":"user","content":"ab"},{"role":"user","content":"cd"}]')
    follower = Follower(path)
    before = follower.opened.session.records
    path.write_text('[{"role":"user","content":"ab"},{"role":"user","content":"ef"}]')
    follower.catch_up()
    after = follower.opened.session.records
    assert [new is old for new, old in zip(after, before, strict=True)] == [True, False]


@pytest.mark.parametrize("renamed", [True, False])
def test_lines_that_are_written_anew(renamed, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(FIRST)
    follower = Follower(path)
    before = follower.opened.session.records
    if renamed:
        path.unlink()
    path.write_bytes(FIRST[:-20] + b"\n")
    follower.catch_up()
    after = follower.opened.session.records
    # What stood in the file itself is gone where it was written over.
    assert (after[0] is before[0]) is renamed
    assert after[1].kind == "unreadable"


# -- what stands on the screen meanwhile -----------------------------------------------------------


FIRST = written(user("u1", None, "ask"), reply("a1", "u1", "m1", "call:t"))
ANSWER = written(user("u2", "a1", "result:t"))


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "x.jsonl"
    file.write_bytes(FIRST)
    return file


def states(follower):
    return [link.state for link in follower.opened.snapshot().links]


def test_a_pending_call_is_answered(path):
    follower = Follower(path)
    assert states(follower) == ["pending"]
    append(path, ANSWER)
    assert follower.step()
    assert states(follower) == ["answered"]
    assert [row.kind for row in follower.opened.snapshot().rows][-1] == "block"
    assert follower.opened.revision == 1


def test_records_that_were_there_are_the_same_ones(path):
    follower = Follower(path)
    before = follower.opened.session.records
    append(path, ANSWER)
    follower.step()
    after = follower.opened.session.records
    assert all(new is old for new, old in zip(after, before, strict=False))
    assert [record.line for record in after] == [1, 2, 3]


@pytest.mark.parametrize("cut", [1, 40, len(ANSWER) - 2])
def test_half_a_line_is_left_out_until_its_writer_stops(cut, path):
    follower = Follower(path)
    append(path, ANSWER[:cut])
    follower.step()
    assert len(follower.opened.session.records) == 2
    follower.step(0.2)
    assert len(follower.opened.session.records) == 2
    assert follower.step(growing.PATIENCE)
    assert follower.opened.session.records[-1].kind == "unreadable"
    append(path, ANSWER[cut:])
    assert follower.step()
    assert [record.kind for record in follower.opened.session.records] == ["message"] * 3


def test_a_whole_line_is_shown_before_its_end_is_written(path):
    follower = Follower(path)
    append(path, ANSWER[:-1])
    assert follower.step()
    assert states(follower) == ["answered"]
    append(path, b"\n")
    follower.catch_up()
    assert len(follower.opened.session.records) == 3


def test_only_what_is_new_is_read(path, monkeypatch):
    append(path, written(*(user(f"x{k}", "a1", "y" * 500) for k in range(400))))
    follower = Follower(path)
    shown = follower.opened.snapshot()
    assert shown.findings
    read = []
    whole_read = growing.FileSource.read

    def count(self, start, length):
        found = whole_read(self, start, length)
        read.append(len(found))
        return found

    monkeypatch.setattr(growing.FileSource, "read", count)
    append(path, ANSWER)
    assert follower.step()
    assert sum(read) < 6_000


def test_work_that_takes_long_is_followed_by_a_rest(path):
    follower = Follower(path)
    append(path, ANSWER)
    follower.look()
    grown = follower.growth.begin(follower.now)(4)._replace(took=1.0)
    assert follower.growth.take(grown, follower.now)
    append(path, ANSWER)
    assert not follower.step()
    assert not follower.step(growing.REST - 0.2)
    assert follower.step(0.2)


def test_deleted_and_back(path):
    follower = Follower(path)
    path.unlink()
    assert not follower.step(LATE)
    assert len(follower.opened.session.records) == 2
    path.write_bytes(FIRST + ANSWER)
    follower.catch_up()
    assert follower.seen == ["gone", "back"]
    assert states(follower) == ["answered"]


def test_what_is_empty_or_no_session_is_waited_for(path):
    follower = Follower(path)
    for text in (b"", b"nothing of a session\n"):
        path.write_bytes(text)
        follower.step()
        assert not follower.step(LATE)
        assert follower.fault
        assert len(follower.opened.session.records) == 2
    path.write_bytes(FIRST)
    append(path, ANSWER)
    follower.catch_up()
    assert states(follower) == ["answered"]


def test_a_log_that_is_rotated(path):
    follower = Follower(path)
    path.rename(path.with_name("x.jsonl.1"))
    path.write_bytes(b"")
    follower.step()
    follower.step(LATE)
    assert len(follower.opened.session.records) == 2
    append(path, FIRST[: FIRST.index(b"\n") + 1])
    follower.catch_up()
    assert len(follower.opened.session.records) == 1


# -- edits -----------------------------------------------------------------------------------------


def test_an_edit_that_is_made_meanwhile_is_not_lost(path):
    follower = Follower(path)
    append(path, ANSWER)
    follower.look()
    grown = follower.growth.begin(follower.now)(4)
    follower.opened.apply(Delete(("messages.1",)))
    edited = follower.opened.session
    assert not follower.growth.take(grown, follower.now)
    assert follower.opened.session is edited
    assert follower.growth.is_behind
    follower.opened.undo()
    follower.catch_up()
    assert states(follower) == ["answered"]


def test_what_was_undone_can_be_done_again_on_what_has_grown(path):
    follower = Follower(path)
    follower.opened.apply(Delete(("messages.1",)))
    follower.opened.undo()
    append(path, ANSWER)
    follower.catch_up()
    assert follower.opened.redo() is not None
    assert [record.line for record in follower.opened.session.records] == [1, 3]


def test_after_saving_the_next_change_is_read_anew(path):
    follower = Follower(path)
    follower.opened.apply(Delete(("messages.1",)))
    session = follower.opened.session
    text = b"".join(session.written(session, 0))
    (path.parent / "new").write_bytes(text)
    (path.parent / "new").replace(path)
    follower.opened.log.saved = 1
    follower.growth.saved()
    assert not follower.step(LATE)
    append(path, written(user("u3", "u1", "more")))
    follower.catch_up()
    assert whole(follower.opened) == whole(load(str(path)))
    assert not follower.opened.log.entries


# -- new rows at once ------------------------------------------------------------------------------


def test_a_small_session_needs_no_glimpse(path):
    follower = Follower(path)
    append(path, ANSWER)
    follower.look()
    assert follower.growth.glimpse(follower.opened.snapshot()) is None


@pytest.mark.parametrize("name", LINES)
def test_new_rows_of_a_big_session_stand_below_what_is_settled(name, tmp_path, monkeypatch):
    monkeypatch.setattr(growing, "BIG", 0)
    raw = (SAMPLES / name).read_bytes()
    ends = [k + 1 for k, byte in enumerate(raw) if byte == 10]
    path = tmp_path / name
    path.write_bytes(raw[: ends[len(ends) // 2]])
    follower = Follower(path)
    base = follower.opened.snapshot()
    last = len(base.rows)
    for start, end in zip(ends[len(ends) // 2 :], ends[len(ends) // 2 + 1 :], strict=False):
        append(path, raw[start:end])
        follower.look()
        shown = follower.growth.glimpse(base)
        assert isinstance(shown, Snapshot)
        first = shown.first_new
        assert shown.rows[:first] == base.rows[:first]
        assert shown.rows[len(shown.rows) - len(base.rows) + first :] == base.rows[first:]
        assert len(shown.rows) >= last
        assert len(shown.gutters(4)[0]) == len(shown.rows)
        last = len(shown.rows)
        for row in shown.rows[first:]:
            if row.record is not None:
                assert shown.session.bytes_of(row.record)
    follower.catch_up()
    # Files of sub-agents are not there: what they would be is not asked here.
    settled = follower.opened.session
    assert outline_of(settled) == outline_of(load(str(path)).session)


def test_what_is_read_once_is_settled_with_the_rest(path, monkeypatch):
    monkeypatch.setattr(growing, "BIG", 0)
    follower = Follower(path)
    append(path, ANSWER)
    follower.look()
    base = follower.opened.snapshot()
    assert follower.growth.glimpse(base).rows[-1].kind == "end"
    grown = follower.growth.begin(follower.now)(4)
    append(path, written(reply("a2", "u2", "m2", "done")))
    follower.look()
    glimpsed = follower.growth.glimpse(base)
    assert len(glimpsed.rows) == len(base.rows) + 3
    assert follower.growth.take(grown, follower.now)
    assert follower.growth.is_behind
    again = follower.growth.glimpse(follower.opened.snapshot())
    assert [row.kind for row in again.rows][-2:] == ["reply", "block"]
    follower.catch_up()
    assert whole(follower.opened) == whole(load(str(path)))


def test_when_records_without_a_time_came(path):
    follower = Follower(path)
    append(path, written(reply("a2", "u2", "m2", "call:x") | {"at": None}))
    follower.step()
    first, _, new = follower.opened.session.records
    assert follower.growth.since(first) is None
    assert follower.growth.since(new) == 1_000.0


# -- what cannot be followed -----------------------------------------------------------------------


def test_standard_input_was_read_to_its_end():
    with pytest.raises(OpenError, match="nothing more comes"):
        Growth(open_bytes(FIRST, "-"))


def test_a_session_that_was_loaded_piece_by_piece(path):
    loading = Loading(open_store(str(path)))
    while not loading.is_read:
        loading.go_on(0.0)
    loading.take(loading.settle(4))
    growth = Growth(loading)
    append(path, ANSWER)
    assert growth.look(1.0) == "grew"
    assert growth.take(growth.begin(1.0)(4), 1.0)
    assert whole(loading) == whole(load(str(path)))
    assert outline_of(loading.session) == outline_of(opened_bytes(FIRST + ANSWER, str(path)))
