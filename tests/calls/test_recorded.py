"""What a session recorded of each call: what was sent, and the reply as the API answered it."""

import json
from pathlib import Path

import pytest

from tapeview.calls.recorded import (
    in_api_words,
    made_id,
    read_body,
    recorded_calls,
    side_hash,
    sides_in,
)
from tapeview.errors import OpenError, PlaceError
from tapeview.open_session import load
from tapeview.wire.align import CellReader, chain, messages_in
from tests.calls.tapes import answered, asks, call, calls_of, request, result, said, says
from tests.formats.claude import reply, user, written
from tests.helpers import open_bytes

SAMPLES = Path(__file__).parents[2] / "sample_sessions"


def values(members):
    """A reply as a value."""
    return {name: json.loads(raw) for name, raw in members.items()}


def cells(*messages):
    return CellReader().read_all(messages_in(request(*messages)))


def text(words):
    return {"type": "text", "text": words}


TAPE = (
    asks("list"),
    says(text("I look."), call("toolu_a", path=".")),
    said(result("toolu_a", "a.txt")),
    answered("One file."),
    asks("thanks"),
)


def test_each_turn_is_a_call_with_what_it_was_sent():
    first, second = calls_of(*TAPE)
    assert (first.tape, first.turn, first.depth) == ("main", 1, 0)
    assert (second.tape, second.turn, second.depth) == ("main", 2, 1)
    assert [first.key, second.key] == [chain(cells(*TAPE[:1])), chain(cells(*TAPE[:3]))]
    assert second.after_ids == {"toolu_a"}
    assert first.after == b"" != second.after
    assert (len(first.news), len(second.news)) == (1, 1)


def test_what_a_body_does_not_store_is_made_up():
    first, second = (values(found.reply) for found in calls_of(*TAPE))
    assert first == {
        "id": first["id"],
        "type": "message",
        "role": "assistant",
        "model": "claude-x",
        "content": [text("I look."), call("toolu_a", path=".")],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 8, "output_tokens": 28},
    }
    assert first["id"].startswith("msg_01")
    assert len(first["id"]) == 28
    assert (second["content"], second["stop_reason"]) == ([text("One file.")], "end_turn")
    again = [values(found.reply) for found in calls_of(*TAPE)]
    assert again == [first, second]
    assert first["id"] != second["id"]


def test_blocks_keep_their_own_bytes():
    block = b'{"type":"tool_use","id":"a","name":"n","input":{ "x" : 1.0e0 }}'
    raw = b'[{"role":"user","content":"q"},{"role":"assistant","content":[' + block + b"]}]"
    (found,) = recorded_calls(open_bytes(raw))
    assert found.reply["content"] == b"[" + block + b"]"
    assert "model" not in found.reply


def test_neighbouring_replies_without_ids_are_one():
    (found,) = calls_of(asks("q"), answered("a"), answered("b"), asks("more"))
    assert values(found.reply)["content"] == [text("a"), text("b")]


def test_an_empty_reply_has_no_blocks():
    assert [found.reply["content"] for found in calls_of(asks("q"), answered(""))] == [b"[]"]


def line(uuid, parent, block, **members):
    message = {"id": "msg_a", "type": "message", "role": "assistant", "model": "claude-y"}
    message |= {"content": [block], "stop_reason": None} | members
    return reply(uuid, parent, "msg_a") | {"message": message}


def test_a_session_keeps_what_the_api_answered():
    """One reply over two lines: what the last of them says counts, nulls say nothing."""
    usage = {"input_tokens": 7, "output_tokens": 2}
    rows = [
        user("u1", None, "q"),
        line("a1", "u1", text("I look."), usage=usage, stop_sequence=None),
        line("a2", "a1", call("toolu_a"), usage=usage | {"output_tokens": 50}, container=None),
    ]
    (found,) = recorded_calls(open_bytes(written(*rows)))
    assert values(found.reply) == {
        "id": "msg_a",
        "type": "message",
        "role": "assistant",
        "model": "claude-y",
        "content": [text("I look."), call("toolu_a")],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": usage | {"output_tokens": 50},
    }


