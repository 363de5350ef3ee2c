"""What a recording proxy tells while it runs, a sentence each."""

from typing import Literal, NamedTuple

from tapeview.capture.recorder import RecordedCall

__all__ = ["Seen", "called", "ended"]


class Seen(NamedTuple):
    """One thing that happened."""

    what: Literal["call", "reply", "failed", "passed", "refused", "trouble"]
    """``passed`` is a request that is not recorded; ``trouble`` that nothing is any more."""
    call: str
    """The call's number; ``""`` where it is about none."""
    words: str


def called(call: RecordedCall) -> Seen:
    """A call went out."""
    filed = call.filed
    after = f" after {filed.parent}" if filed.parent else ""
    count = filed.keep + len(filed.add)
    messages = f"{count} message" + ("" if count == 1 else "s")
    return Seen("call", call.id, f"call {call.id}: {filed.kind}{after}, {messages}")


def ended(method: str, path: str, status: int, call: RecordedCall | None) -> Seen:
    """A request was answered, or will not be; status 0 where its client went away."""
    if call is None:
        outcome = str(status) if status else "client gone"
        return Seen("passed", "", f"{method} {path}: {outcome}, not recorded")
    took = f"{call.ms / 1000:.1f} s"
    if call.is_whole:
        return Seen("reply", call.id, f"call {call.id}: {call.outcome}, {took}")
    return Seen("failed", call.id, f"call {call.id}: {call.outcome or 'no answer'}, {took}")
