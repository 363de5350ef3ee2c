"""The one line that stands for a block: the member that matters, the first lines, the words.

Gists are clean: safe for any terminal, one line, whatever the tape holds.
"""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TypeGuard

from tapeview.tape.clean import clean_line
from tapeview.tape.images import facts_of_base64
from tapeview.tape.json_text import JsonFault, loads
from tapeview.tape.shape import Part
from tapeview.tape.sizes import count

__all__ = [
    "LIMIT",
    "PATHS",
    "gist_of_call",
    "gist_of_image",
    "gist_of_parts",
    "gist_of_tools",
    "tool_names",
]

LIMIT = 400
"""Characters of text that a gist looks at: more than any row shows."""

PATHS = ("file_path", "path", "notebook_path", "filename", "file")
"""Members of an input that name the file that a call is about, the most telling first."""
MAIN = ("command", "cmd", "url", "query", "prompt", "description", "skill", "plan", "code")
"""Members that tell by themselves what a call does, the most telling first."""


def gist_of_call(value: object, folder: str = "") -> str:
    """The gist of a call's input: the one member that matters, else ``key: value`` pairs.

    Paths below ``folder``, where the agent worked, are shown from there.
    """
    if not isinstance(value, Mapping):
        return "" if value is None else clean_line(_short(value), LIMIT)
    paths = (path for key in PATHS if isinstance(path := value.get(key), str) and path)
    path = next(paths, None)
    if path is not None and folder:
        path = path.removeprefix(folder.rstrip("/") + "/") or path
    pattern = value.get("pattern")
    if isinstance(pattern, str):
        where = f" in {path}" if path else ""
        return clean_line(f'"{pattern[:LIMIT]}"{where}', LIMIT)
    if path is not None:
        return clean_line(path[:LIMIT] + _range(value), LIMIT) + _change(value)
    if isinstance(value.get("description"), str) and isinstance(value.get("prompt"), str):
        return clean_line(value["description"], LIMIT)
    for key in MAIN:
        if isinstance(value.get(key), str) and value[key]:
            return clean_line(value[key], LIMIT)
    return _pairs(value)


def _range(value: Mapping[str, object]) -> str:
    offset, limit = value.get("offset"), value.get("limit")
    if not _is_line(offset):
        return ""
    return f":{offset}-{offset + limit - 1}" if _is_line(limit) else f":{offset}-"


def _is_line(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9


def _change(value: Mapping[str, object]) -> str:
    old, new = value.get("old_string"), value.get("new_string")
    if not (isinstance(old, str) and isinstance(new, str)):
        return ""
    before, after = old.split("\n"), new.split("\n")
    same = _common(before, after)
    del before[:same], after[:same]
    same = _common(before[::-1], after[::-1])
    return f"  +{len(after) - same} -{len(before) - same}"


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    """How many lines at the beginning are the same."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((k for k, (one, two) in pairs if one != two), min(len(first), len(second)))


def _pairs(value: Mapping[str, object]) -> str:
    pairs = [f"{key}: {_short(member)}" for key, member in value.items()]
    return clean_line(", ".join(sorted(pairs, key=len)), LIMIT)


def _short(value: object) -> str:
    if isinstance(value, str):
        return value[:LIMIT]
    if isinstance(value, Sequence):
        return f"[{len(value)}]"
    if isinstance(value, Mapping):
        return "{…}" if value else "{}"
    return str(value) if value is not None and not isinstance(value, bool) else _json_word(value)


def _json_word(value: object) -> str:
    return {True: "true", False: "false", None: "null"}[value]  # type: ignore[index]


def gist_of_parts(parts: Sequence[Part]) -> str:
    """The gist of a text or result: its first lines, or what kind of thing it is."""
    words = [word for part in parts if (word := _gist_of_part(part))]
    if len(words) < 2:
        return words[0] if words else "(empty)"
    return clean_line(" ¶ ".join(words), LIMIT)


def _gist_of_part(part: Part) -> str:
    if part.kind == "json":
        # Line breaks between JSON tokens say nothing.
        text = part.raw[: LIMIT * 4].decode("utf-8", "replace")
        return clean_line(" ".join(text.split()), LIMIT)
    if part.kind == "image":
        return gist_of_image(part)
    if part.kind == "document":
        name = PurePath(part.text).name if part.text else "document"
        return clean_line(f"{name} {part.media_type}", LIMIT)
    return clean_line(part.text, LIMIT)


def gist_of_image(part: Part) -> str:
    """``image/png 1280×720``, by what the bytes say where they say something."""
    facts = facts_of_base64(part.data)
    size = f" {facts.width}×{facts.height}" if facts.width and facts.height else ""
    return f"{clean_line(part.media_type, 60) or facts.media_type or 'image'}{size}"


def tool_names(tools: bytes) -> tuple[str, ...]:
    """Names of the tools that a request declares, in order, in either dialect."""
    try:
        value = loads(tools) if tools else None
    except JsonFault:
        return ()
    names = []
    for tool in value if isinstance(value, list) else ():
        if not isinstance(tool, dict):
            continue
        function = tool.get("function")
        name = function.get("name") if isinstance(function, dict) else tool.get("name")
        kind = tool.get("type")
        names.append(next((word for word in (name, kind) if isinstance(word, str)), "?"))
    return tuple(names)


def gist_of_tools(tools: bytes) -> tuple[str, str]:
    """``3 tools`` and their names."""
    names = tool_names(tools)
    return count(len(names), "tool"), clean_line(", ".join(names), LIMIT)
