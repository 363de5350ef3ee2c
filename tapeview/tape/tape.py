"""A tape: one ``messages`` array as the model is sent it, and what stands beside it."""

from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

from tapeview.tape.block import Block
from tapeview.tape.graft import spelled
from tapeview.tape.message import Message
from tapeview.tape.record import Record

__all__ = ["Break", "Frame", "Tape", "TapeKind"]

TapeKind = Literal["main", "segment", "branch", "agent"]


class Frame(msgspec.Struct, frozen=True):
    """What a request carries beside its messages, as far as the file has it. JSON, undecoded."""

    model: str = ""
    system: bytes = b""
    tools: bytes = b""
    others: tuple[tuple[str, bytes], ...] = ()
    """Further members in the order of the file: max_tokens, thinking, tool_choice, ..."""
    whole: bool = False
    """The file is one document: the body itself, or the bare array."""
    is_editable: bool = False
    """Members can be changed, put in and taken out: the file has a place for them."""
    doubled: tuple[str, ...] = ()
    """Members that the document spells more than once; the last of each is the one kept."""

    @property
    def members(self) -> dict[str, bytes]:
        """All of them, by the names of the request's members, as JSON."""
        found = dict(self.others)
        for name, raw in (("system", self.system), ("tools", self.tools)):
            if raw:
                found[name] = raw
        if self.model:
            found["model"] = spelled(self.model)
        return found

    def changed(self, other: "Frame") -> Iterator[tuple[str, bytes, bytes]]:
        """Members that another one has otherwise: name, JSON here, JSON there; b"" for none."""
        here, there = self.members, other.members
        for name in (*here, *(name for name in there if name not in here)):
            before, after = here.get(name, b""), there.get(name, b"")
            if before != after:
                yield name, before, after


class Break(msgspec.Struct, frozen=True):
    """A place at which the way from a line to the beginning of its session breaks off."""

    record: Record
    """The line whose parent is missing, or the first stored one of those in a circle."""
    circle: bool
    """Its parents lead back to it; else its parent is not in the file."""
    begins: bool
    """The tape begins here, as its way up ends here; else this is off the tape."""
    messages: int
    """Messages on the tape where it begins here, else those that hang here."""
    of: int
    """Messages that the file holds in all."""


class Tape(msgspec.Struct, frozen=True, eq=False):
    """One line of a session: the stored chain, and what of it is sent."""

    id: str
    kind: TapeKind
    messages: tuple[Message, ...]
    """The stored chain, in sending order."""
    sent: tuple[Message, ...]
    """After the harness's own cleaning; the very same tuple where there is none."""
    unsent: Mapping[Record, str]
    """Records that are stored but not sent, each with the reason in a word or two."""
    own: frozenset[Record] | None = None
    """Records that no earlier tape of the session has; None for all of them."""
    caller: Block | None = None
    """The call that started a sub-agent, where it is known."""
    after: Record | None = None
    """The last record that a branch shares with the line it left."""
    first_turn: int = 1
    """The number of its first turn: segments and main are counted through."""
    begins: str = ""
    """How it begins, where a compaction made it: ``compacted 14:02:51 · auto``."""
    resume: str | None = None
    """What resuming would do, in one line; None where nothing is resumed."""
    frame: Frame | None = None
    """What its calls carry beside the messages, where that is not what main's carry."""
    as_sent: int | None = None
    """How many of its first messages are as calls sent them, where somebody edited it before; -1
    where he edited what calls carry, None where it was not edited."""
    breaks: tuple[Break, ...] = ()
    """Where messages are lost because parents are missing or lead in a circle, in stored order."""
