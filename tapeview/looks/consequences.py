"""What an edit would do: blocks, findings, signed thinking, the prompt cache."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import compress, zip_longest
from operator import is_not
from typing import Final, NamedTuple

from tapeview.edit.edit import Edit
from tapeview.open_session import OpenSession
from tapeview.rules._engine import Finding
from tapeview.snapshot import Snapshot
from tapeview.tape.block import BlockFacts
from tapeview.tape.message import Message
from tapeview.tape.record import Record
from tapeview.tape.sizes import count, size_long

__all__ = ["Consequences", "cache_from", "consequence_lines", "consequences_of"]


NOT_CACHED: Final = frozenset(
    [
        *("max_tokens", "metadata", "service_tier", "stop_sequences", "stream"),
        *("temperature", "top_k", "top_p"),
        *("frequency_penalty", "logprobs", "max_completion_tokens", "n", "presence_penalty"),
        *("seed", "stop", "stream_options", "top_logprobs", "user"),
    ]
)
"""Parameters that change nothing of a prompt: what is cached of it stays."""


class Consequences(NamedTuple):
    """What changes for the tape that is looked at."""

    changed: int
    """Records whose message changes in its place."""
    added: int
    removed: int
    appear: tuple[Finding, ...]
    """Findings that were not there before."""
    vanish: tuple[Finding, ...]
    signed: int
    """Signed thinking blocks behind the change: newer models refuse them."""
    cache_from: int
    """The first message of the sent tape that is not what it was; -1 where none is."""
    cache_lost: int
    """Bytes of the messages sent from there on."""
    verdict: str
    """The header's sentence, as it would be."""


def consequences_of(opened: OpenSession, edit: Edit, tape: str = "main") -> Consequences:
    """What an edit would do. Nothing changes by asking."""
    before = opened.snapshot(tape)
    after = opened.look_after(edit, tape)
    became = dict(edit.became)
    old = {_key(f, became): f for f in before.findings}
    new = {_key(f, {}): f for f in after.findings}
    removed, added = _blocks(edit)
    changed = {new for old, new in edit.became if _says(before, old) != _says(after, new)}
    kept = {new: old for old, new in edit.became if new not in changed}
    first = _cache_from(before, after, edit, kept)
    sent = after.sent_index
    behind = len(sent.messages) if first < 0 else first
    return Consequences(
        changed=len(changed),
        added=added,
        removed=removed,
        appear=tuple(finding for key, finding in new.items() if key not in old),
        vanish=tuple(finding for key, finding in old.items() if key not in new),
        signed=sum(sent.signed[behind + 1 :]),
        cache_from=first,
        cache_lost=sum(sent.sizes[behind:]),
        verdict=after.verdict,
    )


def cache_from(opened: OpenSession, edit: Edit, tape: str = "main") -> int:
    """``Consequences.cache_from`` alone, which takes less time than all of them."""
    before = opened.snapshot(tape)
    after = opened.look_after(edit, tape)
    kept = {n: old for old, n in edit.became if _says(before, old) == _says(after, n)}
    return _cache_from(before, after, edit, kept)


def consequence_lines(found: Consequences) -> list[tuple[str, str]]:
    """The same as a key and a sentence each; what does not change has no line."""
    lines = [("blocks", _block_words(found))]
    for verb, findings in (("mends", found.vanish), ("breaks", found.appear)):
        listed = [f"{f.rule.code} {f.severity} at {f.at}" for f in findings[:4]]
        if len(findings) > 4:
            listed.append(f"and {len(findings) - 4} more")
        lines += [(verb if not k else "", words) for k, words in enumerate(listed)]
    lines.append(("then", found.verdict))
    if found.signed:
        blocks = count(found.signed, "thinking block")
        verb = "stands" if found.signed == 1 else "stand"
        lines.append(("signed", f"{blocks} {verb} behind it; some models refuse them"))
    if found.cache_from >= 0:
        size = size_long(found.cache_lost)
        lines.append(("cache", f"lost from messages.{found.cache_from} on, {size}"))
    return lines


def _block_words(found: Consequences) -> str:
    parts = [
        f"{number} {verb}"
        for number, verb in (
            (found.changed, "changed"),
            (found.added, "added"),
            (found.removed, "removed"),
        )
        if number
    ]
    return ", ".join(parts) or "none changed"


def _key(finding: Finding, became: Mapping[Record, Record]) -> Hashable:
    """The same fault before and after: a block of its kind and id in the same record."""
    record, block = finding.record, finding.block
    if record is None:
        return finding.rule.code, finding.fault.ids
    now = became.get(record, record)
    looks = (block.kind, block.id) if block is not None else None
    return finding.rule.code, now, looks, finding.fault.place.nested


def _blocks(edit: Edit) -> tuple[int, int]:
    """Blocks of records that go, and of records that are put in."""
    kept_old = {old for old, _ in edit.became}
    kept_new = {new for _, new in edit.became}
    removed = added = 0
    for splice in edit.splices:
        removed += sum(len(r.blocks) for r in splice.old if r not in kept_old)
        added += sum(len(r.blocks) for r in splice.new if r not in kept_new)
    for old, new in edit.became:
        more = len(new.blocks) - len(old.blocks)
        added, removed = added + max(0, more), removed + max(0, -more)
    return removed, added


def _says(snapshot: Snapshot, record: Record) -> bytes:
    """The message in a record; the rest of a record is never sent."""
    return b"" if record.kind != "message" else snapshot.session.message_of(record)


def _cache_from(
    before: Snapshot, after: Snapshot, edit: Edit, kept: Mapping[Record, Record]
) -> int:
    if edit.frames is not None and any(
        name not in NOT_CACHED for name, _, _ in edit.frames[0].changed(edit.frames[1])
    ):
        return 0
    return _first_difference(before.tape.sent, after.tape.sent, kept)


def _first_difference(
    before: Sequence[Message], after: Sequence[Message], kept: Mapping[Record, Record]
) -> int:
    """The first message that is not the same; -1 where all are."""
    if before is after:
        return -1
    same = _same_until(before, after)
    for number, (old, new) in enumerate(zip_longest(before[same:], after[same:]), same):
        if old is None or new is None or old.role != new.role:
            return number
        if old.blocks != new.blocks and _records(old, {}) != _records(new, kept):
            return number
    return -1


def _same_until(before: Sequence[Message], after: Sequence[Message]) -> int:
    """How many messages at the beginning are the very same ones."""
    shorter = min(len(before), len(after))
    differ = map(is_not, before, after)
    return next(compress(range(shorter), differ), shorter)


def _records(message: Message, kept: Mapping[Record, Record]) -> list[Record | bytes | None]:
    """What a message consists of; what the harness adds is made anew each time, and is its text."""
    return [
        record.text
        if any(block.facts & BlockFacts.ADDED for block in record.blocks)
        else kept.get(record, record)
        for record in message.records
    ]
