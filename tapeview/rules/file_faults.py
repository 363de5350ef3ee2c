"""FL001, FL002, FL003: the file is broken, whatever the conversation says."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from tapeview.rules._rule import BOTH, Bad, Fault, Good, Rule, Severity
from tapeview.tape.block import Place
from tapeview.tape.index import Index
from tapeview.tape.record import Record

__all__ = ["TornTail", "TwoOnALine", "UnreadableLine"]

ASK = b'{"role": "user", "content": "Which orders are open?"}\n'
TOLD = b'{"role": "assistant", "content": "None."}\n'
TORN = b'{"role": "assistant", "content": "No'
NOWHERE = Place(-1)


class _FileFault(Rule):
    """A fault of the file: the API never sees it, so it has no path and no words for it."""

    severity: ClassVar[Severity] = "warning"
    dialects: ClassVar[frozenset[str]] = BOTH
    repairs: ClassVar[tuple[str, ...]] = ()
    mended: ClassVar[str] = "resume passes it over"

    @abstractmethod
    def words(self, record: Record, index: Index) -> str:
        """What is wrong with a record; "" where nothing is."""

    def find(self, index: Index) -> Iterator[Fault]:
        """Every record that is broken in this way, in stored order."""
        for record in index.records:
            if words := self.words(record, index):
                yield Fault(NOWHERE, words, record=record, unfinished=self.code == "FL002")

    def api_path(self, fault: Fault, index: Index) -> str:
        """None: what is not read is not sent."""
        del fault, index
        return ""

    def api_message(self, fault: Fault, index: Index) -> str:
        """None."""
        del fault, index
        return ""


class UnreadableLine(_FileFault):
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

    def words(self, record: Record, index: Index) -> str:
        """The reason, unless it is a torn tail."""
        if record.kind != "unreadable" or _is_torn_tail(record, index):
            return ""
        return f"it cannot be read: {record.label}"


class TornTail(_FileFault):
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

    def words(self, record: Record, index: Index) -> str:
        """What happened, for the last record alone."""
        return "the last line is half written" if _is_torn_tail(record, index) else ""


class TwoOnALine(_FileFault):
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

    def words(self, record: Record, index: Index) -> str:
        """Said once a line, at the first object on it."""
        if not record.shares_line:
            return ""
        number = index.record_number[record]
        before = index.records[number - 1] if number else None
        if before is not None and before.shares_line and before.line == record.line:
            return ""
        return "several objects stand on this line; most readers pass it over whole"


def _is_torn_tail(record: Record, index: Index) -> bool:
    return (
        record is index.records[-1]
        and record.kind == "unreadable"
        and record.label == "the last line is half written"
    )
