"""What is said of a call before, while and after it is made: lines, pieces of text, and JSON."""

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

import msgspec

from tapeview.calls.decision import Decision, decision_of
from tapeview.calls.draft import Plan, refusals
from tapeview.calls.many import Tally
from tapeview.calls.own_reply import own_reply
from tapeview.calls.price import forecast
from tapeview.calls.reply import Reply
from tapeview.calls.tokens import estimate
from tapeview.tape.block import CALLS
from tapeview.tape.clean import cut, printable
from tapeview.tape.graft import spelled
from tapeview.tape.sizes import count, duration, size_long, thousands
from tapeview.wire.assemble import Assembler, GrowingBlock, Step

__all__ = [
    "Stream",
    "after_lines",
    "before_lines",
    "decision_words",
    "dollars",
    "tally_json",
    "tally_lines",
]

CALL: Final = "●"
THINKING: Final = "~"
OTHER: Final = "▪"
WIDEST: Final = 120
"""Cells of a decision in a list of them."""


class Stream:
    """A reply as text that is safe to print, piece by piece, blocks on lines of their own."""

    def __init__(self, assembler: Assembler) -> None:
        self._assembler = assembler
        self._open = -1
        self._fresh = True

    def text_of(self, step: Step) -> str:
        """What a step adds to what is printed."""
        block = self._assembler.blocks.get(step.block)
        if block is None:
            return ""
        if step.kind in ("text", "thinking", "input"):
            return self._begin(step.block, block) + self._added(step.piece)
        if step.kind == "stop":
            return self._begin(step.block, block) + self._whole(block) + self._line_end()
        return ""

    def last(self) -> str:
        """The line end of a reply that was cut."""
        return self._line_end()

    def _begin(self, index: int, block: GrowingBlock) -> str:
        if self._open == index:
            return ""
        self._open = index
        sign = f"{CALL} {block.name} " if block.kind in CALLS else ""
        sign = f"{THINKING} " if block.kind == "thinking" else sign
        if block.kind not in ("text", "thinking", "compaction", *CALLS):
            sign = f"{OTHER} {block.kind}"
        return self._line_end() + self._added(sign)

    def _whole(self, block: GrowingBlock) -> str:
        """What came with the block's start, and in no delta."""
        if block.has_grown:
            return ""
        if block.kind in CALLS:
            return self._added(spelled(block.members.get("input", {})).decode())
        return self._added(block.thinking or block.text)

    def _added(self, text: str) -> str:
        if text:
            self._fresh = False
        return "\n".join("\t".join(map(printable, part.split("\t"))) for part in text.split("\n"))

    def _line_end(self) -> str:
        if self._fresh:
            return ""
        self._fresh = True
        return "\n"


def before_lines(plan: Plan, times: int = 1) -> Iterator[str]:
    """Where the call goes, what it sends, what that costs, and what the API would refuse."""
    endpoint = plan.endpoint
    which = "the next call" if plan.turn is None else f"turn {plan.turn}"
    often = "" if times == 1 else f", {times} times"
    yield f"replay {which}{often}: endpoint {endpoint.name}: {endpoint.about}"
    if endpoint.kind == "recording":
        return
    tokens = estimate(plan.body)
    size = size_long(len(plan.body))
    sent = f"{count(len(plan.messages), 'message')}, {size}, about {thousands(tokens)} tokens"
    price = forecast(plan.model, tokens, plan.max_tokens) if endpoint.kind == "api" else None
    if price is not None:
        most = dollars(price.output_at_most * times)
        sent += f" · {dollars(price.input * times)} in, at most {most} out"
    yield f"sends {sent}"
    said = [
        f"{m.name} {_short(m.value)} ({m.origin})" for m in plan.members if m.origin != "recorded"
    ]
    if said:
        yield f"not from the file: {', '.join(said)}"
    if plan.absent:
        yield f"not stored, not sent: {', '.join(plan.absent)}"
    for words in plan.lost:
        yield f"loses {words}"
    for finding in refusals(plan):
        place = finding.api_path or finding.at
        yield f"the API will refuse {finding.rule.code} {place}: {finding.sentence}"


def after_lines(plan: Plan, reply: Reply) -> Iterator[str]:
    """How a reply came out: time, tokens, reason, price, and what the recorded one decided."""
    out = reply.usage.get("output_tokens")
    facts = []
    if plan.endpoint.kind != "recording":
        facts.append(duration(reply.seconds))
        if reply.first_token_seconds is not None:
            facts.append(f"first token {duration(reply.first_token_seconds)}")
    if isinstance(out, int):
        facts.append(f"{thousands(out)} out")
    facts.append(reply.stop_reason or "no reason to stop")
    if reply.price is not None:
        facts.append(dollars(reply.price))
    if reply.is_cut:
        facts.append("cut")
    yield " · ".join(facts)
    recorded = own_reply(plan.snapshot, plan.turn)
    if recorded is None or plan.endpoint.kind == "recording":
        return
    was = decision_of(recorded)
    same = was == decision_of(reply.message)
    yield "decides as recorded" if same else f"recorded was: {decision_words(was)}"


def tally_lines(tally: Tally) -> Iterator[str]:
    """How often each decision came, most frequent first, then the recorded one if none was it."""
    wide = len(str(tally.times))
    if not tally.replies:
        yield f"no call of {tally.times} was answered"
        return
    for choice in tally.choices:
        mark = "recorded" if choice.is_recorded else ""
        words = decision_words(choice.decision)
        yield f"{choice.count:>{wide}} of {tally.times}  {mark:<8}  {words}"
    if tally.recorded is not None and not any(c.is_recorded for c in tally.choices):
        yield f"{0:>{wide}} of {tally.times}  recorded  {decision_words(tally.recorded)}"


def tally_json(tally: Tally) -> bytes:
    """The same as a report."""
    report = {
        "version": 1,
        "times": tally.times,
        "recorded": _decision(tally.recorded),
        "choices": [
            {
                "count": choice.count,
                "is_recorded": choice.is_recorded,
                "decision": _decision(choice.decision),
                "example": msgspec.Raw(choice.example.message),
            }
            for choice in tally.choices
        ],
        "failures": [
            {"kind": trouble.kind, "status": trouble.status, "sentence": trouble.sentence}
            for trouble in tally.failures
        ],
    }
    return msgspec.json.encode(report)


def _decision(decision: Decision | None) -> object:
    if decision is None:
        return None
    calls = [{"name": name, "input": _raw(value)} for name, value in decision.calls]
    return {"calls": calls, "text": _sound(decision.text)}


def _raw(value: str) -> msgspec.Raw:
    return msgspec.Raw(spelled(json.loads(value)))


def _sound(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def decision_words(decision: Decision) -> str:
    """A decision in one line that is safe to print."""
    called = "  ".join(f"{CALL} {name} {value}" for name, value in decision.calls)
    return cut(printable(called or decision.text or "(nothing)"), WIDEST)


def dollars(price: Decimal) -> str:
    """``$0.31``; under ten cents with two digits that count, ``$0.0045``."""
    if price >= Decimal("0.095") or not price:
        return f"${price:.2f}"
    places = -price.adjusted() + 1
    return f"${price:.{places}f}"


def _short(value: bytes) -> str:
    return cut(printable(value.decode("utf-8", "replace")), 40)
