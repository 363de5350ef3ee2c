"""Files made to break a reader: huge lines, deep nests, odd spellings, what is no text at all."""

import gzip
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tapeview.cli import run
from tapeview.looks.block_text import block_body, copy_json
from tapeview.looks.report import report_of
from tapeview.looks.show import lines
from tapeview.open_session import OpenSession
from tests.helpers import session_of
from tests.hostile import CALLS, LINES, MANY, NESTS, claude_line, parallel
from tests.test_fuzz import live_through

MB = 1 << 20
DEEP = 100_000
SAMPLE = Path(__file__).parents[1] / "sample_sessions" / "crash.jsonl"


# -- size ------------------------------------------------------------------------------------------


PEAK = """
import re, sys
from pathlib import Path
from tapeview.cli import run
code = run(sys.argv[1:])
peak = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())
print(int(peak[1]) * 1024, file=sys.stderr)
sys.exit(code)
"""
"""The program, which says in the end how much memory it held at most. What the system tells of a
child's peak counts that of the process that it was forked from, and so of all tests before."""


def memory_of(words, path):
    """Peak memory of the program in bytes, and what it printed."""
    command = [sys.executable, "-c", PEAK, *words, str(path)]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode in (0, 1)
    return int(done.stderr.split()[-1]), done.stdout


@pytest.mark.parametrize("what", ["a result of Claude Code", "a text block of a body"])
def test_a_line_of_50_mb_costs_a_few_times_its_size(what, tmp_path):
    path = tmp_path / "big.json"
    path.write_bytes(LINES[what](50 * MB))
    used, printed = memory_of(["show"], path)
    assert b"lorem ipsum" in printed
    assert used < 8 * 50 * MB


@pytest.mark.parametrize("what", LINES)
def test_a_line_of_a_megabyte(what):
    live_through(LINES[what](MB))


@pytest.mark.slow
@pytest.mark.parametrize("what", LINES)
def test_a_line_of_50_mb(what):
    live_through(LINES[what](50 * MB))


def test_100_000_brackets_in_an_input():
    session = session_of(NESTS["an input"](b"[" * DEEP + b"]" * DEEP))
    snapshot = OpenSession(session).snapshot()
    assert "N" in list(lines(snapshot, None, False, False))[-2]
    call = snapshot.rows[2]
    assert copy_json(snapshot, call).count("[") == DEEP
    body = [line.indent for line in block_body(snapshot, call)]
    assert len(body) > 2 * DEEP - 2
    assert max(body) < 1_000


def test_100_000_brackets_as_a_whole_file(tmp_path, capsys):
    path = tmp_path / "deep.json"
    path.write_bytes(b"[" * DEEP)
    assert run(["check", str(path)]) == 2
    assert "this is JSON that breaks off before its first element ends" in capsys.readouterr().err


def nests(depth):
    return {
        "arrays": b"[" * depth + b"]" * depth,
        "objects": b'{"a":' * depth + b"1" + b"}" * depth,
        "unclosed arrays": b"[" * depth,
        "unclosed objects": b'{"a":' * depth,
    }


@pytest.mark.parametrize("nest", nests(0))
@pytest.mark.parametrize("where", NESTS)
def test_deep_nests_anywhere(where, nest):
    live_through(NESTS[where](nests(3_000)[nest]))


@pytest.mark.slow
@pytest.mark.parametrize("nest", nests(0))
@pytest.mark.parametrize("where", NESTS)
def test_100_000_brackets_anywhere(where, nest):
    live_through(NESTS[where](nests(DEEP)[nest]))


@pytest.mark.parametrize("what", MANY)
def test_thousands_of_small_things(what):
    live_through(MANY[what](5_000))


@pytest.mark.slow
@pytest.mark.parametrize("what", MANY)
def test_a_million_small_things(what):
    live_through(MANY[what](1_000_000))


@pytest.mark.slow
@pytest.mark.parametrize("order", CALLS)
def test_10_000_parallel_calls(order):
    live_through(parallel(10_000, order))


@pytest.mark.parametrize("order", CALLS)
def test_parallel_calls(order):
    live_through(parallel(500, order))


