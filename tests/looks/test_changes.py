"""What is marked as changed, and where cursor and folds go after an edit."""

import json

import pytest
from msgspec import Raw

from tapeview.edit.operations import Delete, Duplicate, Insert, Merge, Prepend, Set
from tapeview.looks.badge import badge_of
from tapeview.looks.changes import (
    Changes,
    changed_records,
    moved_rows,
    steps_between,
    unsaved_words,
)
from tapeview.tape.describe import describe
from tests.formats.claude import reply, user, written
from tests.helpers import open_bytes

BODY = {
    "messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "text", "text": t} for t in ("a", "b")]},
        {"role": "user", "content": "on"},
    ]
}
LINES = (
    user("u1", None, "go"),
    reply("a1", "u1", "m1", "one"),
    user("u2", "a1", "on"),
    reply("a2", "u2", "m2", "two"),
)


def opened(lines=None):
    return open_bytes(json.dumps(BODY).encode() if lines is None else written(*lines))


def marks(session):
    changes, snapshot = Changes(session.session), session.snapshot()
    signs = {"": ".", "changed": "*", "added": "+"}
    return "".join(signs[changes.of(row)] for row in snapshot.rows if row.kind == "block")


def text(words):
    return Raw(json.dumps(words).encode())


@pytest.mark.parametrize(
    ("operations", "marked"),
    [
        ([], "...."),
        ([Set(at="messages.1.content.1", member="text", value=text("x"))], "..*."),
        ([Set(at="messages.0", member="text", value=text("x"))], "*..."),
        ([Set(at="messages.1", member="role", value=text("user"))], ".**."),
        ([Duplicate(at="messages.0")], ".+..."),
        ([Duplicate(at="messages.1.content.0")], "..*.."),
        ([Prepend(text="facts")], "+...."),
        ([Delete(at=("messages.1.content.0",))], "..."),
    ],
)
def test_only_blocks_that_differ_are_marked(operations, marked):
    session = opened()
    for operation in operations:
        session.apply(operation)
    assert marks(session) == marked
    for _ in operations:
        session.undo()
    assert marks(session) == "...."


def test_a_line_that_only_has_another_parent_is_not_marked():
    session = opened(LINES)
    session.apply(Insert(role="user", content=text("new"), after="messages.0"))
    changed = [new for old, new in changed_records(session.session) if old is not None]
    assert changed
    assert marks(session).replace("+", "", 1) == "...."


def test_what_was_put_in_has_a_badge():
    session = opened()
    session.apply(Prepend(text="facts"))
    snapshot = session.snapshot()
    row = next(row for row in snapshot.rows if row.kind == "block")
    found = badge_of(snapshot, row, describe(snapshot.session, snapshot.index, row), True)
    assert found == ("added", "muted")


def test_changed_records_come_in_stored_order():
    session = opened()
    session.apply(Set(at="messages.2", member="text", value=text("x")))
    session.apply(Delete(at=("messages.1",)))
    session.apply(Prepend(text="facts"))
    found = [(old is not None, new is not None) for old, new in changed_records(session.session)]
    assert found == [(False, True), (True, False), (True, True)]


@pytest.mark.parametrize(
    ("operation", "at", "there"),
    [
        (Prepend(text="facts"), "messages.1.content.1", "messages.2.content.1"),
        (Set(at="messages.2", member="text", value=text("x")), "messages.2", "messages.2"),
        (Delete(at=("messages.2",)), "messages.2", "messages.1.content.1"),
        (Delete(at=("messages.1",)), "messages.1.content.1", "messages.0"),
        (Duplicate(at="messages.0"), "messages.2", "messages.3"),
    ],
)
def test_the_cursor_stays_on_its_record(operation, at, there):
    session = opened()
    before = session.snapshot()
    edit = session.apply(operation)
    after = session.snapshot()
    moved = moved_rows(before, after, [edit], places(before).index(at), ())
    assert places(after)[moved.at] == there


def places(snapshot):
    found = []
    for row in snapshot.rows:
        if row.kind != "block":
            found.append(row.kind)
            continue
        inner = snapshot.tape.messages[row.message].path_of(row.number)
        found.append(f"messages.{row.message}" + (f".{inner}" if inner else ""))
    return found


def test_folds_stay_on_their_turns():
    session = opened(LINES)
    before = session.snapshot()
    rules = [at for at, row in enumerate(before.rows) if row.kind == "turn"]
    edit = session.apply(Prepend(text="facts"))
    after = session.snapshot()
    moved = moved_rows(before, after, [edit], rules[1], {rules[1]})
    assert [after.rows[at].turn for at in moved.folded] == [2]
    assert after.rows[moved.at].turn == 2


def test_an_edit_of_an_edited_record_is_followed():
    session = opened()
    before = session.snapshot()
    at = places(before).index("messages.2")
    edits = [
        session.apply(Set(at="messages.2", member="text", value=text(words))) for words in "xy"
    ]
    assert moved_rows(before, session.snapshot(), edits, at, ()).at == at


def test_the_way_to_a_state():
    session = opened()
    edits = [session.apply(Prepend(text=words)) for words in "ab"]
    back = steps_between(session.log, 0)
    assert [edit.label for edit in back] == [edit.label for edit in reversed(edits)]
    assert back[0].splices == edits[1].inverse.splices
    session.go_to(0)
    assert list(steps_between(session.log, 2)) == edits
    assert list(steps_between(session.log, 0)) == []


def test_merged_messages_are_one():
    session = opened()
    session.apply(Delete(at=("messages.1",)))
    session.apply(Merge(at="messages.0"))
    assert marks(session) in ("**", ".*", "*.")


@pytest.mark.parametrize(("number", "words"), [(1, "1 unsaved edit"), (3, "3 unsaved edits")])
def test_unsaved_edits_in_words(number, words):
    assert unsaved_words(number) == words
