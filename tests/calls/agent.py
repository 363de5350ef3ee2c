"""A small agent loop on the real SDK, which takes what its tools and its user say from a tape."""

import json

import anthropic
from anthropic import Anthropic

__all__ = ["Agent", "neutral", "request_body"]


class Agent:
    """Sends a beginning of ``tape``, appends each reply, and the tape's own answer to that."""

    def __init__(self, url: str, body: dict, streamed: bool) -> None:
        self.client = Anthropic(base_url=url, api_key="dummy", max_retries=0)
        self.tape = body["messages"]
        self.rest = {k: v for k, v in body.items() if k not in ("messages", "stream")}
        self.rest = {"model": "claude-x", "max_tokens": 1000} | self.rest
        self.streamed = streamed
        self.messages: list[dict] = []
        self.replies: list[anthropic.types.Message] = []

    def __enter__(self) -> "Agent":
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def run(self) -> list[dict]:
        """The array it ends with. Raises what the SDK raises."""
        for side in sides_of(self.tape):
            if side[0]["role"] == "assistant":
                self.ask()
            else:
                self.messages += side
        return self.messages

    def ask(self) -> None:
        """One call."""
        asked = {"messages": self.messages, "extra_body": self.rest}
        if self.streamed:
            with self.client.messages.stream(model="x", max_tokens=1, **asked) as stream:
                reply = stream.get_final_message()
        else:
            reply = self.client.messages.create(model="x", max_tokens=1, **asked)
        assert reply.stop_reason is not None
        self.replies.append(reply)
        content = [block.to_dict(warnings=False) for block in reply.content]
        self.messages.append({"role": "assistant", "content": content})


def sides_of(messages: list[dict]) -> list[list[dict]]:
    """Neighbouring messages of the assistant, or of anybody else, together."""
    sides: list[list[dict]] = []
    for message in messages:
        is_reply = message["role"] == "assistant"
        if sides and (sides[-1][0]["role"] == "assistant") == is_reply:
            sides[-1].append(message)
        else:
            sides.append([message])
    return sides


def neutral(messages: list[dict]) -> list[tuple[str, dict]]:
    """Roles and blocks: a string is one text block, and neighbours of a role are one message."""
    return [
        (message["role"], block)
        for message in messages
        for block in (
            [{"type": "text", "text": message["content"]}]
            if isinstance(message["content"], str)
            else message["content"]
        )
    ]


def request_body(opened, tape, turn=None) -> dict:
    """The body of a call, as ``tapeview request`` prints it."""
    from tapeview.wire.request import request_of, sent_before

    snapshot = opened.snapshot(tape)
    at = None if turn is None else snapshot.own_turn(turn)
    messages = sent_before(snapshot.index, snapshot.tape.sent, at)
    return json.loads(request_of(opened.session, snapshot.tape, messages).body)
