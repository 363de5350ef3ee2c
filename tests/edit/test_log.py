"""Undo, redo, and which state is on the disk."""

from hypothesis import given
from hypothesis import strategies as st

from tapeview.edit.edit import Edit
from tapeview.edit.log import EditLog, Entry
from tapeview.edit.operations import Clear


def entry(word):
    return Entry(Clear(), Edit(word))


def log_of(*words):
    log = EditLog()
    for word in words:
        log.push(entry(word))
    return log


def labels(entries):
    return "".join(entry.edit.label for entry in entries)


def test_undo_and_redo_walk_the_list():
    log = log_of("a", "b")
    assert log.undo().label == "b"
    assert labels(log.done) == "a"
    assert log.undo().label == "a"
    assert log.undo() is None
    assert log.redo().label == "a"
    assert log.redo().label == "b"
    assert log.redo() is None
    assert labels(log.entries) == "ab"


def test_redo_is_dropped_only_by_a_new_edit():
    log = log_of("a", "b", "c")
    log.undo()
    log.undo()
    assert labels(log.entries) == "abc"
    log.push(entry("x"))
    assert labels(log.entries) == "ax"
    assert log.redo() is None


def test_what_is_unsaved_counts_steps_to_the_file():
    log = log_of("a", "b")
    assert log.unsaved == 2
    log.saved = log.state
    assert log.unsaved == 0
    log.undo()
    assert log.unsaved == 1
    log.redo()
    assert log.unsaved == 0


def test_a_new_edit_below_the_saved_state_loses_that_state():
    log = log_of("a", "b")
    log.saved = 2
    log.undo()
    log.push(entry("x"))
    assert log.saved is None
    log.undo()
    log.undo()
    assert log.unsaved == 2  # not even the beginning is what the file holds


def test_towards_a_state():
    log = log_of("a", "b", "c")
    assert [edit.label for edit in log.towards(1)] == ["c", "b"]
    assert [edit.label for edit in log.towards(3)] == ["b", "c"]
    assert list(log.towards(3)) == []
    assert [edit.label for edit in log.towards(9)] == []


@given(st.lists(st.sampled_from("purs")))
def test_the_list_is_what_a_list_would_be(steps):
    log, done, undone = EditLog(), [], []
    for number, step in enumerate(steps):
        if step == "p":
            log.push(entry(str(number)))
            done, undone = [*done, str(number)], []
        elif step == "s":
            log.saved = log.state
        elif step == "u":
            assert (log.undo() is None) == (not done)
            undone[:0], done = done[-1:], done[:-1]
        else:
            assert (log.redo() is None) == (not undone)
            done, undone = done + undone[:1], undone[1:]
        assert [e.edit.label for e in log.done] == done
        assert [e.edit.label for e in log.entries] == done + undone
