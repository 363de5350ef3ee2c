"""Raw JSON text: read it exactly, and find the bytes of any value in it, without recursion.

Records are kept as written, so most questions about them are about places: where does a value
begin and end? All places are byte offsets into the text given. Nothing here recurses, so nesting
of any depth is safe, and no big text is copied more than once.

The scanner is strict about structure and lenient about what stands between quotes: an invalid
byte, a bare control character or an unknown escape inside a string does not hide where it ends.
``NaN``, ``Infinity`` and ``-Infinity`` are values here, as Python and some harnesses write them.

In a text that was cut off (a killed process, a file still growing) the fault stands at the end of
the text: ``fault.offset == len(raw)``.
"""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from tapeview.tape.json_fault import (
    Buffer,
    JsonFault,
    fault_after_value,
    fault_at_end,
    fault_at_value,
)
from tapeview.tape.json_runs import (
    ATOM,
    DEEP,
    STRING,
    always,
    blank,
    past_closers,
    past_openers,
    pattern,
    run_in_array,
    run_in_object,
)

__all__ = [
    "Buffer",
    "JsonFault",
    "Span",
    "array_spans",
    "decode_text",
    "elements",
    "loads",
    "locate",
    "members",
    "skip_blank",
    "skip_value",
    "split_values",
    "unquote",
]

_MAX_DEPTH = 1000  # what the decoders below manage under Python's own recursion limit
_BY_DECODER = 64  # bytes left in the text from which on asking the decoder is worth it

_QUOTE, _COMMA, _COLON, _BACKSLASH = b'",:\\'
_OPEN_ARRAY, _CLOSE_ARRAY, _OPEN_OBJECT, _CLOSE_OBJECT = b"[]{}"

_lenient_json = json.JSONDecoder(strict=False).decode
_trailing = re.compile(r"trailing characters \(byte (\d+)\)").search
_atom = pattern(ATOM).match
_quote = pattern('"').search
_rest_of_string = pattern(STRING[1:]).match
_sound = always(r'(?:[^"]++|"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+")*+')


class Span(NamedTuple):
    """Bytes ``start`` to ``end`` (exclusive) of a text."""

    start: int
    end: int


def loads(raw: Buffer) -> object:
    """The value that the whole of ``raw`` spells.

    Integers come back exact, whatever their size: orjson would round those beyond 64 bits to
    floats, so it is not used. Lone surrogate escapes, NaN, infinities and invalid UTF-8 inside
    strings are read too, the last as U+FFFD. Of doubled keys the last wins.

    Raises JsonFault for everything else, nesting beyond about 1000 levels included.
    """
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return _loads_leniently(bytes(raw))


def _loads_leniently(raw: bytes) -> object:
    start = skip_blank(raw, 0)
    end = skip_blank(raw, _scan(raw, start, _MAX_DEPTH))
    if end != len(raw):
        raise fault_after_value(raw, end, None)
    try:
        value: object = json.loads(decode_text(raw))
    except RecursionError:
        raise JsonFault(start, "nested too deeply") from None
    except json.JSONDecodeError:
        reason = "a string holds a bare control character or an escape that JSON lacks"
        raise JsonFault(_sound(raw, 0).end(), reason) from None
    except ValueError:
        digits = sys.get_int_max_str_digits()
        raise JsonFault(start, f"a number in it has more than {digits} digits") from None
    return value


