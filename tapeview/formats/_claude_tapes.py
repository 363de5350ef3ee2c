"""The other lines of a Claude Code session: segments, branches, sub-agents (``formats.md`` b.4)."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from tapeview.formats._claude_breaks import breaks_of
from tapeview.formats._claude_chain import ROOT, Chain, Tree, chain_of
from tapeview.formats._claude_group import group
from tapeview.formats._claude_line import facts_of
from tapeview.formats._claude_sent import clean
from tapeview.tape.block import Block
from tapeview.tape.clean import printable
from tapeview.tape.message import Message
from tapeview.tape.record import Record
from tapeview.tape.tape import Break, Tape, TapeKind
from tapeview.tape.turn import turns_of

__all__ = [
    "AGENT_TOOLS",
    "AgentFile",
    "agents_in_files",
    "begins_with",
    "branches",
    "inline_agents",
    "is_prompt",
    "numbered",
    "segment_lines",
    "segments",
    "tree_before",
]

AGENT_TOOLS = frozenset({"Task", "Agent"})

PromptOf = Callable[[Record, Block], str]
"""The prompt that a call gives its sub-agent, or the text of a user line."""


RecordWords = Callable[[Record], str]
"""What started a compaction: ``manual`` or ``auto``."""


class AgentFile(msgspec.Struct, frozen=True):
    """A sub-agent's own file: its id, its records, and the call that its side file names."""

    id: str
    records: tuple[Record, ...]
    tool_use_id: str = ""


def segments(
    records: Sequence[Record], tree: Tree, chain: Chain, words_of: RecordWords
) -> list[Tape]:
    """The arrays before each boundary, ``main~1`` the last of them first."""
    found: list[Tape] = []
    held = set(chain.lines)
    for lines in segment_lines(records, tree, chain):
        name = f"main~{len(found) + 1}"
        own = [record for record in lines if record not in held]
        held.update(own)
        begins = begins_with(lines[0], words_of)
        found.append(_line(name, "segment", group(lines), own, begins=begins))
    return found


def segment_lines(
    records: Sequence[Record], tree: Tree, chain: Chain
) -> Iterator[Sequence[Record]]:
    """The lines before each boundary, the last boundary first; notes included."""
    first = _first(chain)
    limit = len(records)
    while first is not None and facts_of(first).subtype == "compact_boundary":
        if tree.position[first] >= limit:
            break
        limit = tree.position[first]
        lines = _lines_before(tree, records, first, limit)
        if not any(record.kind == "message" for record in lines):
            break
        yield lines
        first = lines[0]


def _lines_before(
    tree: Tree, records: Sequence[Record], boundary: Record, limit: int
) -> list[Record]:
    """The line that a boundary ended."""
    before = tree_before(tree, records, boundary, limit)
    leaf = tree.by_uuid.get(facts_of(boundary).logical_parent) if before is tree else None
    return before.line_to(leaf) if leaf is not None else list(chain_of(before).lines)


def tree_before(tree: Tree, records: Sequence[Record], boundary: Record, limit: int) -> Tree:
    """The tree of the line that a boundary ended: where one kept lines, those moved: read anew."""
    leaf = None if tree.segment else tree.by_uuid.get(facts_of(boundary).logical_parent)
    if leaf is not None and tree.position[leaf] < limit:
        return tree
    before = Tree(records[:limit])
    before.all_side = tree.all_side
    return before


def begins_with(first: Record | None, words_of: RecordWords) -> str:
    """``compacted 14:02:51 · auto``, where the line begins at a boundary."""
    if first is None or facts_of(first).subtype != "compact_boundary":
        return ""
    words = f"compacted {printable(first.time[11:19])}".rstrip()
    trigger = printable(words_of(first))[:20]
    return f"{words} · {trigger}" if trigger else words


def _first(chain: Chain) -> Record | None:
    return chain.lines[0] if chain.lines else None


def _line(
    name: str,
    kind: TapeKind,
    messages: tuple[Message, ...],
    own: Sequence[Record],
    caller: Block | None = None,
    after: Record | None = None,
    begins: str = "",
    breaks: tuple[Break, ...] = (),
) -> Tape:
    cleaned = clean(messages, resumed=False)
    return Tape(
        name,
        kind,
        messages,
        cleaned.messages,
        cleaned.dropped,
        own=frozenset(own),
        caller=caller,
        after=after,
        begins=begins,
        breaks=breaks,
    )


