"""Changes of Claude Code session files: lines as the harness writes them, the parent chain whole.

``formats.md`` b.7: what is taken out hands its children on to its own parent; what is put in has a
uuid of its own, the parent of its place, and a time between its neighbours, since resume begins at
the newest leaf.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Final
from uuid import UUID

from tapeview.edit.draft import Draft
from tapeview.edit.speller import Gap
from tapeview.errors import EditError
from tapeview.formats._claude_kept import keep_segment, staying
from tapeview.formats._claude_line import facts_of
from tapeview.shapes.fields import fields_of, text_of
from tapeview.tape.block import JsonPath
from tapeview.tape.graft import COMPACT, replaced, respelled, spelled, style_of, with_member
from tapeview.tape.json_text import elements
from tapeview.tape.record import Record
from tapeview.tape.tape import Tape

__all__ = ["ClaudeSpeller"]

SHARED: Final = (
    "isSidechain",
    "agentId",
    "userType",
    "entrypoint",
    "cwd",
    "sessionId",
    "version",
    "gitBranch",
    "slug",
    "teamName",
    "agentName",
    "sessionKind",
)
"""Members that all lines around a place have in common."""

POINTS_TO_LEAF: Final = ("summary", "last-prompt")
MOMENT: Final = timedelta(milliseconds=1)


class ClaudeSpeller:
    """One edit of one session file."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._ends: dict[tuple[Record | None, Record | None], str] = {}
        """The uuid of the last line put into each gap."""
        self._gaps: dict[Gap, str] = {}
        """Each gap with the uuid that what follows it hangs below now."""
        self._ids = 0

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
        model = _model_of(draft, (*gap.before, *gap.after))
        lines = [
            _user_line(block, gap) if role == "user" else _reply_line(block, identity, model)
            for block in blocks
        ]
        self._put(draft, gap, [line | template for line in lines])

    def insert_copy(self, draft: Draft, gap: Gap, records: Sequence[Record], moved: bool) -> None:
        """The lines once more; a copy of a reply is another reply."""
        identity = spelled(f"msg_{self._hash(draft, gap).hex[:24]}")
        lines: list[dict[str, bytes]] = []
        for record in records:
            fields = fields_of(draft.text_of(record))
            if not moved and record.message_id:
                fields["message"] = replaced(fields["message"], ("id",), identity)
            lines.append(fields)
        self._put(draft, gap, lines)

    def _put(self, draft: Draft, gap: Gap, lines: Iterable[dict[str, bytes]]) -> None:
        key = (gap.before[-1] if gap.before else None, gap.after[0] if gap.after else None)
        before, after = key
        parent = b"null"
        if key in self._ends:
            parent = spelled(self._ends[key])
        elif before is not None:
            parent = _parent(draft, before)
        elif after is not None:
            parent = fields_of(draft.session.bytes_of(after)).get("parentUuid", b"null")
        like = before or after
        style = style_of(draft.session.bytes_of(like)) if like is not None else COMPACT
        time = self._time(draft, gap)
        texts: list[bytes] = []
        for line in lines:
            uuid = str(self._hash(draft, gap))
            fresh = {"parentUuid": parent, "uuid": spelled(uuid)}
            if time:
                fresh["timestamp"] = spelled(time)
            texts.append(respelled(_object({"parentUuid": parent} | line | fresh), style))
            parent = spelled(uuid)
            self._ends[key] = uuid
        place = max(gap.before, key=draft.place_of) if gap.before else None
        draft.insert(texts, place, after)
        if after is not None:
            self._gaps[gap] = self._ends[key]

    def _template(self, draft: Draft, gap: Gap) -> dict[str, bytes]:
        """The members that lines here have in common."""
        around = (*reversed(gap.before), *gap.after, *draft.session.records)
        for record in around:
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
        """A time between the neighbours; at the end of main, after everything in the file."""
        before = max((t for r in gap.before if (t := _moment(r.time))), default=None)
        after = min((t for r in gap.after if (t := _moment(r.time))), default=None)
        if before is not None and after is not None:
            return _iso(before + max(after - before, timedelta(0)) / 2)
        if after is not None:
            return _iso(after - MOMENT)
        if self._tape.kind == "main" and (newest := self._newest(draft, ())) is not None:
            before = max(before or newest, newest)
        if before is None:
            # All messages go, and resume passes over lines without a time.
            times = map(_moment, (record.time for record in draft.session.records))
            before = max(filter(None, times), default=None)
        return _iso(before + MOMENT) if before is not None else ""

    # -- changing ------------------------------------------------------------------------------

    def set_role(self, draft: Draft, records: Sequence[Record], role: str) -> None:
        """Let somebody else have said the message; a reply has a list of blocks and an id."""
        if role == "system":
            raise EditError("Claude Code stores no system messages.")
        identity = f"msg_{self._hash(draft, Gap(tuple(records), ())).hex[:24]}"
        for record in records:
            text = with_member(draft.text_of(record), (), "type", spelled(role))
            text = with_member(text, ("message",), "role", spelled(role))
            if role == "assistant":
                text = _as_reply(text, identity, _model_of(draft, ()))
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
        """Hand children on, and see to it that resume goes on at this tape's end."""
        if not draft.removed and not self._ends:
            return
        members = {record.member for record in draft.removed} or {0}
        members |= {gap.after[0].member for gap in self._gaps}
        for member in members:
            self._hand_on(draft, draft.session.rows(member))
        if self._tape.kind != "agent":
            keep_segment(draft)
        if self._tape.kind == "main":
            self._stay_newest(draft)

    def _hand_on(self, draft: Draft, rows: Sequence[Record]) -> None:
        """Every line whose parent goes hangs below the nearest one that stays."""
        left = {facts_of(r).uuid for r in rows if r not in draft.removed}
        parents = {
            facts.uuid: facts.parent
            for record in draft.removed
            if (facts := facts_of(record)).uuid and facts.uuid not in left
        }
        below = dict(self._below(rows, parents))
        for record in rows:
            if record in draft.removed:
                continue
            facts = facts_of(record)
            if record in below:
                _point(draft, record, "parentUuid", below[record])
            elif facts.parent in parents:
                _point(draft, record, "parentUuid", staying(facts.parent, parents))
            if facts.logical_parent in parents:
                _point(draft, record, "logicalParentUuid", staying(facts.logical_parent, parents))
            if record.label in POINTS_TO_LEAF:
                leaf = text_of(fields_of(draft.text_of(record)).get("leafUuid"))
                if leaf in parents:
                    _point(draft, record, "leafUuid", staying(leaf, parents))

    def _below(
        self, rows: Sequence[Record], parents: Mapping[str, str]
    ) -> Iterator[tuple[Record, str]]:
        """The lines behind what was put in, with the uuid that they hang below now.

        Notes may stand between two messages: it is the first line behind the gap that moves. Of
        parallel results each hangs below its own call.
        """
        if not self._gaps:
            return
        by_uuid = {facts_of(record).uuid: record for record in rows if facts_of(record).uuid}
        for gap, uuid in self._gaps.items():
            before = {facts_of(record).uuid for record in gap.before} | parents.keys()
            first = {
                line: None
                for record in gap.after
                if (line := _first_behind(record, before, by_uuid)) is not None
            }
            for line in first or {gap.after[0]: None}:
                yield line, uuid

    def _stay_newest(self, draft: Draft) -> None:
        """Where the end of main goes, an older line may end in a newer leaf than main does now."""
        chain = [record for message in self._tape.messages for record in message.records]
        last = next((record for record in reversed(chain) if record not in draft.removed), None)
        if last is None or last is chain[-1] or any(after is None for _, after in self._ends):
            return
        newest, moment = self._newest(draft, set(chain)), _moment(last.time)
        if newest is not None and moment is not None and newest >= moment:
            time = spelled(_iso(newest + MOMENT))
            draft.change(last, with_member(draft.text_of(last), (), "timestamp", time))

    def _newest(self, draft: Draft, but: Collection[Record]) -> datetime | None:
        """The time of the newest line of the session that resume might begin at."""
        return max(
            (
                moment
                for record in draft.session.records
                if record.kind == "message"
                and record not in draft.removed
                and record not in but
                and not facts_of(record).sidechain
                and (moment := _moment(record.time)) is not None
            ),
            default=None,
        )


