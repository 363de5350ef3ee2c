"""The request body of a call: cut out of the file where it stands there, else put together."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.open_session import OpenSession
from tapeview.tape.json_text import loads
from tapeview.wire.request import request_of, sent_before
from tests.formats.claude import reply, session, system, user
from tests.formats.samples import SAMPLES, name_of, opened


def request(source, turn=None):
    open_session = opened(source) if isinstance(source, bytes) else source
    snapshot = OpenSession(open_session).snapshot()
    at = None if turn is None else snapshot.turn(turn)
    messages = sent_before(snapshot.index, snapshot.tape.sent, at)
    return request_of(open_session, snapshot.tape, messages)


BODY = b"""{
  "model": "claude-x", "max_tokens": 5,
  "messages": [
    {"role": "user",  "content": "one \\u00e9"},
    {"role": "assistant", "content": [{"type":"text","text":"two"}]},
    {"role": "user", "content": "three"},
    {"content": "four", "role": "assistant"}
  ],
  "temperature": 1.0e0
}
"""


def test_a_body_comes_back_byte_for_byte():
    body, absent = request(BODY)
    assert body == BODY
    assert absent == ()


@pytest.mark.parametrize(
    "turn, last",
    [(1, b'"content": "one \\u00e9"}'), (2, b'"content": "three"}')],
)
def test_a_body_is_cut_at_the_call_and_nothing_else_changes(turn, last):
    body, absent = request(BODY, turn)
    head = BODY[: BODY.index(last) + len(last)]
    assert body == head + BODY[BODY.index(b"\n  ],") :]
    assert absent == ()
    assert len(json.loads(body)["messages"]) == 2 * turn - 1


def test_a_call_before_the_first_message_sends_none():
    raw = b'{"model":"claude-x","max_tokens":1,"messages":[ {"role":"assistant","content":"a"} ]}'
    assert request(raw, 1).body == b'{"model":"claude-x","max_tokens":1,"messages":[  ]}'


def test_a_byte_order_mark_is_no_part_of_the_body():
    assert request(b"\xef\xbb\xbf" + BODY).body == BODY
    assert request(b"\xef\xbb\xbf" + BODY, 1).body == request(BODY, 1).body


def test_messages_without_blocks_are_sent_too():
    raw = (
        b'[{"role":"user","content":"a"},{"role":"user","content":[]},'
        b'{"role":"assistant","content":"b"}]'
    )
    assert json.loads(request(raw, 1).body)["messages"] == json.loads(raw)[:2]


@pytest.mark.parametrize(
    "raw, absent",
    [
        (b'[{"role":"user","content":"a"}]', ("model", "max_tokens", "system", "tools")),
        (b'{"messages":[{"role":"user","content":"a"}]}', ("model", "max_tokens")),
        (b'{"model":"claude-x","messages":[{"role":"user","content":"a"}]}', ("max_tokens",)),
        (b'{"model":"gpt-5.5","messages":[{"role":"user","content":"a"}]}', ()),
        (b'[{"role":"developer","content":"a"}]', ("model", "tools")),
        (
            b'{"role":"user","content":"a"}\n{"role":"assistant","content":"b"}',
            ("model", "max_tokens", "system", "tools"),
        ),
    ],
    ids=["array", "messages alone", "no max_tokens", "chat body", "chat array", "lines"],
)
def test_what_the_file_does_not_have_is_named(raw, absent):
    assert request(raw).absent == absent


def test_a_bare_array_becomes_a_body():
    raw = b'[ {"role":"user","content":"a"} ,\n{"role":"assistant","content":"b"}]\n'
    assert request(raw).body == b'{"messages":' + raw.strip() + b"}"
    assert request(raw, 1).body == b'{"messages":[ {"role":"user","content":"a"}]}'


def test_lines_are_put_into_an_array_as_they_are():
    raw = b'{"role": "user",  "content": "a"}\n\n{"role":"assistant","content":1e2}\n'
    assert request(raw).body == (
        b'{"messages":[{"role": "user",  "content": "a"},{"role":"assistant","content":1e2}]}'
    )


def test_a_damaged_body_keeps_what_is_whole():
    raw = BODY[: BODY.index(b'    {"content": "four"')]
    assert json.loads(request(raw).body) == {
        "model": "claude-x",
        "max_tokens": 5,
        "messages": json.loads(BODY)["messages"][:3],
    }
    raw = BODY.replace(b'"temperature": 1.0e0', b'"system": "s", "tools": [], "x": oops')
    assert json.loads(request(raw).body) == {
        "model": "claude-x",
        "max_tokens": 5,
        "system": "s",
        "tools": [],
        "messages": json.loads(BODY)["messages"],
    }


def messages_of(source, turn=None):
    body, absent = request(source, turn)
    assert absent == ("max_tokens", "system", "tools")
    decoded = json.loads(body)
    assert decoded["model"] == "demo"
    return decoded["messages"]


ASK = user("u1", None, "ask")


def test_a_session_says_what_it_does_not_store():
    assert request(session(ASK)).absent == ("model", "max_tokens", "system", "tools")
    assert request(session(ASK, reply("a1", "u1", "m1", "ok"))).absent[0] == "max_tokens"


def test_the_lines_of_a_reply_become_one_message():
    found = messages_of(
        session(
            user("u1", None, "ask", "more"),
            reply("a1", "u1", "m1", "one"),
            reply("a2", "a1", "m1", "call:t"),
            user("u2", "a2", "result:t"),
            reply("b1", "u2", "m2", "done"),
        )
    )
    assert [(message["role"], len(message["content"])) for message in found] == [
        ("user", 2),
        ("assistant", 2),
        ("user", 1),
        ("assistant", 1),
    ]
    assert set(found[1]) == {"role", "content"}


def test_a_lone_string_stays_a_string():
    assert messages_of(session(ASK, reply("a1", "u1", "m1", "ok")))[0]["content"] == "ask"


def test_texts_of_two_user_lines_meet_with_a_line_break():
    found = messages_of(session(ASK, user("u2", "u1", "more"), reply("a1", "u2", "m1", "ok")))
    assert found[0]["content"] == [
        {"type": "text", "text": "ask\n"},
        {"type": "text", "text": "more"},
    ]


def test_blocks_of_one_line_meet_without_a_line_break():
    lines = user("u1", None, "one", "two"), reply("a1", "u1", "m1", "ok")
    assert [block["text"] for block in messages_of(session(*lines))[0]["content"]] == ["one", "two"]


def test_results_come_first_and_texts_behind_them_meet():
    found = messages_of(
        session(
            ASK,
            reply("a1", "u1", "m1", "call:t"),
            user("u2", "a1", "before"),
            user("u3", "u2", "result:t"),
            user("u4", "u3", "behind"),
            reply("a2", "u4", "m2", "ok"),
        )
    )
    content = found[2]["content"]
    assert [block["type"] for block in content] == ["tool_result", "text", "text"]
    assert [block.get("text") for block in content] == [None, "before\n", "behind"]


def test_a_text_without_text_is_joined_as_it_is():
    odd = user("u2", "u1", "x", "y")
    odd["message"]["content"] = [{"type": "text"}, {"type": "text", "text": None}]
    found = messages_of(session(ASK, odd, user("u3", "u2", "z"), reply("a1", "u3", "m1", "ok")))
    assert found[0]["content"][1:] == [
        {"type": "text"},
        {"type": "text", "text": None},
        {"type": "text", "text": "z"},
    ]


def test_every_block_keeps_its_own_bytes():
    raw = (
        b'{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s",'
        b'"message":{"role":"user",'
        b'"content":[{"text" :"\\u00e9 \\ud83d", "type":"text", "n":1.50}]}}'
    )
    assert b'[{"text" :"\\u00e9 \\ud83d", "type":"text", "n":1.50}]' in request(raw + b"\n").body


KILLED = (
    ASK,
    reply("a1", "u1", "m1", "call:t"),
    user("u2", "a1", "stop"),
    reply("a2", "u2", "m2", "ok"),
)


def test_a_killed_call_was_sent_what_stood_before_it():
    killed = session(*KILLED)
    assert [message["content"] for message in messages_of(killed, 1)] == ["ask"]
    assert [len(message["content"]) for message in messages_of(killed, 2)] == [2]


def test_what_resume_adds_was_not_sent_before():
    cut = session(ASK, reply("a1", "u1", "m1", "call:t"), user("u2", "a1", "result:t"))
    assert len(messages_of(cut)) == 4
    pending = session(
        ASK,
        reply("a1", "u1", "m1", "call:t"),
        user("u2", "a1", "result:t"),
        reply("a2", "u2", "m2", "call:x"),
    )
    assert messages_of(pending)[2]["content"][-1]["text"] == "Continue from where you left off."
    assert [block["type"] for block in messages_of(pending, 2)[2]["content"]] == ["tool_result"]
    assert len(messages_of(pending, 2)) == 3


def test_results_that_the_harness_makes_up_were_sent():
    found = messages_of(
        session(
            ASK,
            reply("a1", "u1", "m1", "call:t", "call:x"),
            user("u2", "a1", "result:t"),
            reply("a2", "u2", "m2", "ok"),
        ),
        2,
    )
    assert [block["tool_use_id"] for block in found[2]["content"]] == ["t", "x"]
    assert found[2]["content"][1]["is_error"] is True


def test_a_local_command_is_the_users_text():
    found = messages_of(
        session(
            ASK,
            reply("a1", "u1", "m1", "ok"),
            system("s1", "a1", "local_command", content="<command-name>/x</command-name>"),
            user("u2", "s1", "go on"),
            reply("a2", "u2", "m2", "ok"),
        )
    )
    assert [block["text"] for block in found[2]["content"]] == [
        "<command-name>/x</command-name>\n",
        "go on",
    ]


def test_before_the_first_prompt_nothing_was_sent():
    assert messages_of(session(reply("a1", None, "m1", "hi"), user("u2", "a1", "x")), 1) == []


@pytest.mark.parametrize("path", SAMPLES, ids=name_of)
def test_every_call_of_every_sample_is_json_and_longer_than_the_one_before(path):
    open_session = opened(path.read_bytes())
    snapshot = OpenSession(open_session).snapshot()
    sizes = []
    for turn in (*snapshot.index.turns, None):
        body = request(open_session, turn.number if turn else None).body
        decoded = loads(body)
        sizes.append(len(decoded["messages"]))
        for message in decoded["messages"]:
            assert "role" in message
            assert "content" in message or "tool_calls" in message or "function_call" in message
    assert sizes == sorted(sizes)


contents = st.one_of(
    st.text(),
    st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": st.text(min_size=1)})),
)
bodies = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "content": contents}),
    min_size=1,
)


@given(bodies, st.sampled_from([None, 0, 2]), st.booleans())
def test_what_is_sent_is_what_was_stored(messages, indent, bare):
    body = messages if bare else {"model": "claude-x", "max_tokens": 1, "messages": messages}
    raw = json.dumps(body, indent=indent).encode()
    assert json.loads(request(raw).body)["messages"] == messages
    for turn in OpenSession(opened(raw)).snapshot().index.turns:
        cut = json.loads(request(raw, turn.number).body)["messages"]
        assert cut == messages[: turn.start]
