"""Sequences and mappings of which an edit replaces a stretch.

What stands before the stretch is kept, what stands behind it too: that is moved, numbers and all,
when somebody looks at it. So an edit costs what it replaces, not what the session holds.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from operator import add
from sys import maxsize
from typing import Final, NamedTuple, TypeVar, overload

__all__ = [
    "STILL",
    "Known",
    "Moving",
    "Numbered",
    "Shift",
    "Spliced",
    "Step",
    "Tally",
    "as_spliced",
]

K = TypeVar("K")
V = TypeVar("V")

MOST_PIECES: Final = 128
"""From so many pieces or steps on all is put together anew: looking would take too long."""
MOST_NAMES: Final = 4096
"""From so many changed names on they are copied into the whole."""


class Shift(NamedTuple):
    """By how much the numbers inside a value move."""

    messages: int = 0
    sides: int = 0
    turns: int = 0
    links: int = 0
    lanes: int = 0

    def plus(self, other: "Shift") -> "Shift":
        """One after the other."""
        return Shift(*map(add, self, other))


STILL: Final = Shift()

_Piece = tuple[Sequence[V], int, int, Shift]
"""A run of values, moved: of which sequence, from where to where, by how much."""


class Spliced(Sequence[V]):
    """A sequence in pieces; each value is moved once it is looked at, and is then the same."""

    def __init__(self, pieces: list[_Piece[V]], move: Callable[[V, Shift], V]) -> None:
        self._pieces = pieces
        self._move = move
        self._ends = list(accumulate([stop - start for _, start, stop, _ in pieces]))
        self._size = self._ends[-1] if pieces else 0
        self._known: dict[int, V] = {}

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, at: int) -> V: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[V, ...]: ...
    def __getitem__(self, at: int | slice) -> V | tuple[V, ...]:
        if isinstance(at, slice):
            return tuple([self[k] for k in range(*at.indices(self._size))])
        if at < 0:
            at += self._size
        if not 0 <= at < self._size:
            raise IndexError(at)
        number = bisect_right(self._ends, at)
        base, _, stop, shift = self._pieces[number]
        value = base[stop - (self._ends[number] - at)]
        if shift is STILL:
            return value
        moved = self._known.get(at)
        if moved is None:
            moved = self._known[at] = self._move(value, shift)
        return moved

    def __iter__(self) -> Iterator[V]:
        return map(self.__getitem__, range(self._size))

    def unmoved(self) -> Iterator[V]:
        """The values with the numbers that they were made with."""
        for base, start, stop, _ in self._pieces:
            yield from islice(base, start, stop)

    def spliced(
        self, start: int, stop: int, values: Sequence[V], shift: Shift = STILL
    ) -> "Spliced[V]":
        """The same with ``values`` in place of those from ``start`` to ``stop``.

        What stands behind them is moved by ``shift``.
        """
        if len(self._pieces) > 2 * MOST_PIECES:
            return as_spliced(tuple(self), self._move).spliced(start, stop, values, shift)
        pieces = self._before(start)
        if values:
            pieces.append((values, 0, len(values), STILL))
        behind = self._behind(stop)
        if shift != STILL:
            behind = [(base, a, b, _sum(was, shift)) for base, a, b, was in behind]
        return Spliced(pieces + behind, self._move)

    def _before(self, at: int) -> list[_Piece[V]]:
        number = bisect_right(self._ends, at)
        pieces = self._pieces[:number]
        if number < len(self._pieces):
            base, start, stop, shift = self._pieces[number]
            cut = stop - (self._ends[number] - at)
            pieces += [(base, start, cut, shift)] if start < cut else []
        return pieces

    def _behind(self, at: int) -> list[_Piece[V]]:
        number = bisect_right(self._ends, at)
        if number == len(self._pieces):
            return []
        base, _, stop, shift = self._pieces[number]
        cut = stop - (self._ends[number] - at)
        return [(base, cut, stop, shift), *self._pieces[number + 1 :]]


def _sum(a: Shift, b: Shift) -> Shift:
    """Both, and ``STILL`` itself where they come to nothing."""
    both = b if a is STILL else a.plus(b)
    return STILL if both == STILL else both


def as_spliced(values: Sequence[V], move: Callable[[V, Shift], V]) -> Spliced[V]:
    """A sequence of which stretches can be replaced."""
    if isinstance(values, Spliced):
        return values
    return Spliced([(values, 0, len(values), STILL)] if values else [], move)


class Tally(Mapping[str, int]):
    """How often names are used. A change costs what it names; a name that is used no more is 0."""

    def __init__(self, base: Mapping[str, int], over: Mapping[str, int] | None = None) -> None:
        self._base = base
        self._over = over or {}

    def __getitem__(self, name: str) -> int:
        found = self._over.get(name)
        return self._base[name] if found is None else found

    def __iter__(self) -> Iterator[str]:
        return iter(self._base.keys() | self._over.keys())

    def __len__(self) -> int:
        return len(self._base.keys() | self._over.keys())

    def count(self, name: str) -> int:
        """How often a name is used."""
        found = self._over.get(name)
        return self._base.get(name, 0) if found is None else found

    def changed(self, gone: Mapping[str, int], come: Mapping[str, int]) -> "Tally":
        """The same without some, and with others."""
        base, over = self._base, dict(self._over)
        if len(over) > MOST_NAMES:
            base, over = {**base, **over}, {}
        for name in {*gone, *come}:
            over[name] = self.count(name) - gone.get(name, 0) + come.get(name, 0)
        return Tally(base, over)


class Step(NamedTuple):
    """Numbers from ``start`` to ``stop`` are gone; those from ``stop`` on move by ``by``."""

    start: int
    stop: int
    by: int


class Moving(Mapping[K, V]):
    """A mapping to values with a number, which edits move.

    ``number`` is the number of a value, ``put`` the value with another number.
    """

    def __init__(
        self,
        base: Mapping[K, V],
        number: Callable[[V], int],
        put: Callable[[V, int], V],
        fresh: Mapping[K, tuple[int, V] | None] | None = None,
        steps: tuple[Step, ...] = (),
    ) -> None:
        self._base = base
        self._number = number
        self._put = put
        self._fresh = fresh or {}
        """What was put in, behind how many steps; None for what was taken out."""
        self._steps = steps

    def __getitem__(self, key: K) -> V:
        entry = self._fresh[key] if key in self._fresh else (0, self._base[key])
        if entry is None:
            raise KeyError(key)
        done, value = entry
        at = was = self._number(value)
        for start, stop, by in self._steps[done:] if done else self._steps:
            if at >= start:
                if at < stop:
                    raise KeyError(key)
                at += by
        return value if at == was else self._put(value, at)

    def __iter__(self) -> Iterator[K]:
        for key in (*self._base, *(key for key in self._fresh if key not in self._base)):
            if key in self:
                yield key

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def stepped(self, step: Step, fresh: Mapping[K, V]) -> "Moving[K, V]":
        """The same after a step, and what is put in then."""
        if len(self._steps) >= MOST_PIECES:
            return Moving(self._whole(), self._number, self._put).stepped(step, fresh)
        steps = (*self._steps, step)
        over = {key: (len(steps), value) for key, value in fresh.items()}
        return Moving(self._base, self._number, self._put, {**self._fresh, **over}, steps)

    def _whole(self) -> dict[K, V]:
        """All that is there, moved."""
        runs = _runs_left(self._steps)
        begins = [start for start, _, _ in runs]
        whole: dict[K, V] = {}
        for key, value in self._base.items():
            if key in self._fresh:
                continue
            at = self._number(value)
            run = bisect_right(begins, at) - 1
            if run >= 0 and at < runs[run][1]:
                by = runs[run][2]
                whole[key] = self._put(value, at + by) if by else value
        whole.update({key: self[key] for key in self._fresh if key in self})
        return whole

    def rekeyed(self, pairs: Mapping[K, K], keep: bool = False) -> "Moving[K, V]":
        """The same under the keys that some became; ``keep``: under the old ones too."""
        done = len(self._steps)
        over: dict[K, tuple[int, V] | None] = {}
        for old, new in pairs.items():
            if old in self:
                over[new] = (done, self[old])
                if not keep:
                    over[old] = None
        return Moving(self._base, self._number, self._put, {**self._fresh, **over}, self._steps)


def _runs_left(steps: Iterable[Step]) -> list[tuple[int, int, int]]:
    """The numbers that are left behind all steps: runs of those of the beginning, and by how much
    each run has moved.
    """  # noqa: D205
    runs = [(-maxsize, maxsize, 0)]
    for start, stop, by in steps:
        left = [(a, min(b, start - moved), moved) for a, b, moved in runs]
        right = [(max(a, stop - moved), b, moved + by) for a, b, moved in runs]
        runs = sorted(run for run in (*left, *right) if run[0] < run[1])
    return runs


class Numbered(Mapping[int, V]):
    """A list as a mapping from numbers that begin at ``first``."""

    def __init__(self, first: int, items: Sequence[V]) -> None:
        self.first = first
        self.items_in_order = items

    def __getitem__(self, number: int) -> V:
        at = number - self.first
        if not 0 <= at < len(self.items_in_order):
            raise KeyError(number)
        return self.items_in_order[at]

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.first, self.first + len(self.items_in_order)))

    def __len__(self) -> int:
        return len(self.items_in_order)


class Known(Mapping[int, V]):
    """Values by number, each worked out when it is asked for first."""

    def __init__(self, numbers: Collection[int], value_of: Callable[[int], V]) -> None:
        self._numbers = numbers
        self._value_of = value_of
        self._known: dict[int, V] = {}

    def __getitem__(self, number: int) -> V:
        if number not in self._known:
            if number not in self._numbers:
                raise KeyError(number)
            self._known[number] = self._value_of(number)
        return self._known[number]

    def __iter__(self) -> Iterator[int]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)
