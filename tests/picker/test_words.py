"""How sessions are grouped, how the list tells the time, and what a search means."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from tapeview.picker.sessions import Listed
from tapeview.picker.words import Query, age_words, grouped, span_words, stamp_ago

NOW = datetime(2026, 3, 12, 14, 30, tzinfo=UTC)
"""A Thursday."""


def at(*when):
    return datetime(*when, tzinfo=UTC).timestamp()


def listed(seconds):
    return Listed("p", "claude-code", "f", 1, int(seconds * 1e9))


@pytest.mark.parametrize(
    ("written", "group", "age"),
    [
        (at(2026, 3, 12, 14, 29, 30), "today", "now"),
        (at(2026, 3, 12, 14, 6), "today", "24 min"),
        (at(2026, 3, 12, 13, 31), "today", "59 min"),
        (at(2026, 3, 12, 12, 20), "today", "2 h"),
        (at(2026, 3, 12, 0, 0), "today", "15 h"),
        (at(2026, 3, 13, 9, 0), "today", "now"),  # a clock that is ahead
        (at(2026, 3, 11, 23, 59), "yesterday", "23:59"),
        (at(2026, 3, 10, 8, 0), "this week", "Tue"),
        (at(2026, 3, 9, 0, 0), "this week", "Mon"),
        (at(2026, 3, 8, 23, 0), "last week", "Sun"),
        (at(2026, 3, 2, 0, 0), "last week", "Mon"),
        (at(2026, 3, 1, 23, 59), "March", "1 Mar"),
        (at(2026, 1, 31, 1, 0), "January", "31 Jan"),
        (at(2025, 12, 31, 1, 0), "December 2025", "31 Dec"),
        (0.0, "January 1970", "1 Jan"),
        (-5.0, "January 1970", "1 Jan"),
        (9e18, "today", "now"),
    ],
)
def test_days_and_ages(written, group, age):
    assert [title for title, _ in grouped([listed(written)], NOW)] == [group]
    assert age_words(written, NOW) == age
    assert len(age) <= 6


def test_groups_keep_the_order_they_are_given():
    times = [at(2026, 3, 12, 14), at(2026, 3, 12, 1), at(2026, 3, 11, 1), at(2025, 3, 11)]
    groups = grouped(map(listed, times), NOW)
    assert [(title, len(members)) for title, members in groups] == [
        ("today", 2),
        ("yesterday", 1),
        ("March 2025", 1),
    ]
    assert grouped([], NOW) == []


def test_a_day_begins_where_the_user_is():
    tokyo = timezone(timedelta(hours=9))
    written = at(2026, 3, 12, 14, 0)  # 23:00 in Tokyo
    assert grouped([listed(written)], datetime(2026, 3, 13, 0, 30, tzinfo=tokyo))[0][0] == (
        "yesterday"
    )
    assert grouped([listed(written)], NOW)[0][0] == "today"


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        ("2026-03-12T12:58:00Z", "2026-03-12T14:31:00.123Z", "today 12:58 to 14:31"),
        ("2026-03-11T23:58:00Z", "2026-03-12T00:31:00Z", "yesterday 23:58 to today 00:31"),
        ("2026-03-10T08:00:00+02:00", "2026-03-10T06:01:00Z", "10 Mar 06:00 to 06:01"),
        ("2025-03-10T08:00:00", "2025-03-10T08:01:00", "10 Mar 2025 08:00 to 08:01"),
        ("", "", ""),
        ("yesterday", "2026-03-10T06:01:00Z", ""),
        ("0001-01-01T00:00:00+14:00", "2026-03-10T06:01:00Z", ""),
    ],
)
def test_the_span_of_a_session(first, last, words):
    assert span_words(first, last, NOW) == words


@pytest.mark.parametrize(
    ("stamp", "words"),
    [
        ("2026-03-12T14:06:00Z", "24 min ago"),
        ("2026-03-12T14:29:30Z", "now"),
        ("2026-03-11T12:30:00Z", "26 h ago"),
        ("2026-03-02T14:30:00Z", "10 d ago"),
        ("", ""),
        ("12:30", ""),
    ],
)
def test_how_long_ago(stamp, words):
    assert stamp_ago(stamp, NOW) == words


@pytest.mark.parametrize(
    ("typed", "fits"),
    [
        ("", True),
        ("lease", True),
        ("LEASE ledger", True),
        ("ledger lease", True),
        ("led ease", True),
        ("lease pool", False),
        ("straße", True),
        ("STRASSE", True),
        ("harness:claude", True),
        ("Harness:CODE", True),
        ("harness:pi", False),
        ("harness:", True),
        ("project:ledger", True),
        ("project:lease", False),
        ("project:led harness:claude fails", True),
        ("harness:claude harness:pi", False),
        ("tool:Bash", False),
        ("fails:", True),
        ("[.*", False),
    ],
)
def test_what_a_search_finds(typed, fits):
    prompt = "why does the Lease test in der Straße fail? it fails: once"
    assert Query.of(typed).fits("claude-code", "Ledger", prompt) is fits
