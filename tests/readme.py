"""The parts of the README that come from the program: its tables, and what commands print.

    python -m tests.readme

writes them anew; a test holds them current. A table stands between ``<!-- NAME -->`` and
``<!-- end of NAME -->``; what a command prints stands in the code block behind
``<!-- output of COMMAND -->``.
"""

import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tapeview.commands import COMMANDS
from tapeview.formats._registry import all_formats
from tapeview.rules._registry import all_rules, page_of

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
OUTPUT = re.compile(r"(<!-- output of (.+?) -->\n```text\n)(.*?)(```\n)", re.DOTALL)

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


def _paragraph(docstring: str) -> str:
    """The first paragraph of a docstring in one line, its ``code`` as Markdown has it."""
    first = docstring.strip().split("\n\n")[0]
    return " ".join(first.split()).replace("``", "`")


TABLES: dict[str, Callable[[], str]] = {"formats": formats, "rules": rules, "keys": keys}


def printed(command: str) -> str:
    """What the program prints for such a line of a shell, which may end in ``| head -N``."""
    words = shlex.split(command.partition("|")[0])
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    lines = (done.stdout + done.stderr).splitlines(keepends=True)
    cut = re.search(r"\| head -(\d+)$", command)
    return "".join(lines[: int(cut[1])] if cut else lines)


def renewed(text: str) -> str:
    """The README as it should be. Raises ``ValueError`` for a lost mark."""
    for name, make in TABLES.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
        if text.count(begin) != 1 or text.count(end) != 1:
            raise ValueError(f"README.md has not one table {name}")
        head, _, rest = text.partition(begin)
        text = f"{head}{begin}{make()}\n{end}{rest.partition(end)[2]}"
    return OUTPUT.sub(lambda found: found[1] + printed(found[2]) + found[4], text)


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
