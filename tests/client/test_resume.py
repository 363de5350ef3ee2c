"""It resumes: sessions of the real Claude Code are edited here, and the real Claude Code goes on.

    python -m pytest -m client

needs npm, which downloads the client once (240 MB), or ``TAPEVIEW_CLIENT=/path/to/claude``. It
talks to a stand-in on loopback with a dummy key.
"""

import json
from uuid import UUID, uuid5

import pytest

from tapeview.cli import run
from tapeview.edit.operations import operations_from
from tapeview.keep.keeper import Keeper
from tapeview.open_session import load
from tests.client.real_client import RealClient, find_or_install
from tests.client.stand_in import StandIn

pytestmark = pytest.mark.client

PROMPT = "and now?"
NEW_ID = str(uuid5(UUID(int=0), "a new session"))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, request):
    """The client, and the ids of its sessions by what was said in them.

    calls: 0 a prompt, 1 a text and two calls, 2 their results, 3 a text, 4 a prompt, 5 a text
    and a call, 6 its result, 7 a text, 8 a prompt, 9 a text.
    agent: 0 a prompt, 1 the call of a sub-agent, 2 its result, 3 a text, 4 a prompt, 5 a text.
    compacted: 0 the summary, 1 the last text before it, 2 the command and its output, 3 a text of
    the harness, 4 a prompt, 5 a text and a call, 6 its result, 7 a text.
    """
    program = find_or_install(request.config.cache.mkdir("client"))
    folder = tmp_path_factory.mktemp("client")
    client = RealClient(program, folder / "config", folder / "work")
    print("client", client.version)
    talks = {
        "calls": ("call one, two", "call three", "thanks"),
        "agent": ("delegate", "thanks"),
        "compacted": ("call one", "thanks", "/compact", "call three"),
    }
    ids = {}
    with StandIn() as api:
        for name, (first, *others) in talks.items():
            ids[name] = client.ask(api.url, first)
            for prompt in others:
                client.ask(api.url, prompt, ids[name])
    return client, ids


def neutral(messages):
    """Messages as (role, block) pairs, without what the harness adds to each request anew:

    the reminder of the date before the first prompt, the lists of agents and skills (messages of
    role system), the marks for the cache, and the line end where two texts meet.
    """
    pairs = []
    for message in messages:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for block in blocks if message["role"] != "system" else ():
            block = {name: value for name, value in block.items() if name != "cache_control"}
            text = block.get("text", "")
            if not pairs and text.startswith("<system-reminder>\nAs you answer"):
                continue
            if "text" in block:
                block["text"] = text.rstrip("\n")
            pairs.append((message["role"], block))
    return pairs


def stored(path, capsysbinary):
    """The next request's messages, as tapeview puts them together."""
    assert run(["request", str(path)]) == 0
    return json.loads(capsysbinary.readouterr().out)["messages"]


CLOSING = {"Continue from where you left off.", "No response requested."}


def meant(messages, edits):
    """What one plain edit makes of a list of messages, told without the program; None for others.

    It holds where what is stored is what is sent, message for message.
    """
    if len(edits) != 1 or "pairs" in edits[0] or "tape" in edits[0]:
        return None
    (edit,) = edits
    places = [edit.get(name, "") for name in ("before", "after", "first", "last")]
    places += edit["at"] if edit["op"] == "delete" else []
    if any(place.count(".") > 1 for place in places):
        return None
    before, after, first, last = (int(p.split(".")[1]) if p else None for p in places[:4])
    match edit["op"]:
        case "prepend":
            return [{"role": "user", "content": edit["text"]}, *messages]
        case "insert" if isinstance(edit["content"], str):
            at = before if before is not None else len(messages) if after is None else after + 1
            new = {"role": edit["role"], "content": edit["content"]}
            return [*messages[:at], new, *messages[at:]]
        case "delete":
            return [m for k, m in enumerate(messages) if f"messages.{k}" not in edit["at"]]
        case "cut":
            return messages[: after + 1]
        case "delete_range":
            return [*messages[:first], *messages[last + 1 :]]
        case "compact":
            new = {"role": "user", "content": edit["text"]}
            return [*messages[:first], new, *messages[last + 1 :]]
    return None


