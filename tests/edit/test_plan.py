"""What each operation does: a tape before, the operation as JSON, the tape after, to the byte.

Each case is run in every way a writer may spell the same array: what comes out has to be what that
writer would have written.
"""

import json

import pytest

from tapeview.edit import operations as ops
from tapeview.edit.operations import operations_from
from tapeview.errors import EditError, PairSplit
from tests.helpers import open_bytes

STYLES = {
    "compact": {"separators": (",", ":")},
    "python": {},
    "by 2": {"indent": 2},
    "by tab": {"indent": "\t"},
}
CASES = [("body", style) for style in STYLES] + [("array", "compact"), ("array", "by 2")]
CASES += [("lines", "compact"), ("lines", "python")]


def written(container, style, messages):
    spelled = STYLES[style]
    if container == "lines":
        return "".join(json.dumps(message, **spelled) + "\n" for message in messages).encode()
    value = {"model": "claude-x", "system": "be", "messages": messages, "max_tokens": 9}
    return json.dumps(value if container == "body" else messages, **spelled).encode()


def edited(raw, *operations):
    opened = open_bytes(raw)
    for operation in operations_from(json.dumps(operations).encode()):
        opened.apply(operation)
    saved = b"".join(opened.session.written(opened.session, 0))
    while opened.undo():
        pass
    assert b"".join(opened.session.written(opened.session, 0)) == raw
    return saved


def user(*content):
    return {"role": "user", "content": content[0] if isinstance(content[0], str) else list(content)}


def reply(*content):
    return {"role": "assistant", "content": list(content)}


def text(words):
    return {"type": "text", "text": words}


def call(identity, **members):
    return {"type": "tool_use", "id": identity, "name": "Read", "input": {"n": 1}} | members


def result(identity, content="ok", **members):
    return {"type": "tool_result", "tool_use_id": identity, "content": content} | members


INTERRUPTED = "interrupted: this call was not run"
ASK, BYE = user("ask"), user("bye")
CALLS = reply(text("I look"), call("a"), call("b"))
BOTH = user(result("a"), result("b"), text("and?"))
END = reply(text("done"))
TAPE = [ASK, CALLS, BOTH, END]
SOLO = [ASK, reply(call("a")), user(result("a")), BYE]
OPEN = [ASK, reply(call("a"), call("b")), user(result("b")), END]

