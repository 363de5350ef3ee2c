"""An edit of a stretch leaves a snapshot that equals one that is worked out from the beginning."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tapeview.errors import EditError
from tests.derived import anew, asked, derived
from tests.edit.generated import session_file
from tests.edit.operations import operations
from tests.edit.threads import thread_file
from tests.helpers import open_bytes


def edited(opened, draw, count):
    """Random edits; each with the snapshot after it."""
    for _ in range(count):
        operation = draw(operations(opened.snapshot().index))
        try:
            opened.apply(operation)
        except EditError:
            continue
        yield opened.snapshot()


@settings(max_examples=150)
@given(seed=st.integers(0, 1 << 32), strange=st.booleans(), data=st.data())
def test_random_edits(seed, strange, data):
    opened = open_bytes(session_file(seed) if strange else thread_file(seed))
    shown = asked(opened.snapshot())
    for shown in edited(opened, data.draw, data.draw(st.integers(1, 6))):
        assert derived(shown) == derived(anew(opened))
        asked(shown)
    while opened.undo() is not None:
        shown = asked(opened.snapshot())
        assert derived(shown) == derived(anew(opened))
