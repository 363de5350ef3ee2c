"""The recorded reply beside a new one: a line for each block, and what differs."""

from collections.abc import Iterator, Sequence
from typing import Final

from tapeview.calls.compare import Pair, Shown, compare, shown_blocks
from tapeview.calls.many import Tally
from tapeview.looks.block_record import BLANK, BodyLine, line_of
from tapeview.looks.reply import Mark, ReplyLine
from tapeview.tape.block import CALLS
from tapeview.tape.clean import clean_line, cut
from tapeview.tape.describe import SignName
from tapeview.tape.json_text import JsonFault
from tapeview.tape.sizes import count

__all__ = ["beside_lines", "recorded_lines", "tally_lines"]

WORDS: Final = 400
SHOWN: Final = 160
"""Cells of a recorded block."""


def recorded_lines(recorded: bytes | None, folder: str = "") -> list[ReplyLine]:
    """The recorded reply by itself, while the new one has not come."""
    if recorded is None:
        return [ReplyLine(line_of("muted", "nothing is recorded here: it is a call of its own"))]
    try:
        return [_line(shown, "") for shown in shown_blocks(recorded, folder)]
    except JsonFault:
        return [ReplyLine(line_of("error", "the recorded reply cannot be read"))]


def beside_lines(recorded: bytes | None, new: bytes, folder: str = "") -> list[ReplyLine]:
    """The recorded reply against the new one, block by block, then what differs in words."""
    if recorded is None:
        return recorded_lines(None)
    try:
        pairs = compare(recorded, new, folder)
    except JsonFault:
        return recorded_lines(recorded, folder)
    lines = [_pair_line(pair) for pair in pairs]
    if reasons := list(_reasons(pairs)):
        lines.append(ReplyLine(BLANK))
        lines += [ReplyLine(line_of("fg", words)) for words in reasons]
    elif pairs:
        lines += [ReplyLine(BLANK), ReplyLine(line_of("muted", "the same as recorded"))]
    return lines


def _pair_line(pair: Pair) -> ReplyLine:
    mark: Mark = "same" if pair.sameness == "same" else "differs"
    if pair.recorded is not None:
        return _line(pair.recorded, mark)
    kind = pair.new.kind if pair.new is not None else ""
    words = f"no {clean_line(kind.replace('_', ' '), 40)} block"
    return ReplyLine(line_of("muted", words), _sign(kind), mark)


def _line(shown: Shown, mark: Mark) -> ReplyLine:
    name = shown.name or ("" if shown.kind in ("text", "thinking") else shown.kind)
    style = "think" if shown.kind == "thinking" else "muted"
    parts = ((("call bold", f"{clean_line(name, 80)}  "),) if name else ()) + (
        (style, cut(clean_line(shown.gist, WORDS), SHOWN)),
    )
    return ReplyLine(BodyLine(parts), _sign(shown.kind), mark)


def _sign(kind: str) -> SignName:
    if kind in ("text", "thinking"):
        return "text" if kind == "text" else "thinking"
    return "call" if kind in CALLS else "unknown"


def _reasons(pairs: Sequence[Pair]) -> Iterator[str]:
    for pair in pairs:
        if not pair.reason:
            continue
        lines = f" (+{pair.added} -{pair.removed} lines)" if pair.added + pair.removed > 2 else ""
        yield pair.reason + lines


def tally_lines(tally: Tally, times: int) -> Iterator[ReplyLine]:
    """How often each decision came, the most frequent first; then what failed."""
    for choice in tally.choices:
        mark: Mark = "same" if choice.is_recorded else "differs"
        share = f"{choice.count} of {times}"
        for number, (name, given) in enumerate(choice.decision.calls):
            parts = (
                ("title", share if not number else " " * len(share)),
                ("call bold", f"  {name}"),
            )
            words = clean_line(given, WORDS)
            yield ReplyLine(
                BodyLine((*parts, ("fg", f"  {words}"))), "call", "" if number else mark
            )
        if not choice.decision.calls:
            words = clean_line(choice.decision.text, WORDS) or "(nothing said)"
            yield ReplyLine(BodyLine((("title", share), ("fg", f"  {words}"))), "text", mark)
    if tally.recorded is not None and not any(choice.is_recorded for choice in tally.choices):
        yield ReplyLine(line_of("muted", "the recorded decision did not come"))
    if tally.failures:
        yield ReplyLine(line_of("warn", f"{count(len(tally.failures), 'call')} failed"))
        for sentence in dict.fromkeys(trouble.sentence for trouble in tally.failures):
            yield ReplyLine(line_of("warn", clean_line(sentence, WORDS)))
