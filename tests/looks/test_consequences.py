"""What an edit would do, before it is done."""

from pathlib import Path

from msgspec import Raw

from tapeview.edit.operations import Set
from tapeview.looks.consequences import consequences_of
from tests.helpers import open_bytes

CRASH = Path(__file__).parents[2] / "sample_sessions" / "crash.jsonl"


def test_what_the_harness_adds_above_an_edit_keeps_its_place_in_the_cache():
    session = open_bytes(CRASH.read_bytes())
    operation = Set(at="messages.19.content.0", member="text", value=Raw(b'"x"'))
    found = consequences_of(session, session.plan(operation))
    sent = session.snapshot().tape.sent
    edited = session.snapshot().tape.messages[19].blocks[0]
    assert edited in sent[found.cache_from].blocks
