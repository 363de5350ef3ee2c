"""Requests in the order in which they came: what each one is, and what of it is new."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from tapeview.wire.correlate import Correlator
from tapeview.wire.recording import line_of

LONG = "Find every place that reads the clock, and say which of them are wrong."
SUMMARY = "<summary>The clock is read in three places; two of them are wrong.</summary>"
SESSION = {"x-claude-code-session-id": "s1"}
TOOLS = [{"name": "Bash", "input_schema": {"type": "object"}}]


def user(text):
    return {"role": "user", "content": text}


def told(text, **more):
    return {"role": "user", "content": [{"type": "text", "text": text, **more}]}


def reply(text):
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}


def call(name, **given):
    block = {"type": "tool_use", "id": name, "name": "Bash", "input": given or {"command": name}}
    return {"role": "assistant", "content": [block]}


def result(name, text="ok", **more):
    block = {"type": "tool_result", "tool_use_id": name, "content": text, **more}
    return {"role": "user", "content": [block]}


THINKS = {"role": "assistant", "content": [
    {"type": "thinking", "thinking": "hm", "signature": "s"}, *call("c1")["content"]]}  # fmt: skip

ASK, ONE, TWO = user("ask"), call("c1"), call("c2")
MARK = {"cache_control": {"type": "ephemeral"}}
CUT = object()
"""An answer that ended too early."""
LIVE = object()
"""One that has not ended."""


class Case:
    """Requests as (messages, answer, members): an answer is a message, or why there is none."""

    def __init__(self, *calls, kinds, of=None, parents=None, keep=None, headers=SESSION):
        self.calls = calls
        self.kinds = kinds
        self.of = of
        self.parents = parents
        self.keep = keep
        self.headers = headers


CASES = {
    "going on": Case(
        ([ASK], ONE), ([ASK, ONE, result("c1")], reply("done")),
        kinds="new continue", parents=[None, "1"], keep=[0, 1]),
    "going on, the mark of the cache moves and a string becomes a list": Case(
        ([told("ask", **MARK)], ONE), ([ASK, ONE, result("c1", **MARK)], TWO),
        ([ASK, ONE, result("c1", is_error=False), TWO, result("c2", **MARK)], LIVE),
        kinds="new continue continue", keep=[0, 0, 2]),
    "going on without the thinking": Case(
        ([ASK], THINKS), ([ASK, ONE, result("c1")], LIVE), kinds="new continue"),
    "going on, neighbouring messages put together": Case(
        ([ASK, user("more")], ONE),
        ([{"role": "user", "content": [*told("ask")["content"], *told("more")["content"]]}, ONE,
          result("c1")], LIVE),
        kinds="new continue"),
    "going on with an answer that was trimmed": Case(
        ([ASK], reply("done \n")), ([ASK, reply("done"), user("next")], LIVE),
        kinds="new continue"),
    "sent again after a failure": Case(
        ([ASK], CUT), ([ASK], ONE), ([ASK, ONE, result("c1")], LIVE),
        kinds="new retry continue", of=[None, "1", None], parents=[None, "1", "2"],
        keep=[0, 1, 1]),
    "sent again while the first still runs": Case(
        ([ASK], LIVE), ([ASK], LIVE), kinds="new retry", of=[None, "1"]),
    "asked again after an answer": Case(
        ([ASK], ONE), ([ASK], TWO), kinds="new resample", of=[None, "1"]),
    "interrupted, part of the answer kept": Case(
        ([ASK], CUT), ([ASK, reply("I wi"), user("stop")], LIVE), kinds="new continue"),
    "interrupted, nothing of the answer kept": Case(
        ([ASK], CUT), ([ASK, user("stop")], LIVE), kinds="new continue"),
    "rewound": Case(
        ([ASK], ONE), ([ASK, ONE, result("c1")], reply("done")),
        ([ASK, ONE, result("c1"), reply("done"), user("go on")], LIVE),
        ([ASK, ONE, result("c1"), reply("done"), user("no, stop")], LIVE),
        kinds="new continue continue fork", parents=[None, "1", "2", "2"], keep=[0, 1, 3, 3]),
    "an answer taken back": Case(
        ([ASK], ONE), ([ASK, user("and more")], LIVE), kinds="new fork"),
    "changed past: a result": Case(
        ([ASK], ONE), ([ASK, ONE, result("c1")], TWO),
        ([ASK, ONE, result("c1", "cleared"), TWO, result("c2")], LIVE),
        kinds="new continue mutated", of=[None, None, 2], parents=[None, "1", "2"]),
    "changed past: the first prompt": Case(
        ([ASK], ONE), ([ASK, ONE, result("c1")], TWO),
        ([user("ask!"), ONE, result("c1"), TWO, result("c2")], LIVE),
        kinds="new continue mutated", of=[None, None, 0]),
    "changed past: a message left out": Case(
        ([ASK, user("b")], ONE), ([ASK, user("b"), ONE, result("c1")], TWO),
        ([ASK, ONE, result("c1"), TWO, result("c2")], LIVE),
        kinds="new continue mutated", of=[None, None, 1]),
    "changed past: the last answer": Case(
        ([ASK], reply("yes")), ([ASK, reply("no"), user("why?")], LIVE),
        kinds="new mutated", of=[None, 1]),
    "a changed past goes on": Case(
        ([ASK], ONE), ([ASK, ONE, result("c1", "x")], TWO),
        ([ASK, ONE, result("c1", "y"), TWO, result("c2")], reply("done")),
        ([ASK, ONE, result("c1", "y"), TWO, result("c2"), reply("done"), user("next")], LIVE),
        kinds="new continue mutated continue", parents=[None, "1", "2", "3"]),
    "compacted by the client": Case(
        ([ASK], ONE), ([ASK, ONE, result("c1"), user("Summarise.")], reply(SUMMARY)),
        ([user("So far: The clock is read in three places; two of them are wrong. Go on.")], LIVE),
        kinds="new continue compacted", of=[None, None, "2"], parents=[None, "1", None]),
    "compacted, the summary not seen": Case(
        ([ASK], ONE), ([user("This session is being continued from another one.")], LIVE),
        kinds="new compacted", of=[None, "1"]),
    "a sub-agent": Case(
        ([ASK], call("c1", prompt=LONG)), ([user(LONG)], reply("two"), {"tools": []}),
        ([ASK, call("c1", prompt=LONG), result("c1", "two")], LIVE),
        kinds="new subagent continue", of=[None, "c1", None], parents=[None, None, "1"]),
    "a title, in a session that is named": Case(
        ([user("a title, please")], reply("Clock"), {"tools": []}), ([ASK], ONE),
        kinds="side new"),
    "a question aside, where a conversation with tools runs": Case(
        ([ASK], ONE), ([user("a title, please")], LIVE, {"tools": []}),
        kinds="new side", headers={"user-agent": "pi"}),
    "a plain conversation without tools": Case(
        ([ASK], reply("yes"), {"tools": []}), ([ASK, reply("yes"), user("b")], LIVE, {"tools": []}),
        kinds="new continue", headers={"user-agent": "script"}),
    "the same first prompt, once the first tape moved on": Case(
        ([ASK], ONE), ([ASK, ONE, result("c1")], LIVE), ([ASK], TWO),
        kinds="new continue new", headers={"user-agent": "script"}),
    "another conversation that begins with the same reminder": Case(
        ([user("<system-reminder>day</system-reminder>"), ASK], ONE),
        ([user("<system-reminder>day</system-reminder>"), user("other")], LIVE),
        kinds="new new"),
    "nothing to send": Case(([], LIVE), ([], LIVE), kinds="new new"),
}  # fmt: skip


def feed(correlator, case):
    for number, (messages, answer, *more) in enumerate(case.calls, 1):
        body = {"model": "m", "tools": TOOLS, "messages": messages, **(more[0] if more else {})}
        made = correlator.request(
            str(number), "T", json.dumps(body).encode(), case.headers.items(), "/v1/messages"
        )
        if answer is CUT:
            correlator.end(made.call, None, False)
        elif answer is not LIVE:
            correlator.end(made.call, json.dumps(answer).encode(), True)
        yield made


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_a_request_is(case):
    made = list(feed(Correlator(), case))
    assert " ".join(call.kind for call in made) == case.kinds
    if case.of is not None:
        assert [None if call.of is UNSET else call.of for call in made] == case.of
    if case.parents is not None:
        assert [call.parent for call in made] == case.parents
    if case.keep is not None:
        assert [call.keep for call in made] == case.keep


def test_sessions_and_agents_stay_apart():
    correlator = Correlator()
    kinds = []
    for number, headers in enumerate(
        [
            SESSION,
            {"x-claude-code-session-id": "s2"},
            SESSION | {"x-claude-code-agent-id": "a1"},
            {"user-agent": "x", "x-api-key": "one"},
            {"user-agent": "x", "x-api-key": "two"},
            {"user-agent": "y", "x-api-key": "two"},
        ]
    ):
        body = json.dumps({"tools": TOOLS, "messages": [ASK]}).encode()
        made = correlator.request(str(number), "T", body, headers.items())
        kinds.append((made.kind, made.thread))
    assert [kind for kind, _ in kinds] == ["new", "new", "subagent", "new", "new", "new"]
    assert len({thread for _, thread in kinds}) == 6


def test_metadata_and_addresses_tell_sessions_apart():
    correlator = Correlator()

    def kind(number, user_id, name=""):
        body = {"messages": [ASK], "metadata": {"user_id": user_id}, "tools": TOOLS}
        return correlator.request(str(number), "T", json.dumps(body).encode(), (), "", name).kind

    assert kind(1, json.dumps({"session_id": "s1"})) == "new"
    assert kind(2, json.dumps({"session_id": "s2"})) == "new"
    assert kind(3, json.dumps({"session_id": "s1"})) == "retry"
    assert kind(4, "somebody") == "new"
    assert kind(5, None, "first") == "new"
    assert kind(6, None, "second") == "new"
    assert kind(7, None, "first") == "retry"


def test_keys_and_other_headers_are_not_recorded():
    headers = [
        ("X-Api-Key", "sk-secret"),
        ("Authorization", "Bearer secret"),
        ("Cookie", "secret"),
        ("User-Agent", "client"),
        ("Anthropic-Version", "2023-06-01"),
    ]
    made = Correlator(b"salt").request("1", "T", b'{"messages":[]}', headers, "/v1/messages")
    assert made.headers == {"user-agent": "client", "anthropic-version": "2023-06-01"}
    assert b"secret" not in line_of(made)


def test_only_what_differs_is_written():
    correlator = Correlator()
    first = {"model": "m", "system": [{"text": "bill 1"}, {"text": "be"}], "max_tokens": 9,
             "tools": TOOLS, "messages": [ASK], "stream": True}  # fmt: skip
    second = {"model": "m", "system": [{"text": "bill 2"}, {"text": "be"}], "max_tokens": 9,
              "tools": TOOLS, "messages": [ASK]}  # fmt: skip
    one = correlator.request("1", "T", json.dumps(first).encode(), SESSION.items(), "/v1/messages")
    two = correlator.request("2", "T", json.dumps(second).encode(), SESSION.items(), "/v1/messages")
    assert one.sep == (", ", ": ")
    assert list(one.params) == ["model", "max_tokens", "stream"]
    assert json.loads(line_of(two)) == {
        "call": "2", "at": "T", "kind": "retry", "parent": "1", "keep": 1, "add": [], "of": "1",
        "system": [{"text": "bill 2"}, 1], "params": {"stream": None},
        "order": ["model", "system", "max_tokens", "tools", "messages"],
    }  # fmt: skip


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'{"messages":"x"}', b"\xff", b'{"messages":[1]}']
)
def test_whatever_is_sent_is_kept_whole(body):
    made = Correlator().request("1", "T", body)
    assert made.kind == "new"
    assert made.body is not UNSET or body == b'{"messages":[1]}'


_MESSAGES = st.sampled_from(
    [ASK, user("b"), told("ask", **MARK), ONE, TWO, result("c1"), result("c2", "x"), reply("a")]
)
_ANSWERS = st.sampled_from([ONE, TWO, reply("a"), CUT, LIVE])


@settings(max_examples=200)
@given(
    st.lists(
        st.tuples(st.lists(_MESSAGES, max_size=6), _ANSWERS),
        max_size=8,
    )
)  # fmt: skip
def test_any_requests_name_earlier_calls_and_give_their_arrays_back(calls):
    """Parent, ``keep`` and ``add`` alone give each array as it was sent."""
    arrays = {}
    for made, (messages, _) in zip(feed(Correlator(), Case(*calls, kinds="")), calls, strict=True):
        assert made.parent is None or made.parent in arrays
        kept = arrays[made.parent][: made.keep] if made.parent else []
        assert len(kept) == made.keep
        arrays[made.call] = [*kept, *(bytes(raw) for raw in made.add)]
        assert arrays[made.call] == [json.dumps(message).encode() for message in messages]
