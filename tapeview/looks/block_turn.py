"""What the block pane says of a turn: its calls, what it was sent, how long it took, its usage."""

from collections.abc import Iterator

from tapeview.looks.block_record import (
    BLANK,
    FAULTS,
    BodyLine,
    clock_of,
    shown_value,
    table,
)
from tapeview.shapes.fields import fields_of, text_of
from tapeview.snapshot import Snapshot
from tapeview.tape.block import CALLS
from tapeview.tape.clean import cells, cut, pad
from tapeview.tape.describe import tool_of
from tapeview.tape.link import End, Link
from tapeview.tape.record import Record
from tapeview.tape.sizes import duration, size_long, thousands

__all__ = ["turn_lines"]

NAME = 24
"""Cells of a tool's name."""

STYLES = {
    "answered": "muted",
    "pending": "pending",
    "dangling": "error",
    "late": "warn",
    "early": "warn",
    "doubled": "error",
    "swapped": "muted",
}


def turn_lines(snapshot: Snapshot, number: int) -> Iterator[BodyLine]:
    """The summary of a turn."""
    turn = snapshot.own_turn(number)
    messages = snapshot.tape.messages[turn.start : turn.stop]
    facts = snapshot.turn_facts[number]
    last = messages[-1].records[-1]
    blocks = [block for message in messages for block in message.blocks]
    reply = sum(block.size for block in blocks)
    pairs = [("sent", size_long(facts.sent)), ("reply", size_long(reply))]
    if facts.seconds is not None:
        pairs.append(("took", duration(facts.seconds)))
    if clock := clock_of(last):
        pairs.append(("at", clock))
    fields = _fields(snapshot, last)
    model, stop = text_of(fields.get("model")), text_of(fields.get("stop_reason"))
    pairs += [(key, word) for key, word in (("model", model), ("stop", stop)) if word]
    yield from table("turn", pairs)
    links = [snapshot.index.link_of[block] for block in blocks if block.kind in CALLS]
    yield from _call_lines(snapshot, links)
    if usage := list(_usage(fields.get("usage", b""))):
        yield BLANK
        yield from table("usage", usage)


def _fields(snapshot: Snapshot, record: Record) -> dict[str, bytes]:
    """Members of the reply's last line: only that one has the final usage."""
    try:
        return fields_of(snapshot.session.message_of(record))
    except FAULTS:
        return {}


def _usage(raw: bytes) -> Iterator[tuple[str, str]]:
    """Tokens as the API counted them; one level of nesting is indented."""
    try:
        fields = fields_of(raw)
        for key, value in fields.items():
            inner = fields_of(value)
            yield key, "" if inner else _number(value)
            for name, number in inner.items():
                yield f"  {name}", _number(number)
    except FAULTS:
        return


def _number(raw: bytes) -> str:
    return thousands(int(raw)) if raw.isdigit() and len(raw) < 16 else shown_value(raw)


def _call_lines(snapshot: Snapshot, links: list[Link]) -> Iterator[BodyLine]:
    """Each call with its size, and what became of it."""
    calls = [(link, link.call) for link in links if link.call is not None]
    if not calls:
        return
    names = [cut(tool_of(call.block, snapshot.index) or "call", NAME) for _, call in calls]
    width = max(cells(name) for name in names) + 1
    yield BLANK
    yield BodyLine((("muted", "calls"),))
    for name, (link, call) in zip(names, calls, strict=True):
        size = f"{size_long(call.block.size):>7}  "
        words = (("call", pad(name, width)), ("muted", size), *_outcome(snapshot, link, call))
        yield BodyLine(words, indent=2)


def _outcome(snapshot: Snapshot, link: Link, call: End) -> tuple[tuple[str, str], ...]:
    style = STYLES.get(link.state, "muted")
    if not link.results:
        return ((style, link.state),)
    result = link.results[0].block
    size = f" {size_long(result.size)}"
    if link.state in ("late", "early"):
        turn = snapshot.index.turn_of(link.results[0].place.message)
        where = f": turn {turn.number}" if turn is not None else ""
        return ((style, f"{link.state}{where}"), ("muted", size))
    if link.state == "doubled":
        return ((style, "doubled"), ("muted", size))
    error = (("error", " error"),) if result.is_error else ()
    return (("muted", f"answered{size}"), *error)
