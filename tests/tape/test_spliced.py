"""Sequences and mappings in pieces say what whole ones would say."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapeview.tape import spliced
from tapeview.tape.spliced import STILL, Known, Moving, Numbered, Shift, Spliced, Step, as_spliced

VALUES = st.lists(st.integers(0, 9), max_size=6)


def moved(value, shift):
    return value + shift.messages


def same(number):
    return number


def other(was, number):
    return number


@given(
    st.lists(st.integers(0, 9), max_size=12),
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12), VALUES, st.integers(-3, 3))),
)
def test_a_spliced_sequence_is_a_sequence(values, edits):
    pieces, whole = as_spliced(tuple(values), moved), list(values)
    for a, b, new, by in edits:
        start, stop = sorted((min(a, len(whole)), min(b, len(whole))))
        pieces = pieces.spliced(start, stop, new, Shift(by))
        whole = [*whole[:start], *new, *(value + by for value in whole[stop:])]
        assert list(pieces) == whole
        assert len(pieces) == len(whole)
        assert pieces[1:-1] == tuple(whole[1:-1])
        assert [pieces[k - len(whole)] for k in range(len(whole))] == whole
    with pytest.raises(IndexError):
        pieces[len(whole)]


def test_what_does_not_move_is_the_same_object():
    values = [object() for _ in range(4)]
    pieces = as_spliced(values, moved).spliced(1, 2, ["new"])
    assert [pieces[0], pieces[2]] == [values[0], values[2]]
    assert list(pieces.unmoved()) == [values[0], "new", values[2], values[3]]
    assert as_spliced(pieces, moved) is pieces
    assert isinstance(pieces, Spliced)
    assert Shift(1, 2).plus(STILL) == Shift(1, 2)


def test_what_moves_is_moved_once():
    pieces = as_spliced([(7,)], lambda value, shift: (value[0] + shift.messages,))
    pieces = pieces.spliced(0, 0, [], Shift(1))
    assert pieces[0] == (8,)
    assert pieces[0] is pieces[0]


def test_many_edits_are_put_together_anew():
    pieces = as_spliced([0] * 300, moved)
    numbers = Moving({"z": 10_000}, same, other)
    for k in range(300):
        pieces = pieces.spliced(k, k + 1, [k], Shift(1))
        numbers = numbers.stepped(Step(k, k, 1), {k: k})
    assert list(pieces) == list(range(300))
    assert dict(numbers) == {"z": 10_300} | {k: k for k in range(300)}


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12), st.integers(0, 4)), max_size=30),
    st.sampled_from([2, 5, 128]),
)
def test_a_moving_mapping_follows_a_list(edits, most):
    whole = [f"old {k}" for k in range(8)]
    numbers = Moving({key: at for at, key in enumerate(whole)}, same, other)
    patch = pytest.MonkeyPatch()
    patch.setattr(spliced, "MOST_PIECES", most)
    for count, (a, b, size) in enumerate(edits):
        start, stop = sorted((min(a, len(whole)), min(b, len(whole))))
        new = [f"{count} {k}" for k in range(size)]
        step = Step(start, stop, size - (stop - start))
        numbers = numbers.stepped(step, {key: start + k for k, key in enumerate(new)})
        whole[start:stop] = new
        assert dict(numbers) == {key: at for at, key in enumerate(whole)}
        assert len(numbers) == len(whole)
    patch.undo()


def test_keys_that_became_others():
    numbers = Moving({"a": 1, "b": 2}, same, other).stepped(Step(0, 0, 1), {})
    assert dict(numbers.rekeyed({"a": "c", "gone": "d"})) == {"b": 3, "c": 2}
    assert dict(numbers.rekeyed({"a": "c"}, keep=True)) == {"a": 2, "b": 3, "c": 2}


def test_a_list_by_number():
    assert dict(Numbered(3, "ab")) == {3: "a", 4: "b"}
    assert 2 not in Numbered(3, "ab")
    assert len(Numbered(3, "ab")) == 2


def test_what_is_worked_out_once():
    asked = []
    known = Known(range(1, 3), lambda number: asked.append(number) or number * 10)
    assert dict(known) == {1: 10, 2: 20}
    assert [known[2], 3 in known, len(known), asked] == [20, False, 2, [1, 2]]
