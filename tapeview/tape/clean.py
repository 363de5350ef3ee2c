"""Everything untrusted passes through here before any widget, terminal or pipe sees it.

Nothing of a tape may act on the terminal: no escape sequence, no bidi mark that turns a row
around, no invisible sign that hides text. Textual and Rich let all of these through. So each
becomes something to look at: one ``¤`` in a row, its spelling in the block pane.

Dangerous are controls (C0, DEL, C1), bidi and other format marks, blank or zero-width letters,
variation selectors, tags, surrogates and noncharacters. Private use stays: many fonts draw it.

Widths follow what Rich 15 paints, so that columns fit. Signs whose width terminals disagree on
(U+FE0F, U+20E3 and skin tones: 1, 2 or 4 cells) are dropped from rows and spelled in the pane.
"""

import re
import unicodedata
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

__all__ = ["BREAK", "CONTROL", "cells", "clean_line", "cut", "pad", "printable", "visible"]

BREAK = "¶"
CONTROL = "¤"

_DANGEROUS = (
    r"\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U00013430-\U0001343f"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
) + "".join(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(1, 17))
_UNSTEADY = r"\u20e3\U0001f3fb-\U0001f3ff"

# The look at the first character spares ASCII, most of all text, the walk through a long class.
_dangerous = re.compile(f"(?![ -~])[{_DANGEROUS}]")
_spelled = re.compile(f"(?![ -~])[{_DANGEROUS}{_UNSTEADY}]")
_dropped = re.compile(rf"[\ufe0f{_UNSTEADY}]")
_blanks = re.compile(r"[ \t]{2,}|\t")
_breaks = re.compile(r" ?\r?\n(?: |\r?\n)*+")
# A whole CSI sequence, a whole string sequence (OSC, DCS, SOS, PM, APC), or one sign or tab.
_shown = re.compile(
    r"(?![ -~])(?:(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]"
    r"|(?:\x1b[]PX^_]|[\x90\x98\x9d-\x9f])[^\x00-\x1f\x7f-\x9f]*+(?:\x07|\x1b\\|\x9c)"
    f"|[{_DANGEROUS}{_UNSTEADY}])"
)
# All but letters and signs that are surely one cell wide.
_measured = re.compile(r"[^ -~\xa0-\u02ff\u0370-\u0482\u2010-\u2027\u2500-\u25fc\u2800-\u28ff]")

_TAB_STOP = 8
_SEEK = 64
_NAMED = {"\n": r"\n", "\r": r"\r"}
# Jamo that join the syllable before them.
_JOINING = ((0x1160, 0x11FF), (0xD7B0, 0xD7FF))
# Wide in Unicode 16 and 17, which Rich follows; the unicodedata of older Pythons lacks that.
_WIDE = (
    (0x2630, 0x2637),
    (0x268A, 0x268F),
    (0x4DC0, 0x4DFF),
    (0x17000, 0x18DFF),
    (0x1D300, 0x1D376),
    (0x1F6D8, 0x1F6DF),
    (0x1FA70, 0x1FAFF),
    (0x20000, 0x3FFFD),
)


def clean_line(text: str, limit: int | None = None) -> str:
    """``text`` as one line for a row.

    Runs of blanks and tabs become one blank, runs of line breaks become ``¶`` with a blank on
    each side, blanks and breaks at the ends go. Each dangerous character becomes one ``¤``.

    With ``limit`` the result has at most so many characters and the cost depends on the limit
    alone, not on the text. A limit above the cells to be painted lets ``cut`` see that there is
    more. Text behind a run of blanks of 64 times the limit is not looked for.
    """
    if limit is None:
        return _cleaned(text)
    if len(text) <= limit:
        return _cleaned(text)[:limit].rstrip(" ")
    size = 2 * limit
    line = _cleaned(_head(text, size))
    while len(line) < limit and size < min(len(text), _SEEK * limit):
        size *= 4
        line = _cleaned(_head(text, size))
    return line[:limit].rstrip(" ")


