"""Which rows a search finds, in which order, and what it keeps of them."""

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.search.find import Found, parse, search, searched_rows, spans
from tapeview.search.query import Query
from tapeview.search.text import SEARCHED, RowReader
from tapeview.tape.source import MemorySource
from tests.block_samples import call, claude, model, result, text, user
from tests.helpers import snapshot_of


def found(snapshot, words, start=0, regex=False):
    """Rows in the order in which they are found."""
    return [at for at in search(snapshot, parse(words, regex), start) if at is not None]


def named(snapshot, rows):
    """``0/1`` for a block of the chain, else the row's kind."""
    return [
        f"{row.message}/{row.number}" if row.message >= 0 else row.kind
        for row in (snapshot.rows[at] for at in rows)
    ]


SNAPSHOT = snapshot_of(
    {
        "system": "Be lazy.",
        "tools": [{"name": "Bash", "description": "Runs a lease.", "input_schema": {}}],
        "messages": [
            user("<system-reminder>lease</system-reminder>"),
            user("Take the lease"),
            model(
                {"type": "thinking", "thinking": "a lease?", "signature": "c2ln"},
                call("toolu_1", command="cat 'lease.py'\nls"),
                call("toolu_2", "Read", path="a/b"),
            ),
            user(
                result("toolu_1", "class Lease:", is_error=True),
                result("toolu_2", [text("one"), text("two leases")]),
            ),
            model("It is a caf\u00e9.", call("toolu_3", "Read", path="x")),
            user("next"),
        ],
    }
)


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ("lease", ["tools", "0/0", "1/0", "2/0", "2/1", "3/0", "3/1"]),
        ("Lease", ["3/0"]),
        ("lazy", ["system"]),
        ("café", ["4/0"]),
        ("CAF", []),
        ("'lease.py'", ["2/1"]),
        ("two leases", ["3/1"]),
        ("one two", []),
        ("a/b", ["2/2"]),
        ("toolu_2", ["2/2", "3/1"]),
        ("read", ["2/2", "3/1", "4/1"]),
        ('"path": "x"', ["4/1"]),
        ("turn 1", []),
        ("", []),
        ("is:error", ["3/0"]),
        ("is:error lease", ["3/0"]),
        ("is:error café", []),
        ("is:prompt", ["1/0", "5/0"]),
        ("is:problem", ["4/1"]),
        ("is:problem is:error", []),
        ("role:user", ["0/0", "1/0", "3/0", "3/1", "5/0"]),
        ("role:system", ["system"]),
        ("role:assistant lease", ["2/0", "2/1"]),
        ("role:user role:system", ["system", "0/0", "1/0", "3/0", "3/1", "5/0"]),
        ("tool:Bash", ["2/1", "3/0"]),
        ("tool:bash", ["2/1", "3/0"]),
        ("tool:BASH", []),
        ("tool:Bash tool:read", ["2/1", "2/2", "3/0", "3/1", "4/1"]),
        ("tool:read role:assistant", ["2/2", "4/1"]),
    ],
)
def test_what_is_found(words, rows):
    assert named(SNAPSHOT, found(SNAPSHOT, words)) == rows


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        (r"lea\w+", ["tools", "0/0", "1/0", "2/0", "2/1", "3/0", "3/1"]),
        (r"^ls$", ["2/1"]),
        (r"class \w+:$", ["3/0"]),
        (r"one\s+two", []),
        (r"toolu_[12]", ["2/1", "2/2", "3/0", "3/1"]),
        ("role:user ^t[aw]", ["1/0", "3/1"]),
        ("(", []),
    ],
)
def test_what_regular_expressions_find(words, rows):
    assert named(SNAPSHOT, found(SNAPSHOT, words, regex=True)) == rows


def test_folded_notes_and_what_is_off_the_chain_are_found():
    lines = claude(user("go"), model("ok")).split(b"\n")
    note = b'{"type":"summary","summary":"needle %d","leafUuid":"x"}'
    side = json.dumps(
        {
            "type": "user",
            "uuid": "s",
            "parentUuid": None,
            "isSidechain": True,
            "sessionId": "s",
            "message": {"role": "user", "content": "a needle"},
        }
    ).encode()
    snapshot = snapshot_of(b"\n".join([note % 1, note % 2, *lines, side, b'{"needle']))
    kinds = [snapshot.rows[at].kind for at in found(snapshot, "needle")]
    assert kinds == ["note", "note", "block", "unreadable"]


def test_the_uuid_of_a_record_finds_its_rows_and_those_alone():
    reply = model(text("one"), text("two"))
    snapshot = snapshot_of(claude(user("go"), reply, user("on"), model("ok")))
    uuid = "00000001-aaaa-bbbb-cccc-dddddddddddd"
    for words in (uuid, uuid[:13], uuid.upper().lower()):
        assert named(snapshot, found(snapshot, words)) == ["1/0", "1/1"]
    assert named(snapshot, found(snapshot, r"00000001-\w{4}-", regex=True)) == ["1/0", "1/1"]


def test_the_nearest_rows_come_first():
    rows = found(SNAPSHOT, "lease")
    start = rows[3]
    assert found(SNAPSHOT, "lease", start) == [*rows[3:], *reversed(rows[:3])]
    assert found(SNAPSHOT, "lease", start + 1) == [*rows[4:], *reversed(rows[:4])]
    assert found(SNAPSHOT, "lease", 10**6) == rows[::-1]
    assert found(SNAPSHOT, "lease", -5) == rows


