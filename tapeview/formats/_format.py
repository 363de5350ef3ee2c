"""What a format is: where records begin and end, which tapes they make, how a change is spelled."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from copy import copy
from typing import ClassVar, Self

from tapeview.edit.edit import Edit
from tapeview.edit.speller import Speller
from tapeview.formats._head import Head
from tapeview.tape.record import Record
from tapeview.tape.session import Session
from tapeview.tape.shape import Shape
from tapeview.tape.source import Source
from tapeview.tape.tape import Frame, Tape
from tapeview.tape.window import Window

__all__ = ["Format", "Store"]


class Store(ABC):
    """One opened file: its records, in stored order, and the session they make."""

    swaps: ClassVar[bool] = True
    """Whether an edit of texts alone changes the same records on all tapes."""
    shows_stored: ClassVar[bool] = True
    """Whether the records of a session are those of the file, in their order."""
    grows: ClassVar[bool] = True
    """Whether what is written behind its end is further records. A document is read anew."""
    only_whole = False
    """Whether a last line that is half written is left out, in files beside its own too."""

    def __init__(self, source: Source, path: str) -> None:
        self.source = source
        self.path = path

    @abstractmethod
    def records(self, start: int = 0) -> Iterator[Record]:
        """Records from byte ``start`` on, which is where a record begins."""

    @abstractmethod
    def session(
        self,
        records: Sequence[Record],
        members: Sequence[Sequence[Record]] | None = None,
        frame: Frame | None = None,
        original: Session | None = None,
    ) -> Session:
        """The tapes that ``records`` make.

        ``members`` are the records of each file beside it, None for those that the files hold;
        ``frame`` is what stands beside the messages, None for what the file holds; ``original``
        is the session as it was read, where this one is edited.
        """

    def windowed(self, session: Session, edit: Edit) -> tuple[Session, Window] | None:
        """The session after an edit that stands by itself, and which stretch of main it replaces.

        None where all has to be worked out anew.
        """
        del session, edit
        return None

    @abstractmethod
    def read(self, text: bytes, member: int = 0) -> Record:
        """The record that the text of one makes; it stands nowhere yet."""

    @abstractmethod
    def speller(self, tape: Tape) -> Speller:
        """How one change of a tape is spelled in this format."""

    def grown(self, source: Source, only_whole: bool) -> Self:
        """The store of the same file after it has grown; what was read is not read again."""
        other = copy(self)
        other.source, other.only_whole = source, only_whole
        return other

    @property
    def text_as_read(self) -> bytes:
        """All of the file as it was read, where that is in memory anyway."""
        return b""

    def beside(self) -> tuple[str, ...]:
        """Paths that belong to the session as well: files, and folders where some may come."""
        return ()

    def copies(self, session: Session, identity: str) -> Iterator[tuple[str, Iterator[bytes]]]:
        """The session under a new id: file names and their pieces, its own first.

        None where the format has no ids.
        """
        del session, identity
        return iter(())

    @abstractmethod
    def written(self, session: Session, member: int = 0) -> Iterator[bytes]:
        """The bytes of the session's own file (0) or of one beside it, in pieces."""

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