OPERATIONS = [
    ("a text", TAPE, {"op": "set", "at": "messages.1.content.0", "member": "text", "value": "I see"},
     [ASK, reply(text("I see"), call("a"), call("b")), BOTH, END]),
    ("a string", TAPE, {"op": "set", "at": "messages.0", "member": "text", "value": "tell"},
     [user("tell"), CALLS, BOTH, END]),
    ("an input", TAPE, {"op": "set", "at": "messages.1.content.1", "member": "input", "value": {"p": [1, {}]}},
     [ASK, reply(text("I look"), call("a", input={"p": [1, {}]}), call("b")), BOTH, END]),
    ("a result's content", SOLO, {"op": "set", "at": "messages.2.content.0", "member": "content", "value": [text("x")]},
     [ASK, SOLO[1], user(result("a", [text("x")])), BYE]),
    ("is_error", SOLO, {"op": "set", "at": "messages.2.content.0", "member": "is_error", "value": True},
     [ASK, SOLO[1], user(result("a", is_error=True)), BYE]),
    ("one id", SOLO, {"op": "set", "at": "messages.2.content.0", "member": "id", "value": "z"},
     [ASK, SOLO[1], user(result("z")), BYE]),
    ("a name", SOLO, {"op": "set", "at": "messages.1.content.0", "member": "name", "value": "Write"},
     [ASK, reply(call("a", name="Write")), SOLO[2], BYE]),
    ("a role", SOLO, {"op": "set", "at": "messages.3", "member": "role", "value": "assistant"},
     [*SOLO[:3], {"role": "assistant", "content": "bye"}]),
    ("a member away", [user(text("x") | {"cache_control": {"type": "ephemeral"}})],
     {"op": "set", "at": "messages.0.content.0", "member": "cache_control"}, [user(text("x"))]),
    ("a whole block", SOLO, {"op": "set", "at": "messages.2.content.0", "member": "", "value": text("no")},
     [ASK, SOLO[1], user(text("no")), BYE]),
    ("delete a block", TAPE, {"op": "delete", "at": ["messages.2.content.2"]},
     [ASK, CALLS, user(result("a"), result("b")), END]),
    ("delete the last block of a message", TAPE, {"op": "delete", "at": ["messages.3.content.0"]}, TAPE[:3]),
    ("delete a message", SOLO, {"op": "delete", "at": ["messages.3"]}, SOLO[:3]),
    ("delete a pair", TAPE, {"op": "delete", "at": ["messages.1.content.1", "messages.2.content.0"]},
     [ASK, reply(text("I look"), call("b")), user(result("b"), text("and?")), END]),
    ("delete one end: both", TAPE, {"op": "delete", "at": ["messages.2.content.0"], "pairs": "both"},
     [ASK, reply(text("I look"), call("b")), user(result("b"), text("and?")), END]),
    ("delete one end: keep", TAPE, {"op": "delete", "at": ["messages.2.content.0"], "pairs": "keep"},
     [ASK, CALLS, user(result("b"), text("and?")), END]),
    ("delete one end: answer", TAPE, {"op": "delete", "at": ["messages.2.content.0"], "pairs": "answer"},
     [ASK, CALLS, user(result("a", INTERRUPTED, is_error=True), result("b"), text("and?")), END]),
    ("delete a message of results: answer", SOLO, {"op": "delete", "at": ["messages.2"], "pairs": "answer"},
     [ASK, SOLO[1], user(result("a", INTERRUPTED, is_error=True)), BYE]),
    ("delete a call: answer takes the result", SOLO, {"op": "delete", "at": ["messages.1"], "pairs": "answer"},
     [ASK, BYE]),
    ("delete a turn", TAPE, {"op": "delete_turn", "turn": 1}, [ASK, user(text("and?")), END]),
    ("delete a turn whole", SOLO, {"op": "delete_turn", "turn": 1}, [ASK, BYE]),
    ("delete a range", TAPE, {"op": "delete_range", "first": "messages.1", "last": "messages.2.content.1"},
     [ASK, user(text("and?")), END]),
    ("insert before", SOLO, {"op": "insert", "role": "user", "content": "new", "before": "messages.0"},
     [user("new"), *SOLO]),
    ("insert behind, blocks", SOLO,
     {"op": "insert", "role": "assistant", "content": [text("x"), call("c")], "after": "messages.3"},
     [*SOLO, reply(text("x"), call("c"))]),
    ("insert at the end", SOLO, {"op": "insert", "role": "system", "content": "hear"},
     [*SOLO, {"role": "system", "content": "hear"}]),
    ("insert a block before", TAPE, {"op": "insert_block", "block": text("x"), "before": "messages.1.content.1"},
     [ASK, reply(text("I look"), text("x"), call("a"), call("b")), BOTH, END]),
    ("insert a block into a string", SOLO, {"op": "insert_block", "block": text("x"), "after": "messages.3"},
     [*SOLO[:3], user(text("bye"), text("x"))]),
    ("duplicate a block", TAPE, {"op": "duplicate", "at": "messages.2.content.2"},
     [ASK, CALLS, user(*BOTH["content"], text("and?")), END]),
    ("duplicate a message", SOLO, {"op": "duplicate", "at": "messages.3"}, [*SOLO, BYE]),
    ("move a message", SOLO, {"op": "move", "at": "messages.3", "before": "messages.0"}, [BYE, *SOLO[:3]]),
    ("move a block", TAPE, {"op": "move", "at": "messages.2.content.2", "before": "messages.3.content.0"},
     [ASK, CALLS, user(result("a"), result("b")), reply(text("and?"), text("done"))]),
    ("move a block in its message", TAPE, {"op": "move", "at": "messages.1.content.1", "after": "messages.1.content.2"},
     [ASK, reply(text("I look"), call("b"), call("a")), BOTH, END]),
    ("move a block to its message's end", TAPE, {"op": "move", "at": "messages.1.content.0", "after": "messages.1"},
     [ASK, reply(call("a"), call("b"), text("I look")), BOTH, END]),
    ("move a call and its result", SOLO,
     {"op": "move", "at": "messages.1", "after": "messages.3", "pairs": "both"}, [ASK, BYE, SOLO[1], SOLO[2]]),
    ("split", TAPE, {"op": "split", "at": "messages.1.content.2"},
     [ASK, reply(text("I look"), call("a")), reply(call("b")), BOTH, END]),
    ("merge", [*SOLO[:3], user("x"), BYE], {"op": "merge", "at": "messages.3"},
     [*SOLO[:3], user(text("x"), text("bye"))]),
    ("answer, no results yet", SOLO[:2], {"op": "answer", "at": "messages.1.content.0", "text": "no"},
     [*SOLO[:2], user(result("a", "no", is_error=True))]),
    ("answer, where the call stands", OPEN, {"op": "answer", "at": "messages.1.content.0", "is_error": False},
     [*OPEN[:2], user(result("a", INTERRUPTED), result("b")), END]),
    ("answer, before a prompt", [*SOLO[:2], BYE], {"op": "answer", "at": "messages.1.content.0", "text": "no"},
     [*SOLO[:2], user(result("a", "no", is_error=True), text("bye"))]),
    ("rename", SOLO, {"op": "rename", "at": "messages.2.content.0", "id": "z"},
     [ASK, reply(call("z")), user(result("z")), BYE]),
    ("cut", SOLO, {"op": "cut", "after": "messages.2"}, SOLO[:3]),
    ("cut inside a message", TAPE, {"op": "cut", "after": "messages.2.content.1"},
     [ASK, CALLS, user(result("a"), result("b"))]),
    ("cut through a pair: both", TAPE, {"op": "cut", "after": "messages.2.content.0", "pairs": "both"},
     [ASK, reply(text("I look"), call("a")), user(result("a"))]),
    ("cut through a pair: answer", TAPE, {"op": "cut", "after": "messages.2.content.0", "pairs": "answer"},
     [ASK, CALLS, user(result("a"), result("b", INTERRUPTED, is_error=True))]),
    ("prepend", SOLO, {"op": "prepend", "text": "facts"}, [user("facts"), *SOLO]),
    ("prepend behind the system", [{"role": "system", "content": "s"}, ASK, reply(call("a"))],
     {"op": "prepend", "text": "f"}, [{"role": "system", "content": "s"}, user("f"), ASK, reply(call("a"))]),
    ("compact", SOLO, {"op": "compact", "first": "messages.0", "last": "messages.2", "text": "sum"},
     [user("sum"), BYE]),
    ("compact a half pair: answer", TAPE,
     {"op": "compact", "first": "messages.2", "last": "messages.3", "text": "sum", "pairs": "answer"},
     [ASK, CALLS, user(result("a", INTERRUPTED, is_error=True), result("b", INTERRUPTED, is_error=True)), user("sum")]),
    ("compact one of two results: both", [ASK, reply(call("a"), call("b")), user(result("a")), user(result("b"))],
     {"op": "compact", "first": "messages.2", "last": "messages.2", "text": "sum", "pairs": "both"},
     [ASK, reply(call("b")), user(result("b")), user("sum")]),
]  # fmt: skip


