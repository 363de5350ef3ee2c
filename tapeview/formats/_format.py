"""What a format is: where records begin and end, and which tapes they make."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

from tapeview.formats._head import Head
from tapeview.tape.record import Record
from tapeview.tape.session import Session
from tapeview.tape.shape import Shape
from tapeview.tape.source import Source

__all__ = ["Format", "Store"]


class Store(ABC):
    """One opened file: its records, in stored order, and the session they make."""

    def __init__(self, source: Source, path: str) -> None:
        self.source = source
        self.path = path

    @abstractmethod
    def records(self, start: int = 0) -> Iterator[Record]:
        """Records from byte ``start`` on, which is where a record begins."""

    @abstractmethod
    def session(self, records: Sequence[Record]) -> Session:
        """The tapes that ``records`` make."""

    def glimpse(self, records: Sequence[Record]) -> Session:
        """The same of the first few records, at once: files beside the own may be left out."""
        return self.session(records)


class Format(ABC):
    """An envelope around a shape. The class docstring says where the program keeps its sessions,
    what a record is, and what the format cannot express.
    """  # noqa: D205

    name: ClassVar[str]
    title: ClassVar[str]
    shape: ClassVar[Shape]

    @abstractmethod
    def claims(self, head: Head) -> float:
        """How sure it is that the file is its own: 0 to 1, from content alone."""

    @abstractmethod
    def open(self, head: Head, path: str) -> Store:
        """The file as a store. Raises ``OpenError`` where it is too damaged to hold records."""
