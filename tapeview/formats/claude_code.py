"""Claude Code: session files under ``~/.claude/projects``.

Source of the facts: the bundled JavaScript of the npm package ``@anthropic-ai/claude-code``
2.1.100, files and requests of 2.1.197, and 68 public session files of versions 1.0.0 to 2.1.220.
There is no public specification.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

import msgspec

from tapeview.edit.edit import Edit
from tapeview.edit.speller import Speller
from tapeview.formats._claude_breaks import breaks_of
from tapeview.formats._claude_chain import Chain, Tree, chain_of
from tapeview.formats._claude_line import LineFacts, facts_of
from tapeview.formats._claude_members import (
    Member,
    folders_beside,
    members_of,
    with_session_id,
)
from tapeview.formats._claude_read import read_line
from tapeview.formats._claude_sent import clean, resume_sentence
from tapeview.formats._claude_speller import ClaudeSpeller
from tapeview.formats._claude_tapes import (
    AGENT_TOOLS,
    AgentFile,
    agents_in_files,
    begins_with,
    branches,
    inline_agents,
    numbered,
    segments,
)
from tapeview.formats._claude_thread import Thread
from tapeview.formats._claude_window import windowed
from tapeview.formats._format import Format, Store
from tapeview.formats._growing import is_torn, read_on
from tapeview.formats._head import Head
from tapeview.formats._lines import records_in
from tapeview.formats._source import FileSource
from tapeview.formats._write import written_lines
from tapeview.shapes.anthropic import AnthropicShape
from tapeview.shapes.fields import fields_of, text_of
from tapeview.tape.block import Block
from tapeview.tape.message import Message
from tapeview.tape.record import Record
from tapeview.tape.session import Session
from tapeview.tape.source import Source
from tapeview.tape.tape import Frame, Tape
from tapeview.tape.window import Window

__all__ = ["ClaudeCode"]

SIDE_TYPES = frozenset(
    {
        "summary",
        "file-history-snapshot",
        "queue-operation",
        "mode",
        "permission-mode",
        "last-prompt",
        "custom-title",
        "ai-title",
    }
)
MARKS = frozenset({"sessionId", "session_id", "leafUuid", "messageId"})
TREE_TYPES = frozenset({"user", "assistant", "system", "attachment", "progress"})


class _Line(msgspec.Struct, frozen=True):
    message: msgspec.Raw = msgspec.Raw(b"{}")


_decode_message = msgspec.json.Decoder(_Line).decode


class ClaudeCode(Format):
    """Claude Code session files.

    ``~/.claude/projects/<folder>/<session>.jsonl``: one JSON object a line. Tree lines (user,
    assistant, system, attachment, older: progress) carry ``uuid`` and ``parentUuid``; side lines
    hold titles, snapshots and settings. One reply of the model is many lines that share
    ``message.id``. The system prompt, the tools and the request's parameters are not stored.
    """

    name: ClassVar[str] = "claude-code"
    title: ClassVar[str] = "Claude Code session"
    shape: ClassVar[AnthropicShape] = AnthropicShape()

    def claims(self, head: Head) -> float:
        """Sure for a line with a session id and a tree's or a side line's members."""
        for row in head.objects if head.kind == "lines" else ():
            kind = row.get("type")
            if not isinstance(kind, str):
                continue
            if kind in TREE_TYPES and "uuid" in row and "parentUuid" in row:
                return 1.0
            if kind in SIDE_TYPES and not MARKS.isdisjoint(row):
                return 0.95
        return 0.0

    def open(self, head: Head, path: str) -> Store:
        """The file as a store of lines."""
        return _ClaudeStore(head.source, path)


class _ClaudeStore(Store):
    def __init__(self, source: Source, path: str) -> None:
        super().__init__(source, path)
        self._agents: tuple[Member, ...] = ()
        self._read: tuple[tuple[Record, ...], ...] = ()
        """What was read of each of their files, a half written last line included."""

    def records(self, start: int = 0) -> Iterator[Record]:
        return records_in(self.source, read_line, start)

    def session(
        self,
        records: Sequence[Record],
        members: Sequence[Sequence[Record]] | None = None,
        frame: Frame | None = None,
        original: Session | None = None,
    ) -> Session:
        del frame
        if members is None:
            self._find_agents(records)
            members = [
                rows[:-1] if self.only_whole and is_torn(rows, agent.source) else rows
                for agent, rows in zip(self._agents, self._read, strict=True)
            ]
        files = [
            AgentFile(agent.id, tuple(rows), agent.tool_use_id)
            for agent, rows in zip(self._agents, members, strict=True)
        ]
        return self._session(records, files, original)

    def glimpse(self, records: Sequence[Record]) -> Session:
        return self._session(records, (), None)

    def _session(
        self, records: Sequence[Record], files: Sequence[AgentFile], original: Session | None
    ) -> Session:
        tree = Tree(records)
        chain = chain_of(tree)
        tapes = self._tapes(records, tree, chain, files)
        model, folder, version = _origin(records, chain.messages)
        return Session(
            path=self.path,
            format=ClaudeCode.name,
            title=_title(version),
            shape=ClaudeCode.shape,
            source=self.source,
            records=tuple(records),
            tapes=tapes,
            frame=Frame(model),
            message_json=_message_json,
            written=self.written,
            members=tuple(agent.source for agent in self._agents),
            member_records=tuple(file.records for file in files),
            original=original,
            folder=folder,
            harness=True,
            facts=Thread(records, tapes, tree.spoken_leaves, self._bytes_of),
        )

    def windowed(self, session: Session, edit: Edit) -> tuple[Session, Window] | None:
        found = windowed(session, edit)
        if found is None:
            return None
        model, folder, version = _origin(found.records, found.main.messages)
        changed = msgspec.structs.replace(
            session,
            title=_title(version),
            records=found.records,
            tapes=(found.main, *session.tapes[1:]),
            frame=Frame(model),
            original=session.as_read,
            positions=found.positions,
            folder=folder,
            facts=found.thread,
        )
        return changed, found.window

    def read(self, text: bytes, member: int = 0) -> Record:
        return msgspec.structs.replace(read_line(-1, text, 0, False, member), text=text)

    def speller(self, tape: Tape) -> Speller:
        return ClaudeSpeller(tape)

    def written(self, session: Session, member: int = 0) -> Iterator[bytes]:
        source = session.members[member - 1] if member else session.source
        return written_lines(source, session.as_read.rows(member), session.rows(member))

    def copies(self, session: Session, identity: str) -> Iterator[tuple[str, Iterator[bytes]]]:
        """The same lines under another session id, those of sub-agents too."""
        renamed = partial(with_session_id, session, identity)
        yield f"{identity}.jsonl", renamed(0)
        for number, agent in enumerate(self._agents, 1):
            path = Path(agent.source.name)
            folder = f"{identity}/subagents"
            yield f"{folder}/{path.name}", renamed(number)
            if (about := path.with_suffix(".meta.json")).is_file():
                yield f"{folder}/{about.name}", iter([about.read_bytes()])

    def _find_agents(self, records: Sequence[Record]) -> None:
        """Files of sub-agents beside this one; of those that are known only what is new is read."""
        session_id = next((f.session_id for r in records if (f := facts_of(r)).session_id), "")
        found = tuple(members_of(self.path, session_id))
        known = {
            agent.source.name: (agent.source, rows)
            for agent, rows in zip(self._agents, self._read, strict=True)
        }
        self._read = tuple(
            _agent_records(number, agent.source, known.get(agent.source.name))
            for number, agent in enumerate(found, 1)
        )
        self._agents = found

    def beside(self) -> tuple[str, ...]:
        files = (agent.source.name for agent in self._agents)
        return (*files, *folders_beside(self.path))

    def _tapes(
        self, records: Sequence[Record], tree: Tree, chain: Chain, files: Sequence[AgentFile]
    ) -> tuple[Tape, ...]:
        """Main, its segments, the branches, the sub-agents."""
        cleaned = clean(chain.messages, attached=chain.attached)
        main = Tape(
            "main",
            "main",
            chain.messages,
            cleaned.messages,
            {**chain.unsent, **cleaned.dropped},
            begins=begins_with(chain.lines[0] if chain.lines else None, self._trigger),
            resume=resume_sentence(chain, cleaned),
            breaks=breaks_of(tree, chain),
        )
        lines = numbered(main, segments(records, tree, chain, self._trigger))
        held = set(chain.lines).union(*(tape.own or () for tape in lines[1:]))
        rewound = branches(tree, chain, held, lines[0].first_turn)
        calls, asked, by_id = _callers(records)
        inline = () if tree.all_side else inline_agents(records, calls, self._words)
        agents = agents_in_files(files, asked, by_id)
        return (*lines, *rewound, *inline, *agents)

    def _trigger(self, boundary: Record) -> str:
        """What started the compaction that a boundary marks."""
        raw = self._bytes_of(boundary)
        return text_of(fields_of(fields_of(raw).get("compactMetadata", b"")).get("trigger"))

    def _bytes_of(self, record: Record) -> bytes:
        if record.text is not None:
            return record.text
        return self.source.read(record.start, record.length)

    def _words(self, record: Record, block: Block) -> str:
        """The prompt that a call gives, or the text of a user line."""
        message = _message_json(record, self._bytes_of(record))
        shape = ClaudeCode.shape
        if block.kind == "tool_use":
            given = shape.input_of(message, block)
            prompt = given.get("prompt") if isinstance(given, dict) else None
            return prompt if isinstance(prompt, str) else ""
        return "".join(part.text for part in shape.parts(message, block))


def _agent_records(
    number: int, source: Source, known: tuple[Source, tuple[Record, ...]] | None
) -> tuple[Record, ...]:
    """The records of a sub-agent's file, of which some may be known."""

    def read(start: int) -> Iterator[Record]:
        return records_in(source, partial(read_line, member=number), start)

    before, rows = known or (None, ())
    if not rows or not isinstance(source, FileSource) or not isinstance(before, FileSource):
        return tuple(read(0))
    if rows[0].member != number:  # another one came before it
        return tuple(read(0))
    if source.stamp == before.stamp:
        return rows
    if source.stamp.inode == before.stamp.inode and source.size >= before.size:
        return read_on(rows, source, read)
    return tuple(read(0))


