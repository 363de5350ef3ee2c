"""An edit put together: splices in the order of the file, neighbours as one."""

import json

import pytest

from tapeview.edit.draft import Draft
from tests.helpers import open_bytes

RAW = json.dumps([{"role": "user", "content": word} for word in "abcd"]).encode()


@pytest.fixture
def draft():
    opened = open_bytes(RAW)
    return Draft(opened.session, opened._store.read, b"salt")


def message(word):
    return json.dumps({"role": "user", "content": word}).encode()


def texts(draft):
    return [
        json.loads(draft.session.bytes_of(record) if record.text is None else record.text)[
            "content"
        ]
        for record in draft.rows(0)
    ]


def test_nothing_asked_for_is_no_splice(draft):
    assert draft.edit("none").splices == ()
    assert draft.rows(0) == draft.session.records


def test_a_text_that_is_the_same_is_no_change(draft):
    a = draft.session.records[0]
    draft.change(a, message("x"))
    assert draft.text_of(a) == message("x")
    draft.change(a, draft.session.bytes_of(a))
    assert draft.edit("none").splices == ()


def test_what_goes_what_changes_and_what_is_put_in(draft):
    a, b, _, d = draft.session.records
    draft.change(a, message("x"))
    draft.remove(b)
    draft.insert([message("y")], b, None)
    draft.insert([message("z")], None, a)
    draft.insert([message("end")], d, None)
    assert texts(draft) == ["z", "x", "y", "c", "d", "end"]
    edit = draft.edit("all")
    assert [(splice.at, len(splice.old), len(splice.new)) for splice in edit.splices] == [
        (0, 2, 3),
        (4, 0, 1),
    ]
    ((old, new),) = edit.became
    assert (old, new.text) == (a, message("x"))
    assert (new.start, new.length, new.line) == (a.start, a.length, a.line)


def test_what_is_put_in_at_one_place_stands_in_the_order_of_asking(draft):
    a = draft.session.records[0]
    draft.insert([message("1"), message("2")], a, None)
    draft.insert([message("3")], a, None)
    assert texts(draft) == ["a", "1", "2", "3", "b", "c", "d"]
    draft.insert_nothing()
    assert texts(draft) == ["a", "b", "c", "d"]


def test_a_record_that_goes_though_it_was_changed_goes(draft):
    a = draft.session.records[0]
    draft.change(a, message("x"))
    draft.remove(a)
    assert texts(draft) == ["b", "c", "d"]
    assert draft.edit("gone").became == ()


def test_looking_changes_nothing(draft):
    a = draft.session.records[0]
    draft.change(a, message("x"))
    draft.rows(0)
    assert len(draft.edit("one").became) == 1
    assert draft.place_of(a) == 0
