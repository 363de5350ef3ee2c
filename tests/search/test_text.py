"""The text of each kind of row, as a search reads it."""

import json

import pytest

from tapeview.search.text import SEARCHED, RowReader, json_texts, tool_name
from tapeview.tape.json_text import JsonFault
from tapeview.tape.source import MemorySource
from tests.block_samples import PNG, at, call, claude, image, model, result, text, user
from tests.helpers import snapshot_of


def read(snapshot, words, may_hold=lambda raw: True):
    """The names and the text of the row that the words lead to."""
    row = at(snapshot, words)
    reader = RowReader(snapshot, may_hold)
    return reader.head(row), "\n".join(reader.texts(row))


BODY = {
    "model": "claude-sonnet-4-5",
    "system": [{"type": "text", "text": "Be brief.\nBe kind."}],
    "tools": [{"name": "Bash", "description": "Runs\nit.", "input_schema": {"type": "object"}}],
    "messages": [
        user("caf\u00e9\nfor two"),
        model(
            {"type": "thinking", "thinking": "hm\n", "signature": "c2ln"},
            text("Looking."),
            call("toolu_1", command='echo "hi" \\ \n\tls', timeout=600),
        ),
        user(
            result("toolu_1", [text("out"), image(), result("toolu_x", "deep")]),
            {"type": "document", "title": "plan", "source": {"type": "url", "url": "http://x/p"}},
        ),
        model(
            {"type": "redacted_thinking", "data": "abc"},
            {"type": "unheard_of", "words": "né"},
            id="msg_9",
        ),
    ],
}
SNAPSHOT = snapshot_of(BODY)


@pytest.mark.parametrize(
    ("words", "head", "shown"),
    [
        ("kind:system", "", "Be brief.\nBe kind."),
        ("messages.0", "", "café\nfor two"),
        ("messages.1.content.0", "", "hm\n"),
        ("messages.1.content.1", "", "Looking."),
        (
            "messages.1.content.2",
            "Bash\ntoolu_1",
            '{\n"command":\necho "hi" \\ \n\tls\n"timeout": 600\n}',
        ),
        ("messages.2.content.0", "Bash\ntoolu_1", "out\n\nimage/png\ndeep"),
        ("messages.2.content.1", "", "plan\nhttp://x/p"),
        ("messages.3.content.0", "msg_9", ""),
        ("messages.3.content.1", "msg_9", '{\n"type": "unheard_of",\n"words": "né"\n}'),
        ("kind:turn", "", ""),
    ],
)
def test_the_text_of_a_row(words, head, shown):
    assert read(SNAPSHOT, words) == (head, shown)


def test_tools_are_read_whole():
    _, shown = read(SNAPSHOT, "kind:tools")
    assert '"description":\nRuns\nit.\n' in shown
    assert '"type": "object"' in shown


def test_a_picture_is_its_type_and_none_of_its_data():
    body = [user(image()), model("ok")]
    assert read(snapshot_of(body), "messages.0") == ("", "\nimage/png")
    chat = [
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://x/a"}}]}
    ]
    assert read(snapshot_of(chat), "messages.0") == ("", "http://x/a")
    assert PNG not in str(read(snapshot_of(body), "messages.0"))


def test_the_arguments_of_chat_are_read_as_what_they_hold():
    function = {"name": "run", "arguments": json.dumps({"code": "a\nb"})}
    chat = [
        user("go"),
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "call_1", "type": "function", "function": function},
                {"id": "call_2", "type": "function", "function": {**function, "arguments": "{"}},
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "done"},
    ]
    snapshot = snapshot_of(chat)
    assert read(snapshot, "messages.1.tool_calls.0") == ("run\ncall_1", '{\n"code":\na\nb\n}')
    assert read(snapshot, "messages.1.tool_calls.1") == ("run\ncall_2", "{")
    assert read(snapshot, "messages.2") == ("run\ncall_1", "done")


