"""The words of the command line, and the function that each command is."""

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from tapeview.cli._reading import load_session, say_waiting
from tapeview.cli._say import print_bytes, print_lines, say
from tapeview.errors import TapeviewError, UsageError

__all__ = ["run"]

COMMAND_NAMES = (
    "open",
    "show",
    "request",
    "check",
    "edit",
    "play",
    "replay",
    "record",
    "formats",
    "rules",
    "explain",
)


class _Parser(argparse.ArgumentParser):
    """argparse, but a fault of words is our own error: one sentence, exit 2.

    Options are spelled out: an abbreviation that works today is another option's name tomorrow.
    """

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - argparse's own settings
        super().__init__(**settings, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self.prog}: {message}. See {self.prog} --help.")


def run(words: Sequence[str]) -> int:
    """Do what the words say; the exit code.

    0 done, 1 ``check`` found what it was to fail on, ``request --strict`` lacks something or a
    call of ``replay`` failed, 2 wrong words, a given path cannot be read, or an edit does not fit.
    """
    if sys.stdout is None:  # closed before we were started
        return 2
    try:
        code = _do(words)
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


def _do(words: Sequence[str]) -> int:
    words, command = _apart(words)
    try:
        arguments = _parser().parse_args(_with_command(words))
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


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="tapeview",
        description="A debugger for LLM-agent conversations, in the terminal. "
        "`tapeview PATH` opens a session, `tapeview` alone lists those on this machine.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_open(commands)
    _add_show(commands)
    _add_request(commands)
    _add_check(commands)
    _add_edit(commands)
    _add_play(commands)
    _add_replay(commands)
    _add_record(commands)
    for name, words, do in (
        ("formats", "the session formats that are read", _formats),
        ("rules", "the rules that check looks at", _rules),
    ):
        commands.add_parser(name, help=words, description=words).set_defaults(do=do)
    explain = commands.add_parser("explain", help="what a rule means and how to mend it")
    explain.add_argument("code", metavar="CODE")
    explain.set_defaults(do=_explain)
    return parser


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import PackageNotFoundError, version

        try:
            print(f"tapeview {version('tapeview')}")
        except PackageNotFoundError:
            print("tapeview, from a folder in which it is not installed")
        parser.exit()


def _add_open(commands: "argparse._SubParsersAction[_Parser]") -> None:
    parser = commands.add_parser("open", help="open a session on the screen")
    parser.add_argument("path", metavar="PATH", nargs="?", help="a session file; - reads stdin")
    _add_tape(parser)
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--turn", type=int, metavar="N", help="start at turn N")
    place.add_argument("--at", metavar="PLACE", help="start at a path: messages.4.content.1")
    parser.add_argument("--follow", action="store_true", help="show what comes as the file grows")
    parser.set_defaults(do=_open)


def _add_tape(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tape", metavar="ID", default="main", help="main~1, branch:1, agent:...; main unless told"
    )


def _add_show(commands: "argparse._SubParsersAction[_Parser]") -> None:
    parser = commands.add_parser("show", help="print the outline, a line for each block")
    parser.add_argument("path", metavar="PATH", help="a session file; - reads standard input")
    _add_tape(parser)
    parser.add_argument("--turn", type=int, metavar="N", help="what the model knew at turn N")
    parser.add_argument("--only", action="store_true", help="with --turn: that turn alone")
    parser.add_argument("--full", action="store_true", help="the whole text of each block")
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    parser.set_defaults(do=_show)


def _add_request(commands: "argparse._SubParsersAction[_Parser]") -> None:
    parser = commands.add_parser("request", help="print the request body of a call")
    parser.add_argument("path", metavar="PATH", help="a session file; - reads standard input")
    _add_tape(parser)
    parser.add_argument("--turn", type=int, metavar="N", help="the call whose reply is turn N")
    parser.add_argument("--strict", action="store_true", help="exit 1 if something is not stored")
    parser.set_defaults(do=_request)


