"""All formats, found by walking this package, and the one that a file is."""

import importlib
import pkgutil
from collections.abc import Iterable
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
    sure, best = max(
        ((format_.claims(head), format_) for format_ in all_formats()), key=lambda pair: pair[0]
    )
    if sure > 0:
        return best, head
    raise OpenError(f"{shown}: {_what_it_is(head)}")


def _what_it_is(head: Head) -> str:
    wanted = "a conversation is an object with `messages`, an array of messages, or JSONL"
    if head.kind == "text":
        return f"line 1 is not JSON; {wanted}."
    if head.kind == "object":
        return f"{_what_object(head)}; {wanted}."
    if head.kind == "array":
        if head.elements is not None and not head.elements.spans and head.damage is not None:
            return f"{_damaged(head, 'element')}; {wanted}."
        return "this is a JSON array, but its elements are not messages with role and content."
    if isinstance(head.objects[0].get("messages"), list):
        return "each line is a request of its own; open one: sed -n 1p FILE | tapeview show -."
    what = "these are JSON lines" if len(head.objects) > 1 else "this is JSON"
    return f"{what}, but no conversation: line 1 has {_listed(head.objects[0])}; {wanted}."


def _what_object(head: Head) -> str:
    keys = head.members
    if not keys and head.damage is not None:
        return _damaged(head, "member")
    if "messages" in keys:
        return "`messages` is not an array"
    if near := [key for key in NEAR_MISSES if key in keys]:
        return f"this is JSON, but no conversation: it has `{near[0]}` instead of `messages`"
    if not keys:
        return "this is an empty JSON object"
    return f"this is JSON, but no conversation: an object with {_listed(keys)}"


def _damaged(head: Head, piece: str) -> str:
    fault = head.damage
    if fault is None or fault.offset >= len(head.text):
        return f"this is JSON that breaks off before its first {piece} ends"
    return f"this is damaged JSON: byte {fault.offset}: {fault.reason}"


def _listed(keys: Iterable[str]) -> str:
    names = [printable(key)[:40] for key in keys]
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
