"""From the words of a refused request back to the findings of a tape (``rules.md`` 9)."""

import re
from collections.abc import Sequence
from typing import Final

from tapeview.rules._engine import Finding
from tapeview.snapshot import Snapshot
from tapeview.wire.complaint import Complaint, id_words, steps_of

__all__ = ["fitting"]

SHORTEST_ID: Final = 6
"""Characters from which on a word in a sentence may be an id."""
LIKE: Final = 0.6
"""The share of a rule's words from which on a text without a place is taken for its complaint."""

_word = re.compile(r"[a-z_]{3,40}").findall


def fitting(complaint: Complaint, snapshot: Snapshot) -> Sequence[Finding]:
    """The findings that the complaint speaks of, all of one rule, the one to go to first.

    None where the ids are not in this tape, or where nothing is wrong at the place it names: then
    it speaks of another array.
    """
    known = _known_ids(complaint, snapshot)
    if complaint.ids and not known:
        return ()
    if known:
        found = [f for f in snapshot.findings if not known.isdisjoint(f.fault.ids)]
    elif complaint.has_place:
        found = [f for f in snapshot.findings if _meets(complaint, f, snapshot)]
    else:
        found = [f for f in snapshot.findings if _likeness(complaint, f) >= LIKE]
    if not found:
        return ()
    best = max(found, key=lambda finding: _rank(complaint, finding))
    same = [finding for finding in found if finding.rule is best.rule]
    if not known and not complaint.has_place:
        return _last_user_first(same, snapshot)
    return [best, *(finding for finding in same if finding is not best)]


def _known_ids(complaint: Complaint, snapshot: Snapshot) -> frozenset[str]:
    """Ids of this tape that the text names; where no words lead up to them, such as look it."""
    told = set(complaint.ids)
    if not told:
        told = {word for word in id_words(complaint.words) if _looks_like_id(word)}
    return frozenset(block.id for block in snapshot.index.places if block.id in told)


def _meets(complaint: Complaint, finding: Finding, snapshot: Snapshot) -> bool:
    """Whether the complaint's place is the finding's, or one lies inside the other."""
    if _is_along(complaint.path, steps_of(_sent_at(finding, snapshot))):
        return True
    own = steps_of(finding.api_path)
    if not _is_along(complaint.path, own):
        return False
    # A whole message is blamed for one block of it, so another block of it need not be at fault.
    return len(own) >= len(complaint.path) or _likeness(complaint, finding) >= LIKE


def _sent_at(finding: Finding, snapshot: Snapshot) -> str:
    """The finding's place in the array that was sent, where it is in there."""
    index, block = snapshot.sent_index, finding.block
    if index is snapshot.index or block is None or block not in index.places:
        return finding.at
    return index.path(index.places[block])


def _looks_like_id(word: str) -> bool:
    return len(word) >= SHORTEST_ID and any(sign in "_0123456789" for sign in word)


def _is_along(path: Sequence[str], own: Sequence[str]) -> bool:
    if len(own) < 2:
        return False
    return all(a == b or a[0] == "*" for a, b in zip(path, own, strict=False))


def _rank(complaint: Complaint, finding: Finding) -> tuple[float, int, int]:
    """Wording first, then the path, then the order in which the API would report."""
    own = steps_of(finding.api_path)
    same = sum(a == b for a, b in zip(complaint.path, own, strict=False))
    return _likeness(complaint, finding), same - abs(len(own) - len(complaint.path)), -len(own)


def _likeness(complaint: Complaint, finding: Finding) -> float:
    """The share of the words of the finding's own message that the complaint has too."""
    own = set(_word(finding.api_message.lower())) - {"messages", "content"}
    told = set(_word(complaint.words.lower()))
    return len(own & told) / len(own) if own else 0.0


def _last_user_first(found: Sequence[Finding], snapshot: Snapshot) -> Sequence[Finding]:
    """Without a place the last user side is looked at first: some models mind only that one."""
    messages = snapshot.index.messages
    users = [f for f in found if f.place.message >= 0 and messages[f.place.message].role == "user"]
    best = users[-1] if users else found[0]
    return [best, *(finding for finding in found if finding is not best)]
