"""What one looks for: plain text or a regular expression, filter words, and where it stands.

Plain text in lower case fits any case, else it fits as it is typed; so do regular expressions. A
regular expression is matched line by line, as the block pane shows lines, and an empty match is no
match. In a line of more than 20,000 characters it looks at overlapping windows, so there a match
of more than 2,000 characters may be missed.

Python's ``re`` cannot be told to stop, but it does let signal handlers run while it matches. So
each piece of work has some processor time, and is left where it takes more (``TooSlow``). That
works in the main thread, where the screen runs; elsewhere the time has no bound.
"""

import re
import signal
import threading
import warnings
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Final, TypeAlias, TypeVar

__all__ = [
    "FILTERS",
    "Filter",
    "Query",
    "Span",
    "TooSlow",
    "line_spans",
    "parse",
    "spans",
    "unspelled",
    "within",
]

Span: TypeAlias = tuple[int, int]
Filter: TypeAlias = tuple[str, str]
_T = TypeVar("_T")

FILTERS: Final = {
    "is": frozenset({"error", "problem", "prompt"}),
    "role": frozenset({"user", "assistant", "system", "developer", "tool", "function"}),
    "tool": frozenset[str](),
}
"""Filter words and what may follow their colon; anything may where the set is empty."""

PATIENCE: Final = 0.1
"""Seconds of processor time for one piece of a text."""
BRIEF: Final = 0.02
"""The same where places are looked for, to paint them."""
SECOND: Final = 1_000.0
"""The interval of the timer from its second signal on: never waited for."""
WINDOW: Final = 20_000
"""Characters of a long line that a regular expression is given at a time."""
STEP: Final = 18_000
"""Characters from one such window to the next."""
GROUP: Final = 64_000
"""Characters of short lines that are looked at between two breathing points."""
MARKED: Final = 1_000_000
"""Characters of one line in which ``line_spans`` looks."""
QUOTED: Final = frozenset({"key", "string"})
"""Styles of the parts of JSON that spell quotes, backslashes and tabs."""

_token = re.compile(r'(\s*)(?:"([^"]*)"(?!\S)|([a-z]+):"([^"]+)"(?!\S)|(\S+))').match
_filter = re.compile(r'([a-z]+):([^\s"]+)').fullmatch
_unheld = re.compile(r"[^ -~]|[\"\\]|\[\]|\{\}")
_escaped_ascii = re.compile(rb"\\u00[2-7]").search
_spelling = re.compile(r'\\([\\"t])')
_no_letters = re.compile(r"\\(?:x..|u....|U.{8}|N\{[^}]*\}|.)|\(\?P(?:<\w*>|=\w*\))", re.DOTALL).sub


class TooSlow(Exception):  # noqa: N818 - reads as what happened
    """A regular expression took more time on a piece of text than it is given."""


