"""What the rules on the file itself share."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from tapeview.rules._rule import BOTH, Fault, Rule, Severity
from tapeview.tape.block import Place
from tapeview.tape.index import Index
from tapeview.tape.stored import Stored

__all__ = ["NOWHERE", "FileFault"]

NOWHERE = Place(-1)


class FileFault(Rule):
    """A fault of the file: the API never sees it, so it has no path and no words for it."""

    severity: ClassVar[Severity] = "warning"
    dialects: ClassVar[frozenset[str]] = BOTH
    repairs: ClassVar[tuple[str, ...]] = ()
    mended: ClassVar[str] = "resume passes it over"

    @abstractmethod
    def faults(self, stored: Stored) -> Iterator[Fault]:
        """Every fault of this kind, in stored order."""

    def find(self, index: Index) -> Iterator[Fault]:
        """The faults of the file, where the file is looked at."""
        if index.stored is not None:
            yield from self.faults(index.stored)

    def api_path(self, fault: Fault, index: Index) -> str:
        """None: what is not read is not sent."""
        del fault, index
        return ""

    def api_message(self, fault: Fault, index: Index) -> str:
        """None."""
        del fault, index
        return ""
