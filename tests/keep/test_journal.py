"""The journal: what is on the disk after a crash at any byte."""

import os
import stat

import pytest

from tapeview.edit.operations import Cut, Prepend
from tapeview.errors import SaveError
from tapeview.keep.files import Fingerprint
from tapeview.keep.journal import Journal, journal_path, read_journal

BASE, LATER = Fingerprint(3, "aa"), Fingerprint(5, "bb")
ONE, TWO, THREE = Prepend(text="one \ud83d"), Cut(after="messages.2"), Prepend(text="three")


@pytest.fixture
def journal(tmp_path):
    made = Journal(tmp_path / "state" / "j.jsonl", tmp_path / "s.jsonl")
    made.begin(BASE)
    yield made
    made.close()


def test_edits_come_back_in_order(journal):
    journal.edit(ONE)
    journal.edit(TWO)
    found = read_journal(journal.path)
    assert (found.base, found.edits, found.state, found.unread) == (BASE, (ONE, TWO), 2, 0)
    assert found.done == (ONE, TWO)


def test_undo_redo_and_a_new_edit(journal):
    journal.edit(ONE)
    journal.edit(TWO)
    journal.undo(2)
    journal.redo()
    assert read_journal(journal.path).done == (ONE,)
    assert read_journal(journal.path).edits == (ONE, TWO)
    journal.edit(THREE)
    assert read_journal(journal.path).edits == (ONE, THREE)


def test_which_state_a_file_is(journal):
    journal.edit(ONE)
    journal.saved(LATER)
    journal.edit(TWO)
    found = read_journal(journal.path)
    assert [found.state_in(file) for file in (BASE, LATER, Fingerprint(1, "c"))] == [0, 1, None]


def test_a_saved_state_that_was_undone_and_written_over_is_no_state_any_more(journal):
    journal.edit(ONE)
    journal.edit(TWO)
    journal.saved(LATER)
    journal.undo()
    journal.edit(THREE)
    assert read_journal(journal.path).state_in(LATER) is None


def test_the_latest_of_two_states_with_the_same_bytes_counts(journal):
    journal.edit(ONE)
    journal.saved(LATER)
    journal.edit(TWO)
    journal.edit(TWO)
    journal.saved(LATER)
    assert read_journal(journal.path).state_in(LATER) == 3


def test_every_cut_of_a_journal_reads_as_a_prefix(journal):
    journal.edit(ONE)
    journal.saved(LATER)
    journal.edit(TWO)
    journal.undo()
    journal.edit(THREE)
    raw = journal.path.read_bytes()
    seen = []
    for size in range(len(raw) + 1):
        journal.path.write_bytes(raw[:size])
        found = read_journal(journal.path)
        assert found is None or found.unread == 0
        state = None if found is None else (found.edits, found.state)
        if not seen or seen[-1] != state:
            seen.append(state)
    assert seen == [
        None,
        ((), 0),
        ((ONE,), 1),
        ((ONE, TWO), 2),
        ((ONE, TWO), 1),
        ((ONE, THREE), 2),
    ]


def test_a_torn_line_is_cut_off_before_more_is_written(journal):
    journal.edit(ONE)
    journal.close()
    whole = journal.path.read_bytes()
    journal.path.write_bytes(whole + b'{"edit":{"op"')
    journal.go_on()
    journal.edit(TWO)
    assert read_journal(journal.path).edits == (ONE, TWO)
    assert journal.path.read_bytes().startswith(whole)


@pytest.mark.parametrize("bad", [b"{bad}", b'{"edit":{"op":"fly"}}', b"\0\0\0", b'{"undo":"x"}'])
def test_a_line_that_cannot_be_read_ends_what_is_known_and_is_counted(journal, bad):
    journal.edit(ONE)
    journal.close()
    raw = journal.path.read_bytes() + bad + b"\n" + b'{"edit":{"op":"clear"}}\n'
    journal.path.write_bytes(raw)
    found = read_journal(journal.path)
    assert (found.edits, found.unread) == ((ONE,), 2)
    journal.go_on()
    journal.edit(TWO)
    assert read_journal(journal.path).edits == (ONE, TWO)
    assert journal.path.with_suffix(".damaged").read_bytes() == raw


@pytest.mark.parametrize(
    "raw", [b"", b"x\n", b'{"journal":9}\n', b'{"edit":{}}\n', b'{"journal":1']
)
def test_what_does_not_begin_as_a_journal_is_none(tmp_path, raw):
    (tmp_path / "j").write_bytes(raw)
    assert read_journal(tmp_path / "j") is None
    assert read_journal(tmp_path / "nothing") is None


def test_a_journal_is_for_its_owner_alone(journal):
    assert stat.S_IMODE(journal.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(journal.path.parent.stat().st_mode) == 0o700


def test_a_session_has_one_journal_whatever_leads_to_it(tmp_path):
    (tmp_path / "s").write_bytes(b"")
    (tmp_path / "link").symlink_to(tmp_path / "s")
    paths = [journal_path(tmp_path, tmp_path / name) for name in ("s", "link", "./s")]
    assert len(set(paths)) == 1
    assert journal_path(tmp_path, tmp_path / "t") not in paths


def test_a_path_that_is_no_text(tmp_path):
    made = Journal(tmp_path / "j", tmp_path / "\udcff.jsonl")
    made.begin(BASE)
    made.edit(ONE)
    made.close()
    assert read_journal(made.path).edits == (ONE,)


def test_a_full_disk_leaves_no_half_line(journal, monkeypatch):
    journal.edit(ONE)
    whole = journal.path.read_bytes()
    write = os.write

    def fill_up(descriptor, data):
        if len(data) > 5:
            return write(descriptor, data[:5])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", fill_up)
    with pytest.raises(SaveError, match="cannot be written: No space left"):
        journal.edit(TWO)
    assert journal.path.read_bytes() == whole


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "state").write_bytes(b"")
    with pytest.raises(SaveError, match="the journal of edits cannot be written"):
        Journal(tmp_path / "state" / "j.jsonl", tmp_path / "s").begin(BASE)
