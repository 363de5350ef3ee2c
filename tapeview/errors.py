"""Every error tapeview raises on purpose, as one tree.

* ``TapeviewError``
    * ``UsageError``: the words on the command line do not fit
    * ``OpenError``: a given path cannot be read as a session
        * ``UnsupportedFormat``: the format is known by name, but there is no reader for it yet
    * ``EditError``: an edit that does not fit this session, or that this format cannot hold
        * ``PairSplit``: an edit would part a call and its result, and nobody has said what then
    * ``SaveError``: a session cannot be written
    * ``ServeError``: a tape cannot stand in for a model, or nothing can listen there
    * ``PlaceError``: a turn, path or tape that this session does not have
    * ``CallError``: a model call that cannot be made as it is asked for
    * ``CallFailed``, in ``calls.trouble``: a call that was made and failed

Each message is one whole sentence: which file, which line or JSON path, what is wrong, what to do.
``cli`` prints it and exits 2.
"""

__all__ = [
    "CallError",
    "EditError",
    "OpenError",
    "PairSplit",
    "PlaceError",
    "SaveError",
    "ServeError",
    "TapeviewError",
    "UnsupportedFormat",
    "UsageError",
]


class TapeviewError(Exception):
    """The root: anything that becomes one sentence at the edge."""


class UsageError(TapeviewError):
    """Wrong words on the command line."""


class OpenError(TapeviewError):
    """A given path cannot be read as a session."""


class UnsupportedFormat(OpenError):  # noqa: N818 - reads as the sentence it becomes
    """The format is recognised, but tapeview has no reader for it yet."""


class EditError(TapeviewError):
    """An edit that does not fit this session, or that its format cannot hold."""


class PairSplit(EditError):  # noqa: N818 - names what is asked about
    """An edit would part these calls and results, and nobody has said what is to become of them."""

    def __init__(self, sentence: str, places: tuple[str, ...]) -> None:
        super().__init__(sentence)
        self.places = places
        """Paths of the ends that stay, on the tape that is edited."""


class SaveError(TapeviewError):
    """A session cannot be written; the file is as it was."""


class ServeError(TapeviewError):
    """A tape cannot stand in for a model, or nothing can listen at the address."""


class PlaceError(TapeviewError):
    """A turn, path or tape that this session does not have."""


class CallError(TapeviewError):
    """A model call that cannot be made as it is asked for; nothing was sent."""
