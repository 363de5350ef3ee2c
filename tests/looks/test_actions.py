"""Which edits fit which row, and the operation that each makes."""

import json

import pytest

from tapeview.edit.operations import operation_json
from tapeview.errors import EditError, PairSplit
from tapeview.looks.actions import actions_of, deletion_of, pair_choices, part_of
from tests.formats.claude import reply, session, user
from tests.helpers import open_bytes

CALL = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}
LOST = CALL | {"id": "t2"}
BODY = {
    "system": "short",
    "messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "text", "text": "a"}, CALL, LOST]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "ok", "is_error": True}
            ],
        },
        {"role": "user", "content": "on"},
    ],
}


def opened():
    return open_bytes(json.dumps(BODY).encode())


def row_at(snapshot, message, number=0, kind="block"):
    return next(
        row
        for row in snapshot.rows
        if row.kind == kind
        and (kind not in ("block", "turn") or row.message == message)
        and (kind != "block" or row.number == number)
    )


def found(row, mark=None):
    snapshot = opened().snapshot()
    mark = row_at(snapshot, *mark) if mark else None
    return {a.id: a for a in actions_of(snapshot, row_at(snapshot, *row), mark)}


def made(action, words=""):
    return json.loads(operation_json(action.make(words)))


PROMPT, TEXT, CALLED, DANGLING, RESULT, LAST = (0, 0), (1, 0), (1, 1), (1, 2), (2, 0), (3, 0)
EVERYWHERE = {"delete_message", "duplicate_message", "insert_user_before", "insert_user_after"}
EVERYWHERE |= {"insert_assistant_before", "insert_assistant_after", "cut", "delete_rest"}
EVERYWHERE |= {"compact", "prepend", "clear", "edit", "delete", "duplicate"}
EVERYWHERE |= {"insert_block_before", "insert_block_after"}


@pytest.mark.parametrize(
    ("row", "more"),
    [
        (PROMPT, {"role_assistant"}),
        (TEXT, {"role_user"}),
        (CALLED, {"role_user", "split", "rename", "id", "name"}),
        (DANGLING, {"role_user", "split", "id", "name", "answer"}),
        (RESULT, {"role_assistant", "merge", "rename", "id", "is_error"}),
        (LAST, {"role_assistant"}),
    ],
)
def test_what_fits_a_block(row, more):
    assert set(found(row)) == EVERYWHERE | more


@pytest.mark.parametrize(
    ("said", "offered"),
    [
        ([("assistant", [CALL, LOST])], [True, True]),
        ([("assistant", [CALL])], [False]),
        ([("user", [CALL, LOST])], [False, False]),
        ([("assistant", [CALL]), ("user", "on"), ("assistant", [LOST])], [False, False]),
    ],
)
def test_all_open_calls_of_the_last_turn_are_answered_at_once(said, offered):
    """A call in a message of the user, as nobody sends it, is none that waits."""
    messages = [{"role": role, "content": content} for role, content in said]
    snapshot = open_bytes(json.dumps(messages).encode()).snapshot()
    rows = [row for row in snapshot.rows if row.block is not None and row.block.name == "Bash"]
    assert ["answer_all" in {a.id for a in actions_of(snapshot, row)} for row in rows] == offered


def test_what_fits_other_rows():
    assert set(found((1, 0, "turn"))) >= {"delete_turn", "delete_rest", "insert_user_before"}
    assert "edit" not in found((1, 0, "turn"))
    own = {"edit", "remove", "set_another", "prepend", "clear"}
    assert set(found((0, 0, "system"))) == own


PARAMETERS = {
    "model": "claude-opus-4-5",
    "max_tokens": 9,
    "thinking": {"type": "enabled", "budget_tokens": 2048},
    "metadata": {"user_id": "u" * 90},
}


def first_row_of(body):
    snapshot = open_bytes(json.dumps(body).encode()).snapshot()
    return {a.id: a for a in actions_of(snapshot, snapshot.rows[0])}


def test_model_and_parameters_are_set_one_by_one():
    actions = first_row_of(PARAMETERS | BODY)
    told = {
        name: (actions[f"set_{name}"].asks, actions[f"set_{name}"].start) for name in PARAMETERS
    }
    assert told == {
        "model": ("word", '"claude-opus-4-5"'),
        "max_tokens": ("word", "9"),
        "thinking": ("word", '{"type":"enabled","budget_tokens":2048}'),
        "metadata": ("json", json.dumps(PARAMETERS["metadata"], indent=2)),
    }


