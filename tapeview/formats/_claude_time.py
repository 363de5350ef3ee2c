"""Times of session lines: resume begins at the newest leaf."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

__all__ = ["MOMENT", "iso", "moment_of", "moved", "newest"]

MOMENT: Final = timedelta(milliseconds=1)
"""The smallest step between two lines."""


def moment_of(time: str) -> datetime | None:
    """The moment of an ISO time; one without a zone is taken for UTC. None for other texts."""
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def moved(moment: datetime, step: timedelta) -> datetime:
    """The moment so much later; the same at an end of the calendar."""
    try:
        return moment + step
    except OverflowError:
        return moment


def iso(moment: datetime) -> str:
    """As JavaScript writes it."""
    try:
        moment = moment.astimezone(UTC)
    except OverflowError:  # at an end of the calendar
        moment = moment.replace(tzinfo=UTC)
    text = moment.isoformat(timespec="milliseconds")
    return text.removesuffix("+00:00") + "Z"


def newest(times: Iterable[str]) -> datetime | None:
    """The latest of them; None where none is a time."""
    return max((moment for time in times if (moment := moment_of(time))), default=None)
