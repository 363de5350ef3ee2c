"""Which lines of a tape an edit may hang anew before it goes further: those of its own messages."""

from collections.abc import Mapping, Sequence, Set
from itertools import islice

from tapeview.edit.speller import Gap
from tapeview.formats._claude_group import group
from tapeview.formats._claude_line import facts_of
from tapeview.tape.message import Message
from tapeview.tape.record import Record

__all__ = ["places_near"]


def places_near(
    lines: Sequence[Record], expected: Sequence[str], put: Mapping[str, Gap], touched: Set[Record]
) -> Set[int]:
    """Places among the ``expected`` uuids: from behind the message before one that changes to the
    reply behind it. What hangs below that reply can stay as it is.

    ``lines`` are those of the tape as it was, ``put`` those that are put in and between which,
    ``touched`` those that go or have another text.
    """  # noqa: D205
    return _Near(lines, expected, put, touched).places()


class _Near:
    def __init__(
        self,
        lines: Sequence[Record],
        expected: Sequence[str],
        put: Mapping[str, Gap],
        touched: Set[Record],
    ) -> None:
        self.messages = group(lines)
        self.at = {uuid: k for k, uuid in enumerate(expected)}
        self.put = put
        self.touched = touched

    def places(self) -> Set[int]:
        near: set[int] = set()
        for uuid, gap in self.put.items():
            beside = (facts_of(record).uuid for side in gap for record in side)
            found = [self.at[name] for name in (*beside, uuid) if name in self.at]
            near.update(range(min(found) + 1, max(found) + 2))
        within = {gap.before[-1] for gap in self.put.values() if self._parts_one(gap)}
        changed = self.touched | within
        for k, message in enumerate(self.messages):
            if not changed.isdisjoint(message.records):
                near.update(range(self._start(k), self._stop(k)))
        return {k for k in near if k < len(self.at)}

    def _parts_one(self, gap: Gap) -> bool:
        """Whether the lines above and below a gap are of one message."""
        if not gap.before or not gap.after:
            return False
        ends = gap.before[-1], gap.after[0]
        return any(ends[0] in m.records and ends[1] in m.records for m in self.messages)

    def _start(self, k: int) -> int:
        """Behind the message before. Between the lines of a reply there may be results, so that
        it is lined up as a whole.
        """  # noqa: D205
        before = self.messages[k - 1] if k else None
        places = self._places_of(before) if before is not None else []
        if before is None:
            return 0
        if not places:  # it goes as well, and is looked at by itself
            return min(self._places_of(self.messages[k]), default=len(self.at))
        return 1 + (min(places) if before.role == "assistant" else max(places))

    def _stop(self, k: int) -> int:
        replies = (m for m in islice(self.messages, k + 1, None) if m.role == "assistant")
        behind = next((m for m in replies if self.touched.isdisjoint(m.records)), None)
        places = self._places_of(behind) if behind is not None else []
        return 1 + min(places, default=len(self.at))

    def _places_of(self, message: Message) -> list[int]:
        uuids = (facts_of(record).uuid for record in message.records)
        return [self.at[uuid] for uuid in uuids if uuid in self.at]
