"""What the lines of the picker say: header, search line, the session under the cursor, footer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Final

from tapeview.commands import PICKER_COMMANDS
from tapeview.picker.cache import BROKEN_LINKS, AgentFaults, Checked
from tapeview.picker.sessions import HARNESSES, PROMPT, Listed
from tapeview.picker.words import span_words, stamp_ago
from tapeview.tape.clean import cells, clean_line, cut, printable
from tapeview.tape.sizes import count, size_long, thousands
from tapeview.tui.glyphs import Glyphs
from tapeview.tui.paint import Piece, wrap_spans
from tapeview.tui.screens.picker_lines import BROKEN, Known, Mark
from tapeview.tui.screens.picker_list import column_heads, mark_parts, shown_parts
from tapeview.tui.widgets.bars import Parts, spread

__all__ = ["about", "footer", "header", "search_line"]

BAR: Final = 20
"""Cells of the bar of progress."""
WITH_BAR: Final = 100
WITH_WORDS: Final = 60
"""Columns from which on the header says more than signs and figures."""
PLACEHOLDER: Final = "type to search projects and first prompts"
SENTENCE_LINES: Final = 3
"""Lines that the sentence about a sample may take."""
TONES: Final[Mapping[str, str]] = {"e": "error", "w": "warn"}
LOUDNESS: Final[Mapping[str, str]] = {
    "chip": "chip",
    "error": "error",
    "warn": "warn",
    "pending": "pending",
}
SIGN_STYLES: Final[Mapping[str, tuple[str, str]]] = {
    "thinking": ("think plain", "think"),
    "call": ("call", "call"),
    "result": ("result", "result"),
    "error_result": ("error", "error"),
    "image": ("result", "result"),
    "document": ("result", "result"),
    "unknown": ("warn", "warn"),
    "error": ("error bold", "fg"),
}
"""Styles of a block's sign and of its tool's name."""


def header(known: Known, shown: int, glyphs: Glyphs, width: int) -> Parts:
    """How many sessions there are, how many of them are shown, and how far the check is."""
    total = len(known.sessions)
    names = {session.harness for session in known.sessions}
    words = count(total, "session")
    if shown != total:
        words = f"{thousands(shown)} of {words}"
    whose = ""
    if len(names) == 1:
        whose = next((f" of {entry.title}" for entry in HARNESSES if entry.name in names), "")
    elif names:
        whose = f" of {count(len(names), 'harness', 'harnesses')}"
    right = _progress(known, glyphs, width)
    room = width - sum(cells(text) for text, _ in right) - len(" tapeview  ")
    ways = (f"{words}{whose} on this machine", words + whose, words)
    shown_words = next((way for way in ways if len(way) <= room), "")
    return spread([(" tapeview", "title-focus"), (f"  {shown_words}", "muted")], right, width)


def _progress(known: Known, glyphs: Glyphs, width: int) -> Parts:
    total = len(known.sessions)
    done = total - known.unchecked
    if done == total:
        return _broken(known, glyphs, in_words=width >= WITH_WORDS)
    parts: Parts = [(f"checking {thousands(done)} of {thousands(total)} ", "muted")]
    if width >= WITH_BAR:
        full = done * BAR // total
        parts.append((glyphs.bar_done * full, "accent"))
        parts.append((glyphs.bar_left * (BAR - full) + " ", "line"))
    return parts


def _broken(known: Known, glyphs: Glyphs, in_words: bool) -> Parts:
    """How many sessions have errors, and how many only warnings."""
    marks = [known.mark_of(session) for session in known.sessions]
    told: tuple[tuple[Mark, str], ...] = (("error", "with errors"), ("warning", "with warnings"))
    parts: Parts = []
    for mark, words in told:
        if number := marks.count(mark):
            sign, style = mark_parts(mark, glyphs)[0]
            tail = f" {words}" if in_words else ""
            parts.append((f"  {sign} {thousands(number)}{tail}", style))
    return [*parts, (" ", "fg")] if parts else []


def search_line(text: str, armed: bool, only_broken: bool, glyphs: Glyphs, width: int) -> Parts:
    """What is typed, and the heads of the columns below."""
    left: Parts = [(glyphs.cursor, "accent"), (" / ", "keycap")]
    if only_broken:
        left.append(("only broken  ", "keycap"))
    heads = column_heads(width)
    room = max(1, width - sum(cells(part) for part, _ in left) - 2 - len(heads))
    while cells(text) > room:
        text = text[1:]
    left += [(text, "fg"), (glyphs.input_cursor, "accent")]
    if not text and not armed:
        left.append((f" {cut(PLACEHOLDER, room - 1, glyphs.cut)}", "muted italic"))
    return spread(left, [(heads, "muted")], width)


def about(
    known: Known, session: Listed | None, glyphs: Glyphs, size: tuple[int, int]
) -> list[Parts]:
    """The lower part, line by line: what one needs to recognise a session."""
    width, height = size
    if session is None:
        return []
    lines = [_title(known, session, glyphs, width), _state(known, session, glyphs, width)]
    if (checked := known.facts_of(session).checked) is not None and checked.agents:
        lines.append(_agents(checked, glyphs, width))
    body = _body(known, session, glyphs, width)
    if height >= 8:
        lines.append([])
    return [*lines, *body][:height]


def _title(known: Known, session: Listed, glyphs: Glyphs, width: int) -> Parts:
    """``7f3c91d2.jsonl`` and folder, model, time."""
    path = PurePath(session.path)
    checked = known.facts_of(session).checked
    facts = [_short_of_home(str(path.parent), known.home)]
    if checked is not None:
        facts += [clean_line(checked.model, PROMPT)]
        facts += [span_words(checked.begun, checked.ended, known.now)]
    facts = [fact for fact in facts if fact]
    name = cut(printable(path.name), max(8, width // 2), glyphs.cut)
    room = width - cells(name) - 5
    words = f" {glyphs.separator} ".join(facts)
    while len(facts) > 1 and cells(words) > room:
        facts.pop(0)
        words = f" {glyphs.separator} ".join(facts)
    right: Parts = [(f"{cut(words, max(0, room), glyphs.cut)} ", "muted")]
    return spread([(f"  {name}", "title")], right, width)


def _short_of_home(folder: str, home: str) -> str:
    inside = home and (folder == home or folder.startswith(home + "/"))
    return printable("~" + folder[len(home) :] if inside else folder)


def _state(known: Known, session: Listed, glyphs: Glyphs, width: int) -> Parts:
    """What is wrong, and what resuming would do."""
    mark = known.mark_of(session)
    parts: Parts = [("  ", "fg"), *mark_parts(mark, glyphs)]
    checked = known.facts_of(session).checked
    if checked is None:
        words = "being checked" if mark == "checking" else "not checked yet"
        return [*parts, (f" {words}", "muted")]
    if checked.error:
        room = width - 5
        return [*parts, (f" {cut(clean_line(checked.error), room, glyphs.cut)}", "fg")]
    words = _faults(checked) or ("in sub-agents" if checked.agents else "no problems")
    style = "fg" if mark in BROKEN else "result"
    parts = parts if mark in BROKEN else parts[:1]
    parts.append((f" {words}" if mark in BROKEN else words, style))
    room = width - sum(cells(text) for text, _ in parts) - 6
    verdict = cut(clean_line(checked.verdict), max(0, room), glyphs.cut)
    return [*parts, (f"     {verdict}", "muted")]


def _agents(checked: Checked, glyphs: Glyphs, width: int) -> Parts:
    """``agent:a91c3f0: dangling 1   agent:b2: late 1   3 more``, as many as have room."""
    room = max(0, width - 5)
    told = [f"{clean_line(agent.id, PROMPT)}: {_faults(agent)}" for agent in checked.agents]
    words = ""
    for number in range(len(told), 0, -1):
        left = checked.faulty_agents - number
        words = "   ".join([*told[:number], *([f"{thousands(left)} more"] if left > 0 else [])])
        if cells(words) <= room:
            break
    return [("    ", "fg"), (cut(words, room, glyphs.cut), "fg")]


def _faults(checked: Checked | AgentFaults) -> str:
    """``dangling 1  late 1``, or how many findings there are where every link is fine, or ""."""
    links = checked.links
    states = [f"{state} {links[state]}" for state in BROKEN_LINKS if links.get(state)]
    if states:
        return "  ".join(states)
    found = [(checked.errors, "error"), (checked.warnings, "warning")]
    return ", ".join(count(number, word) for number, word in found if number)


def _body(known: Known, session: Listed, glyphs: Glyphs, width: int) -> list[Parts]:
    facts = known.facts_of(session)
    checked = facts.checked or Checked()
    lines: list[Parts] = []
    if session.sample is not None:
        lines += _wrapped(session.sample, glyphs, max(1, width - 4))
    if facts.first_prompt:
        lines.append(_prompt(facts.first_prompt, "first", glyphs, width))
    if session.sample is None and checked.last and checked.last != facts.first_prompt:
        when = stamp_ago(checked.last_at, known.now)
        lines.append(_prompt(checked.last, f"last, {when}" if when else "last", glyphs, width))
    if checked.end is not None:
        lines.append(_end(checked, glyphs, width))
    if checked.bars:
        lines.append(_strip(checked, glyphs))
    return lines


def _wrapped(text: str, glyphs: Glyphs, width: int) -> list[Parts]:
    """The sentence about a sample, cut where it needs more lines than it may take."""
    text = clean_line(text)
    spans = wrap_spans([Piece("fg", text)], width, width)
    rows = [text[start:stop] for start, stop in spans[:SENTENCE_LINES]]
    if len(spans) > SENTENCE_LINES:
        rows[-1] = cut(text[spans[SENTENCE_LINES - 1][0] :], width, glyphs.cut)
    return [[(f"  {row}", "fg")] for row in rows]


def _prompt(text: str, word: str, glyphs: Glyphs, width: int) -> Parts:
    room = max(0, width - 4 - cells(word) - 6)
    shown = cut(clean_line(text, PROMPT), room, glyphs.cut)
    return [
        (f"  {glyphs.prompt} ", "accent bold"),
        *shown_parts(shown, "prompt", glyphs),
        (f"     {word}", "muted"),
    ]


def _end(checked: Checked, glyphs: Glyphs, width: int) -> Parts:
    """The last block as the timeline has it."""
    end = checked.end
    if end is None:
        return []
    sign = getattr(glyphs, end.sign, " ") if end.sign in SIGN_STYLES else glyphs.text
    style, name_style = SIGN_STYLES.get(end.sign, ("fg", "fg"))
    name = f"{clean_line(end.name, 40)}   " if end.name else ""
    word = clean_line(end.word, 40)
    badge = f" {word} " if end.loudness == "chip" else word
    room = width - 4 - cells(name) - cells(badge) - 6
    gist = cut(clean_line(end.gist, PROMPT), max(0, room), glyphs.cut)
    gist_style = "think" if end.sign == "thinking" else "fg" if end.sign == "call" else "muted"
    parts: Parts = [(f"  {sign} ", style), (name, name_style)]
    parts += shown_parts(gist, gist_style, glyphs)
    if word:
        parts += [("     ", "fg"), (badge, LOUDNESS.get(end.loudness, "muted"))]
    return parts


def _strip(checked: Checked, glyphs: Glyphs) -> Parts:
    """The strip of sizes sent."""
    parts: Parts = [("  sent per turn ", "muted")]
    for height, tone in zip(checked.bars, checked.tones, strict=False):
        eighths = "12345678".find(height)
        parts.append((glyphs.sizes[max(0, eighths)], TONES.get(tone, "lane")))
    return [*parts, (f" {size_long(max(0, checked.largest))}", "muted")]


def footer(searching: bool, several: bool, message: str, glyphs: Glyphs, width: int) -> Parts:
    """The keys that work now, and a message at the right end."""
    right: Parts = [(f"  {message} ", "fg")] if message else []
    room = width - sum(cells(text) for text, _ in right)
    left: Parts = [(" ", "fg")]
    for keys, word in _shown_keys(searching, several, glyphs):
        entry: Parts = [(keys, "keycap"), (f" {word}  ", "muted")]
        if sum(cells(text) for text, _ in [*left, *entry]) <= room + 2:
            left += entry
    return spread(left, right, width)


def _shown_keys(searching: bool, several: bool, glyphs: Glyphs) -> Sequence[tuple[str, str]]:
    keys = {entry.id: (entry.show, entry.footer) for entry in PICKER_COMMANDS if entry.footer}
    if searching:
        keys["leave"] = ("esc", "clear the search")
    keys["move"] = (f"{glyphs.up} {glyphs.down}", "move")
    keys["narrow"] = ("harness:NAME", "one harness") if several else ("project:NAME", "one project")
    order = ("open", "move", "only_broken", "leave", "help", "narrow")
    return [keys[name] for name in order]
