"""A reply as people look at it, block by block, also while it grows."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice, takewhile
from typing import Final, Literal, NamedTuple

from tapeview.looks.block_record import BLANK, BodyLine, line_of
from tapeview.looks.block_text import json_lines, text_lines
from tapeview.tape.block import CALLS
from tapeview.tape.clean import clean_line
from tapeview.tape.describe import SignName
from tapeview.tape.gist import gist_of_call
from tapeview.tape.json_text import JsonFault, loads, locate
from tapeview.tape.sizes import size_long
from tapeview.wire.assemble import Assembler, GrowingBlock

__all__ = ["GrowingLines", "Mark", "ReplyLine", "block_lines", "reply_lines"]

TAIL: Final = 4_000
"""Characters of a growing block that are shown; of a block that is whole all of them are."""
NAME: Final = 60

_token = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{\]}]|[,:]|[^"\[{\]},:]++')


Mark = Literal["same", "differs", ""]


class ReplyLine(NamedTuple):
    """One logical line, and the sign of the block that begins on it."""

    line: BodyLine
    sign: SignName | None = None
    mark: Mark = ""
    """How a recorded block compares with the new one."""


def reply_lines(blocks: Iterable[GrowingBlock]) -> Iterator[ReplyLine]:
    """All blocks, one below the other."""
    for number, block in enumerate(blocks):
        if number:
            yield ReplyLine(BLANK)
        yield from block_lines(block)


class GrowingLines:
    """The lines of a reply that grows: those of blocks that are whole are made once."""

    def __init__(self, assembler: Assembler) -> None:
        self._assembler = assembler
        self._whole = 0
        """Blocks whose lines will not change any more."""
        self._lines = 0

    def news(self) -> tuple[int, list[ReplyLine]]:
        """How many lines stay as they were when this was asked last, and those that follow them."""
        keep, found, whole = self._lines, list[ReplyLine](), True
        for number, block in enumerate(self._open(), self._whole):
            if number:
                found.append(ReplyLine(BLANK))
            found += block_lines(block)
            whole = whole and block.is_done
            if whole:
                self._lines = keep + len(found)
        self._whole += sum(1 for _ in takewhile(_is_done, self._open()))
        return keep, found

    @property
    def is_open(self) -> bool:
        """Whether the last line may still go on."""
        return any(not block.is_done for block in self._open())

    def _open(self) -> Iterator[GrowingBlock]:
        return islice(self._assembler.blocks.values(), self._whole, None)


def _is_done(block: GrowingBlock) -> bool:
    return block.is_done


def block_lines(block: GrowingBlock) -> Iterator[ReplyLine]:
    """One block: its sign and name, and what it says as far as it came."""
    if block.kind == "text":
        yield ReplyLine(line_of("fg bold", "text"), "text")
        body = _said(block.text, "fg", block.is_done)
    elif block.kind == "thinking":
        yield ReplyLine(line_of("think plain bold", "thinking"), "thinking")
        body = _said(block.thinking, "think", block.is_done)
    elif block.kind in CALLS:
        name = clean_line(block.name or "no name", NAME)
        yield ReplyLine(BodyLine((("call bold", name), ("fg", f"  {_gist(block)}"))), "call")
        body = _input(block)
    else:
        yield ReplyLine(line_of("warn", clean_line(block.kind or "no type", NAME)), "unknown")
        body = json_lines(block.to_json())
    for line in body:
        yield ReplyLine(BodyLine(line.parts, line.indent + 2, line.bar))


def _gist(block: GrowingBlock) -> str:
    """What a whole call does; while it grows the first line of its input will have to do."""
    if not block.is_done or block.is_cut:
        return ""
    try:
        return gist_of_call(loads(block.partial_json.encode("utf-8", "surrogatepass")))
    except JsonFault:
        return gist_of_call(block.members.get("input"))


def _said(text: str, style: str, is_done: bool) -> Iterator[BodyLine]:
    shown, hidden = (text, 0) if is_done else _tail(text)
    if hidden:
        yield line_of("muted", f"{size_long(hidden)} above")
    yield from text_lines(shown, style)


def _input(block: GrowingBlock) -> Iterator[BodyLine]:
    text = block.partial_json
    if block.is_done and not block.is_cut:
        raw = block.to_json()
        yield from json_lines(raw[slice(*locate(raw, ("input",)))])
        return
    shown, hidden = _tail(text)
    if hidden:
        yield line_of("muted", f"{size_long(hidden)} above")
    yield from _partial(shown)


def _tail(text: str) -> tuple[str, int]:
    """The end of a long text, from a line's start, and how much stands above it."""
    if len(text) <= TAIL:
        return text, 0
    start = text.find("\n", len(text) - TAIL) + 1 or len(text) - TAIL
    return text[start:], start


def _partial(text: str) -> Iterator[BodyLine]:
    """JSON that is not whole yet: a line for each member, as it is spelled."""
    parts: list[tuple[str, str]] = []
    depth, tokens = 0, _token.findall(text)
    for number, token in enumerate(tokens):
        follows = next((t for t in tokens[number + 1 :][:2] if t.strip()), "")
        if token[0] == '"':
            parts.append(("key" if follows == ":" else "string", token))
            continue
        word = token if token.strip() else " "
        parts.append(("punct" if word in "{}[],: " else "number", " ".join(word.split("\n"))))
        depth += (token in ("{", "[")) - (token in ("}", "]"))
        if token == "," and depth <= 1:
            yield BodyLine(tuple(parts))
            parts = []
    if parts:
        yield BodyLine(tuple(parts))
