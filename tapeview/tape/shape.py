"""What a shape does: read the JSON of one message into a role and blocks, and show a block."""

from typing import Literal, NamedTuple, Protocol

import msgspec

from tapeview.tape.block import Block
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
