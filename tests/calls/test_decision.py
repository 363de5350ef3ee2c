import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.calls.decision import Decision, canonical, decision_of


def call(name, value, id="t"):
    return {"type": "tool_use", "id": id, "name": name, "input": value}


def say(text):
    return {"type": "text", "text": text}


def decided(content):
    return decision_of(json.dumps({"role": "assistant", "content": content}).encode())


DECISIONS = {
    "a text": ([say("It  sets\nx.")], Decision((), "It sets x.")),
    "a string": ("It sets x.", Decision((), "It sets x.")),
    "texts": ([say("It"), say("sets x.")], Decision((), "It sets x.")),
    "a call, whatever is said": (
        [say("I look."), call("Read", {"b": 1.0, "a": [2]})],
        Decision((("Read", '{"a":[2],"b":1}'),), ""),
    ),
    "calls in their order": (
        [call("Read", {}), call("Bash", {"x": "ü"})],
        Decision((("Read", "{}"), ("Bash", '{"x":"ü"}')), ""),
    ),
    "a call of a server's tool": (
        [{"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": 1}}],
        Decision((("web_search", '{"q":1}'),), ""),
    ),
    "a cut call": ([call("Read", '{"pa')], Decision((("Read", '"{\\"pa"'),), "")),
    "thinking alone": ([{"type": "thinking", "thinking": "hm"}], Decision((), "")),
    "nothing": ([], Decision((), "")),
    "what no API sends": ([5, {"type": "tool_use"}, None], Decision((("", "null"),), "")),
    "no content": (None, Decision((), "")),
}


@pytest.mark.parametrize(("content", "decision"), DECISIONS.values(), ids=DECISIONS)
def test_decision(content, decision):
    assert decided(content) == decision


def test_ids_and_thinking_do_not_count():
    thought = {"type": "thinking", "thinking": "other", "signature": "x"}
    assert decided([call("Read", {}, "a")]) == decided([thought, call("Read", {}, "b")])


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=8,
)


@given(values, values)
def test_equal_values_and_no_others_are_the_same(one, other):
    assert (canonical(one) == canonical(other)) == (
        json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    )
