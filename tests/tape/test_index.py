"""The index: what is asked of a tape again and again."""

import json

import pytest

from tapeview.tape.block import Place
from tapeview.tape.index import Index
from tapeview.tape.message import message_of
from tapeview.tape.tape import Frame
from tests.helpers import index_of
from tests.shorthand import index, records

TAPE = (
    "user ask",
    "assistant words call:a call:b",
    "user result:b",
    "user result:a more",
    "system notice",
    "assistant search:s found:s",
)


def places(ends):
    return [(end.place.message, end.place.block) for end in ends]


def test_calls_and_results_in_order():
    found = index(*TAPE)
    assert places(found.calls) == [(1, 1), (1, 2)]
    assert places(found.results) == [(2, 0), (3, 0)]
    assert places(found.server_calls) == [(5, 0)]
    assert places(found.server_results) == [(5, 1)]
    assert [end.side for end in found.results] == [2, 2]


def test_messages_know_their_side():
    found = index(*TAPE)
    assert [side.role for side in found.sides] == ["user", "assistant", "user", "assistant"]
    assert dict(found.side_numbers) == {0: 0, 1: 1, 2: 2, 3: 2, 5: 3}
    assert found.side(1).messages == (1,)
    assert found.side(-1) is None
    assert found.side(4) is None


def test_calls_and_results_by_side_and_id():
    found = index(*TAPE)
    assert {side: list(by_id) for side, by_id in found.calls_by_id.items()} == {1: ["a", "b"]}
    assert {side: list(by_id) for side, by_id in found.results_by_id.items()} == {2: ["b", "a"]}


@pytest.mark.parametrize(
    "lines, left",
    [
        (["assistant call:a call:b", "user result:a"], {0: ["b"]}),
        (["assistant call:a call:a", "user x"], {0: ["a"]}),
        (["assistant call:a", "user x", "assistant call:b"], {0: ["a"], 2: ["b"]}),
        (["assistant call:", "user x"], {0: []}),
        (["user call:a"], {}),
        (["system call:a"], {}),
    ],
)
def test_calls_that_the_next_side_does_not_answer(lines, left):
    found = index(*lines).unanswered
    assert {side: [end.block.id for end in ends] for side, ends in found.items()} == left


@pytest.mark.parametrize(
    "lines, behind",
    [
        (["assistant call:a", "user text result:a"], {1: [(1, 1)]}),
        (["assistant call:a", "user text", "user result:a"], {1: [(2, 0)]}),
        (["assistant call:a", "user result:a text"], {1: []}),
        (["assistant call:a call:b", "user result:a text result:b"], {1: [(1, 2)]}),
        (["assistant call:a", "user result:a text result:a"], {1: []}),
        (["assistant call:b", "user text result:a"], {1: []}),
        (["user text result:a"], {}),
        (["assistant call:a", "user result:a"], {}),
    ],
)
def test_results_behind_other_blocks(lines, behind):
    found = index(*lines).answers_behind
    assert {side: places(ends) for side, ends in found.items()} == behind


def test_an_empty_string_is_no_block_that_stands_before_results():
    call = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    body = [
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": ""},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}]},
    ]
    assert index_of(body).answers_behind == {}


def test_a_place_is_spelled_as_the_api_spells_it():
    found = index_of(
        [
            {"role": "user", "content": "hi"},
            {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text"}]}]},
        ]
    )
    assert found.path(Place(-1)) == "messages"
    assert found.path(Place(0)) == "messages.0"
    assert found.path(Place(0, 0)) == "messages.0"
    assert found.path(Place(1, 0)) == "messages.1.content.0"
    assert found.path(Place(1, 0, 0)) == "messages.1.content.0.content.0"


def test_a_place_in_a_chat_call():
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    found = index_of([{"role": "assistant", "content": "x", "tool_calls": [call, call]}])
    assert found.path(Place(0, 0)) == "messages.0"
    assert found.path(Place(0, 2)) == "messages.0.tool_calls.1"


def test_blocks_know_their_place_and_their_record():
    lines = records("assistant@m words", "assistant@m call:a")
    found = Index([message_of(lines)], Frame(), "anthropic")
    (second,) = lines[1].blocks
    assert found.places[second] == Place(0, 1)
    assert found.record_of[second] is lines[1]
    assert found.block_at(Place(0, 1)) is second
    assert found.block_at(Place(0)) is None
    assert found.path(Place(0, 1)) == "messages.0.content.1"


def test_the_turn_of_a_message():
    found = index("user a", "assistant b", "user c", "assistant d", "user e")
    numbers = [turn.number if (turn := found.turn_of(k)) else 0 for k in range(5)]
    assert numbers == [0, 1, 1, 2, 2]


def test_links_are_counted_by_state_with_all_states_named():
    found = index("assistant call:a call:b", "user result:a", "user x", "assistant call:c")
    assert found.link_counts == {
        "answered": 1,
        "pending": 1,
        "dangling": 1,
        "orphan": 0,
        "late": 0,
        "early": 0,
        "doubled": 0,
        "swapped": 0,
    }


def test_every_end_knows_its_link():
    found = index(*TAPE)
    assert set(found.link_of) == {end.block for link in found.links for end in link.ends}
    assert found.link_of[found.calls[0].block] is found.link_of[found.results[1].block]


def test_sizes_are_those_of_the_blocks():
    body = [{"role": "user", "content": "1234"}, {"role": "user", "content": []}]
    assert list(index_of(body).sizes) == [4, 0]


def test_the_role_of_an_end_and_the_blocks_of_a_side():
    found = index(*TAPE)
    assert found.role_of(found.calls[0]) == "assistant"
    inside = [(place.message, place.block) for place, _ in found.blocks_of(found.sides[2])]
    assert inside == [(2, 0), (3, 0), (3, 1)]


def test_nothing_is_derived_before_it_is_asked_for():
    found = index_of(json.loads('[{"role":"user","content":"hi"}]'))
    assert "links" not in vars(found)
    assert found.links == ()
    assert "links" in vars(found)
