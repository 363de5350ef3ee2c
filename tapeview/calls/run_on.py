"""Running on: a new reply, the recorded results of its calls, the next call, as long as it goes.

tapeview never runs a tool. Each step is an edit of the tape; whoever drives this applies it and
asks again with the tape as it is then.
"""

from collections.abc import AsyncIterator, Sequence, Set

from tapeview.calls.draft import Plan
from tapeview.calls.own_reply import own_stream
from tapeview.calls.player import Answer, Player
from tapeview.calls.recorded import in_api_words, recorded_calls
from tapeview.calls.results import Step, next_step
from tapeview.calls.run import Stream
from tapeview.edit.edit import Edit
from tapeview.errors import CallError
from tapeview.open_session import OpenSession
from tapeview.snapshot import Snapshot
from tapeview.tape.block import Block
from tapeview.tape.clean import printable
from tapeview.tape.tape import Tape
from tapeview.wire.sse import event_bytes
from tapeview.wire.unroll import unroll

__all__ = ["RunOn", "played_stream", "tape_of_edit"]


class RunOn:
    """Where a tape has got to that is run on."""

    def __init__(self, recorded: Snapshot, turn: int) -> None:
        self.recorded = recorded
        """The tape to take results from, as it was before."""
        self.turn = turn
        """The turn that the last reply stands in the place of."""
        self._used: Set[Block] = frozenset()

    def next(self, snapshot: Snapshot) -> Step:
        """What comes next on a tape that ends with a reply: results for its calls, or a stop."""
        step = next_step(snapshot, self.recorded, self.turn, self._used)
        self._used = step.used
        self.turn += step.operation is not None
        return step


def tape_of_edit(tapes: Sequence[Tape], edit: Edit) -> str:
    """The id of the tape that has the lines an edit put in; ``""`` where none has."""
    new = {record for splice in edit.splices for record in splice.new}
    for tape in reversed(tapes):
        own = tape.own if tape.own is not None else {r for m in tape.messages for r in m.records}
        if new & own:
            return tape.id
    return ""


def played_stream(opened: OpenSession) -> Stream:
    """Answers calls that no turn stands for with the recorded reply that follows their messages.

    The recorded calls are read when the first of them is asked for, once.
    """
    session = opened.session
    made: list[Player] = []

    def player() -> Player:
        spoken, _ = in_api_words(opened)
        return Player(recorded_calls(spoken, None), session.path, True)

    async def stream(plan: Plan) -> AsyncIterator[bytes]:
        if plan.turn is not None:
            async for chunk in own_stream(plan):
                yield chunk
            return
        if not made:
            made.append(player())
        answer = made[0].answer(plan.body)
        if not isinstance(answer, Answer):
            raise CallError(
                f"{printable(session.path)}: no recorded reply follows these messages; name "
                "an endpoint that answers."
            )
        for event in unroll(answer.message):
            yield event_bytes(event)

    return stream
