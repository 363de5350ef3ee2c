"""The summary of a turn."""

from tapeview.looks.block_turn import turn_lines
from tests.block_samples import call, claude, model, result, user, written
from tests.helpers import snapshot_of

ASK = user("go")


def summary(body, number=1):
    return written(turn_lines(snapshot_of(body), number))


def test_a_turn_of_a_harness_takes_its_usage_from_the_last_line_of_the_reply():
    usage = {
        "input_tokens": 12000,
        "cache_creation": {"ephemeral_5m_input_tokens": 0},
        "service_tier": "standard",
    }
    body = claude(
        {**ASK, "at": "10:00:00"},
        {**model("Looking."), "id": "m1", "at": "10:00:01", "usage": {"input_tokens": 3}},
        {
            **model(call("a", ls=1)),
            "id": "m1",
            "at": "10:00:02.500",
            "model": "claude-opus-4-5",
            "stop_reason": "tool_use",
            "usage": usage,
        },
        {**user(result("a", "12345")), "at": "10:00:03"},
    )
    assert summary(body) == [
        "turn",
        "  sent   2 B",
        "  reply  17 B",
        "  took   2.5 s",
        "  at     10:00:02",
        "  model  claude-opus-4-5",
        "  stop   tool_use",
        "",
        "calls",
        "  Bash     9 B  answered 5 B",
        "",
        "usage",
        "  input_tokens                 12,000",
        "  cache_creation               ",
        "    ephemeral_5m_input_tokens  0",
        "  service_tier                 standard",
    ]


def test_what_became_of_each_call():
    body = [
        ASK,
        model(
            *(call(identity, identity) for identity in ("fine", "wrong", "twice", "never", "late"))
        ),
        user(
            result("fine"),
            result("wrong", "no", is_error=True),
            result("twice"),
            result("twice"),
        ),
        user("hm"),
        model("wait"),
        user(result("late")),
    ]
    assert summary(body)[4:] == [
        "calls",
        "  fine      2 B  answered 4 B",
        "  wrong     2 B  answered 2 B error",
        "  twice     2 B  doubled 4 B",
        "  never     2 B  dangling",
        "  late      2 B  late: turn 2 4 B",
    ]


def test_a_call_that_still_waits():
    assert summary([ASK, model(call("a"))])[-1] == "  Bash     2 B  pending"


def test_a_turn_of_words_alone():
    assert summary([ASK, model("ok")]) == ["turn", "  sent   2 B", "  reply  2 B"]


def test_usage_may_be_anything():
    for usage in (None, [], "much", {"a": {"b": {"c": 1}}, "d": 10**30, "e": -1, "f": 1.5}):
        assert summary([ASK, {**model("ok"), "usage": usage}])[0] == "turn"
    lines = summary([ASK, {**model("ok"), "usage": {"a": {"b": {"c": 1}}, "d": 10**30, "e": -1}}])
    assert lines[-4:] == ["  a    ", '    b  {"c": 1}', f"  d    {10**30}", "  e    -1"]
