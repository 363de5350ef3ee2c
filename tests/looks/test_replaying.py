"""What is said of a call: before, while and after it is made."""

import json
from decimal import Decimal

import pytest

from tapeview.calls.decision import Decision
from tapeview.calls.endpoints import Endpoint
from tapeview.calls.many import tally_of
from tapeview.calls.run import Call
from tapeview.looks.replaying import (
    Stream,
    after_lines,
    before_lines,
    decision_words,
    dollars,
    tally_json,
    tally_lines,
)
from tapeview.wire.assemble import Assembler
from tests.calls.helpers import BODY, plan
from tests.wire.streams import CALLS, SAYS, begin, call, end, start, stop, stream, text

WORK = Endpoint("work", base_url="https://h", key="K")


def shown(*events):
    assembler = Assembler()
    printed = Stream(assembler)
    steps = assembler.feed(stream(*events))
    return "".join(map(printed.text_of, steps)) + printed.last()


REPLIES = {
    "a text": (SAYS, "Hello.\n"),
    "thinking, a text and calls": (
        CALLS,
        '~ Hmm.\nI look. ü→🎞\n● Read {"path": "a.py", "n": 1.0}\n● Now {}\n',
    ),
    "a call that came at once": (
        [begin(), start(0, type="tool_use", id="t", name="A", input={"b": "ü"}), stop(0), *end()],
        '● A {"b":"ü"}\n',
    ),
    "a text that came at once": ([begin(), start(0, type="text", text="a"), stop(0)], "a\n"),
    "a kind that nobody knows": ([begin(), start(0, type="a\x1bb"), stop(0)], "▪ a\\x1bb\n"),
    "a name that acts": ([begin(), *call(0, "t", "\x1b[2J", "{}")], "● \\x1b[2J {}\n"),
    "an empty text": ([begin(), *text(0, ""), *end()], ""),
    "a cut text": ([begin(), *text(0, "a")[:-1]], "a\n"),
    "a cut call": ([begin(), *call(0, "t", "A", '{"b')[:-1]], '● A {"b\n'),
    "nothing": ([begin(), *end()], ""),
    "lines and tabs stay, carriage returns do not act": (
        [begin(), *text(0, "a\n\tb\r\n"), *end()],
        "a\n\tb\\r\n\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("events", "printed"), REPLIES.values(), ids=REPLIES)
def test_a_reply_as_text(events, printed):
    assert shown(*events) == printed


def test_a_piece_that_is_cut_inside_an_escape_sequence():
    assert shown(begin(), *text(0, "\x1b", "]0;title\x07"), *end()) == "\\x1b]0;title\\x07\n"


def test_before_a_call():
    made = plan(WORK, turn=1, max_tokens=2000)
    assert list(before_lines(made)) == [
        "replay turn 1: endpoint work: h, key from K",
        "sends 1 message, 258 B, about 68 tokens · $0.00034 in, at most $0.050 out",
        "not from the file: max_tokens 2000 (asked)",
    ]


def test_before_several_calls():
    first, sends, *_ = before_lines(plan(WORK, turn=1), 10)
    assert first.startswith("replay turn 1, 10 times: ")
    assert "$0.0034 in, at most $0.22 out" in sends


def test_before_a_call_without_a_known_price():
    lines = list(before_lines(plan(Endpoint("local", "local", "", model="local"), model="x")))
    assert lines[0] == "replay the next call: endpoint local: a small model on this machine"
    assert "$" not in lines[1]


def test_before_the_recording_answers():
    assert list(before_lines(plan(turn=2))) == [
        "replay turn 2: endpoint recording: the recording, not a model"
    ]


async def ended(made, events):
    async def recording(planned):
        yield stream(*events)

    return [event async for event in Call(made, {}, recording).run()][-1]


async def test_after_a_call():
    reply = await ended(plan(turn=1), SAYS)
    assert list(after_lines(plan(turn=1), reply)) == ["9 out · end_turn"]
    facts, recorded = after_lines(plan(WORK, turn=1), reply)
    assert "s · first token " in facts
    assert facts.endswith(" · 9 out · end_turn")
    assert recorded == 'recorded was: ● Read {"path":"a.py"}'
    assert list(after_lines(plan(WORK), reply)) == [facts]


async def test_the_same_decision():
    again = [begin(), *call(0, "t", "Read", '{"path": "a.py"}'), *end("tool_use")]
    reply = await ended(plan(turn=1), again)
    assert list(after_lines(plan(WORK, turn=1), reply))[1] == "decides as recorded"


async def test_a_tally():
    made = plan(turn=1)
    ends = [await ended(made, events) for events in (SAYS, SAYS, SAYS[:3])]
    tally = tally_of(made, ends)
    assert list(tally_lines(tally)) == [
        "2 of 3            Hello.",
        '0 of 3  recorded  ● Read {"path":"a.py"}',
    ]
    report = json.loads(tally_json(tally))
    assert (report["version"], report["times"]) == (1, 3)
    assert [choice["count"] for choice in report["choices"]] == [2]
    assert [failure["kind"] for failure in report["failures"]] == ["cut"]


async def test_half_a_surrogate_pair_does_not_break_the_report():
    made = plan(body=BODY)
    odd = [begin(), *call(0, "t", "A", '{"b": "\\ud83d"}'), *end()]
    ends = [await ended(made, events) for events in (odd, [begin(), *text(0, "\ud83d"), *end()])]
    report = json.loads(tally_json(tally_of(made, ends)))
    assert report["recorded"] is None
    assert len(report["choices"]) == 2


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        (Decision((("Read", '{"a":1}'), ("Now", "{}")), ""), '● Read {"a":1}  ● Now {}'),
        (Decision((), "Hello\x1b[m."), "Hello\\x1b[m."),
        (Decision((), ""), "(nothing)"),
        (Decision((), "x" * 200), "x" * 119 + "…"),
    ],
)
def test_a_decision_in_words(decision, words):
    assert decision_words(decision) == words


@pytest.mark.parametrize(
    ("price", "words"),
    [
        ("0", "$0.00"),
        ("0.31", "$0.31"),
        ("12.5", "$12.50"),
        ("0.0949", "$0.095"),
        ("0.0045", "$0.0045"),
        ("0.0000051", "$0.0000051"),
    ],
)
def test_dollars(price, words):
    assert dollars(Decimal(price)) == words
