"""The session in words: header, counter, strip of sizes."""

import json
from pathlib import Path

import pytest

from tapeview.formats._registry import detect
from tapeview.loading import Loading
from tapeview.looks.heading import (
    counter_words,
    empty_words,
    heading_of,
    progress_of,
    size_bars,
    tally_of,
)
from tapeview.open_session import OpenSession, load, open_store
from tapeview.tape.source import MemorySource
from tests.formats.samples import opened
from tests.helpers import snapshot_of

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
CRASH = str(SAMPLES / "crash.jsonl")


def body(turns, size=10):
    messages = []
    for _ in range(turns):
        messages.append({"role": "user", "content": "x" * size})
        messages.append({"role": "assistant", "content": "y"})
    return {"model": "claude-x", "max_tokens": 1, "messages": messages}


def test_the_heading_of_a_session():
    heading = heading_of(load(CRASH).snapshot(), wide=False)
    assert heading.name == "crash.jsonl"
    assert heading.folder == "~/src/ledger"
    assert heading.facts[:3] == ("claude-code", "claude-opus-4-5-20251101", "9 turns")
    wide = heading_of(load(CRASH).snapshot(), wide=True)
    assert wide.facts[0] == "claude-code 2.1.14"
    assert "20 messages" in wide.facts
    assert wide.facts[-1][2] == ":"


def test_while_it_is_read_turns_are_not_counted():
    snapshot = Loading(open_store(CRASH)).snapshot()
    for wide in (False, True):
        facts = " ".join(heading_of(snapshot, wide=wide).facts)
        assert "claude-opus-4-5" in facts
        assert "turn" not in facts
        assert "message" not in facts
    assert counter_words(snapshot, 0) == ("turn …", "")
    assert not tally_of(snapshot)


@pytest.mark.parametrize(
    "size, done, words, share",
    [
        (102_000_000, 62_000_000, "62 of 102 MB", 0.608),
        (9_400_000, 360_000, "360 kB of 9.4 MB", 0.038),
        (9_400_000, 9_400_000, "9.4 of 9.4 MB", 1.0),
        (2_100_000_000, 700_000_000, "700 MB of 2.1 GB", 0.333),
    ],
)
def test_how_far_the_file_is_read(size, done, words, share):
    class Sized(MemorySource):
        size = 60

    source = Sized(json.dumps(body(1)).encode())
    format_, head = detect(source, "x")
    snapshot = Loading(format_.open(head, "x")).snapshot()
    Sized.size, snapshot.done = size, done
    progress = progress_of(snapshot)
    assert progress.words == words
    assert progress.share == pytest.approx(share, abs=0.001)


def test_what_is_settled_has_no_progress():
    assert progress_of(snapshot_of(body(1))) is None


NOTE = b'{"type":"summary","summary":"x","leafUuid":"u"}\n'


@pytest.mark.parametrize(
    "raw, words",
    [
        (b"[]", ("No messages in this session.", "")),
        (b'{"system":"x","messages":[]}', ("No messages in this session.", "")),
        (NOTE, ("No messages in this session.", "1 note is stored; enter shows it.")),
        (NOTE * 3, ("No messages in this session.", "3 notes are stored; enter shows them.")),
        (NOTE + b"{broken\n", None),
        (b'[{"role":"user","content":"x"}]', None),
    ],
)
def test_a_session_without_messages(raw, words):
    assert empty_words(snapshot_of(raw)) == words


def test_the_heading_of_a_body():
    raw = json.dumps(body(1)).encode()
    snapshot = OpenSession(opened(raw, "/home/ana/logs/one.json")).snapshot()
    heading = heading_of(snapshot, wide=True)
    assert heading[:2] == ("one.json", "~/logs")
    assert heading.facts == ("anthropic", "claude-x", "1 turn", "2 messages", f"{len(raw)} B")
    assert heading_of(OpenSession(opened(raw, "-")).snapshot(), False).name == "standard input"
    assert heading_of(OpenSession(opened(raw, "one.json")).snapshot(), False).folder == ""


@pytest.mark.parametrize(
    "path, folder",
    [
        ("/home/ana/x.json", "~"),
        ("/Users/ana/a/x.json", "~/a"),
        ("/homes/ana/x.json", "/homes/ana"),
        ("/srv/\x1b[0m/x.json", "/srv/\\x1b[0m"),
    ],
)
def test_the_home_folder_is_short_and_names_are_clean(path, folder):
    raw = json.dumps(body(1)).encode()
    assert heading_of(OpenSession(opened(raw, path)).snapshot(), False).folder == folder


def test_the_tally_names_what_there_is():
    assert tally_of(snapshot_of(body(1))) == ()
    found = tally_of(load(str(SAMPLES / "lost-one.json")).snapshot())
    assert found == (("error", "1 error", "1"),)
    words = [tally.words for tally in tally_of(load(CRASH).snapshot())]
    assert words == ["1 error", "4 warnings"]


def test_the_counter_of_turns():
    snapshot = snapshot_of(body(2))
    assert counter_words(snapshot, 0) == ("", "before turn 1 of 2")
    assert counter_words(snapshot, 2) == ("turn 2", " of 2 · 21 B sent")
    assert counter_words(snapshot_of([]), 0) == ("", "no turns")
    assert counter_words(load(CRASH).snapshot(), 1)[1].endswith(" s")


@pytest.mark.parametrize(
    "turns, cells", [(0, 0), (1, 2), (24, 40), (25, 25), (40, 40), (41, 40), (999, 40)]
)
def test_the_strip_has_a_cell_or_two_a_turn(turns, cells):
    bars, largest = size_bars(snapshot_of(body(turns)), 0)
    assert len(bars) == cells
    assert all(1 <= bar.eighths <= 8 for bar in bars)
    assert [bar.eighths for bar in bars] == sorted(bar.eighths for bar in bars)
    assert not bars or (bars[-1].eighths == 8 and largest == 11 * turns - 1)


def test_the_strip_shows_where_one_is_and_what_is_broken():
    call = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    messages = body(3)["messages"]
    messages[3] = {"role": "assistant", "content": [call]}
    snapshot = snapshot_of({"messages": messages})
    tones = [bar.tone for bar in size_bars(snapshot, 3)[0]]
    assert tones == ["plain", "plain", "error", "error", "current", "current"]
