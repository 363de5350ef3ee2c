"""What cells tell of the conversation that they stand in."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from tapeview.tape.json_text import JsonFault, loads
from tapeview.wire.align import Cell

__all__ = ["call_id", "is_telling", "leading", "prompts", "quotes", "said", "text_of_cell"]

LONG: Final = 16
"""Characters from which on a text is taken for the same text as another, not for a common word."""


def is_telling(cell: Cell) -> bool:
    """Whether it hardly stands in two conversations."""
    return cell.role == "assistant" or cell.kind == "tool_result"


def leading(cells: Iterable[Cell], *roles: str) -> Iterator[Cell]:
    """The first cells, as long as they have one of the roles."""
    for cell in cells:
        if cell.role not in roles:
            return
        yield cell


def said(cells: Iterable[Cell]) -> tuple[bytes, ...]:
    """What a reply says, blanks around its texts left out, as a server may trim them."""
    said = []
    for cell in cells:
        text = text_of_cell(cell).strip().encode("utf-8", "surrogatepass")
        if cell.kind != "text":
            said.append(cell.digest)
        elif text:
            said.append(text)
    return tuple(said)


def _block(cell: Cell) -> Mapping[str, object]:
    try:
        block = loads(cell.text.encode("utf-8", "surrogatepass"))
    except JsonFault:
        return {}
    return block if isinstance(block, dict) else {}


def text_of_cell(cell: Cell) -> str:
    """The text of a text block, else ""."""
    text = _block(cell).get("text") if cell.kind == "text" else None
    return text if isinstance(text, str) else ""


def call_id(cell: Cell) -> str:
    """The id of a call."""
    identity = _block(cell).get("id")
    return identity if isinstance(identity, str) else ""


def prompts(cell: Cell) -> Iterator[str]:
    """Long texts in the input of a call: one of them may be the prompt of a sub-agent."""
    given = _block(cell).get("input") if cell.kind == "tool_use" else None
    for value in given.values() if isinstance(given, dict) else ():
        if isinstance(value, str) and len(value) >= LONG:
            yield value


def quotes(text: str, answer: str) -> bool:
    """Whether a text holds an answer, maybe trimmed: whole, or most of its long lines."""
    inner = answer.partition("<summary>")[2].partition("</summary>")[0] or answer
    inner = inner.strip()
    if len(inner) >= LONG and inner in text:
        return True
    lines = [line.strip() for line in inner.splitlines() if len(line.strip()) > 2 * LONG]
    return bool(lines) and sum(line in text for line in lines) * 2 > len(lines)