def test_a_search_breathes_and_tells_how_much_is_read():
    snapshot = snapshot_of([user("x") if k % 2 else model("x") for k in range(500)])
    run = search(snapshot, parse("nothing like that"))
    assert run.share == 0
    steps = list(run)
    assert set(steps) == {None}
    assert len(steps) >= 500
    assert run.share == 1
    assert not run.is_abandoned


def test_a_long_block_breathes_too():
    long = "\n".join(f"line {k}" for k in range(40_000))
    run = search(snapshot_of([user(long), model("ok")]), parse(r"lin. 39999$", regex=True))
    steps = list(run)
    assert [at for at in steps if at is not None] == [0]
    assert steps.index(0) > 3


def test_blocks_that_take_too_long_are_given_up_and_then_the_search():
    slow = [user("a" * 50 + "b") if k % 2 == 0 else model("ok") for k in range(60)]
    run = search(snapshot_of(slow), parse(r"(a+)+$|ok", regex=True))
    rows = [at for at in run if at is not None]
    assert run.is_abandoned
    assert run.slow == 11
    assert len(rows) == 10


def test_a_file_that_is_gone_is_searched_in_vain():
    snapshot = snapshot_of(claude(user("needle"), model("ok", id="m_1")))
    assert len(found(snapshot, "needle")) == 1
    assert isinstance(snapshot.session.source, MemorySource)
    snapshot.session.source._data = b"{"
    assert found(snapshot, "needle") == []
    assert len(found(snapshot, "m_1")) == 1


def test_only_rows_with_a_text_of_their_own_are_counted():
    assert searched_rows(SNAPSHOT) == 12
    assert len(found(SNAPSHOT, "is:prompt role:user role:assistant role:system")) == 2


# -- the raw bytes decide nothing ------------------------------------------------------------------

WORDS = st.text('aAbBcé\u212aſ"/\\\n\t:, 1', min_size=1, max_size=6)
CONTENT = st.one_of(
    WORDS,
    st.lists(
        st.one_of(
            WORDS.map(text),
            st.builds(call, WORDS, WORDS, a=WORDS, b=st.integers(0, 99)),
            st.builds(result, WORDS, WORDS),
            st.builds(result, WORDS, st.lists(WORDS.map(text), max_size=2)),
            WORDS.map(lambda words: {"type": words, words: [words]}),
        ),
        max_size=3,
    ),
)


def spelled(body, style):
    """JSON as different programs write it."""
    raw = json.dumps(body, indent=style % 2 or None, ensure_ascii=style > 1)
    if style == 3:
        raw = raw.replace("/", r"\/").replace("a", r"\u0061").replace("\\\\u0061", "\\\\a")
    return raw.encode()


@given(
    st.lists(CONTENT, min_size=1, max_size=4),
    st.integers(0, 2),
    st.text('aAbc"/\\: 1,é\u212aſ', min_size=1, max_size=3),
)
def test_exactly_the_rows_whose_text_has_the_needle_are_found(contents, style, needle):
    roles = ("user", "assistant")
    body = [{"role": roles[k % 2], "content": content} for k, content in enumerate(contents)]
    snapshot = snapshot_of(spelled(body, style))
    query = parse(needle)
    reader = RowReader(snapshot, lambda raw: True)
    right = [
        at
        for at, row in enumerate(snapshot.rows)
        if row.kind in SEARCHED
        and query.text
        and any(spans(query, piece) for piece in (reader.head(row), *reader.texts(row)))
    ]
    assert found(snapshot, needle) == right


@pytest.mark.parametrize("needle", ["lease", "a/b", "toolu_1", "café", '"a/b"', "cat 'lease"])
def test_escaped_letters_hide_nothing(needle):
    body = [
        user("lease"),
        model(text("café"), call("toolu_1", command="cat 'lease.py'", path="a/b")),
        user(result("toolu_1", "a/b")),
    ]
    plain = json.dumps(body)
    escaped = (
        plain.replace("lease", r"\u006cease").replace("/", r"\/").replace("toolu", "too\\u006Cu")
    )
    wanted = found(snapshot_of(plain.encode()), needle)
    assert wanted
    assert found(snapshot_of(escaped.encode()), needle) == wanted


# -- what was found --------------------------------------------------------------------------------


@given(st.sets(st.integers(0, 40)), st.integers(0, 45), st.integers(-2, 45), st.integers(-2, 45))
def test_found_rows_are_kept_in_order(rows, start, one, other):
    kept = Found(start)
    for at in [*range(start, 50), *range(start - 1, -1, -1)]:
        if at in rows:
            kept.add(at)
    right = sorted(rows)
    assert list(kept) == right
    assert len(kept) == len(right)
    assert (one in kept) == (one in rows)
    assert kept.number(one) == (right.index(one) + 1 if one in rows else 0)
    assert kept.first(one, other) == next((at for at in right if one <= at < other), -1)
    assert kept.next_to(one, 1) == next((at for at in right if at > one), -1)
    assert kept.next_to(one, -1) == next((at for at in reversed(right) if at < one), -1)
    assert kept.first(0, sys.maxsize) == (right[0] if right else -1)


def test_a_query_that_asks_for_nothing_finds_nothing():
    assert [at for at in search(SNAPSHOT, Query()) if at is not None] == []
