"""What is said of a turn."""

import pytest

from tapeview.tape.turn import turns_of
from tapeview.tape.turn_facts import TurnFacts, facts_of
from tests.formats.claude import reply, session, user


@pytest.mark.parametrize(
    ("at", "seconds"), [(65, 65.0), (0, 0.0), (None, None)], ids=["later", "at once", "no time"]
)
def test_a_turn(at, seconds):
    lines = [user("u", None, "ask", at=0), reply("a", "u", "m", "call:t", "and", "call:s", at=at)]
    messages = session(*lines).main.messages
    (turn,) = turns_of(messages)
    assert facts_of(messages, turn, 7) == TurnFacts(2, 0, 7, seconds)


def test_a_turn_that_nothing_stands_above_took_no_time_that_is_known():
    messages = session(reply("a", None, "m", "hello")).main.messages
    assert facts_of(messages, turns_of(messages)[0], 0) == TurnFacts(0, 0, 0, None)
