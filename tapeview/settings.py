"""The user's settings: a small JSON file in the configuration folder."""

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

import msgspec

__all__ = ["Settings", "load_settings", "save_settings", "settings_path", "state_folder"]


REMEMBERED: Final = ("theme", "glyphs")
"""Members that the program writes; the others are the user's alone."""


class Settings(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the file says. Unknown members in it are kept out of the way."""

    theme: str = ""
    """A theme's name; "" for the default."""
    glyphs: Literal["auto", "ascii"] = "auto"
    endpoint: str = ""
    """The endpoint that calls go to unless told; "" for the one that is there."""
    endpoints: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    """Model endpoints by name, undecoded: a bad one is no reason to lose the theme."""
    weights: str = ""
    """A GGUF file for the endpoint ``local``; "" for the one in a package."""


def settings_path(environ: Mapping[str, str]) -> Path:
    """``$XDG_CONFIG_HOME/tapeview/settings.json``, else below ``~/.config``."""
    base = environ.get("XDG_CONFIG_HOME") or str(Path(environ.get("HOME", "~")) / ".config")
    return Path(base).expanduser() / "tapeview" / "settings.json"


def state_folder(environ: Mapping[str, str]) -> Path:
    """``$XDG_STATE_HOME/tapeview``, else below ``~/.local/state``."""
    base = environ.get("XDG_STATE_HOME", "")
    if not base.startswith("/"):
        base = str(Path(environ.get("HOME", "~")).expanduser() / ".local" / "state")
    return Path(base) / "tapeview"


def load_settings(environ: Mapping[str, str]) -> Settings:
    """The settings; the defaults where there is no file, or one that cannot be read."""
    try:
        return msgspec.json.decode(settings_path(environ).read_bytes(), type=Settings)
    except (OSError, msgspec.DecodeError):
        return Settings()


def save_settings(environ: Mapping[str, str], settings: Settings) -> None:
    """Write what the program itself remembers, by a temporary file and a rename.

    All other members of the file stay as they are. A file that is no JSON is left alone, and so is
    a folder that cannot be written: losing a theme's name is no reason to disturb anybody.
    """
    path = settings_path(environ)
    with suppress(OSError, msgspec.DecodeError):
        known = _members(path.read_bytes()) if path.exists() else {}
        told = _members(msgspec.json.encode(settings))
        for name in REMEMBERED:
            known.pop(name, None)
            if name in told:
                known[name] = told[name]
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(msgspec.json.encode(known))
            file.flush()
            os.fsync(file.fileno())
        Path(file.name).replace(path)


def _members(raw: bytes) -> dict[str, msgspec.Raw]:
    return msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
