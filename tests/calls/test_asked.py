"""Request bodies as they come in, and the API's own words for those that it would not read."""

import json

import pytest

from tapeview.calls.asked import Refusal, asked_in
from tests.calls.tapes import answered, asks, call, request, said, says

MISSPELLED = "a string or number in it is not spelled as JSON spells it: line 1 column 1 (char 0)"

DAMAGED = {
    "nothing": (b"", "the text ends where a value should begin: line 1 column 1 (char 0)"),
    "half a body": (b'{"a":\n[1', "the text ends inside an array: line 2 column 3 (char 8)"),
    "two bodies": (b"{} {}", "unexpected content after document: line 1 column 4 (char 3)"),
    "half a pair": (
        '{"é": "\\ud83d"}'.encode(),
        "no low surrogate in string: line 1 column 14 (char 13)",
    ),
    "the other half": (
        b'{"a": "\\ud83d\\ude00\\ude00"}',
        "no low surrogate in string: line 1 column 26 (char 25)",
    ),
    "not a number": (b'{"a": NaN}', MISSPELLED),
    "wrong bytes": (b'{"a": "\xff"}', MISSPELLED),
}

REFUSED = {
    "an array": (b"[]", "Input should be an object"),
    "no model": (b"{}", "model: Field required"),
    "an odd model": (b'{"model": 1}', "model: Input should be a valid string"),
    "no limit": (b'{"model": "m"}', "max_tokens: Field required"),
    "an odd limit": (
        b'{"model": "m", "max_tokens": "1"}',
        "max_tokens: Input should be a valid integer",
    ),
    "no messages": (b'{"model": "m", "max_tokens": 1}', "messages: Field required"),
    "odd messages": (
        b'{"model": "m", "max_tokens": 1, "messages": {}}',
        "messages: Input should be a valid array",
    ),
    "an empty array": (request(), "messages: at least one message is required"),
    "a message that is none": (request(asks("a"), "b"), "messages.1: Input should be an object"),
}


@pytest.mark.parametrize("body, fault", DAMAGED.values(), ids=DAMAGED.keys())
def test_what_is_no_json_is_refused_with_the_place(body, fault):
    message = f"The request body is not valid JSON: {fault}"
    assert asked_in(body) == Refusal(400, "invalid_request_error", message)


@pytest.mark.parametrize("body, message", REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_read_is_refused_as_the_api_does(body, message):
    assert asked_in(body) == Refusal(400, "invalid_request_error", message)


def test_a_request_is_read():
    asked = asked_in(request(asks("a"), tools=[{"name": "Bash"}], stream=True))
    assert (asked.model, asked.streamed, asked.has_tools) == ("claude-x", True, True)
    assert [json.loads(message) for message in asked.messages] == [asks("a")]
    assert asked.findings == ()


@pytest.mark.parametrize("tools", [{}, {"tools": []}, {"tools": None}])
def test_no_tools_in_any_spelling(tools):
    asked = asked_in(request(asks("a"), **tools, stream=False))
    assert (asked.streamed, asked.has_tools) == (False, False)


def test_what_is_counted_needs_no_limit():
    assert asked_in(b'{"model":"m","messages":[{"role":"user","content":"a"}]}', counts=True).size


@pytest.mark.parametrize("model", ["claude-x", "gpt-5", "", "\x1b[31m"])
def test_rules_look_at_the_request_whatever_its_model(model):
    body = request(asks("a"), says(call("toolu_a")), asks("b"), model=model)
    assert [finding.rule.code for finding in asked_in(body).findings] == ["TU001"]


def test_a_pair_of_surrogates_is_sound():
    body = b'{"model":"\\ud83d\\ude00 \\\\ud83d","max_tokens":1,"messages":[{"role":"user"}]}'
    assert asked_in(body).model == "\U0001f600 \\ud83d"


def test_an_error_body_is_the_api_s():
    refusal = Refusal(400, "invalid_request_error", "messages.0: no \ud83d", "TU001")
    assert json.loads(refusal.body("req_1")) == {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "messages.0: no ?"},
        "request_id": "req_1",
    }
    assert refusal.sentence == "400, TU001: messages.0: no \ud83d"


def test_huge_and_deep_requests_are_read():
    deep = b'{"model":"m","max_tokens":1,"messages":' + b"[" * 10**5 + b"]" * 10**5 + b"}"
    assert isinstance(asked_in(deep), Refusal)
    asked = asked_in(request(*[asks("a"), answered("b")] * 5000, said(*[{"type": "x"}] * 20000)))
    assert len(asked.messages) == 10001
