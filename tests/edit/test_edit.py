"""Splices of records, and the edit that takes an edit back."""

from hypothesis import given
from hypothesis import strategies as st

from tapeview.edit.edit import Edit, Splice
from tapeview.tape.record import Record
from tapeview.tape.tape import Frame


def record(word, member=0):
    return Record(-1, 0, 0, "note", label=word, member=member)


A, B, C, D, X, Y = (record(word) for word in "abcdxy")


def words(rows):
    return "".join(row.label for row in rows)


def test_splices_count_the_rows_as_they_were():
    edit = Edit("", (Splice(0, (A,), ()), Splice(2, (C,), (X, Y)), Splice(4, (), (A,))))
    assert words(edit.applied((A, B, C, D))) == "bxyda"
    assert words(edit.inverse.applied(edit.applied((A, B, C, D)))) == "abcd"


def test_an_edit_knows_the_files_that_it_changes():
    edit = Edit("", (Splice(0, (A,), ()), Splice(0, (), (record("m", 2),), 2)))
    assert edit.members == {0, 2}
    assert words(edit.applied((A, B))) == "b"
    assert words(edit.applied((), 2)) == "m"
    assert words(edit.inverse.applied(edit.applied((), 2), 2)) == ""


def test_the_inverse_swaps_frames_and_names():
    frames = (Frame("one"), Frame("two"))
    back = Edit("set", (), frames, ((A, B),)).inverse
    assert (back.label, back.frames, back.became) == ("set", frames[::-1], ((B, A),))
    assert Edit("set").inverse.frames is None


@given(st.data())
def test_any_edit_and_its_inverse_are_nothing(data):
    rows = tuple(record(str(k)) for k in range(data.draw(st.integers(0, 8))))
    splices, at = [], 0
    while at <= len(rows):
        gone = data.draw(st.integers(0, len(rows) - at))
        new = tuple(record(f"n{at}") for _ in range(data.draw(st.integers(0, 2))))
        splices.append(Splice(at, rows[at : at + gone], new))
        at += gone + data.draw(st.integers(1, 4))
    edit = Edit("", tuple(splices))
    after = edit.applied(rows)
    assert edit.inverse.applied(after) == rows
    assert edit.inverse.inverse.applied(rows) == after
