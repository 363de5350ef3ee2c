"""The file behind a tape, as far as a rule may ask about the file itself."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property

from tapeview.tape.oddity import Oddity, are_plain, oddities
from tapeview.tape.record import Record
from tapeview.tape.session import Session
from tapeview.tape.tape import Break

__all__ = ["Stored"]

RUN = 1 << 14
"""Bytes that are looked at together: enough to be fast, few enough for the cache."""


class Stored:
    """The records of one file, what is odd in their texts, and where its lines break off."""

    def __init__(
        self, session: Session, records: Sequence[Record], breaks: Sequence[Break] = ()
    ) -> None:
        self.records = records
        self.breaks = breaks
        self._session = session

    @cached_property
    def number_of(self) -> Mapping[Record, int]:
        """Each record's number in stored order."""
        if self.records is self._session.records:
            return self._session.positions
        return {record: number for number, record in enumerate(self.records)}

    @cached_property
    def damaged(self) -> Sequence[Record]:
        """Records that cannot be read, and those that share a line."""
        return [r for r in self.records if r.kind == "unreadable" or r.shares_line]

    @cached_property
    def oddities(self) -> Mapping[Record, Sequence[Oddity]]:
        """Readable records whose text not all readers read alike. Reads the whole file."""
        odd: dict[Record, Sequence[Oddity]] = {}
        for run in self._runs():
            # What is gone since the file was indexed is told where it is looked at.
            with suppress(LookupError, OSError):
                if len(run) > 1 and are_plain(self._session.text_of(run)):
                    continue
                for record in run:
                    raw = self._session.bytes_of(record)
                    if not raw.startswith(b"//") and (found := oddities(raw)):
                        odd[record] = found
        return odd

    def take_oddities(self, other: "Stored", new: Iterable[Record] = ()) -> None:
        """Take over what is known of another state of the file; ``new`` are the other records."""
        known = {r: odd for r, odd in other.oddities.items() if r in self.number_of}
        for record in new:
            if record.kind == "unreadable":
                continue
            with suppress(LookupError, OSError):
                raw = self._session.bytes_of(record)
                if not raw.startswith(b"//") and (found := oddities(raw)):
                    known[record] = found
        self.__dict__["oddities"] = known

    def _runs(self) -> Iterator[list[Record]]:
        """Readable records, those that stand on one line after another together."""
        run: list[Record] = []
        start = after = -1
        for record in self.records:
            edited = record.text is not None
            damaged = record.kind == "unreadable"
            if record.start != after or after - start > RUN or damaged or edited:
                if run:
                    yield run
                run, start = [], record.start
            if not damaged:
                run.append(record)
                after = -2 if edited else record.start + record.length + 1
        if run:
            yield run

    @cached_property
    def frame_oddities(self) -> Sequence[Oddity]:
        """The same of a document around its messages, with paths that begin at its top."""
        frame = self._session.frame
        found = [Oddity((), key, doubled=True) for key in frame.doubled]
        for name, raw in (("system", frame.system), ("tools", frame.tools), *frame.others):
            found += [odd._replace(path=(name, *odd.path)) for odd in oddities(raw)]
        return found
