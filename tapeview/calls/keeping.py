"""A branch as a request body: for files that hold one line of messages and no other beside it."""

from msgspec import Raw

from tapeview.edit.replies import reply_of
from tapeview.snapshot import Snapshot
from tapeview.tape.graft import respelled, style_of, with_element
from tapeview.tape.json_text import array_spans, locate, skip_value
from tapeview.tape.turn import Turn
from tapeview.wire.request import Request, request_of, sent_before

__all__ = ["branch_body"]


def branch_body(snapshot: Snapshot, turn: Turn | None, reply: bytes) -> Request:
    """The request that the call of ``turn`` sent (None: the next call), and the reply behind it.

    ``reply`` is a message of the Messages API; it is spelled as the other messages are. In Chat its
    thinking is left out: there is no place for it. Raises ``EditError`` for what is no reply, and
    what reading a file raises once it has changed.
    """
    session, tape = snapshot.session, snapshot.tape
    before = sent_before(snapshot.index, tape.sent, turn)
    body, absent = request_of(session, tape, before)
    start, _ = locate(body, ("messages",))
    array = body[start : skip_value(body, start)]
    style = style_of(array).deeper()
    if not array_spans(array, 0)[0]:
        style = style._replace(indent="")
    blocks = session.shape.kept(reply_of(Raw(reply)).blocks)
    for message in session.shape.spell("assistant", blocks, style):
        body = with_element(body, ("messages",), len(before), respelled(message, style))
    return Request(body, absent)
