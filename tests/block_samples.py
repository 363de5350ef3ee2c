"""Small sessions in the real formats, for tests of what is said about one row."""

import json

from tapeview.looks.block_text import block_body, block_head
from tapeview.looks.goto import resolve
from tapeview.snapshot import Snapshot
from tapeview.tape.rows import Row
from tests.helpers import snapshot_of

PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAQAAAADCAIAAAA7ljmRAAAADklEQVR4nGNgwAX+AwAAAwABqlLK2AAAAABJ"
    "RU5ErkJggg=="
)
"""A PNG of 4 by 3 pixels."""


def user(*content: object) -> dict[str, object]:
    return {"role": "user", "content": _content(content)}


def model(*content: object, **more: object) -> dict[str, object]:
    return {"role": "assistant", "content": _content(content), **more}


def _content(content: tuple[object, ...]) -> object:
    return content[0] if len(content) == 1 and isinstance(content[0], str) else list(content)


def text(words: str) -> dict[str, object]:
    return {"type": "text", "text": words}


def call(identity: str, name: str = "Bash", **given: object) -> dict[str, object]:
    return {"type": "tool_use", "id": identity, "name": name, "input": given}


def result(identity: str, content: object = "none", **more: object) -> dict[str, object]:
    return {"type": "tool_result", "tool_use_id": identity, "content": content, **more}


def image(data: str = PNG, says: str = "image/png") -> dict[str, object]:
    return {"type": "image", "source": {"type": "base64", "media_type": says, "data": data}}


def claude(*rows: dict[str, object]) -> bytes:
    """A Claude Code session of these messages, one a line, chained, with what ``extra`` adds.

    ``at`` is the clock of a row, ``id`` its reply's id.
    """
    lines = []
    for number, row in enumerate(rows):
        message = {key: value for key, value in row.items() if key not in ("at", "extra")}
        line = {
            "type": message["role"],
            "uuid": f"0000000{number}-aaaa-bbbb-cccc-dddddddddddd",
            "parentUuid": f"0000000{number - 1}-aaaa-bbbb-cccc-dddddddddddd" if number else None,
            "sessionId": "s",
            "message": message,
            **(row.get("extra") or {}),
        }
        if at := row.get("at"):
            line["timestamp"] = f"2026-03-01T{at}Z"
        lines.append(json.dumps(line))
    return "\n".join(lines).encode()


def at(snapshot: Snapshot, words: str) -> Row:
    """The row that these words lead to; ``kind:NAME`` is the first row of that kind."""
    kind, _, name = words.partition(":")
    if kind == "kind":
        return next(row for row in snapshot.rows if row.kind == name)
    row = resolve(snapshot, words).row
    assert row >= 0, words
    return snapshot.rows[row]


def head_of(body: object, words: str):
    snapshot = snapshot_of(body)
    return block_head(snapshot, at(snapshot, words))


def body_of(body: object, words: str) -> list[str]:
    """The lines of a row's body, indented, behind their bar where they have one."""
    snapshot = snapshot_of(body)
    return written(block_body(snapshot, at(snapshot, words)))


def written(lines) -> list[str]:
    return [" " * line.indent + ("│ " if line.bar else "") + line.text for line in lines]
