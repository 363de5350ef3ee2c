"""Editing without a screen: a script in, the session out, and nothing half done."""

import io
import json
import shutil
import sys
from pathlib import Path

import pytest

from tapeview.edit.operations import operations_from
from tapeview.formats._source import stamp_of
from tapeview.keep.keeper import Keeper
from tapeview.open_session import load

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_sessions"
LOST = SAMPLES / "lost-one.json"
HEALTHY = SAMPLES / "healthy.jsonl"
AGENT = "agent:a4d10e6b2c97f3518"
EVERY_SAMPLE = sorted(SAMPLES.glob("*.json*"))

ANSWER = {"op": "answer", "at": "messages.1.content.3", "text": "gone"}
AGENT_TEXT = {"op": "set", "tape": AGENT, "at": "messages.0", "member": "text", "value": "Hi"}


@pytest.fixture
def script(tmp_path):
    """Writes a script; its path."""

    def write(*edits, raw=None):
        path = tmp_path / "script.json"
        path.write_bytes(json.dumps(edits).encode() if raw is None else raw)
        return path

    return write


@pytest.fixture
def lost(tmp_path):
    """A copy that one may write to."""
    return Path(shutil.copy(LOST, tmp_path))


@pytest.fixture
def healthy(tmp_path):
    """The same of a session with a sub-agent beside it."""
    shutil.copytree(SAMPLES / "healthy", tmp_path / "healthy")
    return Path(shutil.copy(HEALTHY, tmp_path))


@pytest.mark.parametrize("path", EVERY_SAMPLE, ids=lambda path: path.name)
def test_an_empty_list_gives_the_same_file(capsysbinary, tmp_path, script, path, tapeview):
    assert tapeview("edit", path, "--script", script(), "-o", tmp_path / "out")[0] == 0
    assert (tmp_path / "out").read_bytes() == path.read_bytes()


def test_the_result_goes_to_standard_output(tapeview, script, lost):
    before = lost.read_bytes()
    code, out, err = tapeview("edit", lost, "--script", script(ANSWER))
    assert (code, err) == (0, "")
    assert lost.read_bytes() == before
    results = json.loads(out)["messages"][2]["content"]
    answer = next(block for block in results if block.get("content") == "gone")
    assert {"tool_use_id", "content", "is_error"} < set(answer)


def test_edits_are_understood_one_after_the_other(tapeview, script, lost):
    edits = [
        {"op": "insert", "role": "user", "content": "first", "before": "messages.0"},
        {"op": "set", "at": "messages.0", "member": "text", "value": "changed"},
    ]
    _, out, _ = tapeview("edit", lost, "--script", script(*edits))
    assert json.loads(out)["messages"][0] == {"role": "user", "content": "changed"}


