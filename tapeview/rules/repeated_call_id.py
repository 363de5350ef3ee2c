"""TU002 and TU003: an id that is used twice."""

from collections.abc import Iterator
from typing import ClassVar

from tapeview.rules._examples import answers, call, said, says
from tapeview.rules._rule import Bad, Fault, Good, Rule
from tapeview.rules._words import named, short
from tapeview.tape.index import Index
from tapeview.tape.link import End

__all__ = ["DuplicateIdInTurn", "IdReusedLater"]

ASK = said("Which orders are open?")
PARALLEL = Good(
    "parallel calls of one tool with ids of their own",
    [ASK, says(call("toolu_a"), call("toolu_b")), answers("toolu_a", "toolu_b")],
)


class DuplicateIdInTurn(Rule):
    """Two calls of one assistant side have the same id.

    The API pairs calls and results by id, so it refuses an id that stands for two calls, and names
    the second block. An empty id used twice counts as well. It comes from stream readers that
    append a block twice, and from saves that were interrupted and done again.

    Mend it by giving the second call and its result an id of their own (R5); where there is only
    one result the second call is a copy, which can be dropped (R6).
    """

    code: ClassVar[str] = "TU002"
    name: ClassVar[str] = "duplicate-id-in-turn"
    rank: ClassVar[int] = 36
    repairs: ClassVar[tuple[str, ...]] = ("R5", "R6")
    mended: ClassVar[str] = "resume drops it"
    good = (PARALLEL,)
    bad = (
        Bad(
            "the same block was stored twice",
            [ASK, says(call("toolu_a"), call("toolu_a")), answers("toolu_a")],
            ("messages.1.content.1",),
        ),
        Bad(
            "the two blocks stand in two messages, which the API combines",
            [ASK, says(call("toolu_a")), says(call("toolu_a")), answers("toolu_a")],
            ("messages.2.content.0",),
        ),
        Bad(
            "an empty id twice",
            [ASK, says(call(""), call("")), answers("")],
            ("messages.1.content.1",),
        ),
    )

    def find(self, index: Index) -> Iterator[Fault]:
        """The second and later calls of an id in a side."""
        for by_id in index.calls_by_id.values():
            again = [end for calls in by_id.values() for end in calls[1:]]
            for end in sorted(again, key=lambda end: end.place):
                sentence = f"{named(end.block)} has the id of another call in this reply"
                yield Fault(end.place, sentence, (end.block.id,))

    def api_path(self, fault: Fault, index: Index) -> str:
        """The second block."""
        return index.path(fault.place)

    def api_message(self, fault: Fault, index: Index) -> str:
        """It names no id."""
        return f"{index.path(fault.place)}: `tool_use` ids must be unique"

    def repairs_for(self, fault: Fault, index: Index) -> tuple[str, ...]:
        """Renaming needs a second result to go with the second call."""
        after = index.results_by_id.get(index.side_numbers[fault.place.message] + 1, {})
        return self.repairs if len(after.get(fault.ids[0], ())) > 1 else self.repairs[1:]


class IdReusedLater(Rule):
    """A call has the id of a call in an earlier assistant side.

    Probable, not proven: reports of long sessions show the API refusing ids that are used again
    "across turns", in the words of TU002, while one other implementation minds only ids that are
    still unanswered. Whatever the API does, tools that look a result up by its id find the wrong
    one. It comes from counters that start again after a resume, and from turns stored twice.

    Mend it by giving the later call and its result an id of their own (R5).
    """

    code: ClassVar[str] = "TU003"
    name: ClassVar[str] = "id-reused-later"
    rank: ClassVar[int] = 37
    repairs: ClassVar[tuple[str, ...]] = ("R5",)
    mended: ClassVar[str] = "resume drops it"
    good = (
        PARALLEL,
        Good(
            "an id that only prose mentions",
            [
                ASK,
                says(call("toolu_a")),
                answers("toolu_a"),
                says("As toolu_a said: none."),
                said("Look again."),
                says(call("toolu_b")),
                answers("toolu_b"),
            ],
        ),
    )
    bad = (
        Bad(
            "ids are counted from one in every turn",
            [
                ASK,
                says(call("call_1")),
                answers("call_1"),
                says(call("call_1", "stock")),
                answers("call_1"),
            ],
            ("messages.3.content.0",),
        ),
    )

    def find(self, index: Index) -> Iterator[Fault]:
        """The first call of a side whose id an earlier side has used."""
        used: dict[str, End] = {}
        for by_id in index.calls_by_id.values():
            for identity, calls in by_id.items():
                before = used.setdefault(identity, calls[0])
                if before is not calls[0]:
                    yield Fault(calls[0].place, _sentence(calls[0], before, index), (identity,))

    def api_path(self, fault: Fault, index: Index) -> str:
        """The later block."""
        return index.path(fault.place)

    def api_message(self, fault: Fault, index: Index) -> str:
        """The same words as TU002."""
        return f"{index.path(fault.place)}: `tool_use` ids must be unique"

    def points_on(self, fault: Fault, index: Index) -> bool:
        """It says which turn used the id first."""
        del fault, index
        return True


def _sentence(end: End, before: End, index: Index) -> str:
    turn = index.turn_of(before.place.message)
    where = f" of turn {turn.number}" if turn else ""
    return f"{short(end.block.id) or 'the empty id'} was {named(before.block)}{where} already"