def said(text):
    return ("user", {"type": "text", "text": text})


CALLS = {
    "nothing": [],
    "a result": [
        {"op": "set", "at": "messages.2.content.0", "member": "content", "value": "other\nwords"}
    ],
    "a result as blocks": [
        {
            "op": "set",
            "at": "messages.6.content.0",
            "member": "content",
            "value": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        }
    ],
    "a result into an error": [
        {"op": "set", "at": "messages.6.content.0", "member": "is_error", "value": True}
    ],
    "a prompt": [{"op": "set", "at": "messages.0", "member": "text", "value": "call \u2028 é"}],
    "a reply": [{"op": "set", "at": "messages.3.content.0", "member": "text", "value": "No."}],
    "a call": [
        {"op": "set", "at": "messages.5.content.1", "member": "input", "value": {"command": "ls"}}
    ],
    "a pair out": [{"op": "delete", "at": ["messages.5.content.1"], "pairs": "both"}],
    "a parallel pair out": [{"op": "delete", "at": ["messages.1.content.1"], "pairs": "both"}],
    "the other parallel pair out": [
        {"op": "delete", "at": ["messages.1.content.2"], "pairs": "both"}
    ],
    "a result alone out": [{"op": "delete", "at": ["messages.6"], "pairs": "keep"}],
    "a parallel result alone out": [
        {"op": "delete", "at": ["messages.2.content.0"], "pairs": "keep"}
    ],
    "a call alone out": [{"op": "delete", "at": ["messages.5.content.1"], "pairs": "keep"}],
    "a result interrupted": [{"op": "delete", "at": ["messages.6"], "pairs": "answer"}],
    "a turn out": [{"op": "delete_turn", "turn": 1}],
    "the last turn out": [{"op": "delete_turn", "turn": 5}],
    "a range out": [{"op": "delete_range", "first": "messages.4", "last": "messages.7"}],
    "the beginning out": [{"op": "delete_range", "first": "messages.0", "last": "messages.3"}],
    "the first prompt out": [{"op": "delete", "at": ["messages.0"]}],
    "a message at the beginning": [{"op": "prepend", "text": "Know this."}],
    "a message in the middle": [
        {"op": "insert", "role": "user", "content": "And this.", "after": "messages.3"}
    ],
    "a message behind results": [
        {"op": "insert", "role": "user", "content": "And this.", "after": "messages.2"}
    ],
    "a message before a reply": [
        {"op": "insert", "role": "user", "content": "And this.", "before": "messages.5"}
    ],
    "a message at the end": [{"op": "insert", "role": "user", "content": "And this."}],
    "a reply in the middle": [
        {"op": "insert", "role": "assistant", "content": "I see.", "before": "messages.4"}
    ],
    "a reply at the end": [{"op": "insert", "role": "assistant", "content": "I see."}],
    "an id once more": [
        {
            "op": "insert",
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "toolu_one", "content": "again"}],
            "after": "messages.7",
        },
        {
            "op": "insert",
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Once more."},
                {"type": "tool_use", "id": "toolu_one", "name": "Bash", "input": {"command": "x"}},
            ],
            "after": "messages.7",
        },
        {"op": "insert", "role": "assistant", "content": "I see.", "after": "messages.9"},
    ],
    "a late result": [
        {"op": "insert", "role": "assistant", "content": "I see.", "after": "messages.7"},
        {"op": "move", "at": "messages.6", "after": "messages.7", "pairs": "keep"},
    ],
    "a whole round trip": [
        {
            "op": "insert",
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "toolu_new", "content": "done"}],
            "after": "messages.3",
        },
        {
            "op": "insert",
            "role": "assistant",
            "content": [
                {"type": "text", "text": "One more."},
                {"type": "tool_use", "id": "toolu_new", "name": "Bash", "input": {"command": "x"}},
            ],
            "after": "messages.3",
        },
    ],
    "a block more": [
        {
            "op": "insert_block",
            "block": {"type": "text", "text": "Really."},
            "after": "messages.9.content.0",
        }
    ],
    "cut behind a reply": [{"op": "cut", "after": "messages.3"}],
    "cut behind results": [{"op": "cut", "after": "messages.6"}],
    "cut behind a prompt": [{"op": "cut", "after": "messages.4"}],
    "cut behind the first prompt": [{"op": "cut", "after": "messages.0"}],
    "cut behind a call": [{"op": "cut", "after": "messages.5.content.1", "pairs": "keep"}],
    "cut and answered": [
        {"op": "cut", "after": "messages.5.content.1", "pairs": "keep"},
        {"op": "answer", "at": "messages.5.content.1"},
    ],
    "parallel calls cut and answered": [
        {"op": "cut", "after": "messages.1", "pairs": "keep"},
        {"op": "answer", "at": "messages.1.content.1", "text": "a", "is_error": False},
        {"op": "answer", "at": "messages.1.content.2", "text": "b"},
    ],
    "compacted at the beginning": [
        {"op": "compact", "first": "messages.0", "last": "messages.7", "text": "What was."}
    ],
    "compacted in the middle": [
        {"op": "compact", "first": "messages.4", "last": "messages.6", "text": "What was."}
    ],
    "compacted up to the end": [
        {
            "op": "compact",
            "first": "messages.2",
            "last": "messages.9",
            "text": "What was.",
            "pairs": "both",
        }
    ],
    "compacted whole": [
        {"op": "compact", "first": "messages.0", "last": "messages.9", "text": "What was."}
    ],
    "a reply twice": [{"op": "duplicate", "at": "messages.3"}],
    "a prompt twice": [{"op": "duplicate", "at": "messages.4"}],
    "a prompt moved": [{"op": "move", "at": "messages.8", "before": "messages.4"}],
    "a pair moved": [{"op": "move", "at": "messages.5", "before": "messages.1", "pairs": "both"}],
    "a reply split": [{"op": "split", "at": "messages.5.content.1"}],
    "replies merged": [
        {"op": "insert", "role": "assistant", "content": "I see.", "after": "messages.3"},
        {"op": "merge", "at": "messages.3"},
    ],
    "a call renamed": [{"op": "rename", "at": "messages.5.content.1", "id": "toolu_other"}],
    "a prompt becomes a reply": [
        {"op": "set", "at": "messages.8", "member": "role", "value": "assistant"}
    ],
    "a reply becomes a prompt": [
        {"op": "set", "at": "messages.3", "member": "role", "value": "user"}
    ],
    "all gone": [{"op": "clear"}, {"op": "prepend", "text": "Know this."}],
    "the end goes after an earlier edit": [
        {"op": "prepend", "text": "Know this."},
        {"op": "cut", "after": "messages.8"},
        {"op": "insert", "role": "assistant", "content": "I see."},
    ],
    "two at one place": [
        {"op": "insert", "role": "user", "content": "first", "after": "messages.3"},
        {"op": "insert", "role": "assistant", "content": "second", "after": "messages.4"},
        {"op": "delete", "at": ["messages.3"]},
    ],
}


