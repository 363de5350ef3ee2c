"""What a tape answers to a request, and why it refuses one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.calls.asked import Refusal
from tapeview.calls.player import Answer, Player, told
from tapeview.errors import ServeError
from tapeview.wire.align import Difference
from tests.calls.tapes import (
    answered,
    asks,
    call,
    player,
    request,
    result,
    said,
    says,
)

TAPE = (
    asks("list"),
    says({"type": "text", "text": "I look."}, call("toolu_a", path=".")),
    said(result("toolu_a", "a.txt")),
    answered("One file."),
    asks("thanks"),
    answered("Done."),
)
TOOLS = [{"name": "Bash", "input_schema": {}}]


def ask(one, *messages, **members):
    return one.answer(request(*messages, **({"tools": TOOLS} | members)))


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("turn", [1, 2, 3])
def test_a_recorded_request_gets_its_reply(turn, strict):
    found = ask(player(*TAPE, strict=strict), *TAPE[: 2 * turn - 1])
    assert isinstance(found, Answer)
    assert (found.how, found.call.turn, found.difference) == ("recorded", turn, None)
    content = TAPE[2 * turn - 1]["content"]
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    assert json.loads(found.message)["content"] == content
    assert found.sentence == f"turn {turn}"


def test_the_model_is_the_recorded_one_or_the_one_asked_for():
    recorded = ask(player(*TAPE), TAPE[0], model="other")
    assert json.loads(recorded.message)["model"] == "claude-x"
    unknown = ask(player(*TAPE, model=None), TAPE[0], model="other")
    assert json.loads(unknown.message)["model"] == "other"


def test_what_is_streamed_is_what_asks_for_it():
    assert ask(player(*TAPE), TAPE[0], stream=True).streamed
    assert not ask(player(*TAPE), TAPE[0]).streamed


def test_strict_tells_the_first_difference():
    other = [*TAPE[:2], said(result("toolu_a", "b.txt"))]
    found = ask(player(*TAPE, strict=True), *other)
    path = "messages.2.content.0.content.0.text"
    assert found == Refusal(
        400,
        "invalid_request_error",
        "tapeview play run.json: these messages are not on the tape: "
        f'{path} is "a.txt" on the tape, here "b.txt".',
    )


def test_else_the_next_turn_answers_and_the_difference_is_told():
    other = [*TAPE[:2], said(result("toolu_a", "b.txt"))]
    found = ask(player(*TAPE), *other)
    assert (found.how, found.call.turn) == ("next", 2)
    assert found.sentence.startswith("turn 2, though messages.2.content.0.content.0.text is ")


@pytest.mark.parametrize("strict", [True, False])
def test_no_words_are_made_up_behind_the_end(strict):
    found = ask(player(*TAPE, strict=strict), *TAPE, asks("more"))
    assert (found.status, found.kind) == (400, "invalid_request_error")
    assert found.message == (
        "tapeview play run.json: no turn of the tape follows these messages: it is at its end."
    )


def test_what_the_api_would_report_first_is_refused():
    body = [asks("a"), says(call("toolu_a")), said(result("toolu_x")), says(call("toolu_b"))]
    found = ask(player(*TAPE), *body)
    assert (found.status, found.rule) == (400, "TR001")
    assert found.message.startswith("messages.2.content.0: unexpected `tool_use_id` found in")


def test_a_call_beside_the_tape_takes_no_turn():
    one = player(*TAPE)
    title = [asks("<session>\nlist\n</session>\n\nWrite the title")]
    found = ask(one, *title, tools=[])
    assert (found.how, found.call) == ("side", None)
    message = json.loads(found.message)
    assert message["stop_reason"] == "end_turn"
    assert message["model"] == "claude-x"
    assert "not on it" in message["content"][0]["text"]
    assert ask(one, TAPE[0]).call.turn == 1


def test_a_harness_without_tools_is_no_call_beside_the_tape():
    plain = player(asks("a"), answered("b"))
    assert ask(plain, asks("other"), tools=[]).how == "next"
    prompt = said({"type": "text", "text": "reminder"}, {"type": "text", "text": "list"})
    assert ask(player(*TAPE), prompt, tools=[]).how == "next"


def test_strict_has_no_calls_beside_the_tape():
    assert ask(player(*TAPE, strict=True), asks("title?"), tools=[]).status == 400


def test_a_call_that_was_made_again_is_answered_in_recorded_order():
    """Two sub-agents with one prompt; the last reply is given again and again."""
    first, second = player(TAPE[0], answered("one")), player(TAPE[0], answered("two"))
    both = Player([*first.calls, *second.calls], "run.json")
    texts = [json.loads(ask(both, TAPE[0]).message)["content"][0]["text"] for _ in range(4)]
    assert texts == ["one", "two", "two", "two"]


def test_a_reply_that_nobody_got_is_given_again():
    first, second = player(TAPE[0], answered("one")), player(TAPE[0], answered("two"))
    both = Player([*first.calls, *second.calls], "run.json")
    both.give_back(ask(both, TAPE[0]))
    both.give_back(ask(both, TAPE[0], max_tokens="x"))
    both.give_back(ask(both, asks("<session>\nlist\n</session>"), tools=[]))
    texts = [json.loads(ask(both, TAPE[0]).message)["content"][0]["text"] for _ in range(2)]
    assert texts == ["one", "two"]


def test_tokens_are_counted_after_the_same_rules():
    one = player(*TAPE)
    assert one.count(request(asks("word " * 400))) == pytest.approx(500, rel=0.1)
    assert one.count(request(*TAPE[:2])).rule == "TU001"
    assert one.count(b"{").status == 400


def test_models_are_those_of_the_tape():
    assert player(*TAPE).models == ("claude-x",)
    assert player(*TAPE, model=None).models == ()


def test_a_tape_without_a_reply_cannot_play():
    with pytest.raises(ServeError, match="no reply of a model"):
        player(asks("a"))


DIFFERENCES = {
    "short": (Difference("p", '"a"', '"b"'), 'p is "a" on the tape, here "b"'),
    "one more": (Difference("p", "", '"b"'), 'p is not there on the tape, here "b"'),
    "one less": (Difference("p", '"a"', ""), 'p is "a" on the tape, here not there'),
    "long": (
        Difference("p", "x" * 100 + "a" + "y" * 100, "x" * 100 + "b"),
        f"p is …{'x' * 20}a{'y' * 39}… on the tape, here …{'x' * 20}b",
    ),
}


@pytest.mark.parametrize("difference, sentence", DIFFERENCES.values(), ids=DIFFERENCES.keys())
def test_a_difference_is_told_from_where_the_texts_part(difference, sentence):
    assert told(difference) == sentence


words = st.text(st.characters(codec="utf-8"))


@given(words, st.lists(st.tuples(words, words), max_size=3))
def test_whatever_the_words_a_tape_plays_itself(first, pairs):
    tape = [asks(first or "a")]
    for reply, prompt in pairs:
        tape += [says({"type": "text", "text": reply}), asks(prompt or "b")]
    tape.append(answered("end"))
    one = player(*tape, strict=True)
    for k in range(1, len(tape), 2):
        found = ask(one, *tape[:k])
        assert isinstance(found, Answer), found
        assert found.how == "recorded"


@given(st.binary(max_size=60) | st.sampled_from([request(*TAPE[:3])]), st.integers(0, 300))
def test_no_body_breaks_it(body, cut):
    assert isinstance(player(*TAPE).answer(body[:cut]), Answer | Refusal)
