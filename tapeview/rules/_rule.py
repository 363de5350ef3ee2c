"""What a rule is: one way in which a tape is refused, or goes wrong."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, Literal

import msgspec

from tapeview.tape.block import Place
from tapeview.tape.index import Index
from tapeview.tape.record import Record

__all__ = ["ANTHROPIC", "BOTH", "CHAT", "SEVERITIES", "Bad", "Fault", "Good", "Rule", "Severity"]

Severity = Literal["error", "warning", "suspicion", "pending", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "suspicion", "pending", "info")
"""Worst first. error: the API rejects. warning: probably, on some models, or the harness mends it.
suspicion: legal, breaks agents. pending: merely unfinished. info: worth knowing."""

ANTHROPIC = frozenset({"anthropic"})
CHAT = frozenset({"openai-chat"})
BOTH = ANTHROPIC | CHAT


class Fault(msgspec.Struct, frozen=True):
    """One place where a rule does not hold."""

    place: Place
    sentence: str
    """For people: what is wrong here, without the place; cleaned by whoever shows it."""
    ids: tuple[str, ...] = ()
    """Ids of the calls concerned, for pairing rules."""
    unfinished: bool = False
    """True where the tape merely ends here: pending for a session, a fault for a request."""
    record: Record | None = None
    """The record that is at fault, where the file is broken and not the conversation."""
    path: str = ""
    """The same for a document around its messages: the path of what is at fault."""

    @property
    def is_of_file(self) -> bool:
        """Whether the file is broken and not the conversation."""
        return self.record is not None or self.path != ""


class Good(msgspec.Struct, frozen=True):
    """A tape that the rule must leave alone, and why people think otherwise."""

    why: str
    body: Any
    """A request body or a bare array, as Python values."""


class Bad(msgspec.Struct, frozen=True):
    """A tape with the fault, and the paths at which it must be found, in order."""

    why: str
    body: Any
    at: tuple[str, ...]


class Rule(ABC):
    """One rule. Its docstring is the page that ``tapeview explain CODE`` prints: first line what is
    wrong, then why the API minds, then how it is mended.

    ``rank`` is the order in which the API would report it: schema faults first (10 to 29), then the
    shape of the conversation (``rules.md`` 2.2).
    """  # noqa: D205

    code: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[Severity] = "error"
    rank: ClassVar[int]
    dialects: ClassVar[frozenset[str]] = ANTHROPIC
    repairs: ClassVar[tuple[str, ...]]
    """Ids of ``rules.md`` 8, in its order."""
    mended: ClassVar[str] = "resume mends it"
    """What a harness's own cleaning does about it, where it does."""
    good: ClassVar[tuple[Good, ...]]
    bad: ClassVar[tuple[Bad, ...]]

    @abstractmethod
    def find(self, index: Index) -> Iterator[Fault]:
        """Every place of the tape where the rule does not hold, in order."""

    @abstractmethod
    def api_path(self, fault: Fault, index: Index) -> str:
        """How the API spells the place it complains about."""

    @abstractmethod
    def api_message(self, fault: Fault, index: Index) -> str:
        """The API's own words, with numbers and ids filled in."""

    def mended_on(self, fault: Fault, stored: Index, sent: Index) -> str:
        """What the harness does about a fault of the stored chain that is not on the sent tape."""
        del fault, stored, sent
        return self.mended

    def repairs_for(self, fault: Fault, index: Index) -> tuple[str, ...]:
        """Ids of the repairs that fit this fault."""
        del fault, index
        return self.repairs

    def points_on(self, fault: Fault, index: Index) -> bool:
        """Whether the sentence of a fault names another place of the tape, or a turn."""
        del fault, index
        return False
