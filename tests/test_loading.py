"""A session that is read piece by piece: its rows on the way, and what it is in the end."""

import gc
import json
import os
import re

import pytest

from tapeview.errors import OpenError
from tapeview.formats._source import FileSource
from tapeview.loading import Loading, Settled, begin, place_in
from tapeview.open_session import OpenSession, load, open_store
from tapeview.tape.json_text import JsonFault
from tests.formats.claude import line, reply, user, written
from tests.formats.samples import SAMPLES, name_of, store_of

PAST = 0.0
"""A time by which one record is read, no more."""

NOTE = {"type": "summary", "summary": "x", "leafUuid": "u"}


def finish(loading):
    """Read to the end and settle."""
    while not loading.is_read:
        loading.go_on(PAST)
    loading.take(loading.settle(4))
    return loading


def slowly(path):
    """The file with nothing but its first records read."""
    return Loading(open_store(str(path)))


def shown(row):
    """All that a row is, comparable between two readings of the same file."""
    record = row.record
    place = None if record is None else (record.member, record.start, record.length)
    path = None if row.block is None else row.block.path
    return (row.kind, row.turn, row.after, row.message, row.number, path, place, row.unsent)


def looks(snapshot):
    """What the screen shows of a snapshot."""
    return {
        "rows": [(*shown(row), row.holds, row.tape) for row in snapshot.rows],
        "gutters": snapshot.gutters(4),
        "findings": [(f.rule.code, f.severity, f.at, f.sentence) for f in snapshot.findings],
        "links": [(link.state, len(link.results)) for link in snapshot.links],
        "turns": dict(snapshot.turn_facts),
        "tapes": [(tape.id, tape.kind, len(tape.messages)) for tape in snapshot.session.tapes],
        "verdict": snapshot.verdict,
        "folder": snapshot.session.folder,
    }


def words(rows):
    """Rows in a word each: blocks by kind, the rest by what they are."""
    return [row.block.kind if row.block is not None else row.kind for row in rows]


def loading_of(*lines):
    return Loading(store_of(written(*lines)))


# -- opening ---------------------------------------------------------------------------------------


