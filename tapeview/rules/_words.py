"""Words that many rules use: short names, lists of ids, patterns of ids."""

from collections.abc import Iterable
from itertools import islice

from tapeview.tape.block import Block

__all__ = ["CLIENT_ID", "SERVER_ID", "listed", "named", "short", "the_id", "times_late"]

CLIENT_ID = "^[a-zA-Z0-9_-]+$"
SERVER_ID = "^srvtoolu_[a-zA-Z0-9_]+$"
"""As the API spells them in its errors."""

LONGEST = 60
MOST_IDS = 50
"""The API names every id; thousands of parallel calls would make each message megabytes long."""


def short(text: str) -> str:
    """An id or a name, cut where it is too long for a sentence."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def the_id(identity: str) -> str:
    """``the id toolu_01``, or ``the empty id``."""
    return f"the id {short(identity)}" if identity else "the empty id"


def named(call: Block) -> str:
    """The tool that a call names."""
    return short(call.name) or "the call"


def listed(ids: Iterable[str], total: int) -> str:
    """Ids as the API joins them; of very many only the first."""
    words = list(islice(ids, MOST_IDS))
    return ", ".join([*words, f"and {total - MOST_IDS} more"] if total > MOST_IDS else words)


def times_late(turns: int) -> str:
    """``one turn late``, ``3 turns late``."""
    return "one turn late" if turns == 1 else f"{turns} turns late"