@pytest.mark.parametrize(("container", "style"), CASES)
@pytest.mark.parametrize(
    ("before", "operation", "after"), [c[1:] for c in OPERATIONS], ids=[c[0] for c in OPERATIONS]
)
def test_an_operation(container, style, before, operation, after):
    assert edited(written(container, style, before), operation) == written(container, style, after)


@pytest.mark.parametrize("style", STYLES)
def test_clear_keeps_what_stands_beside_the_messages(style):
    saved = edited(written("body", style, SOLO), {"op": "clear"})
    value = json.loads(saved)
    assert value == {"model": "claude-x", "system": "be", "messages": [], "max_tokens": 9}


def chat(*messages):
    return json.dumps({"model": "gpt-x", "messages": messages}).encode()


def tool(identity, content="ok"):
    return {"role": "tool", "tool_call_id": identity, "content": content}


def asks(*identities, content=None, **members):
    calls = [
        {"id": k, "type": "function", "function": {"name": "Read", "arguments": '{"n":1}'}}
        for k in identities
    ]
    return {"role": "assistant", "content": content, "tool_calls": calls} | members


CHAT = [
    ("arguments", [ASK, asks("a"), tool("a")],
     {"op": "set", "at": "messages.1.tool_calls.0", "member": "input", "value": {"n": [1.5, "e"]}},
     [ASK, asks("a") | {"tool_calls": [asks("a")["tool_calls"][0] | {"function": {"name": "Read", "arguments": '{"n":[1.5,"e"]}'}}]}, tool("a")]),
    ("a result", [ASK, asks("a"), tool("a")],
     {"op": "set", "at": "messages.2", "member": "content", "value": "no"}, [ASK, asks("a"), tool("a", "no")]),
    ("a string", [ASK], {"op": "set", "at": "messages.0", "member": "text", "value": "x"}, [user("x")]),
    ("rename", [ASK, asks("a"), tool("a")], {"op": "rename", "at": "messages.1.tool_calls.0", "id": "z"},
     [ASK, asks("z"), tool("z")]),
    ("delete a call, both", [ASK, asks("a", "b"), tool("a"), tool("b")],
     {"op": "delete", "at": ["messages.1.tool_calls.0"], "pairs": "both"}, [ASK, asks("b"), tool("b")]),
    ("delete the only call", [ASK, asks("a", content="x"), tool("a")],
     {"op": "delete", "at": ["messages.1.tool_calls.0"], "pairs": "both"}, [ASK, {"role": "assistant", "content": "x"}]),
    ("delete the text beside a call", [ASK, asks("a", content="x"), tool("a")],
     {"op": "delete", "at": ["messages.1.content.0"]}, [ASK, asks("a"), tool("a")]),
    ("delete a result, answer", [ASK, asks("a"), tool("a")],
     {"op": "delete", "at": ["messages.2"], "pairs": "answer"}, [ASK, asks("a"), tool("a", INTERRUPTED)]),
    ("answer, behind the run", [ASK, asks("a", "b"), tool("a"), BYE],
     {"op": "answer", "at": "messages.1.tool_calls.1", "text": "no"}, [ASK, asks("a", "b"), tool("a"), tool("b", "no"), BYE]),
    ("answer, in the order of calls", [ASK, asks("a", "b"), tool("b"), BYE],
     {"op": "answer", "at": "messages.1.tool_calls.0", "text": "no"}, [ASK, asks("a", "b"), tool("a", "no"), tool("b"), BYE]),
    ("insert blocks: results are messages", [ASK, asks("a")],
     {"op": "insert", "role": "user", "content": [result("a", "x"), text("and?")]}, [ASK, asks("a"), tool("a", "x"), user("and?")]),
    ("a text before a call goes behind the content", [ASK, asks("a", content=[text("x")]), tool("a")],
     {"op": "insert_block", "block": text("y"), "before": "messages.1.tool_calls.0"},
     [ASK, asks("a", content=[text("x"), text("y")]), tool("a")]),
    ("a call before a text is the first call", [ASK, asks("a", content="x"), tool("a")],
     {"op": "insert_block", "block": {"type": "tool_use", "id": "c", "name": "Read", "input": {"n": 1}}, "before": "messages.1.content.0"},
     [ASK, asks("c", "a", content="x"), tool("a")]),
    ("compact one of two results", [ASK, asks("a", "b"), tool("a"), tool("b"), BYE],
     {"op": "compact", "first": "messages.2", "last": "messages.2", "text": "sum", "pairs": "both"},
     [ASK, asks("b"), tool("b"), user("sum"), BYE]),
    ("reasoning comes first", [ASK, {"role": "assistant", "reasoning_content": "hm", "content": [text("x")]}],
     {"op": "set", "at": "messages.1.content.0", "member": "text", "value": "y"},
     [ASK, {"role": "assistant", "reasoning_content": "hm", "content": [text("y")]}]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "operation", "after"), [c[1:] for c in CHAT], ids=[c[0] for c in CHAT]
)
def test_an_operation_on_chat_messages(before, operation, after):
    saved = edited(chat(*before), operation)
    assert json.loads(saved) == json.loads(chat(*after))


