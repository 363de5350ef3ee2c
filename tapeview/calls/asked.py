"""A request body as it comes in: what is asked, or why the API would refuse to read it."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from tapeview.calls.recorded import read_body
from tapeview.rules._engine import Finding
from tapeview.shapes.fields import fields_of, text_of
from tapeview.tape.json_text import JsonFault, skip_blank, skip_value
from tapeview.wire.align import messages_in
from tapeview.wire.unroll import object_json

__all__ = ["Asked", "Refusal", "asked_in"]

NO_OBJECT: Final = "Input should be an object"

REQUIRED: Final = (
    ("model", '"', "a valid string"),
    ("max_tokens", "0123456789", "a valid integer"),
    ("messages", "[", "a valid array"),
)
"""Members that a request must have, how their values begin, and the word for that."""

_lone_surrogate = re.compile(
    rb"(?<!\\)(?:\\\\)*\\u(?:[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    rb"|(?<!\\u[dD][89abAB]..\\u)[dD][c-fC-F][0-9a-fA-F]{2})"
).search


class Refusal(NamedTuple):
    """An answer that is an error, in the API's words where it is the API's error."""

    status: int
    kind: str
    """``invalid_request_error``, ``not_found_error``, ..."""
    message: str
    rule: str = ""
    """The code of our rule that the request breaks."""

    def body(self, request_id: str) -> bytes:
        """The JSON that the API answers."""
        error = object_json({"type": _text(self.kind), "message": _text(self.message)})
        return object_json({"type": b'"error"', "error": error, "request_id": _text(request_id)})

    @property
    def sentence(self) -> str:
        """What it was refused for, in one line."""
        rule = f"{self.rule}: " if self.rule else ""
        return f"{self.status}, {rule}{self.message}"


class Asked(NamedTuple):
    """A request that can be read."""

    model: str
    messages: list[bytes]
    """Their JSON."""
    size: int
    """Bytes of all that a model reads."""
    streamed: bool
    has_tools: bool
    findings: tuple[Finding, ...]
    """What our rules say of it."""


def asked_in(body: bytes, counts: bool = False) -> Asked | Refusal:
    """What a body of ``/v1/messages`` asks; with ``counts`` one of its ``count_tokens``."""
    if (fault := _json_fault(body)) is not None:
        return _invalid(f"The request body is not valid JSON: {fault.reason}: {_at(body, fault)}")
    fields = fields_of(body)
    if body.lstrip()[:1] != b"{":
        return _invalid(NO_OBJECT)
    if (complaint := _complaint(fields, counts)) is not None:
        return _invalid(complaint)
    messages = messages_in(body)
    if not messages:
        return _invalid("messages: at least one message is required")
    for number, message in enumerate(messages):
        if message[:1] != b"{":
            return _invalid(f"messages.{number}: {NO_OBJECT}")
    read = (fields.get(name, b"") for name in ("system", "tools", "messages"))
    return Asked(
        text_of(fields["model"]),
        messages,
        sum(map(len, read)),
        fields.get("stream") == b"true",
        fields.get("tools", b"[]") not in (b"[]", b"null"),
        read_body(body, "the request").snapshot().own_findings,
    )


def _complaint(fields: Mapping[str, bytes], counts: bool) -> str | None:
    for name, begins, what in REQUIRED:
        if name == "max_tokens" and counts:
            continue
        if name not in fields:
            return f"{name}: Field required"
        if chr(fields[name][0]) not in begins:
            return f"{name}: Input should be {what}"
    return None


def _invalid(message: str) -> Refusal:
    return Refusal(400, "invalid_request_error", message)


def _json_fault(body: bytes) -> JsonFault | None:
    """What is wrong with a body that a strict reader refuses."""
    try:
        msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    else:
        return None
    try:
        end = skip_blank(body, skip_value(body, 0))
    except JsonFault as fault:
        return fault
    if end < len(body):
        return JsonFault(end, "unexpected content after document")
    lone = _lone_surrogate(body)
    if lone is not None:
        return JsonFault(lone.end(), "no low surrogate in string")
    return JsonFault(0, "a string or number in it is not spelled as JSON spells it")


def _at(body: bytes, fault: JsonFault) -> str:
    """``line 1 column 5 (char 4)``, counted in characters."""
    before = body[: fault.offset].decode("utf-8", "replace")
    column = len(before) - before.rfind("\n")
    return f"line {before.count(chr(10)) + 1} column {column} (char {len(before)})"


def _text(text: str) -> bytes:
    return msgspec.json.encode(text.encode("utf-8", "replace").decode())
