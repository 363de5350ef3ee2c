import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.wire.sse import Event, EventReader, event_bytes

STREAMS = {
    "as the API writes it": (
        b'event: ping\ndata: {"type": "ping"}\n\nevent: message_stop\ndata: {}\n\n',
        [Event("ping", b'{"type": "ping"}'), Event("message_stop", b"{}")],
    ),
    "without names": (b"data: {}\n\ndata: [DONE]\n\n", [Event("", b"{}"), Event("", b"[DONE]")]),
    "without a blank behind the colon": (b"event:a\ndata:b\n\n", [Event("a", b"b")]),
    "two blanks, one is data": (b"data:  b\n\n", [Event("", b" b")]),
    "carriage returns": (
        b"event: a\r\ndata: b\r\n\r\ndata: c\r\r",
        [Event("a", b"b"), Event("", b"c")],
    ),
    "data of two lines": (b"data: a\ndata: b\n\n", [Event("", b"a\nb")]),
    "comments and other fields": (b": hi\nid: 4\nretry: 9\ndata: a\n\n", [Event("", b"a")]),
    "a name without data is no event": (b"event: a\n\ndata: b\n\n", [Event("", b"b")]),
    "a mark of UTF-8 at the start": (b"\xef\xbb\xbfdata: a\n\n", [Event("", b"a")]),
    "the end is missing": (b"data: a\n\ndata: b\n", [Event("", b"a")]),
    "nothing": (b"", []),
}


@pytest.mark.parametrize(("stream", "events"), STREAMS.values(), ids=STREAMS)
def test_stream(stream, events):
    assert EventReader().feed(stream) == events


@pytest.mark.parametrize(("stream", "events"), STREAMS.values(), ids=STREAMS)
def test_chunks_of_one_byte(stream, events):
    reader = EventReader()
    assert [e for k in range(len(stream)) for e in reader.feed(stream[k : k + 1])] == events


lines = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]))
names = st.text(st.characters(exclude_characters="\r\n\x00", exclude_categories=["Cs"]))


@given(st.lists(st.tuples(names, st.lists(lines, min_size=1))), st.lists(st.integers(1, 9)))
def test_what_is_written_is_read(events, sizes):
    said = [Event(name, "\n".join(data).encode()) for name, data in events]
    stream = b"".join(map(event_bytes, said))
    reader, found = EventReader(), []
    for size in sizes:
        found += reader.feed(stream[:size])
        stream = stream[size:]
    assert found + reader.feed(stream) == said
