"""The program as people meet it: a real terminal, real keys, real bytes."""

import json
import os
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tapeview.tape.clean import printable
from tests.terminal import Terminal

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_sessions"
PROGRAM = (sys.executable, "-m", "tapeview")


def environ_of(home: Path, **more: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    plain = {"HOME": str(home), "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    return kept | plain | {"PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"} | more


def start(
    home: Path, *words: str, size: tuple[int, int] = (120, 40), program: Sequence[str] = PROGRAM
) -> Terminal:
    return Terminal([*program, *words], environ_of(home), *size)


def test_from_the_broken_session_to_the_broken_block_and_out(tmp_path: Path) -> None:
    with start(tmp_path, str(SAMPLES / "crash.jsonl")) as terminal:
        terminal.wait_for("crash.jsonl", "turn 1", "problems 5", "? help")
        terminal.send("]]]")
        terminal.wait_for("dangling: no result carries", "messages.17.content.3")
        terminal.send("\r")
        terminal.wait_for("▌ ● tool_use")
        terminal.send("\x1b")
        terminal.wait_for("▌ main")
        terminal.send(":messages.13.content.1\r")
        terminal.wait_for("late: turn 7", "late: answered by")
        terminal.send("t")
        terminal.wait_for("late: from turn 6", "answers messages.13.content.1")
        terminal.send("?")
        terminal.wait_for("keys and signs", "↑ ↓ scroll")
        terminal.send("\x1b")
        terminal.wait_for("▌ main", "problems 5")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
    assert terminal.raw.rstrip().endswith(b"l") or b"\x1b[?1049l" in terminal.raw
    assert not list(tmp_path.rglob("*.jsonl"))


def test_a_small_terminal_shows_one_pane_at_a_time(tmp_path: Path) -> None:
    with start(tmp_path, str(SAMPLES / "crash.jsonl"), size=(80, 24)) as terminal:
        terminal.wait_for("main   block   problems 5")
        terminal.send("]]]\r")
        terminal.wait_for("tool_use Bash", "stored beside, never sent")
        terminal.send("\t")
        terminal.wait_for("TR002", "API would say")
        terminal.resize(120, 40)
        terminal.wait_for("problems 5", "resume sends")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0


def test_standard_input_is_read_and_keys_come_from_the_terminal(tmp_path: Path) -> None:
    sample = shlex.quote(str(SAMPLES / "trimmed.json"))
    words = f"cat {sample} | {shlex.quote(sys.executable)} -m tapeview -"
    with Terminal(["sh", "-c", words], environ_of(tmp_path)) as terminal:
        terminal.wait_for("standard input", "orphan")
        terminal.send("]")
        terminal.wait_for("no call carries")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0


def test_a_pipe_is_waited_for_and_told_of(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with start(tmp_path, str(pipe), size=(300, 40)) as terminal:
        terminal.wait_for("waiting for what writes to it; ctrl+c ends.")
        pipe.write_bytes((SAMPLES / "trimmed.json").read_bytes())
        terminal.wait_for("pipe", "orphan", "? help")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
    with start(tmp_path, str(pipe), size=(300, 40)) as terminal:
        terminal.wait_for("waiting for what writes to it; ctrl+c ends.")
        terminal.send("\x03")
        assert terminal.wait_for_exit() == 130
    assert b"\x1b[?1049h" not in terminal.raw


def test_the_editor_is_opened_at_the_line_of_the_record(tmp_path: Path) -> None:
    told = tmp_path / "told"
    editor = tmp_path / "vi"
    editor.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {shlex.quote(str(told))}\n')
    editor.chmod(0o755)
    sample = SAMPLES / "crash.jsonl"
    environ = environ_of(tmp_path, EDITOR=str(editor))
    with Terminal([*PROGRAM, str(sample)], environ) as terminal:
        terminal.wait_for("turn 1", "? help")
        terminal.send("]]]")
        terminal.wait_for("messages.17.content.3 · line 44")
        terminal.send("o")
        terminal.send("n")
        terminal.wait_for("turn 9 of 9")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
    assert told.read_text().splitlines() == ["+44", str(sample)]


def test_a_path_that_is_not_there_is_one_sentence_and_no_screen(tmp_path: Path) -> None:
    with start(tmp_path, str(tmp_path / "gone.jsonl")) as terminal:
        assert terminal.wait_for_exit() == 2
    said = terminal.raw.decode()
    assert said.count("\n") == 1
    assert said.rstrip().endswith("gone.jsonl: there is no such file.")


HOSTILE = {
    "a window title": "\x1b]0;PWNED\x07",
    "a clipboard write": "\x1b]52;c;UFdORUQ=\x07",
    "a hyperlink": "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "colour": "\x1b[38;5;77;1;5mPWNED\x1b[0m",
    "the cursor moved": "\x1b[7;7HPWNED",
    "the screen cleared": "\x1b[2J\x1b[3JPWNED",
    "C1": "\x9b7;7HPWNED\x9d0;PWNED\x9c",
    "a bell": "\x07\x07PWNED",
    "backspaces": "abc\x08\x08\x08PWNED",
    "carriage return": "safe\rPWNED",
    "bidi": "\u202ePWNED\u2066\u2069\u200f",
    "zero width": "P\u200bW\u200dN\ufeffED",
    "markup": "[red]PWNED[/red] [@click=app.quit]x[/] x[y='z [/nope]",
    "combining": "P" + "\u0301" * 50,
    "wide": "漢字" * 60,
    "a lone surrogate": "\ud83d PWNED",
}
"""What tapes may hold, by what it would do."""

FORBIDDEN = [
    b"\x1b]0;PWNED",
    b"\x1b]52;",
    b"\x1b]8;",
    b"\x1b[38;5;77;1;5m",
    b"\x1b[7;7HPWNED",
    b"\x1b[3J",
    b"\xc2\x9b",
    b"\xc2\x9d",
    b"\x07",
    b"\x08",
    *(sign.encode() for sign in "\u202e\u2066\u2069\u200f\u200b\u200d\ufeff"),
]


POINTER = re.compile(rb"\x1b\]22;[a-z-]+\x07")
"""The shape of the mouse pointer, which Textual sends of its own accord."""


def hostile_body(text: str) -> list[dict[str, object]]:
    """The text in every place that a tape has."""
    call = {"type": "tool_use", "id": text, "name": text, "input": {text: text, "command": text}}
    answer = {
        "type": "tool_result",
        "tool_use_id": text,
        "content": [{"type": "text", "text": text}],
    }
    return [
        {"role": "user", "content": text},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": text}, call]},
        {"role": "user", "content": [answer, {"type": text, text: text}]},
        {"role": text, "content": text},
        {"role": "assistant", "content": [call, {"type": "text", "text": text}]},
    ]


@pytest.mark.parametrize("what", HOSTILE)
def test_nothing_in_a_tape_reaches_the_terminal_as_more_than_text(
    what: str, tmp_path: Path
) -> None:
    text = HOSTILE[what]
    name = text.encode("utf-8", "replace").decode().replace("/", "_")[:60]
    path = tmp_path / f"{name}.json"
    path.write_text(json.dumps(hostile_body(text)), encoding="utf-8")
    with start(tmp_path, str(path)) as terminal:
        terminal.wait_for("turn 1", "? help")
        terminal.send("n")
        for _ in range(8):
            terminal.send("\x1b[B")
        terminal.wait_for("▌ main")
        terminal.send("\r")
        terminal.send("\t")
        terminal.wait_for("▌ problems")
        terminal.send("\t?")
        terminal.wait_for("keys and signs", "↑ ↓ scroll")
        terminal.send("\x1b")
        terminal.wait_for("▌ main")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
    sent = POINTER.sub(b"", terminal.raw)
    for bytes_ in FORBIDDEN:
        assert bytes_ not in sent, printable(repr(bytes_))
