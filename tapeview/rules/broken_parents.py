"""FL006, FL007: lines of a session name their parents, and the way up from one breaks off."""

from collections.abc import Iterator
from typing import ClassVar

from tapeview.rules._file_fault import NOWHERE, FileFault
from tapeview.rules._rule import Bad, Fault, Good
from tapeview.tape.sizes import count
from tapeview.tape.stored import Stored

__all__ = ["MissingParent", "ParentCycle"]

USER = (
    b'{"type":"user","uuid":"%b","parentUuid":%b,"sessionId":"s1",'
    b'"timestamp":"2026-01-01T10:00:%bZ","message":{"role":"user","content":"%b"}}\n'
)
REPLY = (
    b'{"type":"assistant","uuid":"%b","parentUuid":"%b","sessionId":"s1",'
    b'"timestamp":"2026-01-01T10:00:%bZ","message":{"id":"msg_%b","role":"assistant",'
    b'"content":[{"type":"text","text":"%b"}]}}\n'
)
ASK = USER % (b"u1", b"null", b"00.000", b"Which orders are open?")
TOLD = REPLY % (b"a1", b"u1", b"02.000", b"1", b"Two of them.")
MORE = USER % (b"u2", b'"a1"', b"20.000", b"And which are late?")
LATE = REPLY % (b"a2", b"u2", b"22.000", b"2", b"Order 7.")


class _Broken(FileFault):
    circle: ClassVar[bool]
    what: ClassVar[str]

    def faults(self, stored: Stored) -> Iterator[Fault]:
        """Each break of this kind, with what resume makes of it."""
        for broken in stored.breaks:
            if broken.circle == self.circle:
                reads = "reads" if broken.begins else "leaves out"
                told = f"{broken.messages:,} of {count(broken.of, 'message')}"
                sentence = f"{self.what}, so resume {reads} {told}"
                yield Fault(NOWHERE, sentence, record=broken.record)


class MissingParent(_Broken):
    """The parent of a line is not in the file, and messages are lost for it.

    Claude Code reads a session back from its newest line upwards, from parent to parent. Where a
    parent is missing it takes the closest line of the 5 s before in its place; where there is none,
    the conversation begins there and all that stands above is not sent. What hangs on a missing
    parent beside the conversation, such as a result, is not sent either. Lines taken out by hand,
    half copied files and lines that cannot be read make it.

    It is told once for each break, and only where messages are lost: not where another line stands
    in, nor where nothing is stored above. Give the line the `uuid` of the line it should follow as
    its `parentUuid` in an editor.
    """

    code: ClassVar[str] = "FL006"
    name: ClassVar[str] = "missing-parent"
    rank: ClassVar[int] = 97
    circle: ClassVar[bool] = False
    what: ClassVar[str] = "its parent is not in the file"
    good = (
        Good("every line has its parent", ASK + TOLD + MORE + LATE),
        Good("the line before stands in", ASK + TOLD.replace(b'"u1"', b'"gone"') + MORE + LATE),
        Good("above a trimmed file nothing is stored", MORE + LATE),
    )
    bad = (
        Bad("the reply between two prompts is gone", ASK + MORE + LATE, ("records.1",)),
        Bad(
            "an earlier reply hangs on nothing",
            ASK + TOLD.replace(b'"u1"', b'"gone"') + MORE.replace(b'"a1"', b'"u1"') + LATE,
            ("records.1",),
        ),
    )


class ParentCycle(_Broken):
    """The parents of a line lead back to it.

    Claude Code reads a session back from its newest line upwards, from parent to parent, and stops
    at a line that it has seen. A circle has no beginning: what stands above it is not sent, and
    where the newest line is not below it, nothing that hangs on it is. Ids that were copied by hand
    make it.

    It is told once for each circle, at its first line. Give one of its lines the `uuid` of the line
    it should follow as its `parentUuid` in an editor, or `null` where the conversation begins.
    """

    code: ClassVar[str] = "FL007"
    name: ClassVar[str] = "parent-cycle"
    rank: ClassVar[int] = 98
    circle: ClassVar[bool] = True
    what: ClassVar[str] = "its parents lead back to it"
    good = (Good("two replies to one line are no circle", ASK + TOLD + MORE + LATE),)
    bad = (
        Bad(
            "the first prompt hangs on its answer",
            ASK.replace(b"null", b'"a1"') + TOLD + MORE + LATE,
            ("records.0",),
        ),
        Bad(
            "two lines beside the conversation hang on each other",
            ASK + MORE.replace(b'"a1"', b'"a2"') + LATE + TOLD.replace(b"02.000", b"30.000"),
            ("records.1",),
        ),
    )
