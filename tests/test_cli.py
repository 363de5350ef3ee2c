"""The command line, which scripts rely on: words in; data, talk and exit codes out."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tapeview.cli import run
from tapeview.tape.clean import printable

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "sample_sessions"
CRASH = str(SAMPLES / "crash.jsonl")
HEALTHY = str(SAMPLES / "healthy.jsonl")
LOST = str(SAMPLES / "lost-one.json")
FINE = str(SAMPLES / "release-check.json")
RECORDED = str(SAMPLES / "recorded.tape.jsonl")
HOSTILE = SAMPLES / "hostile.json"


def process(*words, **settings):
    """The same in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "tapeview", *words],
        cwd=ROOT,
        capture_output=True,
        timeout=60,
        check=False,
        **settings,
    )


def written(tmp_path, value, name="some.json"):
    path = tmp_path / name
    path.write_text(json.dumps(value))
    return path


WRONG = {
    "no path": ([], "tapeview: name a session file to open. See tapeview --help."),
    "an unknown option": (["--frobnicate"], "unrecognized arguments: --frobnicate"),
    "show without a path": (["show"], "tapeview show: the following arguments are required: PATH"),
    "check without a path": (["check"], "the following arguments are required: PATH"),
    "request without a path": (["request"], "the following arguments are required: PATH"),
    "edit without a path": (["edit", "--export"], "name a session file"),
    "edit without a script": (["edit", FINE], "one of the arguments --script --export --schema"),
    "edit to two places": (
        ["edit", FINE, "--script", "-", "-o", "x", "--in-place"],
        "argument --in-place: not allowed with argument -o",
    ),
    "edit by two scripts": (["edit", FINE, "--script", "-", "--export"], "not allowed with"),
    "a schema of a session": (["edit", FINE, "--schema"], "--schema goes without a PATH."),
    "an export to a file": (["edit", FINE, "--export", "-o", "x"], "go with --script."),
    "force without a file": (["edit", FINE, "--script", "-", "--force"], "--force goes with -o."),
    "session and script on standard input": (["edit", "-", "--script", "-"], "cannot both read"),
    "standard input in place": (["edit", "-", "--script", "x", "--in-place"], "has no file"),
    "an export of standard input": (["edit", "-", "--export"], "has no file"),
    "edit to the session itself": (
        ["edit", FINE, "--script", "-", "-o", FINE, "--force"],
        "-o names the session itself; use --in-place.",
    ),
    "a missing script": (["edit", FINE, "--script", "no.json"], "no.json: there is no such file."),
    "a missing file to edit": (["edit", "no.json", "--export"], "no.json: there is no such file."),
    "explain without a code": (["explain"], "the following arguments are required: CODE"),
    "a turn that is no number": (["show", FINE, "--turn", "x"], "invalid int value: 'x'"),
    "only without a turn": (["show", FINE, "--only"], "--only goes with --turn N."),
    "a turn that is not there": (["show", FINE, "--turn", "99"], "no turn 99: there are 4."),
    "turn 0": (["show", FINE, "--turn", "0"], "no turn 0: there are 4."),
    "a negative turn": (["request", FINE, "--turn", "-1"], "no turn -1: there are 4."),
    "an abbreviated option": (["check", FINE, "--sel", "TU"], "unrecognized arguments: --sel TU"),
    "an unknown format": (["check", FINE, "--format", "sarif"], "invalid choice: 'sarif'"),
    "an unknown purpose": (["check", FINE, "--as", "x"], "invalid choice: 'x'"),
    "an unknown severity": (["check", FINE, "--fail-on", "x"], "invalid choice: 'x'"),
    "an unknown rule to select": (["check", FINE, "--select", "ZZ"], "there is no rule ZZ."),
    "an empty rule to select": (["check", FINE, "--select", ""], "there is no rule (empty)."),
    "an unknown rule to ignore": (["check", FINE, "--ignore", "TU,Q"], "there is no rule Q."),
    "an unknown rule to explain": (["explain", "ZZ9"], "there is no rule ZZ9. See tapeview rules."),
    "turn and place": (["open", FINE, "--turn", "1", "--at", "x"], "not allowed with argument"),
    "a word that is no command": (["chekc", FINE], "chekc is neither a command nor a file."),
    "repair": (["repair", FINE], "repair is neither a command nor a file."),
    "a missing file": (["nowhere.json"], "nowhere.json: there is no such file."),
    "a missing file to show": (["show", "nowhere.json"], "nowhere.json: there is no such file."),
    "a folder to show": (["show", str(SAMPLES)], "this is a folder"),
    "a text to show": (["show", str(SAMPLES / "README.md")], "line 1 is not JSON"),
}


