"""What a row says: its sign, its tool, its gist."""

import json

import msgspec
import pytest

from tapeview.tape.describe import describe, parts_of, tool_of
from tapeview.tape.index import Index
from tapeview.tape.rows import Row, rows_of
from tapeview.tape.source import MemorySource
from tests.helpers import session_of, snapshot_of


def rows_and_texts(body):
    session = session_of(body)
    index = Index(session.main.messages, session.frame, session.dialect)
    rows = rows_of(session, session.main, index)
    return rows, [describe(session, index, row) for row in rows]


def text_of(block, role="assistant"):
    """What the row of one block says."""
    _, texts = rows_and_texts([{"role": role, "content": [block]}])
    return next(text for text in texts if text.sign not in ("", "end"))


BLOCKS = {
    "a prompt": ("user", {"type": "text", "text": "find it"}, ("prompt", "", "find it")),
    "a reminder": (
        "user",
        {"type": "text", "text": " <system-reminder>x</system-reminder>"},
        ("prompt", "", "<system-reminder>x</system-reminder>"),
    ),
    "a text": ("assistant", {"type": "text", "text": "a\nb"}, ("text", "", "a ¶ b")),
    "a system message": (
        "system",
        {"type": "text", "text": "be brief"},
        ("system", "", "be brief"),
    ),
    "thinking": (
        "assistant",
        {"type": "thinking", "thinking": "hm", "signature": "x"},
        ("thinking", "", "hm"),
    ),
    "thinking without words": (
        "assistant",
        {"type": "thinking", "thinking": "", "signature": "x"},
        ("thinking", "", "(signature only)"),
    ),
    "no thinking at all": (
        "assistant",
        {"type": "thinking", "thinking": "", "signature": ""},
        ("thinking", "", "(empty)"),
    ),
    "redacted thinking": (
        "assistant",
        {"type": "redacted_thinking", "data": "x"},
        ("thinking", "", "(redacted)"),
    ),
    "a call": (
        "assistant",
        {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}},
        ("call", "Bash", "ls"),
    ),
    "a call without name and input": (
        "assistant",
        {"type": "tool_use", "id": "t"},
        ("call", "call", ""),
    ),
    "a server call": (
        "assistant",
        {"type": "server_tool_use", "id": "t", "name": "web_search", "input": {"query": "q"}},
        ("call", "web_search", "q"),
    ),
    "a result without a call": (
        "user",
        {"type": "tool_result", "tool_use_id": "t", "content": "ok"},
        ("result", "result", "ok"),
    ),
    "an error": (
        "user",
        {"type": "tool_result", "tool_use_id": "t", "content": "no", "is_error": True},
        ("error_result", "result", "no"),
    ),
    "a result of two texts": (
        "user",
        {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "a"}] * 2},
        ("result", "result", "a ¶ a"),
    ),
    "a result without content": (
        "user",
        {"type": "tool_result", "tool_use_id": "t"},
        ("result", "result", "(empty)"),
    ),
    "an image": (
        "user",
        {"type": "image", "source": {"type": "url", "url": "https://x/a.png"}},
        ("image", "", "image at https://x/a.png"),
    ),
    "a document": (
        "user",
        {"type": "document", "title": "a.pdf", "source": {"type": "base64", "data": "x"}},
        ("document", "", "a.pdf"),
    ),
    "a kind of next month": (
        "assistant",
        {"type": "dream", "about": "sheep"},
        ("unknown", "dream", '{"type": "dream", "about": "sheep"}'),
    ),
    "no type": ("user", {"text": "x"}, ("unknown", "no type", '{"text": "x"}')),
}


@pytest.mark.parametrize("role, block, wanted", BLOCKS.values(), ids=BLOCKS.keys())
def test_a_block_has_a_sign_a_name_and_a_gist(role, block, wanted):
    assert text_of(block, role)[:3] == wanted


def test_a_reminder_has_a_word():
    assert text_of({"type": "text", "text": "<system-reminder>x"}, "user").word == "reminder"
    assert text_of({"type": "text", "text": "x <system-reminder>"}, "user").word == ""