@pytest.mark.parametrize(
    ("action", "words", "wanted"),
    [
        ("set_model", "claude-sonnet-4-5", {"member": "model", "value": "claude-sonnet-4-5"}),
        ("set_model", '"claude-sonnet-4-5"', {"member": "model", "value": "claude-sonnet-4-5"}),
        ("set_max_tokens", " 1e3 ", {"member": "max_tokens", "value": 1e3}),
        ("set_max_tokens", "", {"member": "max_tokens"}),
        ("set_another", "top_k 5", {"member": "top_k", "value": 5}),
        ("set_another", "top_k=5", {"member": "top_k", "value": 5}),
        ("set_another", "top_k: 5", {"member": "top_k", "value": 5}),
        ("set_another", "stop_sequences [1, 2]", {"member": "stop_sequences", "value": [1, 2]}),
        ("set_another", "top_k", {"member": "top_k"}),
    ],
)
def test_what_is_typed_for_a_parameter(action, words, wanted):
    actions = first_row_of(PARAMETERS | BODY)
    assert made(actions[action], words) == {"op": "set_request"} | wanted


@pytest.mark.parametrize(
    ("action", "words", "why"),
    [
        ("set_max_tokens", "nine", "this is not JSON.*a text stands in quotes"),
        ("set_model", '"claude', "this is not JSON: the text ends inside a string\\.$"),
        ("set_another", " ", "needs a word"),
        ("set_another", "= 5", "needs a name"),
    ],
)
def test_what_is_no_value_of_a_parameter(action, words, why):
    with pytest.raises(EditError, match=why):
        first_row_of(PARAMETERS | BODY)[action].make(words)


ODD = {
    '"\\ud83d\\u001b"': '"\\ud83d\\u001b"',
    "NaN": "NaN",
    "1e99999": "1e99999",
    '{"a":1, "a":2}': '{"a":1,"a":2}',
    "[" * 3000 + "]" * 3000: None,
    '"' + "a" * 70_000 + '"': None,
}


@pytest.mark.parametrize("value", ODD, ids=range(len(ODD)))
def test_odd_values_of_parameters(value):
    messages = json.dumps(BODY["messages"])
    body = f'{{"model":"claude-opus-4-5","odd":{value},"messages":{messages}}}'
    snapshot = open_bytes(body.encode()).snapshot()
    actions = {a.id: a for a in actions_of(snapshot, snapshot.rows[0])}
    assert (actions["set_odd"].start if "set_odd" in actions else None) == ODD[value]
    assert "delete" in actions


def test_a_request_that_no_row_shows_is_changed_from_any_row():
    bare = {"model": "claude-opus-4-5", "messages": BODY["messages"]}
    actions = first_row_of(bare)
    assert {"set_system", "set_model", "set_another"} <= actions.keys()
    wanted = {"op": "set_request", "member": "system", "value": "be\nbrief"}
    assert made(actions["set_system"], "be\nbrief") == wanted
    tools = first_row_of(bare | {"tools": [{"name": "R", "input_schema": {}}]})
    assert "set_system" in tools
    chat = {"model": "gpt-5", "messages": [{"role": "user", "content": "go"}]}
    assert "set_model" in first_row_of(chat)
    assert "set_system" not in first_row_of(chat)
    array = open_bytes(json.dumps(BODY["messages"]).encode()).snapshot()
    assert not any(a.id.startswith("set_") for a in actions_of(array, array.rows[0]))


def test_a_mark_adds_ranges_and_moves():
    with_mark = found(DANGLING, PROMPT)
    assert set(with_mark) - set(found(DANGLING)) == {
        "delete_range",
        "move_block_before",
        "move_block_after",
        "move_message_before",
        "move_message_after",
    }
    assert made(with_mark["delete_range"]) == {
        "op": "delete_range",
        "first": "messages.0",
        "last": "messages.1.content.2",
    }
    assert made(with_mark["move_message_after"]) == {
        "op": "move",
        "at": "messages.0",
        "after": "messages.1",
    }
    assert with_mark["compact"].title == "compact messages.0 to messages.1 into one message"