PARTS = [
    ({"op": "delete", "at": ["messages.1.content.1"]}, ("messages.2.content.0",)),
    ({"op": "delete", "at": ["messages.2"]}, ("messages.1.content.1", "messages.1.content.2")),
    ({"op": "delete_turn", "turn": 1}, None),
    ({"op": "delete_range", "first": "messages.0", "last": "messages.1"}, ("messages.2.content.0", "messages.2.content.1")),
    ({"op": "cut", "after": "messages.2.content.0"}, ("messages.1.content.2",)),
    ({"op": "cut", "after": "messages.1"}, ("messages.1.content.1", "messages.1.content.2")),
    ({"op": "compact", "first": "messages.0", "last": "messages.1", "text": "s"}, ("messages.2.content.0", "messages.2.content.1")),
    ({"op": "move", "at": "messages.1", "before": "messages.0"}, ("messages.2.content.0", "messages.2.content.1")),
    ({"op": "move", "at": "messages.2", "after": "messages.3"}, None),
    ({"op": "move", "at": "messages.0", "after": "messages.1"}, ("messages.1.content.1", "messages.2.content.0", "messages.1.content.2", "messages.2.content.1")),
    ({"op": "move", "at": "messages.3", "before": "messages.2"}, None),
    ({"op": "move", "at": "messages.2.content.2", "before": "messages.2.content.0"}, ("messages.1.content.1", "messages.2.content.0", "messages.1.content.2", "messages.2.content.1")),
    ({"op": "move", "at": "messages.2.content.0", "after": "messages.3.content.0"}, ("messages.1.content.1",)),
    ({"op": "move", "at": "messages.1.content.1", "after": "messages.3.content.0"}, ("messages.2.content.0",)),
    ({"op": "split", "at": "messages.1.content.2"}, None),
]  # fmt: skip


