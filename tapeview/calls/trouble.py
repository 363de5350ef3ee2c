"""What goes wrong with a call: one sentence for each case, with what to do about it.

Sources: the Messages API's page of errors, and the anthropic SDK 2.14 as measured: an error event
inside a 200, a stream that just ends and a time-out in mid-stream are told apart by nobody but us.
"""

import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final, Literal

import msgspec

from tapeview.calls.draft import Plan
from tapeview.calls.reply import Reply
from tapeview.errors import TapeviewError
from tapeview.tape.clean import clean_line, printable
from tapeview.tape.sizes import duration, size_long
from tapeview.wire.complaint import read_complaint

__all__ = [
    "Answer",
    "CallFailed",
    "Trouble",
    "TroubleKind",
    "of_answer",
    "of_end",
    "of_event",
    "of_network",
]

TroubleKind = Literal[
    "refused",
    "too-long",
    "key",
    "forbidden",
    "not-found",
    "too-large",
    "rate",
    "overloaded",
    "server",
    "status",
    "page",
    "event",
    "unreachable",
    "unknown-host",
    "unsafe",
    "no-answer",
    "stalled",
    "cut",
    "garbage",
]

QUOTED: Final = 300
"""Characters of a server's own words."""

_too_long = re.compile(
    r"prompt is too long|exceed_context|context (?:size|length|window)|exceeds? the model"
).search
_title = re.compile(r"<title[^>]*>([^<]{1,200})", re.IGNORECASE).search


TOO_LONG: Final = -400
"""A 400 that complains of the prompt's length."""

MOVED: Final = -300
"""Any redirection."""

SENTENCES: Final[Mapping[int, tuple[TroubleKind, str]]] = {
    TOO_LONG: (
        "too-long",
        "the request is too long for {model} ({number}){said}; compact or cut the tape, or choose "
        "another model.",
    ),
    400: (
        "refused",
        "{name} refused the request ({number}){said}; mend that and send it again.",
    ),
    MOVED: (
        "status",
        "{name} sends calls elsewhere ({number}){said}; set base_url to the address that answers.",
    ),
    401: ("key", "{name} does not take {held} (401){said}; set a valid key."),
    402: ("forbidden", "{name} wants to be paid first (402){said}; look at its billing."),
    403: (
        "forbidden",
        "{name} does not allow this to {held} (403){said}; ask for access, or choose another model "
        "or endpoint.",
    ),
    404: (
        "not-found",
        "{name} has no {model}, or not this address (404){said}; choose another model, or check "
        "base_url.",
    ),
    413: (
        "too-large",
        "the request of {size} is too large for {name} (413){said}; compact the tape, or take big "
        "results and pictures out.",
    ),
    429: ("rate", "{name} has had too many requests (429){said}; {then}, then send it again."),
    529: ("overloaded", "{name} is overloaded (529){said}; {then}, then send it again."),
}
OTHERS: Final[tuple[tuple[TroubleKind, str], tuple[TroubleKind, str]]] = (
    ("status", "{name} did not take the request ({number}){said}."),
    ("server", "{name} failed on its own side ({number}){said}; {then}, then send it again."),
)


class Trouble(msgspec.Struct, frozen=True):
    """A call that failed. The tape is as it was."""

    kind: TroubleKind
    sentence: str
    """One sentence: what happened, and what to do. It may hold words of the server."""
    status: int | None = None
    """The HTTP status of the answer; 200 where the trouble came in the stream."""
    path: str = ""
    """The place in the request that the API names: ``messages.4.content.1``."""
    retry_after: float | None = None
    """Seconds that the server asks to wait."""
    request_id: str = ""
    reply: Reply | None = None
    """What had arrived, marked as cut; None where nothing had."""


class CallFailed(TapeviewError):  # noqa: N818 - reads as the sentence it becomes
    """A call that was made and failed, for those who want an exception."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.sentence)
        self.trouble = trouble


class Answer(msgspec.Struct, frozen=True):
    """An answer that is no stream of events."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: str


