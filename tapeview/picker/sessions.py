"""Which sessions there are: the folders of the harnesses on this machine, and the samples.

Nothing here reads a whole file: a listing comes from the folders alone, a ``Glance`` from the
first 64 KB.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import blake2b
from os import DirEntry, scandir
from pathlib import Path
from typing import Final, NamedTuple

import tapeview
from tapeview.errors import OpenError
from tapeview.formats._claude_members import PREFIX, files_beside
from tapeview.formats._source import open_source
from tapeview.tape.clean import clean_line
from tapeview.tape.json_text import JsonFault, loads

__all__ = [
    "HARNESSES",
    "NO_GLANCE",
    "PROMPT",
    "Glance",
    "Harness",
    "Listed",
    "find_samples",
    "find_sessions",
    "glance",
    "is_command",
    "project_of",
    "prompt_words",
    "samples_folder",
]

HEAD: Final = 64 * 1024
"""Bytes that a glance reads."""
PROMPT: Final = 200
"""Characters of a prompt that are kept, cleaned."""
MUCH: Final = 20_000
"""Characters of a text in which the human's own words are looked for."""


class Listed(NamedTuple):
    """One session file, as the folder's listing knows it."""

    path: str
    harness: str
    """The name of the format."""
    folder: str
    """The name of the folder that it lies in; of a sample its own name without the ending."""
    size: int
    mtime_ns: int
    sample: str | None = None
    """What a shipped sample is, in a sentence; None for a session of a harness."""
    beside: str = ""
    """Another text once a file of a sub-agent has come, gone or changed; "" without any."""

    @property
    def seconds(self) -> float:
        """When it was last written, in seconds since 1970."""
        return self.mtime_ns / 1e9


class Glance(NamedTuple):
    """What the first bytes of a session tell, clean for any terminal."""

    cwd: str = ""
    """The folder that the agent was started in, where the file says so."""
    prompt: str = ""
    """The first thing that a human asked, at most ``PROMPT`` characters."""


NO_GLANCE: Final = Glance()


class Harness(NamedTuple):
    """Where a harness keeps its sessions, and how to glance at one."""

    name: str
    """The name of its format."""
    title: str
    root: Callable[[Mapping[str, str]], Path]
    files: Callable[[Path], Iterator[tuple[DirEntry[str], str]]]
    """The session files below the root, each with its ``Listed.beside``.

    What is no session of its own is left out.
    """
    glance: Callable[[bytes], Glance]


def find_sessions(environ: Mapping[str, str]) -> list[Listed]:
    """All sessions of all harnesses, newest first. What cannot be read is passed over."""
    found = [listed for harness in HARNESSES for listed in _listing(harness, environ)]
    return sorted(found, key=lambda listed: (-listed.mtime_ns, listed.path))


def _listing(harness: Harness, environ: Mapping[str, str]) -> Iterator[Listed]:
    for entry, beside in harness.files(harness.root(environ)):
        with suppress(OSError):
            if entry.is_file() and (facts := entry.stat()).st_size:
                folder = Path(entry.path).parent.name
                size, written = facts.st_size, facts.st_mtime_ns
                yield Listed(entry.path, harness.name, folder, size, written, beside=beside)


def _entries(folder: Path | str) -> Iterator[DirEntry[str]]:
    """What lies in a folder; nothing where there is none, or none that may be read."""
    with suppress(OSError), scandir(folder) as entries:
        yield from entries


def glance(listed: Listed) -> Glance:
    """What the head of a session tells. Never raises: what cannot be read tells nothing."""
    for harness in HARNESSES:
        if harness.name == listed.harness:
            with suppress(OpenError, OSError):
                if Path(listed.path).is_file():  # still, and no pipe that may never end
                    return harness.glance(open_source(listed.path).read(0, HEAD))
    return NO_GLANCE


# -- Claude Code -----------------------------------------------------------------------------------


def _claude_root(environ: Mapping[str, str]) -> Path:
    """``$CLAUDE_CONFIG_DIR/projects``, else ``~/.claude/projects`` (``formats.md`` b.1)."""
    base = environ.get("CLAUDE_CONFIG_DIR") or str(Path(environ.get("HOME", "~")) / ".claude")
    return Path(base).expanduser() / "projects"


def _claude_files(root: Path) -> Iterator[tuple[DirEntry[str], str]]:
    """Main transcripts: they stand in a project's folder itself.

    Older versions put the files of sub-agents there too (only a look inside tells whose they are,
    so they concern every session of the folder), newer ones and long tool results stand in a
    folder named after the session.
    """
    for folder in _entries(root):
        entries = list(_entries(folder.path))
        names = {entry.name for entry in entries}
        older = _stamp(entry for entry in entries if entry.name.startswith(PREFIX))
        for entry in entries:
            if entry.name.endswith(".jsonl") and not entry.name.startswith(PREFIX):
                own = entry.path.removesuffix(".jsonl")
                newer = entry.name.removesuffix(".jsonl") in names
                yield entry, older + (_stamp(files_beside(own)) if newer else "")


