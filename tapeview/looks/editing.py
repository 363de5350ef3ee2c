r"""What an editor shows of a row, and the edit that comes of what was typed there.

No editor is given a control character: a text that has some is edited in a spelling with escapes
(``\u001b``, a backslash doubled), JSON with the escapes that JSON has anyway.
"""

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from msgspec import Raw

from tapeview.edit.operations import Operation, Set, SetRequest
from tapeview.edit.plan import NO_FRAME
from tapeview.errors import EditError
from tapeview.looks.block_record import FAULTS
from tapeview.looks.block_text import copy_path
from tapeview.shapes.fields import fields_of, is_text, text_of
from tapeview.snapshot import Snapshot
from tapeview.tape.block import CALLS, RESULTS
from tapeview.tape.clean import visible
from tapeview.tape.graft import COMPACT, Style, replaced, respelled, spelled, style_of
from tapeview.tape.json_text import JsonFault, decode_text, elements
from tapeview.tape.rows import Row

__all__ = [
    "Editable",
    "TypedFault",
    "editable_of",
    "editable_value",
    "escaped",
    "fault_in",
    "operation_of",
    "shown_json",
    "shown_text",
    "typed_value",
]

PRETTY: Final = Style(True, False, "  ")
NAMED: Final = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
SELF: Final = '\\"/'

_escape = re.compile(r"\\(u[0-9a-fA-F]{4}|.|\Z)", re.DOTALL)
_pair = re.compile("[\ud800-\udbff][\udc00-\udfff]")


class TypedFault(NamedTuple):
    """Where and why what was typed cannot be taken."""

    line: int
    """From 1, as the column."""
    column: int
    reason: str

    @property
    def words(self) -> str:
        """``line 3 column 7: a value should stand here``."""
        return f"line {self.line} column {self.column}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Editable:
    """One value of a tape, as it is edited."""

    title: str
    """``text of messages.4.content.1``."""
    text: str
    """What the editor begins with: no control characters but line breaks and tabs."""
    is_json: bool
    is_escaped: bool
    tape: str
    at: str
    """The block's path; "" for a member of the request."""
    member: str
    raw: bytes
    """The value as it is written."""
    inside: tuple[str | int, ...] = ()
    """Where in that value the text stands."""
    ascii: bool = False
    """The writer spells everything beyond ASCII with escapes."""

    @property
    def suffix(self) -> str:
        """How the name of a file ends that it is edited in."""
        return ".json" if self.is_json else ".txt"


def editable_of(snapshot: Snapshot, row: Row) -> Editable:
    """What of a row can be edited as text. Raises ``EditError`` with the reason where nothing."""
    snapshot = snapshot.of(row)
    session, record, block = snapshot.session, row.record, row.block
    if row.kind in ("system", "tools"):
        if not session.frame.is_editable:
            raise EditError(NO_FRAME.format(row.kind))
        raw = session.frame.system if row.kind == "system" else session.frame.tools
        return editable_value(raw, row.kind, snapshot.tape.id, "", row.kind)
    if row.kind == "turn":
        raise EditError("a turn has no text of its own; go to one of its blocks, or press a.")
    if row.kind == "note":
        raise EditError("a note of the harness is not part of the tape; it is not edited here.")
    if row.kind != "block" or record is None:
        raise EditError("there is nothing to edit here.")
    if block is None:
        raise EditError("the message has no content; i inserts a block.")
    if record.start < 0 and record.text is not None and session.position_of(record) < 0:
        raise EditError("the harness adds this on its own; it is not stored.")
    try:
        message = session.message_of(record)
        neutral = session.shape.neutral(message, block)
        fields = fields_of(neutral)
    except FAULTS as fault:
        raise EditError(f"this cannot be read any more: {fault}.") from None
    at, tape = copy_path(snapshot, row), snapshot.tape.id
    ascii_ = style_of(message).ascii
    if block.kind in CALLS and "input" in fields:
        return editable_value(fields["input"], f"input of {at}", tape, at, "input", ascii_, True)
    if block.kind in RESULTS and "content" in fields:
        return editable_value(fields["content"], f"content of {at}", tape, at, "content", ascii_)
    words = fields.get("thinking" if block.kind == "thinking" else "text")
    if words is not None and is_text(words):
        return editable_value(words, f"text of {at}", tape, at, "text", ascii_)
    return editable_value(neutral, f"block {at}", tape, at, "", ascii_, True)


def editable_value(
    raw: bytes,
    title: str,
    tape: str = "",
    at: str = "",
    member: str = "",
    ascii_: bool = False,
    as_json: bool = False,
) -> Editable:
    """One value of JSON as it is edited. Raises ``EditError`` where it is not JSON."""
    inside = _lone_text(raw)
    if inside is not None and not as_json:
        words = text_of(_at(raw, inside))
        shown = escaped(words)
        return Editable(title, shown, False, shown != words, tape, at, member, raw, inside, ascii_)
    try:
        text = decode_text(respelled(raw, PRETTY))
    except JsonFault as fault:
        raise EditError(f"this is not JSON any more: {fault.reason}.") from None
    return Editable(title, shown_json(text), True, False, tape, at, member, raw, (), ascii_)


