"""Real files, edited at random: undone to the byte, and read back as they were shown."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.edit.test_properties import (
    assert_undone_and_done_again,
    assert_untouched_bytes_stay,
    edited,
    said,
    written,
)
from tests.formats.test_shared_corpus import READ, ids
from tests.helpers import open_bytes

every_file = pytest.mark.parametrize("path", READ, ids=ids)


@every_file
def test_a_real_file_that_is_not_edited_is_written_as_it_is(path):
    raw = path.read_bytes()
    assert written(open_bytes(raw)) == raw


@every_file
@settings(max_examples=6)
@given(data=st.data())
def test_any_edits_of_a_real_file(path, data):
    raw = path.read_bytes()
    opened = edited(raw, data, most=4, tapes=True)
    if opened.session.main.messages:
        assert said(open_bytes(written(opened)).session) == said(opened.session)
    assert_untouched_bytes_stay(opened, raw)
    assert_undone_and_done_again(opened, raw)
