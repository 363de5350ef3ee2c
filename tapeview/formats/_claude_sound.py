"""Whether a chain is sent as it is stored, told in one pass: most are, most of the time."""

from collections.abc import Sequence

from tapeview.formats._claude_line import facts_of
from tapeview.tape.block import CLIENT_CALL, CLIENT_RESULT, Block, BlockFacts
from tapeview.tape.message import Message

__all__ = ["is_sound"]

_NO_WORDS = BlockFacts.EMPTY | BlockFacts.BLANK


def is_sound(chain: Sequence[Message], resumed: bool) -> bool:
    """Whether steps 6 to 8 of ``formats.md`` b.3 change nothing; False also where in doubt."""
    seen: set[str] = set()
    waiting: set[str] = set()
    role = ""
    for message in chain:
        if message.role == role:
            return False
        for record in message.records:
            if not record.blocks or record.is_failure or facts_of(record).shown_only:
                return False
        role = message.role
        if role == "user":
            if not _answers(message.blocks, waiting):
                return False
            waiting = set()
            continue
        if waiting or not _is_whole_reply(message.blocks):
            return False
        for block in message.blocks:
            if block.kind == CLIENT_CALL:
                if block.id in seen:
                    return False
                seen.add(block.id)
                waiting.add(block.id)
    return not waiting and (role != "user" or not resumed)


def _is_whole_reply(blocks: Sequence[Block]) -> bool:
    if blocks[-1].kind in ("thinking", "redacted_thinking"):
        return False
    return not any(block.kind == "text" and block.facts & _NO_WORDS for block in blocks)


def _answers(blocks: Sequence[Block], waiting: set[str]) -> bool:
    """Whether results stand first, answer all that waits, and nothing else; and nobody calls."""
    found: set[str] = set()
    behind = False
    for block in blocks:
        if block.kind == CLIENT_CALL:
            return False
        if block.kind != CLIENT_RESULT:
            behind = True
        elif behind or block.id not in waiting:
            return False
        else:
            found.add(block.id)
    return len(found) == len(waiting)
