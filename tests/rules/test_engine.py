"""What a finding says of itself: severity, order, and which of the two tapes its numbers count."""

import json

import pytest

from tapeview.rules._engine import check, worst
from tapeview.rules._examples import answers, call, chat_call, chat_calls, result, said, says, text
from tapeview.rules._registry import all_rules
from tapeview.rules._rule import ANTHROPIC, Rule
from tests.helpers import index_of, snapshot_of

ASK = said("Which orders are open?")


def codes(findings) -> list[str]:
    return [finding.rule.code for finding in findings]


def lines(*messages: dict[str, object], model: str = "claude-sonnet-4-6") -> bytes:
    """A Claude Code session in which every block of an assistant has a line of its own."""
    rows: list[dict[str, object]] = []
    for number, message in enumerate(messages):
        for block in _blocks(message):
            extra = {"id": f"msg_{number}", "model": model} if _is_reply(message) else {}
            rows.append(
                {
                    "type": message["role"],
                    "uuid": f"u{len(rows)}",
                    "parentUuid": rows[-1]["uuid"] if rows else None,
                    "sessionId": "s",
                    "message": {"role": message["role"], "content": [block], **extra},
                }
            )
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _blocks(message):
    content = message["content"]
    return [text(content)] if isinstance(content, str) else content


def _is_reply(message) -> bool:
    return message["role"] == "assistant"


class TestPurpose:
    @pytest.mark.parametrize(
        "body",
        [
            [ASK, says(call("toolu_a"))],
            [ASK, says(call("toolu_a"), call("toolu_b")), answers("toolu_b")],
            [said("Which?"), chat_calls(chat_call("call_1"))],
        ],
        ids=["call", "half-answered", "chat"],
    )
    @pytest.mark.parametrize(
        ("purpose", "severity"), [("session", "pending"), ("request", "error"), (None, "error")]
    )
    def test_an_unfinished_end_is_a_fault_of_a_request_only(self, body, purpose, severity):
        (finding,) = snapshot_of(body, purpose).findings
        assert finding.severity == severity

    @pytest.mark.parametrize("purpose", ["session", "request"])
    def test_a_call_that_the_user_passed_over_is_a_fault_of_both(self, purpose):
        (finding,) = snapshot_of([ASK, says(call("toolu_a")), said("Well?")], purpose).findings
        assert finding.severity == "error"

    def test_a_harness_file_is_a_session_unless_told(self):
        raw = lines(ASK, says(text("Looking."), call("toolu_a")))
        assert [finding.severity for finding in snapshot_of(raw).findings] == ["pending"]
        assert [finding.severity for finding in snapshot_of(raw, "request").findings] == ["warning"]


class TestStoredAndSent:
    LOST = lines(
        ASK,
        says(text("Looking."), call("toolu_a"), call("toolu_b", "stock")),
        answers("toolu_a"),
        says("One came."),
        said("And now?"),
        says("Enough."),
    )

    def test_what_the_harness_mends_is_a_warning_with_the_numbers_of_the_stored_chain(self):
        (finding,) = snapshot_of(self.LOST).findings
        assert (finding.sent, finding.severity) == (False, "warning")
        assert (finding.at, finding.api_path) == ("messages.1.content.2", "messages.1")
        assert finding.sentence == "stock was never answered; resume drops it"
        assert finding.record is not None and finding.record.line == 4

    def test_a_call_that_is_answered_too_late_stays_with_a_made_up_answer(self):
        raw = lines(
            ASK,
            says(call("toolu_a")),
            said("Well?"),
            says("Wait."),
            answers("toolu_a"),
            says("None."),
        )
        dangling, orphan = snapshot_of(raw).findings
        assert codes([dangling, orphan]) == ["TU001", "TR001"]
        assert dangling.sentence == (
            "orders is answered one turn late, by messages.4.content.0; "
            "resume answers it as missing"
        )
        assert orphan.sentence == "belongs to orders of turn 1; resume removes it"
        assert not dangling.sent and not orphan.sent

    def test_what_stays_wrong_is_an_error_with_the_numbers_of_the_sent_tape(self):
        raw = lines(
            ASK,
            says(call("toolu_a")),
            said("Go on."),
            says(call("toolu_b", "stock")),
            said(result("toolu_b"), result("toolu_b")),
            says("None."),
        )
        lost, doubled = snapshot_of(raw).findings
        assert (lost.rule.code, lost.sent) == ("TU001", False)
        assert (doubled.rule.code, doubled.sent, doubled.severity) == ("TR002", True, "error")
        assert doubled.at == "messages.4.content.1"
        # The dropped call leaves no message behind, and the two questions become one.
        assert doubled.api_path == "messages.2.content.1"
        assert doubled.api_message.startswith("messages.2.content.1: ")
        assert doubled.sentence == "toolu_b is answered twice"

    def test_a_body_is_sent_as_it_is_stored(self):
        (finding,) = snapshot_of([answers("toolu_a"), says("None.")]).findings
        assert finding.sent
        assert finding.at == finding.api_path == "messages.0.content.0"


