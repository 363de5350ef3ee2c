"""A model call as it was recorded: what was sent, what came back, how long it took."""

from collections.abc import Callable, Mapping

import msgspec

__all__ = ["RecordedCall"]


class RecordedCall(msgspec.Struct, frozen=True, eq=False):
    """One call of a recording."""

    id: str
    kind: str
    """What it is beside the calls before it: ``new``, ``continue``, ``retry``, ``fork``, ..."""
    seconds: float | None
    """Until the reply ended; None where it has not."""
    first_seconds: float | None
    """Until its first byte came."""
    request: Callable[[], bytes]
    """The body, byte for byte as it was sent. Raises ``LookupError`` where the file is too short
    for it now."""
    reply: Callable[[], bytes | None]
    """The message that came back, whole or not, as JSON; None where nothing did."""
    headers: Mapping[str, str]
    """Headers of the request that are kept, names in lower case: ``anthropic-version``, ..."""