@pytest.mark.parametrize("words, sentence", WRONG.values(), ids=WRONG.keys())
def test_wrong_words_are_one_sentence_and_exit_2(tapeview, words, sentence):
    code, out, err = tapeview(*words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_a_file_whose_name_begins_with_a_dash(tapeview, tmp_path, monkeypatch):
    written(tmp_path, [{"role": "user", "content": "hi"}], "-x.json")
    monkeypatch.chdir(tmp_path)
    assert tapeview("show", "--", "-x.json")[0] == 0
    assert tapeview("show", "-x.json")[0] == 2


@pytest.mark.parametrize("word", ["--help", "-h"])
def test_help(tapeview, word):
    code, out, err = tapeview(word)
    assert (code, err) == (0, "")
    for command in ("open", "show", "request", "check", "edit", "formats", "rules", "explain"):
        assert f"\n    {command} " in out
    assert "repair" not in out
    assert tapeview("check", word)[1].startswith("usage: tapeview check")


def test_version(tapeview):
    code, out, err = tapeview("--version")
    assert (code, err) == (0, "")
    assert out.startswith("tapeview")
    assert out.count("\n") == 1


def test_formats_and_rules(tapeview):
    code, out, err = tapeview("formats")
    assert (code, err) == (0, "")
    assert "claude-code    Claude Code session\n" in out
    code, out, err = tapeview("rules")
    assert (code, err) == (0, "")
    assert any(line.startswith("TU001  error    dangling-tool-use ") for line in out.splitlines())


@pytest.mark.parametrize("code", ["TU001", "tu001", "dangling-tool-use"])
def test_explain(tapeview, code):
    done, out, err = tapeview("explain", code)
    assert (done, err) == (0, "")
    assert out.startswith("TU001 dangling-tool-use\nerror · anthropic\n")
    assert "\nRefused: " in out
    assert "\nFine: " in out


def test_show(tapeview):
    code, out, err = tapeview("show", LOST)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith(f"{LOST} · anthropic · ")
    assert lines[1] == "the API would refuse this at messages.1"
    assert lines[2] == ""
    assert any("── turn 1 · 4 tools · " in line for line in lines)
    (dangling,) = [line for line in lines if line.startswith("messages.1.content.3 ")]
    assert dangling.endswith("! TU001 dangling-tool-use  [dangling]")
    assert "\x1b" not in out


def test_show_of_a_session_says_what_resume_does(tapeview):
    _, out, _ = tapeview("show", CRASH)
    assert out.splitlines()[1] == "resume sends 19 of 20 messages; 2 unanswered calls dropped"
    assert "(not sent: unanswered)" in out


def test_show_what_the_model_knew_at_a_turn(tapeview):
    code, out, _ = tapeview("show", FINE, "--turn", "2")
    known, rule, reply = out.partition("══ call 2 answered ══\n")
    assert code == 0
    assert rule
    assert known.startswith("system ")
    assert "── turn 1 " in known
    assert "── turn 2 " not in out
    assert all(line.startswith("messages.") for line in reply.splitlines())
    _, only, _ = tapeview("show", FINE, "--turn", "2", "--only")
    assert only.partition("\n")[2] == reply
    assert only.startswith("── turn 2 ")


def test_a_call_knew_only_what_was_sent(tapeview):
    _, out, _ = tapeview("show", CRASH, "--turn", "9")
    known, _, reply = out.partition("══ call 9 answered ══\n")
    assert "(not sent" not in known
    assert "API Error" not in known
    assert "(not sent: unanswered)" in reply


def test_show_full(tapeview):
    _, short, _ = tapeview("show", LOST)
    code, out, _ = tapeview("show", LOST, "--full")
    assert code == 0
    assert len(out) > len(short) + 1000
    assert [line for line in out.splitlines() if line[:1] not in ("", " ")] == [
        line for line in short.splitlines() if line
    ]


def test_show_json(tapeview):
    code, out, err = tapeview("show", LOST, "--json")
    rows = json.loads(out)
    assert (code, err) == (0, "")
    assert out.count("\n") == len(rows) + 2
    (dangling,) = [row for row in rows if row.get("findings")]
    assert " ".join(dangling) == "kind at turn role line type id name bytes link gist findings"
    assert (dangling["at"], dangling["link"]) == ("messages.1.content.3", "dangling")
    assert dangling["findings"] == ["TU001"]
    rule = next(row for row in rows if row["kind"] == "turn")
    assert " ".join(rule) == "kind turn tools bytes_sent seconds"
    _, out, _ = tapeview("show", LOST, "--json", "--turn", "1", "--only")
    assert {row["kind"] for row in json.loads(out)} == {"turn", "block"}


def test_request_is_the_body_as_it_stands(tapeview):
    code, out, err = tapeview("request", FINE)
    assert (code, err) == (0, "")
    assert out == Path(FINE).read_text()
    code, out, err = tapeview("request", FINE, "--turn", "1", "--strict")
    assert (code, err) == (0, "")
    assert len(json.loads(out)["messages"]) == 1


def test_request_of_a_recorded_turn_is_what_was_sent(tapeview):
    code, out, err = tapeview("request", RECORDED, "--turn", "2", "--strict")
    assert (code, err) == (0, "")
    body = json.loads(out)
    assert list(body) == ["model", "max_tokens", "system", "tools", "messages", "stream"]
    assert len(body["messages"]) == 3
    assert out.strip() == json.dumps(body, separators=(",", ":"), ensure_ascii=False)
    marks = [message for message in body["messages"] if "cache_control" in json.dumps(message)]
    assert marks == body["messages"][-1:]


def test_request_of_a_sub_agents_next_call_has_its_own_frame(tapeview):
    _, out, _ = tapeview("request", RECORDED, "--tape", "agent:toolu_01Ask1")
    assert [tool["name"] for tool in json.loads(out)["tools"]] == ["read_file"]


def test_request_names_what_is_not_stored(tapeview):
    code, out, err = tapeview("request", HEALTHY)
    assert code == 0
    assert list(json.loads(out)) == ["model", "messages"]
    assert err == f"not stored in {HEALTHY}: max_tokens, system, tools\n"
    assert tapeview("request", HEALTHY, "--strict")[0] == 1


def test_check_lists_findings_and_counts(tapeview):
    code, out, err = tapeview("check", LOST)
    assert (code, err) == (1, "")
    finding, counts = out.splitlines()
    assert finding.startswith(f"{LOST}:")
    words = finding.removeprefix(f"{LOST}:").split()
    assert words[0].isdigit()
    assert words[1:4] == ["error", "TU001", "messages.1.content.3"]
    assert counts == f"{LOST}: anthropic, 3 turns, 7 messages: 1 error"


def test_check_of_a_sound_file(tapeview):
    assert tapeview("check", FINE) == (
        0,
        f"{FINE}: anthropic, 4 turns, 8 messages: no problems\n",
        "",
    )


REPORT = ["version", "sessions"]
SESSION = ["path", "format", "dialect", "error", "tapes"]
TAPE = ["id", "kind", "messages", "turns", "resume", "links", "findings"]
LINKS = ["answered", "pending", "dangling", "orphan", "late", "early", "doubled", "swapped"]
FINDING = [
    "rule",
    "name",
    "severity",
    "sent",
    "at",
    "api_path",
    "ids",
    "line",
    "message",
    "api_message",
    "repairs",
]


@pytest.mark.parametrize("option", [["--json"], ["--format", "json"]])
def test_the_shape_of_the_report(tapeview, option):
    code, out, err = tapeview("check", LOST, *option)
    report = json.loads(out)
    (session,) = report["sessions"]
    (tape,) = session["tapes"]
    (finding,) = tape["findings"]
    assert (code, err) == (1, "")
    assert list(report) == REPORT
    assert report["version"] == 1
    assert list(session) == SESSION
    assert (session["path"], session["format"], session["error"]) == (LOST, "anthropic", None)
    assert list(tape) == TAPE
    assert (tape["id"], tape["kind"], tape["resume"]) == ("main", "main", None)
    assert list(tape["links"]) == LINKS
    assert tape["links"]["dangling"] == 1
    assert list(finding) == FINDING
    assert (finding["rule"], finding["name"]) == ("TU001", "dangling-tool-use")
    assert (finding["severity"], finding["sent"]) == ("error", True)
    assert (finding["at"], finding["api_path"]) == ("messages.1.content.3", "messages.1")
    assert finding["repairs"][0] == "R1"
    assert isinstance(finding["line"], int)
    assert len(finding["ids"]) == 1


def test_the_report_of_a_session_has_the_resume_sentence(tapeview):
    _, out, _ = tapeview("check", CRASH, "--json")
    tape, *_ = json.loads(out)["sessions"][0]["tapes"]
    assert tape["resume"] == "resume sends 19 of 20 messages; 2 unanswered calls dropped"
    severities = [finding["severity"] for finding in tape["findings"]]
    order = ["error", "warning", "suspicion", "pending", "info"]
    assert severities == sorted(severities, key=order.index)


def test_a_file_that_cannot_be_read_does_not_hide_the_others(tapeview):
    code, out, err = tapeview("check", "nowhere.json", LOST)
    assert code == 2
    assert "TU001" in out
    assert err == "nowhere.json: there is no such file.\n"
    code, out, err = tapeview("check", "nowhere.json", FINE, "--json")
    first, second = json.loads(out)["sessions"]
    assert code == 2
    assert first == {
        "path": "nowhere.json",
        "format": None,
        "dialect": None,
        "error": "nowhere.json: there is no such file.",
        "tapes": [],
    }
    assert second["error"] is None


def test_a_folder_is_walked_and_the_rest_counted(tapeview):
    code, out, err = tapeview("check", SAMPLES)
    assert code == 1
    for path in SAMPLES.rglob("*.json*"):
        assert (f"{path}: " in out) != path.name.endswith(".meta.json")
    assert err == "2 other files passed over\n"


def test_a_folder_without_sessions(tapeview, tmp_path):
    (tmp_path / "notes.txt").write_text("x")
    code, out, err = tapeview("check", tmp_path)
    assert (code, out) == (2, "")
    assert err.splitlines() == [
        f"{tmp_path}: there is no session in this folder that tapeview reads.",
        "1 other file passed over",
    ]


def test_git_is_not_walked(tapeview, tmp_path):
    (tmp_path / ".git").mkdir()
    written(tmp_path / ".git", [{"role": "user", "content": "hi"}])
    written(tmp_path, [{"role": "user", "content": "hi"}])
    _, out, err = tapeview("check", tmp_path)
    assert len(out.splitlines()) == 1
    assert err == ""


@pytest.mark.parametrize(
    "options, code, found",
    [
        ([], 1, True),
        (["--select", "TU001"], 1, True),
        (["--select", "tu"], 1, True),
        (["--select", "TR, TU001"], 1, True),
        (["--select", "TR"], 0, False),
        (["--ignore", "TU001"], 0, False),
        (["--ignore", "TR"], 1, True),
        (["--select", "TU", "--ignore", "TU001"], 0, False),
    ],
)
def test_rules_are_selected_and_ignored(tapeview, options, code, found):
    done, out, _ = tapeview("check", LOST, *options)
    assert done == code
    assert ("TU001" in out) == found


@pytest.mark.parametrize(
    "path, purpose, severity, code",
    [
        (CRASH, "session", "error", 1),
        ("pending", None, "error", 1),
        ("pending", "request", "error", 1),
        ("pending", "session", "error", 0),
        ("pending", "session", "suspicion", 0),
        ("pending", "session", "pending", 1),
        ("pending", "session", "info", 1),
        (HEALTHY, None, "info", 0),
    ],
)
def test_what_check_fails_on(tapeview, tmp_path, path, purpose, severity, code):
    if path == "pending":
        call = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
        ask = {"role": "user", "content": "x"}
        path = written(tmp_path, [ask, {"role": "assistant", "content": [call]}])
    words = ["check", path, "--fail-on", severity]
    assert tapeview(*words, *(["--as", purpose] if purpose else []))[0] == code


def test_what_the_harness_mends_is_a_warning(tapeview):
    _, out, _ = tapeview("check", CRASH, "--select", "TU001")
    lines = [line for line in out.splitlines() if " TU001 " in line]
    assert [line.split()[1] for line in lines] == ["warning", "warning", "pending"]
    assert tapeview("check", CRASH, "--select", "TU001")[0] == 0
    assert tapeview("check", CRASH, "--select", "TU001", "--fail-on", "warning")[0] == 1


@pytest.mark.parametrize("command", ["show", "check", "request"])
def test_standard_input(tapeview, monkeypatch, command):
    raw = Path(FINE).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    code, out, err = tapeview(command, "-")
    assert (code, err) == (0, "")
    assert out.startswith(
        {"show": "- · anthropic", "check": "-: anthropic", "request": "{"}[command]
    )


def dangerous(raw):
    """Everything in the bytes that a terminal might act on, line ends aside."""
    text = raw.decode("utf-8", "surrogateescape")
    return {sign for sign in text.replace("\n", "") if printable(sign) != sign}


@pytest.fixture
def hostile(tmp_path):
    path = tmp_path / "a\x1b[31m\u202eb\x9b\u200b\x07.json"
    path.write_bytes(HOSTILE.read_bytes())
    return path


@pytest.mark.parametrize(
    "words",
    [
        ["show"],
        ["show", "--full"],
        ["show", "--json"],
        ["show", "--turn", "1"],
        ["check"],
        ["check", "--json"],
        ["check", "--select", "\x1b[31m"],
        ["show", "--turn", "\x1b"],
        ["\x1b[31m\u202e"],
    ],
)
@pytest.mark.parametrize("exists", [True, False])
def test_nothing_hostile_reaches_the_terminal(capsysbinary, hostile, words, exists):
    path = str(hostile) if exists else str(hostile) + "x"
    run([words[0], path, *words[1:]])
    out, err = capsysbinary.readouterr()
    assert out or err
    assert dangerous(out) == set()
    assert dangerous(err) == set()


def test_json_still_tells_the_true_name(capsysbinary, hostile):
    run(["check", str(hostile), "--json"])
    report = json.loads(capsysbinary.readouterr().out)
    assert report["sessions"][0]["path"] == str(hostile)


def test_a_file_name_that_is_no_utf8(capsysbinary, tmp_path):
    name = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.json")
    Path(name).write_bytes(b'[{"role":"user","content":"hi"}]')
    for words in (["check", name], ["check", name, "--json"], ["show", name], ["show", name + "x"]):
        code = run(words)
        out, err = capsysbinary.readouterr()
        assert code == (2 if words[1] != name else 0)
        assert dangerous(out + err) == set()
    assert run(["check", name + "x", "--json"]) == 2
    assert json.loads(capsysbinary.readouterr().out)["sessions"][0]["error"]


class Terminal(io.TextIOWrapper):
    def isatty(self):
        return True


def test_a_request_on_a_terminal_is_escaped_and_in_a_pipe_exact(monkeypatch, tmp_path):
    path = tmp_path / "body.json"
    path.write_text('[{"role":"user",\t"content":"a\u202e\x7f\U000e0041é"}]', encoding="utf-8")
    outputs = []
    for kind in (Terminal, io.TextIOWrapper):
        out = kind(io.BytesIO())
        monkeypatch.setattr(sys, "stdout", out)
        assert run(["request", str(path)]) == 0
        outputs.append(out.buffer.getvalue())
    shown, exact = outputs
    assert dangerous(shown.replace(b"\t", b"")) == set()
    assert "é".encode() in shown
    assert json.loads(shown) == json.loads(exact)
    assert "\u202e".encode() in exact


def test_the_program_as_a_process():
    done = process("check", LOST)
    assert done.returncode == 1
    assert b"TU001" in done.stdout
    assert done.stderr == b""
    done = process("show", "-", input=Path(FINE).read_bytes())
    assert done.returncode == 0
    assert done.stdout.startswith("- · anthropic".encode())
    assert process("nowhere.json").returncode == 2
    assert process("--version").stdout.startswith(b"tapeview")


def test_output_is_utf8_whatever_the_locale_says():
    plain = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    done = process("show", CRASH, env=plain)
    assert done.returncode == 0
    assert "── turn 1 ".encode() in done.stdout


def test_a_tape_on_standard_input_needs_a_terminal_for_its_keys():
    done = process("-", input=Path(FINE).read_bytes(), start_new_session=True)
    assert done.returncode == 2
    assert done.stderr == b"tapeview: the screen needs a terminal; tapeview show prints lines.\n"


@pytest.mark.parametrize("words", [["show", "--full"], ["check"], ["request"]])
def test_a_reader_who_has_enough(tmp_path, words):
    call = {"type": "tool_result", "tool_use_id": "x", "content": "y" * 300}
    path = written(tmp_path, [{"role": "user", "content": [call] * 3000}])
    command = [sys.executable, "-m", "tapeview", words[0], str(path), *words[1:]]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as program:
        program.stdout.read(10)
        program.stdout.close()
        talk = program.stderr.read()
        assert program.wait(60) == 0
    assert b"Traceback" not in talk
    assert b"Broken pipe" not in talk
