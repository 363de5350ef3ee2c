"""Two messages arrays side by side: what counts as the same, and where they part."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.tape.json_text import JsonFault
from tapeview.wire.align import CellReader, Difference, chain, first_difference, messages_in


def cells(*messages):
    """The cells of messages, given as values or as JSON."""
    raw = [m if isinstance(m, bytes) else json.dumps(m).encode() for m in messages]
    return CellReader().read_all(raw)


def said(*content, role="user"):
    return {"role": role, "content": content[0] if len(content) == 1 else list(content)}


def text(words, **more):
    return {"type": "text", "text": words, **more}


def result(content, **more):
    return {"type": "tool_result", "tool_use_id": "a", "content": content, **more}


CACHED = {"cache_control": {"type": "ephemeral"}}
CALL = {"type": "tool_use", "id": "a", "name": "n", "input": {"a": 1, "b": None}}

SAME = {
    "a string and a list": ([said("a")], [said([text("a")])]),
    "the mark of the cache": ([said([text("a", **CACHED)])], [said([text("a")])]),
    "the mark of the cache inside a result": (
        [said([result([text("a", **CACHED)])])],
        [said([result([text("a")])])],
    ),
    "a result's string": ([said([result("a")])], [said([result([text("a")])])]),
    "an empty result": ([said([result("")])], [said([result([])])]),
    "no error": ([said([result("a", is_error=False)])], [said([result("a")])]),
    "nulls": ([said([text("a", citations=None)])], [said([text("a")])]),
    "no citations": ([said([text("a", citations=[])])], [said([text("a")])]),
    "two messages or one": ([said("a"), said("b")], [said([text("a"), text("b")])]),
    "thinking": (
        [said([{"type": "thinking", "thinking": "x"}, text("a")], role="assistant")],
        [said("a", role="assistant")],
    ),
    "key order and spelling": (
        [b'{"content":[{"text":"\\u00e9 \\/","type":"text"}],"role":"user"}'],
        ['{"role": "user", "content": "é /"}'.encode()],
    ),
    "numbers": (
        [b'{"role":"user","content":[{"type":"x","n":[1.0,-2e0]}]}'],
        [b'{"role":"user","content":[{"type":"x","n":[1,-2]}]}'],
    ),
    "an empty message": ([said(""), said("a")], [said("a")]),
}


@pytest.mark.parametrize("ours, theirs", SAME.values(), ids=SAME.keys())
def test_what_is_the_same(ours, theirs):
    assert chain(cells(*ours)) == chain(cells(*theirs))
    assert first_difference(cells(*ours), cells(*theirs)) is None


OTHER = {
    "a text": ([said("a")], [said("b")], ("messages.0", '"a"', '"b"')),
    "a text in a list": (
        [said([text("x"), text("a")])],
        [said([text("x"), text("b")])],
        ("messages.0.content.1.text", '"a"', '"b"'),
    ),
    "the role": (
        [said("a")],
        [said("a", role="system")],
        ("messages.0", 'user: {"text":"a","type":"text"}', 'system: {"text":"a","type":"text"}'),
    ),
    "one more": (
        [said("a")],
        [said("a"), said("b")],
        ("messages.1", "", 'user: {"text":"b","type":"text"}'),
    ),
    "one less": (
        [said("a"), said("b")],
        [said("a")],
        ("messages.0", 'user: {"text":"b","type":"text"}', ""),
    ),
    "inside an input": (
        [said([CALL])],
        [said([{**CALL, "input": {"a": [1, {"c": 2}], "b": None}}])],
        ("messages.0.content.0.input.a", "1", '[1,{"c":2}]'),
    ),
    "a null inside an input": (
        [said([CALL])],
        [said([{**CALL, "input": {"a": 1}}])],
        ("messages.0.content.0.input.b", "null", ""),
    ),
    "inside a result": (
        [said([result("a")])],
        [said([result([text("a"), text("b")])])],
        ("messages.0.content.0.content.1", "", '{"text":"b","type":"text"}'),
    ),
    "an error": (
        [said([result("a")])],
        [said([result("a", is_error=True)])],
        ("messages.0.content.0.is_error", "", "true"),
    ),
    "nothing at all": ([said("a")], [], ("messages", 'user: {"text":"a","type":"text"}', "")),
}


@pytest.mark.parametrize("ours, theirs, difference", OTHER.values(), ids=OTHER.keys())
def test_where_they_part(ours, theirs, difference):
    assert first_difference(cells(*ours), cells(*theirs)) == Difference(*difference)
    assert chain(cells(*ours)) != chain(cells(*theirs))


def test_a_place_counts_the_messages_that_were_got():
    ours, theirs = [said([text("a"), text("b")])], [said("a"), said([text("c")])]
    assert first_difference(cells(*ours), cells(*theirs)).path == "messages.1.content.0.text"


def test_a_chain_is_seeded():
    assert chain(cells(said("a")), b"one") != chain(cells(said("a")), b"two")


DEEP = b'{"role":"user","content":[{"type":"x","d":' + b"[" * 5000 + b"%d" + b"]" * 5000 + b"}]}"


@pytest.mark.parametrize(
    "raw",
    [DEEP % 1, b'{"role":"user","content":[{"type":"x","t":"\\ud800 \xff"}]}', b'{"content":7}'],
)
def test_odd_messages_are_read(raw):
    assert chain(cells(raw)) == chain(cells(raw))
    assert first_difference(cells(raw), cells(raw)) is None


def test_nesting_without_end_is_compared_as_it_is_written():
    found = first_difference(cells(DEEP % 1), cells(DEEP % 2))
    assert found.path == "messages.0.content.0"


@pytest.mark.parametrize("depth", [300, 600, 900, 990])
def test_nesting_of_any_depth_is_compared(depth):
    raw = (
        b'{"role":"user","content":[{"type":"x","d":' + b"[" * depth + b"%d" + b"]" * depth + b"}]}"
    )
    found = first_difference(cells(raw % 1), cells(raw % 2))
    assert found.path.startswith("messages.0.content.0")


def test_a_message_that_was_seen_is_not_read_again():
    reader = CellReader()
    assert reader.read(b'{"role":"user","content":"a"}') is reader.read(
        b'{"role":"user","content":"a"}'
    )


def test_messages_are_cut_out_of_a_body():
    assert messages_in(b'{"model":"m","messages":[ {"a":1.0} , 2]}') == [b'{"a":1.0}', b"2"]
    assert messages_in(b'{"messages":"a"}') == messages_in(b"[]") == []
    with pytest.raises(JsonFault):
        messages_in(b'{"messages":[1')


blocks = st.one_of(
    st.builds(text, st.sampled_from("abc")),
    st.builds(result, st.sampled_from(["", "a", "b"])),
    st.just({"type": "thinking", "thinking": "x"}),
)
arrays = st.lists(
    st.builds(
        lambda role, content: {"role": role, "content": content},
        st.sampled_from(["user", "assistant"]),
        st.lists(blocks, max_size=3),
    ),
    max_size=4,
)


@given(arrays, arrays)
def test_equal_chains_mean_no_difference(ours, theirs):
    same = chain(cells(*ours)) == chain(cells(*theirs))
    assert same == (first_difference(cells(*ours), cells(*theirs)) is None)
