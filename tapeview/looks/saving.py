"""The words and files of saving: what was left behind, where a copy goes, how it is resumed."""

import shlex
from datetime import datetime
from pathlib import Path

from tapeview.keep.keeper import Left
from tapeview.looks.changes import unsaved_words
from tapeview.snapshot import Snapshot
from tapeview.wire.request import request_of

__all__ = ["copy_name", "left_words", "request_body", "resume_command"]


def left_words(left: Left, now: datetime) -> str:
    """``3 unsaved edits of 14:02``, with the day where that is another one."""
    edits = unsaved_words(left.steps)
    try:
        when = datetime.fromisoformat(left.when).astimezone(now.tzinfo)
    except ValueError:
        when = now
    day = "" if when.date() == now.date() else f"{when:%Y-%m-%d} "
    since = "" if left.fits else ", and the file has changed since"
    return f"{edits} of {day}{when:%H:%M}{since}"


def copy_name(path: str, kind: str) -> str:
    """A name beside the file, for a copy or for a request's body."""
    stem = Path("session.json" if path == "-" else path)
    suffix = ".json" if kind == "request" else stem.suffix
    return str(stem.with_name(f"{stem.stem}-{kind}{suffix}"))


def resume_command(folder: str, identity: str) -> str:
    """What one types to go on with a session of Claude Code."""
    resume = f"claude --resume {identity}"
    return f"cd {shlex.quote(folder)} && {resume}" if folder else resume


def request_body(snapshot: Snapshot) -> bytes:
    """The body of the next call."""
    return request_of(snapshot.session, snapshot.tape, snapshot.tape.sent).body
