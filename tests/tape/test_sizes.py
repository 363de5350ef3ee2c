import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.tape.sizes import count, duration, size_long, size_short, thousands


@pytest.mark.parametrize(
    ("size", "short", "long"),
    [
        (0, "0", "0 B"),
        (84, "84", "84 B"),
        (121, "121", "121 B"),
        (999, "999", "999 B"),
        (1_000, "1.0k", "1.0 kB"),
        (1_049, "1.0k", "1.0 kB"),
        (1_050, "1.1k", "1.1 kB"),
        (9_400, "9.4k", "9.4 kB"),
        (9_949, "9.9k", "9.9 kB"),
        (9_950, "10k", "10 kB"),
        (10_499, "10k", "10 kB"),
        (88_000, "88k", "88 kB"),
        (166_500, "167k", "167 kB"),
        (999_499, "999k", "999 kB"),
        (999_500, "1.0M", "1.0 MB"),
        (999_950, "1.0M", "1.0 MB"),
        (1_240_000, "1.2M", "1.2 MB"),
        (12_000_000, "12M", "12 MB"),
        (999_499_999, "999M", "999 MB"),
        (1_400_000_000, "1.4G", "1.4 GB"),
        (5 * 10**12, "5.0T", "5.0 TB"),
        (2**63, "9.2E", "9.2 EB"),
    ],
)
def test_size(size: int, short: str, long: str) -> None:
    assert size_short(size) == short
    assert size_long(size) == long


@given(st.integers(0, 2**63))
def test_a_size_fits_its_column_and_is_near_the_truth(size: int) -> None:
    short = size_short(size)
    assert len(short) <= 5
    unit = 1000 ** " kMGTPE".index(short[-1]) if short[-1].isalpha() else 1
    assert abs(float(short.rstrip("kMGTPE")) * unit - size) <= size * 0.05


@given(st.integers(0, 2**60), st.integers(0, 2**60))
def test_a_larger_size_never_looks_smaller(one: int, other: int) -> None:
    def read(short: str) -> float:
        return float(short.rstrip("kMGTPE")) * (
            1000 ** " kMGTPE".index(short[-1]) if short[-1].isalpha() else 1
        )

    small, large = sorted((one, other))
    assert read(size_short(small)) <= read(size_short(large))


@pytest.mark.parametrize(
    ("number", "noun", "plural", "text"),
    [
        (0, "turn", None, "0 turns"),
        (1, "turn", None, "1 turn"),
        (9, "turn", None, "9 turns"),
        (1204, "turn", None, "1,204 turns"),
        (1, "reply", "replies", "1 reply"),
        (2, "reply", "replies", "2 replies"),
    ],
)
def test_count(number: int, noun: str, plural: str | None, text: str) -> None:
    assert count(number, noun, plural) == text


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0"), (999, "999"), (66412, "66,412"), (1234567, "1,234,567")]
)
def test_thousands(number: int, text: str) -> None:
    assert thousands(number) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0.0 s"),
        (0.04, "0.0 s"),
        (0.8, "0.8 s"),
        (41, "41.0 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min"),
        (60, "1 min"),
        (89, "1 min"),
        (90, "2 min"),
        (180, "3 min"),
        (24 * 60, "24 min"),
        (59.4 * 60, "59 min"),
        (59.5 * 60, "1 h"),
        (2 * 3600, "2 h"),
        (47.4 * 3600, "47 h"),
        (48 * 3600, "2 days"),
        (80 * 3600, "3 days"),
        (-41, "-41.0 s"),
        (-7200, "-2 h"),
    ],
)
def test_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text
