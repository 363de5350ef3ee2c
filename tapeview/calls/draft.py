"""What a call will send: the recorded request, what was asked for beside it, nothing else."""

import json
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

import msgspec

from tapeview.calls.endpoints import Endpoint
from tapeview.calls.recorded import read_body
from tapeview.errors import CallError
from tapeview.rules._engine import Finding
from tapeview.snapshot import Snapshot, by_rank
from tapeview.tape.clean import printable
from tapeview.tape.graft import without
from tapeview.tape.json_text import JsonFault, Span, loads, members, skip_blank
from tapeview.tape.message import Message
from tapeview.tape.turn import Turn
from tapeview.wire.convert import to_anthropic
from tapeview.wire.request import recorded_request, request_of, sent_before

__all__ = [
    "DEFAULT_MAX_TOKENS",
    "Draft",
    "Member",
    "Origin",
    "Plan",
    "draft_of",
    "plan_call",
    "plan_of",
    "refusals",
    "spliced",
]

Origin = Literal["recorded", "remembered", "asked", "endpoint", "default"]

DEFAULT_MAX_TOKENS: Final = 8192
"""What a reply may hold where nobody says: all models in use take it."""

HEADERS: Final = ("anthropic-version", "anthropic-beta")
"""Headers of a recorded call that are sent again."""

OURS: Final = ("messages", "stream")
"""Members that nobody asks for: they are what the call is."""


class Member(NamedTuple):
    """One member of the body beside its messages."""

    name: str
    value: bytes
    """JSON, as it is sent."""
    origin: Origin


class Plan(msgspec.Struct, frozen=True, eq=False):
    """A call as it would leave now."""

    snapshot: Snapshot
    """The line of the tape that holds the turn, or its end."""
    turn: int | None
    """The turn that the reply stands beside; None for the call after the tape's end."""
    endpoint: Endpoint
    body: bytes
    """What is sent, byte for byte."""
    members: tuple[Member, ...]
    """All members but messages and stream, as they stand in the body."""
    absent: tuple[str, ...]
    """What a call of an agent carries, and neither the file nor anybody else says."""
    messages: tuple[Message, ...]
    lost: tuple[str, ...] = ()
    """What a tape in another shape loses when it is put into the words of the Messages API."""
    headers: Mapping[str, str] = {}
    """Version and betas of the recorded call, where the file has them."""
    news: Mapping[str, bytes] = {}
    """What was asked for and the file does not store: worth remembering."""

    @property
    def model(self) -> str:
        """The model that is asked for; "" where nobody says which."""
        value = self.value("model")
        return value if isinstance(value, str) else ""

    @property
    def max_tokens(self) -> int:
        """How long the reply may be."""
        value = self.value("max_tokens")
        return value if isinstance(value, int) else DEFAULT_MAX_TOKENS

    def value(self, name: str) -> object:
        """A member's value; None where there is none."""
        for member in self.members:
            if member.name == name:
                return loads(member.value)
        return None


class Draft(NamedTuple):
    """A call as the file has it, before anything is asked for."""

    line: Snapshot
    """The line of the tape that holds the turn, or its end."""
    turn: int | None
    messages: tuple[Message, ...]
    body: bytes
    """In the words of the Messages API."""
    members: Mapping[str, Span]
    absent: tuple[str, ...]
    lost: tuple[str, ...]
    headers: Mapping[str, str]


def plan_call(
    snapshot: Snapshot,
    turn: int | None,
    endpoint: Endpoint,
    asked: Mapping[str, bytes | None] | None = None,
    remembered: Mapping[str, bytes] | None = None,
) -> Plan:
    """The call whose reply is turn ``turn``, or the next one, as ``tapeview request`` prints it.

    ``asked`` has members as JSON that replace the recorded ones, None for one to be left out;
    ``remembered`` has those that stand in for what the file does not store.

    Raises ``PlaceError`` for a turn that is not there, ``CallError`` for what cannot be sent.
    """
    return plan_of(draft_of(snapshot, turn), endpoint, asked, remembered)


def draft_of(snapshot: Snapshot, turn: int | None) -> Draft:
    """The call as the file has it. Raises ``PlaceError``, ``CallError``."""
    session = snapshot.session
    line = snapshot if turn is None else snapshot.line_of_turn(turn)
    own = None if turn is None else line.own_turn(turn)
    messages = sent_before(line.index, line.tape.sent, own)
    try:
        request = recorded_request(session, line.tape, own) if own is not None else None
        request = request or request_of(session, snapshot.tape, messages)
        body, lost = request.body, tuple[str, ...]()
        if session.dialect != "anthropic":
            body, lost = to_anthropic(body)
        spans = dict(members(body, 0))
    except (JsonFault, LookupError):
        raise CallError(
            f"{printable(session.path)}: the file has changed since it was opened, or is damaged; "
            "open it again."
        ) from None
    headers = _recorded_headers(line, own)
    return Draft(line, turn, messages, body, spans, request.absent, lost, headers)


