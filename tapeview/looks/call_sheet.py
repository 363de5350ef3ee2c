"""The sheet of one call: what it is made of, and how a user changes that before it leaves."""

import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cached_property

from tapeview.calls.draft import Plan, draft_of, plan_of, refusals
from tapeview.calls.endpoints import endpoint_names, endpoint_of
from tapeview.calls.price import forecast
from tapeview.calls.remembered import remember, remembered
from tapeview.calls.tokens import estimate
from tapeview.errors import CallError
from tapeview.looks.sheet import (
    PENDING,
    SheetFact,
    SheetField,
    Tokens,
    refusal_facts,
    sheet_facts,
    sheet_fields,
    typed_value,
)
from tapeview.rules._engine import Finding
from tapeview.snapshot import Snapshot
from tapeview.tape.rows import Row

__all__ = ["CallSheet", "row_of_refusal", "turn_of_call"]

MOST_TIMES = 100


def turn_of_call(snapshot: Snapshot, row: Row) -> int | None:
    """The turn whose call is made again from a row; None for the call after the tape's end.

    On a prompt that is the call that it starts.
    """
    if row.turn:
        return row.turn
    later = [number for number in snapshot.turn_numbers if number > row.after]
    return later[0] if later and row.kind != "end" else None


def row_of_refusal(plan: Plan, snapshot: Snapshot, path: str) -> int:
    """The row of the place that the API names in what was sent; -1 where that has none."""
    match path.split("."):
        case ["messages", number, "content", place, *_] if number.isdigit() and place.isdigit():
            at, block_at = int(number), int(place)
        case ["messages", number, *_] if number.isdigit():
            at, block_at = int(number), 0
        case _:
            return -1
    blocks = plan.messages[at].blocks if at < len(plan.messages) else ()
    if not blocks:
        return -1
    return snapshot.row_of.get(blocks[min(block_at, len(blocks) - 1)], -1)


class CallSheet:
    """A call that has not left yet."""

    def __init__(
        self, snapshot: Snapshot, turn: int | None, environ: Mapping[str, str] = os.environ
    ) -> None:
        """Raises ``CallError``, ``PlaceError`` where no call can be made of this."""
        self.snapshot = snapshot
        self.turn = turn
        self.times = 1
        self._environ = environ
        self._asked: dict[str, bytes | None] = {}
        self._remembered = remembered(environ, snapshot.session.path)
        self._tokens: Tokens | None = None
        self.endpoint = endpoint_of(None, environ)
        self._draft = draft_of(snapshot, turn)
        self.plan: Plan = self._planned()

    def _planned(self) -> Plan:
        return plan_of(self._draft, self.endpoint, self._asked, self._remembered)

    def change(self, field: SheetField, typed: str) -> None:
        """Set a field to what was typed. Raises ``CallError``; the sheet is then as it was."""
        if field.kind == "times":
            self.times = _number(typed)
            return
        before = (self.endpoint, dict(self._asked))
        if field.kind == "endpoint":
            self.endpoint = endpoint_of(typed.strip(), self._environ)
        else:
            self._asked[field.name] = typed_value(typed)
        try:
            self.plan = self._planned()
        except CallError:
            self.endpoint, self._asked = before
            raise
        self._tokens = None

    def next_endpoint(self) -> str:
        """The name of the endpoint after the one that is chosen."""
        names = endpoint_names(self._environ)
        at = names.index(self.endpoint.name) if self.endpoint.name in names else -1
        return names[(at + 1) % len(names)]

    def fields(self) -> list[SheetField]:
        """What can be changed, a line each."""
        out = [name for name, raw in self._asked.items() if raw is None]
        return sheet_fields(self.plan, self.times, out)

    @cached_property
    def refused(self) -> tuple[Finding, ...]:
        """What the API would refuse of the messages, which no field changes."""
        return refusals(self.plan)

    @property
    def tokens(self) -> Tokens:
        """How many tokens are sent, as far as is known."""
        if self._tokens is None:
            self._tokens = Tokens(estimate(self.plan.body), is_estimate=True)
        return self._tokens

    def count(self, plan: Plan, number: int | None) -> None:
        """The endpoint has counted the tokens of a plan; None where it does not say."""
        if number is not None and plan is self.plan:
            self._tokens = Tokens(number, is_estimate=False)

    def facts(self, now: datetime, is_priced: bool = True) -> Iterator[SheetFact]:
        """What will happen, a line each. Prices are a library of their own, slow the first time."""
        model, tokens = self.plan.model, self.tokens
        price = forecast(model, tokens.number, self.plan.max_tokens) if is_priced else PENDING
        yield from sheet_facts(self.plan, tokens, price, self.times, now)
        yield SheetFact("", "")
        yield from refusal_facts(self.refused)
        if self.endpoint.kind == "recording":
            yield SheetFact("", "the recording answers, not a model")
        elif self.refused:
            yield SheetFact("", "enter sends it anyway")

    def leave(self) -> Plan:
        """The plan that leaves now; what was asked for and the file lacks is remembered for it."""
        remember(self._environ, self.snapshot.session.path, self.plan.news)
        return self.plan


def _number(typed: str) -> int:
    words = typed.strip()
    if not words.isascii() or not words.isdigit() or not 1 <= int(words) <= MOST_TIMES:
        raise CallError(f"this is a number of times, from 1 to {MOST_TIMES}.")
    return int(words)
