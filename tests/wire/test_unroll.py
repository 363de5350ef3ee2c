"""A recorded reply as a stream: what the real SDK assembles from it is the recorded reply."""

import json

import pytest
from anthropic.lib.streaming._beta_messages import accumulate_event as accumulate_beta
from anthropic.lib.streaming._messages import accumulate_event
from hypothesis import given
from hypothesis import strategies as st

from tapeview.wire.sse import EventReader, event_bytes
from tapeview.wire.unroll import unroll

USAGE = {"input_tokens": 12, "cache_read_input_tokens": 3, "output_tokens": 40}


def message(*content, **members):
    """A reply as the API answers it."""
    whole = {"id": "msg_01A", "type": "message", "role": "assistant", "model": "claude-x"}
    whole |= {"content": list(content), "stop_reason": "end_turn", "stop_sequence": None}
    return whole | {"stop_details": None, "usage": USAGE} | members


def events(value):
    """Values of the events, through the bytes of the stream."""
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    stream = b"".join(event_bytes(event) for event in unroll(raw))
    found = EventReader().feed(stream)
    values = [json.loads(event.data) for event in found]
    assert [event.name for event in found] == [value["type"] for value in values]
    return values


def assembled(value, accumulate=accumulate_event, **more):
    """What the SDK makes of the stream."""
    snapshot, buffers = None, {}
    for event in events(value):
        if event["type"] != "ping":
            snapshot = accumulate(event=event, current_snapshot=snapshot, json_bufs=buffers, **more)
    return snapshot.to_dict(warnings=False)


def text(words, **more):
    return {"type": "text", "text": words, **more}


def call(value, name="Bash", **more):
    return {"type": "tool_use", "id": "toolu_a", "name": name, "input": value, **more}


CITED = {"type": "char_location", "cited_text": "a", "document_index": 0, "document_title": None}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_a", "name": "web_search"}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_a", "content": []}
THOUGHT = {
    "type": "thinking",
    "thinking": "I weigh one, then the other.",
    "signature": "c2ln",
}

REPLIES = {
    "a text": message(text("One word, then another, then a third one, and so on.")),
    "a text in other scripts": message(text("日本語のテキストです。\n\tè — \U0001f600 " * 9)),
    "an empty text": message(text("")),
    "a lone surrogate": message(text("before \ud83d after")),
    "one long word": message(text("x" * 5000)),
    "thinking": message(THOUGHT, text("So.")),
    "thinking that is not shown": message({**THOUGHT, "thinking": ""}, text("So.")),
    "thinking without a signature": message({"type": "thinking", "thinking": "Hm."}),
    "redacted thinking": message({"type": "redacted_thinking", "data": "ZGF0YQ=="}),
    "a call": message(text("I look."), call({"command": "ls -la", "n": [1, 2.5, None]})),
    "a call without arguments": message(call({})),
    "a call with members of its own": message(call({"a": 1}, caller={"type": "direct"})),
    "two calls": message(call({"a": 1}), call({"b": "è"})),
    "a server's tool": message({**SEARCH, "input": {"query": "tide"}}, FOUND, text("High.")),
    "citations": message(text("a b", citations=[CITED, {**CITED, "document_index": 1}])),
    "no citations": message(text("a b", citations=None)),
    "an unknown block": message({"type": "hologram", "beams": [{"x": 1}]}),
    "a stop sequence": message(text("a"), stop_reason="stop_sequence", stop_sequence="END"),
    "nothing": message(),
}


@pytest.mark.parametrize("value", REPLIES.values(), ids=REPLIES.keys())
def test_the_sdk_assembles_the_recorded_reply(value):
    assert assembled(value) == value


def test_calls_of_mcp_servers_are_assembled_by_the_beta_client():
    value = message({"type": "mcp_tool_use", "id": "m", "name": "n", "input": {"a": [1, "b"]}})
    value["content"][0]["server_name"] = "s"
    from anthropic._types import NOT_GIVEN

    found = assembled(value, accumulate_beta, request_headers=NOT_GIVEN)
    assert found == value


