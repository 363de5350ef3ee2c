"""A reply out of its events: whole, cut anywhere, and with what nobody knows yet."""

import json

import pytest
from anthropic._models import construct_type
from anthropic.lib.streaming._messages import accumulate_event
from anthropic.types import RawMessageStreamEvent
from hypothesis import given
from hypothesis import strategies as st

from tapeview.wire.assemble import Assembler, GrowingBlock
from tests.wire.streams import CALLS, SAYS, begin, call, delta, end, start, stop, stream, text


def assembled(*events):
    assembler = Assembler()
    assembler.feed(stream(*events))
    return assembler


def message_of(*events):
    return json.loads(assembled(*events).message())


def content_of(*events):
    return message_of(*events)["content"]


def test_a_whole_reply():
    assembler = assembled(*CALLS)
    message = json.loads(assembler.message())
    assert message["content"] == [
        {"type": "thinking", "thinking": "Hmm.", "signature": "c2ln"},
        {"type": "text", "text": "I look. ü→🎞"},
        {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"path": "a.py", "n": 1.0}},
        {"type": "tool_use", "id": "toolu_2", "name": "Now", "input": {}},
    ]
    assert list(message)[:5] == ["type", "role", "content", "id", "model"]
    assert (assembler.stop_reason, message["stop_reason"]) == ("tool_use", "tool_use")
    assert message["usage"] == assembler.usage
    assert assembler.usage == {"input_tokens": 12, "cache_read_input_tokens": 3, "output_tokens": 9}
    assert assembler.is_ended
    assert assembler.is_whole
    assert not assembler.garbage
    assert not assembler.error


def test_the_steps_say_what_arrived():
    steps = Assembler().feed(stream(*SAYS))
    assert [(step.kind, step.block, step.piece) for step in steps] == [
        ("message", -1, ""),
        ("start", 0, ""),
        ("text", 0, "Hel"),
        ("text", 0, "lo."),
        ("stop", 0, ""),
        ("delta", -1, ""),
        ("end", -1, ""),
    ]


def test_blocks_can_be_looked_at_while_they_grow():
    assembler = Assembler()
    seen = []
    for event in CALLS:
        assembler.feed(stream(event))
        seen += [(b.kind, b.name, b.thinking + b.text + b.partial_json, b.is_done)
                 for b in [*assembler.blocks.values()][-1:]]  # fmt: skip
    assert ("thinking", "", "Hm", False) in seen
    assert ("text", "", "I look.", False) in seen
    assert ("tool_use", "Read", '{"path": "a', False) in seen
    assert ("tool_use", "Read", '{"path": "a.py", "n": 1.0}', True) in seen
    assert assembler.blocks[2].id == "toolu_1"


def test_a_calls_input_keeps_its_spelling():
    raw = assembled(*CALLS).message()
    assert b'"input":{"path": "a.py", "n": 1.0}' in raw


CUT = {
    "in the middle of an input": (
        [begin(), *call(0, "t", "Read", '{"path": "a')[:-1]],
        {"type": "tool_use", "id": "t", "name": "Read", "input": '{"path": "a'},
    ),
    "before an input": (
        [begin(), start(0, type="tool_use", id="t", name="Read", input={})],
        {"type": "tool_use", "id": "t", "name": "Read", "input": ""},
    ),
    "an input that is no JSON": (
        [begin(), *call(0, "t", "Read", "{path}"), *end()],
        {"type": "tool_use", "id": "t", "name": "Read", "input": "{path}"},
    ),
    "in a text": (
        [begin(), *text(0, "a", "b")[:-1]],
        {"type": "text", "text": "ab"},
    ),
    "in thinking": (
        [begin(), start(0, type="thinking", thinking=""), delta(0, "thinking_delta", thinking="h")],
        {"type": "thinking", "thinking": "h"},
    ),
}


@pytest.mark.parametrize(("events", "block"), CUT.values(), ids=CUT)
def test_what_is_cut_keeps_what_came(events, block):
    assert content_of(*events) == [block]


