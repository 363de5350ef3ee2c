"""Chat requests as the Messages API has them: what is kept, and what is named as lost."""

import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.errors import OpenError
from tapeview.tape.json_text import JsonFault
from tapeview.wire.convert import to_anthropic
from tests.formats.samples import SAMPLES
from tests.helpers import session_of, snapshot_of

SHARED = Path(os.environ.get("TAPEVIEW_SHARED", "nowhere"))
BODIES = [*SAMPLES, *sorted(SHARED.glob("tapes/*.json")), *sorted(SHARED.glob("corpus/openai/*"))]


def is_chat(path):
    try:
        return session_of(path.read_bytes()).dialect == "openai-chat"
    except OpenError:
        return False


CHAT = [path for path in BODIES if is_chat(path)]


def errors(body):
    return [f.rule.code for f in snapshot_of(body).findings if f.severity == "error"]


def converted(messages, **members):
    body = members | {"messages": messages}
    made = to_anthropic(json.dumps(body).encode())
    return json.loads(made.body), made.lost


def as_request(raw):
    """The converted body under a model of the Messages API, by which the format is told."""
    return json.loads(raw) | {"model": "claude-x"}


def call(identity, name="ls", arguments="{}", **more):
    return {"id": identity, "function": {"name": name, "arguments": arguments}, **more}


def calls(*all_calls, **more):
    return {"role": "assistant", "content": None, "tool_calls": list(all_calls)} | more


def answer(identity, content="ok"):
    return {"role": "tool", "tool_call_id": identity, "content": content}


ASK = {"role": "user", "content": "go"}


@pytest.mark.parametrize("path", CHAT, ids=lambda path: path.name)
def test_a_sound_tape_stays_sound_and_a_broken_one_broken(path):
    raw = path.read_bytes()
    made = as_request(to_anthropic(raw).body)
    was = [code for code in errors(raw) if code in ("OC001", "OC002", "OC009")]
    assert bool(errors(made)) == bool(was)


def test_a_request_with_all_that_has_a_counterpart():
    schema = {"type": "object", "properties": {"p": {"type": "string"}}, "required": ["p"]}
    body, lost = converted(
        [
            {"role": "system", "content": "Be brief."},
            {"role": "developer", "content": [{"type": "text", "text": "Use tools."}]},
            ASK,
            calls(call("c1", "ls", '{"p": 1.50, "a": "\u00e9"}'), call("c2"), content="I look."),
            answer("c2", "two"),
            answer("c1", [{"type": "text", "text": "one"}]),
            {"role": "assistant", "content": "Done."},
        ],
        model="m",
        max_completion_tokens=9,
        temperature=0.5,
        top_p=0.9,
        stop="END",
        stream=True,
        user="u1",
        parallel_tool_calls=False,
        tool_choice="required",
        tools=[
            {
                "type": "function",
                "function": {
                    "name": "ls",
                    "description": "list",
                    "parameters": schema,
                    "strict": True,
                },
            }
        ],
    )
    assert lost == ()
    assert body == {
        "model": "m",
        "max_tokens": 9,
        "temperature": 0.5,
        "top_p": 0.9,
        "stream": True,
        "stop_sequences": ["END"],
        "metadata": {"user_id": "u1"},
        "system": [text("Be brief."), text("Use tools.")],
        "tools": [{"name": "ls", "description": "list", "input_schema": schema, "strict": True}],
        "tool_choice": {"type": "any", "disable_parallel_tool_use": True},
        "messages": [
            {"role": "user", "content": [text("go")]},
            {
                "role": "assistant",
                "content": [
                    text("I look."),
                    use("c1", "ls", {"p": 1.5, "a": "\u00e9"}),
                    use("c2", "ls", {}),
                ],
            },
            {"role": "user", "content": [result("c2", "two"), result("c1", [text("one")])]},
            {"role": "assistant", "content": [text("Done.")]},
        ],
    }


def text(words):
    return {"type": "text", "text": words}


def use(identity, name, given):
    return {"type": "tool_use", "id": identity, "name": name, "input": given}


def result(identity, content):
    return {"type": "tool_result", "tool_use_id": identity, "content": content}


def test_numbers_escapes_and_halves_of_pairs_keep_their_bytes():
    raw = (
        rb'{"messages":[{"role":"user","content":"\u00e9 \ud83d \/"},'
        rb'{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":'
        rb'"{\"n\": 1.50, \"big\": 123456789012345678901234567890, \"s\": \"\ud83d\"}"}}]}]}'
    )
    made = to_anthropic(raw)
    assert rb'"text":"\u00e9 \ud83d \/"' in made.body
    assert (
        rb'"input":{"n": 1.50, "big": 123456789012345678901234567890, "s": "\ud83d"}' in made.body
    )
    assert made.lost == ()


