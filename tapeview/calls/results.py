"""Results for the calls of a new reply: the recorded ones, or that they were interrupted.

tapeview never runs a tool. A recorded result fits a call of the same tool with the same canonical
input; each is given once, those nearest to the replayed turn first.
"""

from collections.abc import Sequence, Set
from typing import Final, NamedTuple

from msgspec import Raw

from tapeview.calls.decision import canonical
from tapeview.edit.operations import Insert
from tapeview.shapes.fields import fields_of
from tapeview.snapshot import Snapshot
from tapeview.tape.block import CLIENT_CALL, Block
from tapeview.tape.clean import clean_line
from tapeview.tape.gist import gist_of_call
from tapeview.tape.graft import spelled, with_member, without
from tapeview.tape.json_text import JsonFault
from tapeview.tape.link import End

__all__ = [
    "INTERRUPTED",
    "Call",
    "Found",
    "Step",
    "answers",
    "interrupted",
    "next_step",
    "open_calls",
    "recorded_results",
]

INTERRUPTED: Final = "[Request interrupted by user for tool use]"
"""What Claude Code says in the place of a result that never came (``formats.md`` b.2)."""


class Call(NamedTuple):
    """A call that waits for its result."""

    id: str
    name: str
    given: object
    """Its input as a value; None where it is no JSON."""
    block: Block | None = None
    """Where it stands; None for one that stands in no tape."""

    @property
    def words(self) -> str:
        """``Bash git status``: one clean line that names it."""
        return f"{clean_line(self.name, 80)} {gist_of_call(self.given)}".strip()[:200]


class Found(NamedTuple):
    """A recorded result for a call."""

    call: Call
    result: bytes
    """The block as it was recorded, under the id of this call."""
    block: Block
    """Where it comes from: what was given before is passed on in ``used``."""
    turn: int
    """The turn that it answered."""


class Step(NamedTuple):
    """How a tape goes on by itself."""

    operation: Insert | None
    """The results of all open calls as one edit; None where it stops."""
    stops: str
    """Why it stops, as one clean sentence; "" where it goes on."""
    used: frozenset[Block]
    """Recorded results that were given, these included."""


def open_calls(snapshot: Snapshot) -> tuple[Call, ...]:
    """The client calls of the tape's last turn that nothing answers yet, in order."""
    turns = snapshot.index.turns
    if not turns:
        return ()
    last, link_of = turns[-1], snapshot.index.link_of
    return tuple(
        _call(snapshot, end)
        for end in snapshot.index.calls
        if last.start <= end.place.message < last.stop and not link_of[end.block].results
    )


def _call(snapshot: Snapshot, end: End) -> Call:
    session, block = snapshot.session, end.block
    record = snapshot.tape.messages[end.place.message].record_of(block)
    message, inside = session.piece_of(record, block)
    try:
        given = session.shape.input_of(message, inside)
    except JsonFault:
        given = None
    return Call(block.id, block.name, given, block)


def recorded_results(
    recorded: Snapshot, calls: Sequence[Call], turn: int, used: Set[Block] = frozenset()
) -> tuple[Found | None, ...]:
    """For each call the recorded result that fits it, in order; None where there is none.

    ``recorded`` is the tape as it was recorded, ``turn`` the number of the turn that is made again;
    what is in ``used`` is not given again. Raises what reading a file raises once it has changed.
    """
    known: dict[tuple[str, str], list[tuple[int, End, End]]] = {}
    wanted = {call.name for call in calls}
    for link in recorded.index.links:
        call = link.call
        if call is None or not link.results or call.block.kind != CLIENT_CALL:
            continue
        if call.block.name in wanted and link.results[0].block not in used:
            number = _turn_of(recorded, call)
            key = _key(_call(recorded, call))
            known.setdefault(key, []).append((number, call, link.results[0]))
    for ends in known.values():
        ends.sort(key=lambda entry: (abs(entry[0] - turn), entry[1].place))
    found: list[Found | None] = []
    for one in calls:
        ends = known.get(_key(one), [])
        if not ends:
            found.append(None)
            continue
        number, _, result = ends.pop(0)
        found.append(Found(one, _result(recorded, result, one.id), result.block, number))
    return tuple(found)


def _turn_of(snapshot: Snapshot, call: End) -> int:
    turn = snapshot.index.turn_of(call.place.message)
    return turn.number if turn is not None else 0


def _key(call: Call) -> tuple[str, str]:
    return call.name, canonical(call.given)


def _result(recorded: Snapshot, end: End, identity: str) -> bytes:
    """A recorded result in the Messages API's spelling, under another id."""
    session = recorded.session
    record = recorded.tape.messages[end.place.message].record_of(end.block)
    raw = session.shape.neutral(session.message_of(record), end.block)
    if fields_of(raw).get("content") == b"null":
        raw = without(raw, ("content",))
    return with_member(raw, (), "tool_use_id", spelled(identity))


def interrupted(calls: Sequence[Call]) -> tuple[bytes, ...]:
    """A result for each call that says that it was interrupted."""
    return tuple(
        b'{"type":"tool_result","tool_use_id":'
        + spelled(call.id)
        + b',"content":'
        + spelled(INTERRUPTED)
        + b',"is_error":true}'
        for call in calls
    )


def answers(results: Sequence[bytes], tape: str = "main") -> Insert:
    """The edit that puts results at the end of a tape, as one message."""
    return Insert(tape=tape, role="user", content=Raw(b"[" + b",".join(results) + b"]"))


def next_step(
    snapshot: Snapshot, recorded: Snapshot, turn: int, used: Set[Block] = frozenset()
) -> Step:
    """Whether a tape that ends on a new reply goes on with recorded results alone.

    ``snapshot`` is the tape with that reply, ``recorded`` the one to take results from, ``turn``
    the number of the turn that the reply was made in place of.
    """
    calls = open_calls(snapshot)
    if not calls:
        return Step(None, "The reply calls no tool.", frozenset(used))
    found = list(recorded_results(recorded, calls, turn, used))
    for call, answer in zip(calls, found, strict=True):
        if answer is None:
            return Step(None, f"No recorded result fits {call.words}.", frozenset(used))
    given = [answer for answer in found if answer is not None]
    operation = answers([answer.result for answer in given], snapshot.tape.id)
    return Step(operation, "", frozenset(used).union(answer.block for answer in given))
