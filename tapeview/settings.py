"""The user's settings: a small JSON file in the configuration folder."""

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec

__all__ = ["Settings", "load_settings", "save_settings", "settings_path", "state_folder"]


class Settings(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the program remembers. Unknown members in the file are kept out of the way."""

    theme: str = ""
    """A theme's name; "" for the default."""
    glyphs: Literal["auto", "ascii"] = "auto"


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
    """Write the settings by a temporary file and a rename; a folder that cannot be written is
    left alone, for losing a theme's name is no reason to disturb anybody.
    """  # noqa: D205
    path = settings_path(environ)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(msgspec.json.encode(settings))
            file.flush()
            os.fsync(file.fileno())
        Path(file.name).replace(path)
