"""What was found out about each session, and the file that keeps it from one start to the next.

A check reads a session whole and is slow; so what it found is kept in the user's cache folder,
valid as long as the session's file and those of its sub-agents have the same sizes and times.
What is kept of a conversation itself is little: no prompt is longer than 200 characters.
"""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final, Literal

import msgspec

from tapeview.errors import OpenError, TapeviewError
from tapeview.formats._claude_line import facts_of
from tapeview.loading import begin
from tapeview.looks.badge import badge_of
from tapeview.looks.heading import size_bars
from tapeview.open_session import OpenSession, load
from tapeview.picker.sessions import PROMPT, Listed, is_command, prompt_words
from tapeview.snapshot import Snapshot
from tapeview.tape.clean import clean_line, printable
from tapeview.tape.describe import describe, parts_of
from tapeview.tape.json_text import JsonFault
from tapeview.tape.link import LINK_STATES, LinkState
from tapeview.tape.record import Record
from tapeview.tape.rows import Row

__all__ = [
    "BROKEN_LINKS",
    "AgentFaults",
    "Checked",
    "LastBlock",
    "SessionCache",
    "SessionFacts",
    "cache_path",
    "examine",
    "open_listed",
    "unexamined",
]

VERSION: Final = 2
"""Raised when other things are kept, or the same things mean something else."""
SENTENCE: Final = 300
"""Characters of a sentence that are kept."""
AGENTS: Final = 8
"""Faulty sub-agents of which it is kept what is wrong with them."""
BROKEN_LINKS: Final[tuple[LinkState, ...]] = ("dangling", "doubled", "orphan", "late", "early")
"""States of links that are faults, the worst first."""
MOST_BYTES: Final = 64 << 20
"""A larger cache file is no cache of ours."""
FAULTS: Final = (JsonFault, LookupError, OSError)
"""What reading a session's bytes again may raise: it changes while we look."""


