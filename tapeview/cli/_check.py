"""``tapeview check``: what the API would refuse, of files and of folders."""

import argparse
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from tapeview.cli._say import Progress, print_bytes, print_lines, say
from tapeview.errors import OpenError, UsageError

__all__ = ["check"]


def check(arguments: argparse.Namespace) -> int:
    """Print the findings; exit code 1 for what it is to fail on, 2 for what cannot be read."""
    from tapeview.cli._reading import load_session
    from tapeview.looks.report import Report, SessionReport, report_of, text_lines, unreadable
    from tapeview.rules._rule import SEVERITIES

    codes = _codes(arguments.select, arguments.ignore)
    reports: list[SessionReport] = []
    failed = passed_over = 0
    progress = Progress()
    for given in arguments.paths:
        found = 0
        for path, walked in _walk(given):
            progress.step(path)
            try:
                report = report_of(load_session(path, arguments.purpose), codes)
            except OpenError as error:
                if walked:
                    passed_over += 1
                    continue
                report, failed = unreadable(path, str(error)), failed + 1
                say(str(error))
            reports.append(report)
            found += 1
        if not found:
            failed += 1
            sentence = f"{given}: there is no session in this folder that tapeview reads."
            reports.append(unreadable(given, sentence))
            say(sentence)
    progress.done()
    if arguments.format == "json":
        print_bytes(Report(reports).to_json())
    else:
        print_lines(line for report in reports if not report.error for line in text_lines(report))
    if passed_over:
        from tapeview.tape.sizes import count

        say(f"{count(passed_over, 'other file')} passed over")
    if failed:
        return 2
    bad = SEVERITIES[: SEVERITIES.index(arguments.fail_on) + 1]
    findings = (f for report in reports for tape in report.tapes for f in tape.findings)
    return 1 if any(finding.severity in bad for finding in findings) else 0


def _walk(given: str) -> Iterator[tuple[str, bool]]:
    """The given file, or every file below the given folder; whether it was walked to."""
    if given == "-" or not Path(given).is_dir():
        yield given, False
        return
    for folder, folders, files in os.walk(given):
        folders[:] = sorted(name for name in folders if name not in (".git", "node_modules"))
        for name in sorted(files):
            path = Path(folder) / name
            if path.is_file():
                yield str(path), True


def _codes(select: str | None, ignore: str | None) -> list[str]:
    """Codes of the rules to look at; a prefix such as TR stands for its family."""
    from tapeview.rules._registry import all_rules

    codes = [rule.code for rule in all_rules()]
    chosen = codes if select is None else _matching(codes, select, "--select")
    left_out = [] if ignore is None else _matching(codes, ignore, "--ignore")
    left = [code for code in chosen if code not in left_out]
    if not left:
        raise UsageError("tapeview check: --select and --ignore leave no rule to look at.")
    return left


def _matching(codes: Iterable[str], words: str, option: str) -> list[str]:
    found: list[str] = []
    for word in (word.strip().upper() for word in words.split(",")):
        matches = [code for code in codes if word and code.startswith(word)]
        if not matches:
            raise UsageError(f"tapeview check: {option}: there is no rule {word or '(empty)'}.")
        found += matches
    return found