def test_10_000_parallel_calls_are_checked_and_shown():
    opened = OpenSession(session_of(parallel(10_000, "in order")))
    report = report_of(opened)
    assert report.tapes[0].links["answered"] == 10_000
    printed = list(lines(opened.snapshot(), None, False, False))
    last = next(line for line in printed if line.startswith("messages.2.content.9999"))
    assert "tool_result(toolu_9999) -> r9999" in last
    gutters, _ = opened.snapshot().gutters(6)
    assert sum(gutter.cable for gutter in gutters) == 2 * (10_000 - 5)


def test_a_big_message_that_changes_while_it_is_looked_at(tmp_path):
    path = tmp_path / "body.json"
    path.write_bytes(parallel(100, "in order"))
    from tapeview.open_session import load

    snapshot = load(str(path)).snapshot()
    rows = [row for row in snapshot.rows if row.block is not None]
    assert "f50" in copy_json(snapshot, rows[51])
    path.write_bytes(path.read_bytes()[:4_000])
    gone = next(block_body(snapshot, rows[150])).text
    assert gone == "cannot be read any more: the file is shorter than when it was opened"
    assert copy_json(snapshot, rows[150]) == ""
    path.write_bytes(b"\0" * 40_000)
    for row in rows:
        assert "cannot be read any more" in "".join(line.text for line in block_body(snapshot, row))
        assert copy_json(snapshot, row) == ""
    assert sum("cannot be read any more" in line for line in lines(snapshot, None, False, False))


# -- odd spellings ---------------------------------------------------------------------------------


def shown(raw):
    """The body of the last block as text."""
    snapshot = OpenSession(session_of(raw)).snapshot()
    row = [row for row in snapshot.rows if row.block is not None][-1]
    return "\n".join(line.text for line in block_body(snapshot, row) if not line.beside)


def with_input(spelling):
    return (
        b'[{"role":"user","content":"a"},{"role":"assistant","content":'
        b'[{"type":"tool_use","id":"t","name":"N","input":' + spelling + b"}]}]"
    )


@pytest.mark.parametrize(
    ("spelling", "shows"),
    [
        (b'{"n":9007199254740993}', '"n": 9007199254740993'),
        (b'{"n":-' + b"8" * 400 + b"}", '"n": -' + "8" * 400),
        (b'{"n":0.1000000000000000055511151231257827}', "0.1000000000000000055511151231257827"),
        (b'{"n":1E400}', '"n": 1E400'),
        (b'{"n":' + b"7" * 9_000 + b"}", "7" * 9_000),
        (b'{"n":NaN,"m":-Infinity}', '"n": NaN,\n"m": -Infinity'),
        (b'{"k":1,"k":2}', '"k": 1,\n"k": 2'),
        (b'{"k":"a\xff\xfeb"}', '"k": "a��b"'),
        (b'{"k\xff":"v"}', '"k�": "v"'),
        (b'{"k":"\xed\xa0\xbd"}', '"k": "\ud83d"'),
        (rb'{"\ud83d":"\ude00"}', '"\ud83d": "\ude00"'),
    ],
)
def test_values_stand_as_they_are_written(spelling, shows):
    assert shows in shown(with_input(spelling))
    live_through(with_input(spelling))


LONE = "\ud83d"


@pytest.mark.parametrize(
    "raw",
    [
        json.dumps([{"role": "user", "content": f"a{LONE}b"}]),
        json.dumps([{"role": f"user{LONE}", "content": "x"}, {"role": "user", "content": "y"}]),
        json.dumps([{"role": "user", "content": "x", LONE: {LONE: LONE}}]),
        with_input(b"{}").replace(b'"id":"t"', rb'"id":"t\ud83d"').decode(),
        with_input(b"{}").replace(b'"name":"N"', rb'"name":"N\ud83d"').decode(),
        with_input(b"{}").replace(b'"type":"tool_use"', rb'"type":"\ud83d"').decode(),
    ],
)
def test_lone_surrogates_anywhere(raw, tmp_path, capfdbinary):
    path = tmp_path / "lone.json"
    path.write_text(raw)
    live_through(raw.encode())
    for words in (["show"], ["show", "--full"], ["show", "--json"], ["check"], ["check", "--json"]):
        assert run([*words, str(path)]) in (0, 1)
        capfdbinary.readouterr().out.decode()


@pytest.mark.parametrize("member", ["uuid", "parentUuid", "sessionId", "timestamp", "cwd", "type"])
@pytest.mark.parametrize("value", [LONE, "\x1b[2J", "a" * 9_000, "\u202e", 7, None, [], {}])
def test_odd_members_of_a_line(member, value):
    line = json.loads(claude_line("user", "u2", "u1", "again"))
    odd = json.dumps(line | {member: value}).encode()
    live_through(claude_line("user", "u1", None, "hello") + odd + b"\n")


