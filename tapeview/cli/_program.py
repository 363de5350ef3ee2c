"""The words of the command line, and the function that each command is."""

import argparse
import errno
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tapeview.cli._reading import load_session, say_waiting
from tapeview.cli._say import print_bytes, print_lines, say
from tapeview.cli._words import COMMAND_NAMES, Do, parser_of
from tapeview.errors import TapeviewError, UsageError

__all__ = ["run"]

STDERR: Final = 2


def run(words: Sequence[str]) -> int:
    """Do what the words say; the exit code.

    0 done, 1 ``check`` found what it was to fail on, ``request --strict`` lacks something or a
    call of ``replay`` failed, 2 wrong words, a given path cannot be read, or an edit does not fit.
    """
    if sys.stdout is None or sys.stderr is None:  # closed before we were started
        _fill_standard_files()
        if sys.stdout is None and words[:1] != ["record"]:  # its output is the command's
            return 2
    try:
        code = _do(words)
        if sys.stdout is not None:
            sys.stdout.flush()
    except TapeviewError as error:
        say(str(error))
        return 2
    except BrokenPipeError:
        # Whoever read our output has enough; Python must not complain while it closes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EIO, errno.EBADF):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        say(f"tapeview: cannot write to standard output: {error.strerror}.")
        return 2
    return code


def _fill_standard_files() -> None:
    """No file that is opened from now on goes by the number of standard output or error."""
    while os.open(os.devnull, os.O_RDWR) <= STDERR:
        pass


def _do(words: Sequence[str]) -> int:
    words, command = _apart(words)
    try:
        arguments = parser_of(DOES).parse_args(_with_command(words))
    except SystemExit:  # --help and --version have said what was asked
        return 0
    arguments.command = command
    code: int = arguments.do(arguments)
    return code


def _apart(words: Sequence[str]) -> tuple[Sequence[str], list[str]]:
    """The words of ``record``, and behind ``--`` those of the command that it runs."""
    if words[:1] != ["record"] or "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], list(words[at + 1 :])


def _with_command(words: Sequence[str]) -> list[str]:
    """A first word that is no command is a path to open."""
    first = words[0] if words else ""
    if first in COMMAND_NAMES or first in ("-h", "--help", "--version"):
        return list(words)
    if len(words) > 1 and first.isalpha() and not Path(first).exists():
        raise UsageError(f"tapeview: {first} is neither a command nor a file. See tapeview --help.")
    return ["open", *words]


def _open(arguments: argparse.Namespace) -> int:
    placed = (arguments.turn, arguments.at, arguments.tape) != (None, None, "main")
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if arguments.path is None and (placed or not on_terminal):
        raise UsageError("tapeview: name a session file to open. See tapeview --help.")
    from tapeview.loading import begin

    path = arguments.path
    if arguments.follow and (path is None or path == "-" or Path(path).is_fifo()):
        raise UsageError("tapeview: --follow needs a file; a pipe is read to its end.")
    opened = None if path is None else begin(path, waits=lambda: say_waiting(path))
    if not sys.stdout.isatty():
        raise UsageError("tapeview: the screen needs a terminal; tapeview show prints lines.")
    if not sys.stdin.isatty():
        _take_keys_from_terminal()
    from tapeview.tui.app import TapeviewApp

    app = TapeviewApp(
        opened,
        turn=arguments.turn,
        at=arguments.at,
        tape=arguments.tape,
        follow=arguments.follow,
    )
    return app.until_left()


def _take_keys_from_terminal() -> None:
    """Standard input was the tape; the keys come from the terminal itself."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        raise UsageError("tapeview: - needs a terminal to take keys from; use show.") from None
    os.dup2(terminal, 0)
    os.close(terminal)


def _show(arguments: argparse.Namespace) -> int:
    from tapeview.looks.show import json_rows, lines

    if arguments.only and arguments.turn is None:
        raise UsageError("tapeview show: --only goes with --turn N.")
    snapshot = load_session(arguments.path).snapshot(arguments.tape)
    if arguments.json:
        print_bytes(json_rows(snapshot, arguments.turn, arguments.only))
        return 0
    print_lines(lines(snapshot, arguments.turn, arguments.only, arguments.full))
    return 0


def _request(arguments: argparse.Namespace) -> int:
    from tapeview.looks.report import safe_json
    from tapeview.wire.request import recorded_request, request_of, sent_before

    snapshot = load_session(arguments.path).snapshot(arguments.tape)
    number = arguments.turn
    line = snapshot if number is None else snapshot.line_of_turn(number)
    turn = None if number is None else line.own_turn(number)
    request = None if turn is None else recorded_request(line.session, line.tape, turn)
    if request is None:
        messages = sent_before(line.index, line.tape.sent, turn)
        request = request_of(line.session, line.tape, messages)
    print_bytes(safe_json(request.body) if sys.stdout.isatty() else request.body)
    if request.absent:
        say(f"not stored in {arguments.path}: {', '.join(request.absent)}")
    return 1 if request.absent and arguments.strict else 0


def _check(arguments: argparse.Namespace) -> int:
    from tapeview.cli._check import check

    return check(arguments)


def _edit(arguments: argparse.Namespace) -> int:
    from tapeview.cli._edit import edit

    return edit(arguments)


def _play(arguments: argparse.Namespace) -> int:
    from tapeview.cli._play import play

    return play(arguments)


def _replay(arguments: argparse.Namespace) -> int:
    from tapeview.cli._replay import replay

    return replay(arguments)


def _record(arguments: argparse.Namespace) -> int:
    from tapeview.cli._record import record

    return record(arguments)


def _formats(arguments: argparse.Namespace) -> int:
    del arguments
    from tapeview.formats._registry import all_formats

    print_lines(f"{format_.name:<14} {format_.title}" for format_ in all_formats())
    return 0


def _rules(arguments: argparse.Namespace) -> int:
    del arguments
    from tapeview.rules._registry import all_rules, page_of

    print_lines(
        f"{rule.code}  {rule.severity:<8} {rule.name:<24} {page_of(rule).splitlines()[0]}"
        for rule in all_rules()
    )
    return 0


def _explain(arguments: argparse.Namespace) -> int:
    from tapeview.looks.show import rule_page
    from tapeview.rules._registry import all_rules

    wanted = arguments.code.upper()
    for rule in all_rules():
        if wanted in (rule.code, rule.name.upper()):
            print_lines(rule_page(rule))
            return 0
    raise UsageError(f"tapeview explain: there is no rule {arguments.code}. See tapeview rules.")


DOES: Final[Mapping[str, Do]] = {
    "open": _open,
    "show": _show,
    "request": _request,
    "check": _check,
    "edit": _edit,
    "play": _play,
    "replay": _replay,
    "record": _record,
    "formats": _formats,
    "rules": _rules,
    "explain": _explain,
}