def test_standard_input_is_the_session_or_the_script(tapeview, script, lost, monkeypatch):
    path = script(ANSWER)
    _, expected, _ = tapeview("edit", lost, "--script", path)
    for raw, words in (
        (lost.read_bytes(), ["-", "--script", path]),
        (path.read_bytes(), [lost, "--script", "-"]),
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        assert tapeview("edit", *words) == (0, expected, "")


def test_a_file_that_is_there_is_not_written_over(tapeview, script, lost, tmp_path):
    out = tmp_path / "out.json"
    words = ["edit", lost, "--script", script(ANSWER), "-o", out]
    assert tapeview(*words) == (0, "", "")
    first = out.read_bytes()
    out.write_text("mine")
    code, printed, err = tapeview(*words)
    assert (code, printed) == (2, "")
    assert err == f"{out}: there is such a file already.\n"
    assert out.read_text() == "mine"
    assert tapeview(*words, "--force") == (0, "", "")
    assert out.read_bytes() == first


UNFIT = {
    "not JSON": (b"[{", "script.json: the list of edits is not JSON: "),
    "not UTF-8": (b'[{"op":"\xff"}]', "script.json: the list of edits is not JSON: "),
    "no list": (b"{}", "script.json: a script is a JSON array of edits."),
    "no edit": (b"[1]", "edit 1 of the list does not fit: Expected `object`, got `int`."),
    "an unknown edit": (b'[{"op":"x"}]', "edit 1 of the list does not fit: Invalid value 'x'"),
    "an unknown member": (
        b'[{"op":"clear"},{"op":"clear","att":1}]',
        "edit 2 of the list does not fit: Object contains unknown field `att`",
    ),
    "a member that is missing": (b'[{"op":"set"}]', "missing required field"),
    "a value of the wrong kind": (b'[{"op":"delete","at":5}]', "got `int`"),
    "far too deep": (b'[{"op":"set","value":' + b"[" * 99999, "the list of edits is not JSON: "),
    "no such place": (
        [ANSWER, {"op": "delete", "at": ["messages.99"]}],
        "edit 2 of 2: there is no messages.99: the tape has 7 messages.",
    ),
    "no such tape": ([{"op": "clear", "tape": "main~4"}], "edit 1 of 1: "),
    "what changes nothing": ([ANSWER, ANSWER], "edit 2 of 2: messages.1.content.3 is answered"),
    "pairs that nobody has decided": (
        [{"op": "delete", "at": ["messages.1.content.1"]}],
        "edit 1 of 1: this parts calls from their results: messages.2.content.0 would stay alone; "
        "say both, keep or answer.",
    ),
}


@pytest.mark.parametrize("to", ["standard output", "-o", "--in-place"])
@pytest.mark.parametrize("edits, sentence", UNFIT.values(), ids=UNFIT.keys())
def test_a_script_that_does_not_fit_writes_nothing(
    tapeview, script, lost, tmp_path, edits, sentence, to
):
    path = script(raw=edits) if isinstance(edits, bytes) else script(*edits)
    before, out = lost.read_bytes(), tmp_path / "out.json"
    words = {"standard output": [], "-o": ["-o", out], "--in-place": ["--in-place"]}[to]
    code, printed, err = tapeview("edit", lost, "--script", path, *words)
    assert (code, printed) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
    assert err.startswith(f"{path}: ")
    assert lost.read_bytes() == before
    assert not out.exists()
    assert Keeper(load(str(lost))).left() is None
    assert tapeview("edit", lost, "--export")[1] == "[]\n"


def test_in_place(tapeview, script, lost):
    _, expected, _ = tapeview("edit", lost, "--script", script(ANSWER))
    code, out, err = tapeview("edit", lost, "--script", script(ANSWER), "--in-place")
    assert (code, out, err) == (0, "", f"{lost}: 1 edit saved.\n")
    assert lost.read_text() == expected
    assert [path.name for path in lost.parent.glob("*lost-one*")] == ["lost-one.json"]


def test_in_place_keeps_the_first_original(tapeview, script, lost, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for text in ("once", "twice"):
        edit = {"op": "prepend", "text": text}
        assert tapeview("edit", lost, "--script", script(edit), "--in-place")[0] == 0
    (original,) = (tmp_path / "state" / "tapeview" / "originals").iterdir()
    assert original.read_bytes() == LOST.read_bytes()


def test_in_place_with_nothing_to_do(tapeview, script, lost):
    there_and_back = [
        {"op": "insert", "role": "user", "content": "x"},
        {"op": "delete", "at": ["messages.7"]},
    ]
    for edits in ([], there_and_back):
        stamp = stamp_of(lost)
        code, out, err = tapeview("edit", lost, "--script", script(*edits), "--in-place")
        assert (code, out, err) == (0, "", f"{lost}: nothing changed.\n")
        assert stamp_of(lost) == stamp
        assert Keeper(load(str(lost))).left() is None


def test_in_place_leaves_alone_what_was_never_saved_by_hand(tapeview, script, lost):
    by_hand = Keeper(load(str(lost)))
    by_hand.apply(operations_from(b'[{"op":"clear"}]')[0])
    before = lost.read_bytes()
    code, out, err = tapeview("edit", lost, "--script", script(ANSWER), "--in-place")
    assert (code, out) == (2, "")
    assert "1 edit made by hand was never saved; open it and save or drop it first." in err
    assert lost.read_bytes() == before
    assert json.loads(tapeview("edit", lost, "--export")[1]) == [{"op": "clear"}]


def test_in_place_saves_the_files_of_sub_agents(tapeview, script, healthy):
    (agent,) = (healthy.parent / "healthy").rglob("agent-*.jsonl")
    before = healthy.read_bytes()
    _, _, err = tapeview("edit", healthy, "--script", script(AGENT_TEXT), "--in-place")
    assert err == f"{healthy}: 1 edit saved.\n"
    assert healthy.read_bytes() == before
    assert json.loads(agent.read_bytes().splitlines()[0])["message"]["content"] == "Hi"


@pytest.mark.parametrize("to", [[], ["-o", "out.jsonl"]])
def test_elsewhere_only_the_session_file_itself_can_change(
    tapeview, script, healthy, tmp_path, monkeypatch, to
):
    monkeypatch.chdir(tmp_path)
    path = script({"op": "prepend", "text": "x"}, AGENT_TEXT)
    code, out, err = tapeview("edit", healthy, "--script", path, *to)
    assert (code, out) == (2, "")
    assert err == (
        f"{path}: edit 2 of 2: it changes the file of a sub-agent, which only --in-place saves.\n"
    )
    assert not Path("out.jsonl").exists()


def test_edits_by_hand_are_exported_and_run_on_another_file(tapeview, script, lost, tmp_path):
    other = shutil.copy(lost, tmp_path / "other.json")
    by_hand = Keeper(load(str(lost)))
    for raw in (ANSWER, {"op": "prepend", "text": "é \u202e"}, {"op": "clear"}):
        by_hand.apply(operations_from(json.dumps([raw]).encode())[0])
    by_hand.undo()
    by_hand.save()
    code, out, err = tapeview("edit", lost, "--export")
    assert (code, err) == (0, "")
    assert json.loads(out) == [ANSWER, {"op": "prepend", "text": "é \u202e"}]
    assert out.count("\n") == 4
    code, edited, _ = tapeview("edit", other, "--script", script(raw=out.encode()))
    assert code == 0
    assert edited == lost.read_text()


def test_a_file_that_was_never_edited_has_an_empty_list(tapeview, lost):
    expected = (0, "[]\n", f"{lost}: no edits of this file are kept.\n")
    assert tapeview("edit", lost, "--export") == expected


def test_an_export_says_that_the_file_has_changed_since(tapeview, script, lost):
    tapeview("edit", lost, "--script", script(ANSWER), "--in-place")
    lost.write_bytes(LOST.read_bytes() + b"\n")
    code, out, err = tapeview("edit", lost, "--export")
    assert (code, json.loads(out)) == (0, [ANSWER])
    assert err == f"{lost}: the file has changed since these edits were made.\n"


def test_the_schema_names_every_edit(tapeview):
    code, out, err = tapeview("edit", "--schema")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found["type"] == "array"
    assert found["items"]["discriminator"]["propertyName"] == "op"
    assert {"set", "delete", "compact"} < set(found["items"]["discriminator"]["mapping"])


class Terminal(io.TextIOWrapper):
    """Standard output that says it is one."""

    def isatty(self):
        return True


def test_on_a_terminal_nothing_in_the_session_acts(monkeypatch, tmp_path, script):
    from tapeview.cli import run

    path = tmp_path / "body.json"
    path.write_text('[{"role":"user","content":"a\u202e"}]', encoding="utf-8")
    out = Terminal(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", out)
    assert run(["edit", str(path), "--script", str(script())]) == 0
    assert out.buffer.getvalue() == rb'[{"role":"user","content":"a\u202e"}]'
