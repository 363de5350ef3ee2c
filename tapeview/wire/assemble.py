"""A reply out of its stream of events, block by block as they grow.

Source: the Messages API's streaming events, and what SDKs and llama.cpp's server make of them: the
start of a ``tool_use`` may lack ``input``, counts in ``message_delta`` are totals, and events,
deltas and blocks of types that nobody knows yet come at any time and do no harm.
"""

import json
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from tapeview.tape.block import CALLS
from tapeview.tape.graft import spelled
from tapeview.tape.json_text import JsonFault, loads
from tapeview.wire.sse import Event, EventReader

__all__ = ["Assembler", "GrowingBlock", "Step", "StepKind"]

StepKind = Literal[
    "message", "start", "text", "thinking", "input", "stop", "delta", "end", "error", "garbage", ""
]

GROWS: Final[Mapping[str, tuple[StepKind, str]]] = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "input_json_delta": ("input", "partial_json"),
    "compaction_delta": ("text", "content"),
}
"""Deltas that add to a text: what arrives, and the member of the delta that has it."""

SHOWN_GARBAGE: Final = 200
"""Characters that are kept of data that is no event."""


class Step(NamedTuple):
    """What one event did: ``""`` for one that changes nothing."""

    kind: StepKind
    block: int = -1
    """Which one, by the stream's own count."""
    piece: str = ""
    """The text that was added; of garbage its beginning."""


class GrowingBlock:
    """One content block as far as it has arrived."""

    __slots__ = ("_input", "_pieces", "is_done", "members")

    def __init__(self, members: dict[str, object]) -> None:
        self.members = members
        """The members of its start, and those that deltas set."""
        self.is_done = False
        """Whether its end came."""
        self._pieces: dict[str, list[str]] = {}
        self._input: bytes | None = None

    @property
    def kind(self) -> str:
        """The block's type; ``""`` where it has none."""
        return self._word("type")

    @property
    def name(self) -> str:
        """A call's tool."""
        return self._word("name")

    @property
    def id(self) -> str:
        """A call's id."""
        return self._word("id")

    @property
    def text(self) -> str:
        """A text, or a compaction's, so far."""
        return self._so_far("content" if self.kind == "compaction" else "text")

    @property
    def thinking(self) -> str:
        """The thinking so far."""
        return self._so_far("thinking")

    @property
    def partial_json(self) -> str:
        """A call's input so far, as it is spelled; ``""`` where it came whole with the start."""
        return self._so_far("partial_json")

    @property
    def has_grown(self) -> bool:
        """Whether any of its text came after its start."""
        return bool(self._pieces)

    @property
    def is_cut(self) -> bool:
        """Whether it is a call whose input is no JSON, or not whole yet."""
        if self._input is not None:
            return False
        waits = self.kind in CALLS and not self.is_done and not self.members.get("input")
        return waits or bool(self.partial_json)

    def _word(self, member: str) -> str:
        word = self.members.get(member)
        return word if isinstance(word, str) else ""

    def _so_far(self, member: str) -> str:
        pieces = self._pieces.get(member)
        if pieces is None:
            return self._word(member)
        if len(pieces) > 1:
            pieces[:] = ["".join(pieces)]
        return pieces[0]

    def grow(self, delta: Mapping[str, object]) -> Step:
        """Take a delta in; the step does not say whose it is."""
        kind, member = GROWS.get(str(delta.get("type")), ("", ""))
        piece = delta.get(member)
        if kind and isinstance(piece, str):
            self._pieces.setdefault(member, [self._word(member)]).append(piece)
            return Step(kind, piece=piece)
        if "signature" in delta:
            self.members["signature"] = delta["signature"]
        elif "citation" in delta:
            known = self.members.get("citations")
            if not isinstance(known, list):
                self.members["citations"] = known = []
            known.append(delta["citation"])
        else:
            return Step("")
        return Step("delta")

    def finish(self) -> None:
        """Its end came: the input is read, this once."""
        self.is_done = True
        text = self.partial_json
        if not text:
            return
        try:
            value = loads(text.encode("utf-8", "surrogatepass"))
        except JsonFault:
            return
        try:
            self._input = text.encode()
        except UnicodeEncodeError:
            self._input = json.dumps(value).encode()

    def to_json(self) -> bytes:
        """The block as JSON; an input that is no JSON stands there as the string that came.

        So a cut call is known by its ``input``, which should be an object: rule TU006 finds it, and
        no harness runs it by mistake.
        """
        members = {**self.members, **{m: self._so_far(m) for m in self._pieces}}
        partial = members.pop("partial_json", "")
        if partial or self.kind in CALLS:
            members.setdefault("input", {})
        if self.is_cut:
            members["input"] = partial
        return _object({k: spelled(v) for k, v in members.items()}, "input", self._input)


