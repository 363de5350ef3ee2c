"""A snapshot after an edit of a stretch of the main line: what is known of the rest is kept.

What the stretch was is derived once more too, from the stretch alone. Where that does not give what
is known, the stretch does not stand by itself, and all is derived anew.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence, Set

import msgspec

from tapeview.rules._engine import Finding, check
from tapeview.rules._registry import all_rules
from tapeview.snapshot import Snapshot
from tapeview.tape.block import Block
from tapeview.tape.index import Index
from tapeview.tape.lanes import Gutter, gutters_of, moved_gutter
from tapeview.tape.moved import moving_numbers
from tapeview.tape.oddity import oddities
from tapeview.tape.record import Record
from tapeview.tape.rows import Row, moved_row, rows_within
from tapeview.tape.session import Session
from tapeview.tape.spliced import Numbered, Shift, Step, as_spliced
from tapeview.tape.window import Window, index_within, windowed_index

__all__ = ["windowed_snapshot"]


def windowed_snapshot(
    old: Snapshot, session: Session, window: Window, revision: int
) -> Snapshot | None:
    """The main tape after an edit; None where it has to be derived anew."""
    known = old.__dict__
    asked = {"index", "own_findings", "rows", "row_of", "turn_row_of", "sent_index"}
    if old.tape.kind != "main" or len(old.lines) > 1 or not asked.issubset(known):
        return None
    made = Snapshot(session, session.main, old.purpose, revision, old.codes)
    return made if _Change(old, made, window).is_done() else None


class _Change:
    """One tape on its way through an edit."""

    def __init__(self, old: Snapshot, made: Snapshot, window: Window) -> None:
        self.old = old
        self.made = made
        self.window = window

    def is_done(self) -> bool:
        """Derive what the edit changes, keep the rest; whether that can be."""
        old, made, stretch = self.old, self.made, self.window.stored
        index = windowed_index(old.index, made.tape.messages, stretch, made.stored)
        if index is None or "links" not in index.__dict__:
            return False
        fresh = made.__dict__
        fresh["index"] = fresh["sent_index"] = index
        if made.tape.sent is not made.tape.messages:
            sent = windowed_index(old.sent_index, made.tape.sent, self.window.sent)
            if sent is None or "links" not in sent.__dict__:
                return False
            fresh["sent_index"] = sent
        return self._take_findings() and self._take_rows()

    def _take_findings(self) -> bool:
        old, made = self.old, self.made
        (start, stop, end), (first, last, final) = self.window
        by, sent_by = end - stop, final - last
        turns = len(made.index.turns) - len(old.index.turns)
        if not self._is_sound_file(*self._lines()):
            return False
        kept: list[Finding] = []
        for finding in old.own_findings:
            message = finding.place.message
            if start <= message < stop:
                continue
            behind = message >= stop
            if behind and (by or turns) and finding.points_on:
                return False
            place = (by, sent_by) if behind else (0, 0)
            kept.append(finding.shifted(made.index, made.sent_index, *place))
        here = index_within(made.index, start, end)
        sent = None
        if made.sent_index is not made.index:
            sent = index_within(made.sent_index, first, final)
        rules = [rule for rule in all_rules() if old.codes is None or rule.code in old.codes]
        for finding in check(rules, here, sent, made.purpose):
            kept.append(finding.shifted(made.index, made.sent_index))
        kept.sort(key=Finding.order)
        made.__dict__["own_findings"] = tuple(kept)
        before, after = old.index.stored, made.index.stored
        if before is not None and after is not None:
            after.take_oddities(before)
        if "sent_sizes" in old.__dict__:
            sizes = [made.sent_size(m) for m in made.tape.messages[start:end]]
            known = old.sent_sizes
            made.__dict__["sent_sizes"] = [*known[:start], *sizes, *known[stop:]]
        return True

    def _lines(self) -> tuple[Set[Record], Set[Record]]:
        """The lines of the messages, and the notes that change with them: before, and after."""
        (start, stop, end), old, made = self.window.stored, self.old, self.made
        was, now = _rows_between(old, start, stop), _rows_between(made, start, end)
        lines = {r for message in old.tape.messages[start:stop] for r in message.records}
        fresh = {r for message in made.tape.messages[start:end] for r in message.records}
        return lines | (was - now), fresh | (now - was)

    def _is_sound_file(self, was: Set[Record], now: Set[Record]) -> bool:
        """Whether no fault of the file itself comes or goes with the lines."""
        if any(record.shares_line for record in was | now):
            return False
        if any(oddities(record.text or b"") for record in now - was):
            return False
        faulty = [finding.fault.record for finding in self.old.own_findings]
        if not was.isdisjoint(record for record in faulty if record is not None):
            return False
        # What the last line of a file is decides whether one that cannot be read is torn off.
        at_end = self.window.stored.stop == len(self.old.tape.messages)
        return not (at_end and any(r is not None and r.kind == "unreadable" for r in faulty))

    def _take_rows(self) -> bool:
        """Rows and gutters."""
        old, made = self.old, self.made
        start, stop, end = self.window.stored
        turns = [bisect_left(old.index.turn_starts, at) for at in (start, stop)]
        first, last = (
            self._row_before(turn, at) for turn, at in zip(turns, (start, stop), strict=True)
        )
        if not 0 <= first <= last:
            return False
        was = _rows_in(old, old, old.index, start, stop)
        now = _rows_in(made, old, made.index, start, end)
        if not _same(was, old.rows[first:last]):
            return False
        more = len(made.index.turns) - len(old.index.turns)
        links = len(made.index.links) - len(old.index.links)
        shift = Shift(end - stop, 0, more, links)
        rows = as_spliced(old.rows, moved_row).spliced(first, last, now, shift)
        by = len(now) - (last - first)
        made.__dict__["rows"] = rows
        step = Step(first, last, by)
        made.__dict__["row_of"] = moving_numbers(old.row_of).stepped(step, _row_of(now, first))
        made.__dict__["turn_row_of"] = self._turn_rows(now, first, turns, by)
        made.moved = (old.layout, first, last, by)
        return all(self._take_gutters(most, was, now, first, shift) for most in old.known_gutters)

    def _row_before(self, turn: int, message: int) -> int:
        """The first row of a message with which a turn begins, or of the tape; or its end."""
        old = self.old
        if message == 0:
            return sum(row.kind in ("system", "tools") for row in old.rows[:2])
        if message == len(old.tape.messages):
            return len(old.rows)
        at = old.turn_row_of.get(old.own_turn_numbers[turn], -1)
        return at if at >= 0 and old.rows[at].message == message else -1

    def _turn_rows(
        self, now: Sequence[Row], first: int, turns: Sequence[int], by: int
    ) -> Numbered[int]:
        rows = self.old.turn_row_of
        known = rows.items_in_order if isinstance(rows, Numbered) else list(rows.values())
        fresh = [first + k for k, row in enumerate(now) if row.kind == "turn"]
        behind = [at + by for at in known[turns[1] :]] if by else known[turns[1] :]
        return Numbered(self.old.tape.first_turn, [*known[: turns[0]], *fresh, *behind])

    def _take_gutters(
        self, most: int, was: Sequence[Row], now: Sequence[Row], first: int, shift: Shift
    ) -> bool:
        old, made = self.old, self.made
        known, width = old.known_gutters[most]
        start, stop, end = self.window.stored
        before, before_width = _gutters_in(old.index, was, most, start, stop)
        after, after_width = _gutters_in(made.index, now, most, start, end)
        last = first + len(was)
        free = Shift(lanes=width - before_width)
        same = [moved_gutter(gutter, free) for gutter in before] == list(known[first:last])
        if not same or any(_passes(known[at]) for at in (first, last) if at < len(known)):
            return False
        gutters = as_spliced(known, moved_gutter).spliced(first, last, [], shift)
        now_width = max(after_width, width)
        if after_width < before_width == width:
            lanes = (gutter.lane for gutter in gutters.unmoved())
            now_width = max(after_width, 1 + max(lanes, default=-1))
        if now_width != width:
            gutters = gutters.spliced(0, 0, [], Shift(lanes=now_width - width))
        free = Shift(lanes=now_width - after_width)
        after = [moved_gutter(gutter, free) for gutter in after]
        made.known_gutters[most] = gutters.spliced(first, first, after), now_width
        return True


def _rows_between(shown: Snapshot, start: int, end: int) -> Set[Record]:
    """The records of the file from some messages on to those behind them."""
    session, messages = shown.session, shown.tape.messages
    held = (record for message in messages[start:end] for record in message.records)
    first = min(map(session.position_of, held)) if start else 0
    last = len(session.records)
    if end < len(messages):
        last = session.position_of(messages[end].records[0])
    return set(session.records[first:last])


def _rows_in(shown: Snapshot, old: Snapshot, index: Index, start: int, end: int) -> list[Row]:
    on_chain = _OnChain(old)
    return rows_within(shown.session, shown.tape, index, range(start, end), on_chain)


class _OnChain:
    """The records of the messages of a tape."""

    def __init__(self, shown: Snapshot) -> None:
        self._shown = shown

    def __contains__(self, record: object) -> bool:
        at = self._shown.row_of.get(record, -1) if isinstance(record, Record) else -1
        return at >= 0 and self._shown.rows[at].message >= 0


def _same(ours: Sequence[Row], theirs: Sequence[Row]) -> bool:
    return list(map(msgspec.structs.astuple, ours)) == list(map(msgspec.structs.astuple, theirs))


def _row_of(rows: Iterable[Row], first: int) -> dict[Block | Record, int]:
    """The row of each block, and the first of each record."""
    found: dict[Block | Record, int] = {}
    for at, row in enumerate(rows, first):
        if row.kind in ("turn", "notes"):
            continue
        if row.block is not None:
            found[row.block] = at
        if row.record is not None:
            found.setdefault(row.record, at)
    return found


def _gutters_in(
    index: Index, rows: Sequence[Row], most: int, start: int, end: int
) -> tuple[Sequence[Gutter], int]:
    """The gutters of some rows by themselves, and how wide they are."""
    first, last = (
        bisect_left(index.links, at, key=lambda link: link.reach[0]) for at in (start, end)
    )
    drawn, width = gutters_of(rows, index.links[first:last], most)
    return [moved_gutter(gutter, Shift(links=first)) for gutter in drawn], width


def _passes(gutter: Gutter) -> bool:
    return any(number != -1 for number in gutter.passing)
