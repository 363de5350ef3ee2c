"""An edit of a text leaves a snapshot that equals one that is worked out from the beginning."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapeview.edit.operations import Set
from tapeview.errors import EditError
from tapeview.snapshot import Snapshot
from tests.edit.operations import TEXTS, raw
from tests.formats.samples import SAMPLES, name_of
from tests.helpers import open_bytes

every_sample = pytest.mark.parametrize("path", SAMPLES, ids=name_of)


def told(snapshot):
    """All that is shown of a snapshot, without the objects it is made of."""
    rows, links = snapshot.rows, snapshot.links
    return {
        "rows": [
            (r.kind, r.turn, r.after, r.message, r.number, r.unsent, r.holds, r.tape) for r in rows
        ],
        "sizes": [r.block.size if r.block is not None else -1 for r in rows],
        "findings": [
            (f.rule.code, f.severity, f.at, f.api_path, f.sentence, f.api_message, f.repairs)
            for f in snapshot.findings
        ],
        "at rows": [snapshot.row_of_finding(f) for f in snapshot.findings],
        "links": [(link.state, [end.place for end in link.ends]) for link in links],
        "gutters": snapshot.gutters(3),
        "places": [
            snapshot.of(r).index.places[r.block] for r in rows if r.message >= 0 and r.block
        ],
        "own rows": [snapshot.row_of.get(r.block or r.record) for r in rows if r.record],
        "turns": snapshot.turn_facts,
        "turn rows": snapshot.turn_row_of,
        "verdict": snapshot.verdict,
    }


def anew(opened):
    """The tape with everything worked out from its records."""
    session = opened.session
    whole = opened._store.session(
        session.records, session.member_records, session.frame, session.as_read
    )
    return Snapshot(whole, whole.main, opened.purpose, opened.revision)


@every_sample
@settings(max_examples=25)
@given(data=st.data())
def test_edits_of_texts(path, data):
    opened = open_bytes(path.read_bytes())
    shown = opened.snapshot()
    told(shown)
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
        assert told(shown) == told(anew(opened))
    while opened.undo() is not None:
        assert told(opened.snapshot()) == told(anew(opened))


def test_what_is_known_is_kept():
    opened = open_bytes((SAMPLES[0].parent / "crash.jsonl").read_bytes())
    before = opened.snapshot()
    told(before)
    opened.apply(Set(at="messages.0", member="text", value=raw("Why does it fail?")))
    after = opened.snapshot()
    assert after is not before
    assert after.index.sides is before.index.sides
    assert after.rows[5] is before.rows[5]
    assert after.gutters(3) is before.gutters(3)
