"""Request bodies cut into their parts, and put together again."""

import json
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.wire.body import body_of, joined

EXACT = {
    "as JavaScript spells it": b'{"model":"m","messages":[{"role":"user","content":"a"}],"n":1.0}',
    "as Python spells it": b'{"model": "m", "messages": [{"role": "user"}, {"x": []}], "n": null}',
    "messages first": b'{"messages":[{"a":1}]}',
    "no messages": b'{"model":"m","messages":[]}',
    "elsewhere": b'{"a":{"messages":[{"b":1}]},"messages":[{"b":1}],"c":"\\"messages\\":["}',
    "a lone surrogate": b'{"model":"m","messages":[{"a":"\\ud83d"},{"b":1}],"c":"\\ud83d"}',
    "the word in a message": b'{"messages":[{"messages":[]},{"messages":[1]}]}',
}
INEXACT = {
    "over many lines": b'{\n "model": "m",\n "messages": [\n  {"role": "user"}\n ]\n}',
    "a blank behind": b'{"messages":[{"role":"user"}]} ',
    "doubled": b'{"n":1,"n":2,"messages":[{"role":"user"}]}',
    "without messages": b'{"prompt":"hi"}',
    "a key in escapes": b'{"\\u006d":1,"messages":[]}',
}
NOTHING = {
    "messages are no array": b'{"messages":"hi"}',
    "no object": b"[1]",
    "no JSON": b"{",
    "no text": b'{"messages":["\xff"]}',
    "nothing": b"",
}


@pytest.mark.parametrize("body", EXACT.values(), ids=EXACT)
def test_the_parts_give_the_very_body(body):
    parts = body_of(body)
    assert parts.is_exact
    assert joined(parts) == body
    assert [json.loads(m) for m in parts.messages] == json.loads(body)["messages"]
    assert list(parts.order) == list(json.loads(body))


@pytest.mark.parametrize("body", INEXACT.values(), ids=INEXACT)
def test_a_body_spelled_otherwise_is_known_as_such(body):
    parts = body_of(body)
    assert not parts.is_exact
    assert [json.loads(m) for m in parts.messages] == (
        json.loads(body)["messages"] if parts.messages else []
    )
    assert set(parts.order) == set(json.loads(body))


@pytest.mark.parametrize("body", NOTHING.values(), ids=NOTHING)
def test_what_is_no_body_has_no_parts(body):
    assert body_of(body) == ([], {}, (), (",", ":"), False)


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text() | st.just("messages"), _json, max_size=4),
    st.lists(st.dictionaries(st.text(), _json, max_size=3), max_size=4),
    st.sampled_from([(",", ":"), (", ", ": ")]),
)
def test_any_body_of_a_client_comes_back(members, messages, gaps):
    body = json.dumps(
        members | {"messages": messages}, separators=gaps, ensure_ascii=False
    ).encode()
    parts = body_of(body)
    assert not parts.is_exact or joined(parts) == body
    assert [json.loads(m) for m in parts.messages] == messages


KNOWN = [b'{"a":1}', b'{"b":"\\""}', b'{"c":[]}']


@pytest.mark.parametrize(
    ("body", "repeated", "exact"),
    [
        pytest.param(b'{"messages":[{"a":1},{"b":"\\""},{"c":[]}],"x":1}', 3, True, id="all"),
        pytest.param(b'{"messages":[{"a":1},{"b":"\\""},{"d":0}],"x":1}', 2, True, id="some"),
        pytest.param(b'{"messages":[{"a":1}]}', 1, True, id="fewer"),
        pytest.param(b'{"messages": [{"a":1}, {"b":"\\""}, 7]}', 2, True, id="other blanks"),
        pytest.param(b'{"messages":[{"d":1},{"a":1}]}', 0, True, id="none"),
        pytest.param(b'{"messages":[{"a":1} ,{"b":"\\""}]}', 0, False, id="a blank before a comma"),
    ],
)
def test_known_messages_are_compared_and_not_read_again(body, repeated, exact):
    parts = body_of(body, KNOWN)
    assert parts == body_of(body)
    assert parts.is_exact is exact
    same = [a is b for a, b in zip(parts.messages, KNOWN, strict=False)]
    assert same[:repeated] == [True] * repeated
    assert not any(same[repeated:])


@pytest.mark.parametrize(
    "body", [b'{"messages":[{"a":1},]}', b'{"messages":[{"a":1}', b'{"messages":[{"a":1},', b"{"]
)
def test_a_damaged_body_has_no_parts_whatever_is_known(body):
    assert body_of(body, KNOWN) == ([], {}, (), (",", ":"), False)


@given(
    st.lists(_json, max_size=4),
    st.lists(_json, max_size=4),
    st.integers(0, 4),
    st.sampled_from([(",", ":"), (", ", ": ")]),
)
def test_what_is_known_changes_nothing(messages, other, shared, gaps):
    spell = partial(json.dumps, separators=gaps, ensure_ascii=False)
    body = spell({"model": "m", "messages": messages, "tools": other}).encode()
    known = [spell(m).encode() for m in [*messages[:shared], *other]]
    assert body_of(body, known) == body_of(body)
