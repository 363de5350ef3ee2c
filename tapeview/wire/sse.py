"""Server-sent events: bytes as they arrive, cut into events, and events as bytes.

Source: the WHATWG HTML standard, 9.2.5 and 9.2.6 (lines end in LF, CRLF or CR; a blank line ends
an event; a line that begins with a colon is a comment).
"""

from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Event", "EventReader", "event_bytes"]


class Event(NamedTuple):
    """One event: its name, ``""`` where it has none, and its data, lines joined by LF."""

    name: str
    data: bytes


class EventReader:
    """Cuts a stream into events. Chunks may end anywhere, in the middle of a character too."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._after_cr = False
        self._begun = False
        self._name = ""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> list[Event]:
        """The events that this chunk completes."""
        found: list[Event] = []
        for line in self._lines(chunk):
            event = self._take(line)
            if event is not None:
                found.append(event)
        return found

    def _lines(self, chunk: bytes) -> Iterator[bytes]:
        if self._after_cr and chunk[:1] == b"\n":
            chunk = chunk[1:]
        if chunk:
            self._after_cr = chunk[-1:] == b"\r"
        pieces = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        for piece in pieces[:-1]:
            self._line += piece
            yield bytes(self._line)
            self._line.clear()
        self._line += pieces[-1]

    def _take(self, line: bytes) -> Event | None:
        if not self._begun:
            self._begun = True
            line = line.removeprefix(b"\xef\xbb\xbf")
        if not line:
            event = Event(self._name, b"\n".join(self._data)) if self._data else None
            self._name, self._data = "", []
            return event
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"event":
            self._name = value.decode("utf-8", "replace")
        elif field == b"data":
            self._data.append(value)
        return None


def event_bytes(event: Event) -> bytes:
    """An event as the API writes it: ``event: NAME``, ``data: ...``, a blank line."""
    name = b"event: " + event.name.encode() + b"\n" if event.name else b""
    lines = event.data.split(b"\n")
    return name + b"".join(b"data: " + line + b"\n" for line in lines) + b"\n"
