"""What was asked for once, by file: members of calls that the file itself does not store."""

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from tapeview.settings import state_folder

__all__ = ["remember", "remembered"]


class _Remembered(msgspec.Struct):
    path: str
    """The file it is remembered for, so that people can tell."""
    members: dict[str, msgspec.Raw]


def _place(environ: Mapping[str, str], session: str) -> Path:
    whole = os.path.realpath(session)
    name = sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return state_folder(environ) / "replay" / f"{name}.json"


def remembered(environ: Mapping[str, str], session: str) -> dict[str, bytes]:
    """Members by name, as JSON; none for standard input, or where nothing can be read."""
    if session == "-":
        return {}
    try:
        raw = _place(environ, session).read_bytes()
        found = msgspec.json.decode(raw, type=_Remembered)
    except (OSError, msgspec.DecodeError):
        return {}
    return {name: bytes(value) for name, value in found.members.items()}


def remember(environ: Mapping[str, str], session: str, members: Mapping[str, bytes]) -> None:
    """Keep these members, and what is remembered beside them; nobody but the user can read it.

    A folder that cannot be written is left alone.
    """
    if session == "-" or not members:
        return
    path = _place(environ, session)
    known = {k: msgspec.Raw(v) for k, v in {**remembered(environ, session), **members}.items()}
    shown = os.path.realpath(session).encode("utf-8", "replace").decode()
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(msgspec.json.encode(_Remembered(shown, known)))
        Path(file.name).replace(path)
