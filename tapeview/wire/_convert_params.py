"""What a Chat request carries beside its messages, as the Messages API has it."""

from collections.abc import Iterator, Mapping

from tapeview.shapes.fields import fields_of, is_text, text_facts, text_of
from tapeview.tape.clean import clean_line
from tapeview.tape.graft import spelled, with_member
from tapeview.tape.json_text import JsonFault, loads
from tapeview.wire._convert_parts import Losses, items, object_of

__all__ = ["parameters"]

AS_THEY_ARE = ("temperature", "top_p", "stream", "thinking", "top_k")
"""Members of both APIs; the last two are ones that compatible servers took over."""

READ = {
    *AS_THEY_ARE,
    "function_call",
    "functions",
    "max_completion_tokens",
    "max_tokens",
    "messages",
    "model",
    "parallel_tool_calls",
    "stop",
    "tool_choice",
    "tools",
    "user",
}
HOTTEST = 1
"""The highest temperature of the Messages API; that of Chat is 2."""

NO_SCHEMA = b'{"type":"object","properties":{}}'
ONE_TEXT = b'{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}'


def parameters(fields: Mapping[str, bytes], losses: Losses) -> dict[str, bytes]:
    """The members beside ``system`` and ``messages``; what has no counterpart goes to ``losses``.

    ``max_tokens`` is absent where the Chat body has no limit: the caller has to set one.
    """
    found: dict[str, bytes] = {}
    if "model" in fields:
        found["model"] = fields["model"]
    for name in ("max_completion_tokens", "max_tokens"):
        if fields.get(name, b"null") != b"null":
            found.setdefault("max_tokens", fields[name])
    for name in AS_THEY_ARE:
        if fields.get(name, b"null") != b"null":
            found[name] = fields[name]
    if _number(found.get("temperature", b"0")) > HOTTEST:
        losses.add("a temperature above 1 becomes 1")
        found["temperature"] = b"1"
    if stops := list(_stops(fields.get("stop", b""), losses)):
        found["stop_sequences"] = b"[" + b",".join(stops) + b"]"
    if is_text(fields.get("user", b"")):
        found["metadata"] = object_of({"user_id": fields["user"]})
    if tools := list(_tools(fields, losses)):
        found["tools"] = b"[" + b",".join(tools) + b"]"
    if choice := _choice(fields, bool(tools), losses):
        found["tool_choice"] = choice
    for name, value in fields.items():
        if name not in READ and value != b"null":
            losses.add(f"`{clean_line(name, 60)}` is left out")
    return found


def _number(raw: bytes) -> float:
    try:
        value = loads(raw)
    except JsonFault:
        return 0
    return value if isinstance(value, int | float) else 0


def _stops(stop: bytes, losses: Losses) -> Iterator[bytes]:
    for text in [stop] if is_text(stop) else items(stop):
        if is_text(text) and not text_facts(text):
            yield text
        else:
            losses.add("a stop sequence without a word is left out")


def _tools(fields: Mapping[str, bytes], losses: Losses) -> Iterator[bytes]:
    for number, raw in enumerate(items(fields.get("tools", b""))):
        tool, at = fields_of(raw), f"tools.{number}"
        kind = text_of(tool.get("type"))
        if "input_schema" in tool:
            yield raw
        elif kind == "function" or "function" in tool:
            yield _tool(fields_of(tool.get("function", b"")), at, losses)
        elif kind == "custom":
            custom = fields_of(tool.get("custom", b""))
            losses.add("a tool that takes a text gets an object with `input`", at)
            if "format" in custom:
                losses.add("the format that a tool's text must have is left out", at)
            kept = {name: custom[name] for name in ("name", "description") if name in custom}
            yield object_of(kept | {"input_schema": ONE_TEXT})
        else:
            losses.add(f"a tool of type {clean_line(kind, 40) or '(none)'} is left out", at)
    for number, raw in enumerate(items(fields.get("functions", b""))):
        yield _tool(fields_of(raw), f"functions.{number}", losses)


def _tool(function: Mapping[str, bytes], at: str, losses: Losses) -> bytes:
    kept = {n: function[n] for n in ("name", "description") if function.get(n, b"null") != b"null"}
    schema = function.get("parameters", b"")
    if schema[:1] != b"{":
        schema = NO_SCHEMA
    elif "type" not in fields_of(schema):
        schema = with_member(schema, (), "type", b'"object"')
    kept["input_schema"] = schema
    if function.get("strict", b"null") != b"null":
        kept["strict"] = function["strict"]
    for name in function.keys() - {"name", "description", "parameters", "strict"}:
        losses.add(f"`{clean_line(name, 60)}` of a tool is left out", at)
    return object_of(kept)


def _choice(fields: Mapping[str, bytes], has_tools: bool, losses: Losses) -> bytes:
    """Which tool is to be called; empty for what the API takes by itself."""
    raw = fields.get("tool_choice", b"null")
    if raw == b"null":
        raw = fields.get("function_call", b"null")
    alone = fields.get("parallel_tool_calls") == b"false"
    if not has_tools:
        if raw != b"null":
            losses.add("`tool_choice` without tools is left out")
        return b""
    choice: dict[str, bytes] = {}
    if is_text(raw):
        word = {"none": "none", "auto": "auto", "required": "any"}.get(text_of(raw))
        choice = {"type": spelled(word)} if word else {}
    elif raw[:1] == b"{":
        body = fields_of(raw)
        named = fields_of(body.get("function", body.get("custom", b""))) or body
        if is_text(named.get("name", b"")):
            choice = {"type": b'"tool"', "name": named["name"]}
    if raw != b"null" and not choice:
        losses.add("this `tool_choice` has no counterpart and is left out")
    if alone and choice.get("type") != b'"none"':
        choice = (choice or {"type": b'"auto"'}) | {"disable_parallel_tool_use": b"true"}
    return object_of(choice) if choice else b""
