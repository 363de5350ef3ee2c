"""The body of the block pane, and what can be copied of a row."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.formats._registry import detect
from tapeview.looks.block_text import (
    block_body,
    block_head,
    copy_json,
    copy_path,
    copy_text,
    editor_place,
)
from tapeview.open_session import OpenSession, load
from tapeview.tape.source import MemorySource
from tests.block_samples import (
    PNG,
    at,
    body_of,
    call,
    claude,
    image,
    model,
    result,
    text,
    user,
    written,
)
from tests.helpers import snapshot_of

ASK = user("go")


def own_lines(body, place):
    """Styles and words of the body alone, without what stands beside it."""
    snapshot = snapshot_of(body)
    lines = block_body(snapshot, at(snapshot, place))
    return [(*line.parts, line.indent, line.bar) for line in lines if not line.beside]


# -- texts -----------------------------------------------------------------------------------------


def test_text_stands_line_by_line_as_raw_as_it_is():
    body = [user("a\x1b[31m\n\n  b\tc\r\nd\n")]
    assert body_of(body, "messages.0") == ["a\x1b[31m", "", "  b\tc", "d"]


@pytest.mark.parametrize(
    ("source", "styles"),
    [
        ("# One\ntwo\n###### six", ["heading", "fg", "heading"]),
        ("#no\n####### seven\n   ## three in", ["fg", "fg", "heading"]),
        ("a\n```py\n# no heading\n```\n# yes", ["fg", "fence", "fence", "fence", "heading"]),
        ("````\n```\n# in\n````\nout", ["fence", "fence", "fence", "fence", "fg"]),
        ("~~~\n```\n~~~\nout", ["fence", "fence", "fence", "fg"]),
        ("- x\n  ```\n  y\n  ```\nz", ["fg", "fence", "fence", "fence", "fg"]),
        ("```\n``` not the end\nopen to the end", ["fence", "fence", "fence"]),
        ("#", ["heading"]),
    ],
)
def test_markdown_of_the_model_shows_headings_and_fences(source, styles):
    lines = own_lines([ASK, model(source)], "messages.1")
    assert [line[0][0] for line in lines] == styles
    assert "\n".join(line[0][1] for line in lines) == source


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ([user("# not markdown")], "messages.0"),
        (
            [ASK, model({"type": "thinking", "thinking": "# no", "signature": "s"})],
            "messages.1.content.0",
        ),
        ([ASK, model(call("a")), user(result("a", "# no"))], "messages.2.content.0"),
    ],
)
def test_nothing_else_is_markdown(body, place):
    assert own_lines(body, place)[0][0][0] == "fg"


def test_parts_of_a_result_are_set_apart():
    body = [
        ASK,
        model(call("a")),
        user(result("a", [text("one\ntwo"), image(), text(""), {"type": "odd", "x": 1}])),
    ]
    lines = body_of(body, "messages.2.content.0")
    assert lines[:3] == ["one", "two", ""]
    assert lines[3].startswith("image/png · 4×3 · ")
    assert lines[4:9] == ["", "{", '  "type": "odd",', '  "x": 1', "}"]


@pytest.mark.parametrize("content", ["", [], None, [text("")]])
def test_what_is_empty_says_so(content):
    body = [ASK, model(call("a")), user(result("a", content))]
    assert own_lines(body, "messages.2.content.0") == [(("muted", "(empty)"), 0, False)]


def test_a_message_without_blocks():
    body = [ASK, model("ok"), {"role": "user", "content": []}]
    assert body_of(body, "messages.2") == ["(no content)"]


# -- JSON ------------------------------------------------------------------------------------------


def test_json_is_shown_as_written_and_coloured_by_kind():
    raw = b'[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use",'
    raw += b'"id":"a","name":"f","input":{"b":1.0e2,"a":[true,null],"s":"x","t":"l1\\nl2"}}]}]'
    assert own_lines(raw, "messages.1.content.0") == [
        (("punct", "{"), 0, False),
        (("key", '"b"'), ("punct", ": "), ("number", "1.0e2"), ("punct", ","), 2, False),
        (("key", '"a"'), ("punct", ": ["), 2, False),
        (("number", "true"), ("punct", ","), 4, False),
        (("number", "null"), 4, False),
        (("punct", "],"), 2, False),
        (("key", '"s"'), ("punct", ": "), ("string", '"x"'), ("punct", ","), 2, False),
        (("key", '"t"'), ("punct", ":"), 2, False),
        (("string", "l1"), 4, True),
        (("string", "l2"), 4, True),
        (("punct", "}"), 0, False),
    ]


def test_arguments_in_a_string_are_json_too_and_broken_ones_are_text():
    def called(arguments):
        function = {"name": "f", "arguments": arguments}
        calls = [{"id": "call_1", "type": "function", "function": function}]
        return [ASK, {"role": "assistant", "content": None, "tool_calls": calls}]

    assert body_of(called('{"a":1}'), "messages.1.tool_calls.0")[:3] == ["{", '  "a": 1', "}"]
    assert body_of(called('{"a":'), "messages.1.tool_calls.0")[0] == '{"a":'


# -- rows that are no blocks -----------------------------------------------------------------------

REQUEST = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 100,
    "system": [text("Be brief.\nBe kind."), text("Second.")],
    "tools": [
        {"name": "Bash", "description": "\nRuns.\nMore.", "input_schema": {"type": "object"}},
        {"type": "web_search_20250305", "name": "web_search"},
    ],
    "messages": [ASK],
}


def test_the_system_prompt_and_what_else_the_request_carries():
    assert body_of(REQUEST, "system") == [
        "Be brief.",
        "Be kind.",
        "",
        "Second.",
        "",
        "request",
        "  model       claude-sonnet-4-5",
        "  max_tokens  100",
    ]
    assert body_of({**REQUEST, "system": "Be\nbrief."}, "system")[:2] == ["Be", "brief."]
    assert body_of({**REQUEST, "system": {"odd": 1}}, "system")[:3] == ["{", '  "odd": 1', "}"]


def test_tools_are_named_described_in_a_line_and_shown_by_their_schema():
    assert body_of(REQUEST, "tools")[:10] == [
        "Bash",
        "Runs.",
        "{",
        '  "type": "object"',
        "}",
        "",
        "web_search",
        "{",
        '  "type": "web_search_20250305",',
        '  "name": "web_search"',
    ]


def test_tools_of_chat_and_odd_ones():
    function = {"name": "f", "description": "Does.", "parameters": {}}
    tools = [{"type": "function", "function": function}, 7, {"name": 1}]
    lines = body_of({"model": "gpt-5", "tools": tools, "messages": [ASK]}, "tools")
    assert lines[:3] == ["f", "Does.", "{}"]
    assert lines[4:6] == ["no name", "7"]
    assert body_of({"model": "claude-x", "tools": {"a": 1}, "messages": [ASK]}, "tools")[0] == "{"


def test_a_turn_is_summed_up():
    assert body_of([ASK, model(call("a"))], "kind:turn")[0] == "turn"


def test_a_note_and_a_damaged_line_are_shown_raw():
    body = (
        claude(ASK, {**model("ok"), "id": "m"}) + b'\n{"type":"summary","leafUuid":"x"}\n{"oops\n'
    )
    assert body_of(body, "kind:note") == ["{", '  "type": "summary",', '  "leafUuid": "x"', "}"]
    assert body_of(body, "kind:unreadable") == ['{"oops']


def test_a_run_of_notes_is_listed():
    note = b'\n{"type":"summary","leafUuid":"x"}'
    body = claude(ASK, {**model("ok"), "id": "m"}) + note * 3
    assert body_of(body, "kind:notes") == [f"summary  line {n} · 33 B" for n in (3, 4, 5)]


def test_the_end_is_one_sentence():
    body = [ASK, model(call("a"), call("b"))]
    assert body_of(body, "kind:end") == ["The tape ends here: 2 calls wait for their results."]


# -- files that changed ----------------------------------------------------------------------------


class CutSource(MemorySource):
    """A file that can be cut, replaced or lost after it was opened."""

    now = None

    def read(self, start, length):
        if self.now is None:
            return super().read(start, length)
        if self.now == "lost":
            raise OSError(5, "Input/output error")
        return self.now[start : start + length]


DAMAGED = (
    claude(
        {**ASK, "at": "10:00:00"},
        {**model(text("x"), call("a")), "id": "m1", "at": "10:00:01"},
        {**user(result("a", [text("x"), image()]), text("y")), "at": "10:00:02"},
    )
    + b'\n{"type":"summary","leafUuid":"x"}\n{"oops\n{}'
)


def opened(raw):
    source = CutSource(raw, "memory")
    format_, head = detect(source, "memory")
    store = format_.open(head, "memory")
    return source, OpenSession(store.session(list(store.records()))).snapshot()


@pytest.mark.parametrize(
    "now", [b"", DAMAGED[:700], b"{" * 5000, b"[]" * 5000, b"null " * 999, "lost"]
)
@pytest.mark.parametrize(
    "raw", [DAMAGED, json.dumps(REQUEST).encode(), b'[{"role":"user","content":[]}]']
)
def test_a_file_that_changed_gives_sentences_not_exceptions(raw, now):
    source, snapshot = opened(raw)
    rows = snapshot.rows
    source.now = now
    for row in rows:
        head = block_head(snapshot, row)
        assert head.title
        assert isinstance(written(block_body(snapshot, row)), list)
        for copy in (copy_text, copy_json, copy_path):
            assert isinstance(copy(snapshot, row), str)


def test_what_a_shrunken_file_says():
    source, snapshot = opened(DAMAGED)
    row = at(snapshot, "messages.2.content.0")
    source.now = DAMAGED[:300]
    sentence = "cannot be read any more: the file is shorter than when it was opened"
    assert written(block_body(snapshot, row)) == [sentence]
    assert copy_text(snapshot, row) == copy_json(snapshot, row) == ""


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
TYPES = st.sampled_from(
    ["text", "thinking", "tool_use", "tool_result", "image", "document", "x", ""]
)
MEMBERS = [
    "text",
    "id",
    "name",
    "input",
    "content",
    "source",
    "tool_use_id",
    "thinking",
    "signature",
]
BLOCKS = st.builds(
    lambda kind, members: {"type": kind, **members},
    TYPES,
    st.dictionaries(st.sampled_from(MEMBERS), JSON, max_size=4),
)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {
            "role": st.sampled_from(["user", "assistant", "system", "tool", "?"]),
            "content": st.text() | st.lists(BLOCKS | JSON, max_size=3) | JSON,
        },
        optional={"id": JSON, "usage": JSON, "tool_calls": JSON, "stop_reason": JSON},
    ),
    min_size=1,
    max_size=4,
)


@given(MESSAGES, JSON, JSON)
def test_any_body_can_be_looked_at(messages, system, tools):
    body = {"model": "claude-x", "system": system, "tools": tools, "messages": messages}
    raw = json.dumps(body).encode()
    source = MemorySource(raw, "memory")
    format_, head = detect(source, "memory")
    store = format_.open(head, "memory")
    snapshot = OpenSession(store.session(list(store.records()))).snapshot()
    for row in snapshot.rows:
        head = block_head(snapshot, row)
        words = [head.title, head.name, *head.figures, *head.place]
        words += [line.text for line in head.lines]
        assert all("\n" not in word and "\x1b" not in word for word in words)
        for line in block_body(snapshot, row):
            assert "\n" not in line.text
        copy_text(snapshot, row)
        copy_json(snapshot, row)
        copy_path(snapshot, row)


# -- copies ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("messages.0", "a\x1b[31m\u202e\r\nb\n"),
        ("messages.1.content.0", '{"k": "\\u00e9"}'),
        ("messages.2.content.0", f"one\n{PNG}"),
        ("kind:end", "The tape ends here: 1 call waits for its result."),
    ],
)
def test_copied_text_is_the_stored_text(place, words):
    raw = json.dumps(
        [
            user("a\x1b[31m\u202e\r\nb\n"),
            model(call("a", k="é"), call("b")),
            user(result("a", [text("one"), image()])),
        ]
    ).encode()
    snapshot = snapshot_of(raw)
    assert copy_text(snapshot, at(snapshot, place)) == words


def test_copied_json_is_written_as_it_is_stored():
    raw = (
        b'[ {"role": "user", "content": "g\\u006f"},\n {"content":[ {"type":"tool_use",  "id":"a", '
    )
    raw += b'"name":"f","input":{"b":1.0e2}}],"role":"assistant"}]'
    snapshot = snapshot_of(raw)
    assert copy_json(snapshot, at(snapshot, "messages.0")) == '"g\\u006f"'
    block = '{"type":"tool_use",  "id":"a", "name":"f","input":{"b":1.0e2}}'
    assert copy_json(snapshot, at(snapshot, "messages.1.content.0")) == block
    message = '{"content":[ ' + block + '],"role":"assistant"}'
    assert copy_json(snapshot, at(snapshot, "kind:turn")) == message
    assert copy_json(snapshot, at(snapshot, "kind:end")) == ""


def test_copies_of_rows_that_are_no_blocks():
    snapshot = snapshot_of(REQUEST)
    tools = at(snapshot, "tools")
    assert copy_json(snapshot, tools) == copy_text(snapshot, tools)
    assert json.loads(copy_json(snapshot, tools)) == REQUEST["tools"]
    assert json.loads(copy_json(snapshot, at(snapshot, "system"))) == REQUEST["system"]
    assert copy_text(snapshot, at(snapshot, "system")) == "Be brief.\nBe kind.\n\nSecond."
    note = b'\n{"type":"summary","leafUuid":"x"}'
    snapshot = snapshot_of(claude(ASK, {**model("ok"), "id": "m"}) + note * 2)
    assert copy_json(snapshot, at(snapshot, "kind:note")) == note[1:].decode()
    assert copy_json(snapshot, at(snapshot, "kind:notes")) == (note * 2)[1:].decode()


def test_paths():
    snapshot = snapshot_of(REQUEST)
    places = [copy_path(snapshot, row) for row in snapshot.rows]
    assert places == ["system", "tools", "messages.0"]
    snapshot = snapshot_of([ASK, model(call("a"))])
    assert [copy_path(snapshot, row) for row in snapshot.rows] == [
        "messages.0",
        "messages.1",
        "messages.1.content.0",
        "",
    ]


def test_where_the_editor_opens(tmp_path):
    file = tmp_path / "session.jsonl"
    file.write_bytes(claude(ASK, {**model("x", call("a")), "id": "m"}) + b"\n{oops\n{}\n")
    snapshot = load(str(file)).snapshot()
    lines = [editor_place(snapshot, row) for row in snapshot.rows]
    assert {path for path, _ in lines} == {str(file)}
    assert editor_place(snapshot, at(snapshot, "messages.1")) == (str(file), 2)
    assert editor_place(snapshot, at(snapshot, "kind:unreadable")) == (str(file), 3)
    assert editor_place(snapshot, at(snapshot, "kind:end")) == (str(file), 4)


def test_standard_input_has_no_place_to_open():
    source = MemorySource(b'[{"role":"user","content":"x"}]')
    format_, head = detect(source, "-")
    store = format_.open(head, "-")
    snapshot = OpenSession(store.session(list(store.records()))).snapshot()
    assert editor_place(snapshot, snapshot.rows[0]) is None


def test_a_body_of_millions_of_lines_ends_with_a_word(monkeypatch):
    monkeypatch.setattr("tapeview.looks.block_text.MOST_LINES", 3)
    snapshot = snapshot_of([{"role": "user", "content": "1\n2\n3\n4"}])
    assert written(block_body(snapshot, snapshot.rows[0])) == [
        "1",
        "2",
        "3",
        "the first 3 lines; y copies all of it, o opens the file in the editor",
    ]
    assert copy_text(snapshot, snapshot.rows[0]) == "1\n2\n3\n4"
    snapshot = snapshot_of([{"role": "user", "content": "1\n2\n3"}])
    assert written(block_body(snapshot, snapshot.rows[0])) == ["1", "2", "3"]