@pytest.mark.parametrize(
    ("put", "at"), [(b"\xff", 0.3), (b"\xc3", 0.5), (b"\xf0\x9f\x98", 0.7), (b"\x00", 0.6)]
)
def test_broken_bytes_in_the_middle_of_a_line(put, at):
    raw = SAMPLE.read_bytes()
    place = int(len(raw) * at)
    live_through(raw[:place] + put + raw[place:])


# -- what is no session ----------------------------------------------------------------------------

TALK = '[{"role":"user","content":"hé"},{"role":"assistant","content":"ok"}]'
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)) * 9

REFUSED = {
    "an empty file": (b"", "the file is empty"),
    "blanks": (b" \n\t \r\n" * 500, "the file is empty"),
    "NULs": (b"\0" * 10_000, "this is binary"),
    "a program": (b"\x7fELF\x02\x01\x01" + bytes(9) + bytes(range(256)) * 20, "this is binary"),
    "a picture": (PNG, "this is binary"),
    "gzip": (gzip.compress(TALK.encode(), mtime=0), "this is binary"),
    "UTF-16": (TALK.encode("utf-16"), "this is UTF-16 text; convert it first"),
    "UTF-16 without BOM": (TALK.encode("utf-16-le"), "this is UTF-16 text; convert it first"),
    "UTF-16 the other way": (TALK.encode("utf-16-be"), "this is UTF-16 text; convert it first"),
    "a text without blanks": (b"x" * MB, "line 1 is not JSON"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_session_is_one_sentence(what, tmp_path, capsys):
    data, sentence = REFUSED[what]
    path = tmp_path / "odd.json"
    path.write_bytes(data)
    for words in (["show"], ["check"], ["open"]):
        assert run([*words, str(path)]) == 2
        said = capsys.readouterr()
        assert said.err.count("\n") == 1
        assert said.err.startswith(f"{path}: {sentence}")


OPENS = {
    "UTF-8 with BOM": (b"\xef\xbb\xbf" + TALK.encode(), 2),
    "latin-1": (TALK.encode("latin-1"), 2),
    "CRLF in a body": (TALK.replace("},", "},\r\n").encode(), 2),
    "CR in a body": (TALK.replace("},", "},\r").encode(), 2),
    "lines with BOM": (b"\xef\xbb\xbf" + SAMPLE.read_bytes(), 20),
    "lines with CRLF": (SAMPLE.read_bytes().replace(b"\n", b"\r\n"), 20),
    "lines with CR alone": (SAMPLE.read_bytes().replace(b"\n", b"\r"), 20),
    "an end inside a sign": (SAMPLE.read_bytes() + '{"type":"usér'.encode()[:-2], 20),
    "a body that ends inside a sign": (TALK.encode()[:-1] + b',{"role":"user","content":"\xe6', 2),
}


@pytest.mark.parametrize("what", OPENS)
def test_what_opens_all_the_same(what, tmp_path, capsys):
    data, messages = OPENS[what]
    path = tmp_path / "odd.json"
    path.write_bytes(data)
    assert run(["check", "--json", str(path)]) in (0, 1)
    assert json.loads(capsys.readouterr().out)["sessions"][0]["tapes"][0]["messages"] == messages
    live_through(data)


def test_what_is_no_file_is_one_sentence(tmp_path, capsys):
    bound = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(tmp_path)  # names of sockets are at most about 100 bytes long
    bound.bind("socket.json")
    os.chdir(here)
    for path in (tmp_path / "socket.json", tmp_path, tmp_path / os.fsdecode(b"\xff\x1b[2J")):
        for words in (["show"], ["check"], ["open"]):
            assert run([*words, str(path)]) == 2
            said = capsys.readouterr().err
            assert said.count("\n") == 1
            assert said.isprintable() or said[:-1].isprintable()
    bound.close()


def test_a_file_whose_name_is_not_utf_8(tmp_path, capfdbinary):
    path = tmp_path / os.fsdecode(b"n\xff\x1b[2J.json")
    path.write_bytes(TALK.encode())
    for words in (["show"], ["check"], ["check", "--json"]):
        assert run([*words, str(path)]) == 0
        assert b"\x1b" not in capfdbinary.readouterr().out
