"""What the lines of the main screen say: header, titles, status, footer."""

from collections.abc import Iterator

from tapeview.commands import COMMANDS
from tapeview.looks.changes import unsaved_words
from tapeview.looks.heading import (
    counter_words,
    heading_of,
    progress_of,
    size_bars,
    tally_of,
)
from tapeview.looks.knew import Knew
from tapeview.tape.clean import printable
from tapeview.tape.sizes import count, size_long
from tapeview.tui.paint import cells_of
from tapeview.tui.screens.main_moves import MovingScreen
from tapeview.tui.widgets.bars import Parts, spread

__all__ = ["api_line", "footer", "header", "problems_title", "status", "tabs", "timeline_title"]

WIDE = 190
BAR = 15
"""Cells of the bar that says how far the file is read."""
DROPPED = (
    *("diff", "editor", "copy", "quit", "undo", "delete", "save"),
    *("knew", "tapes", "pane", "replay", "edit"),
)
"""Words that leave the footer first where it is too long; then the others from the right, help
never."""
STYLES = {"error": "error bold", "warning": "warn bold", "suspicion": "suspicion bold"}


def header(screen: MovingScreen, y: int, width: int) -> Parts:
    """Line 0: the session and its findings. Line 1: the verdict and the sizes sent."""
    return _session_line(screen, width) if y == 0 else _verdict_line(screen, width)


def _session_line(screen: MovingScreen, width: int) -> Parts:
    glyphs = screen.glyphs
    wide = screen.side_by_side
    heading = heading_of(screen.snapshot, wide=width >= WIDE)
    right = _tally(screen, long=wide)
    if unsaved := screen.opened.log.unsaved:
        words = unsaved_words(unsaved) if wide else f"{screen.glyphs.edited} {unsaved}"
        right = [(f"{words}   ", "muted"), *right]
    if not screen.snapshot.settled:
        right = [] if screen.query_one("#header").size.height > 1 else _progress(screen)
    room = width - sum(cells_of(text) for text, _ in right) - 2
    facts = list(heading.facts)
    if not wide and screen.snapshot.session.frame.model:
        facts.pop(1)
    folder = f"  {heading.folder}" if wide and heading.folder else ""
    gap = "   " if wide else "  "
    dot = f" {glyphs.separator} "
    while facts and cells_of(f" {heading.name}{folder}{gap}{dot.join(facts)}") > room:
        if len(facts) > 1:
            facts.pop()
        elif folder:
            folder = ""
        else:
            facts = []
    left: Parts = [(f" {heading.name}", "title"), (folder, "muted")]
    if facts:
        left.append((f"{gap}{dot.join(facts)}", "muted"))
    return spread(left, right, width)


def _tally(screen: MovingScreen, long: bool) -> Parts:
    glyphs = screen.glyphs
    signs = {"error": glyphs.error, "warning": glyphs.warning, "suspicion": glyphs.suspicion}
    found = tally_of(screen.snapshot)
    if not found:
        return [("no problems ", "result bold")]
    parts: Parts = []
    for entry in found:
        words = entry.words if long else entry.short
        parts.append((f"{signs[entry.severity]} {words}", STYLES[entry.severity]))
        parts.append(("  ", "fg"))
    return [*parts[:-1], (" ", "fg")]


def _verdict_line(screen: MovingScreen, width: int) -> Parts:
    glyphs = screen.glyphs
    if not screen.snapshot.settled:
        return spread([], _progress(screen), width)
    row = screen.row
    bars, largest = size_bars(screen.snapshot, row.after if row is not None else 0)
    right: Parts = []
    if bars:
        tones = {"plain": "lane", "error": "error", "warning": "warn", "current": "accent"}
        right.append(("sent ", "muted"))
        right += [(glyphs.sizes[bar.eighths - 1], tones[bar.tone]) for bar in bars]
        right.append((f" {size_long(largest)} ", "muted"))
    origin = screen.origin
    words = origin.sentence if origin is not None else screen.snapshot.verdict
    return spread([(f" {printable(words)}", "fg")], right, width)


def _progress(screen: MovingScreen) -> Parts:
    """``62 of 102 MB`` and a bar."""
    progress, glyphs = progress_of(screen.snapshot), screen.glyphs
    if progress is None:
        return []
    full = int(progress.share * BAR)
    return [
        (f"{progress.words} ", "muted"),
        (glyphs.bar_done * full, "accent"),
        (f"{glyphs.bar_left * (BAR - full)} ", "line"),
    ]


def _title_mark(screen: MovingScreen, focused: bool) -> Parts:
    return [(screen.glyphs.cursor if focused else " ", "accent")]


def _counter(screen: MovingScreen) -> Parts:
    """The turn under the cursor, and the rest of the step counter."""
    row = screen.row
    turn, rest = counter_words(screen.snapshot, row.after if row is not None else 0)
    turn = turn.replace("…", screen.glyphs.cut)
    rest = rest.replace("·", screen.glyphs.separator)
    return [(turn, "title"), (f"{rest} ", "muted")]


