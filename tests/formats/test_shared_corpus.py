"""Real files of many harnesses: those with a reader open whole, the others are named."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapeview.errors import OpenError, UnsupportedFormat
from tapeview.open_session import OpenSession
from tapeview.tape.index import Index
from tests.formats.samples import (
    assert_nothing_vanishes,
    assert_opens_or_says_why,
    claims,
    name_of,
    opened,
)
from tests.outlines import outline_of

CORPUS = Path(os.environ["TAPEVIEW_SHARED"]) / "corpus"
NAMED = {
    "claude-tap": "a log of request and response pairs",
    "codex": "a Codex rollout",
    "cursor": "a Cursor transcript",
    "gemini": "a Gemini CLI session",
    "go-dump": "a Go harness dump",
    "hermes": "",
    "inspect": "",
    "opencode": "one file of an OpenCode store",
    "openhands": "an OpenHands trajectory",
    "pi": "a pi session",
    "swe-agent": "a SWE-agent trajectory",
}
FILES = sorted(
    path
    for path in CORPUS.rglob("*")
    if path.is_file() and path.name != "MANIFEST.tsv" and not path.name.endswith(".meta.json")
)
READ = [
    path
    for path in FILES
    if (path.relative_to(CORPUS).parts[0] not in NAMED and "stream-json" not in path.name)
    or path.name == "mini-local.traj.json"  # a bare array of messages
]


def ids(path):
    return name_of(path, CORPUS)


@pytest.mark.parametrize("path", READ, ids=ids)
def test_a_real_file_opens_whole(path):
    raw = path.read_bytes()
    session = opened(raw)
    assert_nothing_vanishes(session, raw)
    sure = sorted(claims(raw).values())
    assert len(sure) == 1 or sure[-2] < sure[-1]
    assert outline_of(session, full=True)
    assert OpenSession(session).snapshot().findings is not None


@pytest.mark.parametrize("path", [p for p in READ if "claude-code" in p.parts], ids=ids)
def test_what_claude_code_would_send_is_sound(path):
    session = opened(path.read_bytes())
    index = Index(session.main.sent, session.frame, session.dialect)
    assert {link.state for link in index.links} <= {"answered", "swapped"}


@pytest.mark.parametrize("path", READ, ids=ids)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_a_real_file_cut_anywhere_opens_or_says_why(path, data):
    raw = path.read_bytes()
    assert_opens_or_says_why(raw[: data.draw(st.integers(0, len(raw)))])


@pytest.mark.parametrize("path", [p for p in FILES if p not in READ], ids=ids)
def test_a_real_file_without_a_reader_is_named(path):
    with pytest.raises(OpenError) as caught:
        opened(path.read_bytes())
    if isinstance(caught.value, UnsupportedFormat):
        name = NAMED.get(path.relative_to(CORPUS).parts[0], "Claude Code's stream-json")
        name = "a SQLite database" if path.suffix == ".db" else name
        assert f": this is {name}" in str(caught.value)
    else:  # a part of an OpenCode message has no mark of its own
        assert "part" in path.parts
        assert "an object with" in str(caught.value) or "line 1 has" in str(caught.value)