@pytest.mark.parametrize(("operation", "places"), PARTS)
def test_a_pair_is_not_parted_unasked(operation, places):
    opened = open_bytes(written("body", "compact", TAPE))
    (asked,) = operations_from(json.dumps([operation]).encode())
    if places is None:
        opened.apply(asked)
        return
    with pytest.raises(PairSplit) as caught:
        opened.apply(asked)
    assert caught.value.places == places
    assert not opened.log.entries
    (kept,) = operations_from(json.dumps([operation | {"pairs": "keep"}]).encode())
    opened.apply(kept)


CHAT_PARTS = [
    ({"op": "move", "at": "messages.4", "after": "messages.1"}, True),
    ({"op": "move", "at": "messages.4", "after": "messages.2"}, True),
    ({"op": "move", "at": "messages.3", "before": "messages.2"}, False),
    ({"op": "split", "at": "messages.1.tool_calls.1"}, True),
]


@pytest.mark.parametrize(("operation", "parts"), CHAT_PARTS)
def test_chat_wants_each_result_right_behind_its_call(operation, parts):
    opened = open_bytes(chat(ASK, asks("a", "b"), tool("a"), tool("b"), BYE))
    (asked,) = operations_from(json.dumps([operation]).encode())
    if parts:
        with pytest.raises(PairSplit):
            opened.apply(asked)
    else:
        opened.apply(asked)


