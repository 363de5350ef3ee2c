"""An edit while it is put together: what goes, what is put in, and the texts that changed."""

from collections.abc import Callable, Collection, Iterator, Sequence

import msgspec

from tapeview.edit.edit import Edit, Splice
from tapeview.tape.record import Record
from tapeview.tape.session import Session
from tapeview.tape.tape import Frame

__all__ = ["Draft", "ReadRecord"]

ReadRecord = Callable[[bytes, int], Record]
"""(text, member) to the record that the text makes."""


class Draft:
    """Changes to the records of one session, which itself stays as it is."""

    def __init__(self, session: Session, read: ReadRecord, salt: bytes) -> None:
        self.session = session
        self.salt = salt
        """What was asked for: new ids are derived from it, so that they come out the same again."""
        self.removed: set[Record] = set()
        self.frame: Frame = session.frame
        self.changes = 0
        """How often it was changed."""
        self._read = read
        self._texts: dict[Record, bytes] = {}
        self._inserted: dict[tuple[int, int], list[bytes]] = {}
        self._places: dict[int, dict[Record, int]] = {}

    def copy(self) -> "Draft":
        """The same changes, to go on with by themselves."""
        copied = Draft(self.session, self._read, self.salt)
        copied.take(self)
        return copied

    def take(self, other: "Draft") -> None:
        """Have the changes that another draft of the same session has."""
        self.removed, self.frame = set(other.removed), other.frame
        self._texts = dict(other._texts)
        self._inserted = {key: list(texts) for key, texts in other._inserted.items()}
        self.changes += 1

    def text_of(self, record: Record) -> bytes:
        """A record's text as the draft has it."""
        changed = self._texts.get(record)
        return self.session.bytes_of(record) if changed is None else changed

    @property
    def changed(self) -> Collection[Record]:
        """Records that have another text."""
        return self._texts.keys()

    def read(self, text: bytes, member: int = 0) -> Record:
        """The record that a text makes."""
        return self._read(text, member)

    def change(self, record: Record, text: bytes) -> None:
        """Give a record another text; the text that it has already changes nothing."""
        self.changes += 1
        if text == self.session.bytes_of(record):
            self._texts.pop(record, None)
        else:
            self._texts[record] = text

    def remove(self, record: Record) -> None:
        """Take a record out."""
        self.changes += 1
        self.removed.add(record)

    def insert(self, texts: Sequence[bytes], before: Record | None, after: Record | None) -> None:
        """Put records in after the record ``before``; without one, above the record ``after``."""
        self.changes += 1
        if before is not None:
            at = self.place_of(before) + 1
        else:
            at = self.place_of(after) if after is not None else 0
        beside = before or after
        key = (beside.member if beside is not None else 0, at)
        self._inserted.setdefault(key, []).extend(texts)

    def place_of(self, record: Record) -> int:
        """The record's number among the records of its file."""
        if record.member == 0:
            return self.session.position_of(record)
        if record.member not in self._places:
            rows = self.session.rows(record.member)
            self._places[record.member] = {row: k for k, row in enumerate(rows)}
        return self._places[record.member][record]

    def insert_nothing(self) -> None:
        """Forget what was put in: it is put in anew."""
        self.changes += 1
        self._inserted.clear()

    def rows(self, member: int) -> tuple[Record, ...]:
        """The records of a file as they would be."""
        return self.edit("").applied(self.session.rows(member), member)

    def edit(self, label: str) -> Edit:
        """The finished edit. Places of one file that touch become one splice."""
        frames = (self.session.frame, self.frame)
        became: list[tuple[Record, Record]] = []
        splices = tuple(self._splices(became))
        return Edit(label, splices, frames if frames[0] != frames[1] else None, tuple(became))

    def _splices(self, became: list[tuple[Record, Record]]) -> Iterator[Splice]:
        changes: dict[tuple[int, int], tuple[list[Record], list[Record]]] = {}
        for (member, at), texts in self._inserted.items():
            changes[member, at] = ([], [self._read(text, member) for text in texts])
        for record in (*self.removed, *self._texts):
            key = (record.member, self.place_of(record))
            new = changes.setdefault(key, ([], []))
            if record in new[0]:
                continue
            new[0].append(record)
            if record not in self.removed:
                changed = self._changed(record)
                new[1].append(changed)
                became.append((record, changed))
        held: Splice | None = None
        for (member, at), (old, new_records) in sorted(changes.items(), key=lambda item: item[0]):
            splice = Splice(at, tuple(old), tuple(new_records), member)
            if held is not None and held.member == member and held.at + len(held.old) == at:
                held = Splice(held.at, held.old + splice.old, held.new + splice.new, member)
                continue
            if held is not None:
                yield held
            held = splice
        if held is not None:
            yield held

    def _changed(self, record: Record) -> Record:
        """The record with its new text, at its old place in the file."""
        return msgspec.structs.replace(
            self._read(self._texts[record], record.member),
            start=record.start,
            length=record.length,
            line=record.line,
            shares_line=record.shares_line,
        )
