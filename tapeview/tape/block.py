"""A content block: a named place in the JSON of a message.

A block keeps what links, turns and rules ask for (kind, id, name, a few facts) and the path that
leads to it; its text stays in the file and is read when somebody looks.
"""

from typing import Final, NamedTuple

import msgspec

__all__ = [
    "CALLS",
    "CLIENT_CALL",
    "CLIENT_RESULT",
    "RESULTS",
    "Block",
    "BlockFacts",
    "JsonPath",
    "Place",
]

JsonPath = tuple[str | int, ...]

CLIENT_CALL = "tool_use"
CLIENT_RESULT = "tool_result"
SERVER_CALLS = frozenset({"server_tool_use", "mcp_tool_use"})
SERVER_RESULTS = frozenset(
    {
        "web_search_tool_result",
        "web_fetch_tool_result",
        "code_execution_tool_result",
        "bash_code_execution_tool_result",
        "text_editor_code_execution_tool_result",
        "tool_search_tool_result",
        "advisor_tool_result",
        "mcp_tool_result",
    }
)
CALLS = SERVER_CALLS | {CLIENT_CALL}
RESULTS = SERVER_RESULTS | {CLIENT_RESULT}


class BlockFacts:
    """Bits of ``Block.facts``: what a rule may ask of a block without reading its text again.

    Plain integers: an ``IntFlag`` costs a third of the time in which a session is indexed.
    """

    NONE: Final = 0
    ID_ABSENT: Final = 1
    ID_NOT_TEXT: Final = 2
    NAME_ABSENT: Final = 4
    NAME_NOT_TEXT: Final = 8
    INPUT_ABSENT: Final = 16
    INPUT_NOT_OBJECT: Final = 32
    IS_ERROR: Final = 64
    SIGNED: Final = 128
    """A thinking block with a signature that is not empty."""
    EMPTY: Final = 256
    """The payload is absent, an empty string or an empty list."""
    LEGACY: Final = 512
    """A Chat ``function_call`` or ``function`` message: paired by name, for want of an id."""
    JSON_IN_TEXT: Final = 1024
    """The input is JSON written inside a string, as Chat's ``arguments``."""
    ADDED: Final = 2048
    """Not stored anywhere: what the harness would add on its own."""
    BLANK: Final = 4096
    """A text that is not empty, but whitespace alone."""


class Block(msgspec.Struct, frozen=True, gc=False, eq=False):
    """One content block. Two blocks are the same only if they are the same object."""

    kind: str
    """The block's type in the words of the Messages API; ``""`` where it has none."""
    path: JsonPath
    """From the message object to the block: ``("content", 1)``; ``("content",)`` for a string."""
    size: int
    """Bytes of what it carries: text, input, content or data, as written."""
    id: str = ""
    """A call's ``id`` or a result's ``tool_use_id``."""
    name: str = ""
    """A call's tool, a result's toolset or, in Chat, its ``name``."""
    facts: int = BlockFacts.NONE
    """Bits of ``BlockFacts``."""
    nested: tuple[str, ...] = ()
    """Types of the blocks inside a result, in order; ``""`` where one has none."""

    @property
    def is_error(self) -> bool:
        """Whether the result says of itself that it is an error."""
        return bool(self.facts & BlockFacts.IS_ERROR)


class Place(NamedTuple):
    """Where something stands in a ``messages`` array: indices from 0, -1 for "not so deep"."""

    message: int
    block: int = -1
    nested: int = -1