def numbered(main: Tape, before: Sequence[Tape]) -> tuple[Tape, ...]:
    """Main and its segments with turns counted through, oldest segment first."""
    if not before:
        return (main,)
    number = 1
    counted: list[Tape] = []
    for tape in (*reversed(before), main):
        counted.append(msgspec.structs.replace(tape, first_turn=number))
        number += len(turns_of(tape.messages))
    return (counted[-1], *reversed(counted[:-1]))


def branches(tree: Tree, chain: Chain, held: set[Record], first_turn: int) -> list[Tape]:
    """Lines that a rewind or a retry left; ``held`` are records of other lines, and grows.

    Most forks are no branches: they come from parallel calls and hooks. One is a branch only where
    a prompt stands against another prompt or a reply, or where a line says so of itself.
    """
    found: list[Tape] = []
    leaves = [leaf for leaf in tree.leaves if leaf not in held and not facts_of(leaf).sidechain]
    follows = _next_spoken(chain.lines) if leaves else {}
    for leaf in leaves:
        if leaf in held:
            continue
        reason, top = tree.fate(leaf)
        if reason == ROOT and top not in held:
            continue  # it has its own beginning; the ends of its forks may be many
        line = tree.line_to(leaf)
        start = next((k for k, record in enumerate(line) if record not in held), len(line))
        own = line[start:]
        after = line[start - 1] if start else None
        if after is None or not _parts_ways(own, follows.get(after)):
            continue
        name = f"branch:{len(found) + 1}"
        tape = _line(name, "branch", group(line), own, after=after)
        if line[0] is chain.lines[0]:
            tape = msgspec.structs.replace(tape, first_turn=first_turn)
        found.append(tape)
        held.update(own)
        follows = _next_spoken(line) | follows
    return found


def _next_spoken(line: Sequence[Record]) -> dict[Record, Record]:
    """For each line the next one that says something."""
    found: dict[Record, Record] = {}
    ahead: Record | None = None
    for record in reversed(line):
        if ahead is not None:
            found[record] = ahead
        if record.kind == "message":
            ahead = record
    return found


def _parts_ways(own: Sequence[Record], other: Record | None) -> bool:
    mine = next((record for record in own if record.kind == "message"), None)
    if mine is not None and any(facts_of(record).branches_off for record in own):
        return True
    if mine is None or other is None:
        return False
    if is_prompt(mine):
        return is_prompt(other) or other.role == "assistant"
    return mine.role == "assistant" and is_prompt(other)


def is_prompt(record: Record) -> bool:
    """Whether a person or another agent said it: user text that is no result, nor injected."""
    if record.kind != "message" or record.role != "user" or facts_of(record).meta:
        return False
    return not any(block.kind == "tool_result" for block in record.blocks)


def inline_agents(
    records: Sequence[Record], callers: Sequence[tuple[Record, Block]], text_of: PromptOf
) -> list[Tape]:
    """Sub-agents of older versions, whose lines stand among the session's own.

    No id ties them to a call: the first line repeats the prompt that the call gave.
    """
    side = [record for record in records if facts_of(record).sidechain]
    if not side:
        return []
    tree = Tree(side)
    found: list[Tape] = []
    held: set[Record] = set()
    free = list(callers)
    place = {record: k for k, record in enumerate(records)}
    for leaf in tree.leaves:
        if leaf in held:
            continue
        line = [record for record in tree.line_to(leaf) if record not in held]
        if not line:
            continue
        held.update(line)
        caller = _take_caller(line[0], free, text_of, place)
        found.append(_line(f"agent:line-{line[0].line}", "agent", group(line), line, caller))
    return found


def _take_caller(
    first: Record,
    free: list[tuple[Record, Block]],
    text_of: PromptOf,
    place: Mapping[Record, int],
) -> Block | None:
    """The call above the line that gave this prompt; it is given to nobody else."""
    if not first.blocks:
        return None
    said = text_of(first, first.blocks[0])
    for k, (record, block) in enumerate(free):
        if place[record] < place[first] and said and text_of(record, block) == said:
            return free.pop(k)[1]
    return None


def agents_in_files(
    files: Sequence[AgentFile], asked: dict[str, Block], by_id: dict[str, Block]
) -> Iterator[Tape]:
    """Sub-agents with a file of their own. ``asked``: agent id to the call whose result names it;
    ``by_id``: tool_use id to call.
    """  # noqa: D205
    for file in files:
        tree = Tree(file.records)
        chain = chain_of(tree)
        caller = asked.get(file.id) or by_id.get(file.tool_use_id)
        yield _line(
            f"agent:{printable(file.id)}",
            "agent",
            chain.messages,
            file.records,
            caller,
            breaks=breaks_of(tree, chain),
        )
