import json

import pytest

from tapeview.looks.reply import TAIL, GrowingLines, reply_lines
from tapeview.wire.assemble import Assembler
from tapeview.wire.sse import Event

THINKING = {"type": "thinking", "thinking": "", "signature": ""}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "Edit", "input": {}}


def arrived(*events):
    assembler = Assembler()
    for event in events:
        assembler.take(Event("", json.dumps(event).encode()))
    return assembler


def start(block, index=0):
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index=0, **members):
    return {"type": "content_block_delta", "index": index, "delta": members}


def text(piece, index=0):
    return delta(index, type="text_delta", text=piece)


def json_piece(piece, index=0):
    return delta(index, type="input_json_delta", partial_json=piece)


def stop(index=0):
    return {"type": "content_block_stop", "index": index}


def shown(*events):
    """Each line as its sign, its indent and its words."""
    return [
        f"{(sign or '') + ':' if sign else ''}{' ' * line.indent}{line.text}"
        for line, sign, _ in reply_lines(arrived(*events).blocks.values())
    ]


CASES = {
    "nothing yet": ([], []),
    "a text that grows": (
        [start({"type": "text", "text": ""}), text("one\ntw"), text("o")],
        ["text:text", "  one", "  two"],
    ),
    "thinking, then text": (
        [
            start(THINKING),
            delta(type="thinking_delta", thinking="hm"),
            stop(),
            start({"type": "text", "text": ""}, 1),
            text("so", 1),
        ],
        ["thinking:thinking", "  hm", "", "text:text", "  so"],
    ),
    "a call that grows": (
        [start(CALL), json_piece('{"file_path": "src/a.py", "old_str'), json_piece('ing": "no')],
        ["call:Edit  ", '  {"file_path": "src/a.py",', '   "old_string": "no'],
    ),
    "a call that is whole": (
        [start(CALL), json_piece('{"file_path":"src/a.py","limit":2.0}'), stop()],
        ["call:Edit  src/a.py", "  {", '    "file_path": "src/a.py",', '    "limit": 2.0', "  }"],
    ),
    "a call whose input came with its start": (
        [start({**CALL, "input": {"command": "ls"}}), stop()],
        ["call:Edit  ls", "  {", '    "command": "ls"', "  }"],
    ),
    "a call whose input is no JSON": (
        [start(CALL), json_piece('{"a": [1, '), stop()],
        ["call:Edit  ", '  {"a": [1, '],
    ),
    "a call without input": ([start(CALL), stop()], ["call:Edit  ", "  {}"]),
    "an unknown block": (
        [start({"type": "hologram", "size": 3}), stop()],
        ["unknown:hologram", "  {", '    "type": "hologram",', '    "size": 3', "  }"],
    ),
    "a name that would move the cursor": (
        [start({**CALL, "name": "\x1b[2J"})],
        ["call:¤[2J  "],
    ),
}


@pytest.mark.parametrize(("events", "lines"), CASES.values(), ids=CASES)
def test_lines_of_a_reply(events, lines):
    assert shown(*events) == lines


@pytest.mark.parametrize("piece", ["word\n", "w" * 7])
def test_of_a_long_text_that_grows_the_end_is_shown(piece):
    lines = shown(start({"type": "text", "text": ""}), text(piece * 40_000))
    assert lines[1].endswith(" above")
    assert 0 < sum(map(len, lines)) < 2 * TAIL
    assert lines[-1].endswith(piece.strip())


def test_a_long_text_that_is_whole_is_shown_whole():
    lines = shown(start({"type": "text", "text": ""}), text("word\n" * 40_000), stop())
    assert len(lines) == 40_001


def test_lines_of_whole_blocks_are_made_once():
    assembler = Assembler()
    growing = GrowingLines(assembler)
    lines, kept = [], []
    for event in [
        start(THINKING),
        delta(type="thinking_delta", thinking="hm\nhm"),
        stop(),
        start({"type": "text", "text": ""}, 1),
        text("so", 1),
        text("on", 1),
        stop(1),
        start(CALL, 2),
        json_piece("{}", 2),
        stop(2),
    ]:
        assembler.take(Event("", json.dumps(event).encode()))
        keep, news = growing.news()
        lines[keep:] = news
        kept.append(keep)
        assert lines == list(reply_lines(assembler.blocks.values()))
    assert kept == [0, 0, 0, 3, 3, 3, 3, 6, 6, 6]