def test_notes_and_damaged_lines_are_read_as_they_are_stored():
    lines = claude(user("go"), model("ok")).split(b"\n")
    note = b'{"type":"summary","summary":"two\\nlines \\u00e9","leafUuid":"x"}'
    snapshot = snapshot_of(b"\n".join([note, lines[0], b'{"type": "user", "x\\u00e9', lines[1]]))
    head, shown = read(snapshot, "kind:note")
    assert head == "summary"
    assert '"summary":\ntwo\nlines é\n' in shown
    assert read(snapshot, "kind:unreadable") == ("", '{"type": "user", "x\\u00e9')


def test_of_what_is_stored_beside_a_message_its_uuid_alone_is_read():
    row = {**user(result("a", "seen")), "extra": {"toolUseResult": {"stdout": "hidden"}}}
    _, shown = read(snapshot_of(claude(user("go"), model(call("a")), row)), "messages.2")
    assert shown == "00000002-aaaa-bbbb-cccc-dddddddddddd\nseen"


@pytest.mark.parametrize(
    ("uuid", "shown"),
    [("a-b", "a-b\nx"), ("\ud800", "\ud800\nx"), ("", "x"), (7, "x"), (None, "x"), (["a"], "x")],
)
def test_a_uuid_is_read_as_far_as_it_is_text(uuid, shown):
    body = [{"role": "user", "content": "x", "uuid": uuid}]
    assert read(snapshot_of(body), "messages.0") == ("", shown)


def test_nothing_is_decoded_where_the_bytes_cannot_fit():
    asked = []

    def may_hold(raw):
        asked.append(raw)
        return b"Looking" in raw

    reader = RowReader(SNAPSHOT, may_hold)
    shown = ["".join(reader.texts(row)) for row in SNAPSHOT.rows]
    assert [text for text in shown if text] == ["Looking."]
    # Once for each record, and for each of its blocks where one of them may fit.
    assert len(asked) == 2 + 4 + 3


def test_thousands_of_blocks_of_one_message_are_read_one_by_one():
    calls = [call(f"toolu_{k}", number=k) for k in range(3_000)]
    snapshot = snapshot_of([user("go"), model(*calls)])
    reader = RowReader(snapshot, lambda raw: True)
    texts = ["".join(reader.texts(row)) for row in snapshot.rows if row.block is not None]
    assert texts[1:] == [f'{{\n"number": {k}\n}}' for k in range(3_000)]


def test_members_that_need_a_patient_reader():
    raw = b'[{"role":"user","content":"go"},{"role":"assistant","odd":NaN,"content":'
    raw += b'[{"type":"text","text":"a"},{"type":"text","text":"\\ud83d"}]}]'
    assert read(snapshot_of(raw), "messages.1.content.1") == ("", "\ud83d")


def test_a_result_has_the_name_of_its_call():
    names = [tool_name(SNAPSHOT, row) for row in SNAPSHOT.rows]
    assert [name for name in names if name] == ["Bash", "Bash"]


def test_a_file_that_was_cut_meanwhile_raises_a_known_fault():
    snapshot = snapshot_of(claude(user("go"), model("ok")))
    row = at(snapshot, "messages.1")
    assert isinstance(snapshot.session.source, MemorySource)
    snapshot.session.source._data = b"{"
    with pytest.raises((JsonFault, LookupError)):
        list(RowReader(snapshot, lambda raw: True).texts(row))


def test_long_json_comes_in_pieces_of_whole_lines():
    raw = json.dumps(list(range(1_200))).encode()
    pieces = list(json_texts(raw))
    assert len(pieces) == 3
    assert "\n".join(pieces).split("\n") == ["[", *(f"{k}," for k in range(1_199)), "1199", "]"]


def test_rows_that_stand_for_others_are_not_searched():
    assert {"turn", "notes", "end"}.isdisjoint(SEARCHED)
