"""What holds for every edit of every sample: it is undone whole, and what is saved reads back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapeview.errors import EditError
from tests.edit.operations import operations
from tests.formats.samples import SAMPLES, name_of
from tests.helpers import open_bytes

every_sample = pytest.mark.parametrize("path", SAMPLES, ids=name_of)


def written(opened, session=None):
    session = opened.session if session is None else session
    return b"".join(session.written(session, 0))


def said(session):
    """Every tape: who says what, in which words.

    A sub-agent that stands among the session's own lines goes by the number of its first line.
    """
    return [
        (tape.id.partition(":line-")[0], [told(session, message) for message in tape.messages]) for tape in session.tapes
    ]


def told(session, message):
    blocks = []
    for block in message.blocks:
        raw = session.message_of(message.record_of(block))
        blocks.append(
            (block.kind, block.id, block.name, block.size, session.shape.parts(raw, block))
        )
    return message.role, blocks


def edited(path, data, most=6):
    opened = open_bytes(path.read_bytes())
    for _ in range(data.draw(st.integers(1, most))):
        operation = data.draw(operations(opened.snapshot("main").index))
        try:
            opened.apply(operation)
        except EditError:
            continue
    return opened


@every_sample
def test_a_sample_that_is_not_edited_is_written_as_it_is(path):
    raw = path.read_bytes()
    assert written(open_bytes(raw)) == raw


@every_sample
@settings(max_examples=40)
@given(data=st.data())
def test_any_edits_are_undone_to_the_byte_and_done_again(path, data):
    raw = path.read_bytes()
    opened = edited(path, data)
    after = written(opened)
    steps = opened.log.state
    for _ in range(steps):
        assert opened.undo() is not None
    assert opened.undo() is None
    assert written(opened) == raw
    for _ in range(steps):
        assert opened.redo() is not None
    assert written(opened) == after


@every_sample
@settings(max_examples=40)
@given(data=st.data())
def test_what_is_saved_reads_back_to_the_same_tapes(path, data):
    opened = edited(path, data)
    saved = written(opened)
    if opened.session.main.messages:
        assert said(open_bytes(saved).session) == said(opened.session)
