"""Which link runs through which lane of the gutter, row by row.

A link takes the lowest free lane at its first end and frees it at its last. A dangling call and an
orphan hold a lane on their own row only; a pending call to the end of the tape. More links than
lanes share the last lane, which is then a cable.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from tapeview.tape.block import Block
from tapeview.tape.link import Link
from tapeview.tape.rows import Row
from tapeview.tape.spliced import Shift

__all__ = ["CABLE", "FREE", "Gutter", "LaneEnd", "gutters_of", "moved_gutter"]

FREE = -1
CABLE = -2

LaneEnd = Literal["", "start", "more", "stop", "alone"]


class Gutter(msgspec.Struct, frozen=True, gc=False):
    """What the gutter of one row shows. Links are numbers into ``Index.links``."""

    passing: tuple[int, ...] = ()
    """For each lane: the link that passes by, ``FREE``, or ``CABLE``. Shared between rows."""
    link: int = FREE
    """The row's own link."""
    lane: int = FREE
    end: LaneEnd = ""
    """``start`` where the lane begins, ``stop`` where it ends, ``more`` for a result between."""
    cable: bool = False
    """The own lane is a cable."""
    closing: tuple[int, ...] = ()
    """On the tape's last row: the pending links that end here, by lane."""


def moved_gutter(gutter: Gutter, shift: Shift) -> Gutter:
    """A gutter whose links have other numbers, and which has other lanes behind its own."""
    return Gutter(
        _moved(gutter.passing, shift),
        gutter.link + shift.links if gutter.link != FREE else FREE,
        gutter.lane,
        gutter.end,
        gutter.cable,
        _moved(gutter.closing, shift) if gutter.closing else (),
    )


def _moved(lanes: tuple[int, ...], shift: Shift) -> tuple[int, ...]:
    moved = tuple([number + shift.links if number >= 0 else number for number in lanes])
    return moved + (FREE,) * shift.lanes if shift.lanes >= 0 else moved[: shift.lanes]


class _Span(msgspec.Struct):
    link: int
    rows: list[int]
    lane: int = FREE
    cable: bool = False


def gutters_of(
    rows: Sequence[Row], links: Sequence[Link], most: int
) -> tuple[tuple[Gutter, ...], int]:
    """A gutter for each row and the number of lanes in use, at most ``most`` (1 or more)."""
    number_of = {end.block: k for k, link in enumerate(links) for end in link.ends}
    spans = _spans(rows, links, number_of)
    starts = {span.rows[0]: span for span in spans.values()}
    _assign(starts, len(rows), most)
    width = 1 + max((span.lane for span in spans.values()), default=0)
    return tuple(_draw(rows, spans, number_of, width)), width


def _spans(
    rows: Sequence[Row], links: Sequence[Link], number_of: Mapping[Block, int]
) -> dict[int, _Span]:
    """The rows of each link's ends; the tape's last row closes what is pending."""
    spans: dict[int, _Span] = {}
    for at, row in enumerate(rows):
        if row.block is None or row.message < 0:
            continue
        number = number_of.get(row.block, FREE)
        if number == FREE:
            continue
        spans.setdefault(number, _Span(number, [])).rows.append(at)
    if rows and rows[-1].kind == "end":
        for span in spans.values():
            if links[span.link].state == "pending":
                span.rows.append(len(rows) - 1)
    return spans


def _assign(starts: Mapping[int, _Span], count: int, most: int) -> None:
    """Give every span its lane, and find out which spells of the last lane are cables."""
    free = list(range(most))
    freed: dict[int, list[int]] = {}
    shared: list[_Span] = []
    open_until = -1  # the row at which the last lane falls free
    for at in range(count):
        for lane in freed.pop(at, ()):
            free.append(lane)
        span = starts.get(at)
        if span is None:
            continue
        stop = span.rows[-1]
        if free:
            free.sort()
            span.lane = free.pop(0)
            freed.setdefault(stop + 1, []).append(span.lane)
            if span.lane == most - 1:
                shared, open_until = [span], stop
            continue
        if len(span.rows) == 1:
            continue
        span.lane = most - 1
        shared.append(span)
        shared[0].cable = span.cable = True
        if stop > open_until:
            freed[open_until + 1].remove(span.lane)
            freed.setdefault(stop + 1, []).append(span.lane)
            open_until = stop


def _draw(
    rows: Sequence[Row],
    spans: Mapping[int, _Span],
    number_of: Mapping[Block, int],
    width: int,
) -> Iterable[Gutter]:
    lanes = [FREE] * width
    in_cable: set[int] = set()
    passing = tuple(lanes)
    for at, row in enumerate(rows):
        if row.kind == "end":
            closing = tuple(lanes)
            yield Gutter((FREE,) * width, closing=closing)
            continue
        number = FREE
        if row.block is not None and row.message >= 0:
            number = number_of.get(row.block, FREE)
        if number == FREE:
            yield Gutter(passing)
            continue
        span = spans[number]
        first, last = at == span.rows[0], at == span.rows[-1]
        if span.cable:
            end = _cable_end(first, last, in_cable, number)
        elif first and last:
            end = "alone"
        else:
            end = "start" if first else "stop" if last else "more"
        own = list(lanes)
        if span.lane >= 0:
            own[span.lane] = FREE
        yield Gutter(tuple(own), number, span.lane, end, span.cable)
        if first and not last:
            lanes[span.lane] = CABLE if span.cable else number
        elif last and not first and not (span.cable and in_cable):
            lanes[span.lane] = FREE
        passing = tuple(lanes)


def _cable_end(first: bool, last: bool, held: set[int], number: int) -> LaneEnd:
    """How a row meets the cable; keeps ``held``, the links inside it."""
    if first and last:
        return "more"
    if first:
        held.add(number)
        return "start" if len(held) == 1 else "more"
    if last:
        held.discard(number)
        return "more" if held else "stop"
    return "more"
