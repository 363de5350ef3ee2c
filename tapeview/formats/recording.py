"""Our own recordings: ``*.tape.jsonl``, written by the recording proxy and by the SDK's hook."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

import msgspec
from msgspec import UNSET, Raw

from tapeview.edit.speller import Speller
from tapeview.formats._claude_tapes import numbered
from tapeview.formats._format import Format, Store
from tapeview.formats._head import Head
from tapeview.formats._lines import records_in
from tapeview.formats._recording_calls import Forest, Node
from tapeview.formats._recording_line import (
    EndFacts,
    MadeFacts,
    message_in,
    read_line,
    read_text,
    runs_together,
)
from tapeview.formats._recording_speller import RecordingSpeller
from tapeview.formats._recording_tapes import Line, Made, Reader
from tapeview.formats._write import written_lines
from tapeview.shapes.anthropic import AnthropicShape
from tapeview.shapes.fields import fields_of, is_text, text_of
from tapeview.tape.block import Block
from tapeview.tape.clean import printable
from tapeview.tape.graft import COMPACT, respelled
from tapeview.tape.message import message_of
from tapeview.tape.record import Record
from tapeview.tape.session import Session
from tapeview.tape.source import Source
from tapeview.tape.tape import Frame, Tape
from tapeview.wire.align import CellReader
from tapeview.wire.recording import Call, line_of

__all__ = ["Recording"]


class Recording(Format):
    """Recordings of model calls.

    ``*.tape.jsonl``: a header line, then for each call what its request adds to an earlier one, the
    bytes of the answer as they arrived, and how it ended. A record is one message: an element of a
    request's ``add``, or the line of a reply. Requests are stored whole, so that any of them can be
    had byte for byte. An edit is one more line; what was recorded is never written anew.
    """

    name: ClassVar[str] = "recording"
    title: ClassVar[str] = "recording"
    shape: ClassVar[AnthropicShape] = AnthropicShape()

    def claims(self, head: Head) -> float:
        """Sure for the header that each recording begins with."""
        if head.kind == "lines":
            first: dict[str, object] = head.objects[0]
        elif head.kind == "object":
            first = {name: head.member(name) for name in ("tape", "at", "by")}
        else:
            return 0.0
        told = isinstance(first.get("tape"), int) and isinstance(first.get("at"), str)
        return 1.0 if told and "by" in first else 0.0

    def open(self, head: Head, path: str) -> Store:
        """The file as a store of lines."""
        return _RecordingStore(head.source, path)


class _RecordingStore(Store):
    swaps: ClassVar[bool] = False
    shows_stored: ClassVar[bool] = False

    def __init__(self, source: Source, path: str) -> None:
        super().__init__(source, path)
        self._made: Made = {}
        self._cells = CellReader()
        self._forest = Forest(source, ())
        self._lines: dict[str, Line] = {}
        self._last_time = ""
        self._known: frozenset[str] = frozenset()
        """The ids of all calls."""

    def records(self, start: int = 0) -> Iterator[Record]:
        """One record a line; neighbouring lines with pieces of answers are one."""
        return runs_together(records_in(self.source, read_line, start))

    def session(
        self,
        records: Sequence[Record],
        members: Sequence[Sequence[Record]] | None = None,
        frame: Frame | None = None,
        original: Session | None = None,
    ) -> Session:
        del members
        if original is not None:
            return self._edited(records, original, original.frame if frame is None else frame)
        forest = Forest(self.source, records)
        reader = Reader(forest, self._made, self._cells)
        lines = reader.lines()
        self._forest = forest
        self._lines = {line.id: line for line in lines}
        self._known = frozenset(forest.by_id)
        self._last_time = next((r.time for r in reversed(records) if r.time), "")
        tapes = _tapes(forest, lines) or (Tape("main", "main", (), (), {}),)
        shown = frozenset(record for tape in tapes for record in _rows(tape))
        own = [_rows(tapes[0]), *(tape.own or () for tape in tapes[1:])]
        places = {record: reader.places[record] for rows in own for record in rows}
        places |= {note: (note.start, 0) for note in reader.notes(records, shown)}
        return Session(
            path=self.path,
            format=Recording.name,
            title=Recording.title,
            shape=Recording.shape,
            source=self.source,
            records=tuple(sorted(places, key=places.__getitem__)),
            tapes=tapes,
            frame=_editable(_frame(forest, lines[0].tip)) if lines else Frame(),
            message_json=message_in,
            written=self.written,
            harness=True,
            calls={record: call for record, call in reader.calls.items() if record in shown},
        )

    def _edited(self, rows: Sequence[Record], original: Session, frame: Frame) -> Session:
        """The tapes after an edit: each its own rows, in their order."""
        owner = {r.start: "main" for m in original.main.messages for r in m.records}
        for tape in original.tapes[1:]:
            owner |= {record.start: tape.id for record in tape.own or ()}
        rows_of: dict[str, list[Record]] = {tape.id: [] for tape in original.tapes}
        for row in rows:
            name = owner.get(row.start, "") if row.start >= 0 else ""
            if isinstance(row.facts, MadeFacts):
                name = row.facts.on
            if row.kind == "message" and name in rows_of:
                rows_of[name].append(row)
        tapes = [_with_rows(tape, rows_of[tape.id]) for tape in original.tapes]
        if frame != original.frame:  # main's alone: calls of the other tapes carried what they did
            tapes[1:] = [_with_frame(tape, original.frame) for tape in tapes[1:]]
        tapes = [tape for tape in tapes if tape.kind == "main" or tape.own]
        shown = {record for tape in tapes for m in tape.messages for record in m.records}
        return msgspec.structs.replace(
            original,
            records=tuple(rows),
            tapes=_finished(tapes),
            frame=frame,
            calls={record: call for record, call in original.calls.items() if record in shown},
            original=original,
            positions={},
        )

    def read(self, text: bytes, member: int = 0) -> Record:
        del member
        return read_text(text)

    def speller(self, tape: Tape) -> Speller:
        return RecordingSpeller(tape)

    def written(self, session: Session, member: int = 0) -> Iterator[bytes]:
        """The file as it is, and behind it the arrays that were edited."""
        del member
        yield from written_lines(self.source, (), ())
        added = list(self._edits(session))
        size = self.source.size
        if added and size and self.source.read(size - 1, 1) != b"\n":
            yield b"\n"
        yield from added

    def _edits(self, session: Session) -> Iterator[bytes]:
        now = {tape.id: _rows(tape) for tape in session.tapes}
        number = 0
        for tape in session.as_read.tapes:
            before, after = _rows(tape), now.get(tape.id, [])
            line = self._lines.get(tape.id)
            reframed = tape.kind == "main" and session.frame != session.as_read.frame
            if line is None or (before == after and not reframed):
                continue
            if tape.id not in now and tape.own is not None:
                after = [record for record in before if record not in tape.own]
            number += 1
            while f"edit-{number}" in self._known:
                number += 1
            call = self._edit(session, line, f"edit-{number}", before, after)
            yield line_of(self._with_frame(call, session, line) if reframed else call)

    def _edit(
        self,
        session: Session,
        line: Line,
        name: str,
        before: Sequence[Record],
        after: Sequence[Record],
    ) -> Call:
        keep = 0
        for record, other in zip(before[: line.tip.size], after, strict=False):
            if record is not other:
                break
            keep += 1
        return Call(
            call=name,
            at=self._last_time,
            kind="edit",
            parent=line.tip.facts.id,
            keep=keep,
            add=[Raw(_as_sent(record, session.message_of(record))) for record in after[keep:]],
        )

    def _with_frame(self, call: Call, session: Session, line: Line) -> Call:
        """The same call with what stands beside the messages now, as far as it differs."""
        before, now = session.as_read.frame.members, session.frame.members
        names = (*now, *(name for name in before if name not in now))
        changed = {
            name: Raw(respelled(now.get(name, b"null"), COMPACT))
            for name in names
            if now.get(name) != before.get(name)
        }
        known = self._forest.order(line.tip)
        order = [name for name in known if name in now or name == "messages"]
        order += [name for name in now if name not in order]
        return msgspec.structs.replace(
            call,
            system=changed.pop("system", UNSET),
            tools=changed.pop("tools", UNSET),
            params=changed or UNSET,
            order=UNSET if tuple(order) == known else order,
        )


def _rows(tape: Tape) -> list[Record]:
    return [record for message in tape.messages for record in message.records]


def _as_sent(record: Record, message: bytes) -> bytes:
    """A message as a request has it; a reply says more of itself."""
    if not isinstance(record.facts, EndFacts | MadeFacts):
        return message
    fields = fields_of(message)
    if fields.keys() <= {"role", "content"}:
        return message
    role, content = fields.get("role", b'"assistant"'), fields.get("content", b"[]")
    return b'{"role":' + role + b',"content":' + content + b"}"


def _with_rows(tape: Tape, rows: Sequence[Record]) -> Tape:
    """A tape with other rows of its own; the very same where they are the same."""
    shared = [] if tape.own is None else [r for r in _rows(tape) if r not in tape.own]
    records = [*shared, *rows]
    if records == _rows(tape):
        return tape
    messages = tuple(message_of([record]) for record in records)
    own = None if tape.own is None else frozenset(rows)
    return msgspec.structs.replace(tape, messages=messages, sent=messages, own=own)


def _editable(frame: Frame) -> Frame:
    return msgspec.structs.replace(frame, is_editable=True)


def _with_frame(tape: Tape, frame: Frame) -> Tape:
    """A tape whose calls carried what main's did, now that main's are to carry something else."""
    if tape.frame is not None:
        return tape
    return msgspec.structs.replace(tape, frame=msgspec.structs.replace(frame, is_editable=False))


def _tapes(forest: Forest, lines: Sequence[Line]) -> tuple[Tape, ...]:
    tapes: list[Tape] = []
    held: set[Record] = set()
    callers = _calls_by_id(record for line in lines for record in line.records)
    main = _frame(forest, lines[0].tip) if lines else Frame()
    for line in lines:
        frame = _frame(forest, line.tip)
        own = [record for record in line.records if record not in held]
        held.update(line.records, line.sent)
        if tapes and not own:
            continue
        messages = tuple(message_of([record]) for record in line.records)
        shared = len(line.records) - len(own)
        begins = ""
        if line.began.facts.kind == "compacted" and line.kind in ("main", "segment"):
            begins = f"compacted {printable(line.began.line.time[11:19])}".rstrip()
        tapes.append(
            Tape(
                line.id,
                line.kind,
                messages,
                messages,
                {},
                own=frozenset(own) if tapes else None,
                caller=callers.get(line.caller),
                after=line.records[shared - 1] if shared and line.kind == "branch" else None,
                begins=begins,
                frame=frame if tapes and frame != main else None,
                as_sent=line.as_sent,
            )
        )
    return _finished(tapes)


def _finished(tapes: Sequence[Tape]) -> tuple[Tape, ...]:
    """The tapes with turns counted through, and with the calls that start them as they are now."""
    if not tapes:
        return ()
    callers = _calls_by_id(record for tape in tapes for record in _rows(tape))
    segments = [tape for tape in tapes if tape.kind == "segment"]
    main, *before = numbered(tapes[0], segments)
    others = [
        tape
        if tape.caller is None or callers.get(tape.caller.id) is tape.caller
        else msgspec.structs.replace(tape, caller=callers.get(tape.caller.id))
        for tape in tapes[1:]
        if tape.kind != "segment"
    ]
    return (main, *before, *others)


def _calls_by_id(records: Iterator[Record]) -> dict[str, Block]:
    found: dict[str, Block] = {}
    for record in records:
        for block in record.blocks:
            if block.kind == "tool_use":
                found.setdefault(block.id, block)
    return found


def _frame(forest: Forest, tip: Node) -> Frame:
    """What the call that was sent last carried beside its messages."""
    members = forest.frame(tip)
    model = members.pop("model", b"")
    system, tools = members.pop("system", b""), members.pop("tools", b"")
    name = text_of(model) if is_text(model) else ""
    if model and not name:
        members["model"] = model
    return Frame(name, system, tools, tuple(members.items()))