def _stamp(entries: Iterable[DirEntry[str]]) -> str:
    """A text that stands for the names, sizes and times of files; "" where there are none."""
    found = []
    for entry in entries:
        with suppress(OSError):
            facts = entry.stat()
            found.append(f"{facts.st_size} {facts.st_mtime_ns} {entry.path}\n")
    whole = "".join(sorted(found)).encode("utf-8", "surrogateescape")
    return blake2b(whole, digest_size=8).hexdigest() if found else ""


def _claude_glance(head: bytes) -> Glance:
    cwd = prompt = command = ""
    for line in head.split(b"\n"):
        try:
            row = loads(line) if line.startswith(b"{") else None
        except JsonFault:  # damaged, or the last one, cut off by the end of the head
            continue
        if not isinstance(row, dict):
            continue
        if not cwd and isinstance(row.get("cwd"), str):
            cwd = clean_line(row["cwd"], PROMPT)
        words, typed = _claude_prompt(row)
        if typed:
            command = command or words
        else:
            prompt = prompt or words
        if cwd and prompt:
            break
    return Glance(cwd, prompt or command)


def _claude_prompt(row: Mapping[str, object]) -> tuple[str, bool]:
    """What a human says in a line, and whether it is a command such as ``/init``."""
    message = row.get("message")
    marks = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly")
    if row.get("type") != "user" or not isinstance(message, dict) or any(map(row.get, marks)):
        return "", False
    content = message.get("content")
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    for block in blocks:
        text = block.get("text") if isinstance(block, dict) else None
        if isinstance(text, str) and (words := prompt_words(text)):
            return words, is_command(text)
    return "", False


HARNESSES: Final = (
    Harness("claude-code", "Claude Code", _claude_root, _claude_files, _claude_glance),
)
"""The table: a further harness is one more row."""


_injected = re.compile(
    r"\s*<(system-reminder|local-command-[a-z]+|bash-[a-z]+|command-[a-z]+|ide_[a-z_]+"
    r"|task-notification|user-prompt-submit-hook)>(.*?)</\1>",
    re.DOTALL,
)
_not_typed = re.compile(
    r"\s*(<(system-reminder|local-command-|bash-|command-|ide_|task-notification)"
    r"|\[Request interrupted by user|Caveat: The messages below were generated)"
)


def prompt_words(text: str) -> str:
    """The human's own words in a user's text, cleaned, at most ``PROMPT`` characters.

    What a harness puts in front (reminders, opened files, output of commands) is left out; a
    command is ``/name`` and its arguments. Empty where nobody typed any of it.
    """
    text = text[:MUCH]
    told: dict[str, str] = {}
    at = 0
    while found := _injected.match(text, at):
        told.setdefault(found[1], found[2])
        at = found.end()
    rest = text[at:]
    if rest.strip() and not _not_typed.match(rest):
        return clean_line(rest, PROMPT)
    command = f"{told.get('command-name', '')} {told.get('command-args', '')}"
    return clean_line(command, PROMPT)


# -- samples ---------------------------------------------------------------------------------------


def samples_folder() -> Path | None:
    """The shipped samples: in the installed package, or beside it in a checkout."""
    package = Path(tapeview.__file__).parent
    places = (package / "sample_sessions", package.parent / "sample_sessions")
    return next((place for place in places if (place / "README.md").is_file()), None)


def find_samples(folder: Path | None) -> list[Listed]:
    """The samples that the folder's README tells of, in its order."""
    if folder is None:
        return []
    found = []
    with suppress(OSError, UnicodeDecodeError):
        for line in (folder / "README.md").read_text(encoding="utf-8").splitlines():
            cells = [cell.strip() for cell in line.strip().strip("|").split("|", 2)]
            if len(cells) == 3 and (path := folder / cells[0].strip("`")).is_file():
                facts = path.stat()
                kind = cells[1].partition(",")[0]
                words = clean_line(cells[2].replace("`", ""))
                size, written = facts.st_size, facts.st_mtime_ns
                beside = _stamp(files_beside(str(path.with_suffix(""))))
                found.append(Listed(str(path), kind, path.stem, size, written, words, beside))
    return found


def is_command(text: str) -> bool:
    """Whether a user's text is a command such as ``/init``, as the harness stores it."""
    return "<command-name>" in text[:MUCH]


def project_of(listed: Listed, cwd: str) -> str:
    """The last part of the folder that the agent worked in, else the folder's name; clean."""
    if listed.sample is not None:
        return clean_line(listed.folder, PROMPT)
    last = re.split(r"[/\\]", cwd.rstrip("/\\"))[-1]
    return clean_line(last or listed.folder, PROMPT)
