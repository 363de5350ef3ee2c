"""Changes of a recording: made on one tape, and saved as one more array behind all others."""

from collections.abc import Sequence

from tapeview.edit.draft import Draft
from tapeview.edit.speller import Gap
from tapeview.errors import EditError
from tapeview.formats._array_speller import ArraySpeller
from tapeview.formats._recording_line import EndFacts, MadeFacts, made_text, message_in
from tapeview.shapes.anthropic import AnthropicShape
from tapeview.tape.block import JsonPath
from tapeview.tape.graft import COMPACT, Style, spelled, with_member
from tapeview.tape.json_text import array_spans
from tapeview.tape.record import Record
from tapeview.tape.session import Session
from tapeview.tape.tape import Tape

__all__ = ["RecordingSpeller"]


class RecordingSpeller(ArraySpeller):
    """A message is a record; one that is put in stands in no line yet and names its tape."""

    def __init__(self, tape: Tape) -> None:
        super().__init__(AnthropicShape(), False)
        self._tape = tape

    def inside(self, record: Record) -> JsonPath:
        """The message, beside which a reply's line says more."""
        return ("message",) if isinstance(record.facts, EndFacts | MadeFacts) else ()

    def insert_copy(self, draft: Draft, gap: Gap, records: Sequence[Record], moved: bool) -> None:
        """Put in the message once more, as it stands."""
        del moved
        self._put(draft, gap, [message_in(r, draft.text_of(r)) for r in records])

    def set_role(self, draft: Draft, records: Sequence[Record], role: str) -> None:
        """Let somebody else have said the message."""
        for record in records:
            text = with_member(draft.text_of(record), self.inside(record), "role", spelled(role))
            draft.change(record, text)

    def _put(self, draft: Draft, gap: Gap, texts: Sequence[bytes]) -> None:
        made = [made_text(self._tape.id, text) for text in texts]
        own = self._tape.own
        before = [r for r in gap.before if own is None or r in own]
        after = [r for r in gap.after if own is None or r in own]
        if before or not after:
            draft.insert(made, next(reversed(before or gap.before), None), None)
        else:
            draft.insert(made, None, after[0])

    def _style(self, session: Session) -> Style:
        del session
        return COMPACT

    def settle(self, draft: Draft) -> None:
        """What a tape shares with main is main's: other tapes leave it as it was sent."""
        if any(block.isdigit() for block in _elements(draft.frame.system)):
            raise EditError("system is a text or a list of text blocks.")
        own = self._tape.own
        if own is None:
            return
        if draft.frame != draft.session.frame:
            raise EditError(
                f"{self._tape.id} carries the system and tools of main; edit them there."
            )
        touched = (record for splice in draft.edit("").splices for record in splice.old)
        if not all(record in own for record in touched):
            raise EditError(
                f"{self._tape.id} shares this with another tape; edit it there, or what follows it."
            )


def _elements(raw: bytes) -> list[bytes]:
    return [raw[a:b] for a, b in array_spans(raw, 0)[0]] if raw[:1] == b"[" else []