class Assembler:
    """The reply as far as it has arrived. Its cost grows with the bytes, not with their pieces."""

    def __init__(self) -> None:
        self.blocks: dict[int, GrowingBlock] = {}
        """Blocks by the stream's own count, in the order of their starts."""
        self.usage: dict[str, object] = {}
        self.is_ended = False
        """Whether ``message_stop`` came."""
        self.error = b""
        """The data of an error event; empty where none came."""
        self.garbage = ""
        """The beginning of the first data that is no event."""
        self._message: dict[str, object] = {}
        self._reader = EventReader()

    def feed(self, chunk: bytes) -> list[Step]:
        """Take bytes as they arrive, cut anywhere; what the events in them did."""
        return [self.take(event) for event in self._reader.feed(chunk)]

    @property
    def has_begun(self) -> bool:
        """Whether anything of a message came."""
        return bool(self._message or self.blocks)

    @property
    def model(self) -> str:
        """The model that answers; "" while nobody says so."""
        model = self._message.get("model")
        return model if isinstance(model, str) else ""

    @property
    def stop_reason(self) -> str | None:
        """Why the model stopped; None while it has not."""
        reason = self._message.get("stop_reason")
        return reason if isinstance(reason, str) else None

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing: the end came, or all blocks and the reason to stop."""
        if self.is_ended:
            return True
        return self.stop_reason is not None and all(b.is_done for b in self.blocks.values())

    def take(self, event: Event) -> Step:
        """Take one event in."""
        try:
            data = loads(event.data)
        except JsonFault:
            data = None
        if not isinstance(data, dict):
            if event.name == "" and event.data.strip() == b"[DONE]":
                return Step("")
            return self._refuse(event.data)
        match data.get("type") or event.name:
            case "message_start":
                return self._begin(data.get("message"))
            case "content_block_start":
                step = self._start(data.get("index"), data.get("content_block"))
                return step or self._refuse(event.data)
            case "content_block_delta":
                step = self._grow(data.get("index"), data.get("delta"))
                return step or self._refuse(event.data)
            case "content_block_stop":
                return self._stop(data.get("index"))
            case "message_delta":
                return self._delta(data)
            case "message_stop":
                self.is_ended = True
                return Step("end")
            case "error":
                self.error = self.error or event.data
                return Step("error")
        return Step("")

    def _refuse(self, data: bytes) -> Step:
        piece = data[:SHOWN_GARBAGE].decode("utf-8", "replace")
        self.garbage = self.garbage or piece or "(empty)"
        return Step("garbage", piece=piece)

    def _begin(self, message: object) -> Step:
        if not isinstance(message, dict):
            return Step("")
        self._message = {**message, "content": []}
        self._count(message.get("usage"))
        return Step("message")

    def _start(self, index: object, block: object) -> Step | None:
        if not isinstance(index, int) or not isinstance(block, dict) or index in self.blocks:
            return None
        self.blocks[index] = GrowingBlock(block)
        return Step("start", index)

    def _grow(self, index: object, delta: object) -> Step | None:
        block = self.blocks.get(index) if isinstance(index, int) else None
        if not isinstance(index, int) or block is None or not isinstance(delta, dict):
            return None
        if block.is_done:
            return Step("")
        return block.grow(delta)._replace(block=index)

    def _stop(self, index: object) -> Step:
        block = self.blocks.get(index) if isinstance(index, int) else None
        if not isinstance(index, int) or block is None or block.is_done:
            return Step("")
        block.finish()
        return Step("stop", index)

    def _delta(self, data: Mapping[str, object]) -> Step:
        """The end's members: what is null says nothing new."""
        delta = data.get("delta")
        news = dict(delta) if isinstance(delta, dict) else {}
        news |= {k: v for k, v in data.items() if k not in ("type", "delta", "usage")}
        for name, value in news.items():
            if value is not None or name not in self._message:
                self._message[name] = value
        self._count(data.get("usage"))
        return Step("delta")

    def _count(self, usage: object) -> None:
        if isinstance(usage, dict):
            self.usage.update(
                {k: v for k, v in usage.items() if v is not None or k not in self.usage}
            )

    def message(self) -> bytes:
        """The message as JSON, as it stands now."""
        first = {"type": "message", "role": "assistant", "content": []}
        members = {**first, **self._message}
        if self.usage:
            members["usage"] = self.usage
        blocks = [self.blocks[index].to_json() for index in sorted(self.blocks)]
        content = b"[" + b",".join(blocks) + b"]"
        return _object({k: spelled(v) for k, v in members.items()}, "content", content)


def _object(members: Mapping[str, bytes], name: str, raw: bytes | None) -> bytes:
    """An object; ``raw``, where there is one, is the value of the member ``name``."""
    values = members if raw is None else {**members, name: raw}
    return b"{" + b",".join(spelled(key) + b":" + value for key, value in values.items()) + b"}"
