"""From words to a row: turns, paths, codes, ids, and errors as they were pasted."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.looks.goto import resolve
from tapeview.tape.clean import clean_line
from tests.block_samples import call, claude, image, model, result, text, user
from tests.helpers import snapshot_of

ASK = user("go")
BODY = {
    "model": "claude-sonnet-4-5",
    "system": "Be brief.",
    "tools": [{"name": "Bash", "input_schema": {}}, {"name": "Read", "input_schema": {}}],
    "messages": [
        ASK,
        model(text("Looking."), call("toolu_01Ab"), call("toolu_01Ac", "Read")),
        user(result("toolu_01Ab", [text("x"), image()]), result("toolu_01Ac")),
        model("Done.", id="msg_9"),
        user("again"),
        model(call("toolu_02", "Edit")),
        user("well?"),
    ],
}
SNAPSHOT = snapshot_of(BODY)


def at(words, snapshot=SNAPSHOT):
    """The path or kind of the row that the words lead to, and the answer."""
    target = resolve(snapshot, words)
    if target.row < 0:
        return "", target.answer
    row = snapshot.rows[target.row]
    place = row.kind if row.message < 0 or row.kind == "turn" else f"{row.message}/{row.number}"
    return place, target.answer


@pytest.mark.parametrize(
    ("words", "place", "answer"),
    [
        ("1", "turn", "turn 1"),
        ("turn 3", "turn", "turn 3"),
        ("  Turn  2 ", "turn", "turn 2"),
        ("40", "", "no turn 40: there are 3"),
        ("0", "", "no turn 0: there are 3"),
        ("turn x", "", "no turn x: there are 3"),
        ("9" * 5000, "", f"no turn {'9' * 40}: there are 3"),
        ("", "", ""),
        ("  ", "", ""),
    ],
)
def test_turns(words, place, answer):
    found, said = at(words)
    assert (found, said.split(" · ")[0]) == (place, answer)


@pytest.mark.parametrize(
    ("messages", "answer"),
    [
        ([ASK], "no turn 2: there are none"),
        ([ASK, model("x")], "no turn 2: there is 1"),
    ],
)
def test_how_many_turns_there_are(messages, answer):
    assert at("2", snapshot_of(messages)) == ("", answer)


@pytest.mark.parametrize(
    ("words", "place", "answer"),
    [
        ("messages.0", "0/0", "message 0, before turn 1, text"),
        ("messages.0.content.0", "0/0", "message 0, before turn 1, text"),
        ("messages.0.content", "0/0", "message 0, before turn 1, text"),
        ("messages.1", "1/0", "message 1, turn 1, text"),
        ("messages.1.content.1", "1/1", "message 1, turn 1, tool_use Bash"),
        ("messages.1.content.1.tool_use.input", "1/1", "message 1, turn 1, tool_use Bash"),
        ("messages[1].content[2]", "1/2", "message 1, turn 1, tool_use Read"),
        ("messages.[1].role", "1/0", "message 1, turn 1, text"),
        ("messages.1.content.1:", "1/1", "message 1, turn 1, tool_use Bash"),
        ("Messages.2.content.1", "2/1", "message 2, turn 1, tool_result Read"),
        ("messages.2.content.0.content.1", "2/0", "message 2, turn 1, tool_result Bash, part 1"),
        (
            "messages.2.content.0.tool_result.content.0",
            "2/0",
            "message 2, turn 1, tool_result Bash, part 0",
        ),
        ("messages.2.content.1.content.0", "2/1", "message 2, turn 1, tool_result Read"),
        ("messages.4", "4/0", "message 4, after turn 2, text"),
        ("messages", "0/0", "message 0, before turn 1, text"),
        ("messages.99", "", "no message 99: there are 7"),
        ("messages.x", "", "no message x: there are 7"),
        ("messages.1.content.9", "", "no messages.1.content.9: it has 3 blocks"),
        ("messages.0.content.1", "", "no messages.0.content.1: it has 1 block"),
        (
            "messages.2.content.0.content.2",
            "",
            "no messages.2.content.0.content.2: it has 2 parts",
        ),
        ("system", "system", "system"),
        ("system.0", "system", "system"),
        ("tools", "tools", "2 tools"),
        ("tools.1", "tools", "tools.1, Read"),
        ("tools[0]", "tools", "tools.0, Bash"),
        ("tools.2", "", "no tools.2: there are 2"),
        ("tools.x", "", "no tools.x: there are 2"),
    ],
)
def test_paths(words, place, answer):
    assert at(words) == (place, answer)


CHAT = snapshot_of(
    [
        {"role": "developer", "content": "Be brief."},
        ASK,
        {
            "role": "assistant",
            "content": "Looking.",
            "tool_calls": [
                {
                    "id": f"call_{k}",
                    "type": "function",
                    "function": {"name": "f", "arguments": "{}"},
                }
                for k in (1, 2)
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": [text("a"), text("b")]},
        {"role": "tool", "tool_call_id": "call_2", "content": "c"},
    ]
)


@pytest.mark.parametrize(
    ("words", "place", "answer"),
    [
        ("messages[2].tool_calls[0].id", "2/1", "message 2, turn 1, tool_use f"),
        ("messages.[2].tool_calls.1.function.arguments", "2/2", "message 2, turn 1, tool_use f"),
        ("messages.2.content", "2/0", "message 2, turn 1, text"),
        ("messages.[3].role", "3/0", "message 3, turn 1, tool_result f"),
        ("messages.3.content.0", "3/0", "message 3, turn 1, tool_result f, part 0"),
        ("messages.3.content.1", "3/0", "message 3, turn 1, tool_result f, part 1"),
        ("messages.3.content.2", "", "no messages.3.content.2: it has 2 parts"),
        ("messages.4.content", "4/0", "message 4, turn 1, tool_result f"),
        ("messages[2].tool_calls[7]", "", "no messages[2].tool_calls[7]: it has 3 blocks"),
        ("system", "0/0", "message 0, before turn 1, text"),
        ("tools", "", "no tools in this tape"),
    ],
)
def test_paths_of_chat(words, place, answer):
    assert at(words, CHAT) == (place, answer)


SESSION = (
    claude(
        ASK,
        {**model(text("One.")), "id": "msg_1"},
        {**model(call("toolu_x")), "id": "msg_1"},
        {**user(result("toolu_x"))},
    )
    + b'\n{"type":"summary","leafUuid":"y"}'
)


@pytest.mark.parametrize(
    ("words", "place", "answer"),
    [
        ("messages.1.content.1", "1/1", "message 1, turn 1, tool_use Bash"),
        ("records.2", "1/1", "message 1, turn 1, tool_use Bash"),
        ("records.2.content.0", "1/1", "message 1, turn 1, tool_use Bash"),
        ("records.4", "note", "record 4, line 5, summary"),
        ("records.5", "", "no records.5: there are 5"),
        ("records", "", "no records: there are 5"),
        ("system", "", "no system in this tape"),
        ("msg_1", "turn", "turn 1"),
    ],
)
def test_paths_of_a_session(words, place, answer):
    found, said = at(words, snapshot_of(SESSION))
    assert (found, said.split(" · ")[0]) == (place, answer)


@pytest.mark.parametrize(
    ("words", "place", "answer"),
    [
        ("TU001", "5/0", "message 5, turn 3, tool_use Edit: TU001, 1 place"),
        ("tu001", "5/0", "message 5, turn 3, tool_use Edit: TU001, 1 place"),
        ("TU002", "", "no TU002 in this tape"),
        ("ZZ999", "", "nothing here is called ZZ999"),
    ],
)
def test_codes_of_rules(words, place, answer):
    assert at(words) == (place, answer)


@pytest.mark.parametrize(
    ("words", "place", "answer"),
    [
        ("toolu_01Ab", "1/1", "message 1, turn 1, tool_use Bash"),
        ("toolu_02", "5/0", "message 5, turn 3, tool_use Edit"),
        ("toolu_01A", "", "2 ids begin with toolu_01A"),
        ("toolu_", "", "3 ids begin with toolu_"),
        ("toolu_01Ac", "1/2", "message 1, turn 1, tool_use Read"),
        ("toolu_03", "", "nothing here is called toolu_03"),
        ("x\x1b[2J", "", "nothing here is called x¤[2J"),
    ],
)
def test_ids_and_their_beginnings(words, place, answer):
    assert at(words) == (place, answer)


def test_an_id_that_is_the_beginning_of_another():
    snapshot = snapshot_of([ASK, model(call("ab"), call("abc"))])
    assert at("ab", snapshot)[0] == "1/0"
    assert at("abc", snapshot)[0] == "1/1"


DANGLING = (
    "messages.5: `tool_use` ids were found without `tool_result` blocks immediately after: "
    "toolu_02. Each `tool_use` block must have a corresponding `tool_result` block in the next "
    "message."
)


@pytest.mark.parametrize(
    ("words", "place", "answer"),
    [
        (DANGLING, "5/0", "refused at messages.5: TU001, 1 place"),
        (DANGLING.replace("toolu_02", "toolu_99"), "", "not in this tape"),
        (DANGLING.replace("toolu_02", "toolu_01Ab"), "", "not in this tape"),
        ("messages.3: all messages must have non-empty content", "", "not in this tape"),
        ("tools.1.custom.name: String should match pattern", "tools", "tools.1, Read"),
        ("system.0.text: Input should be a valid string", "system", "system"),
        ("tools.7: Input should be a valid dictionary", "", "not in this tape"),
        ("what is this", "", "not in this tape"),
        ("{}", "", "not in this tape"),
    ],
)
def test_pasted_errors(words, place, answer):
    assert at(words) == (place, answer)


WORDS = st.one_of(
    st.text(),
    st.text(alphabet="messages.tools[]0123456789:{}\"'\\`* \n"),
    st.from_regex(r"(messages|tools|system|records|turn )(\.?\[?[0-9²٣]{1,3}\]?|\.[a-z_]+){0,4}"),
    st.builds(json.dumps, st.recursive(st.text(), lambda inner: st.dictionaries(st.text(), inner))),
    st.builds(lambda head, tail: DANGLING[:head] + tail, st.integers(0, 200), st.text()),
)
SNAPSHOTS = (
    SNAPSHOT,
    CHAT,
    snapshot_of(SESSION),
    snapshot_of([ASK]),
    snapshot_of({"messages": []}),
)


@given(WORDS, st.sampled_from(SNAPSHOTS))
def test_any_words_are_answered_in_one_clean_line(words, snapshot):
    target = resolve(snapshot, words)
    assert -1 <= target.row < len(snapshot.rows)
    assert target.answer == clean_line(target.answer)
    assert target.answer or not words.strip()
