"""The parts of the README that come from the program: its tables, and what commands print.

    python -m tests.readme

writes them anew; a test holds them current. A table stands between ``<!-- NAME -->`` and
``<!-- end of NAME -->``; what a command prints stands in the code block behind
``<!-- output of COMMAND -->``. The block behind ``<!-- file NAME -->`` is a file that commands
read.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_args

import msgspec

from tapeview.commands import COMMANDS
from tapeview.edit.operations import Operation
from tapeview.formats._registry import all_formats
from tapeview.rules._registry import all_rules, page_of

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
OUTPUT = re.compile(r"(<!-- output of (.+?) -->\n```text\n)(.*?)(```\n)", re.DOTALL)

FILE = re.compile(r"<!-- file (\S+) -->\n```json\n(.*?)```\n", re.DOTALL)

GROUPS = {
    "move": "moving",
    "find": "finding",
    "edit": "editing",
    "look": "looking",
    "take": "taking along",
    "program": "the program",
}


def table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    """A table in Markdown; ``|`` inside a cell is escaped."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in lines
    )


def formats() -> str:
    """Formats with where their files come from."""
    return table(
        ("name", "what it is", "where its files come from"),
        (
            (f"`{format_.name}`", format_.title, _paragraph(type(format_).__doc__ or ""))
            for format_ in all_formats()
        ),
    )


def rules() -> str:
    """Rules with the first line of their page."""
    return table(
        ("code", "name", "severity", "what is wrong"),
        (
            (rule.code, rule.name, rule.severity, page_of(rule).splitlines()[0])
            for rule in all_rules()
        ),
    )


def keys() -> str:
    """Keys by what they are for."""
    return table(
        ("key", "does", "for"),
        (
            # The help page calls itself "this page".
            (f"`{e.show}`", "keys and signs" if e.id == "help" else e.help, GROUPS[e.group])
            for e in COMMANDS
        ),
    )


def operations() -> str:
    """What one can ask for in a list of edits."""
    return table(
        ("op", "with", "does"),
        (
            (f"`{kind.__struct_config__.tag}`", _members(kind), _paragraph(kind.__doc__ or ""))
            for kind in get_args(Operation)
        ),
    )


def _members(kind: type[msgspec.Struct]) -> str:
    """An edit's own members; a ``?`` behind those that may be left out."""
    fields = [field for field in msgspec.structs.fields(kind) if field.name != "tape"]
    return ", ".join(f"`{f.name}`" + ("" if f.required else "?") for f in fields)


def _paragraph(docstring: str) -> str:
    """The first paragraph of a docstring in one line, its ``code`` as Markdown has it."""
    first = docstring.strip().split("\n\n")[0]
    return " ".join(first.split()).replace("``", "`")


TABLES: dict[str, Callable[[], str]] = {
    "formats": formats,
    "rules": rules,
    "keys": keys,
    "operations": operations,
}


def lay_out(folder: Path, text: str) -> None:
    """What commands of the README find where they are run: the samples, and its own files."""
    (folder / "sample_sessions").symlink_to(ROOT / "sample_sessions")
    for name, content in FILE.findall(text):
        (folder / name).write_text(content, encoding="utf-8")


def printed(command: str, text: str) -> str:
    """What the program prints for a line of a shell, which may be a pipe or end in ``head -N``."""
    raw, talk = b"", b""
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder), text)
        for part in command.split(" | "):
            if cut := re.fullmatch(r"head -(\d+)", part):
                raw = b"".join(raw.splitlines(keepends=True)[: int(cut[1])])
                continue
            done = subprocess.run(
                [sys.executable, "-m", *shlex.split(part)],
                cwd=folder,
                env=os.environ | {"PYTHONPATH": str(ROOT)},
                input=raw,
                capture_output=True,
                check=False,
            )
            raw, talk = done.stdout, talk + done.stderr
    return (raw + talk).decode()


def renewed(text: str) -> str:
    """The README as it should be. Raises ``ValueError`` for a lost mark."""
    for name, make in TABLES.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
        if text.count(begin) != 1 or text.count(end) != 1:
            raise ValueError(f"README.md has not one table {name}")
        head, _, rest = text.partition(begin)
        text = f"{head}{begin}{make()}\n{end}{rest.partition(end)[2]}"
    return OUTPUT.sub(lambda found: found[1] + printed(found[2], text) + found[4], text)


def commands(text: str, name: str) -> list[str]:
    """The lines of the code block that follows ``<!-- NAME -->``."""
    found = re.search(rf"<!-- {name} -->\n+```\w*\n(.*?)```", text, re.DOTALL)
    if found is None:
        raise ValueError(f"README.md has no commands {name}")
    return found[1].splitlines()


def main() -> None:
    """Write what comes from the program."""
    README.write_text(renewed(README.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
