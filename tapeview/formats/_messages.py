"""Files that hold a ``messages`` array as it is sent: a request body, a bare array, or lines."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

import msgspec

from tapeview.edit.speller import Speller
from tapeview.errors import OpenError
from tapeview.formats._array_speller import ArraySpeller
from tapeview.formats._format import Format, Store
from tapeview.formats._head import Elements, Head
from tapeview.formats._lines import records_in
from tapeview.formats._write import written_document, written_lines
from tapeview.shapes.fields import is_text, text_of
from tapeview.tape.json_text import JsonFault, skip_blank, skip_value
from tapeview.tape.message import message_of
from tapeview.tape.record import Record
from tapeview.tape.session import Session
from tapeview.tape.shape import Shape
from tapeview.tape.tape import Frame, Tape

__all__ = ["MessagesFormat", "dialect_of"]

CLAUDE = re.compile(r"claude|anthropic", re.IGNORECASE)
OPENAI = re.compile(r"(^|/)(gpt|chatgpt|o[1-9]|deepseek|codex|davinci)", re.IGNORECASE)
CHAT_ROLES = frozenset({"tool", "developer", "function"})
CHAT_PARTS = ("image_url", "input_audio", "refusal", "file")


class MessagesFormat(Format):
    """Shared by the two dialects: one object, one array, or one message a line."""

    def claims(self, head: Head) -> float:
        """Sure where the dialect is evident; half sure where the messages are plain text."""
        messages = _sample(head)
        if messages is None:
            return 0.0
        model = head.member("model") if head.kind == "object" else None
        tools = head.member("tools") if head.kind == "object" else None
        dialect = dialect_of(model if isinstance(model, str) else "", messages, tools)
        if not dialect:
            return 0.5 if self.shape.dialect == "anthropic" else 0.4
        return 0.9 if dialect == self.shape.dialect else 0.0

    def open(self, head: Head, path: str) -> Store:
        """The file as a store of messages."""
        if head.kind == "lines":
            return _LinesStore(self, head, path)
        return _DocumentStore(self, head, path)


def dialect_of(model: str, messages: Iterable[object], tools: object) -> str:
    """``anthropic``, ``openai-chat`` or "" where nothing tells (``formats.md`` j)."""
    if CLAUDE.search(model):
        return "anthropic"
    if OPENAI.search(model):
        return "openai-chat"
    for message in messages:
        if isinstance(message, dict) and (found := _message_dialect(message)):
            return found
    for tool in tools if isinstance(tools, list) else ():
        if isinstance(tool, dict):
            return "openai-chat" if tool.get("type") == "function" else "anthropic"
    return ""


def _message_dialect(message: Mapping[str, object]) -> str:
    if message.get("tool_calls") or message.get("function_call"):
        return "openai-chat"
    role = message.get("role")
    if (isinstance(role, str) and role in CHAT_ROLES) or "tool_call_id" in message:
        return "openai-chat"
    content = message.get("content")
    for part in content if isinstance(content, list) else ():
        kind = part.get("type") if isinstance(part, dict) else None
        if kind in CHAT_PARTS:
            return "openai-chat"
        if isinstance(kind, str) and kind != "text":
            return "anthropic"
    return ""


def _sample(head: Head) -> list[object] | None:
    """The first messages, decoded; None where the file holds no such array."""
    if head.kind == "lines":
        rows = head.objects
        # A key that only harness files have means that the line is more than a message.
        alien = {"uuid", "payload", "sessionId", "message", "parts", "type"}
        plain = [row for row in rows if isinstance(row.get("role"), str) and not alien & row.keys()]
        return list(plain) if plain and len(plain) * 2 >= len(rows) else None
    if head.kind not in ("object", "array") or head.elements is None:
        return None
    found = head.sample
    if head.kind == "object":
        return found
    looks = [isinstance(value, dict) and isinstance(value.get("role"), str) for value in found]
    return found if (looks and looks[0]) or (not found and head.damage is None) else None


class _MessagesStore(Store):
    is_document: ClassVar[bool] = False

    def __init__(self, format_: MessagesFormat, head: Head, path: str) -> None:
        super().__init__(head.source, path)
        self.format = format_
        self.shape: Shape = format_.shape
        self.head = head

    def frame(self) -> Frame:
        return Frame()

    def session(
        self,
        records: Sequence[Record],
        members: Sequence[Sequence[Record]] | None = None,
        frame: Frame | None = None,
        original: Session | None = None,
    ) -> Session:
        del members
        messages = tuple(message_of([r]) for r in records if r.kind == "message")
        tape = Tape("main", "main", messages, messages, {})
        return Session(
            path=self.path,
            format=self.format.name,
            title=self.format.title,
            shape=self.shape,
            source=self.source,
            records=tuple(records),
            tapes=(tape,),
            frame=self.frame() if frame is None else frame,
            message_json=_whole_record,
            written=self.written,
            original=original,
        )

    def read(self, text: bytes, member: int = 0) -> Record:
        """A record out of its new text."""
        return msgspec.structs.replace(self._record(-1, text, 0), text=text)

    def speller(self, tape: Tape) -> Speller:
        """How a change is spelled: a message is a record."""
        del tape
        return ArraySpeller(self.shape, self.is_document)

    def _record(self, start: int, raw: bytes, line: int, shares: bool = False) -> Record:
        try:
            reading = self.shape.read(raw)
        except JsonFault as fault:
            return Record(start, len(raw), line, "unreadable", label=fault.reason)
        return Record(
            start,
            len(raw),
            line,
            "message",
            reading.role,
            reading.spelled_role,
            reading.blocks,
            reading.message_id,
            shares_line=shares,
        )


class _LinesStore(_MessagesStore):
    """One message a line."""

    def written(self, session: Session, member: int = 0) -> Iterator[bytes]:
        del member
        return written_lines(self.source, session.as_read.records, session.records)

    def records(self, start: int = 0) -> Iterator[Record]:
        return records_in(self.source, self._line, start)

    def _line(self, start: int, raw: bytes, line: int, shares: bool) -> Record:
        """Unlike an element of an array, a line may hold more than one value, or none."""
        try:
            if raw[:1] != b"{":
                raise JsonFault(0, "it is no JSON object")
            if (end := skip_value(raw, 0)) < len(raw):
                raise JsonFault(end, "more text follows the value")
        except JsonFault as fault:
            return Record(
                start, len(raw), line, "unreadable", label=fault.reason, shares_line=shares
            )
        return self._record(start, raw, line, shares)


class _DocumentStore(_MessagesStore):
    """One JSON document: an object with ``messages``, or the bare array."""

    is_document: ClassVar[bool] = True
    grows: ClassVar[bool] = False

    @property
    def text_as_read(self) -> bytes:
        return self.head.text

    def written(self, session: Session, member: int = 0) -> Iterator[bytes]:
        del member
        elements, read = self.head.elements, session.as_read
        return written_document(
            self.head.text,
            elements.start if elements is not None else 0,
            read.records,
            session.records,
            (read.frame, session.frame),
        )

    def records(self, start: int = 0) -> Iterator[Record]:
        text, elements, damage = self.head.text, self.head.elements, self.head.damage
        if elements is None:
            raise OpenError(f"{self.path}: there is no array of messages in it.")
        line, counted = 1, 0
        for span in elements.spans:
            line += text.count(b"\n", counted, span.start)
            counted = span.start
            if span.start >= start:
                yield self._record(span.start, text[span.start : span.end], line)
        if damage is not None:
            rest = self._damaged_from(elements)
            line += text.count(b"\n", counted, rest)
            yield Record(rest, len(text) - rest, line, "unreadable", label=damage.reason)

    def _damaged_from(self, elements: Elements) -> int:
        """Where the text begins that nothing whole is read from."""
        text = self.head.text
        ends = [elements.start + 1, *(span.end for span in elements.spans[-1:])]
        if elements.fault is None:
            ends = [span.end for span in self.head.members.values()] or [
                skip_value(text, elements.start)
            ]
        rest = skip_blank(text, max(ends))
        return skip_blank(text, rest + 1) if text[rest : rest + 1] in (b",", b"}") else rest

    def frame(self) -> Frame:
        members = self.head.members.items()
        raw = {key: self.head.text[a:b] for key, (a, b) in members if key != "messages"}
        model = raw.pop("model", b"")
        system, tools = raw.pop("system", b""), raw.pop("tools", b"")
        name = text_of(model) if is_text(model) else ""
        is_object = self.head.kind == "object"
        return Frame(name, system, tools, tuple(raw.items()), True, is_object, self.head.doubled)


def _whole_record(record: Record, raw: bytes) -> bytes:
    del record
    return raw
