"""Every tape and session at hand plays itself: each recorded request comes to its own reply."""

import os
from collections import Counter
from pathlib import Path

import pytest

from tapeview.calls.next_call import NextCall
from tapeview.calls.recorded import in_api_words, recorded_calls
from tapeview.errors import TapeviewError
from tapeview.open_session import load
from tapeview.wire.align import chain
from tapeview.wire.unroll import object_json, unroll

SHARED = Path(os.environ["TAPEVIEW_SHARED"])


def sessions():
    for folder in ("corpus", "tapes"):
        for path in sorted((SHARED / folder).rglob("*")):
            try:
                opened = load(str(path))
            except TapeviewError:
                continue
            yield pytest.param(opened, id=str(path.relative_to(SHARED)))


@pytest.mark.parametrize("opened", sessions())
def test_a_session_plays_itself(opened):
    opened, _ = in_api_words(opened)
    calls = recorded_calls(opened)
    finder = NextCall(calls)
    equals = Counter(call.key for call in calls)
    for call in calls:
        sent = call.sent.messages
        assert chain(sent) == call.key
        assert finder.of(sent, Counter()) is call or equals[call.key] > 1
        assert [event.name for event in unroll(object_json(call.reply))][-1] == "message_stop"
