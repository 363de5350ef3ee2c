"""Lines of a Claude Code session to messages: a reply is many lines, and so is a prompt."""

from collections.abc import Sequence

from tapeview.tape.message import Message, message_of
from tapeview.tape.record import Record

__all__ = ["group"]


def group(chain: Sequence[Record]) -> tuple[Message, ...]:
    """Lines to messages: one for the lines of a reply, one for a run of user lines.

    Results that stand between the lines of one reply follow it. A reply whose id comes again after
    a prompt is another one: placeholder ids repeat.
    """
    runs: list[tuple[str, str, list[Record]]] = []
    for record in chain:
        if record.kind != "message":
            continue
        if record.role == "user":
            if runs and runs[-1][0] == "user":
                runs[-1][2].append(record)
            else:
                runs.append(("user", "", [record]))
            continue
        identity = record.message_id
        if runs and runs[-1][0] == "assistant":
            same = runs[-1][2] if identity and runs[-1][1] == identity else None
        else:
            same = _same_reply(runs, identity)
        if same is not None:
            same.append(record)
        else:
            runs.append(("assistant", identity, [record]))
    return tuple(message_of(run) for _, _, run in runs)


def _same_reply(runs: list[tuple[str, str, list[Record]]], identity: str) -> list[Record] | None:
    if not identity:
        return None
    for role, held, records in reversed(runs):
        if role == "assistant":
            return records if held == identity else None
        if not all(b.kind == "tool_result" for record in records for b in record.blocks):
            return None
    return None