def test_the_order_is_that_of_the_api():
    value = message(THOUGHT, text("Two words."), call({"a": 1}), stop_reason="tool_use")
    names = [event["type"].removeprefix("content_") for event in events(value)]
    block = ["block_start", "block_delta", "block_stop"]
    assert [name for name, after in zip(names, [*names[1:], ""], strict=True) if name != after] == [
        "message_start", "block_start", "ping", "block_delta", "block_stop",
        *block, *block, "message_delta", "message_stop",
    ]  # fmt: skip


def test_the_beginning_tells_nothing_of_the_end():
    first, *_, end, _ = events(message(text("a"), stop_reason="max_tokens", container={"id": "c"}))
    begun = first["message"]
    assert (begun["content"], begun["stop_reason"], begun["container"]) == ([], None, None)
    assert begun["usage"] == USAGE | {"output_tokens": 1}
    assert end["delta"] == {
        "stop_reason": "max_tokens",
        "stop_sequence": None,
        "stop_details": None,
        "container": {"id": "c"},
    }
    assert end["usage"] == USAGE


def test_an_input_keeps_its_own_spelling():
    spelled = b'{"a" : 1.0e0,\n  "n": 12345678901234567890123, "u": "\\u00e9", "a": 2}'
    raw = json.dumps(message(call(0))).encode().replace(b'"input": 0', b'"input": ' + spelled)
    deltas = [event["delta"] for event in events(raw) if event["type"] == "content_block_delta"]
    assert deltas[0] == {"type": "input_json_delta", "partial_json": ""}
    assert "".join(delta["partial_json"] for delta in deltas).encode() == spelled


def test_a_text_comes_in_pieces_of_some_words():
    words = "a few words " * 50
    deltas = [e for e in events(message(text(words))) if e["type"] == "content_block_delta"]
    pieces = [event["delta"]["text"] for event in deltas]
    assert "".join(pieces) == words
    assert all(24 <= len(piece) <= 41 and piece[-1] == " " for piece in pieces[:-1])


@pytest.mark.parametrize("block, most", [(text("word " * 10**6), 2100), (call("x" * 10**6), 80)])
def test_huge_blocks_come_in_bounded_pieces(block, most):
    assert len(events(message(block))) < most


def test_what_a_recording_lacks_is_filled_in():
    value = assembled({"role": "assistant", "content": "Plain."})
    assert value["content"] == [text("Plain.")]
    assert value["usage"] == {"input_tokens": 0, "output_tokens": 0}


@pytest.mark.parametrize("content", [b'""', b"null", b"7", b"{}", b"[]"])
def test_content_that_is_none_has_no_blocks(content):
    assert events(b'{"content":' + content + b"}")[1]["type"] == "ping"


@pytest.mark.parametrize(
    "block",
    [
        b'{"type":"text"}',
        b'{"type":"text","text":7}',
        b'{"type":"thinking","thinking":null}',
        b'{"type":"tool_use"}',
        b'{"type":7}',
        b"null",
        b'"text"',
        b"[]",
    ],
)
def test_a_block_that_is_not_as_it_should_be_stands_whole_at_its_start(block):
    (begun,) = (e for e in events(b'{"content":[' + block + b"]}") if "content_block" in e)
    assert begun["content_block"] == json.loads(block)


def test_a_record_over_several_lines_and_with_wrong_bytes_is_one_sound_line():
    raw = b'{"content":[\r\n {"type":"odd",\n"a":"\xff\xed\xa0\x80"}]}'
    (begun,) = (e for e in events(raw) if "content_block" in e)
    assert begun["content_block"]["a"] == "\ufffd" * 4


texts = st.text(st.characters())
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
blocks = st.one_of(
    st.builds(text, texts),
    st.builds(lambda words: {**THOUGHT, "thinking": words}, texts),
    st.builds(call, st.dictionaries(st.text(), values, max_size=4)),
    st.just(FOUND),
    st.builds(lambda value: {"type": "made_up", "value": value}, values),
)


@given(st.lists(blocks, max_size=4))
def test_unrolled_and_assembled_is_the_same(content):
    value = message(*content)
    assert assembled(value) == value
