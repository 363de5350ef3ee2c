"""Errors as they are pasted: unwrapped, read, and matched with the findings of a tape."""

import json

import pytest

from tapeview.looks.api_error import fitting, read_complaint, unwrapped
from tapeview.rules._registry import all_rules
from tests.block_samples import call, claude, model, result, user
from tests.helpers import snapshot_of

SENTENCE = "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_x."
INNER = {"type": "error", "error": {"type": "invalid_request_error", "message": SENTENCE}}
WRAPPED = json.dumps(INNER)


@pytest.mark.parametrize(
    "text",
    [
        SENTENCE,
        WRAPPED,
        f"API Error: 400 {WRAPPED}",
        f"400 {WRAPPED} (request_id: req_1)",
        json.dumps({"message": WRAPPED}),
        json.dumps({"error": {"message": f"BedrockException - {WRAPPED}", "code": 400}}),
        json.dumps({"error": {"message": json.dumps({"message": WRAPPED})}}),
        json.dumps(WRAPPED),
        "litellm: {not json} " + WRAPPED,
        "body=" + WRAPPED.replace('"', '\\"'),
        json.dumps({"detail": SENTENCE}),
        json.dumps({"error": SENTENCE}),
    ],
)
def test_json_around_the_sentence_is_taken_off(text):
    assert unwrapped(text) == SENTENCE


def test_only_three_levels_are_taken_off():
    text = SENTENCE
    for _ in range(5):
        text = json.dumps({"message": text})
    assert unwrapped(text).startswith('{"message"')


@pytest.mark.parametrize(
    ("text", "path", "ids"),
    [
        (SENTENCE, "messages 2 content 0", ("toolu_x",)),
        (SENTENCE.replace("`", ""), "messages 2 content 0", ("toolu_x",)),
        (
            "messages.11: `tool_use` ids were found without `tool_result` blocks immediately "
            "after: toolu_a, call_b. Each `tool_use` block must have",
            "messages 11",
            ("toolu_a", "call_b"),
        ),
        (
            "each tool_use must have a single result. Found multiple `tool_result` blocks with id: "
            "toolu_a",
            "",
            ("toolu_a",),
        ),
        (
            "messages.1: `web_search` tool use with id `srvtoolu_1` was found without a "
            "corresponding `web_search_tool_result` block",
            "messages 1",
            ("srvtoolu_1",),
        ),
        (
            "The following tool_call_ids did not have response messages: call_1, call_2",
            "messages",
            ("call_1", "call_2"),
        ),
        ("messages: text content blocks must be non-empty", "messages", ()),
        (
            "messages.4.content.1.tool_use.input: Field required",
            "messages 4 content 1 tool_use input",
            (),
        ),
        ("Invalid value at messages.[3].role.", "messages 3 role", ()),
        ("messages[1].tool_calls[0].id is empty", "messages 1 tool_calls 0 id", ()),
        ("***.***.content.0: Invalid `signature` in `thinking` block", "*** *** content 0", ()),
        ("messages.***.content.2.text: bad", "messages *** content 2 text", ()),
        ('{"error": {"message": "bad role", "param": "messages.[2].role"}}', "messages 2 role", ()),
        ("nothing of the kind", "", ()),
        (
            "Error code: 400 - {'type': 'error', 'error': {'message': 'messages.3: x blocks: "
            "toolu_a. Each'}}",
            "messages 3",
            ("toolu_a",),
        ),
    ],
)
def test_path_and_ids(text, path, ids):
    complaint = read_complaint(text)
    assert (" ".join(complaint.path), complaint.ids) == (path, ids)


def examples():
    return [
        pytest.param(rule, bad.body, id=f"{rule.code}-{number}")
        for rule in all_rules()
        for number, bad in enumerate(rule.bad)
    ]


def fitted(words, snapshot):
    found = fitting(read_complaint(words), snapshot)
    return found[0] if found else None


@pytest.mark.parametrize(("rule", "body"), examples())
def test_the_words_of_every_rule_lead_back_to_its_own_findings(rule, body):
    snapshot = snapshot_of(body, "request")
    for finding in snapshot.findings:
        if finding.rule.code != rule.code or not finding.api_message:
            continue
        words = finding.api_message
        wrapped = json.dumps({"error": {"message": words}})
        for pasted in (words, f"400 {wrapped}", words.replace("`", "")):
            found = fitted(pasted, snapshot)
            assert found is not None, pasted
            assert found.api_message == words


def numbers(body, words):
    snapshot = snapshot_of(body)
    return [finding.at for finding in fitting(read_complaint(words), snapshot)]


ASK = user("go")
TWO = [ASK, model(call("toolu_1"), call("toolu_2")), user("hm"), model(call("toolu_3")), user("hm")]
NAMED = "`tool_use` ids were found without `tool_result` blocks immediately after: "


@pytest.mark.parametrize(
    ("words", "places"),
    [
        (f"messages.1: {NAMED}toolu_1, toolu_2.", ["messages.1.content.0", "messages.1.content.1"]),
        (f"messages.1: {NAMED}toolu_2.", ["messages.1.content.1"]),
        # Some report the message after the call; the ids tell.
        (f"messages.4: {NAMED}toolu_3.", ["messages.3.content.0"]),
        (f"messages.1: {NAMED}toolu_9.", []),
        # Ids are said, but not by words that the API uses.
        ("unanswered: toolu_3", ["messages.3.content.0"]),
        ("messages.3: something new", ["messages.3.content.0"]),
        ("messages.3.content.0: something new", ["messages.3.content.0"]),
        ("messages.2: something new", []),
        ("messages.1.content.7: something new", []),
        ("something new", []),
    ],
)
def test_what_a_complaint_speaks_of(words, places):
    assert numbers(TWO, words) == places


def test_a_masked_path_goes_by_its_words():
    body = [ASK, user(result("toolu_9", "x"))]
    words = (
        "***.***.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_9. Each "
        "`tool_result` block must have a corresponding `tool_use` block in the previous message."
    )
    assert numbers(body, words) == ["messages.1.content.0"]
    assert numbers(body, words.replace("toolu_9", "***")) == ["messages.1.content.0"]


def test_numbers_are_those_of_the_sent_tape():
    """The unanswered call is dropped on resume, so what follows moves up by one."""
    body = claude(
        ASK,
        {**model(call("toolu_lost")), "id": "m1"},
        {**model(call("toolu_1", "Read")), "id": "m2"},
        {**user(result("toolu_1"), result("toolu_1"))},
    )
    snapshot = snapshot_of(body)
    (finding,) = [f for f in snapshot.findings if f.rule.code == "TR002"]
    assert (finding.at, finding.api_path) == ("messages.3.content.1", "messages.2.content.1")
    assert fitted("messages.2.content.1: something new", snapshot) is finding
    assert fitted("messages.3.content.1: something new", snapshot) is None
