"""What holds for every edit of every sample: it is undone whole, and what is saved reads back."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapeview.edit.operations import operation_json, operations_from
from tapeview.errors import EditError
from tapeview.tape.graft import COMPACT, respelled
from tests.edit.generated import session_file
from tests.edit.model import expected, sides, tape_of
from tests.edit.operations import REMOVALS, operations
from tests.formats.samples import SAMPLES, name_of
from tests.helpers import open_bytes

SEEDS = st.integers(0, 1 << 32)
every_sample = pytest.mark.parametrize("path", SAMPLES, ids=name_of)


def written(opened, session=None):
    session = opened.session if session is None else session
    return b"".join(session.written(session, 0))


def said(session):
    """Every tape: who says what, in which words, and what its calls carry beside that.

    A sub-agent that stands among the session's own lines goes by the number of its first line.
    """
    return [
        (
            tape.id.partition(":line-")[0],
            [told(session, message) for message in tape.messages],
            carried(session.seen_from(tape).frame),
        )
        for tape in session.tapes
    ]


def carried(frame):
    return {name: respelled(raw, COMPACT) for name, raw in frame.members.items()}


def told(session, message):
    blocks = []
    for block in message.blocks:
        raw = session.message_of(message.record_of(block))
        blocks.append(
            (block.kind, block.id, block.name, block.size, session.shape.parts(raw, block))
        )
    return message.role, blocks


def edited(raw, data, most=5, tapes=False):
    """The file after random edits that fit it."""
    opened = open_bytes(raw)
    for _ in range(data.draw(st.integers(1, most))):
        ids = [tape.id for tape in opened.session.tapes] if tapes else ["main"]
        tape = data.draw(st.sampled_from(ids))
        operation = data.draw(operations(opened.snapshot(tape).index))
        try:
            opened.apply(msgspec.structs.replace(operation, tape=tape))
        except EditError:
            continue
    return opened


def assert_undone_and_done_again(opened, raw):
    after, steps = written(opened), opened.log.state
    for _ in range(steps):
        assert opened.undo() is not None
    assert opened.undo() is None
    assert written(opened) == raw
    for _ in range(steps):
        assert opened.redo() is not None
    assert written(opened) == after


def assert_reads_back(opened):
    saved = written(opened)
    if opened.session.main.messages and is_told_by_its_lines(saved):
        assert said(open_bytes(saved).session) == said(opened.session)


def is_told_by_its_lines(saved):
    """A file is known by its first lines; where damage outweighs what is whole, it is not."""
    lines = [text for text in saved.split(b"\n") if text.strip(b"\r \xef\xbb\xbf")]
    return sum(text.strip().endswith(b"}") and b'"type"' in text for text in lines) * 2 > len(lines)


def assert_untouched_bytes_stay(opened, raw):
    """What no edit touched stands in the file as it did, and in its order."""
    saved, at = written(opened), 0
    if opened.session.format == "recording":
        assert saved.startswith(raw)
        return
    for record in opened.session.records:
        if record.text is None:
            text = raw[record.start : record.start + record.length]
            at = saved.find(text, at)
            assert at >= 0
            at += len(text)


@every_sample
def test_a_sample_that_is_not_edited_is_written_as_it_is(path):
    raw = path.read_bytes()
    assert written(open_bytes(raw)) == raw


@given(SEEDS)
@settings(max_examples=100)
def test_a_session_that_is_not_edited_is_written_as_it_is(seed):
    raw = session_file(seed)
    assert written(open_bytes(raw)) == raw


@every_sample
@settings(max_examples=12)
@given(data=st.data())
def test_any_edits_of_a_sample(path, data):
    raw = path.read_bytes()
    opened = edited(raw, data)
    if opened.session.main.messages:
        assert said(open_bytes(written(opened)).session) == said(opened.session)
    assert_untouched_bytes_stay(opened, raw)
    assert_undone_and_done_again(opened, raw)


@settings(max_examples=60)
@given(seed=SEEDS, data=st.data())
def test_any_edits_of_any_tape_of_a_session(seed, data):
    raw = session_file(seed)
    opened = edited(raw, data, tapes=True)
    assert_reads_back(opened)
    assert_untouched_bytes_stay(opened, raw)
    assert_undone_and_done_again(opened, raw)


def assert_edits_do_what_the_model_says(seed, data):
    """Main is what the same edit makes of plain lists; the other tapes say what they said."""
    raw = session_file(seed)
    opened = open_bytes(raw)
    for _ in range(data.draw(st.integers(1, 3))):
        snapshot = opened.snapshot()
        operation = data.draw(operations(snapshot.index, st.just("keep")))
        before = tape_of(opened.session)
        try:
            opened.apply(operation)
        except EditError:
            continue
        wanted = expected(operation, before, snapshot.index)
        if wanted is not None:
            assert sides(tape_of(opened.session)) == sides(wanted)
        assert_reads_back(opened)


@settings(max_examples=120)
@given(seed=SEEDS, data=st.data())
def test_an_edit_of_a_session_does_what_it_does_to_a_list(seed, data):
    assert_edits_do_what_the_model_says(seed, data)


@pytest.mark.slow
@settings(max_examples=4000)
@given(seed=SEEDS, data=st.data())
def test_an_edit_of_a_session_does_what_it_does_to_a_list_at_length(seed, data):
    assert_edits_do_what_the_model_says(seed, data)


@settings(max_examples=40)
@given(seed=SEEDS, data=st.data())
def test_the_same_edits_of_the_same_file_give_the_same_bytes(seed, data):
    raw = session_file(seed)
    opened = edited(raw, data, tapes=True)
    script = b"[" + b",".join(operation_json(entry.operation) for entry in opened.log.done) + b"]"
    again = open_bytes(raw)
    for operation in operations_from(script):
        again.apply(operation)
    assert written(again) == written(opened)


@settings(max_examples=40)
@given(seed=SEEDS, data=st.data())
def test_a_link_is_parted_only_where_that_was_said(seed, data):
    raw = session_file(seed)
    opened = open_bytes(raw)
    index = opened.snapshot().index
    operation = data.draw(operations(index, st.just("ask"), REMOVALS))
    whole = {link.call.block.id for link in index.links if link.state == "answered"}
    try:
        opened.apply(operation)
    except EditError:
        assert written(opened) == raw
        return
    links = {link.call.block.id: link.state for link in opened.snapshot().index.links if link.call}
    assert all(links.get(call, "answered") in ("answered", "swapped") for call in whole)
