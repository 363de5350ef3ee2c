"""Looking for text in all rows of a snapshot, folded ones too, a little at a time.

``parse`` reads what was typed, ``search`` finds rows, ``Found`` keeps them in order, and ``spans``
says where in a text to paint the marks. JSON is decoded only where its bytes may hold what is
looked for; a regular expression looks at everything.
"""

import sys
from array import array
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Final

from tapeview.looks.block_record import FAULTS
from tapeview.search.query import Filter, Query, TooSlow, line_spans, parse, spans
from tapeview.search.text import SEARCHED, RowReader, tool_name
from tapeview.snapshot import Snapshot
from tapeview.tape.describe import describe
from tapeview.tape.rows import Row

__all__ = ["Found", "Query", "Search", "line_spans", "parse", "search", "searched_rows", "spans"]

BREATH: Final = 64
"""Rows without a reading between two breathing points."""
MOST_SLOW: Final = 10
"""Blocks that may be given up before the whole search is."""

Test = Callable[[int, Row], bool]


class Search(Iterator[int | None]):
    """A search that goes on as it is iterated: numbers of rows as they are found.

    None is a breathing point. Rows come from ``start`` on downwards, then from there upwards, so
    that the nearest come first.
    """

    def __init__(self, snapshot: Snapshot, query: Query, start: int) -> None:
        self._snapshot = snapshot
        self._query = query
        self._reader = RowReader(snapshot, query.may_be_in)
        self._seen = 0
        self.slow = 0
        """Blocks that were given up because the regular expression takes too long on them."""
        self._steps = self._run(max(0, min(start, len(snapshot.rows))))

    def __next__(self) -> int | None:
        """The next row, or a breathing point."""
        return next(self._steps)

    @property
    def share(self) -> float:
        """How much has been read, 0 to 1."""
        return self._seen / max(1, len(self._snapshot.rows))

    @property
    def is_abandoned(self) -> bool:
        """Whether it ended early, as too many blocks were given up."""
        return self.slow > MOST_SLOW

    def _run(self, start: int) -> Iterator[int | None]:
        rows, query = self._snapshot.rows, self._query
        if query.is_empty or query.fault:
            return
        tests = _tests(self._snapshot, query.filters)
        for at in chain(range(start, len(rows)), range(start - 1, -1, -1)):
            self._seen += 1
            row = rows[at]
            if row.kind in SEARCHED and all(test(at, row) for test in tests):
                for fits in self._look(row) if query.text else (True,):
                    yield at if fits else None
                if self.is_abandoned:
                    return
            elif self._seen % BREATH == 0:
                yield None

    def _look(self, row: Row) -> Iterator[bool]:
        """False at each breathing point, True at the end if the row fits."""
        query = self._query
        try:
            for text in chain((self._reader.head(row),), self._reader.texts(row)):
                for fits in query.look(text):
                    if fits:
                        yield True
                        return
                    if query.regex:
                        yield False
        except TooSlow:
            self.slow += 1
        except FAULTS:
            pass  # the file was changed: the block pane says so when one looks at the row
        yield False


def search(snapshot: Snapshot, query: Query, start_row: int = 0) -> Search:
    """Rows of the snapshot that fit, as they are found: from ``start_row`` down, then up.

    With filter words alone every row that they let through is found.
    """
    return Search(snapshot, query, start_row)


def searched_rows(snapshot: Snapshot) -> int:
    """How many rows there are to be found."""
    return sum(row.kind in SEARCHED for row in snapshot.rows)


# -- filter words ----------------------------------------------------------------------------------


def _tests(snapshot: Snapshot, filters: tuple[Filter, ...]) -> list[Test]:
    """Tests that all must hold: of several roles or tools one is enough."""
    tests: list[Test] = [_is_test(snapshot, value) for key, value in filters if key == "is"]
    roles = {value for key, value in filters if key == "role"}
    if roles:
        tests.append(lambda at, row: not roles.isdisjoint(_roles(row)))
    tools = [value for key, value in filters if key == "tool"]
    if tools:
        exact = {tool for tool in tools if tool != tool.lower()}
        loose = set(tools) - exact
        tests.append(lambda at, row: _has_tool(snapshot, row, exact, loose))
    return tests


def _is_test(snapshot: Snapshot, value: str) -> Test:
    if value == "problem":
        loud = frozenset(
            snapshot.row_of_finding(finding)
            for finding in snapshot.findings
            if finding.severity not in ("pending", "info")
        )
        return lambda at, row: at in loud
    if value == "error":
        return lambda at, row: _is_error(row)
    return lambda at, row: _is_prompt(snapshot, row)


def _is_error(row: Row) -> bool:
    """A result that is an error, or the harness's note that a call failed."""
    failed = row.record is not None and row.record.is_failure
    return failed or (row.block is not None and row.block.is_error)


def _is_prompt(snapshot: Snapshot, row: Row) -> bool:
    """What a human typed: no results, and none of the harness's reminders."""
    block, record = row.block, row.record
    if block is None or record is None or block.kind != "text" or record.role != "user":
        return False
    try:
        text = describe(snapshot.session, snapshot.of(row).index, row)
    except OSError:
        return False
    return text.sign == "prompt" and not text.word


def _roles(row: Row) -> set[str]:
    if row.kind == "system":
        return {"system"}
    return {row.record.role, row.record.spelled_role} if row.record is not None else set()


def _has_tool(snapshot: Snapshot, row: Row, exact: set[str], loose: set[str]) -> bool:
    name = tool_name(snapshot, row) if row.kind == "block" else ""
    return bool(name) and (name in exact or name.lower() in loose)


# -- what was found --------------------------------------------------------------------------------


class Found:
    """Rows that a search found, in the order of the timeline.

    ``start`` is where the search began: rows are to be added from there on downwards, and those
    above it upwards.
    """

    def __init__(self, start: int = 0) -> None:
        self._start = start
        # Rows above the start with a minus, so that both rise as they are added.
        self._above: array[int] = array("l")
        self._below: array[int] = array("l")

    def add(self, row: int) -> None:
        """One more row."""
        if row >= self._start:
            self._below.append(row)
        else:
            self._above.append(-row)

    def insert(self, row: int) -> None:
        """One more row out of order; nothing for one that was found already."""
        if row not in self:
            below = row >= self._start
            insort(self._below if below else self._above, row if below else -row)

    def __len__(self) -> int:
        return len(self._above) + len(self._below)

    def __iter__(self) -> Iterator[int]:
        return chain((-row for row in reversed(self._above)), self._below)

    def __contains__(self, row: int) -> bool:
        return row >= 0 and self.first(row, row + 1) == row

    def number(self, row: int) -> int:
        """Its place among all that were found, from 1; 0 for a row that was not."""
        if row not in self:
            return 0
        above = len(self._above) - bisect_left(self._above, -row)
        return above + bisect_right(self._below, row)

    def first(self, start: int, stop: int) -> int:
        """The first row from ``start`` on and before ``stop``; -1 if there is none."""
        at = bisect_right(self._above, -start) - 1
        if at >= 0:
            row = -self._above[at]
        else:
            at = bisect_left(self._below, start)
            row = self._below[at] if at < len(self._below) else stop
        return row if row < stop else -1

    def next_to(self, row: int, step: int) -> int:
        """The nearest row below (``step`` 1) or above (-1); -1 if there is none."""
        if step > 0:
            return self.first(row + 1, sys.maxsize)
        at = bisect_left(self._below, row) - 1
        if at >= 0:
            return self._below[at]
        at = bisect_right(self._above, -row)
        return -self._above[at] if at < len(self._above) else -1
