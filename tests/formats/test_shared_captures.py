"""Requests of the real Claude Code, caught on their way, against what its session files give.

Of the captures only the interactive session (``cc_int``, ``cc_int2``) and the one with parallel
sub-agents (``cc_task``) have their session files; the others are judged as request bodies.
"""

import json
import os
from pathlib import Path

import pytest

from tapeview.open_session import OpenSession, load
from tapeview.wire.request import request_of, sent_before
from tests.formats.samples import opened

CAPTURES = Path(os.environ["TAPEVIEW_SHARED"]) / "captures"
INTERACTIVE = "session_cc_interactive_compact_rewind"
MAIN, FIRST, SECOND = "main", "agent:a88d96ac0384b0caf", "agent:ac1668a01617d0952"
FILES = {
    MAIN: "session_cc_task_main",
    FIRST: "session_cc_task_subagent_1",
    SECOND: "session_cc_task_subagent_2",
}
INJECTED = {
    "<system-reminder>\nAs you": "reminder",
    "Available agent types fo": "agents",
    "The following skills are": "skills",
}
"""What the harness makes anew for each call and does not store as text, by how it begins.

The reminder stands first in the first message; the lists are messages of the role ``system``. The
captures cut them there, with a count of the rest.
"""


def calls(name):
    """The caught model calls, in the order they left."""
    caught = json.loads((CAPTURES / f"{name}.json").read_bytes())
    return [call for call in caught if call["path"] == "/v1/messages"]


def messages_of(call):
    return call["body"]["messages"]


def tape_of(call):
    """The tape that a call belongs to: only the calls of sub-agents name one."""
    headers = {name.lower(): value for name, value in call["headers"]}
    agent = headers.get("x-claude-code-agent-id")
    return MAIN if agent is None else f"agent:{agent}"


def parted(messages):
    """The messages that a file can give, and the names of those that the harness injected.

    The mark of the cache wanders from call to call and a string is the same as one text block, so
    neither is compared. Long texts were shortened in captures and session files, each with its own
    count of the rest: of those the beginnings are compared.
    """
    kept, injected = [], []
    for message in messages:
        content = message["content"]
        if message["role"] == "system":
            injected.append(INJECTED[shortened(content)])
            continue
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if blocks[0].get("text", "").startswith("<system-reminder>"):
            injected.append(INJECTED[shortened(blocks[0]["text"])])
            blocks = blocks[1:]
        kept.append((message["role"], [plain(block) for block in blocks]))
    return kept, injected


def plain(block):
    block = {key: value for key, value in block.items() if key != "cache_control"}
    return block | {"text": shortened(block["text"])} if block["type"] == "text" else block


def shortened(text):
    return text.partition("[\u2026")[0]


def built(snapshot, number):
    """The messages of the call whose reply is turn ``number``, as ``request --turn`` makes them."""
    line = snapshot.line_of_turn(number)
    messages = sent_before(line.index, line.tape.sent, line.own_turn(number))
    return json.loads(request_of(snapshot.session, line.tape, messages).body)["messages"]


def sent_tape(snapshot):
    """The sent tape as a request, without what only a resume adds at its end (``formats.md`` b.3).

    A session file that ends before the reply looks as one does that was killed in a call.
    """
    request = request_of(snapshot.session, snapshot.tape, snapshot.tape.sent)
    kept, injected = parted(json.loads(request.body)["messages"])
    assert injected == []
    if kept[-1] == ("assistant", [{"type": "text", "text": "No response requested."}]):
        assert snapshot.tape.kind == "main"
        kept.pop()
        if kept[-1][1][-1] == {"type": "text", "text": "Continue from where you left off."}:
            kept[-1][1].pop()
            last = kept[-1][1][-1]
            if "text" in last:  # where two texts meet, the first gets a line break
                kept[-1][1][-1] = last | {"text": last["text"].removesuffix("\n")}
    return kept


def up_to(name, uuid, reply=1):
    """A session file as it stood before the reply whose first line has that uuid.

    With that first line, so that the call has a turn's number; without it for ``reply`` 0.
    """
    lines = (CAPTURES / f"{name}.jsonl").read_bytes().split(b"\n")
    last = next(k for k, line in enumerate(lines) if f'"uuid": "{uuid}'.encode() in line)
    return b"\n".join(lines[: last + reply]) + b"\n"


@pytest.mark.parametrize(
    ("name", "number", "uuid"),
    [
        pytest.param("cc_int", 1, "413c47a9", id="first prompt"),
        pytest.param("cc_int", 2, "32de9141", id="first result"),
        pytest.param("cc_int", 3, "f77be8d7", id="second prompt"),
        pytest.param("cc_int", 4, "cf4a225b", id="second result"),
        pytest.param("cc_int", 6, "cdd62af4", id="after compaction"),
        pytest.param("cc_int", 7, "0c4404e4", id="result after compaction"),
        pytest.param("cc_int2", 0, "a9d87d01", id="interrupted"),
        pytest.param("cc_int2", 1, "e006c4f9", id="after the interrupt"),
        pytest.param("cc_int2", 2, "6840dcc4", id="after the rewind"),
    ],
)
def test_a_call_is_built_as_it_was_sent(name, number, uuid):
    snapshot = OpenSession(opened(up_to(INTERACTIVE, uuid))).snapshot()
    sent, injected = parted(messages_of(calls(name)[number]))
    assert injected == ["reminder", "agents"]
    assert parted(built(snapshot, snapshot.turn_numbers[-1])) == (sent, [])
    before = OpenSession(opened(up_to(INTERACTIVE, uuid, reply=0))).snapshot()
    assert sent_tape(before) == sent


