"""What a shape does: read the JSON of one message into a role and blocks, and show a block."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

import msgspec

from tapeview.tape.block import Block
from tapeview.tape.graft import Style
from tapeview.tape.record import Role

__all__ = ["Part", "PartKind", "Reading", "Shape"]

PartKind = Literal["text", "json", "image", "document", "note"]


class Reading(NamedTuple):
    """One message as its shape understands it."""

    role: Role
    spelled_role: str
    blocks: tuple[Block, ...]
    message_id: str = ""


class Part(msgspec.Struct, frozen=True):
    """A piece of a block as people look at it."""

    kind: PartKind
    text: str = ""
    """Text as it is (never cleaned), or a short word for a note."""
    raw: bytes = b""
    """For JSON: the text as stored, numbers and key order as written."""
    media_type: str = ""
    """For an image or document: the type it claims to have."""
    data: str = ""
    """For an image or document: its base64 text."""


class Shape(Protocol):
    """A way to spell a message."""

    @property
    def dialect(self) -> str:
        """``anthropic`` or ``openai-chat``: whose rules hold."""

    def read(self, message: bytes) -> Reading:
        """Role and blocks of the JSON object ``message``.

        Raises ``JsonFault`` where the text is not JSON. Every other oddity becomes a block or a
        fact of a block.
        """

    def parts(self, message: bytes, block: Block) -> tuple[Part, ...]:
        """What ``block`` of ``message`` carries, to look at."""

    def input_of(self, message: bytes, block: Block) -> object:
        """A call's input as a value; text where it is not JSON; None where there is none."""

    def neutral(self, message: bytes, block: Block) -> bytes:
        """The block as JSON in the spelling of the Messages API."""

    def own(self, message: bytes, block: Block) -> bytes:
        """The block as JSON as it stands, to be put in somewhere else."""

    def set_member(self, message: bytes, block: Block, name: str, value: bytes | None) -> bytes:
        """``message`` with one member of a block set, or taken out where ``value`` is None.

        ``name`` is the word of the Messages API; ``id`` is the link's id on a call and on a result,
        ``text`` the words of any block that has some, "" the whole block. Raises ``EditError``.
        """

    def without_blocks(self, message: bytes, blocks: Sequence[Block]) -> bytes | None:
        """``message`` without these blocks; None where nothing is left of it."""

    def with_block(self, message: bytes, before: Block | None, block: bytes) -> bytes:
        """``message`` with a block more, above another one, or at the end. Raises ``EditError``."""

    def kept(self, blocks: Sequence[bytes]) -> list[bytes]:
        """Those blocks of a reply that have a place here. Raises ``EditError`` where none has."""

    def spell(self, role: str, blocks: Sequence[bytes], style: Style) -> list[bytes]:
        """The message, or messages, that these blocks make. Raises ``EditError``."""
