"""What is derived, with other numbers."""

from tapeview.tape.block import Block, Place
from tapeview.tape.link import End, Link
from tapeview.tape.message import Side
from tapeview.tape.moved import SideNumbers, moved_link, moved_side, moved_turn
from tapeview.tape.spliced import Shift
from tapeview.tape.turn import Turn

SHIFT = Shift(messages=3, sides=2, turns=1)
CALL, RESULT = Block("tool_use", ("content", 0), 1, "a"), Block("tool_result", (), 1, "a")


def test_a_turn():
    assert moved_turn(Turn(4, 7, 8, 9), SHIFT) == Turn(5, 10, 11, 12)


def test_a_side():
    side = moved_side(Side(4, "user", (7, 9)), SHIFT)
    assert (side.number, side.role, side.messages) == (6, "user", (10, 12))


def test_a_link_and_a_message_without_a_side():
    link = Link("late", End(CALL, Place(1, 0), 1), (End(RESULT, Place(5, 2, 0), -1),))
    moved = moved_link(link, SHIFT)
    assert moved.state == "late"
    assert [(end.block, end.place, end.side) for end in moved.ends] == [
        (CALL, Place(4, 0), 3),
        (RESULT, Place(8, 2, 0), -1),
    ]
    assert moved_link(Link("orphan", None, link.results), SHIFT).call is None


def test_the_sides_of_messages():
    numbers = SideNumbers([Side(0, "user", (0, 2)), Side(1, "assistant", (3,))])
    assert dict(numbers) == {0: 0, 2: 0, 3: 1}
    assert [1 in numbers, 4 in numbers, len(numbers)] == [False, False, 3]
