"""Errors as they are pasted: unwrapped, and read."""

import json

import pytest

from tapeview.wire.complaint import read_complaint, unwrapped

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
