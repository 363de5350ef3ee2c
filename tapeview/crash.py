"""What happens when something goes wrong that nobody foresaw: one sentence and a report.

The report says where in the program it happened, never what was in a tape: no message of the
error, no value of a variable, no line of the source that could quote one.

Most imports are late: only a crash needs them, and every start would pay for them.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

__all__ = ["install", "report_text", "write_report"]


def install(environ: Mapping[str, str] = os.environ) -> None:
    """Let every unforeseen error of this process end in one sentence; its exit code stays 1."""

    def say(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        place = write_report(report_text(error), environ)
        where = f"a report without any text of the tape is in {place}" if place else "no report"
        print(f"tapeview stopped on an error of its own, {kind.__name__}: {where}", file=sys.stderr)

    sys.excepthook = say


def report_text(error: BaseException) -> str:
    """The report: versions, and for the error and its causes the types and the places."""
    import platform

    lines = [
        f"tapeview {_version('tapeview')}, textual {_version('textual')}, Python "
        f"{platform.python_version()}, {platform.system()}",
        f"terminal {os.environ.get('TERM', '')}",
    ]
    cause: BaseException | None = error
    while cause is not None:
        lines += ["", type(cause).__name__, *_frames(cause.__traceback__)]
        cause = cause.__cause__ or cause.__context__
    return "\n".join(lines) + "\n"


def _frames(trace: TracebackType | None) -> list[str]:
    found = []
    while trace is not None:
        code = trace.tb_frame.f_code
        path = Path(code.co_filename)
        found.append(f"  {'/'.join(path.parts[-3:])}:{trace.tb_lineno} in {code.co_name}")
        trace = trace.tb_next
    return found


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed)"


def write_report(text: str, environ: Mapping[str, str]) -> Path | None:
    """Write the report into the user's state folder, or a temporary one; None where nothing can
    be written.
    """  # noqa: D205
    import tempfile

    home = environ.get("HOME") or str(Path.home())
    state = Path(environ.get("XDG_STATE_HOME") or Path(home) / ".local" / "state") / "tapeview"
    for folder in (state, Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(".txt", "crash-", folder, text=True)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
        except OSError:
            continue
        return Path(name)
    return None