def plan_of(
    draft: Draft,
    endpoint: Endpoint,
    asked: Mapping[str, bytes | None] | None = None,
    remembered: Mapping[str, bytes] | None = None,
) -> Plan:
    """The same with what is asked for and remembered. Raises ``CallError``."""
    spans = draft.members
    changes, origins = _changes(set(spans), endpoint, asked or {}, remembered or {})
    body = spliced(draft.body, changes, spans)
    sent = tuple(
        Member(name, body[start:end], origins.get(name, "recorded"))
        for name, (start, end) in dict(members(body, 0)).items()
        if name not in OURS
    )
    have = {member.name for member in sent}
    absent = tuple(name for name in draft.absent if name not in have)
    told = {name: raw for name, raw in (asked or {}).items() if name not in spans and raw}
    return Plan(
        draft.line,
        draft.turn,
        endpoint,
        body,
        sent,
        absent,
        draft.messages,
        draft.lost,
        draft.headers,
        told,
    )


def _recorded_headers(line: Snapshot, turn: Turn | None) -> dict[str, str]:
    """Version and betas of the call of a turn; of the next call those of the last one."""
    turns = line.index.turns
    last = turns[len(turns) - 1] if turns else None
    turn = turn or last
    call = line.session.calls.get(line.tape.messages[turn.start].first) if turn else None
    return {k: v for k, v in call.headers.items() if k in HEADERS} if call is not None else {}


def _changes(
    recorded: set[str],
    endpoint: Endpoint,
    asked: Mapping[str, bytes | None],
    remembered: Mapping[str, bytes],
) -> tuple[dict[str, bytes | None], dict[str, Origin]]:
    """What is to be set, and who says so: asked, the endpoint, the file, remembered, default."""
    changes: dict[str, bytes | None] = {}
    origins: dict[str, Origin] = {}

    def say(origin: Origin, told: Mapping[str, bytes | None]) -> None:
        for name, value in told.items():
            changes[name], origins[name] = value, origin

    absent = {name: raw for name, raw in remembered.items() if name not in recorded}
    if "max_tokens" not in recorded:
        say("default", {"max_tokens": b"%d" % DEFAULT_MAX_TOKENS})
    say("remembered", absent)
    if endpoint.model:
        say("endpoint", {"model": json.dumps(endpoint.model).encode()})
    say("asked", asked)
    for name, value in changes.items():
        _must_fit(name, value)
    return changes | {"stream": b"true"}, origins


def _must_fit(name: str, value: bytes | None) -> None:
    if name in OURS:
        raise CallError(f"{name} cannot be asked for: it is what the call is made of.")
    try:
        loads(b"0" if value is None else value)
    except JsonFault as fault:
        raise CallError(f"{printable(name)}: the value is no JSON: {fault}.") from None


def spliced(
    body: bytes, changes: Mapping[str, bytes | None], spans: Mapping[str, Span] | None = None
) -> bytes:
    """The object ``body`` with members set in their places, or put in as its last ones.

    All other bytes stay as they are; None takes a member out. ``spans`` are those of the body's
    members, where they are known. Raises ``JsonFault`` where it is no object.
    """
    spans = dict(members(body, 0)) if spans is None else spans
    pieces: list[bytes] = []
    done = 0
    known = [(spans[name], value) for name, value in changes.items() if name in spans]
    for (start, end), value in sorted(known, key=lambda change: change[0]):
        if value is not None:
            pieces += (body[done:start], value)
            done = end
    last = max((span.end for span in spans.values()), default=0)
    new = b",".join(
        json.dumps(name).encode() + b":" + value
        for name, value in changes.items()
        if name not in spans and value is not None
    )
    if new:
        place = last or skip_blank(body, 0) + 1
        pieces += (body[done:place], b"," if last else b"", new)
        done = place
    text = b"".join((*pieces, body[done:]))
    for name in (name for name, value in changes.items() if value is None):
        while name in dict(members(text, 0)):
            text = without(text, (name,))
    return text


def refusals(plan: Plan) -> tuple[Finding, ...]:
    """What the API would refuse of the messages that are sent, the first one it reports first."""
    line = plan.snapshot
    if line.session.dialect != "anthropic":
        found = read_body(plan.body, line.session.path).snapshot().findings
        return by_rank(finding for finding in found if finding.severity == "error")
    tape = msgspec.structs.replace(
        line.tape, messages=plan.messages, sent=plan.messages, unsent={}, own=None, breaks=()
    )
    looked = Snapshot(line.session, tape, "request", line.revision)
    return by_rank(finding for finding in looked.own_findings if finding.severity == "error")
