"""How the lines of an edited session hang together, so that resume reads the edited tape.

``formats.md`` b.3 says how resume finds its line, b.7 what an edit has to keep whole. First as few
pointers as possible are moved: children of a line that goes hang below its parent, what stands
behind a line that is put in hangs below that. Then the rules of resume are run over the outcome. If
they read something else, the lines in question are hung below one another, which leaves the rules
no choice.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from tapeview.edit.draft import Draft
from tapeview.edit.speller import Gap
from tapeview.errors import EditError
from tapeview.formats._claude_chain import Tree, chain_of
from tapeview.formats._claude_group import group
from tapeview.formats._claude_hand import Trees, note_below, point, set_kept
from tapeview.formats._claude_line import facts_of
from tapeview.formats._claude_near import places_near
from tapeview.formats._claude_tapes import segment_lines, tree_before
from tapeview.formats._claude_time import MOMENT, iso, moment_of, moved, newest
from tapeview.tape.graft import spelled, with_member
from tapeview.tape.record import Record
from tapeview.tape.tape import Tape

__all__ = ["Hanging", "Line", "hang"]

MOST_ENDS: Final = 40
SPOKEN: Final = ("user", "assistant")
STUBBORN: Final = "the lines of this session hang together in a way that cannot be kept whole."
NOTHING_LEFT: Final = (
    "nothing of this tape would be left, and resume would go on with another line; "
    "clear takes all of them out."
)


class Line(msgspec.Struct):
    """A line that is put in."""

    uuid: str
    text: bytes
    gap: Gap
    """Between which lines of its tape."""


def hang(draft: Draft, trees: Trees, tape: Tape, put: Sequence[Line]) -> None:
    """Put the lines in, and see to it that resume reads the tape as it is to be.

    Raises ``EditError`` where the session's lines cannot be hung so.
    """
    member = next((r.member for m in tape.messages for r in m.records), 0)
    main = draft.session.main
    aside = member == 0 and not any(record.member == 0 for record in draft.removed)
    held = None if tape is main or (member and aside) else Hanging(draft, trees, main, 0, ())
    edited = Hanging(draft, trees, tape, member, put)
    edited.settle()
    if held is not None:
        held.others = frozenset(line.uuid for line in put)
        held.stay_leaf()


class _SideTrees(Trees):
    """The trees of the side lines alone."""

    def tree(self, rows: Sequence[Record]) -> Tree:
        return Tree([record for record in rows if facts_of(record).sidechain])


class Hanging:
    """The lines of one tape on their way through an edit."""

    def __init__(
        self, draft: Draft, trees: Trees, tape: Tape, member: int, put: Sequence[Line]
    ) -> None:
        self.draft = draft
        self.tape = tape
        self.member = member
        self.put = {line.uuid: line for line in put}
        self.others: frozenset[str] = frozenset()
        """Lines that were put into another tape, and may stand on this one too."""
        self.inline = tape.kind == "agent" and member == 0
        self.resumed = tape.kind == "main" or (tape.kind == "agent" and not self.inline)
        """Whether the tape is found by the newest leaf of its file."""
        self._trees = _SideTrees(draft) if self.inline else trees
        self.tree = self._trees.of(member)
        self.boundary: Record | None = None
        """The boundary that ends a segment."""
        if tape.kind == "segment":
            self.boundary = self._segment(self.tree, 1)[0]
        self.lines = _in_order(self._lines_before())
        if self.boundary is not None:
            limit = self.tree.position[self.boundary]
            self.tree = tree_before(self.tree, list(self.tree.position), self.boundary, limit)
        self.by_uuid = {facts_of(r).uuid: r for r in self.lines}
        self.expected = self._expected()
        self.said = [u for u in self.expected if u in self.put or _speaks(self.by_uuid[u])]

    def _lines_before(self) -> list[Record]:
        """The tape's lines as they are."""
        if self.resumed:
            leaf = self.tree.leaf()
            return self.tree.line_to(leaf) if leaf is not None else []
        if self.tape.kind == "segment":
            return self._segment(self.tree, 0)
        records = [record for message in self.tape.messages for record in message.records]
        for record in reversed(records):
            if set(line := self.tree.line_to(record)).issuperset(records):
                return line
        return records

    def _segment(self, tree: Tree, later: int) -> list[Record]:
        """The lines of this segment, or of the one that follows it by ``later``."""
        number = int(self.tape.id.rpartition("~")[2]) - later
        chain = chain_of(tree)
        found = [chain.lines, *segment_lines(list(tree.position), tree, chain)]
        return list(found[number]) if number < len(found) else []

    def _expected(self) -> list[str]:
        """The uuids of the lines as they are to be."""
        at = {record: k for k, record in enumerate(self.lines)}
        inserted: dict[int, list[str]] = {}
        for line in self.put.values():
            before, after = line.gap
            place = max((at[r] + 1 for r in before if r in at), default=-1)
            if place < 0:
                place = min((at[r] for r in after if r in at), default=len(self.lines))
            inserted.setdefault(place, []).append(line.uuid)
        uuids: list[str] = []
        for k, record in enumerate((*self.lines, None)):
            uuids += inserted.get(k, ())
            if record is not None and record not in self.draft.removed:
                uuids.append(facts_of(record).uuid)
        return uuids

    # -- pointing ------------------------------------------------------------------------------

    def settle(self) -> None:
        """Put the lines in; move as few pointers as it takes."""
        staying = [self.by_uuid[u] for u in self.expected if u not in self.put]
        if not self.put and not any(facts_of(r).type in SPOKEN for r in staying):
            if self.resumed and self.lines and self._after().leaf() is not None:
                raise EditError(NOTHING_LEFT)
            return
        if self.settles_nearby():
            return
        if not self._reads_well():
            self._line_up(range(len(self.expected)))
            self._leave_out()
            if not self._reads_well():
                raise EditError(STUBBORN)
        self.stay_leaf()
        if self.resumed and not self._is_resumed():
            raise EditError(STUBBORN)

    def settles_nearby(self) -> bool:
        """Put the lines in, move as few pointers as it takes near by; whether resume then reads
        the tape.
        """  # noqa: D205
        self._put_below()
        self._pin()
        if self._is_resumed():
            return True
        if self._reads_well():
            return False
        gaps = {line.uuid: line.gap for line in self.put.values()}
        touched = {*self.draft.removed, *self.draft.changed}
        self._line_up(places_near(self.lines, self.expected, gaps, touched))
        return self._is_resumed()

    def _is_resumed(self) -> bool:
        leaf = self._after().leaf() if self.resumed else None
        return leaf is not None and self._is_whole(self._after().line_to(leaf))

    def _put_below(self) -> None:
        """Hang the new lines below what stands above them, and what follows below them."""
        walk = set(self.tree.walk(self._leaf())) if self.lines else set()
        above = ""
        behind_new = False
        for uuid in self.expected:
            if uuid in self.put:
                self._hang(uuid, above)
                behind_new = True
            elif behind_new and self.by_uuid[uuid] in walk:
                self._hang(uuid, above)
                behind_new = False
            above = uuid
        self._put_in()

    def _leaf(self) -> Record:
        """The line from which the way up gives the tape as it is."""
        if self.resumed and (leaf := self.tree.leaf()) is not None:
            return leaf
        for record in reversed(self.lines):
            if len(self.tree.line_to(record)) == len(self.lines):
                return record
        return self.lines[-1]

    def _hang(self, uuid: str, above: str) -> None:
        """Let a line hang below another one; "" for a root."""
        line = self.put.get(uuid)
        if line is not None:
            value = spelled(above) if above else b"null"
            line.text = with_member(line.text, (), "parentUuid", value)
            return
        record, boundary = self.by_uuid[uuid], self.tree.boundary
        if boundary is not None and record is self._first_kept():
            set_kept(self.draft, boundary, "anchorUuid", above)
        else:
            point(self.draft, record, "parentUuid", above)

    def _first_kept(self) -> Record | None:
        """The first line that the last boundary keeps, once the edit is done."""
        return next((r for r in self.tree.segment if r not in self.draft.removed), None)

    def _line_up(self, places: Iterable[int]) -> None:
        """Hang each line at these places below the one before it."""
        for k in sorted(places):
            first = self.by_uuid.get(self.expected[0])
            if k or (first is not None and self.tree.parents.get(first)):
                self._hang(self.expected[k], self.expected[k - 1] if k else "")
        if self.boundary is not None and self.boundary not in self.draft.removed:
            point(self.draft, self.boundary, "logicalParentUuid", self.expected[-1])
        self._put_in()

    def _pin(self) -> None:
        """A line whose parent is missing goes on below the line that stood in for it."""
        missing = self.tree.without_parent
        if not missing:
            return
        now = self._after()
        for record in missing:
            changed = now.by_uuid.get(facts_of(record).uuid)
            if changed is None or facts_of(changed).parent != facts_of(record).parent:
                continue
            was, found = self.tree.parent_of(record), now.parent_of(changed)
            if was != found:
                point(self.draft, record, "parentUuid", was if was in now.by_uuid else "")

    def _leave_out(self) -> None:
        """A line that was beside the tape, and would be drawn into it, becomes a root."""
        tree = self._after()
        end = tree.by_uuid.get(self.said[-1])
        line = self._segment(tree, 0) if self.boundary is not None else ()
        known = {*self.expected, *self.others}
        old = {facts_of(record).uuid: record for record in self.tree.position}
        for record in line or (tree.line_to(end) if end is not None else ()):
            uuid = facts_of(record).uuid
            if uuid not in known and uuid in old and record.kind == "message":
                point(self.draft, old[uuid], "parentUuid", "")

    def _put_in(self) -> None:
        """The new lines, each at its place in the file."""
        self.draft.insert_nothing()
        places = {uuid: k for k, uuid in enumerate(self.expected)}
        for line in sorted(self.put.values(), key=lambda line: places[line.uuid]):
            before, after = self._place(line, places[line.uuid])
            self.draft.insert([line.text], before, after)

    def _place(self, line: Line, at: int) -> tuple[Record | None, Record | None]:
        """Behind which record a new line stands in the file, or before which one."""
        above = [self.by_uuid[u] for u in self.expected[:at] if u not in self.put]
        below = [self.by_uuid[u] for u in self.expected[at:] if u not in self.put]
        kept, boundary = self.tree.segment, self.tree.boundary
        # Beside what is kept, a line has to stand behind the boundary, or it is left out.
        if boundary is not None and below and below[0] is self._first_kept():
            return max((*above, boundary), key=self.draft.place_of), None
        if boundary is not None and above and above[-1] in kept:
            behind = [*above, boundary] if not below or below[0] not in kept else above[-1:]
            return max(behind, key=self.draft.place_of), None
        if not above:
            return None, next((r for r in (*line.gap.after, *self.lines)), None)
        behind = [above[-1], *(r for r in line.gap.before if r in above)]
        return max(behind, key=self.draft.place_of), None

    # -- reading it as resume does -------------------------------------------------------------

    def _after(self) -> Tree:
        """The tree as the draft has it."""
        return self._trees.now(self.member)

    def _reads_well(self) -> bool:
        """Whether the tape's lines are those that are to be."""
        tree = self._after()
        if self.tape.kind == "segment":
            return self._is_whole(self._segment(tree, 0))
        return self._end(tree) is not None

    def _is_whole(self, line: Sequence[Record]) -> bool:
        """Whether these lines say what the tape is to say; notes may stand anywhere."""
        said = (facts_of(r).uuid for message in group(line) for r in message.records)
        return [uuid for uuid in said if uuid not in self.others] == self.said

    def _end(self, tree: Tree) -> Record | None:
        """The line from which the way up gives the tape."""
        tried = 0
        for uuid in reversed(self.expected):
            record = tree.by_uuid.get(uuid)
            if record is None or facts_of(record).type not in SPOKEN:
                continue
            if self._is_whole(tree.line_to(record)):
                return record
            tried += 1
            if tried == MOST_ENDS:
                return None
        return None

    def stay_leaf(self) -> None:
        """See to it that resume begins at the end of this tape."""
        if not self.resumed or not self.expected:
            return
        tree = self._after()
        leaf = tree.leaf()
        if leaf is None or self._is_whole(tree.line_to(leaf)):
            return
        end = self._end(tree)
        if end is None:
            return
        rivals = [record.time for record in tree.spoken_leaves if record is not end]
        latest, own = newest(rivals), moment_of(end.time)
        if latest is not None and (own is None or own <= latest):
            self._set_time(facts_of(end).uuid, iso(moved(latest, MOMENT)))
        if end not in tree.leaves:
            self._hang_note(end)

    def _set_time(self, uuid: str, time: str) -> None:
        line = self.put.get(uuid)
        if line is not None:
            line.text = with_member(line.text, (), "timestamp", spelled(time))
            self._put_in()
            return
        record = self.by_uuid[uuid]
        text = with_member(self.draft.text_of(record), (), "timestamp", spelled(time))
        self.draft.change(record, text)

    def _hang_note(self, end: Record) -> None:
        """Other lines go on behind this one: a note below it makes it an end all the same."""
        uuid = facts_of(end).uuid
        line = self.put.get(uuid)
        text = line.text if line is not None else self.draft.text_of(self.by_uuid[uuid])
        rows = [r for r in self.draft.session.rows(self.member) if r.kind == "message"]
        self.draft.insert([note_below(text, uuid, self.draft.salt)], rows[-1], None)


def _speaks(record: Record) -> bool:
    return record.kind == "message"


def _in_order(lines: Sequence[Record]) -> list[Record]:
    """The lines as the tape has them: results that stand inside a reply follow it; notes stay
    behind the line that they follow.
    """  # noqa: D205
    notes: dict[Record | None, list[Record]] = {}
    last: Record | None = None
    for record in lines:
        if record.kind == "message":
            last = record
        else:
            notes.setdefault(last, []).append(record)
    ordered = list(notes.get(None, ()))
    for message in group(lines):
        for record in message.records:
            ordered += (record, *notes.get(record, ()))
    return ordered
