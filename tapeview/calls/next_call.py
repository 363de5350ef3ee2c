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


class _Reply(NamedTuple):
    """What of an assistant side tells it from others."""

    said: bytes
    ids: frozenset[str]


def _reply(side: Sequence[Cell]) -> _Reply:
    ids = frozenset(cell.id for cell in side if cell.kind == CLIENT_CALL and cell.id)
    return _Reply(side_hash(side), ids)


class NextCall:
    """Finds the recorded call that a request comes to."""

    def __init__(self, calls: Sequence[RecordedCall]) -> None:
        self._calls = calls
        self._number = {call: number for number, call in enumerate(calls)}
        self._behind: dict[bytes | str, list[RecordedCall]] = defaultdict(list)
        """Calls by the reply that they were sent last, and by the ids of its calls."""
        reader = CellReader()
        for call in calls:
            marks: list[bytes | str] = [call.after, *call.after_ids]
            for mark in marks:
                self._behind[mark].append(call)
            members = {"role": b'"assistant"', "content": call.reply["content"]}
            said, ids = _reply([c for c in reader.read(object_json(members)) if not c.is_apart])
            marks = [said, *ids]
            for mark in marks:
                self._behind.setdefault(mark, [])

    def starts_a_tape(self, got: Sequence[Sequence[Cell]]) -> bool:
        """Whether a request holds all that the first call of some tape was sent."""
        cells = {cell.digest for message in got for cell in message}
        return any(call.news <= cells for call in self._behind.get(b"", ()) if call.news)

    def of(
        self, got: Sequence[Sequence[Cell]], given: Mapping[RecordedCall, int]
    ) -> RecordedCall | None:
        """The call behind the last reply that is on the tape; None where the tape ends with it.

        Where no reply is on the tape, the call with as many assistant sides. ``given`` tells how
        often each call was answered.
        """
        sides = list(sides_in(got))
        added: set[bytes] = set()
        for later, (side, behind) in enumerate(sides):
            added |= {cell.digest for cell in behind}
            calls = self._known(side)
            if calls is not None:
                found = self._best(calls, added, len(sides), given)
                return self._unanswered(found, given) if later else found
        if not sides:
            added = {cell.digest for message in got for cell in message}
        calls = [call for call in self._calls if call.depth == len(sides)]
        return self._best(calls, added, len(sides), given)

    def _known(self, side: Sequence[Cell]) -> Sequence[RecordedCall] | None:
        """The calls behind a reply; None for one that is not on the tape."""
        said, ids = _reply(side)
        if said in self._behind:
            return self._behind[said]
        marks = [identity for identity in sorted(ids) if identity in self._behind]
        return self._behind[marks[0]] if marks else None

    def _best(
        self,
        calls: Sequence[RecordedCall],
        added: set[bytes],
        depth: int,
        given: Mapping[RecordedCall, int],
    ) -> RecordedCall | None:
        def fit(call: RecordedCall) -> tuple[int, ...]:
            has_all = bool(call.news) and call.news <= added
            return (
                has_all,
                len(call.news & added),
                -abs(call.depth - depth),
                -given.get(call, 0) if has_all else 0,
                -self._number[call],
            )

        return max(calls, key=fit, default=None)

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
