"""``tapeview edit``: a list of edits done to a session, or the one that was made by hand."""

import argparse
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from tapeview.cli._reading import load_session
from tapeview.cli._say import Progress, print_bytes, print_exactly, say
from tapeview.edit.operations import Operation, operation_json, operations_from, schema
from tapeview.errors import EditError, OpenError, PlaceError, SaveError, UsageError
from tapeview.formats._source import open_source
from tapeview.keep.files import fingerprint_of
from tapeview.keep.journal import journal_path, read_journal
from tapeview.keep.keeper import Keeper
from tapeview.open_session import OpenSession
from tapeview.settings import state_folder
from tapeview.tape.sizes import count

__all__ = ["edit"]


def edit(arguments: argparse.Namespace) -> int:
    """Do what the words after ``edit`` say; the exit code."""
    _fit(arguments)
    if arguments.schema:
        from msgspec import json

        print_bytes(json.format(json.encode(schema())))
    elif arguments.export:
        _export(arguments.path)
    else:
        _run_script(arguments)
    return 0


def _fit(arguments: argparse.Namespace) -> None:
    """Raises ``UsageError`` for words that do not go together."""
    path, out, in_place = arguments.path, arguments.out, arguments.in_place
    wrong = ""
    if arguments.schema != (path is None):
        wrong = "--schema goes without a PATH" if path else "name a session file"
    elif (out is not None or in_place) and arguments.script is None:
        wrong = "-o and --in-place go with --script"
    elif arguments.force and out is None:
        wrong = "--force goes with -o"
    elif path == "-" and (arguments.export or in_place):
        wrong = "standard input has no file that edits are kept for; use --script and -o"
    elif path == "-" and arguments.script == "-":
        wrong = "PATH and --script cannot both read standard input"
    elif out not in (None, "-") and path != "-" and Path(out).resolve() == Path(path).resolve():
        wrong = "-o names the session itself; use --in-place"
    if wrong:
        raise UsageError(f"tapeview edit: {wrong}. See tapeview edit --help.")


def _export(path: str) -> None:
    """The edits that a file's journal holds, one a line."""
    if not Path(path).is_file():
        raise OpenError(f"{path}: there is no such file.")
    session = Path(path)
    journaled = read_journal(journal_path(state_folder(os.environ), session))
    if journaled is None or not journaled.done:
        say(f"{path}: no edits of this file are kept.")
        print_bytes(b"[]")
        return
    file = fingerprint_of(session)
    if file is None or journaled.state_in(file) is None:
        say(f"{path}: the file has changed since these edits were made.")
    lines = b",\n".join(operation_json(operation) for operation in journaled.done)
    print_exactly([b"[\n", lines, b"\n]\n"])


def _run_script(arguments: argparse.Namespace) -> None:
    """Do a script's edits, all or none, and bring the session where it is wanted."""
    operations = _operations(arguments.script)
    opened = load_session(arguments.path)
    keeper = Keeper(opened)
    left = keeper.left() if arguments.in_place else None
    if left is not None:
        raise SaveError(
            f"{arguments.path}: {count(left.steps, 'edit')} made by hand "
            f"{'was' if left.steps == 1 else 'were'} never saved; open it and save or drop "
            f"{'it' if left.steps == 1 else 'them'} first. Nothing was written."
        )
    _apply(opened, operations, arguments)
    if arguments.in_place:
        _save(keeper, arguments.path, len(operations))
    elif arguments.out not in (None, "-"):
        keeper.save_as(Path(arguments.out), arguments.force)
    else:
        print_exactly(_pieces(opened))


def _operations(script: str) -> Sequence[Operation]:
    source = open_source(script)
    try:
        return operations_from(source.read(0, source.size))
    except EditError as error:
        raise EditError(f"{script}: {error}") from None


def _apply(
    opened: OpenSession, operations: Sequence[Operation], arguments: argparse.Namespace
) -> None:
    progress = Progress()
    for number, operation in enumerate(operations, 1):
        where = f"{arguments.script}: edit {number} of {len(operations)}"
        progress.step(where)
        try:
            done = opened.apply(operation)
        except (EditError, PlaceError) as error:
            raise EditError(f"{where}: {error}") from None
        if not arguments.in_place and done.members - {0}:
            raise EditError(
                f"{where}: it changes the file of a sub-agent, which only --in-place saves."
            )
    progress.done()


def _save(keeper: Keeper, path: str, edits: int) -> None:
    keeper.note_done()
    written = keeper.save()
    if keeper.trouble:
        say(keeper.trouble)
    others = len(written) - 1
    also = f" and in {count(others, 'file')} of sub-agents" if others > 0 else ""
    say(f"{path}: {count(edits, 'edit')} saved{also}." if written else f"{path}: nothing changed.")


def _pieces(opened: OpenSession) -> Iterator[bytes]:
    """The session's own file. Raises ``SaveError`` where it is cut short while it is read."""
    try:
        yield from opened.session.written(opened.session, 0)
    except OSError as error:
        raise SaveError(f"{opened.session.path}: {error.strerror or error}.") from None
