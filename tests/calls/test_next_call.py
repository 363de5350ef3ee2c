"""Which turn a request comes to, where a harness sends other messages than the recorded ones."""

from collections import Counter
from pathlib import Path

import pytest

from tapeview.calls.next_call import NextCall
from tapeview.calls.recorded import recorded_calls
from tapeview.open_session import load
from tapeview.wire.align import CellReader, messages_in
from tests.calls.tapes import answered, asks, call, calls_of, request, result, said, says

SAMPLES = Path(__file__).parents[2] / "sample_sessions"

TAPE = (
    asks("list"),
    says({"type": "text", "text": "I look."}, call("toolu_a")),
    said(result("toolu_a")),
    says(call("toolu_b")),
    said(result("toolu_b")),
    answered("Two files."),
    asks("thanks"),
    answered("Done."),
    asks("again"),
    answered("Done."),
)
REMINDER = {"type": "text", "text": "<system-reminder>today</system-reminder>"}
SKILLS = {"role": "system", "content": "The following skills are"}


def of(calls, *messages, given=()):
    """``TAPE TURN`` of the call that the messages come to; None where there is none."""
    got = CellReader().read_all(messages_in(request(*messages)))
    found = NextCall(calls).of(got, Counter(given))
    return None if found is None else found.turn


def reminded(count):
    """The first messages of the tape as a harness sends them today."""
    first = said(REMINDER, {"type": "text", "text": "list"})
    return [first, SKILLS, *TAPE[1:count], SKILLS]


@pytest.mark.parametrize("count, turn", [(1, 1), (3, 2), (5, 3), (7, 4), (9, 5)])
def test_reminders_and_system_messages_change_nothing(count, turn):
    assert of(calls_of(*TAPE), *reminded(count)) == turn


CASES = {
    "another prompt at the start": ([asks("show me")], 1),
    "another result": ([*TAPE[:2], said(result("toolu_a", "nothing"))], 2),
    "the text beside a call is lost": (
        [TAPE[0], says(call("toolu_a", rewritten=True)), TAPE[2]],
        2,
    ),
    "another prompt in the middle": ([*TAPE[:6], asks("why?")], 4),
    "equal replies are told apart by the prompt": ([*TAPE[:8], asks("again")], 5),
    "the beginning was cut off": ([asks("sum"), says(call("toolu_b")), TAPE[4]], 3),
    "the tape ends": ([*TAPE, asks("more")], None),
    "no reply is known: by their number": ([asks("a"), answered("b"), asks("c")], 2),
    "more replies than the tape has": ([asks("a"), answered("b")] * 9, None),
}


@pytest.mark.parametrize("messages, turn", CASES.values(), ids=CASES.keys())
def test_the_last_known_reply_tells_the_turn(messages, turn):
    assert of(calls_of(*TAPE), *messages) == turn


def test_a_reply_that_the_harness_made_up_takes_no_turn():
    messages = [*TAPE[:5], answered("[interrupted]"), asks("go on")]
    assert of(calls_of(*TAPE), *messages) == 3


def test_a_reply_that_was_changed_beyond_knowing_was_answered():
    calls = calls_of(*TAPE)
    messages = [*TAPE[:5], answered("2 files"), TAPE[6]]
    assert of(calls, *messages, given={calls[2]: 1}) == 4
    assert of(calls, *messages, given=dict.fromkeys(calls, 1)) is None


@pytest.fixture(scope="module")
def compacted():
    return recorded_calls(load(str(SAMPLES / "compacted.jsonl")))


@pytest.fixture(scope="module")
def healthy():
    return recorded_calls(load(str(SAMPLES / "healthy.jsonl")))


def sent_with_reminder(call):
    """The cells of what a call was sent, behind a reminder."""
    reader = CellReader()
    first = reader.read_all(messages_in(request(said(REMINDER), SKILLS)))
    return [*first, *call.sent.messages]


@pytest.mark.parametrize("session", ["compacted", "healthy"])
def test_each_call_of_a_session_is_found_again(session, request):
    """Segments, branches and sub-agents too."""
    calls = request.getfixturevalue(session)
    finder = NextCall(calls)
    for one in calls:
        assert finder.of(sent_with_reminder(one), Counter()) is one
        assert one.depth or finder.starts_a_tape(sent_with_reminder(one))


def test_two_agents_with_one_prompt_are_told_one_after_the_other():
    first, second = calls_of(*TAPE[:2])[0], calls_of(*TAPE[:2])[0]
    assert of([first, second], *reminded(1)[:2]) == 1
    finder = NextCall([first, second])
    got = sent_with_reminder(first)
    assert finder.of(got, Counter()) is first
    assert finder.of(got, Counter([first])) is second