def decode_text(raw: Buffer) -> str:
    """The UTF-8 text of ``raw``; encoded surrogates are kept, other invalid bytes are U+FFFD."""
    try:
        return str(raw, "utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return str(raw, "utf-8", "replace")


def unquote(token: Buffer | str) -> str:
    """The decoded text of a string or key with its quotes; as written if its escapes are wrong."""
    try:
        return msgspec.json.decode(token, type=str)
    except (msgspec.DecodeError, UnicodeEncodeError):
        written = token if isinstance(token, str) else decode_text(token)
    try:
        return str(_lenient_json(written))
    except ValueError:
        return written[1:-1]


def skip_blank(raw: Buffer, pos: int) -> int:
    """The first offset from ``pos`` on that is no JSON blank."""
    return blank(raw, pos).end()


def _string_end(raw: Buffer, pos: int) -> int:
    """The end of the string whose opening quote is at ``pos``. Raises JsonFault if it has none."""
    quote = _quote(raw, pos + 1)
    if quote is not None:
        if raw[quote.start() - 1] != _BACKSLASH:
            return quote.end()
        rest = _rest_of_string(raw, pos + 1)
        if rest is not None:
            return rest.end()
    raise JsonFault(len(raw), "the text ends inside a string")


def skip_value(raw: Buffer, pos: int) -> int:
    """The end of the value that begins at ``pos``; blanks before it are passed over.

    Raises JsonFault at the offset where the text stops making sense.
    """
    pos = skip_blank(raw, pos)
    if len(raw) - pos >= _BY_DECODER and raw[pos] in (_OPEN_OBJECT, _OPEN_ARRAY):
        rest = memoryview(raw)[pos:]
        end = _past_value(rest, _COUNTED_FROM)
        while end > 0:
            tail = bytes(rest[max(0, end - 4096) : end])
            if kept := len(tail.rstrip(b" \t\n\r")):
                return pos + end - len(tail) + kept
            end -= len(tail)
    return _scan(raw, pos, sys.maxsize)


def _past_value(rest: Buffer, counted_from: int) -> int:
    """Where the text after the value that begins ``rest`` begins; -1 if msgspec refuses it.

    Ten times faster than scanning: msgspec's complaint of the text after a value tells its place.
    """
    try:
        msgspec.json.decode(rest, type=msgspec.Raw)
    except RecursionError:
        return -1
    except msgspec.DecodeError as error:
        told = _trailing(str(error))
        return int(told[1]) - counted_from if told else -1
    return len(rest)


_COUNTED_FROM = _past_value(b"[]x", 0) - 2


def _scan(raw: Buffer, pos: int, max_depth: int) -> int:
    """The end of the value that begins exactly at ``pos``."""
    size = len(raw)
    closers = bytearray()
    while True:
        byte = raw[pos] if pos < size else -1
        if byte == _QUOTE:
            pos = _string_end(raw, pos)
        elif byte in (_OPEN_OBJECT, _OPEN_ARRAY):
            if len(closers) == max_depth:
                raise JsonFault(pos, "nested too deeply")
            if len(closers) > DEEP and max_depth == sys.maxsize:
                pos = past_openers(raw, pos, closers)
                byte = raw[pos]
            closer = byte + 2  # in ASCII a closing bracket stands two places after its opening one
            pos = skip_blank(raw, pos + 1)
            if pos < size and raw[pos] == closer:
                pos += 1
            else:
                closers.append(closer)
                if closer == _CLOSE_OBJECT:
                    _, pos = _past_key(raw, pos)
                continue
        else:
            atom = _atom(raw, pos)
            if atom is None:
                raise fault_at_value(raw, pos, closers[-1] if closers else None)
            pos = atom.end()
        while closers:
            closer = closers[-1]
            pos = (run_in_object if closer == _CLOSE_OBJECT else run_in_array)(raw, pos).end()
            byte = raw[pos] if pos < size else -1
            if byte == _COMMA:
                pos = skip_blank(raw, pos + 1)
                if closer == _CLOSE_OBJECT:
                    _, pos = _past_key(raw, pos)
                break
            if byte != closer:
                raise fault_after_value(raw, pos, closer)
            if len(closers) > DEEP:
                pos = past_closers(raw, pos, closers)
            else:
                closers.pop()
                pos += 1
        else:
            return pos


def _past_key(raw: Buffer, pos: int) -> tuple[int, int]:
    """The end of the key that must begin at ``pos``, and the start of the value after its colon."""
    wanted = "a key in quotes"
    if pos < len(raw) and raw[pos] == _QUOTE:
        end = _string_end(raw, pos)
        pos = skip_blank(raw, end)
        if pos < len(raw) and raw[pos] == _COLON:
            return end, skip_blank(raw, pos + 1)
        wanted = "a colon"
    if pos >= len(raw):
        raise fault_at_end(raw, _CLOSE_OBJECT)
    raise JsonFault(pos, f"{wanted} should stand here")


def elements(raw: Buffer, pos: int) -> Iterator[Span]:
    """Each element of the array that opens at ``pos``, in order.

    Yields all that stand before damage, then raises JsonFault.
    """
    pos = _past_opening(raw, pos, _OPEN_ARRAY, "an array should open here")
    while pos >= 0:
        end = skip_value(raw, pos)
        yield Span(pos, end)
        pos = _next_member(raw, end, _CLOSE_ARRAY)


def members(raw: Buffer, pos: int) -> Iterator[tuple[str, Span]]:
    """Each member of the object that opens at ``pos``: its decoded key and the span of its value.

    Doubled keys come as often as they are written. Yields all that stand before damage, then
    raises JsonFault.
    """
    pos = _past_opening(raw, pos, _OPEN_OBJECT, "an object should open here")
    while pos >= 0:
        key_end, start = _past_key(raw, pos)
        end = skip_value(raw, start)
        yield unquote(raw[pos:key_end]), Span(start, end)
        pos = _next_member(raw, end, _CLOSE_OBJECT)


def _past_opening(raw: Buffer, pos: int, opening: int, missing: str) -> int:
    """Where the first member begins; -1 if there is none."""
    pos = skip_blank(raw, pos)
    if pos >= len(raw) or raw[pos] != opening:
        raise JsonFault(pos, missing)
    pos = skip_blank(raw, pos + 1)
    return -1 if pos < len(raw) and raw[pos] == opening + 2 else pos


def _next_member(raw: Buffer, pos: int, closer: int) -> int:
    """Where the member after the value that ends at ``pos`` begins; -1 if it was the last."""
    pos = skip_blank(raw, pos)
    byte = raw[pos] if pos < len(raw) else -1
    if byte == _COMMA:
        return skip_blank(raw, pos + 1)
    if byte != closer:
        raise fault_after_value(raw, pos, closer)
    return -1


def array_spans(raw: Buffer, pos: int) -> tuple[list[Span], JsonFault | None]:
    """All elements of the array that opens at ``pos``, and the fault that stopped it, if any.

    The same as ``elements``, several times faster where msgspec takes the array.
    """
    pos = skip_blank(raw, pos)
    fast = _spans_by_decoder(raw, pos)
    if fast is not None:
        return fast, None
    spans: list[Span] = []
    try:
        spans.extend(elements(raw, pos))
    except JsonFault as fault:
        return spans, fault
    return spans, None


def _spans_by_decoder(raw: Buffer, pos: int) -> list[Span] | None:
    """The elements by the sizes of msgspec's pieces: only blanks and commas stand between them."""
    try:
        end = skip_value(raw, pos)
        pieces = msgspec.json.decode(memoryview(raw)[pos:end], type=list[msgspec.Raw])
    except (JsonFault, msgspec.DecodeError, RecursionError):
        return None
    spans: list[Span] = []
    pos += 1
    for piece in pieces:
        if raw[pos] <= 32:
            pos = skip_blank(raw, pos)
        end = pos + memoryview(piece).nbytes
        spans.append(Span(pos, end))
        pos = end + 1
        if raw[end] != _COMMA:
            pos = skip_blank(raw, end) + 1
    return spans


def split_values(raw: Buffer) -> Iterator[Span]:
    """Value after value in a text that holds several, such as two objects on one line.

    Yields all whole values before damage, then raises JsonFault.
    """
    pos = skip_blank(raw, 0)
    while pos < len(raw):
        end = skip_value(raw, pos)
        yield Span(pos, end)
        pos = skip_blank(raw, end)


def locate(raw: Buffer, path: Sequence[str | int]) -> Span:
    """The value at ``path``: keys of objects and indexes of arrays. Of doubled keys the last wins.

    Raises LookupError with a sentence if there is no such place, JsonFault if damage hides it.
    """
    start = skip_blank(raw, 0)
    span = Span(start, len(raw) if path else skip_value(raw, start))
    for depth, step in enumerate(path):
        found = _member_at(raw, span.start, step)
        if found is None:
            place = ".".join(map(str, path[:depth])) or "the top"
            what = f"no element {step}" if isinstance(step, int) else f'no member "{step}"'
            raise LookupError(f"{place} has {what}")
        span = found
    return span


def _member_at(raw: Buffer, pos: int, step: str | int) -> Span | None:
    opening = raw[pos] if pos < len(raw) else -1
    if isinstance(step, str) and opening == _OPEN_OBJECT:
        return dict(members(raw, pos)).get(step)
    if isinstance(step, int) and opening == _OPEN_ARRAY and step >= 0:
        return next(islice(elements(raw, pos), step, None), None)
    return None
