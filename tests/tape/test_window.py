"""The stretch of a tape that an edit replaces, and the index after it."""

import pytest

from tapeview.tape.index import Index
from tapeview.tape.window import Stretch, ids_in, index_within, is_clean, windowed_index
from tests.formats.claude import reply, session, user


def ask(number):
    """A prompt, a call and its result."""
    return (
        user(f"u{number}", f"r{number - 1}" if number else None, f"ask {number}"),
        reply(f"a{number}", f"u{number}", f"m{number}", f"call:t{number}"),
        user(f"r{number}", f"a{number}", f"result:t{number}"),
    )


def index_of(*lines):
    made = session(*lines)
    return Index(made.main.messages, made.frame, made.dialect)


def known(index):
    """The same index with all that it knows."""
    for derived in (index.links, index.places, index.record_of, index.sizes, index.signed):
        del derived
    return index


WHOLE = [line for number in range(5) for line in ask(number)]


def test_where_a_tape_is_parted_cleanly():
    messages = index_of(*WHOLE).messages
    clean = [is_clean(messages, number) for number in range(len(messages) + 1)]
    assert [message.role for message in messages[:4]] == ["user", "assistant", "user", "assistant"]
    assert [number for number, at in enumerate(clean) if at] == [1, 3, 5, 7, 9]
    assert ids_in(messages[:3]) == {"t0": 2}


def test_what_stands_before_is_kept_and_what_stands_behind_moves():
    old = known(index_of(*WHOLE))
    messages = (*old.messages[:3], *old.messages[5:])
    index = windowed_index(old, messages, Stretch(1, 7, 5))
    anew = Index(messages, old.frame, old.dialect)
    assert index.sides[0] is old.sides[0]
    assert list(index.turns) == list(anew.turns)
    assert [link.reach for link in index.links] == [link.reach for link in anew.links]
    assert dict(index.places) == dict(anew.places)
    assert dict(index.record_of) == dict(anew.record_of)
    assert [index.link_of[b] for b in anew.link_of] == [index.links[k // 2] for k in range(8)]
    part = index_within(index, 1, 5)
    assert [end.block.id for end in part.calls] == ["t0", "t2"]


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: [*lines[:4], reply("a1", "u1", "m1", "call:t4"), *lines[5:]],
        lambda lines: [*lines[:5], user("r1", "a1", "result:t4"), *lines[6:]],
        lambda lines: [*lines[:3], user("u1", "r0", "result:t9", "result:t4"), *lines[4:]],
    ],
    ids=["an id is used twice", "a result far away", "an orphan with another's id"],
)
def test_ids_that_are_used_outside_too(change):
    old = known(index_of(*WHOLE))
    now = index_of(*change(WHOLE))
    assert windowed_index(old, now.messages, Stretch(1, 7, 7)) is None


def test_nothing_is_kept_where_nothing_is_known():
    old = index_of(*WHOLE)
    index = windowed_index(old, old.messages, Stretch(1, 7, 7))
    assert "links" not in index.__dict__


def test_a_stretch_that_does_not_end_cleanly():
    old = known(index_of(*WHOLE))
    assert windowed_index(old, old.messages, Stretch(1, 6, 6)) is None
    assert windowed_index(old, old.messages, Stretch(2, 7, 7)) is None


def test_the_ends_of_a_tape_part_it_too():
    old = known(index_of(*WHOLE))
    messages = old.messages[2:]
    index = windowed_index(old, messages, Stretch(0, 7, 5))
    assert dict(index.places) == dict(Index(messages, old.frame, old.dialect).places)
    ended = old.messages[:-2]
    index = windowed_index(old, ended, Stretch(5, 11, 9))
    assert list(index.turns) == list(Index(ended, old.frame, old.dialect).turns)
