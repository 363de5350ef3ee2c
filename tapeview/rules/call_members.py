"""TU006, TU007 and TU008: members of a call that the API's schema refuses."""

from collections.abc import Iterator
from typing import ClassVar

from tapeview.rules._examples import answers, call, said, says
from tapeview.rules._rule import Bad, Fault, Good, Rule
from tapeview.rules._words import named, short
from tapeview.tape.block import Block, BlockFacts
from tapeview.tape.index import Index
from tapeview.tape.record import UNFINISHED

__all__ = ["BadCallName", "InputNotObject", "MemberMissing"]

ASK = said("Which orders are open?")
LONGEST_NAME = 200
MEMBERS = (
    ("id", BlockFacts.ID_ABSENT),
    ("name", BlockFacts.NAME_ABSENT),
    ("input", BlockFacts.INPUT_ABSENT),
)


class InputNotObject(Rule):
    """The input of a call is no JSON object.

    The API takes an object only, and an empty one is right for a tool without arguments. Most often
    the arguments were left as the JSON string in which a stream delivers them, or as null or a list
    where a stream broke off before the first byte.

    Mend it by parsing the string into an object; null becomes `{}` (R8).
    """

    code: ClassVar[str] = "TU006"
    name: ClassVar[str] = "input-not-object"
    rank: ClassVar[int] = 11
    repairs: ClassVar[tuple[str, ...]] = ("R8",)
    good = (
        Good(
            "{} is the input of a call without arguments",
            [ASK, says(call("toolu_a", input={})), answers("toolu_a")],
        ),
    )
    bad = (
        Bad(
            "arguments left as a JSON string",
            [ASK, says(call("toolu_a", input='{"open": true}')), answers("toolu_a")],
            ("messages.1.content.0",),
        ),
        Bad(
            "null and a list",
            [
                ASK,
                says(call("toolu_a", input=None), call("toolu_b", input=[])),
                answers("toolu_a", "toolu_b"),
            ],
            ("messages.1.content.0", "messages.1.content.1"),
        ),
    )

    def find(self, index: Index) -> Iterator[Fault]:
        """Client calls whose input is there and no object."""
        for end in index.calls:
            if end.side >= 0 and end.block.facts & BlockFacts.INPUT_NOT_OBJECT:
                sentence = f"the input of {named(end.block)} is no object"
                arrives = index.messages[end.place.message].first.label == UNFINISHED
                yield Fault(end.place, sentence, (end.block.id,), unfinished=arrives)

    def api_path(self, fault: Fault, index: Index) -> str:
        """The member."""
        return f"{index.path(fault.place)}.tool_use.input"

    def api_message(self, fault: Fault, index: Index) -> str:
        """The older wording; newer servers say "an object"."""
        return f"{self.api_path(fault, index)}: Input should be a valid dictionary"


class MemberMissing(Rule):
    """A call lacks its id, its name or its input.

    All three are required, `input` also where there are no arguments. It comes from writers that
    leave out what is empty, and from streams that were cut before a block was whole.

    Mend it by writing `{}` for an absent input (R8), or by taking the call out (R2).
    """

    code: ClassVar[str] = "TU007"
    name: ClassVar[str] = "member-missing"
    rank: ClassVar[int] = 12
    repairs: ClassVar[tuple[str, ...]] = ("R8", "R2")
    good = (
        Good(
            "optional members may be absent",
            [ASK, says(call("toolu_a")), answers("toolu_a")],
        ),
    )
    bad = (
        Bad(
            "an empty input was left out",
            [
                ASK,
                says({"type": "tool_use", "id": "toolu_a", "name": "orders"}),
                answers("toolu_a"),
            ],
            ("messages.1.content.0",),
        ),
        Bad(
            "no id and no name; one finding for the block",
            [ASK, says({"type": "tool_use", "input": {}})],
            ("messages.1.content.0",),
        ),
    )

    def find(self, index: Index) -> Iterator[Fault]:
        """Client calls without one of their members."""
        for end in index.calls:
            lacks = _lacking(end.block)
            if end.side >= 0 and lacks:
                sentence = f"{named(end.block)} has no {' and no '.join(lacks)}"
                yield Fault(end.place, sentence, (end.block.id,))

    def api_path(self, fault: Fault, index: Index) -> str:
        """The first member that is missing."""
        block = index.block_at(fault.place)
        return f"{index.path(fault.place)}.tool_use.{_lacking(block)[0] if block else ''}"

    def api_message(self, fault: Fault, index: Index) -> str:
        """The schema's complaint."""
        return f"{self.api_path(fault, index)}: Field required"


class BadCallName(Rule):
    """The name of the tool that a call names is empty, no string, or longer than 200 characters.

    A name in the history may be longer than the 128 characters that a tool's definition may have,
    but not endless. Empty names come from streams whose first event was lost; overlong ones from a
    model that wrote its whole command into the name.

    Mend it by shortening the name, the original kept in the result's text (R9).
    """

    code: ClassVar[str] = "TU008"
    name: ClassVar[str] = "bad-call-name"
    rank: ClassVar[int] = 13
    repairs: ClassVar[tuple[str, ...]] = ("R9",)
    good = (
        Good(
            "200 characters, and a tool that is not defined",
            [ASK, says(call("toolu_a", "x" * LONGEST_NAME)), answers("toolu_a")],
        ),
    )
    bad = (
        Bad(
            "the stream lost the name",
            [ASK, says(call("toolu_a", "")), answers("toolu_a")],
            ("messages.1.content.0",),
        ),
        Bad(
            "the command was written into the name",
            [ASK, says(call("toolu_a", "run " * 51)), answers("toolu_a")],
            ("messages.1.content.0",),
        ),
        Bad(
            "null",
            [ASK, says(call("toolu_a", "", name=None)), answers("toolu_a")],
            ("messages.1.content.0",),
        ),
    )

    def find(self, index: Index) -> Iterator[Fault]:
        """Client calls whose name is there, but not as it must be."""
        for end in index.calls:
            if end.side >= 0 and (sentence := _name_fault(end.block)):
                yield Fault(end.place, sentence, (end.block.id,))

    def api_path(self, fault: Fault, index: Index) -> str:
        """The member."""
        return f"{index.path(fault.place)}.tool_use.name"

    def api_message(self, fault: Fault, index: Index) -> str:
        """The schema's complaint."""
        block = index.block_at(fault.place)
        if block is None or block.facts & BlockFacts.NAME_NOT_TEXT:
            complaint = "Input should be a valid string"
        elif block.name:
            complaint = f"String should have at most {LONGEST_NAME} characters"
        else:
            complaint = "String should have at least 1 character"
        return f"{self.api_path(fault, index)}: {complaint}"


def _lacking(block: Block) -> list[str]:
    return [member for member, fact in MEMBERS if block.facts & fact]


def _name_fault(block: Block) -> str:
    if block.facts & BlockFacts.NAME_ABSENT:
        return ""
    if block.facts & BlockFacts.NAME_NOT_TEXT:
        return "the name of this call is no string"
    if not block.name:
        return "this call names no tool"
    if len(block.name) > LONGEST_NAME:
        return f"{short(block.name)} is a name of {len(block.name)} characters"
    return ""
