"""From words to a row: the ``:`` line, ``--turn`` and ``--at``.

Words may be a turn, a path as the API or tapeview spells it, a rule's code, an id or its beginning,
or a whole API error as it was pasted.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tapeview.looks.api_error import fitting
from tapeview.looks.report import turn_words
from tapeview.rules._registry import all_rules
from tapeview.snapshot import Snapshot
from tapeview.tape.block import Block
from tapeview.tape.clean import clean_line
from tapeview.tape.describe import tool_of
from tapeview.tape.gist import tool_names
from tapeview.tape.message import Message
from tapeview.tape.rows import Row
from tapeview.tape.sizes import count
from tapeview.wire.complaint import read_complaint

__all__ = ["Target", "resolve"]

SHOWN: Final = 40
"""Characters of the user's words that an answer repeats."""
ELSEWHERE: Final = "not in this tape"

_turn = re.compile(r"turn\s+(\S.*)|(\d+)", re.ASCII | re.IGNORECASE).fullmatch
_code = re.compile(r"[A-Z]{2}\d{3}", re.ASCII | re.IGNORECASE).fullmatch
_path = re.compile(
    r"(messages|system|tools|records)((?:\.?\[\d{1,9}\]|\.\d{1,9}|\.[A-Za-z_]\w{0,60})*+)[.:]?",
    re.ASCII | re.IGNORECASE,
).fullmatch
_steps = re.compile(r"\w+", re.ASCII).findall

Steps = Sequence[str]


@dataclass(frozen=True, slots=True)
class Target:
    """Where the words lead, and one clean line that says so.

    ``row`` is a place in ``Snapshot.rows``, -1 where there is none.
    """

    row: int
    answer: str


def resolve(snapshot: Snapshot, words: str) -> Target:
    """The place that ``words`` name. Never raises, whatever they are."""
    words = words.strip()
    if not words:
        return Target(-1, "")
    if turn := _turn(words):
        return _to_turn(snapshot, turn[1] or turn[2])
    if _code(words) and any(rule.code == words.upper() for rule in all_rules()):
        return _to_rule(snapshot, words.upper())
    if path := _path(words):
        return _to_path(snapshot, path[1].lower(), _steps(path[2]), words.rstrip(".:"))
    if any(sign in words for sign in " \t\n:{`"):
        return _to_error(snapshot, words)
    return _to_id(snapshot, words)


def _shown(words: str) -> str:
    return clean_line(words, SHOWN)


def _there_are(number: int) -> str:
    return {0: "there are none", 1: "there is 1"}.get(number, f"there are {number}")


def _to_turn(snapshot: Snapshot, words: str) -> Target:
    number = int(words) if words.isascii() and words.isdigit() and len(words) < 10 else 0
    row = snapshot.turn_row_of.get(number)
    if row is None:
        turns = len(snapshot.turn_numbers)
        return Target(-1, f"no turn {_shown(words)}: {_there_are(turns)}")
    return Target(row, turn_words(snapshot, number))


def _to_rule(snapshot: Snapshot, code: str) -> Target:
    found = [finding for finding in snapshot.findings if finding.rule.code == code]
    if not found:
        return Target(-1, f"no {code} in this tape")
    row = snapshot.row_of_finding(found[0])
    return Target(row, f"{_where(snapshot, row)}: {code}, {count(len(found), 'place')}")


def _to_error(snapshot: Snapshot, words: str) -> Target:
    complaint = read_complaint(words)
    found = fitting(complaint, snapshot)
    if found:
        best = found[0]
        places = f"{best.rule.code}, {count(len(found), 'place')}"
        place = best.api_path if best.api_path not in ("", "none") else best.at
        return Target(snapshot.row_of_finding(best), f"refused at {place}: {places}")
    if complaint.path and complaint.path[0] in ("system", "tools") and not complaint.ids:
        target = _to_path(snapshot, complaint.path[0], complaint.path[1:], ".".join(complaint.path))
        if target.row >= 0:
            return target
    return Target(-1, ELSEWHERE)


def _to_id(snapshot: Snapshot, words: str) -> Target:
    """The first row with that id, a call before its results; the beginning of an id will do."""
    found: dict[str, int] = {}
    for at, row in enumerate(snapshot.rows):
        if row.block is not None and row.block.id.startswith(words):
            found.setdefault(row.block.id, at)
        elif row.record is not None and row.record.message_id.startswith(words):
            found.setdefault(row.record.message_id, at)
    if words in found or len(found) == 1:
        at = found.get(words, next(iter(found.values())))
        return Target(at, _where(snapshot, at))
    if found:
        return Target(-1, f"{len(found)} ids begin with {_shown(words)}")
    return Target(-1, f"nothing here is called {_shown(words)}")


# -- paths -----------------------------------------------------------------------------------------