class TestOrder:
    BODY = (
        answers("toolu_z"),
        says(call("toolu_a"), call("toolu_a"), call("toolu_b", input="{}")),
        said(text("Hm."), result("toolu_a"), result("toolu_a")),
    )

    def test_findings_come_in_the_order_of_places_then_of_ranks(self):
        snapshot = snapshot_of(list(self.BODY))
        assert [(finding.at, finding.rule.code) for finding in snapshot.findings] == [
            ("messages.0.content.0", "TR001"),
            ("messages.1.content.1", "TU002"),
            ("messages.1.content.2", "TU006"),
            ("messages.1.content.2", "TU001"),
            ("messages.2.content.1", "TR003"),
            ("messages.2.content.2", "TR002"),
        ]

    def test_by_rank_the_schema_comes_first(self):
        snapshot = snapshot_of(list(self.BODY))
        assert codes(snapshot.findings_by_rank) == [
            "TU006",
            "TU002",
            "TR002",
            "TR001",
            "TU001",
            "TR003",
        ]

    def test_the_worst_of_none_is_none(self):
        assert worst(()) is None

    def test_the_worst_comes_first(self):
        raw = lines(ASK, says(call("toolu_a")), said("Go on."), says(call("toolu_b")))
        findings = snapshot_of(raw).findings
        assert [finding.severity for finding in findings] == ["warning", "pending"]
        assert worst(findings) == "warning"
        assert worst(findings[1:]) == "pending"


def test_rules_of_another_dialect_are_not_asked():
    chat = index_of([said("Which?"), chat_calls(chat_call("call_1"))])
    rules = [rule for rule in all_rules() if rule.dialects == ANTHROPIC]
    assert check(rules, chat, None, "request") == ()


def test_a_finding_knows_its_turn():
    body = [ASK, says("Hm."), said("Go on."), says(call("toolu_a")), said("Well?")]
    (finding,) = snapshot_of(body).findings
    assert (finding.turn, finding.place.message) == (2, 3)
    (early,) = snapshot_of([answers("toolu_a")]).findings
    assert early.turn == 0


MANY = [f"toolu_{k}" for k in range(10_000)]
WIDE = {
    "all dangling": ([ASK, says(*map(call, MANY)), said("Well?")], {"TU001"}, 10_000),
    "all twice": ([ASK, says(*map(call, MANY)), answers(*MANY, *MANY)], {"TR002"}, 10_000),
    "all late": (
        [ASK, says(*map(call, MANY)), said("Well?"), says("Wait."), answers(*MANY)],
        {"TU001", "TR001"},
        20_000,
    ),
    "all behind": (
        [ASK, says(*map(call, MANY)), said(text("Hm."), *map(result, MANY))],
        {"TR003"},
        10_000,
    ),
}


@pytest.mark.parametrize("case", WIDE)
def test_ten_thousand_parallel_calls_are_looked_at_and_reported(case):
    body, expected, number = WIDE[case]
    findings = snapshot_of(body).findings
    assert {finding.rule.code for finding in findings} == expected
    assert len(findings) == number
    assert sum(len(finding.api_message) for finding in findings) < 2_000 * number


def test_very_many_ids_are_cut_in_the_message_of_one_finding():
    body, _, _ = WIDE["all dangling"]
    message = snapshot_of(body).findings[0].api_message
    assert "toolu_49, and 9950 more. Each" in message