@pytest.mark.parametrize(
    ("row", "action", "words", "operation"),
    [
        (RESULT, "is_error", "", {"op": "set", "at": "messages.2.content.0", "member": "is_error"}),
        (CALLED, "rename", "x", {"op": "rename", "at": "messages.1.content.1", "id": "x"}),
        (
            DANGLING,
            "id",
            " t9 ",
            {"op": "set", "at": "messages.1.content.2", "member": "id", "value": "t9"},
        ),
        (
            DANGLING,
            "answer",
            "no",
            {"op": "answer", "at": "messages.1.content.2", "text": "no", "is_error": False},
        ),
        (
            DANGLING,
            "answer",
            "interrupted: this call was not run",
            {"op": "answer", "at": "messages.1.content.2"},
        ),
        (
            TEXT,
            "role_user",
            "",
            {"op": "set", "at": "messages.1", "member": "role", "value": "user"},
        ),
        (CALLED, "delete", "", {"op": "delete", "at": ["messages.1.content.1"]}),
        (CALLED, "split", "", {"op": "split", "at": "messages.1.content.1"}),
        (RESULT, "merge", "", {"op": "merge", "at": "messages.2"}),
        (PROMPT, "cut", "", {"op": "cut", "after": "messages.0"}),
        (
            TEXT,
            "delete_rest",
            "",
            {"op": "delete_range", "first": "messages.1.content.0", "last": "messages.3"},
        ),
        (
            PROMPT,
            "insert_assistant_after",
            "hm",
            {"op": "insert", "role": "assistant", "content": "hm", "after": "messages.0"},
        ),
        (
            TEXT,
            "insert_block_before",
            '{ "type": "text", "text": "x" }',
            {
                "op": "insert_block",
                "block": {"type": "text", "text": "x"},
                "before": "messages.1.content.0",
            },
        ),
        (
            LAST,
            "compact",
            "all",
            {"op": "compact", "first": "messages.3", "last": "messages.3", "text": "all"},
        ),
        (PROMPT, "prepend", "facts", {"op": "prepend", "text": "facts"}),
        (PROMPT, "clear", "", {"op": "clear"}),
    ],
)
def test_the_operation_of_each(row, action, words, operation):
    assert made(found(row)[action], words) == operation


@pytest.mark.parametrize("row", [PROMPT, TEXT, CALLED, DANGLING, RESULT, LAST])
def test_what_is_offered_can_be_planned(row):
    typed = {"word": "w", "text": "words", "json": '{"type": "text", "text": "x"}'}
    for action in found(row, PROMPT if row != PROMPT else LAST).values():
        if action.asks == "edit":
            continue
        operation = action.make(typed.get(action.asks, ""))
        try:
            opened().plan(operation)
        except PairSplit as split:
            choices = pair_choices(operation, opened().snapshot(), split.places)
            assert choices
            for choice in choices:
                opened().plan(choice.operation)
        except EditError as error:
            # Whatever else does not fit says why.
            assert str(error).endswith(".")


def test_words_that_will_not_do():
    for action, words in (("rename", " "), ("insert_block_before", "{"), ("insert_user_after", "")):
        with pytest.raises(EditError):
            found(CALLED)[action].make(words)


def test_the_lists_of_single_keys():
    actions = tuple(found(DANGLING, PROMPT).values())
    assert {a.id for a in part_of(actions, "move")} == {
        f"move_{what}_{side}" for what in ("block", "message") for side in ("before", "after")
    }
    assert {a.id for a in part_of(actions, "compact")} == {
        "cut",
        "compact",
        "clear",
        "delete_rest",
    }
    assert part_of(actions, "") == actions


@pytest.mark.parametrize(
    ("row", "mark", "operation"),
    [
        (TEXT, None, {"op": "delete", "at": ["messages.1.content.0"]}),
        ((1, 0, "turn"), None, {"op": "delete_turn", "turn": 1}),
        (
            TEXT,
            PROMPT,
            {"op": "delete_range", "first": "messages.0", "last": "messages.1.content.0"},
        ),
    ],
)
def test_what_d_takes_away(row, mark, operation):
    snapshot = opened().snapshot()
    mark = row_at(snapshot, *mark) if mark else None
    found = deletion_of(snapshot, row_at(snapshot, *row), mark)
    assert json.loads(operation_json(found)) == operation


def test_nothing_to_delete_on_system():
    snapshot = opened().snapshot()
    assert deletion_of(snapshot, row_at(snapshot, 0, kind="system")) is None


@pytest.mark.parametrize(
    ("row", "keys"),
    [(CALLED, ["b", "k"]), (RESULT, ["b", "k", "a"])],
)
def test_what_may_become_of_the_other_end(row, keys):
    session = opened()
    operation = deletion_of(session.snapshot(), row_at(session.snapshot(), *row))
    with pytest.raises(PairSplit) as split:
        session.plan(operation)
    choices = pair_choices(operation, session.snapshot(), split.value.places)
    assert [choice.key for choice in choices] == keys
    for choice in choices:
        session.plan(choice.operation)


def test_a_sub_agents_rows_are_edited_on_its_tape():
    from tapeview.open_session import OpenSession

    lines = (
        user("u1", None, "go"),
        reply("a1", "u1", "m1", "call:t1"),
        user("s1", None, "task", isSidechain=True),
        reply("s2", "s1", "m2", "done", isSidechain=True),
    )
    snapshot = OpenSession(session(*lines)).snapshot("main")
    agent = next((t.id for t in snapshot.session.tapes if t.kind == "agent"), "")
    if agent:
        snapshot = OpenSession(session(*lines)).snapshot(agent)
        assert deletion_of(snapshot, row_at(snapshot, 0)).tape == agent