def of_answer(answer: Answer, plan: Plan) -> Trouble:
    """The trouble behind a status, or behind a 200 that is no stream."""
    body, kind = answer.body, answer.headers.get("content-type", "")
    if "html" in kind or body.lstrip()[:1] == "<":
        return _page(answer, plan)
    if answer.status == 200:
        said = kind.partition(";")[0] or "something without a type"
        return Trouble(
            "garbage",
            f"{_name(plan)} answered {printable(said)}, not a stream of events: check that it "
            f"speaks the Messages API.{_quoted(body)}",
            200,
        )
    complaint = read_complaint(body)
    words = _words(complaint.words)
    wait = _retry_after(answer.headers)
    path = ".".join(complaint.path)
    if answer.status >= 500 or not path.startswith(("messages", "system", "tools")):
        path = ""
    status = {422: 400}.get(answer.status, answer.status)
    status = MOVED if 300 <= status < 400 else status
    if status == 400 and _too_long(body.lower()):
        status = TOO_LONG
    told, sentence = SENTENCES.get(status) or OTHERS[status >= 500]
    sentence = sentence.format(
        name=_name(plan),
        number=answer.status,
        said=f": {words}" if words else "",
        then="wait a little" if wait is None else f"wait {duration(wait)}",
        held=f"the key in {plan.endpoint.key}" if plan.endpoint.key else "a call without a key",
        model=f"model {printable(plan.model)}",
        size=size_long(len(plan.body)),
    )
    number = answer.headers.get("request-id", "")
    return Trouble(told, sentence, answer.status, path, wait, number)


def _page(answer: Answer, plan: Plan) -> Trouble:
    title = _title(answer.body)
    called = f' called "{_words(title[1])}"' if title else ""
    return Trouble(
        "page",
        f"{_name(plan)} answered with a web page{called} ({answer.status}), not with the API: "
        "check base_url, and whether a proxy stands between.",
        answer.status,
    )


def of_event(data: bytes, plan: Plan) -> Trouble:
    """An error event inside a 200."""
    try:
        told = msgspec.json.decode(data, type=dict[str, msgspec.Raw]).get("error", b"{}")
        kind = msgspec.json.decode(told, type=dict[str, object]).get("type")
    except (msgspec.DecodeError, RecursionError):
        kind = None
    words = _words(read_complaint(data.decode("utf-8", "replace")).words)
    named = f"{_words(kind)}: {words}" if isinstance(kind, str) else words
    return Trouble(
        "overloaded" if kind == "overloaded_error" else "event",
        f"{_name(plan)} broke the reply off with an error, {named}; send it again.",
        200,
    )


def of_end(plan: Plan, garbage: str, has_begun: bool) -> Trouble:
    """A stream that ended before the reply was whole, or in which something was no event."""
    if garbage:
        return Trouble(
            "garbage",
            f"the reply of {_name(plan)} holds something that is no event, "
            f'"{_words(garbage)}"; send it again, and check what stands between.',
            200,
        )
    if not has_begun:
        return Trouble(
            "cut",
            f"{_name(plan)} answered and sent nothing; check base_url, or send it again.",
            200,
        )
    return Trouble(
        "cut", f"the reply of {_name(plan)} ended before it was whole; send it again.", 200
    )


def of_network(
    error: BaseException, plan: Plan, timed_out: bool, has_begun: bool, limit: float
) -> Trouble:
    """What the network did: nothing listens, no such host, no answer, or it broke in mid-stream."""
    name, causes = _name(plan), tuple(_causes(error))
    at = printable(plan.endpoint.base_url)
    status = 200 if has_begun else None
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return Trouble(
            "unknown-host",
            f"the host of {name} is not known, {at}: check base_url, and the network.",
        )
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return Trouble(
            "unsafe",
            f"there is no safe connection to {name}, {at}: check its certificate, and base_url.",
        )
    if timed_out and has_begun:
        return Trouble(
            "stalled", f"{name} sent nothing more for {duration(limit)}; send it again.", status
        )
    if timed_out:
        return Trouble(
            "no-answer",
            f"{name} did not answer within {duration(limit)}, {at}; check the network, or send it "
            "again.",
        )
    if has_begun:
        return Trouble(
            "cut", f"the connection to {name} broke in the reply; send it again.", status
        )
    return Trouble(
        "unreachable",
        f"{name} cannot be reached, {at}: check that it runs, and base_url.",
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for inner in error.exceptions:
                yield from _causes(inner)
        error = error.__cause__ or error.__context__


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait: ``retry-after-ms``, or ``retry-after`` as seconds or as a date."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) / unit
        except (KeyError, ValueError):
            continue
        return seconds if 0 <= seconds < 1e9 else None
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    seconds = (date - datetime.now(date.tzinfo and UTC)).total_seconds()
    return max(0.0, seconds)


def _name(plan: Plan) -> str:
    return f"endpoint {printable(plan.endpoint.name)}"


def _words(text: str) -> str:
    """A server's own words, in one line and without its full stop."""
    return clean_line(text, QUOTED).rstrip(".")


def _quoted(body: str) -> str:
    words = _words(body)
    return f' It begins "{words}".' if words else ""
