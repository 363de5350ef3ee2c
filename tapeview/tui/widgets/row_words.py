"""The words of a timeline's row: its sign, its name and its gist."""

from tapeview.tape.clean import cells, cut, pad
from tapeview.tape.describe import RowText
from tapeview.tape.link import LinkState
from tapeview.tui.glyphs import Glyphs

__all__ = ["gist_parts", "sign_of"]

Parts = list[tuple[str, str]]


def sign_of(text: RowText, state: LinkState, folded: bool, glyphs: Glyphs) -> tuple[str, str]:
    """The sign of a row whose link is in that state, and its style."""
    broken = state in ("dangling", "orphan")
    signs: dict[str, tuple[str, str]] = {
        "prompt": (glyphs.prompt, "accent"),
        "text": (glyphs.text, "fg"),
        "thinking": (glyphs.thinking, "think plain"),
        "call": (glyphs.call, "error" if broken else "call"),
        "result": (glyphs.result, "error" if broken else "result"),
        "error_result": (glyphs.error_result, "error"),
        "image": (glyphs.image, "result"),
        "document": (glyphs.document, "result"),
        "system": (glyphs.system, "muted"),
        "tools": (glyphs.tools, "muted"),
        "note": (glyphs.note, "muted"),
        "unknown": (glyphs.unknown, "warn"),
        "error": (glyphs.error, "error bold"),
        "end": (glyphs.pending_end, "pending"),
    }
    if text.sign == "folded":
        return (glyphs.folded if folded else glyphs.opened), "accent"
    return signs.get(text.sign, (" ", "fg"))


def gist_parts(text: RowText, faint: bool, room: int, column: int, glyphs: Glyphs) -> Parts:
    """Name and gist, cut and padded to ``room`` cells; prose starts where names start."""
    room = max(0, room)
    styles = {
        "prompt": "prompt",
        "thinking": "think",
        "text": "fg",
        "call": "fg",
        "image": "fg",
        "document": "fg",
        "error": "fg",
    }
    gist_style = "unsent" if faint else styles.get(text.sign, "muted")
    parts: Parts = []
    if text.name:
        name_style = {
            "call": "call",
            "result": "result",
            "error_result": "error",
            "tools": "fg",
            "unknown": "warn",
        }.get(text.sign, "fg")
        name = cut(text.name, max(column * 2, 1), glyphs.cut)
        name = pad(name, column - 1) + " "
        if text.sign == "tools":
            name = text.name + "  "
        parts.append((cut(name, room, glyphs.cut), "unsent" if faint else name_style))
        room -= min(room, cells(name))
    parts += _marked_gist(pad(cut(text.gist, room, glyphs.cut), room), gist_style, glyphs)
    return parts


def _marked_gist(gist: str, style: str, glyphs: Glyphs) -> Parts:
    """The gist with line breaks dim and stand-ins for controls in amber."""
    parts: Parts = []
    held = ""
    for sign in gist:
        if sign not in "¶¤":
            held += sign
            continue
        if held:
            parts.append((held, style))
            held = ""
        if sign == "¶":
            parts.append((glyphs.line_break, "muted plain" if style != "unsent" else style))
        else:
            parts.append((glyphs.control, "warn"))
    if held:
        parts.append((held, style))
    return parts
