"""What ``show`` and ``explain`` print; the command line's own tests run them whole."""

from pathlib import Path

import pytest

from tapeview.errors import PlaceError
from tapeview.looks.show import lines, rule_page
from tapeview.open_session import OpenSession, load
from tapeview.rules._registry import all_rules
from tapeview.tape.clean import printable
from tests.formats.claude import reply, user, written
from tests.formats.samples import SAMPLES, name_of, opened
from tests.helpers import snapshot_of

CRASH = str(Path(__file__).parents[2] / "sample_sessions" / "crash.jsonl")


def shown(snapshot, turn=None, only=False, full=False):
    return list(lines(snapshot, turn, only, full))


@pytest.mark.parametrize("path", SAMPLES, ids=name_of)
def test_every_turn_of_every_sample_can_be_shown(path):
    snapshot = load(str(path)).snapshot()
    for number in snapshot.turn_numbers:
        known = shown(snapshot, number)
        (rule,) = [line for line in known if line == f"══ call {number} answered ══"]
        reply_lines = known[known.index(rule) + 1 :]
        assert shown(snapshot, number, only=True)[1:] == reply_lines
        assert reply_lines
        assert all("(not sent" not in line for line in known[: known.index(rule)])
        for line in shown(snapshot, number, full=True):
            assert printable(line) == line


def test_a_turn_that_is_not_there():
    with pytest.raises(PlaceError, match="no turn 3: there are none"):
        shown(snapshot_of([{"role": "user", "content": "x"}]), 3)


def test_the_verdict_of_a_body():
    sound = [{"role": "user", "content": "x"}]
    assert shown(snapshot_of(sound))[1] == "the API would take this as the next request"


def test_a_killed_call_knew_its_prompt():
    raw = written(
        user("u1", None, "first words"),
        reply("a1", "u1", "m1", "call:t"),
        user("u2", "a1", "second words"),
        reply("a2", "u2", "m2", "ok"),
    )
    snapshot = OpenSession(opened(raw)).snapshot()
    known = "\n".join(shown(snapshot, 1)).partition("══")[0]
    assert "first words" in known
    assert "second words" not in known


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_the_page_of_a_rule(rule):
    page = list(rule_page(rule))
    assert page[0] == f"{rule.code} {rule.name}"
    assert sum(line.startswith("Refused: ") for line in page) == len(rule.bad)
    assert sum(line.startswith("Fine: ") for line in page) == len(rule.good)