def test_a_cut_call_is_marked_and_so_is_a_cut_reply():
    assembler = assembled(begin(), *text(0, "a"), *call(1, "t", "Read", '{"a"')[:-1])
    assert [block.is_cut for block in assembler.blocks.values()] == [False, True]
    assert not assembler.is_whole
    assert assembler.stop_reason is None


def test_a_stream_without_its_last_event_is_whole_once_the_model_has_stopped():
    assembler = assembled(*SAYS[:-1])
    assert assembler.is_whole
    assert not assembler.is_ended


ODD = {
    "a call that starts without input": (
        call(0, "t", "Read", "{", '"a":', "5}"),
        {"type": "tool_use", "id": "t", "name": "Read", "input": {"a": 5}},
    ),
    "and has none": (
        call(0, "t", "Read"),
        {"type": "tool_use", "id": "t", "name": "Read", "input": {}},
    ),
    "a block of an unknown type": (
        [start(0, type="hologram", depth=3), delta(0, "hologram_delta", more=1), stop(0)],
        {"type": "hologram", "depth": 3},
    ),
    "a block without a type": ([start(0, text="x"), stop(0)], {"text": "x"}),
    "a server call whose input came at once": (
        [start(0, type="server_tool_use", id="s", name="web_search", input={"q": 1}), stop(0)],
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": 1}},
    ),
    "citations": (
        [
            start(0, type="text", text="", citations=None),
            delta(0, "citations_delta", citation={"n": 1}),
            delta(0, "text_delta", text="a"),
            delta(0, "citations_delta", citation={"n": 2}),
            stop(0),
        ],
        {"type": "text", "text": "a", "citations": [{"n": 1}, {"n": 2}]},
    ),
    "an unknown delta between": (
        [start(0, type="text", text=""), delta(0, "mood_delta", mood="?"), *text(0, "a")[1:]],
        {"type": "text", "text": "a"},
    ),
    "a text that starts with words": (
        [start(0, type="text", text="a"), delta(0, "text_delta", text="b"), stop(0)],
        {"type": "text", "text": "ab"},
    ),
    "a compaction": (
        [start(0, type="compaction", content=""), delta(0, "compaction_delta", content="so"),
         stop(0)],
        {"type": "compaction", "content": "so"},
    ),
    "half a surrogate pair in an input": (
        call(0, "t", "Read", '{"a": "\ud83d"}'),
        {"type": "tool_use", "id": "t", "name": "Read", "input": {"a": "\ud83d"}},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("events", "block"), ODD.values(), ids=ODD)
def test_odd_blocks(events, block):
    assert content_of(begin(), *events, *end()) == [block]


HARMLESS = [
    {"type": "ping"},
    {"type": "of_next_year", "index": 0, "delta": {"type": "text_delta", "text": "x"}},
    {"type": "content_block_stop", "index": 9},
    {"type": "message_start", "message": None},
    {"type": "message_delta", "usage": None},
    b"data: [DONE]\n\n",
    b": a comment\n\n",
]


@pytest.mark.parametrize("event", HARMLESS, ids=str)
def test_what_nobody_knows_does_no_harm(event):
    assembler = assembled(*SAYS[:2], event, *SAYS[2:], event)
    assert assembler.message() == assembled(*SAYS).message()
    assert not assembler.garbage


BROKEN = [
    {"type": "content_block_delta"},
    {"type": "content_block_delta", "index": 7, "delta": {"type": "text_delta", "text": "x"}},
    {"type": "content_block_delta", "index": 0, "delta": "x"},
    {"type": "content_block_start", "index": "0", "content_block": {}},
    {"type": "content_block_start", "index": 0, "content_block": None},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
]
"""A piece of the reply that has no place in it: something would be lost without a word."""


@pytest.mark.parametrize("event", BROKEN, ids=str)
def test_what_has_no_place_is_garbage(event):
    assembler = assembled(*SAYS[:2], event, *SAYS[2:])
    assert assembler.message() == assembled(*SAYS).message()
    assert assembler.garbage == json.dumps(event)


def test_counts_are_totals_and_null_says_nothing():
    message = message_of(begin(), *end(input_tokens=None, cache_read_input_tokens=5, new=1))
    assert message["usage"] == {
        "input_tokens": 12, "cache_read_input_tokens": 5, "output_tokens": 9, "new": 1,
    }  # fmt: skip


def test_unknown_members_are_kept():
    last = {"type": "message_delta", "delta": {"stop_reason": "x", "mood": 1}, "edits": [2]}
    message = message_of(begin(container=None), last)
    assert (message["mood"], message["edits"], message["container"]) == (1, [2], None)


def test_an_error_event_inside_a_reply():
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    assembler = assembled(*SAYS[:3], error)
    assert json.loads(assembler.error) == error
    assert not assembler.is_whole
    assert json.loads(assembler.message())["content"] == [{"type": "text", "text": "Hel"}]


@pytest.mark.parametrize("data", [b"<html>", b'{"type": "mess', b"5", b"\xff"])
def test_garbage(data):
    assembler = Assembler()
    steps = assembler.feed(stream(*SAYS[:3]) + b"data: " + data + b"\n\n")
    assert steps[-1].kind == "garbage"
    assert assembler.garbage == steps[-1].piece == data.decode("utf-8", "replace")


def test_nothing_has_come_yet():
    assembler = Assembler()
    assert not assembler.has_begun
    assert json.loads(assembler.message()) == {
        "type": "message", "role": "assistant", "content": [],
    }  # fmt: skip


def test_a_message_at_any_moment_is_json():
    assembler = Assembler()
    for event in CALLS:
        assembler.feed(stream(event))
        json.loads(assembler.message())


@given(st.lists(st.integers(1, 40), max_size=60))
def test_any_cutting_of_the_bytes_gives_the_same(sizes):
    raw = stream(*CALLS)
    assembler, steps = Assembler(), []
    for size in sizes:
        steps += assembler.feed(raw[:size])
        raw = raw[size:]
    steps += assembler.feed(raw)
    other = Assembler()
    assert steps == other.feed(stream(*CALLS))
    assert assembler.message() == other.message()


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def blocks(draw, index):
    pieces = draw(st.lists(texts, max_size=4))
    if draw(st.booleans()):
        return text(index, *pieces)
    raw = json.dumps(draw(st.dictionaries(texts, values, max_size=3)), ensure_ascii=False)
    cuts = sorted(draw(st.lists(st.integers(0, len(raw)), max_size=4)))
    parts = [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    return call(index, f"toolu_{index}", "Read", *parts, input={})


@st.composite
def replies(draw):
    count = draw(st.integers(0, 3))
    inner = [event for index in range(count) for event in draw(blocks(index))]
    return [begin(), *inner, *end("tool_use")]


def by_the_sdk(events):
    message, buffers = None, {}
    for event in events:
        if event["type"] != "ping":
            message = accumulate_event(
                event=construct_type(type_=RawMessageStreamEvent, value=event),
                current_snapshot=message,
                json_bufs=buffers,
            )
    return message.to_dict(mode="json")


@given(replies())
def test_the_sdk_makes_the_same_message(events):
    theirs, ours = by_the_sdk(events), message_of(*events)
    assert ours["content"] == theirs["content"]
    for name in ("id", "model", "role", "stop_reason"):
        assert ours[name] == theirs[name]
    assert ours["usage"] == {k: v for k, v in theirs["usage"].items() if v is not None}


def test_the_text_so_far_is_asked_for_at_every_piece():
    block = GrowingBlock({"type": "text", "text": ""})
    for _ in range(20_000):
        block.grow({"type": "text_delta", "text": "word "})
        assert block.text.endswith("word ")
    assert len(block.text) == 100_000
