"""A tape as a model: which recorded reply a request is answered with, or why it is refused."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Final, Literal, NamedTuple

import msgspec

from tapeview.calls.asked import Asked, Refusal, asked_in
from tapeview.calls.next_call import NextCall
from tapeview.calls.recorded import RecordedCall, made_id, tokens_in, usage_of
from tapeview.errors import ServeError
from tapeview.shapes.fields import fields_of, text_of
from tapeview.snapshot import by_rank
from tapeview.tape.block import CLIENT_CALL
from tapeview.tape.json_text import array_spans
from tapeview.wire.align import CellReader, Difference, chain, first_difference
from tapeview.wire.unroll import object_json, sound

__all__ = ["Answer", "Player", "told"]

How = Literal["recorded", "next", "side"]

ASIDE: Final = "A tape stands in for the model, and this call is not on it."
"""What a side call is told. No tape has its answer, and a harness goes on without."""

SHOWN: Final = 60
"""Characters of a text in the sentence of a difference."""
LEAD: Final = 20
"""Characters before the place at which two texts part."""


class Answer(NamedTuple):
    """What a request is answered with."""

    message: bytes
    """The assistant message as the API answers it where nothing is streamed."""
    streamed: bool
    how: How
    """A recorded call with the very same messages; the next turn, though they differ; or a side
    call (a title, a summary), which takes no turn."""
    call: RecordedCall | None
    difference: Difference | None

    @property
    def sentence(self) -> str:
        """Which turn it is, and what differs."""
        if self.call is None:
            return "a call beside the tape, answered as such"
        tape = "" if self.call.tape == "main" else f" of {self.call.tape}"
        words = f"turn {self.call.turn}{tape}"
        return words if self.difference is None else f"{words}, though {told(self.difference)}"


class Player:
    """Answers requests out of recorded calls. It changes in one thing: what it has answered."""

    def __init__(self, calls: Sequence[RecordedCall], name: str, strict: bool = False) -> None:
        """Raises ``ServeError`` where there is no call; ``name`` is what the tape is called."""
        if not calls:
            raise ServeError(f"{name}: there is no reply of a model on this tape to answer with.")
        self.name = name
        self.strict = strict
        self.calls = calls
        self._has_tools = any(_calls_tools(call.reply) for call in calls)
        self._equals: dict[bytes, list[RecordedCall]] = defaultdict(list)
        for call in sorted(calls, key=lambda call: call.order):
            self._equals[call.key].append(call)
        self._next = NextCall(calls)
        self._reader = CellReader()
        self._given: Counter[RecordedCall] = Counter()

    @property
    def models(self) -> tuple[str, ...]:
        """Models that replied on the tape, in order."""
        names = (text_of(call.reply.get("model")) for call in self.calls)
        return tuple(dict.fromkeys(name for name in names if name))

    def answer(self, body: bytes) -> Answer | Refusal:
        """What the API would answer, were the recorded model behind it.

        First what the API would refuse; then a recorded call with these messages, one after the
        other where several have them; else, unless ``strict``, the next turn of the tape.
        """
        asked = asked_in(body)
        if isinstance(asked, Refusal):
            return asked
        return _refused(asked) or self._played(asked)

    def give_back(self, answer: Answer | Refusal) -> None:
        """Forget that this was answered, since nobody got it: its turn comes again."""
        if isinstance(answer, Answer) and answer.call is not None:
            self._given[answer.call] -= 1

    def count(self, body: bytes) -> int | Refusal:
        """An estimate of the tokens that a request has."""
        asked = asked_in(body, counts=True)
        if isinstance(asked, Refusal):
            return asked
        return _refused(asked) or tokens_in(asked.size)

    def _played(self, asked: Asked) -> Answer | Refusal:
        got = self._reader.read_all(asked.messages)
        equals = self._equals.get(chain(got), [])
        if equals:
            call = next((call for call in equals if not self._given[call]), equals[-1])
            return self._answered(asked, call, "recorded", None)
        is_one = self._has_tools and not asked.has_tools and len(asked.messages) == 1
        if is_one and not self.strict and not self._next.starts_a_tape(got):
            return _aside(asked)
        call_behind = self._next.of(got, self._given)
        if call_behind is None:
            return self._not_there("no turn of the tape follows these messages: it is at its end")
        difference = first_difference(call_behind.sent.messages, got)
        if not self.strict:
            return self._answered(asked, call_behind, "next", difference)
        where = f": {told(difference)}" if difference is not None else ""
        return self._not_there(f"these messages are not on the tape{where}")

    def _not_there(self, sentence: str) -> Refusal:
        return Refusal(400, "invalid_request_error", f"tapeview play {self.name}: {sentence}.")

    def _answered(
        self, asked: Asked, call: RecordedCall, how: How, difference: Difference | None
    ) -> Answer:
        self._given[call] += 1
        return Answer(_message(call.reply, asked), asked.streamed, how, call, difference)


def told(difference: Difference) -> str:
    """``messages.2.content.0.text is "a" on the tape, here "b"``, both from where they part."""
    path, recorded, got = difference
    same = takewhile(lambda pair: pair[0] == pair[1], zip(recorded, got, strict=False))
    start = max(0, sum(1 for _ in same) - LEAD)
    ours = _cut(recorded, start) if recorded else "not there"
    theirs = _cut(got, start) if got else "not there"
    return f"{path} is {ours} on the tape, here {theirs}"


def _cut(text: str, start: int) -> str:
    end = start + SHOWN
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")


def _refused(asked: Asked) -> Refusal | None:
    """What the API would refuse first."""
    first = next((f for f in by_rank(asked.findings) if f.severity == "error"), None)
    if first is None:
        return None
    return Refusal(400, "invalid_request_error", first.api_message, first.rule.code)


def _aside(asked: Asked) -> Answer:
    said = msgspec.json.encode([{"type": "text", "text": ASIDE}])
    reply = {
        "id": msgspec.json.encode(made_id("msg_01", *asked.messages)),
        "type": b'"message"',
        "role": b'"assistant"',
        "content": said,
        "stop_reason": b'"end_turn"',
        "stop_sequence": b"null",
        "usage": usage_of(asked.size, len(said)),
    }
    return Answer(_message(reply, asked), asked.streamed, "side", None, None)


def _message(reply: Mapping[str, bytes], asked: Asked) -> bytes:
    """The message of these members; the model is the one asked for where none is recorded."""
    model = {"model": msgspec.json.encode(asked.model)}
    return sound(object_json({**model, **reply} if "model" not in reply else reply))


def _calls_tools(reply: Mapping[str, bytes]) -> bool:
    raw = reply["content"]
    spans = array_spans(raw, 0)[0]
    return any(text_of(fields_of(raw[a:b]).get("type")) == CLIENT_CALL for a, b in spans)
