"""Changes of Claude Code session files: lines as the harness writes them, the parent chain whole.

``formats.md`` b.7: what is taken out hands its children on to its own parent; what is put in has a
uuid of its own, the parent of its place, and a time between its neighbours, since resume begins at
the newest leaf.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from hashlib import sha256
from itertools import chain
from uuid import UUID

from tapeview.edit.draft import Draft
from tapeview.edit.speller import Gap, Reply
from tapeview.errors import EditError
from tapeview.formats._claude_alone import hang_alone
from tapeview.formats._claude_hand import SHARED, Trees, hand_on, with_doubles
from tapeview.formats._claude_hang import Line, hang
from tapeview.formats._claude_kept import list_kept
from tapeview.formats._claude_line import facts_of
from tapeview.formats._claude_reply import hang_branch, model_of, object_of, reply_line, reply_lines
from tapeview.formats._claude_time import MOMENT, iso, moment_of, moved, newest
from tapeview.shapes.fields import fields_of, text_of
from tapeview.tape.block import JsonPath
from tapeview.tape.graft import COMPACT, replaced, respelled, spelled, style_of, with_member
from tapeview.tape.json_text import elements
from tapeview.tape.record import Record
from tapeview.tape.tape import Tape

__all__ = ["ClaudeSpeller"]


class ClaudeSpeller:
    """One edit of one session file."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._put: list[Line] = []
        self._moved: set[str] = set()
        self._ids = 0
        self._changed = False
        """Whether lines belong to other messages now, which resume may read in another order."""

    def inside(self, record: Record) -> JsonPath:
        """A local command is a line that becomes a message; other lines hold one."""
        return () if facts_of(record).type == "system" else ("message",)

    # -- putting in ----------------------------------------------------------------------------

    def insert(self, draft: Draft, gap: Gap, role: str, blocks: Sequence[bytes]) -> None:
        """A line for each block; those of a reply share a message id."""
        if role not in ("user", "assistant"):
            raise EditError("Claude Code stores no system messages.")
        template = self._template(draft, gap)
        identity = f"msg_{self._hash(draft, gap).hex[:24]}"
        model = model_of(draft, (*gap.before, *gap.after))
        lines = [
            _user_line(block, gap) if role == "user" else reply_line(block, identity, model)
            for block in blocks
        ]
        self._put_lines(draft, gap, [line | template for line in lines])

    def insert_reply(self, draft: Draft, gap: Gap, reply: Reply, instead: Sequence[Record]) -> None:
        """A line for each block, all with the members of the reply, as the harness writes them."""
        marked = any(facts_of(record).branches_off for record in instead)
        lines = self._lines_of(draft, gap, reply, instead, marked)
        self._put_lines(draft, gap, lines, next((r.time for r in instead if r.time), ""))

    def branch(self, draft: Draft, gap: Gap, reply: Reply) -> None:
        """Lines below the line that the recorded reply hangs from; that stays as it is."""
        lines = self._lines_of(draft, gap, reply, (), True)
        self._put_lines(draft, gap, lines)
        put, self._put = self._put, []
        hang_branch(draft, self._tape, gap.after[0], [(line.uuid, line.text) for line in put])

    def _lines_of(
        self, draft: Draft, gap: Gap, reply: Reply, instead: Sequence[Record], marked: bool
    ) -> Iterable[dict[str, bytes]]:
        files = (draft.session.records, *draft.session.member_records)
        taken = {r.message_id for rows in files for r in rows} - {r.message_id for r in instead}
        identity = text_of(reply.fields.get("id"))
        if not identity or identity in taken:
            identity = f"msg_{self._hash(draft, gap).hex[:24]}"
        model = model_of(draft, (*instead, *gap.before, *gap.after))
        mark = {"isBranch": b"true"} if marked else {}
        template = self._template(draft, gap)
        return [line | mark | template for line in reply_lines(reply, identity, model)]

    def insert_copy(self, draft: Draft, gap: Gap, records: Sequence[Record], moved: bool) -> None:
        """The lines once more; a copy of a reply is another reply, with a name of its own."""
        identity = spelled(f"msg_{self._hash(draft, gap).hex[:24]}")
        time = self._time(draft, gap)
        for record in records:
            text = draft.text_of(record)
            uuid = facts_of(record).uuid if moved else ""
            if not uuid:
                uuid = str(self._hash(draft, gap))
                text = with_member(text, (), "uuid", spelled(uuid))
            if not moved and record.message_id:
                text = replaced(text, ("message", "id"), identity)
            if time:
                text = with_member(text, (), "timestamp", spelled(time))
            self._moved |= {uuid} if moved else set()
            self._put.append(Line(uuid, text, gap))

    def insert_block(
        self, draft: Draft, gap: Gap, like: Record, block: bytes, moved: Record | None
    ) -> bool:
        """A line for the block; one of a reply is another line of that reply."""
        if moved is not None and moved.role == like.role:
            self.insert_copy(draft, gap, [moved], True)
            line = self._put[-1]
            if like.message_id and like.message_id != moved.message_id:
                line.text = replaced(line.text, ("message", "id"), spelled(like.message_id))
            return True
        template = self._template(draft, gap)
        if like.role == "user":
            self._put_lines(draft, gap, [_user_line(block, gap) | template])
            return True
        fields = fields_of(draft.text_of(like))
        message = with_member(fields["message"], (), "content", b"[" + block + b"]")
        request = {"requestId": fields["requestId"]} if "requestId" in fields else {}
        line_of_reply = {"type": b'"assistant"', "message": message}
        self._put_lines(draft, gap, [line_of_reply | request | template])
        return True

    def _put_lines(
        self, draft: Draft, gap: Gap, lines: Iterable[dict[str, bytes]], time: str = ""
    ) -> None:
        like = next(iter((*gap.before[-1:], *gap.after[:1])), None)
        style = style_of(draft.session.bytes_of(like)) if like is not None else COMPACT
        time = time or self._time(draft, gap)
        for line in lines:
            uuid = str(self._hash(draft, gap))
            fresh = {"uuid": spelled(uuid)} | ({"timestamp": spelled(time)} if time else {})
            text = respelled(object_of({"parentUuid": b"null"} | line | fresh), style)
            self._put.append(Line(uuid, text, gap))

    def _template(self, draft: Draft, gap: Gap) -> dict[str, bytes]:
        """The members that lines here have in common."""
        own = (record for message in self._tape.messages for record in message.records)
        for record in chain(reversed(gap.before), gap.after, own, draft.session.records):
            fields = fields_of(draft.session.bytes_of(record)) if facts_of(record).uuid else {}
            if "sessionId" in fields:
                return {name: fields[name] for name in SHARED if name in fields}
        return {}

    def _hash(self, draft: Draft, gap: Gap) -> UUID:
        """An id that follows from what is asked for and its place: the same edit, the same ids."""
        self._ids += 1
        near = [facts_of(r).uuid for r in (*gap.before[-1:], *gap.after[:1])]
        seed = [draft.salt.decode(), *near, str(len(draft.session.records)), str(self._ids)]
        text = "|".join(seed).encode("utf-8", "surrogatepass")
        return UUID(bytes=sha256(text).digest()[:16], version=4)

    def _time(self, draft: Draft, gap: Gap) -> str:
        """A time between the neighbours, in milliseconds; that of the line before at an end."""
        before = newest(record.time for record in gap.before)
        after = min((t for r in gap.after if (t := moment_of(r.time))), default=None)
        if before is not None and after is not None:
            return iso(before + max(after - before, timedelta(0)) / 2)
        if after is not None:
            return iso(moved(after, -MOMENT))
        if before is None:
            # All messages go, and resume passes over lines without a time.
            before = newest(record.time for record in draft.session.records)
        if before is None:
            return ""
        # Where resume finds a tape by its newest line, that of another must not overtake it.
        return iso(moved(before, MOMENT) if self._tape.kind == "main" else before)

    # -- changing ------------------------------------------------------------------------------

    def set_role(self, draft: Draft, records: Sequence[Record], role: str) -> None:
        """Let somebody else have said the message; a reply has a list of blocks and an id."""
        if role == "system":
            raise EditError("Claude Code stores no system messages.")
        self._changed = True
        identity = f"msg_{self._hash(draft, Gap(tuple(records), ())).hex[:24]}"
        for record in records:
            text = with_member(draft.text_of(record), (), "type", spelled(role))
            text = with_member(text, ("message",), "role", spelled(role))
            if role == "assistant":
                text = _as_reply(text, identity, model_of(draft, ()))
            draft.change(record, text)

    def split(self, draft: Draft, records: Sequence[Record], after: Sequence[Record]) -> None:
        """The second part of a reply gets a message id of its own."""
        if after[0].role != "assistant":
            raise EditError("Claude Code joins neighbouring user lines; they cannot be parted.")
        gap = Gap(tuple(records), tuple(after))
        self._set_message_id(draft, after, f"msg_{self._hash(draft, gap).hex[:24]}")

    def merge(self, draft: Draft, first: Sequence[Record], second: Sequence[Record]) -> bool:
        """The lines of the second reply get the message id of the first."""
        if first[0].role == "assistant":
            if not first[0].message_id:
                raise EditError("this reply has no message id that the next could share.")
            self._set_message_id(draft, second, first[0].message_id)
        return True

    def _set_message_id(self, draft: Draft, records: Iterable[Record], identity: str) -> None:
        self._changed = True
        for record in records:
            text = with_member(draft.text_of(record), ("message",), "id", spelled(identity))
            draft.change(record, text)

    def follow(self, text: bytes, result: bytes) -> bytes:
        """``toolUseResult`` says the same as the result that was changed."""
        held = fields_of(text).get("toolUseResult")
        if held is None:
            return text
        return with_member(text, (), "toolUseResult", _followed(held, result))

    # -- what hangs together -------------------------------------------------------------------

    def settle(self, draft: Draft) -> None:
        """Hand children on, and see to it that resume reads the tape as it is to be."""
        if not draft.removed and not self._put and not self._changed:
            return
        moved = frozenset(self._moved)
        if hang_alone(draft, self._tape, self._put, moved):
            return
        trees = Trees(draft)
        with_doubles(draft, trees)
        for member in {record.member for record in draft.removed}:
            hand_on(draft, trees, member, moved)
        hang(draft, trees, self._tape, self._put)
        list_kept(draft)