def test_long_ids_and_names_are_cut_in_sentences():
    body = [said("x"), says(call("toolu_a", "n" * 150)), answers("t" * 150)]
    orphan, dangling = sorted(snapshot_of(body).findings, key=lambda f: f.rule.code)
    assert orphan.sentence == "no call has the id " + "t" * 59 + "…"
    assert dangling.sentence.startswith("n" * 59 + "… is not answered")
    assert orphan.fault.ids == ("t" * 150,)


def rule_named(code: str) -> Rule:
    (found,) = [rule for rule in all_rules() if rule.code == code]
    return found


SEARCH = {"type": "server_tool_use", "id": "srvtoolu_a", "name": "web_search", "input": {}}
SENTENCES = [
    ("TU001", [ASK, says(call("toolu_a"))], "orders is not answered yet: the tape ends here"),
    ("TU001", [ASK, says(call("toolu_a")), said("x")], "orders was never answered"),
    (
        "TU001",
        [
            ASK,
            says(call("toolu_a")),
            said("x"),
            says("y"),
            said("x"),
            says("y"),
            answers("toolu_a"),
        ],
        "orders is answered 2 turns late, by messages.6.content.0",
    ),
    (
        "TU001",
        [ASK, says("x"), answers("toolu_a"), says(call("toolu_a")), said("x")],
        "orders is answered before it is called, by messages.2.content.0",
    ),
    (
        "TU001",
        [ASK, says(call("toolu_a")), says(result("toolu_a")), said("x")],
        "orders is answered in the wrong place, by messages.2.content.0",
    ),
    ("TR001", [answers("toolu_a")], "no call has the id toolu_a; it was trimmed"),
    ("TR001", [ASK, says("x"), answers("toolu_a")], "no call has the id toolu_a"),
    ("TR001", [ASK, says("x"), answers("")], "no call has the empty id"),
    (
        "TR001",
        [ASK, says(SEARCH), answers("srvtoolu_a")],
        "answers web_search, which the API runs and answers itself",
    ),
    (
        "TR001",
        [ASK, says("x"), answers("toolu_a"), says(call("toolu_a"))],
        "stands before its call, orders of turn 2",
    ),
    (
        "TR001",
        [ASK, says(call("toolu_a")), answers("toolu_a"), says("x"), answers("toolu_a")],
        "belongs to orders of turn 1, which is answered already",
    ),
    (
        "TR001",
        [said(call("toolu_a")), says("x"), answers("toolu_a")],
        "belongs to orders in a user message",
    ),
]


@pytest.mark.parametrize(("code", "body", "sentence"), SENTENCES)
def test_a_sentence_tells_where_the_other_half_is(code, body, sentence):
    index = index_of(body)
    assert [fault.sentence for fault in rule_named(code).find(index)] == [sentence]


REPAIRS = [
    ("TU001", [ASK, says(call("toolu_a"))], ("R1", "R2", "R3")),
    (
        "TU001",
        [ASK, says(call("toolu_a")), said("x"), says("y"), answers("toolu_a")],
        ("R1", "R2", "R3", "R4"),
    ),
    ("TR001", [answers("toolu_a")], ("R10", "R11")),
    (
        "TR001",
        [ASK, says(call("toolu_a")), said("x"), says("y"), answers("toolu_a")],
        ("R10", "R4", "R11"),
    ),
    (
        "TR001",
        [ASK, says(call("toolu_a")), answers("toolu_a"), says("x"), answers("toolu_a")],
        ("R10", "R11"),
    ),
    ("TU002", [ASK, says(call("toolu_a"), call("toolu_a")), answers("toolu_a")], ("R6",)),
    (
        "TU002",
        [ASK, says(call("toolu_a"), call("toolu_a")), answers("toolu_a", "toolu_a")],
        ("R5", "R6"),
    ),
]


@pytest.mark.parametrize(("code", "body", "repairs"), REPAIRS)
def test_only_repairs_that_fit_are_named(code, body, repairs):
    index = index_of(body)
    rule = rule_named(code)
    assert [rule.repairs_for(fault, index) for fault in rule.find(index)] == [repairs]
