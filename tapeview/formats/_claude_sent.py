"""How Claude Code cleans the stored chain before it sends it: ``formats.md`` b.3, steps 6 to 8."""

import json
from collections.abc import Sequence

import msgspec

from tapeview.formats._claude_chain import Chain
from tapeview.formats._claude_line import facts_of
from tapeview.formats._claude_sound import is_sound
from tapeview.tape.block import RESULTS, Block, BlockFacts
from tapeview.tape.message import Message
from tapeview.tape.record import Record, Role
from tapeview.tape.sizes import count

__all__ = ["Cleaned", "clean", "clean_in_full", "resume_sentence", "sentence_of"]

CONTINUE = "Continue from where you left off."
NO_RESPONSE = "No response requested."
MISSING_RESULT = "[Tool result missing due to internal error]"
ORPHAN_REMOVED = "[Orphaned tool result removed due to conversation resume]"
NO_CONTENT = "(no content)"
THINKING = ("thinking", "redacted_thinking")


class Cleaned(msgspec.Struct, frozen=True):
    """The sent tape, and the reason for each record that it leaves out."""

    messages: tuple[Message, ...]
    dropped: dict[Record, str]
    unanswered: int = 0
    """Calls that are left out because nothing answers them."""


class _Draft(msgspec.Struct):
    """A message on its way: blocks with the record each comes from."""

    role: Role
    id: str
    pairs: list[tuple[Record, Block]]


def clean(chain: Sequence[Message], resumed: bool = True, attached: bool = False) -> Cleaned:
    """The stored chain as it is sent; the same tuple where nothing has to change.

    A line that nobody resumes (a segment, a branch, a sub-agent) is not closed by step 7.
    ``attached``: attachments follow its last line.
    """
    if is_sound(chain, resumed):
        return Cleaned(tuple(chain), {})
    return clean_in_full(chain, resumed, attached)


def clean_in_full(chain: Sequence[Message], resumed: bool, attached: bool = False) -> Cleaned:
    """The same, step by step, for a chain in which something may have to change."""
    dropped, unanswered = _drop(chain)
    drafts = _drafts(chain, dropped)
    if resumed:
        _close_interrupted(drafts, attached)
    drafts = _pair(drafts)
    messages = tuple(_message(draft) for draft in drafts)
    _note_removed(chain, messages, dropped)
    stored = tuple(chain)
    same = len(messages) == len(stored) and all(
        ours.blocks == theirs.blocks for ours, theirs in zip(messages, stored, strict=True)
    )
    return Cleaned(stored if same else messages, dropped, unanswered)


def _drop(chain: Sequence[Message]) -> tuple[dict[Record, str], int]:
    """Step 6, and the lines of step 8 that are never sent."""
    answered = {block.id for message in chain for block in message.blocks if block.kind in RESULTS}
    dropped: dict[Record, str] = {}
    unanswered = 0
    for message in chain:
        for record in message.records:
            facts = facts_of(record)
            calls = [block for block in record.blocks if block.kind == "tool_use"]
            if record.is_failure:
                dropped[record] = "error reply"
            elif facts.shown_only:
                dropped[record] = "shown only"
            elif calls and not any(call.id in answered for call in calls):
                dropped[record] = "unanswered"
                unanswered += len(calls)
            elif message.role == "assistant" and _is_blank(record):
                dropped[record] = "blank"
        if message.role == "assistant":
            _drop_lonely_thinking(message, dropped)
    return dropped, unanswered


def _is_blank(record: Record) -> bool:
    nothing = BlockFacts.EMPTY | BlockFacts.BLANK
    return bool(record.blocks) and all(
        block.kind == "text" and block.facts & nothing for block in record.blocks
    )


def _drop_lonely_thinking(message: Message, dropped: dict[Record, str]) -> None:
    left = [record for record in message.records if record not in dropped]
    kinds = {block.kind for record in left for block in record.blocks}
    if kinds and kinds.issubset(THINKING):
        dropped.update(dict.fromkeys(left, "thinking alone"))


def _drafts(chain: Sequence[Message], dropped: dict[Record, str]) -> list[_Draft]:
    drafts: list[_Draft] = []
    for message in chain:
        pairs = [
            (record, block)
            for record in message.records
            if record not in dropped
            for block in record.blocks
        ]
        if not pairs:
            if message.role == "user" or all(record in dropped for record in message.records):
                continue
            pairs = [_added_text(NO_CONTENT)]
        last = drafts[-1] if drafts else None
        joins = last is not None and last.role == message.role
        if last is not None and joins and (message.role == "user" or message.id == last.id != ""):
            last.pairs += pairs
        else:
            drafts.append(_Draft(message.role, message.id, pairs))
    return drafts