def within(seconds: float, work: Callable[[], _T]) -> _T:
    """The result of ``work``. Raises ``TooSlow`` after so many seconds of processor time.

    Only code of this module is interrupted: an error in somebody's finalizer would be lost.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    # It stays installed: one that is taken away too early would let a late signal end the program.
    if signal.getsignal(signal.SIGVTALRM) is not _stop:
        signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds / 2, seconds / 2)
    try:
        try:
            return work()
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except TooSlow:
        # The signal may have come just before the timer was stopped.
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        raise


def _stop(number: int, frame: FrameType | None) -> None:
    """The timer's interval tells the second signal from the first, and one that comes too late."""
    del number
    interval = signal.getitimer(signal.ITIMER_VIRTUAL)[1]
    if not interval:
        return
    if interval < SECOND:
        # A pause of the garbage collector may have taken the time: it takes it once.
        signal.setitimer(signal.ITIMER_VIRTUAL, interval, SECOND)
    elif frame is None or frame.f_code.co_filename != _stop.__code__.co_filename:
        signal.setitimer(signal.ITIMER_VIRTUAL, BRIEF, SECOND)
    else:
        raise TooSlow


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for.

    ``text`` is the plain text or the regular expression that is left when the filter words are
    taken away, ``fault`` what is wrong with it, in a few words.
    """

    text: str = ""
    filters: tuple[Filter, ...] = ()
    regex: bool = False
    fault: str = ""
    any_case: bool = False
    pattern: re.Pattern[str] | None = None
    held: bytes = b""
    """ASCII that stands in the JSON of every text that fits, save for escapes; lower case with
    ``any_case``."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is looked for."""
        return not (self.text or self.filters)

    @property
    def only_filters(self) -> bool:
        """Whether rows are chosen by filter words alone."""
        return bool(self.filters) and not self.text

    def may_be_in(self, raw: bytes) -> bool:
        """False only for JSON whose texts surely do not fit; told without decoding it."""
        if not self.held or self.held in (raw.lower() if self.any_case else raw):
            return True
        if b"\\u00" in raw and _escaped_ascii(raw):
            return True
        return b"/" in self.held and b"\\/" in raw

    def look(self, text: str) -> Iterator[bool]:
        """Whether the text fits: False as long as nothing was found, True once and at the end.

        Each step is a breathing point. Raises ``TooSlow``.
        """
        if not self.regex:
            yield next(self._plain(text), None) is not None
            return
        for lines in _groups(text):
            if len(lines) > 1 or len(lines[0]) <= WINDOW:
                fits = within(PATIENCE, partial(self._fits, lines))
            else:
                fits = False
                for found in self._windows(lines[0], PATIENCE):
                    if found is not None:
                        fits = True
                        break
                    yield False
            yield fits
            if fits:
                return

    def spans(self, text: str) -> Iterator[Span]:
        """Where the text fits, in order. Stops early where that takes too long."""
        if not self.regex:
            yield from self._plain(text)
            return
        start = 0
        for line in text.split("\n"):
            try:
                for found in self._windows(line.removesuffix("\r"), BRIEF):
                    if found is not None:
                        yield start + found[0], start + found[1]
            except TooSlow:
                return
            start += len(line) + 1

    def _plain(self, text: str) -> Iterator[Span]:
        needle = self.text
        if not needle:
            return
        if self.any_case:
            if self.pattern is not None and not (text.isascii() and needle.isascii()):
                yield from (found.span() for found in self.pattern.finditer(text))
                return
            text = text.lower()
        start = text.find(needle)
        while start >= 0:
            yield start, start + len(needle)
            start = text.find(needle, start + len(needle))

    def _fits(self, lines: Sequence[str]) -> bool:
        """Whether one of some short lines fits."""
        if self.pattern is None:
            return False
        search, all_in = self.pattern.search, self.pattern.finditer
        return any(
            found.end() > found.start() or any(m.end() > m.start() for m in all_in(line))
            for line in lines
            if (found := search(line)) is not None
        )

    def _windows(self, line: str, seconds: float) -> Iterator[Span | None]:
        """Matches in one line, and None at each breathing point of a long one."""
        if self.pattern is None:
            return
        at, size = 0, len(line)
        for first in range(0, max(1, size - WINDOW + STEP), STEP):
            last = min(size, first + WINDOW)
            at = max(at, first)
            while at < last:
                span = within(seconds, partial(self._next, line, at, last))
                if span is None or (last < size and span[0] >= first + STEP):
                    break
                if span[1] > span[0]:
                    yield span
                at = max(span[1], span[0] + 1)
            yield None

    def _next(self, line: str, at: int, last: int) -> Span | None:
        """The next match from ``at`` on that begins before ``last``; it may be empty."""
        if self.pattern is None or (found := self.pattern.search(line, at, last)) is None:
            return None
        if found.end() == last < len(line):
            # The window's end is none of the text's: what asks for an end may be wrong here.
            again = self.pattern.match(line, found.start())
            return again.span() if again else (found.start(), found.start())
        return found.span()


def _groups(text: str) -> Iterator[list[str]]:
    """The lines of a text, a few thousand at a time; a long line comes alone."""
    start, size = 0, len(text)
    while start <= size:
        stop = size
        if size - start > GROUP:
            stop = text.rfind("\n", start, start + GROUP)
            if stop < 0:
                stop = text.find("\n", start + GROUP)
            stop = size if stop < 0 else stop
        part = text[start:stop]
        lines = part.replace("\r\n", "\n").removesuffix("\r").split("\n")
        if len(lines) > 1 and max(map(len, lines)) > WINDOW:
            yield from ([line] for line in lines)
        else:
            yield lines
        start = stop + 1


def spans(query: Query, text: str) -> list[Span]:
    """Every place where ``text`` fits, as (start, stop) in its characters."""
    return list(query.spans(text))


def unspelled(text: str) -> str:
    r"""A quoted part of pretty JSON with its ``\"``, ``\\`` and tabs as they are."""
    if "\\" not in text or text[:1] != '"':
        return text
    return _spelling.sub(lambda found: "\t" if found[1] == "t" else found[1], text)


