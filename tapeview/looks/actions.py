"""The list of edits that fit a row: their titles, what has to be typed, the operation of each."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, NamedTuple

import msgspec
from msgspec import Raw

from tapeview.calls.results import open_calls
from tapeview.edit.operations import (
    Answer,
    Clear,
    Compact,
    Cut,
    Delete,
    DeleteRange,
    DeleteTurn,
    Duplicate,
    Fold,
    Insert,
    InsertBlock,
    Merge,
    Move,
    Operation,
    Pairs,
    Prepend,
    Rename,
    ReplaceReply,
    Set,
    SetRequest,
    Split,
)
from tapeview.errors import EditError
from tapeview.looks.block_text import copy_path
from tapeview.looks.editing import editable_value, shown_json
from tapeview.snapshot import Snapshot
from tapeview.tape.block import CALLS, CLIENT_CALL, CLIENT_RESULT, RESULTS, Block
from tapeview.tape.clean import printable
from tapeview.tape.graft import COMPACT, respelled, spelled
from tapeview.tape.json_text import JsonFault, decode_text
from tapeview.tape.rows import Row

__all__ = ["Action", "PairChoice", "actions_of", "deletion_of", "pair_choices", "part_of"]

Asks = Literal["", "word", "text", "json", "edit", "calls"]
"""What is typed before: nothing, a word in a line, a text, JSON; ``edit`` is the editor itself, and
``calls`` asks what all open calls are answered with."""
Part = Literal["insert", "move", "compact", ""]

NEW_BLOCK: Final = '{\n  "type": "text",\n  "text": ""\n}'
LONG: Final = 80
"""Bytes of a parameter from which on it is typed in the editor, not on a line."""
TOO_LONG: Final = 64_000
"""Bytes from which on a member is none that somebody types."""
INTERRUPTED: Final = "interrupted: this call was not run"
PARTS: Final[dict[Part, tuple[str, ...]]] = {
    "insert": ("insert", "duplicate", "prepend"),
    "move": ("move",),
    "compact": ("cut", "compact", "fold", "clear", "delete_rest"),
}


@dataclass(frozen=True, slots=True)
class Action:
    """One edit that fits a row."""

    id: str
    title: str
    make: Callable[[str], Operation]
    """The operation, of what was typed. Raises ``EditError`` where that cannot be taken."""
    asks: Asks = ""
    start: str = ""
    """What stands there before one types."""


def part_of(actions: tuple[Action, ...], part: Part) -> tuple[Action, ...]:
    """Those that insert, move, or compact and cut."""
    return tuple(a for a in actions if a.id.startswith(PARTS[part])) if part else actions


def actions_of(snapshot: Snapshot, row: Row, mark: Row | None = None) -> tuple[Action, ...]:
    """All that fit a row; ``mark`` is the row that was marked, the other end of a range."""
    here = _Here(snapshot.of(row), row, mark if mark and mark.tape == row.tape else None)
    if row.kind in ("system", "tools"):
        return tuple(here.request())
    if row.kind == "turn":
        return (*here.turn(), *here.around(), *here.whole())
    if row.kind in ("note", "unreadable"):
        return (Action("delete", "delete the record", here.made(Delete(at=(here.at,)))),)
    if row.kind != "block":
        return ()
    own = tuple(here.block()) if row.block is not None else ()
    if row.message < 0:
        return own
    return (*own, *here.message(), *here.around(), *here.moves(), *here.whole())


def deletion_of(snapshot: Snapshot, row: Row, mark: Row | None = None) -> Operation | None:
    """What ``d`` takes away: with a mark the range, on a turn's rule the turn, else the block.

    None where nothing fits.
    """
    actions = {action.id: action for action in actions_of(snapshot, row, mark)}
    for name in ("delete_range", "delete", "delete_turn", "delete_message"):
        if name in actions:
            return actions[name].make("")
    return None


class _Here:
    """A row, and the paths that edits of it need."""

    def __init__(self, line: Snapshot, row: Row, mark: Row | None) -> None:
        self.line = line
        self.row = row
        self.mark = mark
        self.tape = line.tape.id
        self.at = copy_path(line, row)
        self.message_at = f"messages.{row.message}"
        self.last = len(line.tape.messages) - 1

    def made(self, operation: Operation) -> Callable[[str], Operation]:
        """What makes an operation for which nothing is typed, on this tape."""
        on_tape = msgspec.structs.replace(operation, tape=self.tape)
        return lambda _: on_tape

    def typed(self, make: Callable[[str], Operation]) -> Callable[[str], Operation]:
        """What makes one of what was typed, on this tape."""
        return lambda words: msgspec.structs.replace(make(words), tape=self.tape)

    def request(self) -> Iterator[Action]:
        """What a request carries beside its messages."""
        name = self.row.kind
        if self.line.session.frame.is_editable:
            yield Action("edit", f"edit {name}", _none, "edit")
            yield Action("remove", f"take {name} out", self.made(SetRequest(member=name)))
            yield from self.parameters()
        yield from self.whole()

    def parameters(self) -> Iterator[Action]:
        """Model and parameters, one by one."""
        frame = self.line.session.frame
        known = [("model", spelled(frame.model))] if frame.model else []
        for name, raw in (*known, *frame.others):
            if len(raw) > TOO_LONG:
                continue
            with suppress(EditError):  # nested too deeply to be typed
                shown = editable_value(raw, name, as_json=True).text
                asks: Asks = "json" if len(raw) > LONG else "word"
                start = (
                    shown if asks == "json" else shown_json(decode_text(respelled(raw, COMPACT)))
                )
                set_it = self.typed(partial(_parameter, name))
                yield Action(f"set_{name}", f"set {printable(name)}", set_it, asks, start)
        named = self.typed(_named_parameter)
        yield Action("set_another", "set another parameter: NAME VALUE", named, "word")

    def turn(self) -> Iterator[Action]:
        """A turn as one."""
        number = self.row.turn
        yield Action("delete_turn", f"delete turn {number}", self.made(DeleteTurn(turn=number)))

    def block(self) -> Iterator[Action]:
        """The block itself."""
        block, at = self.row.block, self.at
        if block is None:
            return
        what = "input" if block.kind in CALLS else "content" if block.kind in RESULTS else "text"
        yield Action("edit", f"edit its {what}", _none, "edit")
        if block.kind == CLIENT_RESULT and self.line.session.dialect == "anthropic":
            if block.is_error:
                operation = Set(at=at, member="is_error")
            else:
                operation = Set(at=at, member="is_error", value=Raw(b"true"))
            title = "no error any more" if block.is_error else "mark as an error"
            yield Action("is_error", title, self.made(operation))
        link = self.line.index.link_of.get(block) if self.row.message >= 0 else None
        if link is not None and len(link.ends) > 1:
            rename = self.typed(lambda words: Rename(at=at, id=_word(words)))
            yield Action("rename", "rename the id at both ends", rename, "word", block.id)
        if block.kind in (CLIENT_CALL, CLIENT_RESULT):
            set_id = self.typed(lambda words: _set(at, "id", words))
            yield Action("id", "set the id here alone", set_id, "word", block.id)
        if block.kind in CALLS:
            set_name = self.typed(lambda words: _set(at, "name", words))
            yield Action("name", "set the tool's name", set_name, "word", block.name)
        if block.kind == CLIENT_CALL and link is not None and not link.results:
            answer = self.typed(
                lambda words: Answer(at=at, text=words, is_error=words == INTERRUPTED)
            )
            yield Action("answer", "answer the call", answer, "text", INTERRUPTED)
            turns = self.line.index.turns
            is_last = bool(turns) and self.row.message >= turns[-1].start
            waiting = open_calls(self.line) if is_last else ()
            if len(waiting) > 1:
                title = f"answer all {len(waiting)} open calls"
                yield Action("answer_all", title, _none, "calls")
        agent = self.line.agents.get(block)
        if agent is not None:
            fold = self.made(Fold(agent=agent.id))
            yield Action("fold", f"fold {agent.id} into one result", fold)
        yield Action("delete", "delete the block", self.made(Delete(at=(at,))))
        if self.row.message >= 0:
            yield Action("duplicate", "duplicate the block", self.made(Duplicate(at=at)))
            for side in ("before", "after"):
                insert = self.typed(partial(_insert_block, side, at))
                title = f"insert a block {side} this"
                yield Action(f"insert_block_{side}", title, insert, "json", NEW_BLOCK)

    def message(self) -> Iterator[Action]:
        """The message that the block is part of."""
        message, at = self.line.tape.messages[self.row.message], self.message_at
        for role in ("user", "assistant"):
            if message.role != role:
                operation = Set(at=at, member="role", value=Raw(spelled(role)))
                yield Action(f"role_{role}", f"set the role to {role}", self.made(operation))
        yield Action("delete_message", "delete the message", self.made(Delete(at=(at,))))
        copy = self.made(Duplicate(at=at))
        yield Action("duplicate_message", "duplicate the message", copy)
        if self.row.number > 0:
            yield Action("split", "split the message here", self.made(Split(at=self.at)))
        if self.row.message < self.last:
            following = self.line.tape.messages[self.row.message + 1]
            if following.role == message.role:
                merge = self.made(Merge(at=at))
                yield Action("merge", "merge with the next message", merge)

    def around(self) -> Iterator[Action]:
        """What concerns messages above and below."""
        at, last = self.message_at, f"messages.{self.last}"
        sides = ("before",) if self.row.kind == "turn" else ("before", "after")
        roles: tuple[Literal["user", "assistant"], ...] = ("user", "assistant")
        for role in roles:
            for side in sides:
                make = self.typed(partial(_insert, role, side, at))
                # "an assistant message", "a user message"
                article = "an" if role == "assistant" else "a"
                title = f"insert {article} {role} message {side} this"
                yield Action(f"insert_{role}_{side}", title, make, "text")
        if self.row.kind != "turn":
            yield Action("cut", "cut everything after this", self.made(Cut(after=self.at)))
        first = self.at if self.row.kind == "block" else at
        rest = self.made(DeleteRange(first=first, last=last))
        yield Action("delete_rest", "delete from here to the end", rest)
        one = self.row if self.mark is None or self.mark.message < 0 else self.mark
        low, high = sorted((one.message, self.row.message))
        span = f"messages.{low}" if low == high else f"messages.{low} to messages.{high}"
        compact = self.typed(
            lambda words: Compact(first=f"messages.{low}", last=f"messages.{high}", text=words)
        )
        yield Action("compact", f"compact {span} into one message", compact, "text")

    def moves(self) -> Iterator[Action]:
        """What needs a marked row: the other end of a range, or what is to be moved here."""
        mark = self.mark
        if mark is None or mark.message < 0 or mark == self.row or mark.kind != "block":
            return
        other = copy_path(self.line, mark)
        ends = sorted([(mark.message, mark.number, other), (*self._place(), self.at)])
        delete = self.made(DeleteRange(first=ends[0][2], last=ends[1][2]))
        yield Action("delete_range", f"delete {ends[0][2]} to {ends[1][2]}", delete)
        for side in ("before", "after"):
            block = self.made(_move(other, side, self.at))
            yield Action(f"move_block_{side}", f"move {other} {side} this", block)
        if mark.message != self.row.message:
            for side in ("before", "after"):
                title = f"move messages.{mark.message} {side} {self.message_at}"
                whole = self.made(_move(f"messages.{mark.message}", side, self.message_at))
                yield Action(f"move_message_{side}", title, whole)

    def _place(self) -> tuple[int, int]:
        return self.row.message, self.row.number

    def whole(self) -> Iterator[Action]:
        """The whole tape."""
        prepend = self.typed(lambda words: Prepend(text=words))
        yield Action("prepend", "put facts before everything", prepend, "text")
        yield Action("clear", "clear: take all messages out", self.made(Clear()))
        frame = self.line.session.frame
        if not frame.is_editable or frame.system:
            return
        if self.line.session.dialect == "anthropic":
            system = self.typed(lambda words: _parameter("system", spelled(words).decode()))
            yield Action("set_system", "write a system prompt", system, "text")
        if not frame.tools:  # no row shows the request itself
            yield from self.parameters()


def _none(words: str) -> Operation:
    raise EditError(f"the editor makes this edit, not {words or 'a word'}.")


def _word(words: str) -> str:
    if not words.strip():
        raise EditError("this needs a word.")
    return words.strip()


def _set(at: str, member: str, words: str) -> Operation:
    return Set(at=at, member=member, value=Raw(spelled(_word(words))))


def _parameter(name: str, words: str) -> Operation:
    """A member of the request, set to JSON; taken out where nothing is typed."""
    words = words.strip()
    if not words:
        return SetRequest(member=name)
    if name == "model" and words[:1] != '"':
        return SetRequest(member=name, value=Raw(spelled(words)))
    try:
        return SetRequest(
            member=name, value=Raw(respelled(words.encode("utf-8", "replace"), COMPACT))
        )
    except JsonFault as fault:
        quotes = "" if words[:1] in '"[{' else "; a text stands in quotes"
        why = f"this is not JSON: {fault.reason}{quotes}."
        raise EditError(why) from None


def _named_parameter(words: str) -> Operation:
    found = re.fullmatch(r"([^\s=:]+)\s*[=:]?\s*(.*)", _word(words), re.DOTALL)
    if found is None:
        raise EditError("this needs a name, and a value behind it.")
    return _parameter(found[1], found[2])


def _insert(role: Literal["user", "assistant"], side: str, at: str, words: str) -> Operation:
    if not words:
        raise EditError("a message without text would be refused.")
    content = Raw(spelled(words))
    if side == "before":
        return Insert(role=role, content=content, before=at)
    return Insert(role=role, content=content, after=at)


def _insert_block(side: str, at: str, words: str) -> Operation:
    try:
        block = Raw(respelled(words.encode("utf-8", "replace"), COMPACT))
    except JsonFault as fault:
        raise EditError(f"this is not JSON: {fault.reason}.") from None
    if side == "before":
        return InsertBlock(block=block, before=at)
    return InsertBlock(block=block, after=at)


def _move(at: str, side: str, to: str) -> Operation:
    return Move(at=at, before=to) if side == "before" else Move(at=at, after=to)


# -- calls and results that would be parted --------------------------------------------------------


PARTING: Final = (Delete, DeleteTurn, DeleteRange, Move, Cut, Compact, ReplaceReply)
"""Edits that may part a call from its result."""


class PairChoice(NamedTuple):
    """One answer to what is to become of parted calls and results."""

    key: str
    words: str
    operation: Operation


def pair_choices(
    operation: Operation, snapshot: Snapshot, places: tuple[str, ...]
) -> tuple[PairChoice, ...]:
    """What may become of the ends in ``places``, which would stay alone."""
    if not isinstance(operation, PARTING):
        return ()
    wanted: list[tuple[str, str, Pairs]] = [("k", "keep and flag", "keep")]
    if not isinstance(operation, Move):
        wanted.insert(0, ("b", "delete both", "both"))
        kinds = {block.kind for block in _blocks_at(snapshot, places)}
        if CLIENT_CALL in kinds:
            wanted.append(("a", "answer the call", "answer"))
    elif operation.at.count(".") == 1:
        wanted.insert(0, ("b", "move both", "both"))
    return tuple(
        PairChoice(key, words, msgspec.structs.replace(operation, pairs=pairs))
        for key, words, pairs in wanted
    )


def _blocks_at(snapshot: Snapshot, places: tuple[str, ...]) -> Iterator[Block]:
    index = snapshot.index
    wanted = set(places)
    for block, place in index.places.items():
        if index.path(place) in wanted:
            yield block