@pytest.mark.parametrize(
    "odd",
    [{"id": 7}, {"stop_reason": 7}, {"model": []}, {"usage": {}}, {"usage": 7}, {"role": "user"}],
    ids=str,
)
def test_odd_members_give_way_to_made_up_ones(odd):
    body = {"role": "assistant", "content": "a", "id": "m", "stop_reason": "refusal"}
    rows = [json.dumps(asks("q")), json.dumps(body | {"role": "assistant"} | odd)]
    found = recorded_calls(open_bytes(("[" + ",".join(rows) + "]").encode()))
    for one in found:
        told = values(one.reply)
        assert isinstance(told["id"], str)
        assert isinstance(told["stop_reason"], str)
        assert set(told["usage"]) == {"input_tokens", "output_tokens"}
        assert told["role"] == "assistant"


def test_calls_belong_to_the_tape_on_which_they_were_said():
    found = recorded_calls(load(str(SAMPLES / "compacted.jsonl")))
    assert [(one.tape, one.turn) for one in found] == [
        ("main~1", 1),
        ("main~1", 2),
        *(("main", number) for number in range(3, 8)),
        ("branch:1", 6),
    ]
    assert found[-1].key not in {one.key for one in found[:-1]}
    assert found[0].seconds == pytest.approx(4.3)


def test_one_tape_alone():
    found = recorded_calls(load(str(SAMPLES / "compacted.jsonl")), "branch:1")
    assert [one.turn for one in found] == [3, 4, 5, 6]
    with pytest.raises(PlaceError):
        recorded_calls(load(str(SAMPLES / "compacted.jsonl")), "branch:9")


def test_a_tape_of_chat_is_told_in_the_words_of_the_api():
    opened, lost = in_api_words(load(str(SAMPLES / "refund.json")))
    assert lost == ("`store` is left out",)
    assert opened.session.dialect == "anthropic"
    assert [one.turn for one in recorded_calls(opened)] == [1, 2, 3, 4]


def test_a_tape_of_the_api_stays_what_it_is():
    opened = load(str(SAMPLES / "loop.json"))
    assert in_api_words(opened) == (opened, ())


def test_a_body_is_read_whatever_model_it_names():
    opened = read_body(request(asks("a"), model="gpt-9"), "the request")
    assert opened.session.dialect == "anthropic"
    with pytest.raises(OpenError):
        read_body(b"{}", "the request").snapshot()


def test_sides_are_found_from_the_end():
    system = {"role": "system", "content": "skills"}
    array = cells(asks("a"), answered("b"), system, answered("c"), asks("d"), system, asks("e"))
    ((side, behind),) = sides_in(reversed(array))
    assert [json.loads(cell.text)["text"] for cell in side] == ["b", "c"]
    assert [json.loads(cell.text)["text"] for cell in behind] == ["e", "d"]
    assert list(sides_in(reversed(cells(asks("a"))))) == []


def side(*messages):
    ((found, _),) = sides_in(reversed(cells(*messages)))
    return side_hash(found)


@pytest.mark.parametrize(
    "other",
    [
        [says(text(" I  look.\n"), call("toolu_a", path="."))],
        [says(text("I look."), call("toolu_a", path="./", more=1))],
        [answered("I look."), says(call("toolu_a"))],
        [says({"type": "thinking", "thinking": "x"}, text("I look."), call("toolu_a"))],
    ],
)
def test_a_reply_is_known_however_a_harness_writes_it(other):
    assert side(*other) == side(TAPE[1])


@pytest.mark.parametrize("other", [[answered("I look.")], [says(call("toolu_b"))]])
def test_other_replies_are_others(other):
    assert side(*other) != side(TAPE[1])


def test_ids_are_made_of_their_parts():
    assert made_id("req_", b"a") == made_id("req_", b"a") != made_id("req_", b"b")
    assert len(made_id("req_", b"a")) == 26