@pytest.mark.parametrize(
    "arguments, given, word",
    [
        ('{"p": "."', {"arguments": '{"p": "."'}, "no JSON"),
        ("", {}, "without arguments"),
        ("  ", {}, "without arguments"),
        (None, {}, "without arguments"),
        ("[1, 2]", {"arguments": [1, 2]}, "no object"),
        ("null", {"arguments": None}, "no object"),
        ('"text"', {"arguments": "text"}, "no object"),
        ('{"a": NaN}', {"arguments": '{"a": NaN}'}, "no JSON"),
        ({"p": 1}, {"p": 1}, ""),
        ([1], {"arguments": [1]}, "no object"),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}, ""),
        (' {"a": 1} ', {"a": 1}, ""),
        ("{" * 3000, {"arguments": "{" * 3000}, "no JSON"),
    ],
)
def test_arguments_become_an_object(arguments, given, word):
    body, lost = converted([ASK, calls(call("c", arguments=arguments)), answer("c")])
    assert body["messages"][1]["content"] == [use("c", "ls", given)]
    assert [word in sentence for sentence in lost] == ([True] if word else [])
    assert all("messages.1.tool_calls.0" in sentence for sentence in lost)


@pytest.mark.parametrize(
    "part, block",
    [
        (
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"},
            },
        ),
        (
            {"type": "image_url", "image_url": {"url": "https://example.test/x.png"}},
            {"type": "image", "source": {"type": "url", "url": "https://example.test/x.png"}},
        ),
        (
            {
                "type": "file",
                "file": {"file_data": "data:application/pdf;base64,AAAA", "filename": "a.pdf"},
            },
            {
                "type": "document",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"},
                "title": "a.pdf",
            },
        ),
        (
            {"type": "text", "text": "see", "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": "see", "cache_control": {"type": "ephemeral"}},
        ),
        ({"type": "thinking", "thinking": "t", "signature": "s"}, None),
    ],
)
def test_parts_that_have_a_counterpart(part, block):
    body, lost = converted([{"role": "user", "content": [part]}])
    assert body["messages"] == [{"role": "user", "content": [block or part]}]
    assert lost == ()


LOST = [
    ({"role": "user", "content": "hi", "name": "anna"}, "`name` of a message is left out"),
    ({"role": "assistant", "content": "x", "refusal": "no"}, "a refusal becomes a text"),
    ({"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}, "a refusal becomes"),
    ({"role": "assistant", "content": "x", "audio": {"id": "a"}}, "`audio` of a message"),
    ({"role": "assistant", "content": "x", "reasoning_content": "hm"}, "reasoning is left out"),
    (
        {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "AA"}}]},
        "an input_audio is left out",
    ),
    (
        {"role": "user", "content": [{"type": "file", "file": {"file_id": "f"}}]},
        "a file that is no PDF inside of the request",
    ),
    (
        {
            "role": "user",
            "content": [
                {"type": "image_url", "image_url": {"url": "https://x.test", "detail": "low"}}
            ],
        },
        "the detail that an image",
    ),
    (
        {
            "role": "user",
            "content": [{"type": "image_url", "image_url": {"url": "data:image/svg+xml,<svg/>"}}],
        },
        "an image that is not written as base64",
    ),
    ({"role": "user", "content": [{"type": "image_url"}]}, "an image without an address"),
    ({"role": "user", "content": " \n"}, "a text without a word is left out"),
    ({"role": "user", "content": []}, "a message without content is left out"),
    ({"role": "system", "content": "now"}, "an instruction between messages becomes a user's text"),
    ({"role": "ipython", "content": "1"}, "the role ipython becomes user"),
    (
        {
            "role": "assistant",
            "content": [{"type": "image_url", "image_url": {"url": "https://x"}}],
        },
        "an image in such a message is left out",
    ),
    (calls({"id": "c", "custom": {"name": "sh", "input": "ls"}}), "the text that a tool is given"),
    (calls(call("a.b:0")), "an id that cannot be kept gets a new one"),
    (calls(call("")), "a call without an id gets a new one"),
    (calls(call("c", "x" * 201)), "a name that the API refuses is changed"),
    (calls(call("c", "")), "a name that the API refuses is changed"),
    (
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        "a call without an id gets a new one",
    ),
    ({"role": "function", "name": "f", "content": "late"}, "a result that answers no call becomes"),
]


