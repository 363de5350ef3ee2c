from decimal import Decimal

import pytest

from tapeview.calls.price import forecast, price_of

OPUS = "claude-opus-4-5-20251101"  # $5 and $25 a million; $0.50 read from the cache, $6.25 written
PRICES = {
    "in and out": ({"input_tokens": 1000, "output_tokens": 100}, "0.0075"),
    "cached": (
        {
            "input_tokens": 700,
            "cache_read_input_tokens": 200,
            "cache_creation_input_tokens": 100,
            "output_tokens": 10,
        },
        "0.004475",
    ),
    "null counts": (
        {"input_tokens": 1000, "output_tokens": 0, "cache_read_input_tokens": None},
        "0.005",
    ),
    "no output yet": ({"input_tokens": 1000}, "0.005"),
    "nothing": ({}, "0"),
}


@pytest.mark.parametrize(("usage", "price"), PRICES.values(), ids=PRICES)
def test_a_reply(usage, price):
    assert price_of(OPUS, usage) == Decimal(price)


@pytest.mark.parametrize("model", ["local-tiny", "", "gpt-4o"])
def test_a_model_without_a_known_price(model):
    assert price_of(model, {"input_tokens": 5, "output_tokens": 5}) is None
    assert forecast(model, 5, 5) is None


def test_counts_that_are_none():
    assert price_of(OPUS, {"input_tokens": "many"}) is None


def test_ahead_of_a_call():
    assert forecast(OPUS, 44_000, 32_000) == (Decimal("0.22"), Decimal("0.80"))
