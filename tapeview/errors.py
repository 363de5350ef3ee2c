"""Every error tapeview raises on purpose, as one tree.

* ``TapeviewError``
    * ``UsageError``: the words on the command line do not fit
    * ``OpenError``: a given path cannot be read as a session
        * ``UnsupportedFormat``: the format is known by name, but there is no reader for it yet
    * ``PlaceError``: a turn, path or tape that this session does not have

Each message is one whole sentence: which file, which line or JSON path, what is wrong, what to do.
``cli`` prints it and exits 2.
"""

__all__ = ["OpenError", "PlaceError", "TapeviewError", "UnsupportedFormat", "UsageError"]


class TapeviewError(Exception):
    """The root: anything that becomes one sentence at the edge."""


class UsageError(TapeviewError):
    """Wrong words on the command line."""


class OpenError(TapeviewError):
    """A given path cannot be read as a session."""


class UnsupportedFormat(OpenError):  # noqa: N818 - reads as the sentence it becomes
    """The format is recognised, but tapeview has no reader for it yet."""


class PlaceError(TapeviewError):
    """A turn, path or tape that this session does not have."""