def _callers(
    records: Sequence[Record],
) -> tuple[list[tuple[Record, Block]], dict[str, Block], dict[str, Block]]:
    """Calls of sub-agents in order, by the agent that answered them, and by their own id."""
    calls = [
        (record, block)
        for record in records
        for block in record.blocks
        if block.kind == "tool_use" and block.name in AGENT_TOOLS
    ]
    by_id = {block.id: block for _, block in calls}
    asked = {
        agent: by_id[block.id]
        for record in records
        if (agent := facts_of(record).agent)
        for block in record.blocks
        if block.id in by_id
    }
    return calls, asked, by_id


def _message_json(record: Record, raw: bytes) -> bytes:
    """The API message inside the line; a local command is shown as the message it becomes."""
    facts = record.facts
    if isinstance(facts, LineFacts) and facts.type == "system":
        return raw
    try:
        return bytes(_decode_message(raw).message)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return fields_of(raw).get("message", b"{}")


def _title(version: str) -> str:
    return f"Claude Code {version}" if version else "Claude Code"


def _origin(records: Sequence[Record], messages: Sequence[Message]) -> tuple[str, str, str]:
    """Model of the last real reply, folder and version of the last line that names them."""
    model = folder = version = ""
    for record in reversed(records):
        facts = record.facts
        if isinstance(facts, LineFacts):
            folder, version = folder or facts.cwd, version or facts.version
            if folder and version:
                break
    for message in reversed(messages):
        facts = message.first.facts
        if isinstance(facts, LineFacts) and facts.model and facts.model != "<synthetic>":
            model = facts.model
            break
    return model, folder, version
