"""Which recorded call a request comes to, where its messages are not those of any.

Real harnesses change what they send: reminders, messages of role system in the middle, trimmed
texts, inputs written anew. What they keep is what the model said. So a call is known by the last
recorded reply in it, and which of several calls behind that reply it is, by what the user's side
added since.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tapeview.calls.recorded import RecordedCall, side_hash, sides_in
from tapeview.tape.block import CLIENT_CALL
from tapeview.wire.align import Cell, CellReader
from tapeview.wire.unroll import object_json

__all__ = ["NextCall"]


class _Behind(NamedTuple):
    """What stands behind a reply: a call, or the end of a tape."""

    call: RecordedCall | None
    depth: int
    news: frozenset[bytes]


class NextCall:
    """Finds the recorded call that a request comes to."""

    def __init__(self, calls: Sequence[RecordedCall]) -> None:
        self._calls = calls
        self._number = {call: number for number, call in enumerate(calls)}
        self._behind: dict[bytes | str, list[_Behind]] = defaultdict(list)
        """By the words of a reply, and by the ids of its calls."""
        for call in calls:
            self._add([call.after, *call.after_ids], _at(call))
        reader = CellReader()
        for last in {call.tape: call for call in calls}.values():
            members = {"role": b'"assistant"', "content": last.reply["content"]}
            end = _Behind(None, last.depth + 1, frozenset())
            for side, _ in sides_in([reader.read(object_json(members))]):
                self._add(_marks(side), end)

    def _add(self, marks: Sequence[bytes | str], behind: _Behind) -> None:
        for mark in marks:
            self._behind[mark].append(behind)

    def starts_a_tape(self, got: Sequence[Sequence[Cell]]) -> bool:
        """Whether a request holds all that the first call of some tape was sent."""
        cells = {cell.digest for message in got for cell in message}
        return any(one.news <= cells for one in self._behind.get(b"", ()) if one.news)

    def of(
        self, got: Sequence[Sequence[Cell]], given: Mapping[RecordedCall, int]
    ) -> RecordedCall | None:
        """The call behind the last reply that is on the tape; None where the tape ends with it.

        Where no reply is on the tape, the call with as many assistant sides. ``given`` tells how
        often each call was answered.
        """
        sides = list(sides_in(reversed(got)))
        added: set[bytes] = set()
        for later, (side, behind) in enumerate(sides):
            added |= {cell.digest for cell in behind}
            known = next((self._behind[m] for m in _marks(side) if m in self._behind), None)
            if known is not None:
                found = self._best(known, added, len(sides), given)
                return self._unanswered(found, given) if later else found
        if not sides:
            added = {cell.digest for message in got for cell in message}
        as_deep = [_at(call) for call in self._calls if call.depth == len(sides)]
        return self._best(as_deep, added, len(sides), given)

    def _best(
        self,
        behind: Sequence[_Behind],
        added: set[bytes],
        depth: int,
        given: Mapping[RecordedCall, int],
    ) -> RecordedCall | None:
        def fit(one: _Behind) -> tuple[int, ...]:
            has_all = bool(one.news) and one.news <= added
            times, number = 0, 0
            if one.call is not None:
                times, number = given.get(one.call, 0), self._number[one.call]
            near = -abs(one.depth - depth)
            return (has_all, len(one.news & added), near, -times if has_all else 0, -number)

        best = max(behind, key=fit, default=None)
        return best.call if best is not None else None

    def _unanswered(
        self, call: RecordedCall | None, given: Mapping[RecordedCall, int]
    ) -> RecordedCall | None:
        """The first call from this one on that was not answered yet, on its tape.

        The harness made up a reply, or changed one beyond knowing: then its call was answered.
        """
        if call is None:
            return None
        rest = self._calls[self._number[call] :]
        return next((c for c in rest if c.tape == call.tape and not given.get(c, 0)), None)


def _at(call: RecordedCall) -> _Behind:
    return _Behind(call, call.depth, call.news)


def _marks(side: Sequence[Cell]) -> list[bytes | str]:
    """What tells an assistant side from others: its words, then the ids of its calls."""
    said = side_hash(side)
    ids = [cell.id for cell in side if cell.kind == CLIENT_CALL and cell.id]
    return [said, *ids] if said else [*ids]