def _first_behind(
    record: Record, before: Collection[str], by_uuid: Mapping[str, Record]
) -> Record | None:
    """On the way up from a line the one whose parent is among ``before``."""
    seen: set[Record] = set()
    current: Record | None = record
    while current is not None and current not in seen:
        seen.add(current)
        parent = facts_of(current).parent
        if parent in before:
            return current
        current = by_uuid.get(parent)
    return None


def _parent(draft: Draft, record: Record) -> bytes:
    """The uuid that a line behind this one hangs below, as JSON: the nearest that stays."""
    parents = {facts_of(gone).uuid: facts_of(gone).parent for gone in draft.removed}
    uuid = staying(facts_of(record).uuid, parents)
    return spelled(uuid) if uuid else b"null"


def _point(draft: Draft, record: Record, member: str, uuid: str) -> None:
    value = spelled(uuid) if uuid else b"null"
    draft.change(record, with_member(draft.text_of(record), (), member, value))


def _object(fields: Mapping[str, bytes]) -> bytes:
    return b"{" + b",".join(spelled(key) + b":" + raw for key, raw in fields.items()) + b"}"


def _user_line(block: bytes, gap: Gap) -> dict[str, bytes]:
    """A line that a user says, or that a tool answers."""
    fields = fields_of(block)
    kind = text_of(fields.get("type"))
    content = b"[" + block + b"]"
    if kind == "text" and fields.keys() == {"type", "text"}:
        content = fields["text"]
    line = {"type": b'"user"', "message": _object({"role": b'"user"', "content": content})}
    if kind == "tool_result":
        line["toolUseResult"] = fields.get("content", b'""')
        call = text_of(fields.get("tool_use_id"))
        for record in gap.before:
            if any(b.kind == "tool_use" and b.id == call for b in record.blocks):
                line["sourceToolAssistantUUID"] = spelled(facts_of(record).uuid)
    return line