def _to_path(snapshot: Snapshot, root: str, steps: Steps, words: str) -> Target:
    if root == "messages":
        return _to_message(snapshot, steps, words)
    if root == "records":
        return _to_record(snapshot, steps, words)
    row = next((at for at, row in enumerate(snapshot.rows) if row.kind == root), -1)
    if root == "system":
        if row < 0:
            row = next((at for at, row in enumerate(snapshot.rows) if _is_system(row)), -1)
        return Target(row, _where(snapshot, row) if row >= 0 else "no system in this tape")
    if row < 0:
        return Target(-1, "no tools in this tape")
    names = tool_names(snapshot.session.frame.tools)
    if not steps:
        return Target(row, count(len(names), "tool"))
    number = _number(steps)
    if not 0 <= number < len(names):
        return Target(-1, f"no {_shown(words)}: {_there_are(len(names))}")
    return Target(row, f"tools.{number}, {clean_line(names[number], SHOWN)}")


def _is_system(row: Row) -> bool:
    return row.message >= 0 and row.record is not None and row.record.role == "system"


def _number(steps: Steps, at: int = 0) -> int:
    """The index at a step; -1 where there is none."""
    return int(steps[at]) if len(steps) > at and steps[at].isdigit() else -1


def _to_message(snapshot: Snapshot, steps: Steps, words: str) -> Target:
    messages = snapshot.index.messages
    number = _number(steps) if steps else 0
    if not 0 <= number < len(messages):
        what = f"message {steps[0]}" if steps else "messages"
        return Target(-1, f"no {_shown(what)}: {_there_are(len(messages))}")
    message = messages[number]
    k, rest = _block_at(message, steps[1:])
    nested = _nested_at(message.blocks[k], rest) if k >= 0 else -1
    if k < -1:
        return Target(-1, f"no {_shown(words)}: it has {count(len(message.blocks), 'block')}")
    if nested < -1:
        parts = count(max(1, len(message.blocks[k].nested)), "part")
        return Target(-1, f"no {_shown(words)}: it has {parts}")
    key = message.blocks[max(k, 0)] if message.blocks else message.first
    row = snapshot.row_of.get(key, -1)
    part = f", part {nested}" if nested >= 0 else ""
    return Target(row, _where(snapshot, row) + part)


def _block_at(message: Message, steps: Steps) -> tuple[int, Steps]:
    """The block's number, and the steps that lead on inside it; -1 whole message, -2 no such."""
    if not steps:
        return -1, ()
    head, number = steps[0], _number(steps, 1)
    spelled = [message.path_of(k).split(".") for k in range(len(message.blocks))]
    for k, (block, own) in enumerate(zip(message.blocks, spelled, strict=True)):
        if number >= 0 and own[:2] == [head, str(number)]:
            return k, steps[2:]
        if own == [head]:
            return k, steps[1:]
        if block.path == () and head == "content":
            return k, steps  # a tool message of Chat: the block is the whole message
        if own == [""] and head == "content":
            return (k, steps[2:]) if number <= 0 else (-2, ())
    lists = any(own[0] == head for own in spelled)
    missing = number >= 0 and (lists or head == "content")
    return (-2 if missing else -1), ()


def _nested_at(block: Block, steps: Steps) -> int:
    """The number of a part inside a block; -1 for the block itself, -2 where it has no such."""
    if steps and not steps[0].isdigit() and steps[0] != "content":
        steps = steps[1:]  # the API writes the block's type into its paths
    if not steps or steps[0] != "content":
        return -1
    number = _number(steps, 1)
    if number < 0 or (number == 0 and not block.nested):
        return -1
    return number if number < len(block.nested) else -2


def _to_record(snapshot: Snapshot, steps: Steps, words: str) -> Target:
    records = snapshot.session.records
    number = _number(steps)
    if not 0 <= number < len(records):
        return Target(-1, f"no {_shown(words)}: {_there_are(len(records))}")
    record = records[number]
    path = tuple(int(step) if step.isdigit() else step for step in steps[1:])
    block = next((b for b in record.blocks if b.path and b.path == path[: len(b.path)]), None)
    row = snapshot.row_of.get(block or record, -1)
    return Target(row, _where(snapshot, row))


# -- answers ---------------------------------------------------------------------------------------


def _where(snapshot: Snapshot, at: int) -> str:
    """``message 11, turn 8, tool_use Bash``."""
    row = snapshot.rows[at] if 0 <= at < len(snapshot.rows) else Row("end")
    if row.kind == "turn":
        return turn_words(snapshot.of(row), row.turn)
    if row.record is None:
        return row.kind
    if row.message < 0:
        number = snapshot.session.position_of(row.record)
        words = [f"record {number}", f"line {row.record.line}", _what(snapshot, row)]
    else:
        words = [f"message {row.message}", _turn_of(snapshot, row), _what(snapshot, row)]
    if row.unsent:
        words.append(f"not sent: {row.unsent}")
    return ", ".join(word for word in words if word)


def _turn_of(snapshot: Snapshot, row: Row) -> str:
    if row.turn:
        return f"turn {row.turn}"
    if row.after:
        return f"after turn {row.after}"
    return "before turn 1" if snapshot.turn_numbers else ""


def _what(snapshot: Snapshot, row: Row) -> str:
    if row.kind in ("note", "notes", "unreadable"):
        return clean_line(row.record.label if row.record is not None else "", SHOWN) or row.kind
    if row.block is None:
        return "no content"
    kind = clean_line(row.block.kind, SHOWN) or "no type"
    return f"{kind} {tool_of(row.block, snapshot.of(row).index)}".rstrip()