def line_spans(
    query: Query, parts: Sequence[tuple[str, str]], bare: bool = False, limit: int | None = None
) -> list[Span]:
    """Places in a line of the block pane, counted through the texts of all its (style, text) parts.

    ``bare`` says that nothing in it is spelled with backslashes. With ``limit`` it ends with the
    first place at or behind that character. Only the first million characters are looked at.
    """
    shown = "".join(text for _, text in parts)[:MARKED]
    places: array[int] | None = None
    if not bare and "\\" in shown:
        shown, places = _read(parts)
    found: list[Span] = []
    for start, stop in query.spans(shown):
        if places is not None:
            start, stop = places[start], places[stop]
        found.append((start, stop))
        if limit is not None and start >= limit:
            break
    return found


def _read(parts: Sequence[tuple[str, str]]) -> tuple[str, "array[int]"]:
    """The parts with spellings undone, and where each character of that stands in the parts."""
    places, texts, at = array("L"), [], 0
    for style, text in parts:
        text = text[: max(0, MARKED - at)]
        read = unspelled(text) if style in QUOTED else text
        texts.append(read)
        done = 0
        if read != text:
            for found in _spelling.finditer(text):
                places.extend(range(at + done, at + found.start() + 1))
                done = found.end()
        places.extend(range(at + done, at + len(text)))
        at += len(text)
    places.append(at)
    return "".join(texts), places


# -- parsing ---------------------------------------------------------------------------------------


def parse(words: str, regex: bool = False) -> Query:
    """What ``words`` ask for. Never raises: ``fault`` says what is wrong.

    Filter words may stand anywhere: ``is:error``, ``role:user``, ``tool:Bash``, ``tool:"my tool"``.
    What looks like one and is none is text. What stands in quotes stays together and is text, the
    quotes taken away; quotes around a single word that is no filter are searched as they are.
    """
    texts: list[str] = []
    filters: list[Filter] = []
    at = 0
    while (token := _token(words, at)) is not None:
        at = token.end()
        blanks, quoted, key, value, plain = token.groups()
        asked = _asked(key, value) if key else _asked(*_split(plain or ""))
        if asked is not None:
            filters.append(asked)
            continue
        if quoted is not None:
            alone = quoted.split() == [quoted] and _asked(*_split(quoted)) is None
            plain = f'"{quoted}"' if alone else quoted
        elif key:
            plain = f'{key}:"{value}"'
        texts.append((blanks if texts else "") + (plain or ""))
    text = "".join(texts)
    return _regex_query(text, tuple(filters)) if regex else _plain_query(text, tuple(filters))


def _split(word: str) -> tuple[str, str]:
    found = _filter(word)
    return (found[1], found[2]) if found else ("", "")


def _asked(key: str, value: str) -> Filter | None:
    """The filter that the word is; None where it is none."""
    if not value or key not in FILTERS:
        return None
    return (key, value) if not FILTERS[key] or value in FILTERS[key] else None


def _plain_query(text: str, filters: tuple[Filter, ...]) -> Query:
    any_case = text == text.lower() != text.upper()
    pattern = re.compile("".join(map(_either, text))) if any_case else None
    return Query(text, filters, any_case=any_case, pattern=pattern, held=_held(text))


def _either(letter: str) -> str:
    """An ASCII letter fits itself alone, whatever Unicode folds to it; as bytes are compared."""
    if letter.isascii():
        return f"[{letter}{letter.upper()}]" if letter.isalpha() else re.escape(letter)
    return f"(?i:{letter})"


def _held(text: str) -> bytes:
    r"""The longest run of the text that JSON writes as it is, if not as ``\u0041``.

    Blanks, colons and commas at its ends may be those that stand between members on the screen.
    """
    runs = (run.strip(" :,") for run in _unheld.split(text))
    return max(runs, key=len, default="").encode("ascii")


def _regex_query(text: str, filters: tuple[Filter, ...]) -> Query:
    letters = _no_letters("", text)
    any_case = letters == letters.lower()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pattern = re.compile(text, re.IGNORECASE if any_case else re.NOFLAG) if text else None
    except (re.error, ValueError, OverflowError, RecursionError) as error:
        reason = error.msg if isinstance(error, re.error) else str(error)
        return Query(text, filters, regex=True, fault=reason.partition(",")[0], any_case=any_case)
    return Query(text, filters, regex=True, any_case=any_case, pattern=pattern)
