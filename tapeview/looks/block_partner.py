"""What the block pane says of a row's link: its state, and where the other end stands."""

from dataclasses import dataclass
from typing import Final

from tapeview.looks.block_record import seconds_between
from tapeview.snapshot import Snapshot
from tapeview.tape.block import RESULTS, Block, BlockFacts
from tapeview.tape.clean import clean_line
from tapeview.tape.describe import tool_of
from tapeview.tape.link import End, Link, LinkState
from tapeview.tape.rows import Row
from tapeview.tape.sizes import duration, size_long

__all__ = ["HeadLine", "link_of", "partner_line", "state_of"]

NAME: Final = 60
"""Characters of an id or of a tool's name that are shown."""


@dataclass(frozen=True, slots=True)
class HeadLine:
    """One line under the title. ``sign`` is a glyph by name, in ``style``; the rest are parts."""

    sign: str
    style: str
    parts: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """The words alone."""
        return "".join(text for _, text in self.parts)


def link_of(snapshot: Snapshot, row: Row) -> Link | None:
    """The link of a row on the chain."""
    on_chain = row.block is not None and row.message >= 0
    return snapshot.index.link_of.get(row.block) if on_chain and row.block is not None else None


def state_of(snapshot: Snapshot, row: Row) -> LinkState:
    """The state that the row's link shows here; ``answered`` off links."""
    link = link_of(snapshot, row)
    return link.state_of(row.block) if link is not None and row.block is not None else "answered"


def partner_line(snapshot: Snapshot, row: Row) -> HeadLine | None:
    """The state of the row's link and where its other end stands."""
    link, block = link_of(snapshot, row), row.block
    if link is None or block is None:
        return None
    if link.call is not None and link.call.block is block:
        return _from_call(snapshot, link, link.call)
    here = next(end for end in link.results if end.block is block)
    return _from_result(snapshot, link, here)


def _from_call(snapshot: Snapshot, link: Link, call: End) -> HeadLine:
    state = link.state_of(call.block)
    if not link.results:
        if state == "pending":
            return _faulty("pending_end", "pending", "pending:", "the tape ends here")
        return _faulty("cut_end", "error", "dangling:", _unmatched(call.block))
    result = link.results[0]
    path = snapshot.index.path(result.place)
    if state in ("late", "early"):
        where = f"answered by {path}{_of_turn(snapshot, result, ', turn ')}"
        return _faulty("loose_passes", "warn", f"{state}:", where, key=True)
    others = len(link.results) - 1
    words = f"answered by {path}" + (f" and {others} more" if others else "")
    figures = [size_long(result.block.size), _passed(snapshot, call, result)]
    return _sound("result", words, figures)


def _from_result(snapshot: Snapshot, link: Link, result: End) -> HeadLine:
    state = link.state_of(result.block)
    if link.call is None:
        return _faulty("cut_end", "error", "orphan:", _unmatched(result.block))
    call = link.call
    path = snapshot.index.path(call.place)
    if state == "doubled":
        number = link.results.index(result) + 1
        first = snapshot.index.path(link.results[0].place)
        words = f"{number} of {len(link.results)}, the first is {first}"
        return _faulty("doubled", "error", "doubled:", words, key=True)
    if state in ("late", "early"):
        tool = tool_of(call.block, snapshot.index) or "a call"
        where = f"answers {path}, {tool}{_of_turn(snapshot, call, ' of turn ')}"
        return _faulty("loose_passes", "warn", f"{state}:", where, key=True)
    if state == "swapped":
        words = f"answers {path}, in another order than the calls"
        return _faulty("swapped", "muted", "swapped:", words, key=True)
    passed = _passed(snapshot, call, result)
    return _sound("call", f"answers {path}", [f"{passed} later" if passed else ""])


def _sound(sign: str, words: str, figures: list[str]) -> HeadLine:
    parts = [("fg", words), *(("muted", f"  {figure}") for figure in figures if figure)]
    return HeadLine(sign, sign, (*parts, ("keycap", "  t")))


def _faulty(sign: str, style: str, state: str, words: str, key: bool = False) -> HeadLine:
    parts = [(f"{style} bold", state), ("fg", f" {words}")]
    return HeadLine(sign, style, (*parts, ("keycap", "  t")) if key else tuple(parts))


def _unmatched(block: Block) -> str:
    """Why nothing stands at the other end."""
    is_result = block.kind in RESULTS
    if block.facts & BlockFacts.LEGACY:
        sought = f"the name {clean_line(block.name, NAME)}"
    elif block.facts & BlockFacts.ID_ABSENT or not block.id:
        return "it names no call" if is_result else "it has no id to be answered by"
    else:
        sought = clean_line(block.id, NAME)
    return f"no {'call' if is_result else 'result'} carries {sought}"


def _of_turn(snapshot: Snapshot, end: End, words: str) -> str:
    turn = snapshot.index.turn_of(end.place.message)
    return f"{words}{turn.number}" if turn is not None else ""


def _passed(snapshot: Snapshot, call: End, result: End) -> str:
    records = snapshot.index.record_of
    passed = seconds_between(records[call.block], records[result.block])
    return duration(passed) if passed is not None else ""
