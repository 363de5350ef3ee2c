"""What one can ask for: the published form of an edit, in a script and in the journal.

A list of edits is a JSON array of objects; ``op`` names the kind. Places are paths of the stored
chain as the API spells them (``messages.4.content.1``), ``records.12`` for what is off it; each
edit is understood on the tape as the edits before it left it.
"""

from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, Raw, UnsetType

from tapeview.errors import EditError
from tapeview.tape.graft import COMPACT, respelled, spelled
from tapeview.tape.json_text import JsonFault, elements, loads, members, skip_blank, skip_value

__all__ = [
    "Answer",
    "AppendReply",
    "Branch",
    "Clear",
    "Compact",
    "Cut",
    "Delete",
    "DeleteRange",
    "DeleteTurn",
    "Duplicate",
    "Fold",
    "Insert",
    "InsertBlock",
    "Merge",
    "Move",
    "Operation",
    "Pairs",
    "Prepend",
    "Rename",
    "ReplaceReply",
    "Set",
    "SetRequest",
    "Split",
    "operation_json",
    "operations_from",
    "schema",
]

Pairs = Literal["ask", "both", "keep", "answer"]
"""What becomes of links that lose one end: the other end goes too, it stays (and is flagged), or
the call stays and is answered as interrupted. ``ask`` refuses, and says which they are."""


RAW: Final = frozenset({"value", "content", "block", "message"})
"""Members that hold JSON of the session's own, kept as it is written."""


class _Operation(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    tag_field="op",
):
    tape: str = "main"
    """Which tape the places are of: ``main``, ``main~1``, ``branch:1``, ``agent:...``."""


class Set(_Operation, frozen=True, tag="set"):
    """Set one member of a block, or of a message (``role``); without ``value`` it is taken out."""

    at: str
    member: str
    """text, input, content, is_error, id (a result's ``tool_use_id`` too), name, role, any other
    name; "" is the whole block."""
    value: Raw | UnsetType = UNSET


class SetRequest(_Operation, frozen=True, tag="set_request"):
    """Set what a request carries beside its messages: system, tools, model, max_tokens, ..."""

    member: str
    value: Raw | UnsetType = UNSET


class Delete(_Operation, frozen=True, tag="delete"):
    """Take a block or a whole message out, or several: ``at`` is one place, or a list of them."""

    at: tuple[str, ...] | str
    pairs: Pairs = "ask"


class DeleteTurn(_Operation, frozen=True, tag="delete_turn"):
    """Take a turn out: the reply and its results."""

    turn: int
    pairs: Pairs = "ask"


class DeleteRange(_Operation, frozen=True, tag="delete_range"):
    """Take out everything from one place to another, both included."""

    first: str
    last: str
    pairs: Pairs = "ask"


class Insert(_Operation, frozen=True, tag="insert"):
    """Put a message in, before or after another; without either, at the end."""

    role: Literal["user", "assistant", "system"]
    content: Raw
    """A text, or a list of blocks in the spelling of the Messages API."""
    before: str = ""
    after: str = ""


class InsertBlock(_Operation, frozen=True, tag="insert_block"):
    """Put a block in, before or after another one of its message."""

    block: Raw
    before: str = ""
    after: str = ""


class Duplicate(_Operation, frozen=True, tag="duplicate"):
    """The same block, or the same message, once more behind it."""

    at: str


class Move(_Operation, frozen=True, tag="move"):
    """Move a block or a message before or after another one."""

    at: str
    before: str = ""
    after: str = ""
    pairs: Pairs = "ask"


class Split(_Operation, frozen=True, tag="split"):
    """Part a message in two: the second begins with this block."""

    at: str
    pairs: Pairs = "ask"


class Merge(_Operation, frozen=True, tag="merge"):
    """Put the next message of the same role into this one."""

    at: str


class Answer(_Operation, frozen=True, tag="answer"):
    """Answer a call that nothing answers."""

    at: str
    text: str = "interrupted: this call was not run"
    is_error: bool = True


class Rename(_Operation, frozen=True, tag="rename"):
    """Give a link another id, at both its ends."""

    at: str
    id: str


class Cut(_Operation, frozen=True, tag="cut"):
    """Take out everything after a place."""

    after: str
    pairs: Pairs = "ask"


class Clear(_Operation, frozen=True, tag="clear"):
    """Take all messages out, those of older lines too; system, tools and parameters stay."""


