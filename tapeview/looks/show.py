"""What ``show`` and ``explain`` print."""

import json
from collections.abc import Iterator, Sequence

import msgspec

from tapeview.looks.report import flags_of, row_values, row_words, safe_json
from tapeview.rules._registry import page_of
from tapeview.rules._rule import Rule
from tapeview.snapshot import Snapshot
from tapeview.tape.clean import printable
from tapeview.tape.outline import outline
from tapeview.tape.rows import Row
from tapeview.tape.session import Session
from tapeview.tape.sizes import count
from tapeview.tape.source import LastRead
from tapeview.wire.request import sent_before

__all__ = ["json_rows", "lines", "rule_page"]


def lines(snapshot: Snapshot, turn: int | None, only: bool, full: bool) -> Iterator[str]:
    """The outline: whole, what the model knew at a turn with its reply, or one turn alone."""
    if turn is None:
        yield from _heading(snapshot)
        yield from _outline(snapshot, snapshot.rows, full)
        return
    known, reply = _rows_at(snapshot, turn)
    if only:
        yield from _outline(snapshot, reply, full)
        return
    yield from _outline(snapshot, known, full)
    yield f"══ call {turn} answered ══"
    yield from _outline(snapshot, reply[1:], full)


def json_rows(snapshot: Snapshot, turn: int | None, only: bool) -> bytes:
    """The same rows as JSON: an array of objects, one a line."""
    rows: Sequence[Row] = snapshot.rows
    if turn is not None:
        known, reply = _rows_at(snapshot, turn)
        rows = reply if only else [*known, *reply]
    encoded = [msgspec.json.encode(values) for values in row_values(snapshot, rows)]
    return safe_json(b"[\n" + b",\n".join(encoded) + b"\n]")


def _heading(snapshot: Snapshot) -> Iterator[str]:
    session, index = snapshot.session, snapshot.index
    words = [printable(session.path), session.format]
    if session.frame.model:
        words.append(printable(session.frame.model))
    words += [count(len(index.turns), "turn"), count(len(index.messages), "message")]
    yield " · ".join(words)
    yield snapshot.verdict
    yield ""


def _outline(snapshot: Snapshot, rows: Sequence[Row], full: bool) -> Iterator[str]:
    return outline(
        _reading_once(snapshot.session),
        lambda row: snapshot.of(row).index,
        rows,
        lambda row: flags_of(snapshot, row),
        lambda row: row_words(snapshot, row),
        full,
    )


def _reading_once(session: Session) -> Session:
    """The same session, but a record is not read anew for each of its blocks."""
    members = tuple(LastRead(member) for member in session.members)
    return msgspec.structs.replace(session, source=LastRead(session.source), members=members)


def _rows_at(snapshot: Snapshot, number: int) -> tuple[list[Row], list[Row]]:
    """What call ``number`` was sent, and the rows of its turn. Raises ``PlaceError``."""
    turn = snapshot.turn(number)
    line = snapshot.line_of_turn(number)
    known = sent_before(line.index, line.tape.sent, turn)
    blocks = {id(block) for message in known for block in message.blocks}
    frame = [row for row in snapshot.rows if row.kind in ("system", "tools")]
    rows = [row for row in snapshot.rows if snapshot.of(row) is line]
    sent = [
        msgspec.structs.replace(row, unsent="")  # whatever became of it later, this call had it
        for row in rows
        if (row.kind == "turn" and row.turn < number)
        or (row.block is not None and row.message >= 0 and id(row.block) in blocks)
    ]
    reply = [row for row in rows if row.turn == number and row.kind in ("turn", "block")]
    return [*frame, *sent], reply


def rule_page(rule: Rule) -> Iterator[str]:
    """The manual page of a rule: what it is, why, how it is mended, and its examples."""
    yield f"{rule.code} {rule.name}"
    yield f"{rule.severity} · {', '.join(sorted(rule.dialects))}"
    yield ""
    yield from page_of(rule).splitlines()
    for bad in rule.bad:
        yield ""
        yield f"Refused: {bad.why}, at {', '.join(bad.at)}"
        yield from _example(bad.body)
    for good in rule.good:
        yield ""
        yield f"Fine: {good.why}"
        yield from _example(good.body)


def _example(body: object) -> Iterator[str]:
    if isinstance(body, bytes):
        yield from (f"  {line}" for line in body.decode("utf-8", "replace").splitlines())
        return
    messages = body.get("messages", body) if isinstance(body, dict) else body
    for message in messages if isinstance(messages, list) else [messages]:
        yield f"  {json.dumps(message, ensure_ascii=False)}"