REFUSED = [
    ({"op": "set", "at": "messages.9", "member": "text", "value": "x"}, "the tape has 4 messages"),
    ({"op": "set", "at": "messages.1", "member": "text", "value": "x"}, "name one of its blocks"),
    ({"op": "set", "at": "messages.1.content.9", "member": "text", "value": "x"}, "no such block"),
    ({"op": "set", "at": "tools.1", "member": "text", "value": "x"}, "is no place"),
    ({"op": "set", "at": "records.9", "member": "text", "value": "x"}, "the file has 4 records"),
    ({"op": "set", "at": "messages.0", "member": "text", "value": 1}, "a text is a JSON string"),
    ({"op": "set", "at": "messages.0", "member": "text", "value": "ask"}, "changes nothing"),
    ({"op": "set", "at": "messages.0", "member": "role", "value": "robot"}, "a role is"),
    ({"op": "set", "at": "messages.1.content.0", "member": ""}, "needs another one"),
    ({"op": "set_request", "member": "messages", "value": []}, "one by one"),
    ({"op": "set_request", "member": "model", "value": 1}, "a name in quotes"),
    ({"op": "delete", "at": []}, "changes nothing"),
    ({"op": "delete_turn", "turn": 7}, "no turn 7"),
    ({"op": "delete_range", "first": "messages.2", "last": "messages.1"}, "above its beginning"),
    ({"op": "insert", "role": "user", "content": []}, "a list of blocks"),
    ({"op": "insert", "role": "user", "content": {"type": "text"}}, "a list of blocks"),
    ({"op": "insert", "role": "user", "content": "x", "before": "messages.0", "after": "messages.1"}, "not both"),
    ({"op": "insert", "role": "user", "content": "x", "after": "messages.1.content.0"}, "is no message"),
    ({"op": "insert_block", "block": text("x")}, "name it"),
    ({"op": "insert_block", "block": "x", "after": "messages.0"}, "a JSON object"),
    ({"op": "move", "at": "messages.0", "after": "messages.0"}, "to itself"),
    ({"op": "move", "at": "messages.0", "after": "messages.1.content.0"}, "another message"),
    ({"op": "split", "at": "messages.1.content.0"}, "second block"),
    ({"op": "split", "at": "messages.1"}, "at a block"),
    ({"op": "merge", "at": "messages.0"}, "not of one role"),
    ({"op": "merge", "at": "messages.3"}, "no next message"),
    ({"op": "answer", "at": "messages.1.content.1"}, "answered already"),
    ({"op": "answer", "at": "messages.1.content.0"}, "no call"),
    ({"op": "rename", "at": "messages.1.content.1", "id": "b"}, "used on this tape"),
    ({"op": "rename", "at": "messages.1.content.0", "id": "z"}, "no call and no result"),
    ({"op": "cut", "after": "messages.3"}, "changes nothing"),
    ({"op": "compact", "first": "messages.1.content.0", "last": "messages.2", "text": "x"}, "whole messages"),
    ({"op": "fold", "agent": "x"}, "no sub-agent x"),
]  # fmt: skip


@pytest.mark.parametrize(("operation", "words"), REFUSED)
def test_what_does_not_fit_is_refused_in_one_sentence(operation, words):
    raw = written("body", "compact", TAPE)
    opened = open_bytes(raw)
    (asked,) = operations_from(json.dumps([operation]).encode())
    with pytest.raises(EditError, match=words) as caught:
        opened.apply(asked)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)
    assert b"".join(opened.session.written(opened.session, 0)) == raw


def test_a_damaged_body_keeps_what_stands_beside_its_messages():
    raw = written("body", "compact", SOLO)[:-20]
    with pytest.raises(EditError, match="damaged"):
        edited(raw, {"op": "set_request", "member": "system", "value": "x"})


def test_numbers_and_escapes_stay_as_they_were_typed():
    script = b'[{"op":"set","at":"messages.1.content.0","member":"input","value":{"n":1.50,"e":1e400,"s":"\\ud83d\\u00e9"}}]'
    opened = open_bytes(written("body", "compact", [ASK, reply(call("a"))]))
    opened.apply(*operations_from(script))
    saved = b"".join(opened.session.written(opened.session, 0))
    assert b'"input":{"n":1.50,"e":1e400,"s":"\\ud83d\\u00e9"}' in saved


def test_a_value_of_several_lines_stays_on_its_line():
    script = (
        b'[{"op":"set","at":"messages.1.content.0","member":"input","value":{\n  "n": [\n 2 ]\n}}]'
    )
    opened = open_bytes(written("lines", "compact", [ASK, reply(call("a"))]))
    opened.apply(*operations_from(script))
    saved = b"".join(opened.session.written(opened.session, 0))
    assert saved == written("lines", "compact", [ASK, reply(call("a", input={"n": [2]}))])


def test_clear_keeps_the_system_messages_that_a_chat_begins_with():
    body = b'[{"role":"system","content":"s"},{"role":"user","content":"u"}]'
    opened = open_bytes(body)
    opened.apply(ops.Clear())
    assert b"".join(opened.session.written(opened.session, 0)) == (
        b'[{"role":"system","content":"s"}]'
    )


def test_delete_takes_one_place_or_several():
    one, several = operations_from(
        b'[{"op":"delete","at":"messages.1"},{"op":"delete","at":["messages.0","messages.1"]}]'
    )
    assert (one.at, several.at) == ("messages.1", ("messages.0", "messages.1"))
