"""What calls cost, by the prices of the library ``genai-prices``; in US dollars."""

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

__all__ = ["Forecast", "forecast", "price_of"]

COUNTS = ("input_tokens", "output_tokens")
"""What the library wants to be told."""


class Forecast(NamedTuple):
    """What a call will cost: the input, and the output if it is as long as it may be."""

    input: Decimal
    output_at_most: Decimal


def price_of(model: str, usage: Mapping[str, object]) -> Decimal | None:
    """The price of a reply by its usage; None for a model without a known price."""
    found = _price(model, usage)
    return found and found.input + found.output_at_most


def forecast(model: str, tokens: int, max_tokens: int) -> Forecast | None:
    """What ``tokens`` of input and at most ``max_tokens`` of output cost, nothing cached."""
    return _price(model, {"input_tokens": tokens, "output_tokens": max_tokens})


def _price(model: str, usage: Mapping[str, object]) -> Forecast | None:
    if not model:
        return None
    from genai_prices import extract_usage

    told = dict.fromkeys(COUNTS, 0) | {k: v for k, v in usage.items() if v is not None}
    try:
        found = extract_usage({"model": model, "usage": told}, provider_id="anthropic").calc_price()
    except (LookupError, ValueError):  # no such model, or counts that are none
        return None
    return Forecast(found.input_price or Decimal(), found.output_price or Decimal())
