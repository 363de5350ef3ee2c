"""What a model answered, kept: at the end, in the place of a reply, or beside it as a branch."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw

from tapeview.edit import operations as ops
from tapeview.edit.operations import operation_json, operations_from
from tapeview.errors import EditError, PairSplit
from tests.edit.generated import session_file
from tests.edit.model import answered, expected, sides, tape_of
from tests.edit.operations import PAIRS, raw, replies
from tests.edit.test_properties import SEEDS, assert_undone_and_done_again, said, written
from tests.formats.samples import SAMPLES, name_of
from tests.helpers import open_bytes

LOOK = {"type": "tool_use", "id": "toolu_2", "name": "Read", "input": {"path": "b", "n": 1.50}}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
WORDS = {"type": "text", "text": "I look."}
ODD = {"type": "a_new_kind", "x": [None]}
NEW = {
    "id": "msg_9",
    "type": "message",
    "role": "assistant",
    "model": "claude-new",
    "content": [THOUGHT, WORDS, LOOK, ODD],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 3, "output_tokens": 4},
}
ASK = {"role": "user", "content": "go"}
CALL = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "t", "name": "ls", "input": {}}],
}
ANSWER = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "a"}]}
BYE = {"role": "assistant", "content": "bye"}
BODY = json.dumps({"model": "claude-x", "messages": [ASK, CALL, ANSWER, BYE]}, indent=1).encode()
LOG = b"\n".join(
    json.dumps(m).encode()
    for m in [ASK, {"id": "msg_1", "model": "claude-x", "usage": {"input_tokens": 1}} | BYE]
)


def after(file, *operations):
    opened = open_bytes(file)
    for operation in operations:
        opened.apply(operation)
    return opened


def blocks_of(opened, tape="main"):
    found = next(t for t in opened.session.tapes if t.id == tape)
    return [
        (role, [json.loads(b) for b in blocks]) for role, blocks in tape_of(opened.session, found)
    ]


def test_a_reply_is_appended_to_a_body_without_what_a_request_has_no_place_for():
    opened = after(BODY, ops.AppendReply(message=raw(NEW)))
    messages = json.loads(written(opened))["messages"]
    assert messages == [ASK, CALL, ANSWER, BYE, {"role": "assistant", "content": NEW["content"]}]
    assert written(opened).startswith(BODY[: BODY.rindex(b"bye")])


SERVED = [
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}},
    {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
]


@pytest.mark.parametrize("content", [[LOOK | {"id": "t"}, LOOK], [LOOK, *SERVED]])
def test_a_reply_that_comes_again_calls_under_new_ids(content):
    """Else the API would refuse the tape: an id may be used once."""
    once = {"role": "assistant", "content": SERVED}
    body = json.dumps({"model": "claude-x", "messages": [ASK, CALL, ANSWER, once, ASK]}).encode()
    opened = after(body, ops.AppendReply(message=raw(NEW | {"content": content})))
    last = json.loads(written(opened))["messages"][-1]["content"]
    ids = [block.get("id") or block["tool_use_id"] for block in last]
    assert ids[content.index(LOOK)] == "toolu_2"
    assert not {"t", "srvtoolu_1"} & set(ids)
    assert len(set(ids)) == 2
    plain = [{k: v for k, v in block.items() if not k.endswith("id")} for block in last]
    assert plain == [{k: v for k, v in b.items() if not k.endswith("id")} for b in content]
    assert opened.log.done[-1].edit.label == "append a reply under new call ids"
    assert {f.rule.code for f in opened.snapshot().findings} == {"TU001"}
    assert written(after(body, opened.log.done[-1].operation)) == written(opened)


def test_a_log_of_replies_keeps_what_its_replies_have():
    opened = after(LOG, ops.AppendReply(message=raw(NEW)))
    last = json.loads(written(opened).splitlines()[-1])
    assert last == {name: NEW[name] for name in ("role", "content", "id", "model", "usage")}


def test_a_lone_text_is_spelled_as_a_string():
    opened = after(BODY, ops.AppendReply(message=raw({"content": [WORDS]})))
    assert json.loads(written(opened))["messages"][-1]["content"] == "I look."


def test_results_go_with_the_calls_that_they_answer_when_that_is_said():
    replace = {"turn": 1, "message": raw(NEW)}
    with pytest.raises(PairSplit) as caught:
        after(BODY, ops.ReplaceReply(**replace))
    assert caught.value.places == ("messages.2.content.0",)
    opened = after(BODY, ops.ReplaceReply(**replace, pairs="both"))
    assert [role for role, _ in blocks_of(opened)] == ["user", "assistant", "assistant"]
    opened = after(BODY, ops.ReplaceReply(**replace, pairs="keep"))
    assert [role for role, _ in blocks_of(opened)] == ["user", "assistant", "user", "assistant"]


def test_results_stay_where_the_new_reply_calls_under_the_same_id():
    again = {"content": [THOUGHT, {**LOOK, "id": "t"}]}
    opened = after(BODY, ops.ReplaceReply(turn=1, message=raw(again)))
    messages = json.loads(written(opened))["messages"]
    assert messages == [ASK, {"role": "assistant", **again}, ANSWER, BYE]
    assert [link.state for link in opened.snapshot().index.links] == ["answered"]


def test_the_last_reply_and_the_first_are_replaced():
    opened = after(BODY, ops.ReplaceReply(turn=2, message=raw({"content": "new"})))
    assert json.loads(written(opened))["messages"][3]["content"] == "new"
    alone = json.dumps([BYE]).encode()
    opened = after(alone, ops.ReplaceReply(turn=1, message=raw({"content": "new"})))
    assert json.loads(written(opened)) == [{"role": "assistant", "content": "new"}]


CHAT = json.dumps(
    [
        ASK,
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "t", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "t", "content": "a"},
    ]
).encode()


def test_chat_takes_a_reply_in_its_own_spelling_without_the_thinking():
    opened = after(CHAT, ops.AppendReply(message=raw({**NEW, "content": [THOUGHT, WORDS, LOOK]})))
    assert json.loads(written(opened))[3] == {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [
            {
                "id": "toolu_2",
                "type": "function",
                "function": {"name": "Read", "arguments": '{"path":"b","n":1.5}'},
            }
        ],
    }
    assert blocks_of(opened)[-1] == ("assistant", [WORDS, LOOK])
    with pytest.raises(EditError, match="thinking alone"):
        after(CHAT, ops.AppendReply(message=raw({"content": [THOUGHT]})))


@pytest.mark.parametrize("file", [BODY, CHAT, LOG], ids=["body", "chat", "lines"])
def test_a_file_of_one_line_says_what_to_do_instead_of_a_branch(file):
    with pytest.raises(EditError, match=r"keep the branch as a request in a file of its own\.$"):
        after(file, ops.Branch(turn=1, message=raw(NEW)))


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (b"{", "not JSON"),
        (b"[]", "a reply is a message"),
        (b'{"role":"user","content":"x"}', "a reply is a message"),
        (b'{"role":"assistant"}', "a reply is a message"),
        (b'{"content":[]}', "a text, or a list of blocks"),
        (b'{"content":[7]}', "a text, or a list of blocks"),
        (b'{"content":null}', "a text, or a list of blocks"),
    ],
)
def test_what_is_no_reply_is_refused(message, words):
    with pytest.raises(EditError, match=words):
        after(BODY, ops.AppendReply(message=Raw(message)))


@pytest.mark.parametrize("turn", [0, 3, -1])
def test_a_turn_that_is_not_there_is_said(turn):
    for kind in (ops.ReplaceReply, ops.Branch):
        with pytest.raises(EditError, match=f"there is no turn {turn} on this tape"):
            after(BODY, kind(turn=turn, message=raw(NEW)))


@pytest.mark.parametrize("path", SAMPLES, ids=name_of)
@settings(max_examples=15)
@given(data=st.data())
def test_a_reply_is_read_back_from_every_sample_as_it_was_given(path, data):
    file = path.read_bytes()
    opened = open_bytes(file)
    message = data.draw(replies())
    turn = data.draw(st.sampled_from([t.number for t in opened.snapshot().index.turns]))
    operation = data.draw(
        st.sampled_from(
            [
                ops.AppendReply(message=message),
                ops.ReplaceReply(turn=turn, message=message, pairs="keep"),
            ]
        )
    )
    before, index = tape_of(opened.session), opened.snapshot().index
    try:
        opened.apply(operation)
    except EditError as error:
        assert opened.session.dialect == "openai-chat"
        assert "thinking" in str(error)
        return
    wanted = expected(operation, before, index)
    if opened.session.dialect == "openai-chat":
        thought = [block for block in answered(operation) if '"thinking"' in block]
        wanted = [(role, [b for b in blocks if b not in thought]) for role, blocks in wanted]
        wanted = [(role, sorted(blocks, key=is_call)) for role, blocks in wanted]
    assert sides(tape_of(opened.session)) == sides(wanted)
    assert said(open_bytes(written(opened)).session) == said(opened.session)
    assert_undone_and_done_again(opened, file)


def is_call(block):
    return '"tool_use"' in block


@settings(max_examples=150)
@given(seed=SEEDS, message=replies(), data=st.data())
def test_a_branch_leaves_all_lines_as_they_are_and_is_one_more(seed, message, data):
    file = session_file(seed)
    opened = open_bytes(file)
    tapes = [tape.id for tape in opened.session.tapes]
    tape = data.draw(st.sampled_from(tapes))
    snapshot = opened.snapshot(tape)
    number = data.draw(st.sampled_from([t.number for t in snapshot.index.turns] or [1]))
    operation = ops.Branch(turn=number, message=message, tape=tape)
    before = {t.id: tape_of(opened.session, t) for t in opened.session.tapes}
    try:
        opened.apply(operation)
    except EditError:
        assert written(opened) == file
        return
    turn = snapshot.index.turns[number - snapshot.index.first_turn]
    now = {t.id: tape_of(opened.session, t) for t in opened.session.tapes}
    ((name, branch),) = [(name, now[name]) for name in now if name not in before]
    assert name == f"branch:{sum(t.startswith('branch') for t in before) + 1}"
    assert branch == [*before[tape][: turn.start], ("assistant", answered(operation))]
    assert before == {t: now[t] for t in before}
    assert all(record.text is None or record.start < 0 for record in opened.session.records)
    assert said(open_bytes(written(opened)).session) == said(opened.session)
    (again,) = operations_from(b"[" + operation_json(operation) + b"]")
    twice = after(file, again)
    assert written(twice) == written(opened)
    assert_undone_and_done_again(opened, file)


@settings(max_examples=60)
@given(seed=SEEDS, messages=st.lists(replies(), min_size=2, max_size=4), data=st.data())
def test_branches_of_one_call_stand_side_by_side_and_go_on_alone(seed, messages, data):
    file = session_file(seed, strange=False)
    opened = open_bytes(file)
    main = tape_of(opened.session)
    numbers = [turn.number for turn in opened.snapshot().index.turns]
    if not numbers:
        return
    number = data.draw(st.sampled_from(numbers))
    for message in messages:
        opened.apply(ops.Branch(turn=number, message=message))
    count = len(messages)
    names = [f"branch:{k}" for k in range(1, count + 1)]
    assert [t.id for t in opened.session.tapes if t.kind == "branch"] == names
    name = data.draw(st.sampled_from(names))
    lengths = {t.id: len(t.messages) for t in opened.session.tapes}
    opened.apply(ops.Insert(role="user", content=raw("go on"), tape=name))
    opened.apply(ops.AppendReply(message=messages[0], tape=name))
    opened.apply(ops.ReplaceReply(turn=number, message=messages[1], tape=name, pairs="both"))
    assert tape_of(opened.session) == main
    assert {t.id: len(t.messages) for t in opened.session.tapes} == lengths | {
        name: lengths[name] + 2
    }
    assert said(open_bytes(written(opened)).session) == said(opened.session)
    assert_undone_and_done_again(opened, file)


@settings(max_examples=100)
@given(seed=SEEDS, message=replies(), pairs=PAIRS, data=st.data())
def test_replacing_leaves_the_other_tapes_as_they_are(seed, message, pairs, data):
    file = session_file(seed)
    opened = open_bytes(file)
    numbers = [turn.number for turn in opened.snapshot().index.turns]
    operation = ops.ReplaceReply(
        turn=data.draw(st.sampled_from(numbers or [1])), message=message, pairs=pairs
    )
    try:
        opened.apply(operation)
    except EditError:
        assert written(opened) == file
        return
    stored = [block for _, blocks in tape_of(opened.session) for block in blocks]
    assert all(block in stored for block in answered(operation))
    assert said(open_bytes(written(opened)).session) == said(opened.session)
    assert_undone_and_done_again(opened, file)
