"""Times of session lines: resume begins at the newest leaf."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

__all__ = ["MOMENT", "iso", "moment_of", "newest"]

MOMENT: Final = timedelta(milliseconds=1)
"""The smallest step between two lines."""


def moment_of(time: str) -> datetime | None:
    """The moment of an ISO time; one without a zone is taken for UTC. None for other texts."""
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def iso(moment: datetime) -> str:
    """As JavaScript writes it."""
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.removesuffix("+00:00") + "Z"


def newest(times: Iterable[str]) -> datetime | None:
    """The latest of them; None where none is a time."""
    return max((moment for time in times if (moment := moment_of(time))), default=None)
