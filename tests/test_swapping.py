"""An edit of a text leaves a snapshot that equals one that is worked out from the beginning."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapeview.edit.operations import Set
from tapeview.errors import EditError
from tests.derived import anew, asked, derived
from tests.edit.operations import TEXTS, raw
from tests.formats.samples import SAMPLES, name_of
from tests.helpers import open_bytes

every_sample = pytest.mark.parametrize("path", SAMPLES, ids=name_of)


@every_sample
@settings(max_examples=25)
@given(data=st.data())
def test_edits_of_texts(path, data):
    opened = open_bytes(path.read_bytes())
    shown = opened.snapshot()
    asked(shown)
    for _ in range(data.draw(st.integers(1, 3))):
        index = shown.index
        paths = [index.path(place) for place in index.places.values()]
        at = data.draw(st.sampled_from(paths))
        member = data.draw(st.sampled_from(["text", "content", "input"]))
        value = raw({"a": 1}) if member == "input" else raw(data.draw(TEXTS))
        try:
            opened.apply(Set(at=at, member=member, value=value))
        except EditError:
            continue
        shown = opened.snapshot()
        assert derived(shown) == derived(anew(opened))
    while opened.undo() is not None:
        assert derived(asked(opened.snapshot())) == derived(anew(opened))


def test_what_is_known_is_kept():
    opened = open_bytes((SAMPLES[0].parent / "crash.jsonl").read_bytes())
    before = opened.snapshot()
    asked(before)
    opened.apply(Set(at="messages.0", member="text", value=raw("Why does it fail?")))
    after = opened.snapshot()
    assert after is not before
    assert after.index.sides is before.index.sides
    assert after.rows[5] is before.rows[5]
    assert after.gutters(3) is before.gutters(3)