@pytest.mark.parametrize("message, sentence", LOST)
def test_what_has_no_counterpart_is_named_with_its_place(message, sentence):
    _, lost = converted([ASK, ASK, message])
    assert any(s.startswith(sentence) and "messages.2" in s for s in lost), lost


def test_the_same_loss_in_many_places_is_one_sentence():
    _, lost = converted([{"role": "user", "content": "x", "name": "n"}] * 6)
    assert lost == (
        "`name` of a message is left out: messages.0, messages.1, messages.2 and 3 more",
    )


FUNCTION = {"name": "f", "parameters": {"type": "object", "properties": {}}}
MADE = {"name": "f", "input_schema": {"type": "object", "properties": {}}}


@pytest.mark.parametrize(
    "members, expected, word",
    [
        ({"max_tokens": 5}, {"max_tokens": 5}, ""),
        ({"temperature": 1.5}, {"temperature": 1}, "temperature above 1"),
        ({"stop": ["a", " "]}, {"stop_sequences": ["a"]}, "stop sequence"),
        ({"functions": [FUNCTION]}, {"tools": [MADE]}, ""),
        ({"functions": [{"name": "f"}]}, {"tools": [MADE]}, ""),
        (
            {"tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}]},
            {"tools": [{"name": "f", "input_schema": {"type": "object"}}]},
            "",
        ),
        ({"tools": [{"type": "web_search"}]}, {}, "a tool of type web_search"),
        ({"tool_choice": "auto"}, {}, "without tools"),
        ({"response_format": {"type": "json_object"}}, {}, "`response_format` is left out"),
        ({"seed": 7, "n": None}, {}, "`seed` is left out"),
    ],
)
def test_members_beside_the_messages(members, expected, word):
    body, lost = converted([ASK], **members)
    body.pop("messages")
    assert body == expected
    assert [word in sentence for sentence in lost] == ([True] if word else [])


@pytest.mark.parametrize(
    "members, choice",
    [
        ({"tool_choice": "none"}, {"type": "none"}),
        ({"tool_choice": "auto"}, {"type": "auto"}),
        ({"tool_choice": "none", "parallel_tool_calls": False}, {"type": "none"}),
        ({"parallel_tool_calls": False}, {"type": "auto", "disable_parallel_tool_use": True}),
        ({"parallel_tool_calls": True}, None),
        (
            {"tool_choice": {"type": "function", "function": {"name": "f"}}},
            {"type": "tool", "name": "f"},
        ),
        ({"function_call": {"name": "f"}}, {"type": "tool", "name": "f"}),
    ],
)
def test_which_tool_is_to_be_called(members, choice):
    body, lost = converted([ASK], functions=[FUNCTION], **members)
    assert body.get("tool_choice") == choice
    assert lost == ()


def test_a_tool_that_takes_a_text():
    tool = {"type": "custom", "custom": {"name": "sh", "description": "run", "format": {}}}
    body, lost = converted(
        [ASK, calls({"id": "c", "type": "custom", "custom": {"name": "sh", "input": "ls"}})],
        tools=[tool],
    )
    assert body["tools"][0]["input_schema"]["required"] == ["input"]
    assert body["messages"][1]["content"] == [use("c", "sh", {"input": "ls"})]
    assert len(lost) == 3


@pytest.mark.parametrize(
    "messages",
    [
        [calls(call("x")), answer("x"), calls(call("x")), answer("x"), ASK],
        [calls(call("x"), call("x")), answer("x"), ASK],
        [calls(call("x"), call("x")), answer("x")],
        [calls(call("")), answer(""), ASK],
        [calls({"function": {"name": "f", "arguments": "{}"}}), ASK],
        [{"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}}, ASK],
        [
            {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}},
            ASK,
            {"role": "function", "name": "f", "content": "late"},
        ],
        [{"role": "function", "name": "f", "content": "orphan"}, ASK],
        [calls(call("a", content="")), answer("a", ""), ASK],
        [calls(call("a")), answer("a", []), {"role": "system", "content": "s"}, ASK],
    ],
)
def test_what_chat_does_not_look_at_is_mended(messages):
    raw = json.dumps([ASK, *messages]).encode()
    assert errors(raw) == []
    made = to_anthropic(raw)
    assert errors(as_request(made.body)) == []
    uses = re.findall(r'"tool_use","id":"([^"]+)"', made.body.decode())
    assert len(uses) == len(set(uses))


@pytest.mark.parametrize("raw", [b"{", b'{"messages":[{"role":}]}', b"[1,"])
def test_what_is_no_json_is_refused(raw):
    with pytest.raises(JsonFault):
        to_anthropic(raw)


@pytest.mark.parametrize("raw", [b"{}", b"[]", b'{"messages":7}', b'[7,"x",null,[]]'])
def test_odd_bodies_have_no_messages(raw):
    assert json.loads(to_anthropic(raw).body) == {"messages": []}


# -- for all tapes -----------------------------------------------------------------------------

WORDS = st.sampled_from(
    ["", " ", "hi", "two\nlines", "\u00e9 \U0001f600", '"q" \\', "\ud83d", "\x1b["]
)
ARGUMENTS = st.sampled_from(
    ["{}", '{"n": 1.50}', '{"a": {"b": [1]}}', "", "[1]", "{bad", '{"s":"\ud83d"}']
)
NAMES = st.sampled_from(["ls", "read", "a_b-c"])
IDS = st.sampled_from(["c1", "c2", "c3", "c1", "a.b:0", ""])


@st.composite
def chat_tapes(draw):
    """Tapes that Chat takes: each run of calls is answered directly behind it, in any order."""
    messages = []
    for _ in range(draw(st.integers(1, 8))):
        kind = draw(st.sampled_from(["user", "reply", "calls", "legacy", "system", "loose"]))
        if kind in ("user", "system"):
            messages.append({"role": kind, "content": draw(WORDS)})
        elif kind == "reply":
            messages.append({"role": "assistant", "content": draw(WORDS)})
        elif kind == "calls":
            made = [
                call(draw(IDS), draw(NAMES), draw(ARGUMENTS))
                for _ in range(draw(st.integers(1, 3)))
            ]
            messages.append(calls(*made, content=draw(st.none() | WORDS)))
            answered = draw(st.permutations(list(dict.fromkeys(c["id"] for c in made))))
            messages += [answer(identity, draw(WORDS)) for identity in answered]
        else:
            name = draw(NAMES)
            asked = {"name": name, "arguments": draw(ARGUMENTS)}
            messages.append({"role": "assistant", "content": None, "function_call": asked})
            if kind == "legacy":
                messages.append({"role": "function", "name": name, "content": draw(WORDS)})
    return [*messages, ASK]


def spoken(messages):
    """All texts with a word in them, in order."""
    return [
        block["text"]
        for message in messages
        for block in message["content"]
        if block["type"] == "text"
    ]


@given(chat_tapes())
def test_what_is_said_called_and_answered_is_kept_in_order(messages):
    raw = json.dumps(messages).encode()
    assert errors(raw) == []
    made = to_anthropic(raw)
    body = as_request(made.body)
    assert errors(body) == []
    texts = [
        m["content"]
        for m in messages
        if m["role"] in ("user", "system", "assistant") and (m["content"] or "").strip()
    ]
    assert spoken([{"content": body.get("system", [])}, *body["messages"]]) == texts
    asked = [
        (c.get("id", ""), c["function"]["name"], c["function"]["arguments"])
        for m in messages
        for c in (*m.get("tool_calls", ()), *as_calls(m))
    ]
    uses = blocks(body, "tool_use")
    assert [u["name"] for u in uses] == [name for _, name, _ in asked]
    seen = set()
    for one, (identity, _, arguments) in zip(uses, asked, strict=True):
        assert one["input"] == expected_input(arguments)
        if identity in ("c1", "c2", "c3") and identity not in seen:
            assert one["id"] == identity
        seen.add(identity)
    kept = [r for r in blocks(body, "tool_result") if not r.get("is_error")]
    assert [r["content"] for r in kept] == [
        m["content"] for m in messages if m["role"] in ("tool", "function")
    ]
    changed = len(kept) < len(blocks(body, "tool_result"))
    assert any("interrupted" in sentence for sentence in made.lost) == changed
    ids = [identity for identity, _, _ in asked]
    assert any("gets a new one" in s for s in made.lost) == ([u["id"] for u in uses] != ids)
    blank = any(is_blank(message) for message in messages)
    assert any("without a word" in s for s in made.lost) == blank


def is_blank(message):
    """Whether it has a text without a word; beside calls that says no more than none."""
    beside = "tool_calls" in message or message["role"] in ("tool", "function")
    return not beside and message["content"] is not None and not message["content"].strip()


def as_calls(message):
    legacy = message.get("function_call")
    return [{"function": legacy}] if legacy else []


def blocks(body, kind):
    return [b for m in body["messages"] for b in m["content"] if b["type"] == kind]


def expected_input(arguments):
    if not arguments:
        return {}
    try:
        value = json.loads(arguments)
    except ValueError:
        return {"arguments": arguments}
    return value if isinstance(value, dict) else {"arguments": value}
