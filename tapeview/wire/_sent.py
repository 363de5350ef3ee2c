"""What is kept of each request of a recording while it grows: only what it added."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from msgspec import UNSET, Raw, UnsetType

from tapeview.tape.json_text import JsonFault, array_spans
from tapeview.wire.body import COMPACT, Body
from tapeview.wire.recording import Call, CallKind, text_of_bytes

__all__ = ["Sent", "blocks_kept", "call_of", "repeated"]


@dataclass(slots=True, eq=False)
class Sent:
    """One request, and what became of it."""

    id: str
    thread: str
    seed: bytes
    """The hash that its array begins with."""
    parent: "Sent | None"
    keep: int
    added: list[bytes]
    members: dict[str, bytes]
    order: tuple[str, ...]
    gaps: tuple[str, str]
    headers: Mapping[str, str]
    path: str
    marks: list[tuple[int, bytes]]
    """For each message that it added: the cells up to its end, and the hash of the array so far."""
    cells: int = 0
    """Blocks of its array, thinking left out."""
    full: int = 0
    """The same with those of its answer."""
    state: Literal["live", "whole", "failed"] = "live"
    heir: "Sent | None" = None
    """The last request that goes on from it."""
    answer: tuple[bytes, ...] = field(default=())
    """The digests of its answer's blocks; of texts the stripped text."""

    def array(self) -> list[bytes]:
        """Its messages."""
        pieces: list[list[bytes]] = []
        sent: Sent | None = self
        count = self.keep + len(self.added)
        while sent is not None and count:
            if count > sent.keep:
                pieces.append(sent.added[: count - sent.keep])
                count = sent.keep
            sent = sent.parent
        return [message for piece in reversed(pieces) for message in piece]

    def mark(self, count: int) -> tuple[int, bytes] | None:
        """The cells of its first ``count`` messages and their hash; None for none."""
        sent: Sent | None = self
        while sent is not None and count:
            if count > sent.keep:
                return sent.marks[count - sent.keep - 1]
            sent = sent.parent
        return None


def repeated(array: Sequence[bytes], earlier: Sequence[bytes]) -> int:
    """How many messages both begin with, byte for byte."""
    count = 0
    for message, other in zip(array, earlier, strict=False):
        if message is not other and message != other:
            break
        count += 1
    return count


def blocks_kept(raw: bytes, like: bytes, comma: bytes) -> bytes:
    """A list with the number of each element that stands at the same place in ``like``.

    As it is where that does not give the very bytes back; ``comma`` stands between elements.
    """
    if raw[:1] != b"[" or like[:1] != b"[":
        return raw
    ours, theirs = _elements(raw), _elements(like)
    if b"[" + comma.join(ours) + b"]" != raw or any(e[:1] != b"{" for e in ours):
        return raw
    short = [
        str(k).encode() if k < len(theirs) and theirs[k] == element else element
        for k, element in enumerate(ours)
    ]
    return b"[" + b",".join(short) + b"]"


def _elements(raw: bytes) -> list[bytes]:
    try:
        return [raw[a:b] for a, b in array_spans(raw, 0)[0]]
    except JsonFault:
        return []


def call_of(
    sent: Sent, at: str, kind: CallKind, of: str | int | None, like: Sent | None, body: Body | bytes
) -> Call:
    """The line of a request, with what of it differs from the call ``like``.

    ``body`` is the whole body where its parts do not give it back.
    """
    theirs = like.members if like is not None else {}
    params: dict[str, Raw] = {}
    changed: dict[str, Raw | UnsetType] = {"system": UNSET, "tools": UNSET}
    for name in (*sent.members, *(name for name in theirs if name not in sent.members)):
        raw, other = sent.members.get(name, b"null"), theirs.get(name)
        if raw == other and name in sent.members:
            continue
        if name in changed:
            if other is not None and name == "system":
                raw = blocks_kept(raw, other, sent.gaps[0].encode())
            changed[name] = Raw(raw)
        else:
            params[name] = Raw(raw)
    gaps = like.gaps if like is not None else COMPACT
    return Call(
        call=sent.id,
        at=at,
        kind=kind,
        parent=sent.parent.id if sent.parent is not None else None,
        keep=sent.keep,
        add=[Raw(message) for message in sent.added],
        like=like.id if like is not None and like is not sent.parent else UNSET,
        of=UNSET if of is None else of,
        system=changed["system"],
        tools=changed["tools"],
        params=params or UNSET,
        order=UNSET if like is not None and like.order == sent.order else list(sent.order),
        sep=UNSET if sent.gaps == gaps else sent.gaps,
        body=text_of_bytes(body) if isinstance(body, bytes) else UNSET,
        headers=(
            UNSET if like is not None and like.headers == sent.headers else dict(sent.headers)
        ),
        path=UNSET if like is not None and like.path == sent.path else sent.path,
        thread=UNSET if like is not None and like.thread == sent.thread else sent.thread,
    )