def test_a_result_has_the_name_of_its_call():
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": "ok"}
    rows, texts = rows_and_texts(
        [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    )
    assert [text.name for text in texts] == ["", "Bash", "Bash"]
    assert [row.kind for row in rows] == ["turn", "block", "block"]


def test_system_and_tools_of_a_body():
    body = {
        "system": [{"type": "text", "text": "Be brief."}, {"type": "text", "text": "Be kind."}],
        "tools": [{"name": "ls"}],
        "messages": [],
    }
    _, texts = rows_and_texts(body)
    assert [text[:3] for text in texts] == [
        ("system", "", "Be brief. ¶ Be kind."),
        ("tools", "1 tool", "ls"),
    ]


@pytest.mark.parametrize(
    "system, gist, size",
    [('"Be brief."', "Be brief.", 9), ("[5, {}]", "", 7), ('{"a": 1}', "", 8), ("null", "", 4)],
)
def test_odd_system_prompts(system, gist, size):
    _, texts = rows_and_texts(f'{{"system": {system}, "messages": []}}'.encode())
    assert (texts[0].gist, texts[0].size) == (gist, size)


def test_what_waits():
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}
    _, texts = rows_and_texts([{"role": "assistant", "content": [call]}])
    assert texts[-1].gist == "the tape ends here: 1 call waits for its result"
    _, texts = rows_and_texts([{"role": "assistant", "content": [call, call | {"id": "u"}]}])
    assert texts[-1].gist == "the tape ends here: 2 calls wait for their results"


def test_notes_and_damage():
    lines = [
        {"type": "summary", "summary": "x", "leafUuid": "u", "sessionId": "s"},
        {"type": "mode\x1b[0m", "sessionId": "s"},
    ]
    raw = b"\n".join(json.dumps(line).encode() for line in lines)
    rows, texts = rows_and_texts(raw + b"\n{broken \x1b[31m\n")
    assert [row.kind for row in rows] == ["notes", "note", "note", "unreadable"]
    assert texts[0].gist == "2 notes"
    assert [text.gist for text in texts[1:3]] == ["summary", "mode¤[0m"]
    assert texts[3].sign == "error"
    assert texts[3].gist.startswith("line 3 is unreadable, ")
    assert texts[3].gist.endswith("{broken ¤[31m")


def test_a_message_without_content():
    _, texts = rows_and_texts([{"role": "user", "content": []}])
    assert texts[0][:3] == ("text", "", "(no content)")


def test_a_file_that_has_changed_is_told_and_not_a_crash():
    body = [{"role": "user", "content": [{"type": "text", "text": "hello"}]}]
    session = session_of(body)
    index = Index(session.main.messages, session.frame, session.dialect)
    changed = msgspec.structs.replace(session, source=MemorySource(b"x" * session.source.size))
    (row,) = rows_of(changed, changed.main, index)
    text = describe(changed, index, row)
    assert text.sign == "error"
    assert text.gist.startswith("cannot be read any more: ")


def test_a_disk_that_fails_is_told_and_not_a_crash():
    class Failing(MemorySource):
        def read(self, start, length):
            raise OSError(5, "Input/output error")

    session = session_of([{"role": "user", "content": "hello"}])
    index = Index(session.main.messages, session.frame, session.dialect)
    failing = msgspec.structs.replace(session, source=Failing(b""))
    (row,) = rows_of(failing, failing.main, index)
    assert describe(failing, index, row).gist == "cannot be read any more: Input/output error"


def test_a_turn_row_without_a_record_says_nothing():
    session = session_of([])
    index = Index((), session.frame, session.dialect)
    assert describe(session, index, Row("turn", 1)).sign == ""


def test_names_are_clean_and_short():
    call = {"type": "tool_use", "id": "t", "name": "a\x1b[0m" + "x" * 500, "input": {}}
    session = session_of([{"role": "assistant", "content": [call]}])
    index = Index(session.main.messages, session.frame, session.dialect)
    (block,) = session.main.messages[0].blocks
    name = tool_of(block, index)
    assert name.startswith("a¤[0mxxx")
    assert len(name) == 80


def test_the_parts_of_a_block():
    session = session_of([{"role": "user", "content": "hello"}])
    (record,) = session.records
    assert parts_of(session, record, record.blocks[0])[0].text == "hello"


@pytest.mark.parametrize("depth", [500, 3000])
def test_deep_input_is_shown_or_told(depth):
    raw = "[" * depth + "]" * depth
    block = f'{{"type":"tool_use","id":"t","name":"f","input":{{"x":{raw}}}}}'
    _, texts = rows_and_texts(f'[{{"role":"assistant","content":[{block}]}}]'.encode())
    assert texts[1].sign in ("call", "error")


def test_an_input_that_cannot_be_decoded_keeps_its_tool_and_shows_its_text():
    number = b"9" * 6_000
    body = (
        b'[{"role": "user", "content": "go"}, {"role": "assistant", "content": [{"type": '
        b'"tool_use", "id": "t", "name": "Bash", "input": {"n": ' + number + b"}}]}]"
    )
    snapshot = snapshot_of(body)
    (row,) = (row for row in snapshot.rows if row.block is not None and row.block.id)
    text = describe(snapshot.session, snapshot.index, row)
    assert (text.sign, text.name) == ("call", "Bash")
    assert text.gist.startswith('{"n": 999')
