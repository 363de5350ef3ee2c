"""The link gutter: which link runs through which lane, row by row.

A picture has a line for each row and a column for each lane: ``╭`` where a lane begins, ``╰`` where
it ends, ``├`` for a result between, ``○`` for an end that is alone, ``│`` for a link that passes.
A cable is drawn double. Rows without a block of their own stand as they are.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.tape.index import Index
from tapeview.tape.lanes import CABLE, FREE, gutters_of
from tapeview.tape.message import message_of
from tapeview.tape.rows import rows_of
from tests.shorthand import records, session

SIGNS = {"start": "╭", "stop": "╰", "more": "├", "alone": "○"}
CABLES = {"start": "╓", "stop": "╙", "more": "╟", "alone": "?"}


def laid_out(lines, most):
    stored = records(*lines)
    opened = session(stored, [message_of([record]) for record in stored])
    index = Index(opened.main.messages, opened.frame, "anthropic")
    rows = rows_of(opened, opened.main, index)
    gutters, width = gutters_of(rows, index.links, most)
    return index.links, rows, gutters, width


def picture(lines, most=4):
    _, rows, gutters, width = laid_out(lines, most)
    drawn = []
    for row, gutter in zip(rows, gutters, strict=True):
        if row.kind == "turn":
            continue
        passing = gutter.closing or gutter.passing
        signs = [{FREE: ".", CABLE: "║"}.get(link, "│") for link in passing]
        if gutter.lane >= 0:
            signs[gutter.lane] = (CABLES if gutter.cable else SIGNS)[gutter.end]
        drawn.append("".join(signs) + (" end" if gutter.closing else ""))
    assert {len(line.removesuffix(" end")) for line in drawn} <= {width}
    return drawn


PICTURES = {
    "answered": (
        ["assistant call:a", "user result:a"],
        ["╭", "╰"],
    ),
    "three parallel calls": (
        ["assistant call:a call:b call:c", "user result:a result:b result:c"],
        ["╭..", "│╭.", "││╭", "╰││", ".╰│", "..╰"],
    ),
    "swapped": (
        ["assistant call:d call:e", "user result:e result:d"],
        ["╭.", "│╭", "│╰", "╰."],
    ),
    "doubled": (
        ["assistant call:f", "user result:f result:f"],
        ["╭", "├", "╰"],
    ),
    "dangling among its sisters": (
        ["assistant call:g call:h call:i", "user result:g result:i text"],
        ["╭.", "│○", "│╭", "╰│", ".╰", ".."],
    ),
    "orphan": (
        ["user result:j"],
        ["○"],
    ),
    "late": (
        ["assistant call:k", "user text", "assistant call:l", "user result:l result:k"],
        ["╭.", "│.", "│╭", "│╰", "╰."],
    ),
    "early": (
        ["user result:a", "assistant call:a", "user text"],
        ["╭", "╰", "."],
    ),
    "error": (
        ["assistant call:m", "user error:m"],
        ["╭", "╰"],
    ),
    "pending to the end": (
        ["assistant call:a call:b", "user result:a"],
        ["╭.", "│╭", "╰│", ".│ end"],
    ),
    "a lane is taken again, the lowest first": (
        ["assistant call:a call:b", "user result:a result:b"] * 2,
        ["╭.", "│╭", "╰│", ".╰"] * 2,
    ),
    "the lowest free lane, not the last one that was freed": (
        [
            "assistant call:a call:b call:c",
            "user result:b result:a text",
            "assistant call:d",
            "user result:d",
        ],
        ["╭..", "│╭.", "││○", "│╰.", "╰..", "...", "╭..", "╰.."],
    ),
    "no links": (["user text", "assistant text"], [".", "."]),
    "a server pair": (["assistant search:s found:s text"], ["╭", "╰", "."]),
}


@pytest.mark.parametrize("lines, wanted", PICTURES.values(), ids=PICTURES.keys())
def test_what_the_gutter_shows(lines, wanted):
    assert picture(lines) == wanted


CABLED = {
    "five calls in four lanes": (
        4,
        [
            "assistant call:a call:b call:c call:d call:e",
            "user result:a result:b result:c result:d result:e",
        ],
        ["╭...", "│╭..", "││╭.", "│││╓", "│││╟", "╰││║", ".╰│║", "..╰║", "...╟", "...╙"],
    ),
    "three calls in one lane": (
        1,
        ["assistant call:a call:b call:c", "user result:b result:c result:a"],
        ["╓", "╟", "╟", "╟", "╟", "╙"],
    ),
    "the cable lasts to the last of its links": (
        2,
        ["assistant call:a call:b call:c", "user result:b result:a", "user result:c"],
        ["╭.", "│╓", "│╟", "│╟", "╰║", ".╙"],
    ),
    "after the cable the lane is a lane again": (
        1,
        ["assistant call:a call:b", "user result:a result:b", "assistant call:c", "user result:c"],
        ["╓", "╟", "╟", "╙", "╭", "╰"],
    ),
    "a dangling call finds no lane": (
        1,
        ["assistant call:a call:b", "user result:a text"],
        ["╭", "│", "╰", "."],
    ),
    "pending calls in a cable": (
        1,
        ["assistant call:a call:b"],
        ["╓", "╟", "║ end"],
    ),
    "a doubled link in a cable": (
        1,
        ["assistant call:a call:b", "user result:a result:a result:b"],
        ["╓", "╟", "╟", "╟", "╙"],
    ),
}


@pytest.mark.parametrize("most, lines, wanted", CABLED.values(), ids=CABLED.keys())
def test_more_links_than_lanes_share_a_cable(most, lines, wanted):
    assert picture(lines, most) == wanted


words = st.sampled_from(
    [
        "call:a",
        "call:b",
        "call:c",
        "result:a",
        "result:b",
        "result:c",
        "search:s",
        "found:s",
        "text",
    ]
)
tapes = st.lists(
    st.builds(
        lambda role, blocks: " ".join([role, *blocks]),
        st.sampled_from(["user", "assistant", "assistant", "system"]),
        st.lists(words, max_size=6),
    ),
    max_size=8,
)


@given(tapes, st.integers(1, 5))
def test_lanes_never_clash_and_are_free_again_after_their_stop(lines, most):
    links, rows, gutters, width = laid_out(lines, most)
    assert 0 <= width <= most
    holders: dict[int, set[int]] = {}
    for row, gutter in zip(rows, gutters, strict=True):
        if row.kind == "end":
            assert gutter.closing == expected(holders, width)
            continue
        own, lane, end = gutter.link, gutter.lane, gutter.end
        before = expected(holders, width)
        assert gutter.passing == tuple(FREE if k == lane else before[k] for k in range(width))
        if lane < 0:
            continue
        if end == "alone":
            assert lane not in holders
            continue
        held = holders.setdefault(lane, set())
        first = own not in held
        if first:
            assert not held or gutter.cable
            held.add(own)
        ends = [end.block for end in links[own].ends]
        last = row.block is last_of(rows, ends) and links[own].state != "pending"
        if last and not first:
            held.discard(own)
        if not held:
            del holders[lane]
    left = {link for held in holders.values() for link in held}
    assert all(links[link].state == "pending" for link in left)


def expected(holders, width):
    """What passes a row, by what holds each lane; any number of links in a cable looks the same."""
    now = []
    for lane in range(width):
        held = holders.get(lane, set())
        if not held:
            now.append(FREE)
        else:
            now.append(Passing(held))
    return tuple(now)


class Passing:
    """Equal to the one link that holds a lane, or to a cable."""

    def __init__(self, held):
        self.held = set(held)

    def __eq__(self, other):
        return other == CABLE or {other} == self.held

    def __hash__(self):
        return 0

    def __repr__(self):
        return f"Passing({self.held})"


def last_of(rows, blocks):
    return next(
        row.block for row in reversed(rows) if row.block is not None and row.block in blocks
    )


@given(tapes, st.integers(1, 5))
def test_every_link_with_two_ends_starts_and_stops_on_one_lane(lines, most):
    links, rows, gutters, _ = laid_out(lines, most)
    for number, link in enumerate(links):
        own = [gutter for gutter in gutters if gutter.link == number]
        assert len(own) == len(link.ends)
        if len(own) < 2:
            continue
        assert len({gutter.lane for gutter in own}) == 1
        assert own[0].lane >= 0
        if not own[0].cable:
            ends = [gutter.end for gutter in own]
            assert ends == ["start", *["more"] * (len(own) - 2), "stop"]
    assert len(gutters) == len(rows)


def test_ten_thousand_parallel_calls_in_four_lanes():
    names = [f"c{k}" for k in range(10_000)]
    calls = "assistant " + " ".join(f"call:{name}" for name in names)
    results = "user " + " ".join(f"result:{name}" for name in names)
    _, rows, gutters, width = laid_out([calls, results], 4)
    assert width == 4
    assert len(gutters) == len(rows) == 20_001
    assert len({gutter.passing for gutter in gutters}) < 20
