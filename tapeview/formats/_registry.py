"""All formats, found by walking this package, and the one that a file is."""

import importlib
import pkgutil
from functools import cache

import tapeview.formats
from tapeview.errors import OpenError, UnsupportedFormat
from tapeview.formats._format import Format
from tapeview.formats._head import Head
from tapeview.formats._known import unsupported_name
from tapeview.tape.clean import printable
from tapeview.tape.source import Source

__all__ = ["all_formats", "detect"]

NEAR_MISSES = ("input", "conversation", "conversations", "history", "chat", "turns", "Messages")


@cache
def all_formats() -> tuple[Format, ...]:
    """One instance of each format, by name."""
    found: list[Format] = []
    for module in pkgutil.iter_modules(tapeview.formats.__path__):
        if module.name.startswith("_"):
            continue
        loaded = importlib.import_module(f"tapeview.formats.{module.name}")
        found += [
            kind()
            for kind in vars(loaded).values()
            if isinstance(kind, type)
            and issubclass(kind, Format)
            and kind.__module__ == loaded.__name__
        ]
    return tuple(sorted(found, key=lambda format_: format_.name))


def detect(source: Source, path: str) -> tuple[Format, Head]:
    """The format that claims the source most surely, by content alone.

    Raises ``OpenError`` where it holds no conversation, ``UnsupportedFormat`` where the format is
    known but not read yet; each says what was found instead.
    """
    head = Head(source)
    shown = printable(path)
    if head.kind == "empty":
        raise OpenError(f"{shown}: the file is empty; there is no conversation in it.")
    if head.kind == "utf-16":
        raise OpenError(
            f"{shown}: this is UTF-16 text; convert it first: iconv -f UTF-16 -t UTF-8."
        )
    if name := unsupported_name(head):
        raise UnsupportedFormat(f"{shown}: this is {name}; tapeview does not read it yet.")
    if head.kind == "binary":
        raise OpenError(f"{shown}: this is binary, not JSON; a session is a JSON or JSONL file.")
    best = max(all_formats(), key=lambda format_: format_.claims(head))
    if best.claims(head) > 0:
        return best, head
    raise OpenError(f"{shown}: {_what_it_is(head)}")


def _what_it_is(head: Head) -> str:
    wanted = "a conversation is an object with `messages`, an array of messages, or JSONL"
    if head.kind == "text":
        return f"line 1 is not JSON; {wanted}."
    if head.kind == "object":
        keys = list(head.members)
        if not keys:
            return f"this is JSON that breaks off before its first member ends; {wanted}."
        near = [key for key in NEAR_MISSES if key in keys]
        if "messages" in keys:
            return "`messages` is not an array; it must be a list of objects with role and content."
        if near:
            return f"this is JSON, but no conversation: it has `{near[0]}` where {wanted}."
        listed = ", ".join(printable(key)[:40] for key in keys[:5])
        more = ", ..." if len(keys) > 5 else ""
        return f"this is JSON, but no conversation: an object with {listed}{more}; {wanted}."
    if head.kind == "array":
        return "this is a JSON array, but its elements are not messages with role and content."
    listed = ", ".join(printable(key)[:40] for key in list(head.objects[0])[:5])
    return f"these are JSON lines, but no conversation: line 1 has {listed}; {wanted}."
