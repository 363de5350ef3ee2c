"""What a line that goes leaves to those that pointed to it (``formats.md`` b.7)."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final
from uuid import UUID

from tapeview.edit.draft import Draft
from tapeview.formats._claude_chain import Tree
from tapeview.formats._claude_line import Kept, facts_of
from tapeview.formats._claude_thread import POINTS_TO_LEAF
from tapeview.shapes.fields import fields_of, text_of
from tapeview.tape.graft import respelled, spelled, style_of, with_member, without
from tapeview.tape.record import Record

__all__ = ["SHARED", "Trees", "hand_on", "note_below", "point", "set_kept", "with_doubles"]

SHARED: Final = (
    "isSidechain",
    "agentId",
    "userType",
    "entrypoint",
    "cwd",
    "sessionId",
    "version",
    "gitBranch",
    "slug",
    "teamName",
    "agentName",
    "sessionKind",
)
"""Members that all lines around a place have in common."""

KEPT_AT: Final = ("compactMetadata", "preservedSegment")


class Trees:
    """The trees of a session's files before an edit and after it, each made once."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._before: dict[int, Tree] = {}
        self._after: dict[int, tuple[int, Tree]] = {}

    def rows(self, member: int) -> Sequence[Record]:
        """The records of one file as they were."""
        return self.draft.session.rows(member)

    def rows_now(self, member: int) -> Sequence[Record]:
        """The records of one file as the draft has them."""
        return self.draft.rows(member)

    def tree(self, rows: Sequence[Record]) -> Tree:
        """The tree of such records."""
        return Tree(rows)

    def of(self, member: int) -> Tree:
        """The tree of one file as it was."""
        if member not in self._before:
            self._before[member] = self.tree(self.rows(member))
        return self._before[member]

    def now(self, member: int) -> Tree:
        """The tree of one file as the draft has it."""
        known = self._after.get(member)
        if known is None or known[0] != self.draft.changes:
            known = self._after[member] = (self.draft.changes, self.tree(self.rows_now(member)))
        return known[1]


def with_doubles(draft: Draft, trees: Trees) -> None:
    """With a line go those of its uuid that it replaced; else one of them would come to life."""
    gone = {(r.member, uuid) for r in draft.removed if (uuid := facts_of(r).uuid)}
    for member in {r.member for r in draft.removed}:
        tree = trees.of(member)
        for record in draft.session.rows(member):
            facts = facts_of(record)
            live = tree.known.get(facts.uuid)
            if (member, facts.uuid) in gone and live is not None and live in draft.removed:
                draft.remove(record)


def hand_on(draft: Draft, trees: Trees, member: int, moved: frozenset[str]) -> None:
    """Every line whose parent goes hangs below the nearest one above that stays.

    ``moved`` are uuids of lines that go, and are put in somewhere else.
    """
    rows = trees.rows(member)
    tree = trees.of(member)
    staying = {facts_of(r).uuid for r in rows if r not in draft.removed}
    parents = {
        uuid: tree.parent_of(record)
        for record in draft.removed
        if record.member == member and (uuid := facts_of(record).uuid) and uuid not in staying
    }
    for record in rows:
        if record in draft.removed:
            continue
        facts = facts_of(record)
        above = tree.parent_of(record)
        if above in parents:
            point(draft, record, "parentUuid", _staying(above, parents))
        if facts.logical_parent in parents:
            point(draft, record, "logicalParentUuid", _staying(facts.logical_parent, parents))
        if record.label in POINTS_TO_LEAF:
            leaf = text_of(fields_of(draft.text_of(record)).get("leafUuid"))
            if leaf in parents and leaf not in moved:
                point(draft, record, "leafUuid", _staying(leaf, parents))
    if tree.boundary is not None and tree.boundary not in draft.removed and tree.segment:
        _keep(draft, tree, parents)


def _keep(draft: Draft, tree: Tree, parents: Mapping[str, str]) -> None:
    """What the last boundary keeps: the first and last line that stay, below what stays."""
    boundary = tree.boundary
    kept = facts_of(boundary).kept if boundary is not None else None
    if boundary is None or kept is None:
        return
    left = [facts_of(r).uuid for r in tree.segment if r not in draft.removed]
    if not left:
        draft.change(boundary, without(draft.text_of(boundary), KEPT_AT))
        return
    now = Kept(left[0], _staying(kept.anchor, parents), left[-1])
    for name, was, uuid in zip(("headUuid", "anchorUuid", "tailUuid"), kept, now, strict=True):
        if was != uuid:
            set_kept(draft, boundary, name, uuid)


def set_kept(draft: Draft, boundary: Record, name: str, uuid: str) -> None:
    """Change one end of what a boundary keeps."""
    text = with_member(draft.text_of(boundary), KEPT_AT, name, spelled(uuid))
    draft.change(boundary, text)


def _staying(uuid: str, parents: Mapping[str, str]) -> str:
    """The nearest line above that stays; "" for none."""
    seen: set[str] = set()
    while uuid in parents and uuid not in seen:
        seen.add(uuid)
        uuid = parents[uuid]
    return "" if uuid in seen else uuid


def point(draft: Draft, record: Record, member: str, uuid: str) -> None:
    """Let a member of a line name another line; "" for none."""
    value = spelled(uuid) if uuid else b"null"
    draft.change(record, with_member(draft.text_of(record), (), member, value))


def note_below(text: bytes, uuid: str, salt: bytes) -> bytes:
    """A note that hangs below a line, spelled as that one is; its id comes from ``salt``."""
    fields = fields_of(text)
    seed = sha256(salt + uuid.encode("utf-8", "surrogatepass")).digest()
    note = {
        "parentUuid": spelled(uuid),
        "type": b'"system"',
        "subtype": b'"informational"',
        "content": b'"The conversation goes on above this line."',
        "isMeta": b"false",
        "level": b'"info"',
        "timestamp": fields.get("timestamp", b'""'),
        "uuid": spelled(str(UUID(bytes=seed[:16], version=4))),
    } | {name: fields[name] for name in SHARED if name in fields}
    raw = b"{" + b",".join(spelled(name) + b":" + raw for name, raw in note.items()) + b"}"
    return respelled(raw, style_of(text))
