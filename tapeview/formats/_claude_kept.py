"""What a compaction keeps, after an edit: its boundary names those lines, and so it follows.

Seen with Claude Code 2.1.197: resume goes by ``preservedMessages.uuids`` where the boundary has
them, else from ``tailUuid`` up to ``headUuid``; it hangs the first of them below ``anchorUuid``,
and all other lines below the anchor behind the last of them. A line before the boundary that is
not named is dropped.
"""

from collections.abc import Iterator, Mapping, Sequence

from tapeview.edit.draft import Draft
from tapeview.formats._claude_line import Kept, facts_of
from tapeview.shapes.fields import fields_of, text_of
from tapeview.tape.graft import spelled, with_member, without
from tapeview.tape.json_text import elements
from tapeview.tape.record import Record

__all__ = ["keep_segment", "staying"]

META = "compactMetadata"
LISTS = ("uuids", "allUuids")


def staying(uuid: str, parents: Mapping[str, str]) -> str:
    """The nearest line above that stays, by the parents of those that go; "" for none."""
    seen: set[str] = set()
    while uuid in parents and uuid not in seen:
        seen.add(uuid)
        uuid = parents[uuid]
    return "" if uuid in seen else uuid


def keep_segment(draft: Draft) -> None:
    """Let the last boundary name the lines that it keeps as they are after the edit."""
    rows = draft.session.records
    boundary = next((r for r in reversed(rows) if facts_of(r).subtype == "compact_boundary"), None)
    kept = facts_of(boundary).kept if boundary is not None else None
    if boundary is None or kept is None or boundary in draft.removed:
        return
    gone = {facts_of(record).uuid: facts_of(record).parent for record in draft.removed}
    new = {_member(text, "parentUuid"): _member(text, "uuid") for text in draft.inserted}
    listed = _listed(draft.text_of(boundary)) or _walked(rows, kept)
    left = list(_now(listed, gone, new))
    anchor = staying(kept.anchor, gone)
    first = anchor
    while first in new:
        first = new[first]
    if first != anchor and left:
        _hang_behind(draft, anchor, first, {*left, *new.values()})
    if left != listed or first != kept.anchor:
        draft.change(boundary, _named(draft.text_of(boundary), left, first, gone, new))


def _member(text: bytes, name: str) -> str:
    return text_of(fields_of(text).get(name))


def _meta(text: bytes) -> Mapping[str, bytes]:
    return fields_of(fields_of(text).get(META, b"{}"))


def _listed(text: bytes, name: str = "uuids") -> list[str]:
    """The uuids that the boundary lists; none where it has no list."""
    raw = fields_of(_meta(text).get("preservedMessages", b"{}")).get(name, b"[]")
    return [text_of(raw[a:b]) for a, b in elements(raw, 0)] if raw[:1] == b"[" else []


def _walked(rows: Sequence[Record], kept: Kept) -> list[str]:
    """The kept lines, first line first; none where the way up from the tail misses the head."""
    parents = {facts_of(record).uuid: facts_of(record).parent for record in rows}
    found: list[str] = []
    uuid = kept.tail
    while uuid in parents and uuid not in found:
        found.append(uuid)
        if uuid == kept.head:
            return found[::-1]
        uuid = parents[uuid]
    return []


def _now(listed: Sequence[str], gone: Mapping[str, str], new: Mapping[str, str]) -> Iterator[str]:
    """The lines that are left, each with what was put in below it."""
    for uuid in listed:
        if uuid in gone:
            continue
        yield uuid
        below = uuid
        while below in new:
            below = new[below]
            yield below


def _hang_behind(draft: Draft, anchor: str, last: str, but: set[str]) -> None:
    """What hung below the anchor hangs below what was put in there."""
    for record in draft.session.records:
        uuid = facts_of(record).uuid
        if not uuid or uuid in but or record in draft.removed:
            continue
        text = draft.text_of(record)
        if _member(text, "parentUuid") == anchor:
            draft.change(record, with_member(text, (), "parentUuid", spelled(last)))


def _named(
    text: bytes, left: Sequence[str], anchor: str, gone: Mapping[str, str], new: Mapping[str, str]
) -> bytes:
    """The boundary with other kept lines; without any, it says nothing of them."""
    names = [name for name in ("preservedSegment", "preservedMessages") if name in _meta(text)]
    for name in names if not left else ():
        text = without(text, (META, name))
    if not left:
        return text
    ends = {"headUuid": left[0], "anchorUuid": anchor, "tailUuid": left[-1]}
    for name in names:
        held = fields_of(_meta(text)[name])
        for member, uuid in ends.items():
            if member in held:
                text = with_member(text, (META, name), member, spelled(uuid))
        for member in LISTS:
            if member in held:
                now = list(_now(_listed(text, member), gone, new))
                text = with_member(text, (META, name), member, spelled(now))
    return text
