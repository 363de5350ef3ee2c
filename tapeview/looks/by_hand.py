"""Results that somebody writes by hand, one behind the other, for the calls of a new reply."""

from typing import NamedTuple

from tapeview.calls.results import Call, Found, interrupted
from tapeview.looks.editing import Editable, editable_value, typed_value
from tapeview.shapes.fields import fields_of
from tapeview.tape.graft import with_member, without

__all__ = ["Unwritten", "Written", "unwritten"]


class Unwritten(NamedTuple):
    """A result to write."""

    call: Call
    begun: bytes
    """The block to begin with: the recorded result, or that the call was interrupted."""
    is_recorded: bool
    editable: Editable
    """Its content."""


class Written(NamedTuple):
    """The results of all open calls of a tape; the first of them are written."""

    tape: str
    asked: tuple[Unwritten, ...]
    results: tuple[bytes, ...] = ()

    @property
    def next(self) -> Unwritten | None:
        """The one to write now; None once all are written."""
        return self.asked[len(self.results)] if len(self.results) < len(self.asked) else None

    @property
    def title(self) -> str:
        """``result 1 of 2: Bash git status``."""
        number, one = len(self.results) + 1, self.next
        which = f" {number} of {len(self.asked)}" if len(self.asked) > 1 else ""
        return f"result{which}: {one.call.words}" if one is not None else ""

    def with_next(self, typed: str) -> "Written":
        """The same once the next is written. Raises ``EditError`` for what is no JSON."""
        one = self.next
        return self if one is None else self._replace(results=(*self.results, _result(one, typed)))


def unwritten(call: Call, found: Found | None) -> Unwritten:
    """What a result begins with."""
    begun = found.result if found is not None else interrupted((call,))[0]
    content = fields_of(begun).get("content", b'""')
    editable = editable_value(content, f"result of {call.id}")
    return Unwritten(call, begun, found is not None, editable)


def _result(one: Unwritten, typed: str) -> bytes:
    if typed == one.editable.text:
        return one.begun
    result = with_member(one.begun, (), "content", typed_value(one.editable, typed))
    # Whoever says what came of a call says that it was not interrupted.
    return result if one.is_recorded else without(result, ("is_error",))
