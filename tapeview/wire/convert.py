"""A request of OpenAI Chat Completions as one of the Messages API, and what is lost by that.

Sources: the request types of the OpenAI Python SDK 3.57.0 and of the Anthropic one 2.14.0. Texts,
inputs and schemas keep their own bytes. A tape that breaks no rule of Chat breaks none of the
Messages API afterwards; what is wrong with a tape stays wrong, with this exception: calls that Chat
does not look at (the old ``function_call``, calls without an id of their own) are answered as
interrupted where nothing answers them.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from tapeview.shapes.fields import fields_of, is_text, text_facts, text_of
from tapeview.tape.clean import clean_line
from tapeview.tape.graft import spelled
from tapeview.wire._convert_params import parameters
from tapeview.wire._convert_parts import Losses, blocks_of, input_of, items, object_of, text_block

__all__ = ["Converted", "to_anthropic"]

LONGEST_NAME = 200
INTERRUPTED = b'"interrupted: this call was not run"'
REASONING = ("reasoning_content", "reasoning", "reasoning_details")
KNOWN = {"role", "content"}
OF_REPLIES = KNOWN | {"refusal", "tool_calls", "function_call", *REASONING}
OF_RESULTS = KNOWN | {"tool_call_id"}

_fits = re.compile(r"[a-zA-Z0-9_-]+").fullmatch
_misfits = re.compile(r"[^a-zA-Z0-9_-]")


class Converted(NamedTuple):
    """A request body of the Messages API, and what of the Chat body is lost or changed in it."""

    body: bytes
    lost: tuple[str, ...]
    """A sentence for each kind of loss, with its first places: ``messages.4.tool_calls.0``."""


class _Call(msgspec.Struct, eq=False):
    """A call that waits for its result."""

    id: str
    """Its id in the Messages API."""
    chat_id: str
    name: str
    legacy: bool
    strict: bool
    """Chat itself refuses the tape where nothing answers it."""
    answered: bool = False


def to_anthropic(body: bytes) -> Converted:
    """The Messages API's body for a Chat body (or a bare array of messages).

    Raises ``JsonFault`` where it is not JSON.
    """
    is_array = body.lstrip()[:1] == b"["
    fields = {"messages": body.strip()} if is_array else fields_of(body)
    losses = Losses()
    writer = _Writer(losses)
    for number, raw in enumerate(items(fields.get("messages", b""))):
        writer.add(fields_of(raw), f"messages.{number}")
    writer.end()
    members = parameters(fields, losses)
    tail = {name: members.pop(name) for name in ("tools", "tool_choice") if name in members}
    if writer.system:
        members["system"] = b"[" + b",".join(writer.system) + b"]"
    messages = (
        object_of({"role": spelled(role), "content": b"[" + b",".join(blocks) + b"]"})
        for role, blocks in writer.messages
    )
    members |= tail | {"messages": b"[" + b",".join(messages) + b"]"}
    return Converted(object_of(members), losses.sentences())


class _Writer:
    """The messages of one body on their way."""

    def __init__(self, losses: Losses) -> None:
        self.losses = losses
        self.system: list[bytes] = []
        self.messages: list[tuple[str, list[bytes]]] = []
        self._ids: set[str] = set()
        self._calls: list[_Call] = []
        """The calls of the last reply."""
        self._results: list[bytes] | None = None
        """The message that answers them, once it is begun."""
        self._behind: list[bytes] = []
        """What stands in it behind all results."""

    def add(self, fields: Mapping[str, bytes], at: str) -> None:
        """One message more."""
        role = text_of(fields.get("role"))
        if role in ("tool", "function"):
            self._result(fields, role, at)
            return
        self.end(followed=True)
        if role == "assistant":
            self._reply(fields, at)
        elif role in ("system", "developer"):
            self._instruction(fields, at)
        else:
            if role != "user":
                self.losses.add(f"the role {clean_line(role, 40) or '(none)'} becomes user", at)
            self._put("user", blocks_of(fields.get("content", b""), at, self.losses, ""), at)
        self._name_others(fields, OF_REPLIES if role == "assistant" else KNOWN, at)

    def _name_others(self, fields: Mapping[str, bytes], known: set[str], at: str) -> None:
        for name, value in fields.items():
            if name not in known and value not in (b"null", b"[]"):
                self.losses.add(f"`{clean_line(name, 60)}` of a message is left out", at)

    def _put(self, role: str, blocks: list[bytes], at: str) -> None:
        if blocks:
            self.messages.append((role, blocks))
        else:
            self.losses.add("a message without content is left out", at)

    def _instruction(self, fields: Mapping[str, bytes], at: str) -> None:
        blocks = blocks_of(fields.get("content", b""), at, self.losses, "text")
        if not self.messages:
            self.system += blocks
            return
        self.losses.add("an instruction between messages becomes a user's text", at)
        self._put("user", blocks, at)

    # -- replies -------------------------------------------------------------------------------

    def _reply(self, fields: Mapping[str, bytes], at: str) -> None:
        calls = items(fields.get("tool_calls", b""))
        legacy = fields.get("function_call", b"")
        content = fields.get("content", b"")
        has_calls = bool(calls) or legacy[:1] == b"{"
        kinds = "text tool_use thinking redacted_thinking"
        # Beside calls an empty text says no more than none.
        blank = is_text(content) and has_calls and text_facts(content)
        blocks = [] if blank else blocks_of(content, at, self.losses, kinds)
        refusal = fields.get("refusal", b"")
        if is_text(refusal) and not text_facts(refusal):
            self.losses.add("a refusal becomes a text", at)
            blocks.append(text_block(refusal))
        if any(fields.get(name, b"null") not in (b"null", b'""', b"[]") for name in REASONING):
            self.losses.add("reasoning is left out: it has no signature", at)
        for number, raw in enumerate(calls):
            blocks.append(self._call(fields_of(raw), f"{at}.tool_calls.{number}", False))
        if legacy[:1] == b"{":
            blocks.append(self._call({"function": legacy}, f"{at}.function_call", True))
        self._put("assistant", blocks, at)

    def _call(self, call: Mapping[str, bytes], at: str, legacy: bool) -> bytes:
        custom = "function" not in call and "custom" in call
        body = fields_of(call.get("custom" if custom else "function", b""))
        chat_id, name = text_of(call.get("id")), text_of(body.get("name"))
        strict = is_text(call.get("id", b"")) and all(c.chat_id != chat_id for c in self._calls)
        made = _Call(self._new_id(chat_id, at, legacy), chat_id, name, legacy, strict)
        self._calls.append(made)
        if not 0 < len(name) <= LONGEST_NAME:
            self.losses.add("a name that the API refuses is changed", at)
        if custom:
            self.losses.add("the text that a tool is given goes under `input`", at)
            given = object_of({"input": body.get("input", b'""')})
        else:
            given = input_of(body.get("arguments", b""), at, self.losses)
        names = {"name": body.get("name", b"") if name else b'"unnamed"'}
        if len(name) > LONGEST_NAME:
            names["name"] = spelled(name[:LONGEST_NAME])
        block = {"type": b'"tool_use"', "id": spelled(made.id)} | names
        return object_of(block | {"input": given})

    def _new_id(self, wanted: str, at: str, legacy: bool = False) -> str:
        """The id where it fits and is free, else one that is like it."""
        identity = wanted
        if not _fits(wanted) or wanted in self._ids:
            what = "a call without an id" if legacy or not wanted else "an id that cannot be kept"
            self.losses.add(f"{what} gets a new one", at)
            base = _misfits.sub("_", wanted) or "chat_call"
            number = len(self._ids)
            while (identity := f"{base}_{number}") in self._ids:
                number += 1
        self._ids.add(identity)
        return identity

    # -- results -------------------------------------------------------------------------------

    def _result(self, fields: Mapping[str, bytes], role: str, at: str) -> None:
        call = self._call_of(fields, role)
        self._name_others(fields, OF_RESULTS | ({"name"} if role == "function" else set()), at)
        if self._results is None:
            self._results = []
        if call is None and role == "function":
            self.losses.add("a result that answers no call becomes a user's text", at)
            self._behind += blocks_of(fields.get("content", b""), at, self.losses, "")
            return
        if call is not None:
            call.answered = True
            identity = call.id
        else:
            identity = text_of(fields.get("tool_call_id"))
        result = {"type": b'"tool_result"', "tool_use_id": spelled(identity)}
        content = fields.get("content", b"null")
        if is_text(content):
            result["content"] = content
        elif blocks := blocks_of(content, at, self.losses, ""):
            result["content"] = b"[" + b",".join(blocks) + b"]"
        self._results.append(object_of(result))

    def _call_of(self, fields: Mapping[str, bytes], role: str) -> _Call | None:
        """The call of the last reply that a result answers."""
        wanted = text_of(fields.get("name" if role == "function" else "tool_call_id"))
        for call in self._calls:
            if role == "function":
                fits = call.legacy and call.name == wanted
            else:
                fits = not call.legacy and call.chat_id == wanted
            if fits and not call.answered:
                return call
        return None

    def end(self, followed: bool = False) -> None:
        """Close what answers the last reply; at the end of the tape its calls may still wait."""
        if followed or self._results is not None:
            for call in self._calls:
                if not call.answered and not call.strict:
                    self.losses.add("a call that nothing answers is answered as interrupted")
                    answer = {"type": b'"tool_result"', "tool_use_id": spelled(call.id)}
                    answer |= {"content": INTERRUPTED, "is_error": b"true"}
                    self._results = [*(self._results or ()), object_of(answer)]
        if blocks := [*(self._results or ()), *self._behind]:
            self.messages.append(("user", blocks))
        self._calls, self._results, self._behind = [], None, []
