"""Hostile sessions in a real terminal: a huge line, and names that act on terminals."""

import json
from pathlib import Path

import pytest

from tapeview.tape.clean import printable
from tests.hostile import LINES
from tests.journeys.test_journeys import FORBIDDEN, HOSTILE, POINTER, start

MB = 1 << 20


@pytest.mark.parametrize(
    ("size", "weight", "end"),
    [
        (2 * MB, "2.2 MB", "of 77673"),
        pytest.param(50 * MB, "54 MB", "the first 200000 lines", marks=pytest.mark.slow),
    ],
)
def test_a_huge_line_from_end_to_end(size: int, weight: str, end: str, tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    path.write_bytes(LINES["a result of Claude Code"](size))
    with start(tmp_path, str(path)) as terminal:
        terminal.wait_for("big.jsonl", "turn 1", "? help")
        terminal.send(":messages.2.content.0\r")
        terminal.wait_for("▌ ", "tool_result Bash", weight, "? help")
        terminal.send("\r\x1b[F")
        terminal.wait_for(end)
        terminal.send("\x1b")
        terminal.wait_for("▌ main")
        terminal.resize(60, 20)
        terminal.send("/done")
        terminal.wait_for("1 of 1")
        terminal.send("\r")
        terminal.wait_for("? help")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0


def line(kind: str, uuid: str, parent: str | None, content: object, session: str) -> bytes:
    message: dict[str, object] = {"role": kind, "content": content}
    if kind == "assistant":
        message |= {"id": f"msg_{uuid}", "model": f"claude-{session}"}
    stored = {
        "type": kind,
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": session,
        "cwd": f"/src/{session}",
        "version": session,
        "timestamp": session,
        "message": message,
    }
    return json.dumps(stored).encode() + b"\n"


def hostile_session(folder: Path, text: str) -> Path:
    """A session whose every id is hostile, with a sub-agent in a file of that name."""
    name = text.encode("utf-8", "replace").decode().replace("/", "_")[:40]
    call = {"type": "tool_use", "id": text, "name": "Task", "input": {"prompt": text}}
    result = {"type": "tool_result", "tool_use_id": text, "content": text}
    path = folder / f"{name}.jsonl"
    ids = [f"{text}{number}" for number in range(4)]
    path.write_bytes(
        line("user", ids[0], None, text, text)
        + line("assistant", ids[1], ids[0], [call], text)
        + line("user", ids[2], ids[1], [result], text)
        + line("assistant", ids[3], ids[2], [{"type": "text", "text": text}], text)
    )
    agents = folder / name / "subagents"
    agents.mkdir(parents=True)
    agent = agents / f"agent-{name}.jsonl"
    agent.write_bytes(
        line("user", "b1", None, text, text) + line("assistant", "b2", "b1", [call], text)
    )
    agent.with_suffix(".meta.json").write_text(json.dumps({"toolUseId": text}))
    return path


FAST = ("a window title", "C1", "bidi", "a lone surrogate")


@pytest.mark.parametrize(
    "what",
    [what if what in FAST else pytest.param(what, marks=pytest.mark.slow) for what in HOSTILE],
)
def test_hostile_names_stay_text(what: str, tmp_path: Path) -> None:
    text = HOSTILE[what]
    path = hostile_session(tmp_path, text)
    with start(tmp_path, str(path)) as terminal:
        terminal.wait_for("turn 1", "? help")
        # The title of what the model knew, then the sub-agent's own screen.
        terminal.send("nw")
        terminal.wait_for("what the model knew at turn 1")
        terminal.send("\x1b")
        terminal.wait_for("▌ main  ", "turn 1 of 2")
        terminal.send(":messages.1.content.0")
        terminal.wait_until_gone("? help")
        terminal.send("\r")
        terminal.wait_for("● tool_use Task", "? help")
        terminal.send("\r")
        terminal.wait_for("▌ main ► agent:")
        terminal.send("\x1b")
        terminal.wait_for("▌ main  ")
        # What is typed or pasted is echoed, and answered.
        pasted = text.encode("utf-8", "replace").decode().replace("\x1b", "")
        terminal.send(f":\x1b[200~{pasted}\x1b[201~\r")
        terminal.wait_until_gone("? help")
        terminal.send("\x1b")
        terminal.wait_for("? help")
        terminal.send(f"/\x1b[200~{pasted}\x1b[201~")
        terminal.wait_until_gone("? help")
        terminal.send("\x1b")
        terminal.wait_for("? help")
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
    sent = POINTER.sub(b"", terminal.raw)
    for bytes_ in FORBIDDEN:
        assert bytes_ not in sent, printable(repr(bytes_))
