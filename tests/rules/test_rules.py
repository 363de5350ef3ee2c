"""Every rule keeps its own promises: its examples are its tests."""

from collections import Counter

import pytest

from tapeview.rules._engine import path_of
from tapeview.rules._registry import all_rules, page_of
from tapeview.rules._rule import SEVERITIES, Rule
from tests.helpers import index_of

RULES = all_rules()
CODES = (
    *("OC001", "OC002", "OC009"),
    *("ST001", "ST002", "ST003", "ST004"),
    *("TR001", "TR002", "TR003", "TR004", "TR005", "TR006", "TR007"),
    *("TU001", "TU002", "TU003", "TU004", "TU005", "TU006", "TU007", "TU008"),
)
BAD = [
    pytest.param(rule, bad, id=f"{rule.code}-{bad.why.replace(' ', '-')}")
    for rule in RULES
    for bad in rule.bad
]
GOOD = [
    pytest.param(rule, good, id=f"{rule.code}-{good.why.replace(' ', '-')}")
    for rule in RULES
    for good in rule.good
]
each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


def test_the_rules_are_there():
    assert {rule.code for rule in RULES} >= set(CODES)


@pytest.mark.parametrize("fact", ["code", "name", "rank"])
def test_no_two_rules_share(fact):
    counts = Counter(getattr(rule, fact) for rule in RULES)
    assert [value for value, times in counts.items() if times > 1] == []


@each_rule
def test_a_rule_says_what_it_is(rule: Rule):
    assert rule.severity in SEVERITIES
    assert rule.dialects
    assert rule.repairs or rule.code.startswith("FL")
    assert rule.good and rule.bad
    assert rule.mended.startswith("resume ")


@each_rule
def test_a_page_opens_with_a_sentence_and_says_more(rule: Rule):
    first, blank, *more = page_of(rule).splitlines()
    assert first.endswith(".") and blank == "" and more


@each_rule
def test_a_page_names_each_repair(rule: Rule):
    assert [repair for repair in rule.repairs if repair not in page_of(rule)] == []


@pytest.mark.parametrize(("rule", "bad"), BAD)
def test_a_bad_example_is_found_where_it_is_bad(rule, bad):
    index = index_of(bad.body)
    assert index.dialect in rule.dialects
    assert tuple(path_of(fault, index) for fault in rule.find(index)) == bad.at


@pytest.mark.parametrize(("rule", "good"), GOOD)
def test_a_good_example_is_left_alone(rule, good):
    index = index_of(good.body)
    assert index.dialect in rule.dialects
    assert list(rule.find(index)) == []


@pytest.mark.parametrize(("rule", "bad"), BAD)
def test_a_finding_speaks(rule, bad):
    index = index_of(bad.body)
    for fault in rule.find(index):
        assert fault.sentence
        assert not fault.sentence.endswith(".")
        if not fault.is_of_file:
            assert rule.api_path(fault, index).startswith("messages")
            assert rule.api_message(fault, index)
        assert set(rule.repairs_for(fault, index)) <= set(rule.repairs)


@pytest.mark.parametrize(("rule", "good"), GOOD)
def test_a_good_example_of_a_legal_tape_breaks_no_other_rule(rule, good):
    """Those that stand on the border to another rule say so in their reason."""
    if "TR0" in good.why:
        return
    index = index_of(good.body)
    others = [other for other in RULES if index.dialect in other.dialects]
    assert [other.code for other in others if list(other.find(index))] == []
