from datetime import UTC, datetime
from decimal import Decimal

import msgspec
import pytest

from tapeview.calls.draft import Plan, refusals
from tapeview.calls.endpoints import Endpoint
from tapeview.calls.price import Forecast
from tapeview.looks.sheet import (
    PENDING,
    Tokens,
    refusal_facts,
    sheet_facts,
    sheet_fields,
    typed_value,
)
from tests.calls.helpers import BODY, RECORDING, plan

NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
PRICE = Forecast(Decimal("0.22"), Decimal("0.80"))
WORK = Endpoint("work", key="WORK_KEY")


def fields(made: Plan, times: int = 1) -> list[tuple[str, str, str]]:
    return [(f.name, f.words, f.note) for f in sheet_fields(made, times)]


def test_fields_of_a_body():
    body = BODY | {
        "thinking": {"type": "adaptive"},
        "metadata": {"user_id": "x" * 80},
        "tools": [{"name": "a"}, {"name": "b"}],
    }
    shown = fields(plan(body=body, endpoint=WORK), 3)
    assert shown[:3] == [
        ("model", "claude-opus-4-5", "recorded"),
        ("endpoint", "work", WORK.about),
        ("times", "3", ""),
    ]
    named = {name: (words, note) for name, words, note in shown}
    assert named["thinking"] == ("adaptive", "recorded")
    assert named["tools"][0].startswith("2 tools · ")
    assert named["metadata"][0].endswith(" B")


def test_what_nobody_gave_is_listed_too():
    made = plan(body={"messages": BODY["messages"]})
    named = {name: (words, note) for name, words, note in fields(made)}
    assert named["model"] == ("", "not stored")
    assert named["max_tokens"] == ("8192", "default")


def test_what_was_taken_out_keeps_its_line():
    made = plan(body={k: v for k, v in BODY.items() if k != "model"})
    shown = sheet_fields(made, 1, ["model", "top_k"])
    named = {field.name: (field.words, field.note) for field in shown}
    assert (named["model"], named["top_k"]) == (("", "taken out"), ("", "taken out"))
    assert len(named) == len(shown)


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("", None),
        ("  ", None),
        ("claude-opus-4-5", b'"claude-opus-4-5"'),
        ("200", b"200"),
        ("0.10", b"0.10"),
        ('{"type": "adaptive"}', b'{"type": "adaptive"}'),
        ('"200"', b'"200"'),
        ("true", b"true"),
        ('{"type": ', b'"{\\"type\\":"'),
    ],
)
def test_what_is_typed_for_a_member(typed, value):
    assert typed_value(typed) == value


def facts(made: Plan, tokens: Tokens, price: Forecast | str | None = PRICE, times: int = 1):
    return {f.name: f.words for f in sheet_facts(made, tokens, price, times, NOW)}


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (Tokens(43900, True), "about 43,900 in (estimate)"),
        (Tokens(43900, False), "43,900 in"),
    ],
)
def test_tokens(tokens, words):
    assert facts(plan(endpoint=WORK), tokens)["tokens"] == words


@pytest.mark.parametrize(
    ("price", "times", "words"),
    [
        (PRICE, 1, "$0.22 in, at most $0.80 out"),
        (PRICE, 5, "$0.22 in, at most $0.80 out, 5 times: at most $5.10"),
        (None, 1, "unknown: no price is known for this model"),
        (PENDING, 1, "being looked up"),
    ],
)
def test_what_it_costs(price, times, words):
    assert facts(plan(endpoint=WORK), Tokens(1, True), price, times)["costs"] == words


@pytest.mark.parametrize(
    ("time", "words"),
    [
        ("2026-03-10T11:58:30Z", "may hold: the prefix is 2 min old"),
        ("2026-03-10T11:59:30Z", "may hold: the prefix is 30.0 s old"),
        ("2026-03-01T12:00:00Z", "none: the prefix is 9 days old"),
        ("2026-03-10T13:00:00Z", "may hold: the prefix is 0.0 s old"),
        ("yesterday", "unknown: the file has no times"),
        ("", "unknown: the file has no times"),
    ],
)
def test_whether_the_cache_holds_the_beginning(time, words):
    made = plan(endpoint=WORK)
    last = made.messages[-1]
    stamped = msgspec.structs.replace(
        last, records=tuple(msgspec.structs.replace(r, time=time) for r in last.records)
    )
    made = msgspec.structs.replace(made, messages=(*made.messages[:-1], stamped))
    assert facts(made, Tokens(1, True))["cache"] == words


def test_the_recording_costs_nothing():
    assert facts(plan(endpoint=RECORDING), Tokens(1, True)).keys() == {"sends", "tokens"}


def test_what_the_api_would_refuse():
    messages = [*BODY["messages"][:2], {"role": "user", "content": "and?"}]
    made = plan(body=BODY | {"messages": messages})
    first, second = refusal_facts(refusals(made))
    assert first.words == "the API will refuse this as it stands"
    assert second.name == "TU001"
    assert second.words.startswith("messages.1")
    assert list(refusal_facts(())) == []
    assert [f.words for f in refusal_facts(refusals(made) * 9)][-1] == "and 3 more"
