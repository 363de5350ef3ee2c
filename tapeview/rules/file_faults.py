"""FL001, FL002, FL003: the file is broken, whatever the conversation says."""

from collections.abc import Iterator
from typing import ClassVar

from tapeview.rules._file_fault import NOWHERE, FileFault
from tapeview.rules._rule import Bad, Fault, Good
from tapeview.tape.record import Record
from tapeview.tape.stored import Stored

__all__ = ["TornTail", "TwoOnALine", "UnreadableLine"]

ASK = b'{"role": "user", "content": "Which orders are open?"}\n'
TOLD = b'{"role": "assistant", "content": "None."}\n'
TORN = b'{"role": "assistant", "content": "No'


class UnreadableLine(FileFault):
    """A line, or what is left of a document, is not readable as JSON.

    A harness passes such a line over when it reads the session back, and with it whatever the line
    said: a call, its result, or the parent of all that follows. Two processes that write one file,
    a full disk and hand edits make them.

    The line is kept as it is and shown at its place; mend it in an editor.
    """

    code: ClassVar[str] = "FL001"
    name: ClassVar[str] = "unreadable-line"
    rank: ClassVar[int] = 90
    good = (Good("blank lines and comments hold nothing", b"// a note\n\n" + ASK + TOLD),)
    bad = (Bad("half of a line was overwritten", ASK + b'{"role": "assi\n' + TOLD, ("records.1",)),)

    def faults(self, stored: Stored) -> Iterator[Fault]:
        """The reason, unless it is a torn tail."""
        for record in stored.damaged:
            if record.kind == "unreadable" and not _is_torn_tail(record, stored):
                yield Fault(NOWHERE, f"it cannot be read: {record.label}", record=record)


class TornTail(FileFault):
    """The last line is half written.

    The program that wrote it was killed, or is writing it right now: in a session that grows this
    is pending, and no fault. Everything above is whole.

    Nothing has to be mended: the next line that is written whole ends it. Take the half line out in
    an editor if the writer is gone.
    """

    code: ClassVar[str] = "FL002"
    name: ClassVar[str] = "torn-tail"
    rank: ClassVar[int] = 92
    good = (Good("a last line without a line end is whole", ASK + TOLD.rstrip()),)
    bad = (Bad("the process was killed while it wrote", ASK + TOLD + TORN, ("records.2",)),)

    def faults(self, stored: Stored) -> Iterator[Fault]:
        """What happened, for the last record alone."""
        for record in stored.damaged[-1:]:
            if _is_torn_tail(record, stored):
                words = "the last line is half written"
                yield Fault(NOWHERE, words, record=record, unfinished=True)


class TwoOnALine(FileFault):
    """Two objects stand on one line, without a line end between them.

    Most readers of sessions take a line for one object and pass such a line over whole, so both
    messages are missing from what the model is sent. Two writers of one file make it.

    tapeview reads both. Put a line end between them in an editor.
    """

    code: ClassVar[str] = "FL003"
    name: ClassVar[str] = "two-objects-on-a-line"
    rank: ClassVar[int] = 94
    good = (Good("one object a line", ASK + TOLD),)
    bad = (Bad("the line end between two was lost", ASK.rstrip() + TOLD, ("records.0",)),)

    def faults(self, stored: Stored) -> Iterator[Fault]:
        """Said once a line, at the first object on it."""
        line = (0, 0)
        for record in stored.damaged:
            if record.shares_line and (record.member, record.line) != line:
                line = (record.member, record.line)
                words = "several objects stand on this line; most readers pass it over whole"
                yield Fault(NOWHERE, words, record=record)


def _is_torn_tail(record: Record, stored: Stored) -> bool:
    return (
        record is stored.records[-1]
        and record.kind == "unreadable"
        and record.label == "the last line is half written"
    )