AGENT = {
    "nothing": [],
    "folded": [{"op": "fold", "agent": "AGENT"}],
    "folded into other words": [{"op": "fold", "agent": "AGENT", "text": "It is done."}],
    "a message of the sub-agent": [
        {"op": "set", "tape": "AGENT", "at": "messages.0", "member": "text", "value": "Hm."}
    ],
    "the round trip of the sub-agent out": [{"op": "delete_turn", "tape": "AGENT", "turn": 1}],
    "the call out": [{"op": "delete_turn", "turn": 1}],
}

COMPACTED = {
    "nothing": [],
    "the summary": [{"op": "set", "at": "messages.0", "member": "text", "value": "What was."}],
    "the summary out": [{"op": "delete", "at": ["messages.0"]}],
    "the kept reply": [
        {"op": "set", "at": "messages.1.content.0", "member": "text", "value": "Kept."}
    ],
    "the kept reply out": [{"op": "delete", "at": ["messages.1"]}],
    "a message behind the summary": [
        {"op": "insert", "role": "user", "content": "And this.", "after": "messages.0"}
    ],
    "a reply behind the summary": [
        {"op": "insert", "role": "assistant", "content": "I see.", "after": "messages.0"}
    ],
    "a message behind the kept reply": [
        {"op": "insert", "role": "user", "content": "And this.", "after": "messages.1"}
    ],
    "the command out": [{"op": "delete", "at": ["messages.2", "messages.3"]}],
    "cut behind the kept reply": [{"op": "cut", "after": "messages.1"}],
    "cut behind the summary": [{"op": "cut", "after": "messages.0"}],
    "a message at the beginning": [{"op": "prepend", "text": "Know this."}],
    "a message at the end behind the kept reply": [
        {"op": "cut", "after": "messages.1"},
        {"op": "insert", "role": "user", "content": "And this."},
    ],
    "a message in place of the kept reply": [
        {"op": "insert", "role": "user", "content": "And this.", "after": "messages.1"},
        {"op": "delete", "at": ["messages.1"]},
    ],
    "a reply in place of the summary": [
        {"op": "insert", "role": "assistant", "content": "I see.", "after": "messages.0"},
        {"op": "delete", "at": ["messages.0"]},
    ],
    "compacted once more": [
        {"op": "compact", "first": "messages.0", "last": "messages.6", "text": "What was."}
    ],
    "compacted behind the summary": [
        {"op": "compact", "first": "messages.1", "last": "messages.3", "text": "What was."}
    ],
    "all gone": [{"op": "clear"}, {"op": "prepend", "text": "Know this."}],
    "a message before the boundary": [
        {"op": "set", "tape": "main~1", "at": "messages.0", "member": "text", "value": "Hm."}
    ],
}

