"""Changes of files in which a message is a record: bodies, bare arrays, messages a line."""

from collections.abc import Sequence
from itertools import chain
from typing import Final

from tapeview.edit.draft import Draft
from tapeview.edit.speller import Gap, Reply
from tapeview.errors import EditError
from tapeview.shapes.fields import fields_of
from tapeview.tape.block import JsonPath
from tapeview.tape.graft import COMPACT, Style, respelled, spelled, style_of, with_member
from tapeview.tape.record import Record
from tapeview.tape.session import Session
from tapeview.tape.shape import Shape

__all__ = ["ArraySpeller"]


BESIDE: Final = ("id", "type", "model", "stop_reason", "stop_sequence", "usage")
"""What a reply has beside its blocks. A request has no place for it, a log of replies may."""


class ArraySpeller:
    """A message is put in as the shape spells it, in the style of its neighbour."""

    def __init__(self, shape: Shape, is_document: bool) -> None:
        self._shape = shape
        self._is_document = is_document

    def inside(self, record: Record) -> JsonPath:
        """The record is the message."""
        del record
        return ()

    def insert(self, draft: Draft, gap: Gap, role: str, blocks: Sequence[bytes]) -> None:
        """Put a new message in."""
        style = self._style(draft.session)
        self._put(draft, gap, self._shape.spell(role, blocks, style))

    def insert_reply(self, draft: Draft, gap: Gap, reply: Reply, instead: Sequence[Record]) -> None:
        """Put a reply in, with those of its members that replies of this file have."""
        session = draft.session
        blocks = self._shape.kept(reply.blocks)
        (text,) = self._shape.spell("assistant", blocks, self._style(session))
        others = (r for r in reversed(session.records) if r.spelled_role == "assistant")
        like = next(chain(instead, others), None)
        known = fields_of(session.bytes_of(like)) if like is not None else {}
        style = style_of(text).deeper()
        for name in BESIDE if self._shape.dialect == "anthropic" else ():
            if name in known and name in reply.fields:
                text = with_member(text, (), name, respelled(reply.fields[name], style))
        self._put(draft, gap, [text])

    def branch(self, draft: Draft, gap: Gap, reply: Reply) -> None:
        """The file is one line of messages."""
        raise EditError(
            "this file holds one line of messages and no branch beside it; replace the reply, "
            "append it, or keep the branch as a request in a file of its own."
        )

    def insert_copy(self, draft: Draft, gap: Gap, records: Sequence[Record], moved: bool) -> None:
        """Put in the message once more, as it stands."""
        del moved
        self._put(draft, gap, [draft.text_of(record) for record in records])

    def insert_block(
        self, draft: Draft, gap: Gap, like: Record, block: bytes, moved: Record | None
    ) -> bool:
        """The blocks of a message share a record."""
        del draft, gap, like, block, moved
        return False

    def _put(self, draft: Draft, gap: Gap, texts: Sequence[bytes]) -> None:
        before = gap.before[-1] if gap.before else None
        draft.insert(texts, before, gap.after[0] if gap.after else None)

    def _style(self, session: Session) -> Style:
        """How the file's messages are spelled; a line of a file of lines is one line."""
        for record in session.records:
            if record.kind == "message":
                style = style_of(session.bytes_of(record))
                return style if self._is_document else style._replace(indent="")
        return COMPACT

    def set_role(self, draft: Draft, records: Sequence[Record], role: str) -> None:
        """Let somebody else have said the message."""
        for record in records:
            text = with_member(draft.text_of(record), (), "role", spelled(role))
            draft.change(record, text)

    def split(self, draft: Draft, records: Sequence[Record], after: Sequence[Record]) -> None:
        """A message is one record, which is never split between records."""
        raise EditError("this message cannot be split here.")

    def merge(self, draft: Draft, first: Sequence[Record], second: Sequence[Record]) -> bool:
        """Blocks of two records are put together."""
        del draft, first, second
        return False

    def follow(self, text: bytes, result: bytes) -> bytes:
        """Nothing else speaks of the result."""
        del result
        return text

    def settle(self, draft: Draft) -> None:
        """Records do not know each other."""
        del draft
