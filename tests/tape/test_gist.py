"""The one line that stands for a block."""

import base64
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.tape.gist import LIMIT, gist_of_call, gist_of_image, gist_of_parts, gist_of_tools
from tapeview.tape.json_text import loads
from tapeview.tape.shape import Part

PNG = base64.b64encode(
    b"\x89PNG\r\n\x1a\n"
    + struct.pack(">I4sII5s", 13, b"IHDR", 64, 48, b"\x08\x02\0\0\0")
    + bytes(4)
).decode()


@pytest.mark.parametrize(
    "value, gist",
    [
        ({"command": "pytest -q", "description": "Run the tests"}, "pytest -q"),
        ({"cmd": "ls"}, "ls"),
        ({"file_path": "a/b.py"}, "a/b.py"),
        ({"path": "a/b.py", "command": "view"}, "a/b.py"),
        ({"path": "", "command": "view"}, "view"),
        ({"file_path": "a.py", "offset": 18, "limit": 19}, "a.py:18-36"),
        ({"file_path": "a.py", "offset": 18}, "a.py:18-"),
        ({"file_path": "a.py", "offset": True}, "a.py"),
        ({"file_path": "a.py", "offset": -1, "limit": 5}, "a.py"),
        ({"file_path": "a.py", "offset": 10**4299, "limit": 1}, "a.py"),
        ({"file_path": "a.py", "limit": 5}, "a.py"),
        ({"pattern": "x|y", "path": "src"}, '"x|y" in src'),
        ({"pattern": "x"}, '"x"'),
        ({"description": "Find it", "prompt": "You are ..."}, "Find it"),
        ({"prompt": "You are"}, "You are"),
        ({"url": "https://x"}, "https://x"),
        ({"query": "tides"}, "tides"),
        ({"query": "", "code": "1+1"}, "1+1"),
        ({"name": "ls", "all": True, "none": None}, "name: ls, all: true, none: null"),
        ({"n": 5, "list": [1, 2], "map": {"a": 1}, "no": {}}, "n: 5, no: {}, map: {…}, list: [2]"),
        ({}, ""),
        (None, ""),
        ("{broken", "{broken"),
        ([1, 2], "[2]"),
        (False, "false"),
        (1.5, "1.5"),
        ({"command": "a\nb\tc\x1b[0m"}, "a ¶ b c¤[0m"),
    ],
)
def test_what_a_call_does(value, gist):
    assert gist_of_call(value) == gist


@pytest.mark.parametrize(
    "folder, path, gist",
    [
        ("/home/ana/src", "/home/ana/src/a.py", "a.py"),
        ("/home/ana/src/", "/home/ana/src/a.py", "a.py"),
        ("/home/ana/src", "/home/ana/src2/a.py", "/home/ana/src2/a.py"),
        ("/home/ana/src", "/home/ana/src", "/home/ana/src"),
        ("/home/ana/src", "/home/ana/src/", "/home/ana/src/"),
        ("", "/a.py", "/a.py"),
    ],
)
def test_paths_below_the_folder_are_shown_from_there(folder, path, gist):
    assert gist_of_call({"file_path": path}, folder) == gist


@pytest.mark.parametrize(
    "old, new, change",
    [
        ("a", "b", "+1 -1"),
        ("a\nb\nc", "a\nx\ny\nc", "+2 -1"),
        ("a\nb", "a", "+0 -1"),
        ("", "x", "+1 -1"),
        ("a", "a", "+0 -0"),
        ("a\na", "a\na\na", "+1 -0"),
        ("a\nb\na", "a", "+0 -2"),
    ],
)
def test_an_edit_counts_the_lines_that_differ(old, new, change):
    value = {"file_path": "a.py", "old_string": old, "new_string": new}
    assert gist_of_call(value) == f"a.py  {change}"


def test_an_edit_of_many_lines_is_counted_as_quickly():
    lines = "x\n" * 300_000
    value = {"file_path": "a.py", "old_string": lines + "a", "new_string": lines + "b"}
    assert gist_of_call(value) == "a.py  +1 -1"


@pytest.mark.parametrize(
    "parts, gist",
    [
        ([], "(empty)"),
        ([Part("text", text="")], "(empty)"),
        ([Part("text", text="one\ntwo")], "one ¶ two"),
        ([Part("text", text="one"), Part("text", text="two")], "one ¶ two"),
        ([Part("json", raw=b'{"a":  1,\n "b": 2}')], '{"a": 1, "b": 2}'),
        ([Part("note", text="image at https://x")], "image at https://x"),
        ([Part("document", text="in/a.pdf", media_type="a/pdf")], "a.pdf a/pdf"),
        ([Part("document", media_type="application/pdf")], "document application/pdf"),
        ([Part("image", media_type="image/png", data=PNG)], "image/png 64×48"),
        ([Part("text", text="\x1b]0;x\x07")], "¤]0;x¤"),
        ([Part("document", text="a\u202eb", media_type="\x1b")], "a¤b ¤"),
    ],
)
def test_the_first_words_of_a_text_or_result(parts, gist):
    assert gist_of_parts(parts) == gist


@pytest.mark.parametrize(
    "part, gist",
    [
        (Part("image", media_type="image/jpeg", data=PNG), "image/jpeg 64×48"),
        (Part("image", data=PNG), "image/png 64×48"),
        (Part("image", data="!!"), "image"),
        (Part("image", media_type="a\x1b", data=""), "a¤"),
    ],
)
def test_an_image_says_its_type_and_its_size(part, gist):
    assert gist_of_image(part) == gist


@pytest.mark.parametrize(
    "tools, wanted",
    [
        (b'[{"name":"Read"},{"name":"Bash"}]', ("2 tools", "Read, Bash")),
        (b'[{"type":"function","function":{"name":"f"}}]', ("1 tool", "f")),
        (b'[{"type":"web_search_20250305"}]', ("1 tool", "web_search_20250305")),
        (b'[5,{},{"name":[[]]}]', ("2 tools", "?, ?")),
        (b"", ("0 tools", "")),
        (b"{}", ("0 tools", "")),
        (b"[oops", ("0 tools", "")),
        (b'[{"name":"a\\u001b[0m"}]', ("1 tool", "a¤[0m")),
    ],
)
def test_tools_are_counted_and_named(tools, wanted):
    assert gist_of_tools(tools) == wanted


@pytest.mark.parametrize("depth", [1, 900])
@pytest.mark.parametrize("ends", [(b"[", b"]"), (b'{"a":', b"}")], ids=["arrays", "objects"])
def test_deep_values_have_a_gist(ends, depth):
    opening, closing = ends
    raw = opening * depth + b"1" + closing * depth
    assert len(gist_of_call(loads(raw))) < 20
    assert len(gist_of_call({"x": loads(raw)})) < 20


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=10,
)
inputs = st.dictionaries(
    st.sampled_from(
        ["path", "pattern", "offset", "limit", "old_string", "new_string", "command", "x", "\x1b"]
    ),
    st.one_of(values, st.text(min_size=300, max_size=900)),
)


@given(st.one_of(values, inputs), st.text())
def test_a_gist_is_one_short_clean_line(value, folder):
    gist = gist_of_call(value, folder)
    assert len(gist) <= LIMIT + 40
    assert not any(ord(sign) < 32 or 0x7F <= ord(sign) < 0xA0 for sign in gist)
