"""What holds of every format and every sample."""

import re
from pathlib import Path

from tapeview.errors import OpenError
from tapeview.formats._head import Head
from tapeview.formats._registry import all_formats, detect
from tapeview.open_session import OpenSession
from tapeview.tape.source import MemorySource

ROOT = Path(__file__).parents[2]
SAMPLES = sorted(
    path
    for path in (ROOT / "sample_sessions").rglob("*.json*")
    if not path.name.endswith(".meta.json")
)
"""Every session that comes with the program."""


def name_of(path, root=ROOT / "sample_sessions"):
    """``crash.subagents.agent-a91c3f0.jsonl``: a sample's name, and that of its golden."""
    return ".".join(path.relative_to(root).parts)


def store_of(raw, path="sample"):
    """The bytes, opened by the format that claims them."""
    format_, head = detect(MemorySource(raw, path), path)
    return format_.open(head, path)


def opened(raw, path="sample"):
    """The session that the bytes hold."""
    store = store_of(raw, path)
    return store.session(list(store.records()))


def claims(raw):
    """Formats that claim the bytes, with how sure each is."""
    head = Head(MemorySource(raw, "sample"))
    return {format_.name: sure for format_ in all_formats() if (sure := format_.claims(head)) > 0}


def bytes_between(session, records, raw):
    """What of the file belongs to no record, piece by piece, in the order of the file."""
    assert [record.start for record in records] == sorted(record.start for record in records)
    pieces, done = [], 0
    for record in records:
        assert record.start >= done
        assert session.bytes_of(record) == raw[record.start : record.start + record.length]
        pieces.append(raw[done : record.start])
        done = record.start + record.length
    return [*pieces, raw[done:]]


def assert_nothing_vanishes(session, raw):
    """Every byte stands in a record, in a separator, or in the frame around the messages.

    Between records of a document stand commas and blanks, around them the frame; between lines
    only blanks and line ends. A recording shows of a message only how it was sent last; its store
    has all of them.
    """
    records = list(store_of(raw).records())
    first, *middle, last = bytes_between(session, records, raw)
    assert session.format == "recording" or [(r.start, r.length) for r in session.records] == [
        (r.start, r.length) for r in records
    ]
    if session.frame.whole:
        if middle and records[-1].kind == "unreadable" and b"]" in middle[-1]:
            last = middle.pop()  # the damage stands behind the array
        assert all(re.fullmatch(rb"[\s,]*", piece) for piece in middle)
        assert not first or b"[" in first
        assert not last.strip() or b"]" in last
        return
    assert re.fullmatch(rb"(\xef\xbb\xbf)?\s*", first)
    assert all(re.fullmatch(rb"\s*", piece) for piece in (*middle, last))


def assert_opens_or_says_why(raw):
    """A damaged file opens, with all that can be derived from it, or gives one sentence."""
    try:
        session = opened(raw)
    except OpenError as error:
        assert re.fullmatch(r"sample: [^\n]+\.", str(error))
        return None
    assert_nothing_vanishes(session, raw)
    snapshot = OpenSession(session).snapshot()
    assert snapshot.verdict
    assert len(snapshot.gutters(4)[0]) == len(snapshot.rows)
    return session