class LastBlock(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the session ends with, as its row of the timeline has it, cleaned."""

    sign: str
    """A sign of ``RowText``."""
    name: str
    gist: str
    word: str = ""
    loudness: str = ""
    """The badge: its word, and how loud it is."""


class AgentFaults(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is wrong with the tape of one sub-agent."""

    id: str
    """The tape's id, cleaned: ``agent:a91c3f0``."""
    errors: int = 0
    warnings: int = 0
    links: dict[str, int] = {}
    """How many of its links are in each state of ``BROKEN_LINKS``."""


class Checked(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a check of the whole session found. All texts are clean for any terminal."""

    error: str = ""
    """Why it cannot be read, in a sentence; then nothing else is known."""
    errors: int = 0
    warnings: int = 0
    """Findings of that severity, on the main line and on the tapes of sub-agents."""
    turns: int = 0
    links: dict[str, int] = {}
    """How many links of the main line are in each state; states without any are left out."""
    verdict: str = ""
    model: str = ""
    folder: str = ""
    """The folder that the agent worked in."""
    first: str = ""
    last: str = ""
    """The first and the last prompt of a human, at most ``PROMPT`` characters of each."""
    last_at: str = ""
    """When the last prompt was written, ISO 8601 as stored."""
    begun: str = ""
    ended: str = ""
    """The earliest and the latest time of a record, ISO 8601 as stored."""
    end: LastBlock | None = None
    bars: str = ""
    """The strip of sizes sent: the height of each cell, a digit from 1 to 8."""
    tones: str = ""
    """What is to be seen in each cell: p plain, w a warning, e an error."""
    largest: int = 0
    """Bytes that the largest call was sent."""
    agents: list[AgentFaults] = []
    """Sub-agents with which something is wrong, those with errors first, at most ``AGENTS``."""
    faulty_agents: int = 0
    """How many of them there are in all."""

    @property
    def mark(self) -> Literal["error", "warning", "unreadable", ""]:
        """What is wrong with it, at worst."""
        if self.error:
            return "unreadable"
        return "error" if self.errors else "warning" if self.warnings or self.agents else ""


class SessionFacts(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is known of a session: what its head tells, and later what the check found."""

    cwd: str = ""
    prompt: str = ""
    checked: Checked | None = None

    @property
    def first_prompt(self) -> str:
        """The first prompt, from whoever has found it."""
        return self.prompt or (self.checked.first if self.checked else "")


class _Entry(msgspec.Struct, frozen=True):
    size: int
    mtime_ns: int
    beside: str
    facts: SessionFacts

    def fits(self, listed: Listed) -> bool:
        files = (listed.size, listed.mtime_ns, listed.beside)
        return (self.size, self.mtime_ns, self.beside) == files


class _File(msgspec.Struct):
    version: int
    made_by: str
    sessions: dict[str, _Entry]


_decoder = msgspec.json.Decoder(_File)


def cache_path(environ: Mapping[str, str]) -> Path:
    """``$XDG_CACHE_HOME/tapeview/sessions.json``, else below ``~/.cache``.

    A relative ``XDG_CACHE_HOME`` is ignored, as the XDG base directory specification has it.
    """
    base = environ.get("XDG_CACHE_HOME", "")
    if not Path(base).is_absolute():
        base = str(Path(environ.get("HOME", "~")) / ".cache")
    return Path(base).expanduser() / "tapeview" / "sessions.json"


class SessionCache:
    """Facts by path. Whatever is wrong with its file, it is only a cache: it begins anew."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._made_by = _own_version()
        self._entries = self._read()
        self._changed = False

    def _read(self) -> dict[str, _Entry]:
        with suppress(OSError, ValueError, RecursionError):  # msgspec's errors are ValueErrors
            if self.path.is_file() and self.path.stat().st_size <= MOST_BYTES:
                file = _decoder.decode(self.path.read_bytes())
                if (file.version, file.made_by) == (VERSION, self._made_by):
                    return file.sessions
        return {}

    def get(self, listed: Listed) -> SessionFacts | None:
        """What is known of the session as it is now; None where it is new or has changed."""
        entry = self._entries.get(listed.path)
        return entry.facts if entry is not None and entry.fits(listed) else None

    def put(self, listed: Listed, facts: SessionFacts) -> None:
        """Keep what was found out. A path that is no text can be no key: it is not kept."""
        if _is_text(listed.path):
            entry = _Entry(listed.size, listed.mtime_ns, listed.beside, facts)
            self._entries[listed.path] = entry
            self._changed = True

    def save(self, there: Iterable[str]) -> None:
        """Write the cache, if it has changed, by a temporary file and a rename.

        ``there`` are paths that are known to exist; of the others, those that have vanished are
        dropped. A folder that cannot be written is left alone.
        """
        known = set(there)
        gone = [path for path in self._entries if path not in known and not Path(path).exists()]
        for path in gone:
            del self._entries[path]
        if not self._changed and not gone:
            return
        self._changed = False
        data = msgspec.json.encode(_File(VERSION, self._made_by, self._entries))
        with suppress(OSError):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write_whole(self.path, data)


def _write_whole(path: Path, data: bytes) -> None:
    """Nobody ever sees half of it; nobody but the user may read it."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        temporary = Path(file.name)
        try:
            file.write(data)
            file.flush()
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def _own_version() -> str:
    """Another version of the program finds other things."""
    try:
        return version("tapeview")
    except PackageNotFoundError:
        return ""


def _is_text(path: str) -> bool:
    """Whether a path is Unicode; one that is not cannot stand in JSON."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


# -- the check -------------------------------------------------------------------------------------


def open_listed(path: str, read: Callable[[str], OpenSession] = begin) -> OpenSession:
    """Open a session of the list. It was a file when it was listed: a pipe is not waited for.

    Raises ``OpenError`` with one sentence for whatever cannot be read as a session.
    """
    file = Path(path)
    if not file.is_file() and not file.is_dir() and file.exists():
        raise OpenError(f"{path}: this is a pipe or a device by now, no file.")
    return read(path)


def examine(path: str) -> Checked:
    """Read a session whole and say what one needs to recognise and to judge it."""
    try:
        return _checked(open_listed(path, load))
    except TapeviewError as error:
        # Whoever shows the sentence shows the path beside it.
        return unexamined(printable(str(error)).removeprefix(f"{printable(path)}: "))
    except FAULTS:
        return unexamined("it changed while it was read.")


def unexamined(sentence: str) -> Checked:
    """The outcome for a session that cannot be read, or whose check broke off."""
    return Checked(error=clean_line(printable(sentence), SENTENCE))


def _checked(opened: OpenSession) -> Checked:
    snapshot = opened.snapshot()
    session, counts = snapshot.session, snapshot.severity_counts
    agents = _agents(opened)
    bars, largest = size_bars(snapshot, 0)
    found = Counter(str(link.state) for link in snapshot.links)
    times = [record.time for record in session.records if record.time]
    first, _ = next(_prompts(snapshot, session.records), ("", ""))
    last, last_at = next(_prompts(snapshot, reversed(session.records)), ("", ""))
    return Checked(
        errors=counts["error"] + sum(agent.errors for agent in agents),
        warnings=counts["warning"] + sum(agent.warnings for agent in agents),
        turns=len(snapshot.turn_numbers),
        links={state: found[state] for state in LINK_STATES if found[state]},
        verdict=clean_line(snapshot.verdict, SENTENCE),
        model=clean_line(session.frame.model, PROMPT),
        folder=clean_line(session.folder, PROMPT),
        first=first,
        last=last,
        last_at=clean_line(last_at, PROMPT),
        begun=clean_line(min(times, default=""), PROMPT),
        ended=clean_line(max(times, default=""), PROMPT),
        end=_end(snapshot),
        bars="".join(str(bar.eighths) for bar in bars),
        tones="".join(bar.tone[0] for bar in bars),
        largest=largest,
        agents=agents[:AGENTS],
        faulty_agents=len(agents),
    )


def _agents(opened: OpenSession) -> list[AgentFaults]:
    """Sub-agents with errors, warnings or broken links."""
    found: list[AgentFaults] = []
    for tape in opened.session.tapes:
        if tape.kind != "agent":
            continue
        snapshot = opened.snapshot(tape.id)
        counts, states = snapshot.severity_counts, snapshot.index.link_counts
        errors, warnings = counts["error"], counts["warning"]
        links: dict[str, int] = {state: states[state] for state in BROKEN_LINKS if states[state]}
        if errors or warnings or links:
            found.append(AgentFaults(clean_line(tape.id, PROMPT), errors, warnings, links))
    return sorted(found, key=lambda agent: not agent.errors)


def _prompts(snapshot: Snapshot, records: Iterable[Record]) -> Iterator[tuple[str, str]]:
    """What humans asked, in the order of ``records``, each with its time; no commands."""
    for record in records:
        facts = facts_of(record)
        if record.kind != "message" or record.role != "user":
            continue
        if facts.meta or facts.sidechain or facts.summary or facts.shown_only:
            continue
        for block in record.blocks:
            if block.kind != "text":
                continue
            parts = parts_of(snapshot.session, record, block)
            text = parts[0].text if parts else ""
            if not is_command(text) and (words := prompt_words(text)):
                yield words, record.time


def _end(snapshot: Snapshot) -> LastBlock | None:
    """The last block, unless it is a prompt."""
    messages = snapshot.tape.messages
    for number in range(len(messages) - 1, -1, -1):
        message = messages[number]
        if not message.blocks:
            continue
        block = message.blocks[-1]
        at = len(message.blocks) - 1
        record = message.record_of(block)
        row = Row("block", message=number, number=at, block=block, record=record)
        text = describe(snapshot.session, snapshot.index, row)
        if text.sign == "prompt":
            return None
        badge = badge_of(snapshot, row, text, True)
        word, loudness = badge if badge is not None else ("", "")
        return LastBlock(
            text.sign, text.name, clean_line(text.gist, PROMPT), clean_line(word, 40), loudness
        )
    return None