def _add_check(commands: "argparse._SubParsersAction[_Parser]") -> None:
    parser = commands.add_parser("check", help="find what the API would refuse")
    parser.add_argument("paths", metavar="PATH", nargs="+", help="files, or folders to walk")
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="lines, or one JSON report"
    )
    parser.add_argument(
        "--json", action="store_const", const="json", dest="format", help="short for --format json"
    )
    parser.add_argument(
        "--as",
        choices=("request", "session"),
        dest="purpose",
        help="the next request, or the log of a session whose end may be unfinished",
    )
    parser.add_argument("--select", metavar="CODES", help="only these rules: TU001,TR")
    parser.add_argument("--ignore", metavar="CODES", help="all but these rules")
    parser.add_argument(
        "--fail-on",
        choices=("error", "warning", "suspicion", "pending", "info"),
        default="error",
        help="exit 1 for findings of this severity and worse",
    )
    parser.set_defaults(do=_check)


def _add_edit(commands: "argparse._SubParsersAction[_Parser]") -> None:
    parser = commands.add_parser("edit", help="change a session by a list of edits")
    parser.add_argument("path", metavar="PATH", nargs="?", help="a session file; - reads stdin")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--script", metavar="FILE", help="do the edits in a JSON file; - reads stdin")
    what.add_argument("--export", action="store_true", help="print the edits made in this file")
    what.add_argument("--schema", action="store_true", help="print the JSON Schema of a script")
    to = parser.add_mutually_exclusive_group()
    to.add_argument("-o", dest="out", metavar="OUT", help="write to this file, not to stdout")
    to.add_argument("--in-place", action="store_true", help="save to the session file itself")
    parser.add_argument("--force", action="store_true", help="with -o: over an existing file too")
    parser.set_defaults(do=_edit)


def _add_play(commands: "argparse._SubParsersAction[_Parser]") -> None:
    parser = commands.add_parser("play", help="let a tape stand in for the model")
    parser.add_argument("path", metavar="PATH", help="a session file; - reads standard input")
    parser.add_argument(
        "--tape", metavar="ID", help="this tape alone: main, agent:...; all of them unless told"
    )
    parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        help="where clients find it; a free port of 127.0.0.1 unless told",
    )
    parser.add_argument(
        "--strict", action="store_true", help="refuse messages that are not on the tape"
    )
    parser.add_argument(
        "--recorded-speed", action="store_true", help="take as long as the model took"
    )
    parser.set_defaults(do=_play)


def _add_replay(commands: "argparse._SubParsersAction[_Parser]") -> None:
    parser = commands.add_parser("replay", help="make a model call again")
    parser.add_argument("path", metavar="PATH", help="a session file; - reads standard input")
    _add_tape(parser)
    parser.add_argument("--turn", type=int, metavar="N", help="the call whose reply is turn N")
    parser.add_argument("--model", metavar="M", help="another model than the recorded one")
    parser.add_argument("--endpoint", metavar="NAME", help="where it goes; see the README")
    parser.add_argument(
        "-n", type=int, dest="times", metavar="K", help="K times: how often each decision comes"
    )
    parser.add_argument("--max-tokens", type=int, metavar="N", help="how long a reply may be")
    parser.add_argument("--json", action="store_true", help="the message, or the report, as JSON")
    parser.set_defaults(do=_replay)


def _add_record(commands: "argparse._SubParsersAction[_Parser]") -> None:
    parser = commands.add_parser(
        "record",
        help="record the calls of an agent while it runs",
        usage="tapeview record [-o FILE] [--listen HOST:PORT] [--upstream URL] [-- COMMAND...]",
        description="Runs COMMAND with its calls led through a proxy that records them, and ends "
        "with its exit code; without COMMAND, the proxy runs until ctrl+c.",
    )
    parser.add_argument("-o", dest="out", metavar="FILE", help="a new file; NAME-TIME.tape.jsonl")
    parser.add_argument(
        "--listen", metavar="HOST:PORT", help="127.0.0.1 and a free port unless told"
    )
    parser.add_argument(
        "--upstream", metavar="URL", help="$ANTHROPIC_BASE_URL, else the vendor's API"
    )
    parser.set_defaults(do=_record)


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
    app.run()
    if app.failure is not None:
        raise app.failure
    return app.return_code or 0


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
