"""THE table of commands. Key bindings, footer, palette, help screen and README come from here."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["COMMANDS", "PICKER_COMMANDS", "Command", "Group", "Where"]

Where = Literal["anywhere", "timeline", "block", "problems", "help", "picker"]
Group = Literal["move", "find", "edit", "look", "take", "program"]


@dataclass(frozen=True, slots=True)
class Command:
    """One thing a user can ask for.

    ``keys`` are Textual key names, the first is the one shown. ``footer`` is the word beside the
    key at the bottom of the screen, "" for a command that the footer leaves out. ``show`` is how
    people read the keys.
    """

    id: str
    title: str
    keys: tuple[str, ...]
    show: str
    where: Where
    group: Group
    help: str
    footer: str = ""
    footer_keys: str = ""
    """The keys as the footer shows them, where it shows a pair: ``n p``."""


COMMANDS: tuple[Command, ...] = (
    Command("next_turn", "Next turn", ("n",), "n", "anywhere", "move", "next turn", "turn", "n p"),
    Command("previous_turn", "Previous turn", ("p",), "p", "anywhere", "move", "previous turn"),
    Command(
        "next_problem",
        "Next problem",
        ("right_square_bracket",),
        "]",
        "anywhere",
        "move",
        "next problem",
        "problem",
        "] [",
    ),
    Command(
        "previous_problem",
        "Previous problem",
        ("left_square_bracket",),
        "[",
        "anywhere",
        "move",
        "previous problem",
    ),
    Command(
        "follow_link",
        "Jump along the link",
        ("t",),
        "t",
        "anywhere",
        "move",
        "other end of the link",
        "link",
    ),
    Command(
        "open",
        "Open or fold",
        ("enter",),
        "enter",
        "anywhere",
        "move",
        "open, fold, unfold",
        "open",
    ),
    Command("back", "Back", ("escape",), "esc", "anywhere", "move", "back to the timeline"),
    Command("next_pane", "Next pane", ("tab",), "tab", "anywhere", "move", "next pane", "pane"),
    Command(
        "previous_pane",
        "Previous pane",
        ("shift+tab",),
        "shift+tab",
        "anywhere",
        "move",
        "pane before",
    ),
    Command(
        "knew",
        "What the model knew",
        ("w",),
        "w",
        "anywhere",
        "find",
        "what the model knew here",
        "knew",
    ),
    Command(
        "search",
        "Search",
        ("slash",),
        "/",
        "anywhere",
        "find",
        "search: text, is:error, is:problem, is:prompt, role:user, tool:Bash",
        "search",
    ),
    Command(
        "go_to",
        "Go to",
        ("colon",),
        ":",
        "anywhere",
        "find",
        "go to: 12, messages.4.content.1, or a pasted API error",
        "go to",
    ),
    Command(
        "follow",
        "Follow",
        ("ctrl+f",),
        "ctrl+f",
        "anywhere",
        "look",
        "follow the session as it grows; esc stops",
    ),
    Command("tapes", "Tapes", ("b",), "b", "anywhere", "find", "all tapes of the session", "tapes"),
    Command(
        "fold_all",
        "Fold or unfold all turns",
        ("z",),
        "z",
        "anywhere",
        "look",
        "fold, unfold all turns",
    ),
    Command(
        "taller",
        "More room for problems",
        ("ctrl+up",),
        "ctrl+↑",
        "anywhere",
        "look",
        "problems higher",
    ),
    Command(
        "shorter",
        "Less room for problems",
        ("ctrl+down",),
        "ctrl+↓",
        "anywhere",
        "look",
        "problems lower",
    ),
    Command(
        "dark_light",
        "Dark or light",
        ("ctrl+t",),
        "ctrl+t",
        "anywhere",
        "look",
        "dark, light theme",
    ),
    Command("edit", "Edit", ("e",), "e", "anywhere", "edit", "edit the text or the input", "edit"),
    Command("edit_outside", "Edit outside", ("E",), "E", "anywhere", "edit", "edit in $EDITOR"),
    Command(
        "actions", "Edit actions", ("a",), "a", "anywhere", "edit", "all edits that fit this row"
    ),
    Command(
        "delete",
        "Delete",
        ("d",),
        "d",
        "anywhere",
        "edit",
        "delete the block, on a turn's rule the turn",
        "delete",
    ),
    Command(
        "insert",
        "Insert",
        ("i",),
        "i",
        "anywhere",
        "edit",
        "insert messages, blocks, facts, copies",
    ),
    Command(
        "mark",
        "Mark",
        ("v",),
        "v",
        "anywhere",
        "edit",
        "mark one end of a range, or what is to be moved",
    ),
    Command(
        "move", "Move", ("m",), "m", "anywhere", "edit", "move what is marked, before or after this"
    ),
    Command(
        "compact",
        "Compact or cut",
        ("x",),
        "x",
        "anywhere",
        "edit",
        "compact, cut, clear, fold a sub-agent",
    ),
    Command(
        "apply",
        "Apply",
        (
            "ctrl+s",
            "ctrl+enter",
        ),
        "ctrl+s",
        "anywhere",
        "edit",
        "apply what stands in the editor",
    ),
    Command("undo", "Undo", ("u",), "u", "anywhere", "edit", "undo the last edit", "undo"),
    Command("redo", "Redo", ("ctrl+r",), "ctrl+r", "anywhere", "edit", "redo the last edit"),
    Command(
        "history",
        "History of edits",
        ("H",),
        "H",
        "anywhere",
        "edit",
        "all edits, and back to any of them",
    ),
    Command(
        "diff",
        "Diff against the file",
        ("equals_sign",),
        "=",
        "anywhere",
        "edit",
        "diff of the row against the file; again: of all records",
        "diff",
    ),
    Command(
        "replay",
        "Replay",
        ("r",),
        "r",
        "anywhere",
        "find",
        "make the model call of this turn again",
        "replay",
    ),
    Command(
        "run_on",
        "Run on",
        ("R",),
        "R",
        "anywhere",
        "find",
        "run on with recorded results",
    ),
    Command("save", "Save", ("s",), "s", "anywhere", "edit", "save to the file", "save"),
    Command(
        "save_as",
        "Save as",
        ("S",),
        "S",
        "anywhere",
        "edit",
        "save as: another file, a new session, the request's body",
    ),
    Command("copy_text", "Copy text", ("y",), "y", "anywhere", "take", "copy the text", "copy"),
    Command("copy_json", "Copy JSON", ("Y",), "Y", "anywhere", "take", "copy the JSON"),
    Command("copy_path", "Copy path", ("ctrl+y",), "ctrl+y", "anywhere", "take", "copy the path"),
    Command(
        "open_editor",
        "Open in $EDITOR",
        ("o",),
        "o",
        "anywhere",
        "take",
        "open in $EDITOR",
        "editor",
    ),
    Command(
        "help",
        "Keys and signs",
        ("question_mark",),
        "?",
        "anywhere",
        "program",
        "this page",
        "help",
    ),
    Command(
        "palette", "Command palette", ("ctrl+p",), "ctrl+p", "anywhere", "program", "all commands"
    ),
    Command("quit", "Quit", ("q", "ctrl+c"), "q", "anywhere", "program", "quit", "quit"),
)

PICKER_COMMANDS: tuple[Command, ...] = (
    Command("open", "Open", ("enter",), "enter", "picker", "move", "open the session", "open"),
    Command(
        "only_broken",
        "Only broken ones",
        ("tab",),
        "tab",
        "picker",
        "find",
        "only broken sessions, all sessions",
        "only broken",
    ),
    Command(
        "help",
        "Keys and signs",
        ("f1", "question_mark"),
        "f1",
        "picker",
        "program",
        "keys and signs",
        "help",
    ),
    Command("dark_light", "Dark or light", ("ctrl+t",), "ctrl+t", "picker", "look", "dark, light"),
    Command(
        "leave", "Quit", ("escape", "q", "ctrl+c"), "esc q", "picker", "program", "quit", "quit"
    ),
)
"""The same for the list of sessions. Its letters are words to search for, once one types."""
