"""Where a Claude Code session loses messages because the way up from a line breaks off."""

from collections import defaultdict

from tapeview.formats._claude_chain import ROOT, Chain, Tree, count_messages
from tapeview.formats._claude_line import facts_of
from tapeview.tape.record import Record
from tapeview.tape.tape import Break

__all__ = ["breaks_of"]

CIRCLE = "parent cycle"
CUT_OFF = ("no parent", CIRCLE)
LOST = (ROOT, *CUT_OFF)


def breaks_of(tree: Tree, chain: Chain) -> tuple[Break, ...]:
    """Circles, and missing parents that lose messages: each once, in stored order.

    A missing parent for which a line within 5 s stands in loses nothing; nor does one before which
    nothing is stored: of a file that was trimmed all is read.
    """
    below: dict[Record, list[Record]] = defaultdict(list)
    for record, reason in chain.unsent.items():
        if reason in CUT_OFF:
            below[tree.fate(record)[1]].append(record)
    held = set(chain.lines) if below else frozenset[Record]()
    found = [
        Break(top, tree.fate(top)[0] == CIRCLE, False, count_messages(records), chain.stored)
        for top, records in below.items()
        if top not in held and not _was_left(tree, top)
    ]
    if (ends := _end_of(tree, chain)) is not None:
        top, circle = ends
        found.append(Break(top, circle, True, len(chain.messages), chain.stored))
    return tuple(sorted(found, key=lambda broken: tree.position[broken.record]))


def _end_of(tree: Tree, chain: Chain) -> tuple[Record, bool] | None:
    """Where the chain itself breaks off, and whether in a circle."""
    first = chain.lines[0] if chain.lines else None
    if first is None or not tree.parents[first]:
        return None
    reason, top = tree.fate(first)
    if reason == CIRCLE:
        return top, True
    limit = tree.position[first]
    loses = any(
        reason in LOST and tree.position[record] < limit for record, reason in chain.unsent.items()
    )
    return (first, False) if loses and not _was_left(tree, first) else None


def _was_left(tree: Tree, record: Record) -> bool:
    """Whether the parent is stored after all, but a boundary left it behind."""
    parent = tree.parents[record]
    return any(facts_of(left).uuid == parent for left in tree.left)
