"""The timeline as rows, and what folds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.tape.index import Index
from tapeview.tape.message import message_of
from tapeview.tape.rows import fold_span, rows_of
from tapeview.tape.tape import Frame
from tests.shorthand import note, records, session, unreadable


def rows(opened):
    tape = opened.main
    return rows_of(opened, tape, Index(tape.messages, opened.frame, "anthropic"))


def of_lines(*lines):
    stored = records(*lines)
    return rows(session(stored, [message_of([record]) for record in stored]))


def shown(found):
    """``turn 2``, ``2 call``, ``note``: what a row is, behind the turn that it folds with."""
    words = []
    for row in found:
        if row.kind == "block":
            word = row.block.id or row.block.kind if row.block is not None else "no block"
        else:
            word = f"{row.kind} {row.holds}".removesuffix(" 0")
        words.append(f"{row.turn} {word}" if row.turn else word)
    return words


def test_a_prompt_a_turn_and_its_results():
    found = of_lines("user ask", "assistant words call:a call:b", "user result:a result:b")
    assert shown(found) == [
        "text",
        "1 turn",
        "1 text",
        "1 a",
        "1 b",
        "1 a",
        "1 b",
    ]


def test_prompts_stand_between_turns():
    assert shown(of_lines("assistant a", "user b", "assistant c")) == [
        "1 turn",
        "1 text",
        "text",
        "2 turn",
        "2 text",
    ]


def test_text_beside_results_ends_the_turn():
    assert shown(of_lines("assistant call:a", "user result:a beside", "assistant c")) == [
        "1 turn",
        "1 a",
        "1 a",
        "text",
        "2 turn",
        "2 text",
    ]


def test_results_over_two_messages_fold_with_their_turn():
    assert shown(of_lines("assistant call:a call:b", "user result:a", "user result:b"))[-2:] == [
        "1 a",
        "1 b",
    ]


def test_a_message_without_blocks_has_a_row():
    found = of_lines("user", "assistant a")
    assert shown(found) == ["no block", "1 turn", "1 text"]
    assert found[0].message == 0
    assert found[0].number == -1


def test_what_waits_is_said_at_the_end():
    assert shown(of_lines("user ask", "assistant call:a call:b"))[-1] == "end 2"
    assert "end" not in shown(of_lines("user ask", "assistant call:a", "user result:a"))


def test_system_and_tools_come_first():
    stored = records("user ask")
    frame = Frame("m", b'"be brief"', b"[]")
    opened = session(stored, [message_of(stored)], frame=frame)
    assert [row.kind for row in rows(opened)] == ["system", "tools", "block"]


def beside(*items):
    """Rows of a session whose chain is the messages among ``items``."""
    chain = [message_of([item]) for item in items if item.kind == "message"]
    return rows(session(items, chain))


def test_a_lone_note_is_a_row_and_several_are_a_fold():
    first, second = records("user ask", "assistant a")
    found = beside(note("mode"), first, note("title"), note("snapshot"), second)
    assert shown(found) == ["note", "text", "notes 2", "note", "note", "1 turn", "1 text"]


def test_notes_inside_a_turn_fold_with_it():
    first, second = records("assistant call:a", "user result:a")
    found = beside(first, note("x"), second)
    assert shown(found) == ["1 turn", "1 a", "1 note", "1 a"]


def test_an_unreadable_line_stands_at_its_place():
    first, second = records("user ask", "assistant a")
    assert shown(beside(first, unreadable(), second)) == ["text", "unreadable", "1 turn", "1 text"]


def test_a_damaged_line_parts_two_runs_of_notes():
    found = beside(note("a"), note("b"), unreadable(), note("c"))
    assert shown(found) == ["notes 2", "note", "note", "unreadable", "note"]


def test_off_the_chain_stands_at_its_place_with_its_reason():
    first, aside, second = records("user ask", "user aside call:x", "assistant a")
    chain = [message_of([first]), message_of([second])]
    found = rows(session([first, aside, second], chain, unsent={aside: "superseded"}))
    assert shown(found) == ["text", "text", "x", "1 turn", "1 text"]
    assert [(row.message, row.unsent) for row in found[1:3]] == [(-1, "superseded")] * 2


def test_a_message_of_many_lines_keeps_the_notes_between_them():
    first, second, answer = records("assistant@m words", "assistant@m call:a", "user result:a")
    messages = [message_of([first, second]), message_of([answer])]
    found = rows(session([first, note("x"), second, note("y"), answer], messages))
    assert shown(found) == ["1 turn", "1 text", "1 note", "1 a", "1 note", "1 a"]
    assert [(row.message, row.number) for row in found if row.kind == "block"] == [
        (0, 0),
        (0, 1),
        (1, 0),
    ]


def test_rows_that_are_on_the_chain_but_not_sent_say_why():
    (record,) = records("assistant call:a")
    found = rows(session([record], [message_of([record])], unsent={record: "unanswered"}))
    assert [row.unsent for row in found] == ["", "unanswered", ""]


def test_rows_know_the_last_turn_that_begins_above_them():
    found = of_lines("user a", "assistant b", "user c", "assistant d", "user e")
    assert [row.after for row in found] == [0, 1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize(
    "at, hidden",
    [(0, []), (1, [2, 3]), (2, []), (4, []), (5, [6]), (6, [])],
)
def test_what_a_fold_hides(at, hidden):
    found = of_lines("user ask", "assistant call:a", "user result:a", "user more", "assistant b")
    assert list(fold_span(found, at)) == hidden


def test_a_run_of_notes_hides_its_notes():
    found = beside(note("a"), note("b"), note("c"), *records("user ask"))
    assert list(fold_span(found, 0)) == [1, 2, 3]


lines = st.lists(
    st.sampled_from(
        [
            "user ask",
            "user",
            "user result:a",
            "user result:a text",
            "assistant words",
            "assistant",
            "assistant call:a",
            "assistant! failed",
            "system x",
            "note",
            "damage",
            "aside",
        ]
    ),
    max_size=12,
)


def mixed(words):
    stored, chain, unsent = [], [], {}
    for word in words:
        if word == "note":
            stored.append(note("x"))
        elif word == "damage":
            stored.append(unreadable())
        elif word == "aside":
            stored += records("user aside")
            unsent[stored[-1]] = "superseded"
        else:
            stored += records(word)
            chain.append(message_of(stored[-1:]))
    return session(stored, chain, unsent)


@given(lines)
def test_every_record_and_every_block_has_its_row(words):
    opened = mixed(words)
    found = rows(opened)
    for record in opened.records:
        own = [row for row in found if row.record is record and row.kind not in ("turn", "notes")]
        assert [row.block for row in own] == (list(record.blocks) or [None])
    on_chain = [row for row in found if row.kind == "block" and row.message >= 0]
    assert [row.message for row in on_chain] == sorted(row.message for row in on_chain)


@given(lines)
def test_rows_stand_in_stored_order(words):
    opened = mixed(words)
    found = [row for row in rows(opened) if row.kind in ("block", "note", "unreadable")]
    positions = [opened.position_of(row.record) for row in found]
    assert positions == sorted(positions)


@given(lines)
def test_a_fold_never_hides_the_next_turn(words):
    found = rows(mixed(words))
    for at, row in enumerate(found):
        hidden = fold_span(found, at)
        assert all(found[k].kind != "turn" for k in hidden)
        if row.kind == "turn":
            assert all(found[k].turn == row.turn for k in hidden)
