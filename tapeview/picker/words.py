"""How the list of sessions is searched, and how it tells the time."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple

from tapeview.picker.sessions import Listed

__all__ = ["Query", "age_words", "grouped", "span_words", "stamp_ago"]

LATEST: Final = 253_000_000_000
"""Seconds: the year 9987. A file's time may be anything; later ones overflow a calendar."""


class Query(NamedTuple):
    """What is typed in the search line. Each word must be found, in any case of letters."""

    words: tuple[str, ...] = ()
    harnesses: tuple[str, ...] = ()
    """From ``harness:NAME``; a part of the name will do."""
    projects: tuple[str, ...] = ()
    """From ``project:NAME``; a part of the name will do."""

    @classmethod
    def of(cls, text: str) -> "Query":
        """The query that ``text`` is."""
        words, harnesses, projects = [], [], []
        for word in text.casefold().split():
            head, colon, rest = word.partition(":")
            if colon and head == "harness":
                harnesses.append(rest)
            elif colon and head == "project":
                projects.append(rest)
            else:
                words.append(word)
        return cls(tuple(words), tuple(harnesses), tuple(projects))

    def fits(self, harness: str, project: str, prompt: str) -> bool:
        """Whether a session is meant."""
        harness, project = harness.casefold(), project.casefold()
        text = f"{project} {prompt.casefold()}"
        return (
            all(word in text for word in self.words)
            and all(word in harness for word in self.harnesses)
            and all(word in project for word in self.projects)
        )


def _local_time(seconds: float, now: datetime) -> datetime:
    """A time in seconds since 1970, in the zone of ``now``; of this machine where it has none."""
    return datetime.fromtimestamp(max(0.0, min(seconds, LATEST)), now.tzinfo)


def grouped(listed: Iterable[Listed], now: datetime) -> list[tuple[str, Sequence[Listed]]]:
    """Sessions that are sorted by time, in groups.

    ``today``, ``yesterday``, ``this week``, ``last week``, then months: there the column of ages
    has the day.
    """
    groups: dict[str, list[Listed]] = {}
    for entry in listed:
        then = _local_time(entry.seconds, now)
        groups.setdefault(_group_of(then.date(), now.date()), []).append(entry)
    return list(groups.items())


def _group_of(then: date, today: date) -> str:
    days = (today - then).days
    if days <= 1:
        return "yesterday" if days == 1 else "today"
    monday = today - timedelta(days=today.weekday())
    if then >= monday - timedelta(days=7):
        return "this week" if then >= monday else "last week"
    return f"{then:%B}" if then.year == today.year else f"{then:%B} {then.year}"


def age_words(seconds: float, now: datetime) -> str:
    """How long ago, in at most 6 characters: ``24 min``, ``14:20``, ``Fri``, ``21 Nov``.

    It says what the title of the group leaves open.
    """
    then = _local_time(seconds, now)
    group = _group_of(then.date(), now.date())
    if group == "today":
        return _ago(now.timestamp() - seconds)
    if group == "yesterday":
        return f"{then:%H:%M}"
    return f"{then:%a}" if group.endswith("week") else f"{then.day} {then:%b}"


def _ago(seconds: float) -> str:
    """``now``, ``24 min``, ``2 h``, ``3 d``."""
    if seconds < 60:
        return "now"
    if seconds < 3600:
        return f"{int(seconds / 60)} min"
    hours = int(seconds / 3600 + 0.5)
    return f"{hours} h" if hours < 48 else f"{int(seconds / 86400 + 0.5)} d"


def span_words(first: str, last: str, now: datetime) -> str:
    """``today 12:58 to 14:31`` from two ISO 8601 times; empty where one is none."""
    begin, end = _stamp(first, now), _stamp(last, now)
    if begin is None or end is None:
        return ""
    same = begin.date() == end.date()
    until = f"{end:%H:%M}" if same else f"{_date_words(end, now)} {end:%H:%M}"
    return f"{_date_words(begin, now)} {begin:%H:%M} to {until}"


def stamp_ago(stamp: str, now: datetime) -> str:
    """``24 min ago`` from an ISO 8601 time; empty where it is none."""
    then = _stamp(stamp, now)
    if then is None:
        return ""
    words = _ago((now.replace(tzinfo=None) - then).total_seconds())
    return words if words == "now" else f"{words} ago"


def _date_words(then: datetime, now: datetime) -> str:
    words = _group_of(then.date(), now.date())
    if words in ("today", "yesterday"):
        return words
    year = "" if then.year == now.year else f" {then.year}"
    return f"{then.day} {then:%b}{year}"


def _stamp(stamp: str, now: datetime) -> datetime | None:
    """The time on the clock of ``now``, without its zone."""
    try:
        then = datetime.fromisoformat(stamp)
        return (then.astimezone(now.tzinfo) if then.tzinfo else then).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None