def test_a_small_file_is_read_at_once_and_a_big_one_later(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(written(user("u1", None, "x"), reply("a1", "u1", "m1", "y")))
    size = path.stat().st_size
    at_once, later = begin(str(path), at_once=size), begin(str(path), at_once=size - 1)
    assert type(at_once) is OpenSession
    assert isinstance(later, Loading)
    assert at_once.is_settled
    assert not later.is_settled
    assert later.snapshot().rows  # there is something to show before anybody waits


def test_what_is_no_session_is_refused_before_anything_is_shown(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"messages": 3}')
    with pytest.raises(OpenError, match="not an array"):
        begin(str(path), at_once=0)


def test_the_purpose_is_that_of_the_format_unless_it_is_told():
    lines = [user("u1", None, "x")]
    assert loading_of(*lines).purpose == "session"
    assert Loading(store_of(b'[{"role":"user","content":"x"}]')).purpose == "request"
    assert Loading(store_of(written(*lines)), "request").purpose == "request"


# -- on the way ------------------------------------------------------------------------------------

TWO_CALLS = reply("a1", "u1", "m1", "call:t", "call:s")


@pytest.mark.parametrize(
    "lines, expected",
    [
        ([user("u1", None, "x")], ["text"]),
        ([user("u1", None, "x"), reply("a1", "u1", "m1", "y")], ["text", "reply", "text"]),
        (
            [TWO_CALLS, user("u2", "a1", "result:t"), reply("a2", "u2", "m1", "y")],
            ["reply", "tool_use", "tool_use", "tool_result", "text"],
        ),
        (
            [reply("a1", None, "m1", "y"), reply("a2", "a1", "m2", "z")],
            ["reply", "text", "reply", "text"],
        ),
        (
            [reply("a1", None, "e1", "API Error", isApiErrorMessage=True)],
            ["text"],
        ),
        ([user("u1", None, "x"), NOTE], ["text", "note"]),
        ([NOTE, NOTE, user("u1", None, "x")], ["notes", "note", "note", "text"]),
        ([user("u1", None, "x"), b"{broken", NOTE], ["text", "unreadable", "note"]),
        ([user("u1", None)], ["block"]),
        ([line("user", "u1", None, message={"role": "user", "content": ""})], ["text"]),
    ],
)
def test_rows_in_stored_order(lines, expected):
    loading = loading_of(*lines)
    while not loading.is_read:
        loading.go_on(PAST)
    assert words(loading.snapshot().rows) == expected


def test_replies_without_ids_end_at_the_next_user():
    roles = ["user", "assistant", "assistant", "user", "assistant"]
    body = [{"role": role, "content": "x"} for role in roles]
    loading = Loading(store_of(json.dumps({"system": "s", "tools": [], "messages": body}).encode()))
    loading.go_on(PAST)
    rows = ["system", "tools", "text", "reply", "text", "text", "text", "reply", "text"]
    assert words(loading.snapshot().rows) == rows


def test_notes_wait_until_it_is_known_how_many_there_are(monkeypatch):
    monkeypatch.setattr("tapeview.loading.GLIMPSE", 1)
    loading = loading_of(user("u1", None, "x"), NOTE, NOTE, NOTE, user("u2", "u1", "y"))
    seen = []
    while not loading.is_read:
        loading.go_on(PAST)
        seen.append(len(loading.snapshot().rows))
    assert seen == [1, 1, 1, 6, 6]
    assert loading.snapshot().rows[1].holds == 3


@pytest.mark.parametrize("path", SAMPLES, ids=name_of)
def test_rows_only_come_and_every_one_has_its_place_in_the_end(path, monkeypatch):
    monkeypatch.setattr("tapeview.loading.GLIMPSE", 1)
    loading = slowly(path)
    before = loading.snapshot().rows
    while not loading.is_read:
        loading.go_on(PAST)
        rows = loading.snapshot().rows
        assert rows[: len(before)] == before
        before = rows
    loading.take(loading.settle(4))
    settled = loading.snapshot()
    for at, row in enumerate(before):
        place = settled.rows[place_in(settled, before, at)]
        if row.block is not None and row.block in settled.row_of:
            assert place.block is row.block
        elif row.record is not None and row.record in settled.row_of:
            assert place.record is row.record
            # Between the lines of a recording stand calls that belong elsewhere.
            is_recording = settled.session.format == "recording"
            alone = is_recording and (row.kind, place.kind) == ("notes", "note")
            assert alone or place.kind == {"reply": "turn"}.get(row.kind, row.kind)


def test_a_row_that_ends_up_elsewhere_leads_to_the_one_above():
    ask = reply("a1", "u1", "m1", "call:t")
    ask["message"]["content"][0] |= {"name": "Task", "input": {"prompt": "look"}}
    lines = [
        user("u1", None, "x"),
        ask,
        user("s1", None, "look", isSidechain=True),
        reply("s2", "s1", "n1", "found", isSidechain=True),
        user("u2", "a1", "result:t"),
    ]
    loading = loading_of(*lines)
    rows = loading.snapshot().rows
    settled = finish(loading).snapshot()
    assert words(rows) == ["text", "reply", "tool_use", "text", "reply", "text", "tool_result"]
    places = [place_in(settled, rows, at) for at in range(len(rows))]
    assert [settled.rows[at].kind for at in places] == ["block", "turn", *["block"] * 5]
    assert len({*places[2:6]}) == 1


def test_results_carry_the_names_of_their_calls():
    loading = loading_of(TWO_CALLS, user("u2", "a1", "result:s"), user("u3", "u2", "result:x"))
    snapshot = loading.snapshot()
    named = [row.block for row in snapshot.rows if row.block in snapshot.index.link_of]
    assert [block.id for block in named] == ["s"]
    assert snapshot.index.link_of[named[0]].call.block.name == "Bash"


@pytest.mark.parametrize(
    "most, lines, width",
    [
        (4, [user("u1", None, "x")], 1),
        (4, [TWO_CALLS], 1),
        (4, [TWO_CALLS, user("u2", "a1", "result:s"), user("u3", "u2", "result:t")], 2),
        (1, [TWO_CALLS, user("u2", "a1", "result:s"), user("u3", "u2", "result:t")], 1),
        (4, [TWO_CALLS, user("u2", "a1", "go on"), user("u3", "u2", "result:t")], 1),
    ],
)
def test_the_gutter_is_as_wide_as_it_will_have_to_be(most, lines, width):
    snapshot = loading_of(*lines).snapshot()
    gutters, lanes = snapshot.gutters(most)
    assert lanes == width
    assert len(gutters) == len(snapshot.rows)
    assert all(len(gutter.passing) == width for gutter in gutters)


def test_before_it_is_settled_nothing_is_claimed():
    snapshot = loading_of(user("u1", None, "result:x"), TWO_CALLS).snapshot()
    assert not snapshot.settled
    assert snapshot.findings == snapshot.links == ()
    assert snapshot.verdict == ""
    assert list(snapshot.turn_numbers) == []
    assert [snapshot.rows[at].kind for at in snapshot.turn_row_of.values()] == ["reply"]
    assert snapshot.rule_words(snapshot.rows[1]) == "turn …"


def test_how_far_it_is():
    store = store_of(written(*[user("u1", None, "x")] * 50))
    loading = Loading(store)
    assert 0 < loading.done < loading.total == store.source.size
    finish(loading)
    assert loading.done == loading.total


# -- in the end ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SAMPLES, ids=name_of)
def test_in_the_end_it_is_what_reading_at_once_gives(path):
    loading = finish(slowly(path))
    assert loading.is_settled
    assert loading.fault == ""
    assert loading.revision == 1
    assert looks(loading.snapshot()) == looks(load(str(path)).snapshot())
    for tape in loading.session.tapes:
        assert loading.snapshot(tape.id).tape is tape
    assert gc.isenabled()


@pytest.mark.parametrize("path", SAMPLES, ids=name_of)
def test_the_screen_finds_everything_worked_out(path):
    snapshot = finish(slowly(path)).snapshot()
    known = {"rows", "findings_by_rank", "row_of", "turn_row_of", "turn_sizes", "verdict"}
    assert known <= set(vars(snapshot))
    assert snapshot.gutters(4) is snapshot.gutters(4)


# -- what can go wrong -----------------------------------------------------------------------------

LINES = [user(f"u{k}", f"u{k - 1}", "x" * 9_000) for k in range(100)]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(written(*LINES))
    return path


def test_a_file_that_becomes_shorter_ends_where_it_ends(file):
    loading = slowly(file)
    os.truncate(file, 600_000)
    finish(loading)
    assert loading.is_settled
    assert loading.fault == "the file became shorter while it was read: its end is missing"
    kinds = [record.kind for record in loading.session.records]
    assert kinds[-1] == "unreadable"
    assert 40 < len(kinds) < 100


@pytest.mark.parametrize("act", ["unlink", "replace"])
def test_a_file_that_is_taken_away_is_read_to_its_end_all_the_same(act, file, tmp_path):
    loading = slowly(file)
    if act == "unlink":
        file.unlink()
    else:
        other = tmp_path / "other"
        other.write_bytes(b"{}")
        other.replace(file)
    finish(loading)
    assert loading.fault == ""
    assert len(loading.session.records) == 100
    assert loading.change() == {"unlink": "gone", "replace": "replaced"}[act]


def test_a_file_that_grows_is_read_as_far_as_it_went_when_it_was_opened(file):
    loading = slowly(file)
    with file.open("ab") as more:
        more.write(written(user("u100", "u99", "new")))
    assert finish(loading).fault == ""
    assert len(loading.session.records) == 100
    assert loading.done == loading.total
    assert loading.change() == "grown"


def test_damage_in_the_middle_is_a_row(file):
    loading = slowly(file)
    with file.open("r+b") as damaged:
        damaged.seek(700_000)
        damaged.write(b"\n\x00\xff{{" * 9)
    finish(loading)
    assert loading.fault == ""
    assert [row.kind for row in loading.snapshot().rows].count("unreadable") >= 2


def test_a_disk_that_fails_ends_the_reading_and_says_so(file, monkeypatch):
    loading = slowly(file)

    def fails(self, start, length):
        raise OSError(5, "Input/output error")

    whole = FileSource.read
    monkeypatch.setattr(FileSource, "read", fails)
    while not loading.is_read:
        loading.go_on(PAST)
    monkeypatch.setattr(FileSource, "read", whole)
    assert re.fullmatch("reading stopped at [0-9]+ kB: Input/output error", loading.fault)
    finish(loading)
    assert loading.is_settled
    assert len(loading.session.records) == len(loading.snapshot().rows) < 100


@pytest.mark.parametrize("fault", [JsonFault(0, "no"), KeyError("x"), OSError(5, "gone")])
def test_what_cannot_be_worked_out_stays_as_it_was_read(fault, file, monkeypatch):
    loading = slowly(file)
    store = type(loading._store)

    def fails(self, records):
        raise fault

    monkeypatch.setattr(store, "session", fails)
    while not loading.is_read:
        loading.go_on(PAST)
    settled = loading.settle(4)
    assert settled == Settled(None, "the file changed while it was read: open it again")
    loading.take(settled)
    assert not loading.is_settled
    assert loading.fault == settled.fault
    assert len(loading.snapshot().rows) == 100