class Prepend(_Operation, frozen=True, tag="prepend"):
    """Put facts before everything else, as a first user message."""

    text: str


class Compact(_Operation, frozen=True, tag="compact"):
    """One user message in place of a range of messages."""

    first: str
    last: str
    text: str
    pairs: Pairs = "ask"


class Fold(_Operation, frozen=True, tag="fold"):
    """Let the call that started a sub-agent be answered by one text, by default its last words.

    Lines of it that stand in the session's own file go.
    """

    agent: str
    text: str = ""


class AppendReply(_Operation, frozen=True, tag="append_reply"):
    """Put a reply of the model at the end of the tape: a message as the Messages API returns it.

    Its blocks are kept as they stand, but calls whose ids the tape has already get new ones; its
    id, model, usage and stop reason where the format has a place for them.
    """

    message: Raw


class ReplaceReply(_Operation, frozen=True, tag="replace_reply"):
    """Put another reply in the place of that of a turn; later turns stay.

    Results go with the calls that they answer, unless the new reply has calls of the same ids.
    """

    turn: int
    message: Raw
    pairs: Pairs = "ask"


class Branch(_Operation, frozen=True, tag="branch"):
    """Keep another reply to the call of a turn beside the recorded one, as a branch of its own.

    The line itself stays, and resuming goes on with it. Only files that hold several lines can:
    Claude Code sessions.
    """

    turn: int
    message: Raw


Operation = (
    Set
    | SetRequest
    | Delete
    | DeleteTurn
    | DeleteRange
    | Insert
    | InsertBlock
    | Duplicate
    | Move
    | Split
    | Merge
    | Answer
    | Rename
    | Cut
    | Clear
    | Prepend
    | Compact
    | Fold
    | AppendReply
    | ReplaceReply
    | Branch
)


_decode = msgspec.json.Decoder[Operation](Operation).decode


def operations_from(raw: bytes) -> tuple[Operation, ...]:
    """The edits that a script holds.

    Raises ``EditError`` with the number of the edit, from 1, that does not fit.
    """
    try:
        texts = _texts(raw.removeprefix(b"\xef\xbb\xbf"))
    except JsonFault as fault:
        raise EditError(f"the list of edits is not JSON: {fault}.") from None
    return tuple(_operation(text, number) for number, text in enumerate(texts, 1))


def _texts(raw: bytes) -> list[bytes]:
    """The text of each edit."""
    if not _is_utf8(raw):
        raise EditError("the list of edits is not JSON: it is not UTF-8 text.")
    start = skip_blank(raw, 0)
    if skip_blank(raw, skip_value(raw, start)) != len(raw):
        raise JsonFault(len(raw), "more text follows the list")
    if raw[start : start + 1] != b"[":
        raise EditError("a script is a JSON array of edits.")
    return [raw[a:b] for a, b in elements(raw, start)]


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _operation(text: bytes, number: int) -> Operation:
    try:
        try:
            return _decode(text)
        except msgspec.ValidationError:
            raise
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return msgspec.convert(_read_slowly(text), Operation)  # type: ignore[no-any-return]
    except (msgspec.ValidationError, JsonFault) as error:
        raise EditError(f"edit {number} of the list does not fit: {error}.") from None


def _read_slowly(raw: bytes) -> object:
    """An edit that msgspec refuses: with lone surrogates, NaN, or numbers beyond every limit."""
    loads(raw)
    if raw[:1] != b"{":
        raise msgspec.ValidationError("Expected `object`")
    return {
        name: Raw(raw[a:b]) if name in RAW else loads(raw[a:b]) for name, (a, b) in members(raw, 0)
    }


def operation_json(operation: Operation) -> bytes:
    """One edit as a script has it, on one line."""
    members = {"op": spelled(operation.__struct_config__.tag)}
    for field in msgspec.structs.fields(operation):
        value = getattr(operation, field.name)
        if value is not UNSET and value != field.default:
            is_raw = isinstance(value, Raw)
            written = respelled(bytes(value), COMPACT) if is_raw else spelled(value)
            members[field.name] = written
    return b"{" + b",".join(spelled(name) + b":" + raw for name, raw in members.items()) + b"}"


def schema() -> dict[str, Any]:
    """The JSON Schema of a list of edits."""
    return msgspec.json.schema(tuple[Operation, ...])