# -- a main agent and two sub-agents at the same time ----------------------------------------------


def laid_out(folder, uuids, reply=1):
    """The three files where Claude Code keeps them, each up to the line of its uuid, or whole."""
    path = folder / "fea4fc49-09d6-41a5-9c25-88b986281e4b.jsonl"
    agents = path.with_suffix("") / "subagents"
    agents.mkdir(parents=True, exist_ok=True)
    for tape, name in FILES.items():
        whole = (CAPTURES / f"{name}.jsonl").read_bytes()
        target = path if tape == MAIN else agents / f"{tape.replace(':', '-')}.jsonl"
        target.write_bytes(up_to(name, uuids[tape], reply) if tape in uuids else whole)
    side = "session_cc_task_subagent_1.meta.json"
    (agents / f"{FIRST.replace(':', '-')}.meta.json").write_bytes((CAPTURES / side).read_bytes())
    return str(path)


TASK_CALLS = pytest.mark.parametrize(
    ("number", "tape", "turn", "uuid", "injected"),
    [
        pytest.param(0, MAIN, 1, "8aecc7d0", "reminder agents", id="the prompt"),
        pytest.param(1, FIRST, 1, "586b77b8", "reminder skills", id="first sub-agent's prompt"),
        pytest.param(2, SECOND, 1, "d848285d", "reminder skills", id="second sub-agent's prompt"),
        pytest.param(3, FIRST, 2, "10f483d0", "reminder skills agents", id="first one's result"),
        pytest.param(4, SECOND, 2, "6f953c2f", "reminder skills agents", id="second one's result"),
        pytest.param(5, MAIN, 2, "fdb8842d", "reminder agents", id="both answers"),
    ],
)


@TASK_CALLS
def test_a_call_beside_others_is_built_as_it_was_sent(tmp_path, number, tape, turn, uuid, injected):
    call = calls("cc_task")[number]
    assert tape_of(call) == tape
    snapshot = load(laid_out(tmp_path, {tape: uuid})).snapshot(tape)
    assert [t.number for t in snapshot.index.turns] == list(range(1, turn + 1))
    sent, names = parted(messages_of(call))
    assert names == injected.split()
    assert parted(built(snapshot, turn)) == (sent, [])
    before = load(laid_out(tmp_path, {tape: uuid}, reply=0)).snapshot(tape)
    assert sent_tape(before) == sent


@TASK_CALLS
def test_it_is_built_the_same_from_the_whole_session(tmp_path, number, tape, turn, uuid, injected):
    del uuid, injected
    snapshot = load(laid_out(tmp_path, {})).snapshot(tape)
    sent, _ = parted(messages_of(calls("cc_task")[number]))
    assert parted(built(snapshot, turn)) == (sent, [])


@pytest.mark.parametrize("tape", [FIRST, SECOND])
def test_a_sub_agents_file_alone_gives_the_same_calls(tape):
    snapshot = load(str(CAPTURES / f"{FILES[tape]}.jsonl")).snapshot()
    own = [messages_of(call) for call in calls("cc_task") if tape_of(call) == tape]
    assert [parted(built(snapshot, turn))[0] for turn in snapshot.turn_numbers] == [
        parted(messages)[0] for messages in own
    ]


def test_each_sub_agent_hangs_on_the_call_that_started_it(tmp_path):
    session = load(laid_out(tmp_path, {})).session
    callers = {tape.id: tape.caller and tape.caller.id for tape in session.tapes}
    assert callers == {MAIN: None, FIRST: "toolu_task_1", SECOND: "toolu_task_2"}


def test_a_sub_agent_at_work_hangs_there_by_its_side_file_alone(tmp_path):
    session = load(laid_out(tmp_path, {MAIN: "dc39661c"})).session
    callers = {tape.id: tape.caller and tape.caller.id for tape in session.tapes}
    assert callers == {MAIN: None, FIRST: "toolu_task_1", SECOND: None}


# -- captures without session files ----------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["cc_drop", "cc_err", "cc_midError", "cc_resume", "cc_think", "cc_tool"]
)
def test_a_caught_body_is_a_tape_without_faults(name):
    for call in calls(name):
        body = json.dumps(call["body"]).encode()
        snapshot = OpenSession(opened(body)).snapshot()
        assert snapshot.session.format == "anthropic"
        assert snapshot.findings == ()
        request = request_of(snapshot.session, snapshot.tape, snapshot.tape.sent)
        assert (request.body, request.absent) == (body, ())


def test_a_resumed_session_continues_the_calls_before_it():
    *_, before = calls("cc_midError")
    (after,) = calls("cc_resume")
    head = parted(messages_of(before))
    assert parted(messages_of(after)[: len(messages_of(before))]) == head
