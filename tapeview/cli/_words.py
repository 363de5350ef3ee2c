"""The words of the command line: each command with its options."""

import argparse
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from tapeview.errors import UsageError

__all__ = ["COMMAND_NAMES", "Do", "parser_of"]

Do = Callable[[argparse.Namespace], int]
"""What a command does; the exit code."""

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


def parser_of(does: Mapping[str, Do]) -> argparse.ArgumentParser:
    """All words; the namespace's ``do`` is what ``does`` has under the command's name."""
    parser = _Parser(
        prog="tapeview",
        description="A debugger for LLM-agent conversations, in the terminal. "
        "`tapeview PATH` opens a session, `tapeview` alone lists those on this machine.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_open(commands).set_defaults(do=does["open"])
    _add_show(commands).set_defaults(do=does["show"])
    _add_request(commands).set_defaults(do=does["request"])
    _add_check(commands).set_defaults(do=does["check"])
    _add_edit(commands).set_defaults(do=does["edit"])
    _add_play(commands).set_defaults(do=does["play"])
    _add_replay(commands).set_defaults(do=does["replay"])
    _add_record(commands).set_defaults(do=does["record"])
    for name, words in (
        ("formats", "the session formats that are read"),
        ("rules", "the rules that check looks at"),
    ):
        commands.add_parser(name, help=words, description=words).set_defaults(do=does[name])
    explain = commands.add_parser("explain", help="what a rule means and how to mend it")
    explain.add_argument("code", metavar="CODE")
    explain.set_defaults(do=does["explain"])
    return parser


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import PackageNotFoundError, version

        try:
            print(f"tapeview {version('tapeview')}")
        except PackageNotFoundError:
            print("tapeview, from a folder in which it is not installed")
        parser.exit()


def _add_open(commands: "argparse._SubParsersAction[_Parser]") -> _Parser:
    parser = commands.add_parser("open", help="open a session on the screen")
    parser.add_argument("path", metavar="PATH", nargs="?", help="a session file; - reads stdin")
    _add_tape(parser)
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--turn", type=int, metavar="N", help="start at turn N")
    place.add_argument("--at", metavar="PLACE", help="start at a path: messages.4.content.1")
    parser.add_argument("--follow", action="store_true", help="show what comes as the file grows")
    return parser


def _add_tape(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tape", metavar="ID", default="main", help="main~1, branch:1, agent:...; main unless told"
    )


def _add_show(commands: "argparse._SubParsersAction[_Parser]") -> _Parser:
    parser = commands.add_parser("show", help="print the outline, a line for each block")
    parser.add_argument("path", metavar="PATH", help="a session file; - reads standard input")
    _add_tape(parser)
    parser.add_argument("--turn", type=int, metavar="N", help="what the model knew at turn N")
    parser.add_argument("--only", action="store_true", help="with --turn: that turn alone")
    parser.add_argument("--full", action="store_true", help="the whole text of each block")
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    return parser


def _add_request(commands: "argparse._SubParsersAction[_Parser]") -> _Parser:
    parser = commands.add_parser("request", help="print the request body of a call")
    parser.add_argument("path", metavar="PATH", help="a session file; - reads standard input")
    _add_tape(parser)
    parser.add_argument("--turn", type=int, metavar="N", help="the call whose reply is turn N")
    parser.add_argument("--strict", action="store_true", help="exit 1 if something is not stored")
    return parser


def _add_check(commands: "argparse._SubParsersAction[_Parser]") -> _Parser:
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
    return parser


def _add_edit(commands: "argparse._SubParsersAction[_Parser]") -> _Parser:
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
    return parser


def _add_play(commands: "argparse._SubParsersAction[_Parser]") -> _Parser:
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
    return parser


def _add_replay(commands: "argparse._SubParsersAction[_Parser]") -> _Parser:
    parser = commands.add_parser("replay", help="make a model call again")
    parser.add_argument("path", metavar="PATH", help="a session file; - reads standard input")
    _add_tape(parser)
    parser.add_argument(
        "--turn", type=int, metavar="N", help="the call whose reply is turn N; else the next one"
    )
    parser.add_argument("--model", metavar="M", help="another model than the recorded one")
    parser.add_argument("--endpoint", metavar="NAME", help="where it goes; see the README")
    parser.add_argument(
        "-n", type=int, dest="times", metavar="K", help="K times: how often each decision comes"
    )
    parser.add_argument("--max-tokens", type=int, metavar="N", help="how long a reply may be")
    parser.add_argument("--json", action="store_true", help="the message, or the report, as JSON")
    return parser


def _add_record(commands: "argparse._SubParsersAction[_Parser]") -> _Parser:
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
    return parser