def _close_interrupted(drafts: list[_Draft], attached: bool) -> None:
    """Step 7: a tape that ends on results, or on the user, is closed by two added messages.

    A prompt that attachments follow was as good as sent; they close a summary, or what the harness
    said itself, without a word (seen with 2.1.197).
    """
    if not drafts or drafts[-1].role != "user":
        return
    record, block = drafts[-1].pairs[-1]
    own = facts_of(record).summary or facts_of(record).meta
    if block.kind == "tool_result" or (attached and not own):
        drafts[-1].pairs.append(_added_text(CONTINUE))
    elif attached:
        return
    drafts.append(_Draft("assistant", "", [_added_text(NO_RESPONSE)]))


def _pair(drafts: Sequence[_Draft]) -> list[_Draft]:
    """Step 8: results first, repeated calls and orphans out, missing results in."""
    seen: set[str] = set()
    whole: list[_Draft] = []
    waiting: list[str] = []
    for draft in drafts:
        if draft.role == "assistant":
            if waiting:
                whole.append(_Draft("user", "", _missing(waiting)))
            pairs = _first_calls(draft, seen)
            waiting = [block.id for _, block in pairs if block.kind == "tool_use"]
            whole.append(_Draft("assistant", draft.id, pairs))
            continue
        pairs = _answers(draft, waiting)
        waiting = []
        # An emptied message stays, so that two replies do not meet (seen with 2.1.197).
        pairs = pairs or [_added_text(NO_CONTENT if whole else ORPHAN_REMOVED)]
        whole.append(_Draft("user", "", pairs))
    if waiting:
        whole.append(_Draft("user", "", _missing(waiting)))
    return whole


def _first_calls(draft: _Draft, seen: set[str]) -> list[tuple[Record, Block]]:
    pairs = []
    for record, block in draft.pairs:
        if block.kind == "tool_use":
            if block.id in seen:
                continue
            seen.add(block.id)
        pairs.append((record, block))
    while pairs and pairs[-1][1].kind in THINKING:
        pairs.pop()
    return pairs or [_added_text(NO_CONTENT)]


def _answers(draft: _Draft, waiting: Sequence[str]) -> list[tuple[Record, Block]]:
    asked = set(waiting)
    results, others, found = [], [], set()
    for pair in draft.pairs:
        if pair[1].kind != "tool_result":
            others.append(pair)
        elif pair[1].id in asked:
            results.append(pair)
            found.add(pair[1].id)
    return [*results, *_missing([call for call in waiting if call not in found]), *others]


def _missing(calls: Sequence[str]) -> list[tuple[Record, Block]]:
    return [_added_result(call) for call in calls]


def _note_removed(
    chain: Sequence[Message], sent: Sequence[Message], dropped: dict[Record, str]
) -> None:
    """The reason for lines of which step 8 has left no block."""
    kept = {id(block) for message in sent for block in message.blocks}
    for message in chain:
        for record in message.records:
            if record in dropped or any(id(block) in kept for block in record.blocks):
                continue
            kinds = {block.kind for block in record.blocks}
            if "tool_result" in kinds:
                dropped[record] = "no open call"
            elif "tool_use" in kinds:
                dropped[record] = "repeated id"
            else:
                dropped[record] = "trailing thinking" if kinds else "no content"


def _message(draft: _Draft) -> Message:
    records = tuple(dict.fromkeys(record for record, _ in draft.pairs))
    blocks = tuple(block for _, block in draft.pairs)
    return Message(draft.role, records, blocks, draft.role, draft.id)


def _added_text(text: str) -> tuple[Record, Block]:
    raw = _line({"type": "text", "text": text})
    block = Block("text", ("content", 0), len(text), facts=BlockFacts.ADDED)
    return Record(-1, 0, 0, "message", blocks=(block,), text=raw), block


def _line(block: dict[str, object]) -> bytes:
    return json.dumps({"message": {"content": [block]}}).encode()


def _added_result(call: str) -> tuple[Record, Block]:
    body = {
        "type": "tool_result",
        "tool_use_id": call,
        "content": MISSING_RESULT,
        "is_error": True,
    }
    raw = _line(body)
    facts = BlockFacts.ADDED | BlockFacts.IS_ERROR
    block = Block("tool_result", ("content", 0), len(MISSING_RESULT), call, facts=facts)
    return Record(-1, 0, 0, "message", blocks=(block,), text=raw), block


def resume_sentence(chain: Chain, cleaned: Cleaned) -> str:
    """What resuming would do, in one line; stored messages are counted (``design.md`` 3)."""
    kept = len(chain.messages)
    if cleaned.messages is not chain.messages:
        sent = {id(block) for message in cleaned.messages for block in message.blocks}
        kept = sum(any(id(block) in sent for block in m.blocks) for m in chain.messages)
    return sentence_of(kept, chain.stored, cleaned.unanswered, chain.before_boundary)


def sentence_of(kept: int, stored: int, unanswered: int, left: int = 0) -> str:
    """The same out of its figures; ``left`` messages stand before the compaction."""
    parts = [f"resume sends {kept} of {count(stored, 'message')}"]
    if unanswered:
        parts.append(f"{count(unanswered, 'unanswered call')} dropped")
    if left:
        verb = "stays" if left == 1 else "stay"
        parts.append(f"{count(left, 'message')} before the compaction {verb} behind")
    return "; ".join(parts)
