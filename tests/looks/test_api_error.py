"""Errors as they are pasted, matched with the findings of a tape."""

import json

import pytest

from tapeview.looks.api_error import fitting
from tapeview.rules._registry import all_rules
from tapeview.wire.complaint import read_complaint
from tests.block_samples import call, claude, model, result, user
from tests.helpers import snapshot_of


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
