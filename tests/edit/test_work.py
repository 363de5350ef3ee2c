"""Places: what a path names on a tape, and what stands in no file."""

import json

import pytest

from tapeview.edit.draft import Draft
from tapeview.edit.work import Work, sound
from tapeview.errors import EditError
from tests.formats.claude import reply, user, written
from tests.helpers import open_bytes


def work_of(raw):
    opened = open_bytes(raw if isinstance(raw, bytes) else json.dumps(raw).encode())
    snapshot = opened.snapshot()
    draft = Draft(opened.session, opened._store.read, b"")
    speller = opened._store.speller(snapshot.tape)
    return Work(opened.session, snapshot.tape, snapshot.index, speller, draft)


def text(words):
    return {"type": "text", "text": words}


BODY = [
    {"role": "user", "content": "ask"},
    {"role": "assistant", "content": [text("one"), text("two")]},
]
CHAT = [
    {
        "role": "assistant",
        "reasoning_content": "hm",
        "content": [text("one")],
        "tool_calls": [{"id": "a", "function": {"name": "R", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "a", "content": "r"},
]
LINES = written(
    user("u1", None, "ask"),
    reply("a1", "u1", "m1", "one"),
    reply("a2", "a1", "m1", "two"),
    user("x1", "gone", "aside", at=-60),
)

PLACES = [
    (BODY, "messages.0", None),
    (BODY, "messages.0.content.0", ("content",)),
    (BODY, "messages.1.content.1", ("content", 1)),
    (BODY, "records.1", None),
    (BODY, "records.1.content.1", ("content", 1)),
    (CHAT, "messages.0.reasoning_content", ("reasoning_content",)),
    (CHAT, "messages.0.content.0", ("content", 0)),
    (CHAT, "messages.0.tool_calls.0", ("tool_calls", 0)),
    (CHAT, "messages.0.content.2", ("tool_calls", 0)),
    (LINES, "messages.1.content.1", ("content", 0)),
    (LINES, "records.3", None),
]


@pytest.mark.parametrize(("raw", "path", "wanted"), PLACES)
def test_a_path_names_a_block_or_a_whole_message(raw, path, wanted):
    target = work_of(raw).target(path)
    assert (target.block.path if target.block is not None else None) == wanted


def test_a_block_of_several_lines_is_found_in_its_own():
    work = work_of(LINES)
    records = [work.record_of(work.target(f"messages.1.content.{k}")) for k in (0, 1)]
    assert records == list(work.messages[1].records)


NO_PLACES = ["", "messages", "messages.x", "messages.-1", "messages.7", "tools.0", "records.44"]
NO_PLACES += ["messages.1.content.2", "messages.1.content", "records.1.content.9", "system"]


@pytest.mark.parametrize("path", NO_PLACES)
def test_what_is_no_place_is_said(path):
    with pytest.raises(EditError) as caught:
        work_of(BODY).target(path)
    assert str(caught.value).endswith(".")


def test_ranges_run_over_blocks_both_ends_included():
    work = work_of(BODY)
    target = work.target
    places = work.places_between
    assert len(list(places(target("messages.0"), target("messages.1")))) == 3
    assert len(list(places(target("messages.1.content.1"), target("messages.1.content.1")))) == 1
    assert len(list(places(target("messages.0"), target("messages.1.content.0")))) == 2
    for first, last in (("messages.1", "messages.0"), ("records.0", "messages.1")):
        with pytest.raises(EditError):
            list(places(target(first), target(last)))


def test_gaps_have_neighbours_or_none():
    work = work_of(BODY)
    one, two = (message.records for message in work.messages)
    assert work.gap_before(0) == ((), one)
    assert work.gap_before(1) == (one, two)
    assert work.gap_before(2) == (two, ())


@pytest.mark.parametrize("raw", [b"", b"{", b"[1,]", b"'x'", b"1 2"])
def test_what_is_no_json_is_refused(raw):
    with pytest.raises(EditError, match="this is not JSON"):
        sound(raw)


def test_blanks_around_json_go():
    assert sound(b' \n{"a": 1.50}\r\n') == b'{"a": 1.50}'
