"""Garbage is collected between keys, by the real collector."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from tapeview.tui import collecting
from tapeview.tui.collecting import WORTH_IT, Collecting, seldom_collected


class Knot:
    """Garbage that only the collector finds."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def seldom() -> Iterator[None]:
    with seldom_collected():
        gc.collect()
        yield


def litter() -> tuple[weakref.ref[Knot], list[list[int]]]:
    """Garbage, and so many new objects that a collection is worth it."""
    return weakref.ref(Knot()), [[] for _ in range(2 * WORTH_IT)]


def test_inside_the_collector_lets_new_objects_be_and_outside_it_is_as_before() -> None:
    before = gc.get_threshold()
    with seldom_collected():
        gc.collect()
        knot, kept = litter()
        assert knot() is not None
    assert gc.get_threshold() == before
    del kept


@pytest.mark.usefixtures("seldom")
def test_a_collection_takes_garbage_while_nobody_waits() -> None:
    knot, kept = litter()
    Collecting().collect()
    assert knot() is None
    assert gc.get_count()[0] < len(kept)


@pytest.mark.usefixtures("seldom")
def test_behind_a_key_it_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    knot, kept = litter()
    now = Collecting()
    now.key_pressed()
    now.collect()
    assert knot() is not None
    monkeypatch.setattr(collecting, "QUIET", 0.0)
    now.collect()
    assert knot() is None
    del kept


@pytest.mark.usefixtures("seldom")
def test_few_new_objects_are_not_worth_it() -> None:
    knot = weakref.ref(Knot())
    Collecting().collect()
    assert knot() is not None


@pytest.mark.usefixtures("seldom")
def test_now_and_then_what_is_old_is_looked_at_too(monkeypatch: pytest.MonkeyPatch) -> None:
    now, old = Collecting(), Knot()
    knot = weakref.ref(old)
    gc.collect()  # from here on it is old
    del old
    monkeypatch.setattr(collecting, "FEW", 1)
    for _ in range(2):
        kept = litter()
        now.collect()
        del kept
    assert knot() is None