def _reply_line(block: bytes, identity: str, model: str) -> dict[str, bytes]:
    """A line of a reply."""
    is_call = text_of(fields_of(block).get("type")) == "tool_use"
    message = {
        "id": spelled(identity),
        "type": b'"message"',
        "role": b'"assistant"',
        "model": spelled(model or "<synthetic>"),
        "content": b"[" + block + b"]",
        "stop_reason": b'"tool_use"' if is_call else b'"end_turn"',
        "stop_sequence": b"null",
        "usage": b'{"input_tokens":0,"output_tokens":0}',
    }
    return {"type": b'"assistant"', "message": _object(message)}


def _as_reply(text: bytes, identity: str, model: str) -> bytes:
    """A line whose message has all that the harness expects of a reply: it fails on a text."""
    message = fields_of(fields_of(text)["message"])
    content = message.get("content", b'""')
    if content[:1] == b'"':
        block = _object({"type": b'"text"', "text": content})
        text = with_member(text, ("message",), "content", b"[" + block + b"]")
    for name, value in fields_of(_reply_line(b"{}", identity, model)["message"]).items():
        if name not in message:
            text = with_member(text, ("message",), name, value)
    return text


def _model_of(draft: Draft, around: Sequence[Record]) -> str:
    """The model of the nearest reply."""
    for record in (*around, *reversed(draft.session.records)):
        model = facts_of(record).model
        if model and model != "<synthetic>":
            return model
    return ""


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


def _moment(time: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _iso(moment: datetime) -> str:
    """As JavaScript writes it."""
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.removesuffix("+00:00") + "Z"
