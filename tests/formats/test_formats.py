"""One test over every format and every sample: what holds for all of them."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapeview.formats._registry import all_formats
from tapeview.open_session import OpenSession
from tests.formats.samples import (
    SAMPLES,
    assert_nothing_vanishes,
    assert_opens_or_says_why,
    claims,
    name_of,
    opened,
    store_of,
)
from tests.outlines import outline_of

GOLDENS = Path(__file__).parents[1] / "goldens"
every_sample = pytest.mark.parametrize("path", SAMPLES, ids=name_of)


def test_every_format_has_a_sample_and_every_sample_a_format():
    seen = {opened(path.read_bytes()).format for path in SAMPLES}
    assert seen == {format_.name for format_ in all_formats()}


def test_formats_say_what_they_are():
    for format_ in all_formats():
        assert format_.name == format_.name.lower()
        assert format_.title
        assert len((type(format_).__doc__ or "").splitlines()) > 1


@every_sample
def test_a_sample_is_claimed_by_one_format(path):
    sure = claims(path.read_bytes())
    best = max(sure.values())
    assert list(sure.values()).count(best) == 1
    assert sum(value >= 0.9 for value in sure.values()) <= 1


@every_sample
def test_a_sample_has_the_outline_of_its_golden(path, golden):
    session = opened(path.read_bytes())
    golden(GOLDENS / f"{name_of(path)}.txt", outline_of(session))


def test_no_golden_is_left_over():
    assert {path.name for path in GOLDENS.iterdir()} == {f"{name_of(p)}.txt" for p in SAMPLES}


@every_sample
def test_nothing_that_is_stored_vanishes(path):
    raw = path.read_bytes()
    assert_nothing_vanishes(opened(raw), raw)


@every_sample
def test_the_whole_text_of_every_block_can_be_read(path):
    assert "cannot be read" not in outline_of(opened(path.read_bytes()), full=True)


@every_sample
def test_records_can_be_read_from_any_of_them_on(path):
    raw = path.read_bytes()
    records = list(store_of(raw).records())
    for record in records[:: max(1, len(records) // 5)]:
        later = [(r.start, r.length, r.kind) for r in store_of(raw).records(record.start)]
        wanted = [(r.start, r.length, r.kind) for r in records if r.start >= record.start]
        assert later == wanted


@every_sample
@settings(max_examples=15)
@given(data=st.data())
def test_a_file_cut_anywhere_opens_or_says_why(path, data):
    raw = path.read_bytes()
    assert_opens_or_says_why(raw[: data.draw(st.integers(0, len(raw)))])


@every_sample
@settings(max_examples=15)
@given(data=st.data())
def test_a_file_with_a_damaged_byte_opens_or_says_why(path, data):
    raw = bytearray(path.read_bytes())
    raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    assert_opens_or_says_why(bytes(raw))


@every_sample
def test_no_rule_fails_on_a_sample(path):
    for purpose in ("request", "session"):
        snapshot = OpenSession(opened(path.read_bytes()), purpose).snapshot()
        for finding in snapshot.findings:
            assert finding.sentence
            assert finding.at.startswith(("messages", "records"))
