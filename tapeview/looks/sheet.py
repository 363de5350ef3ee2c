"""What a call will send, as the sheet shows it before anything leaves."""

import json
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from typing import Final, Literal, NamedTuple

from tapeview.calls.draft import Member, Plan
from tapeview.calls.price import Forecast
from tapeview.looks.replaying import dollars
from tapeview.rules._engine import Finding
from tapeview.tape.clean import clean_line
from tapeview.tape.json_text import array_spans
from tapeview.tape.sizes import count, duration, size_long, thousands

__all__ = [
    "PENDING",
    "SheetFact",
    "SheetField",
    "Tokens",
    "refusal_facts",
    "sheet_facts",
    "sheet_fields",
    "typed_value",
]

SHORT: Final = 60
"""Bytes up to which a member's value is shown itself."""
FIRST: Final = ("model", "max_tokens", "thinking", "system", "tools")
"""Members that come first in the list, there or not."""
MOST_REFUSALS: Final = 6
CACHE_LIVES: Final = 300.0
"""Seconds that the prompt cache keeps a prefix unless told to keep it longer."""


PENDING: Final = "being looked up"
Price = Forecast | str | None
"""A price, words while it is not known yet, or None where nobody knows it."""


class SheetField(NamedTuple):
    """One line that can be changed."""

    kind: Literal["member", "endpoint", "times"]
    name: str
    words: str
    """The value, clean and on one line; "" for a member that nobody has given."""
    note: str
    """Where the value comes from."""
    value: bytes = b""
    """A member's value as JSON."""


class Tokens(NamedTuple):
    """How many tokens the request holds."""

    number: int
    is_estimate: bool


class SheetFact(NamedTuple):
    """One line that says what will happen."""

    name: str
    words: str
    style: str = "fg"


def sheet_fields(plan: Plan, times: int, out: Collection[str] = ()) -> list[SheetField]:
    """Endpoint, number of times, and the members of the body beside its messages.

    Members that somebody took ``out`` keep their lines, to be put in again.
    """
    endpoint = plan.endpoint
    found = {member.name: member for member in plan.members}
    lacks = (*plan.absent, *out)
    names = [*(name for name in FIRST if name in found or name in lacks), *found, *out]
    fields = [_member_field(name, found.get(name), name in out) for name in dict.fromkeys(names)]
    fixed = [
        SheetField("endpoint", "endpoint", clean_line(endpoint.name, SHORT), endpoint.about),
        SheetField("times", "times", str(times), ""),
    ]
    return [*fields[:1], *fixed, *fields[1:]]


def _member_field(name: str, member: Member | None, is_out: bool) -> SheetField:
    shown = clean_line(name, SHORT)
    if member is None:
        return SheetField("member", shown, "", "taken out" if is_out else "not stored")
    return SheetField("member", shown, _value_words(member), member.origin, member.value)


def _value_words(member: Member) -> str:
    raw = member.value
    if member.name == "tools" and raw[:1] == b"[":
        return f"{count(len(array_spans(raw, 0)[0]), 'tool')} · {size_long(len(raw))}"
    if len(raw) > SHORT:
        return size_long(len(raw))
    value = json.loads(raw)
    if isinstance(value, str):
        return clean_line(value, SHORT)
    if isinstance(value, dict) and set(value) == {"type"} and isinstance(value["type"], str):
        return clean_line(value["type"], SHORT)
    return clean_line(raw.decode("utf-8", "replace"), SHORT)


def typed_value(typed: str) -> bytes | None:
    """What was typed for a member, as JSON: a bare word is a string, nothing takes it out."""
    text = typed.strip()
    if not text:
        return None
    try:
        json.loads(text)
    except ValueError:
        return json.dumps(text).encode()
    return text.encode()


def sheet_facts(
    plan: Plan, tokens: Tokens, price: Price, times: int, now: datetime
) -> Iterator[SheetFact]:
    """What is sent, what it costs, and whether a cache may still hold the beginning."""
    size = size_long(len(plan.body))
    yield SheetFact("sends", f"{count(len(plan.messages), 'message')} · {size}")
    for number_lost, words in enumerate(plan.lost[:MOST_REFUSALS]):
        yield SheetFact("" if number_lost else "loses", clean_line(words, 200), "warn")
    number = thousands(tokens.number)
    words = f"about {number} in (estimate)" if tokens.is_estimate else f"{number} in"
    yield SheetFact("tokens", words)
    if plan.endpoint.kind == "api":
        yield SheetFact("costs", _price_words(price, times))
        yield SheetFact("cache", _cache_words(plan, now))


def _price_words(price: Price, times: int) -> str:
    if isinstance(price, str):
        return price
    if price is None:
        return "unknown: no price is known for this model"
    each = f"{dollars(price.input)} in, at most {dollars(price.output_at_most)} out"
    if times == 1:
        return each
    whole = times * (price.input + price.output_at_most)
    return f"{each}, {times} times: at most {dollars(whole)}"


def _cache_words(plan: Plan, now: datetime) -> str:
    stamps = [record.time for m in plan.messages[-1:] for record in m.records if record.time]
    try:
        then = datetime.fromisoformat(stamps[-1]) if stamps else None
    except ValueError:
        then = None
    if then is None:
        return "unknown: the file has no times"
    age = (now - (then if then.tzinfo else then.replace(tzinfo=UTC))).total_seconds()
    if age > CACHE_LIVES:
        return f"none: the prefix is {duration(age)} old"
    return f"may hold: the prefix is {duration(max(age, 0.0))} old"


def refusal_facts(findings: tuple[Finding, ...]) -> Iterator[SheetFact]:
    """What the API would refuse, a line each; none where it would take the call."""
    if not findings:
        return
    yield SheetFact("", "the API will refuse this as it stands", "error bold")
    for finding in findings[:MOST_REFUSALS]:
        place = finding.api_path or finding.at
        yield SheetFact(finding.rule.code, f"{place}  {clean_line(finding.sentence, 200)}")
    if len(findings) > MOST_REFUSALS:
        yield SheetFact("", f"and {len(findings) - MOST_REFUSALS} more", "muted")