CASES = [
    pytest.param(session, edits, id=f"{session}: {name}")
    for session, cases in (("calls", CALLS), ("agent", AGENT), ("compacted", COMPACTED))
    for name, edits in cases.items()
]


@pytest.mark.parametrize("session, edits", CASES)
def test_the_edited_session_is_what_resume_sends(recorded, tmp_path, capsysbinary, session, edits):
    original, ids = recorded
    client, identity = original.copy(tmp_path / "config"), ids[session]
    path, script = client.session(identity), tmp_path / "script.json"
    agents = [tape.id for tape in load(str(path)).session.tapes if tape.kind == "agent"]
    script.write_text(json.dumps(edits).replace("AGENT", *(agents or ["none"])))
    before, sent = contents(path), stored(path, capsysbinary)
    assert run(["edit", str(path), "--script", str(script), "--in-place"]) == 0
    capsysbinary.readouterr()
    assert (contents(path) != before) == bool(edits)
    expected = neutral(stored(path, capsysbinary))
    if (wanted := meant(sent, edits)) is not None:
        assert expected[: len(neutral(wanted))] == neutral(wanted)
        assert {pair[1]["text"] for pair in expected[len(neutral(wanted)) :]} <= CLOSING
    with StandIn() as api:
        assert client.ask(api.url, PROMPT, identity) == identity
    assert neutral(api.requests[0]["messages"]) == [*expected, said(PROMPT)]
    answer = ("assistant", {"type": "text", "text": "Answer 1."})
    assert neutral(stored(path, capsysbinary)) == [*expected, said(PROMPT), answer]


def contents(path):
    """All files of a session."""
    files = [path, *sorted(path.with_suffix("").rglob("*.jsonl"))]
    return [file.read_bytes() for file in files]


@pytest.mark.parametrize("session", ["calls", "agent", "compacted"])
def test_a_copy_under_a_new_id_resumes_beside_the_old_session(
    recorded, tmp_path, capsysbinary, session
):
    original, ids = recorded
    client = original.copy(tmp_path / "config")
    path = client.session(ids[session])
    before = contents(path)
    keeper = Keeper(load(str(path)))
    keeper.apply(operations_from(b'[{"op": "prepend", "text": "Know this."}]')[0])
    new = keeper.save_as_new(NEW_ID)
    assert new == client.session(NEW_ID)
    expected = neutral(stored(new, capsysbinary))
    assert expected[0] == said("Know this.")
    with StandIn() as api:
        assert client.ask(api.url, PROMPT, NEW_ID) == NEW_ID
    assert neutral(api.requests[0]["messages"]) == [*expected, said(PROMPT)]
    assert contents(path) == before