def _user_line(block: bytes, gap: Gap) -> dict[str, bytes]:
    """A line that a user says, or that a tool answers."""
    fields = fields_of(block)
    kind = text_of(fields.get("type"))
    content = b"[" + block + b"]"
    if kind == "text" and fields.keys() == {"type", "text"}:
        content = fields["text"]
    line = {"type": b'"user"', "message": object_of({"role": b'"user"', "content": content})}
    if kind == "tool_result":
        line["toolUseResult"] = fields.get("content", b'""')
        call = text_of(fields.get("tool_use_id"))
        for record in gap.before:
            if any(b.kind == "tool_use" and b.id == call for b in record.blocks):
                line["sourceToolAssistantUUID"] = spelled(facts_of(record).uuid)
    return line


def _as_reply(text: bytes, identity: str, model: str) -> bytes:
    """A line whose message has all that the harness expects of a reply: it fails on a text."""
    message = fields_of(fields_of(text)["message"])
    content = message.get("content", b'""')
    if content[:1] == b'"':
        block = object_of({"type": b'"text"', "text": content})
        text = with_member(text, ("message",), "content", b"[" + block + b"]")
    for name, value in fields_of(reply_line(b"{}", identity, model)["message"]).items():
        if name not in message:
            text = with_member(text, ("message",), name, value)
    return text


def _followed(held: bytes, result: bytes) -> bytes:
    """What the harness keeps of a result for its own screen, with other content."""
    words = result
    if result[:1] == b"[":
        texts = [text_of(fields_of(result[a:b]).get("text")) for a, b in elements(result, 0)]
        words = spelled("".join(texts))
    if held[:1] != b"{":
        return words
    fields = fields_of(held)
    if "stdout" in fields:
        held = with_member(held, (), "stdout", words)
        return with_member(held, (), "stderr", b'""') if "stderr" in fields else held
    if "content" in fields_of(fields.get("file", b"")):
        return with_member(held, ("file",), "content", words)
    for name in ("content", "result", "text"):
        if name in fields:
            return with_member(held, (), name, result if fields[name][:1] == b"[" else words)
    return words