def _lone_text(raw: bytes) -> tuple[str | int, ...] | None:
    """Where the only text of a value stands: a string, or a list of one text block."""
    if is_text(raw):
        return ()
    if raw[:1] != b"[":
        return None
    spans = list(elements(raw, 0))
    if len(spans) != 1:
        return None
    fields = fields_of(raw[spans[0].start : spans[0].end])
    lone = fields.keys() == {"type", "text"} and fields["type"] == b'"text"'
    return (0, "text") if lone and is_text(fields["text"]) else None


def _at(raw: bytes, inside: tuple[str | int, ...]) -> bytes:
    if not inside:
        return raw
    span = next(iter(elements(raw, 0)))
    return fields_of(raw[span.start : span.end])["text"]


# -- spelling --------------------------------------------------------------------------------------


def escaped(text: str) -> str:
    r"""The text as it is where nothing in it could act or hide; else with escapes for all that.

    Line breaks and tabs stay. What comes back is read by the same rule: a text in which a
    backslash is meant as it stands has no dangerous character.
    """
    return _escaped(text) if _is_dangerous(text) else text


def shown_text(text: str, is_escaped: bool) -> str:
    """A piece of text to be put into another: escaped as that is, or without what is dangerous."""
    if is_escaped:
        return _escaped(text)
    return "".join(sign for sign in text if sign in "\n\t" or not _is_dangerous(sign))


def _is_dangerous(text: str) -> bool:
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return False
    lines = text.split("\n")
    return any(controls for line in lines for controls, _ in visible(line.replace("\t", " ")))


def _escaped(text: str) -> str:
    signs = []
    for sign in text:
        if sign == "\\":
            signs.append("\\\\")
        elif sign not in "\n\t" and _is_dangerous(sign):
            signs.append(_units(sign))
        else:
            signs.append(sign)
    return "".join(signs)


def shown_json(text: str) -> str:
    """JSON with escapes for what a terminal would obey; such signs stand in strings alone."""
    if not _is_dangerous(text):
        return text
    return "".join(
        _units(sign) if sign not in "\n\t" and _is_dangerous(sign) else sign for sign in text
    )


def _units(sign: str) -> str:
    """A character as JSON escapes it: one or two UTF-16 units."""
    raw = sign.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{raw[k] << 8 | raw[k + 1]:04x}" for k in range(0, len(raw), 2))


def _unescaped(text: str) -> str | TypedFault:
    """The text that an escaped one spells, or the first escape that is none."""
    for match in _escape.finditer(text):
        if not (match[1][:1] in NAMED or match[1] in tuple(SELF) or len(match[1]) == 5):
            return _fault(text, match.start(), "this is no escape; a backslash is written \\\\")
    plain = _escape.sub(_sign, text)
    return _pair.sub(
        lambda pair: pair[0].encode("utf-16-be", "surrogatepass").decode("utf-16-be"), plain
    )


def _sign(match: re.Match[str]) -> str:
    spelling = match[1]
    if len(spelling) == 5:
        return chr(int(spelling[1:], 16))
    return NAMED.get(spelling, spelling)


def _fault(text: str, at: int, reason: str) -> TypedFault:
    before = text[:at]
    return TypedFault(before.count("\n") + 1, at - (before.rfind("\n") + 1) + 1, reason)


# -- what comes back -------------------------------------------------------------------------------


def fault_in(editable: Editable, typed: str) -> TypedFault | None:
    """Why what was typed cannot be taken; None where it can."""
    value = _value(editable, typed)
    return value if isinstance(value, TypedFault) else None


def operation_of(editable: Editable, typed: str) -> Operation | None:
    """The edit that what was typed asks for; None where it is what stands there.

    Raises ``EditError`` where it cannot be taken.
    """
    if typed == editable.text:
        return None
    value = typed_value(editable, typed)
    if value == respelled(editable.raw, COMPACT):
        return None
    if editable.at:
        return Set(tape=editable.tape, at=editable.at, member=editable.member, value=Raw(value))
    return SetRequest(tape=editable.tape, member=editable.member, value=Raw(value))


def typed_value(editable: Editable, typed: str) -> bytes:
    """The JSON that was typed, on one line. Raises ``EditError`` where it cannot be taken."""
    value = _value(editable, typed)
    if isinstance(value, TypedFault):
        raise EditError(f"{value.words}.")
    return value


def _value(editable: Editable, typed: str) -> bytes | TypedFault:
    """The JSON of the value that was typed, on one line."""
    if editable.is_json:
        raw = typed.encode("utf-8", "replace")
        try:
            return respelled(raw, COMPACT)
        except JsonFault as fault:
            return _fault(typed, len(raw[: fault.offset].decode("utf-8", "ignore")), fault.reason)
    words: str | TypedFault = typed
    if editable.is_escaped:
        words = _unescaped(typed)
        if isinstance(words, TypedFault):
            return words
    value = spelled(words, Style(ascii=editable.ascii))
    return value if not editable.inside else replaced(editable.raw, editable.inside, value)
