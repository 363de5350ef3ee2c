"""What a compaction keeps, after an edit: its boundary lists those lines, and so it follows.

Seen with Claude Code 2.1.197: resume goes by ``preservedMessages.uuids`` where the boundary has
them, else from ``tailUuid`` up to ``headUuid``. A line before the boundary that is not named is
dropped.
"""

from collections.abc import Sequence

from tapeview.edit.draft import Draft
from tapeview.formats._claude_chain import Tree
from tapeview.formats._claude_line import facts_of
from tapeview.shapes.fields import fields_of, text_of
from tapeview.tape.graft import spelled, with_member, without
from tapeview.tape.json_text import elements

__all__ = ["list_kept"]

META = "compactMetadata"
LISTED = "preservedMessages"


def list_kept(draft: Draft) -> None:
    """Let the last boundary list the lines that it keeps, as ``preservedSegment`` now says."""
    rows = draft.rows(0)
    boundary = next((r for r in reversed(rows) if facts_of(r).subtype == "compact_boundary"), None)
    uuid = facts_of(boundary).uuid if boundary is not None else ""
    record = next((r for r in draft.session.records if uuid and facts_of(r).uuid == uuid), None)
    if record is None:
        return
    text = draft.text_of(record)
    held = fields_of(fields_of(fields_of(text).get(META, b"")).get(LISTED, b""))
    if not held:
        return
    kept = [facts_of(line).uuid for line in Tree(rows).segment]
    if not kept:
        draft.change(record, without(text, (META, LISTED)))
        return
    before = _uuids(held.get("uuids", b"[]"))
    ends = {"headUuid": kept[0], "tailUuid": kept[-1]}
    segment = facts_of(boundary).kept if boundary is not None else None
    if segment is not None:
        ends["anchorUuid"] = segment.anchor
    for name, end in ends.items():
        if name in held and text_of(held[name]) != end:
            text = with_member(text, (META, LISTED), name, spelled(end))
    if kept != before:
        text = with_member(text, (META, LISTED), "uuids", spelled(kept))
    if kept != before and "allUuids" in held:
        every = _all(_uuids(held["allUuids"]), before, kept)
        text = with_member(text, (META, LISTED), "allUuids", spelled(every))
    if text != draft.text_of(record):
        draft.change(record, text)


def _uuids(raw: bytes) -> list[str]:
    return [text_of(raw[a:b]) for a, b in elements(raw, 0)] if raw[:1] == b"[" else []


def _all(listed: Sequence[str], before: Sequence[str], kept: Sequence[str]) -> list[str]:
    """The longer list, with notes among them: what went is out, what was put in stands in order."""
    found: list[str] = []
    waiting = list(kept)
    for uuid in listed:
        if uuid in before and uuid not in kept:
            continue
        while uuid in waiting and (first := waiting.pop(0)) != uuid:
            found.append(first)
        found.append(uuid)
    return [*found, *waiting]