def _head(text: str, size: int) -> str:
    # A break of two characters stays whole.
    return text[: size + text.startswith("\r\n", size - 1)]


def _cleaned(text: str) -> str:
    if text.isascii():
        if text.isprintable():
            return (_blanks.sub(" ", text) if "  " in text else text).strip(" ")
        if text.replace("\n", "").replace("\t", "").isprintable():
            # Most texts that are more than a line; the patterns below take four times as long.
            lines = [" ".join(line.split()) for line in text.split("\n")]
            return f" {BREAK} ".join(filter(None, lines))
    else:
        text = _dropped.sub("", text)
    text = _breaks.sub("\n", _blanks.sub(" ", text)).strip(" \n")
    return _dangerous.sub(CONTROL, text.replace("\n", f" {BREAK} "))


def visible(text: str, column: int = 0) -> list[tuple[bool, str]]:
    r"""``text``, one line, as alternating runs: ``(it spells controls, what to paint)``.

    Controls are spelled ``\x1b[31m`` (a whole sequence), ``\r``, ``\x07``, ``\x9b``; all other
    dangerous characters ``<U+202E>``. Tabs become blanks up to the next multiple of 8 cells, the
    line beginning at cell ``column``.
    """
    if text.isascii() and text.isprintable():
        return [(False, text)] if text else []
    pieces: list[tuple[bool, str]] = []
    done = 0
    has_tabs = "\t" in text
    for match in _shown.finditer(text):
        start, end = match.span()
        plain = text[done:start]
        pieces.append((False, plain))
        done = end
        token = match[0]
        if token == "\t":
            column += cells(plain)
            token = " " * (_TAB_STOP - column % _TAB_STOP)
            column += len(token)
            pieces.append((False, token))
            continue
        token = _spelled.sub(_spelling, token)
        pieces.append((True, token))
        if has_tabs:
            column += cells(plain) + cells(token)
    pieces.append((False, text[done:]))
    runs = groupby((piece for piece in pieces if piece[1]), key=itemgetter(0))
    return [(controls, "".join(part for _, part in run)) for controls, run in runs]


def _spelling(match: re.Match[str]) -> str:
    code = ord(match[0])
    return _NAMED.get(match[0]) or (f"\\x{code:02x}" if code < 0xA0 else f"<U+{code:04X}>")


def printable(text: str) -> str:
    r"""``text`` as ``visible`` spells it, line breaks as ``\n``: one line that is safe to print.

    For names, ids, paths, sentences of errors and lines of the outline.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(part for _, part in visible(text))


def cells(text: str) -> int:
    """How many terminal cells clean ``text`` takes: wide signs 2, combining marks 0."""
    if text.isascii():
        return len(text)
    unsure = _measured.findall(text)
    return len(text) - len(unsure) + sum(map(_width, unsure))


@lru_cache(maxsize=4096)
def _width(char: str) -> int:
    code = ord(char)
    category = unicodedata.category(char)
    if category[0] == "M" or any(low <= code <= high for low, high in _JOINING):
        return 0
    # Up to Python 3.12 unicodedata calls everything unassigned wide.
    if category != "Cn" and unicodedata.east_asian_width(char) in "WF":
        return 2
    return 2 if any(low <= code <= high for low, high in _WIDE) else 1


def cut(text: str, width: int, ellipsis: str = "…") -> str:
    """Clean ``text`` in at most ``width`` cells; what is cut ends in ``ellipsis`` (one cell).

    Never cut inside a wide sign or between a letter and its combining marks.
    """
    if width <= 0:
        return ""
    if text.isascii():
        return text if len(text) <= width else text[: width - 1] + ellipsis
    used = kept = 0
    for index, char in enumerate(text, start=1):
        used += _width(char)
        if used > width:
            return text[:kept] + ellipsis
        if used < width:
            kept = index
    return text


def pad(text: str, width: int) -> str:
    """Clean ``text`` with blanks after it up to ``width`` cells; longer text stays as it is."""
    return text + " " * (width - cells(text))