def timeline_title(screen: MovingScreen, width: int) -> Parts:
    """``▌ main`` and the step counter."""
    focused = screen.timeline.is_lively
    style = "title-focus" if focused else "title"
    snapshot, only = screen.snapshot, (_only(screen), "muted")
    if isinstance(snapshot, Knew):
        title, sizes = snapshot.words
        sizes = sizes.replace("·", screen.glyphs.separator)
        right: Parts = [(f"{sizes} ", "muted")]
        return spread([*_title_mark(screen, focused), (f" {title}", style), only], right, width)
    names = map(printable, screen.trail)
    left = [*_title_mark(screen, focused), (f" {f' {screen.glyphs.inside} '.join(names)}", style)]
    right = _counter(screen)
    if screen.app.size.width >= WIDE:
        right.append((f"    {'time':<8}{'line':>7}{'bytes':>6}  ", "muted"))
    origin = (
        [(f" {screen.glyphs.separator} {screen.origin.short}", "muted")] if screen.origin else []
    )
    used = sum(cells_of(text) for text, _ in (*left, *origin, only, *right))
    return spread([*left, *(origin if used < width else []), only], right, width)


def _only(screen: MovingScreen) -> str:
    """`` · 31 of 412 rows`` where only some are shown, `` · settling`` while they are read,
    `` · following``.
    """  # noqa: D205
    words = screen.timeline.only_words
    if not screen.snapshot.settled:
        words = "not settled" if screen.opened.is_stuck else "settling"
    screen.shown_words = follows = screen.follow_words
    if not screen.side_by_side:
        follows = follows.partition(":")[0]
    return "".join(f" {screen.glyphs.separator} {each}" for each in (words, follows) if each)


def tabs(screen: MovingScreen, width: int) -> Parts:
    """One line for all panes, where only one of them fits."""
    left: Parts = [(screen.glyphs.cursor, "accent")]
    faults = len(screen.problems.loud)
    knew = isinstance(screen.snapshot, Knew) and f"knew at turn {screen.snapshot.number}"
    names = {"timeline": (knew or printable(screen.trail[-1])) + _only(screen)}
    side = screen.side
    names |= {str(side.id): side.words} if side is not None else {"block": "block"}
    none = "none" if screen.snapshot.settled else screen.glyphs.cut
    names["problems"] = f"problems {faults or none}"
    for pane, name in names.items():
        left.append((f" {name}  ", "title-focus" if pane == screen.pane else "muted"))
    right = _counter(screen)
    if screen.pane == "block":
        right = screen.block.title_parts()
    elif side is not None and screen.pane == side.id:
        right = side.figures or right
    return spread(left, right, width)


def problems_title(screen: MovingScreen, width: int) -> Parts:
    """``problems 5``, or how much was looked at."""
    focused = screen.focused is screen.problems
    style = "title-focus" if focused else "title"
    faults = len(screen.problems.loud)
    left: Parts = [*_title_mark(screen, focused), (" problems ", style)]
    none = "none" if screen.snapshot.settled else screen.glyphs.cut
    left.append((str(faults), "title") if faults else (none, "muted"))
    right: Parts = []
    if not faults and screen.snapshot.settled:
        rules = count(screen.snapshot.rules_looked, "rule")
        messages = count(len(screen.snapshot.index.messages), "message")
        right = [(f"{rules} looked at {messages} ", "muted")]
    return spread(left, right, width)


def api_line(screen: MovingScreen, width: int) -> Parts:
    """What the API would say of the selected finding."""
    finding = screen.problems.finding
    if finding is None:
        return []
    room = max(0, width - 18)
    message = printable(finding.api_message)
    if cells_of(message) > room:
        message = message[: max(0, room - 1)] + screen.glyphs.cut
    return [("  API would say  ", "muted"), (message, "quote")]


def status(screen: MovingScreen, width: int) -> Parts:
    """The finding at the cursor, where the problems pane is out of sight; else the call that
    started a sub-agent, on its first message.
    """  # noqa: D205
    if screen.pane not in ("timeline", "block"):
        return []
    findings = screen.findings_here()
    if not findings:
        started = screen.started
        call = (f" {screen.glyphs.call} ", "call")
        return [call, *((text, style) for style, text in started.line.parts)] if started else []
    finding = findings[0]
    glyphs = screen.glyphs
    sign, style = {
        "error": (glyphs.error, "error bold"),
        "warning": (glyphs.warning, "warn bold"),
        "suspicion": (glyphs.suspicion, "suspicion bold"),
    }.get(finding.severity, (glyphs.pending_end, "pending"))
    parts: Parts = [(f" {sign} {finding.rule.code}", style)]
    parts.append((f"  {printable(finding.sentence)}", "fg"))
    return spread(parts, [], width)


def _shown_keys() -> Iterator[tuple[str, str]]:
    """Keys and words of the footer."""
    for entry in COMMANDS:
        if entry.footer:
            yield entry.footer_keys or entry.show, entry.footer


def footer(screen: MovingScreen, width: int) -> Parts:
    """Keys that work here, and a message at the right end."""
    words, style = screen.message
    right: Parts = [(f"  {words} ", style)] if words else []
    room = width - sum(cells_of(text) for text, _ in right) - 1
    entries = list(screen.keys_here or _shown_keys())
    rest = [word for _, word in reversed(entries) if word != "help"]
    for dropped in (*DROPPED, *rest):
        if sum(cells_of(keys) + len(word) + 3 for keys, word in entries) - 1 <= room:
            break
        entries = [entry for entry in entries if entry[1] != dropped]
    left: Parts = [(" ", "fg")]
    for keys, word in entries:
        left += [(keys, "keycap"), (f" {word}  ", "muted")]
    return spread(left, right, width)
